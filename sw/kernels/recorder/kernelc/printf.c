/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of printf become calls of record_printf(format, values, count): the host's convention for a variable
 * number of arguments has no vectors. Each argument is stored on the work-item's stack. */
#include "emit.h"

#include "../module.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

struct lowering {
    struct emitter emit;
    LLVMBuilderRef builder;
    LLVMBasicBlockRef entry;
    LLVMTypeRef value, type; /* struct record_printed; of record_printf */
    LLVMValueRef function;
};

static struct lowering prepare(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef kernel)
{
    struct lowering l = {.emit = emitter_of(module, layout)};
    LLVMTypeRef word = LLVMInt32TypeInContext(l.emit.context), fields[] = {l.emit.pointer, word, word};
    l.builder = LLVMCreateBuilderInContext(l.emit.context);
    l.entry = LLVMGetEntryBasicBlock(kernel);
    l.value = LLVMStructTypeInContext(l.emit.context, fields, 3, false);
    LLVMTypeRef given[] = {l.emit.pointer, LLVMPointerType(l.value, 0), word};
    l.type = LLVMFunctionType(word, given, 3, false);
    l.function = LLVMGetNamedFunction(module, "record_printf");
    if (!l.function)
        l.function = LLVMAddFunction(module, "record_printf", l.type);
    return l;
}

static LLVMValueRef on_stack(const struct lowering *l, LLVMTypeRef type)
{
    LLVMPositionBuilderBefore(l->builder, LLVMGetFirstInstruction(l->entry));
    return LLVMBuildAlloca(l->builder, type, "");
}

static bool is_real(LLVMTypeRef type)
{
    const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    const LLVMTypeKind kind = LLVMGetTypeKind(vector ? LLVMGetElementType(type) : type);
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static void lower(const struct lowering *l, LLVMValueRef call)
{
    const struct emitter *e = &l->emit;
    const unsigned n = LLVMGetNumArgOperands(call) - 1;
    LLVMValueRef values = on_stack(l, LLVMArrayType(l->value, n + 1)), zero = u32(e, 0);
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef given = LLVMGetOperand(call, i + 1);
        LLVMTypeRef type = LLVMTypeOf(given);
        LLVMValueRef at = on_stack(l, type);
        LLVMPositionBuilderBefore(l->builder, call);
        LLVMBuildStore(l->builder, given, at);
        LLVMValueRef row = LLVMGetUndef(l->value);
        row = LLVMBuildInsertValue(l->builder, row, LLVMBuildBitCast(l->builder, at, e->pointer, ""), 0, "");
        row = LLVMBuildInsertValue(l->builder, row, u32(e, LLVMStoreSizeOfType(e->layout, type)), 1, "");
        row = LLVMBuildInsertValue(l->builder, row, u32(e, is_real(type)), 2, "");
        LLVMValueRef index[] = {zero, u32(e, i)};
        LLVMBuildStore(l->builder, row,
                       LLVMBuildGEP2(l->builder, LLVMArrayType(l->value, n + 1), values, index, 2, ""));
    }
    LLVMPositionBuilderBefore(l->builder, call);
    LLVMValueRef format = LLVMBuildAddrSpaceCast(l->builder, LLVMGetOperand(call, 0), e->pointer, "");
    LLVMValueRef first = LLVMBuildBitCast(l->builder, values, LLVMPointerType(l->value, 0), "");
    LLVMValueRef arguments[] = {format, first, u32(e, n)};
    LLVMReplaceAllUsesWith(call, LLVMBuildCall2(l->builder, l->type, l->function, arguments, 3, ""));
    LLVMInstructionEraseFromParent(call);
}

void lower_printf(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef function)
{
    LLVMValueRef original = LLVMGetNamedFunction(module, "printf");
    if (!original)
        return;
    const struct lowering l = prepare(module, layout, function);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            if (LLVMIsACallInst(i) && LLVMGetCalledValue(i) == original)
                lower(&l, i);
        }
    LLVMDisposeBuilder(l.builder);
}
