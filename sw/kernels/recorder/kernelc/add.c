/* SPDX-License-Identifier: Apache-2.0 */
/* Additions of floats in memory: clang for OpenCL has no builtin that becomes LLVM's instruction for them, so
 * builtins/atomic.cl calls these functions in its place. */
#include "kernelc.h"

#include <llvm-c/DebugInfo.h>

static void replace(LLVMBuilderRef builder, LLVMValueRef call)
{
    LLVMPositionBuilderBefore(builder, call);
    LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
    LLVMValueRef add = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpFAdd, LLVMGetOperand(call, 0),
                                          LLVMGetOperand(call, 1), LLVMAtomicOrderingMonotonic, false);
    LLVMReplaceAllUsesWith(call, add);
    LLVMInstructionEraseFromParent(call);
}

void replace_float_additions(LLVMModuleRef module)
{
    static const char *const name[] = {"record_add_global", "record_add_local", "record_add_generic",
                                       "record_add_double"};
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for (unsigned i = 0; i < sizeof name / sizeof *name; i++) {
        LLVMValueRef f = LLVMGetNamedFunction(module, name[i]);
        for (LLVMUseRef use; f && (use = LLVMGetFirstUse(f));)
            replace(builder, LLVMGetUser(use));
        if (f)
            LLVMDeleteFunction(f);
    }
    LLVMDisposeBuilder(builder);
}
