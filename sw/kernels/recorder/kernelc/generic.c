/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generic pointers, of CUDA C++ and OpenCL C 2.0: clang for SPIR gives every pointer address space 4, and
 * casts variables to it. LLVM's pass that finds the real spaces is only for GPUs that it knows, so this one
 * replaces generic pointers whose only source is a cast, where they are used and not stored. Local variables
 * then become registers. The space of the other pointers is found when it is needed; that of a pointer which
 * was loaded from memory, or which may be into several spaces, is known when the kernel runs (replay.c).
 */
#include "kernelc.h"

#include <llvm-c/DebugInfo.h>

#include <limits.h>
#include <string.h>

#define GENERIC ANY_SPACE

static unsigned space(LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : ~0u;
}

static bool is_constant_of(LLVMValueRef v, LLVMOpcode opcode)
{
    return LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == opcode;
}

/* The pointer of another space that a generic one was cast from, with the same type of element; NULL: there
 * is none. */
static LLVMValueRef source(LLVMBuilderRef b, LLVMValueRef v)
{
    if (space(v) != GENERIC)
        return NULL;
    if (LLVMIsAAddrSpaceCastInst(v) || is_constant_of(v, LLVMAddrSpaceCast)) {
        LLVMValueRef from = LLVMGetOperand(v, 0);
        if (space(from) == GENERIC)
            return NULL;
        LLVMTypeRef wanted = LLVMPointerType(LLVMGetElementType(LLVMTypeOf(v)), space(from));
        return LLVMTypeOf(from) == wanted ? from
               : LLVMIsConstant(from)     ? LLVMConstBitCast(from, wanted)
                                          : LLVMBuildBitCast(b, from, wanted, "");
    }
    if (!is_constant_of(v, LLVMGetElementPtr) && !is_constant_of(v, LLVMBitCast))
        return NULL;
    LLVMValueRef from = source(b, LLVMGetOperand(v, 0)), index[16];
    const int n = LLVMGetNumOperands(v) - 1;
    if (!from || n > 16)
        return NULL;
    if (is_constant_of(v, LLVMBitCast))
        return LLVMConstBitCast(from, LLVMPointerType(LLVMGetElementType(LLVMTypeOf(v)), space(from)));
    for (int i = 0; i < n; i++)
        index[i] = LLVMGetOperand(v, (unsigned)i + 1);
    return LLVMConstGEP2(LLVMGetElementType(LLVMTypeOf(from)), from, index, (unsigned)n);
}

/* Replaces the instruction by a generic cast of what was built in its place. */
static void become(LLVMBuilderRef b, LLVMValueRef i, LLVMValueRef built)
{
    LLVMReplaceAllUsesWith(i, LLVMBuildAddrSpaceCast(b, built, LLVMTypeOf(i), ""));
    LLVMInstructionEraseFromParent(i);
}

static bool change_operand(LLVMBuilderRef b, LLVMValueRef i, unsigned operand)
{
    LLVMValueRef from = source(b, LLVMGetOperand(i, operand));
    if (from)
        LLVMSetOperand(i, operand, from);
    return from;
}

static bool change_element(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef from = source(b, LLVMGetOperand(i, 0)), index[16];
    const int n = LLVMGetNumOperands(i) - 1;
    if (!from || n > 16)
        return false;
    for (int k = 0; k < n; k++)
        index[k] = LLVMGetOperand(i, (unsigned)k + 1);
    LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(from));
    become(b, i,
           LLVMIsInBounds(i) ? LLVMBuildInBoundsGEP2(b, type, from, index, (unsigned)n, "")
                             : LLVMBuildGEP2(b, type, from, index, (unsigned)n, ""));
    return true;
}

static bool change_cast(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef from = source(b, LLVMGetOperand(i, 0));
    if (!from)
        return false;
    if (LLVMIsAAddrSpaceCastInst(i)) { /* back to the space that it comes from */
        if (space(i) != space(from))
            return false;
        LLVMReplaceAllUsesWith(i, LLVMBuildBitCast(b, from, LLVMTypeOf(i), ""));
        LLVMInstructionEraseFromParent(i);
        return true;
    }
    become(b, i,
           LLVMBuildBitCast(b, from, LLVMPointerType(LLVMGetElementType(LLVMTypeOf(i)), space(from)), ""));
    return true;
}

static bool change_select(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef yes = source(b, LLVMGetOperand(i, 1)), no = yes ? source(b, LLVMGetOperand(i, 2)) : NULL;
    if (!no || space(yes) != space(no))
        return false;
    become(b, i, LLVMBuildSelect(b, LLVMGetOperand(i, 0), yes, no, ""));
    return true;
}

static unsigned alignment_of(LLVMValueRef call, unsigned argument)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("align", 5);
    LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
    return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

/* The copy of a vector of CUDA C++, a structure of 4 (half2), 8 or 16 bytes that is aligned so, is one load
 * and one store. Otherwise a local variable would split it into its members. */
static bool change_vector_copy(LLVMBuilderRef b, LLVMValueRef i)
{
    LLVMValueRef size = LLVMGetOperand(i, 2);
    const unsigned to = alignment_of(i, 0), from = alignment_of(i, 1);
    const unsigned long long bytes = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
    if ((bytes != 4 && bytes != 8 && bytes != 16) || to < bytes || from < bytes)
        return false;
    const unsigned element = bytes == 4 ? 2 : 4;
    LLVMTypeRef type = LLVMVectorType(LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)), 8 * element),
                                      (unsigned)bytes / element);
    LLVMValueRef pointer[2];
    for (unsigned k = 0; k < 2; k++) {
        LLVMValueRef p = LLVMGetOperand(i, k);
        pointer[k] = LLVMBuildBitCast(b, p, LLVMPointerType(type, space(p)), "");
    }
    LLVMValueRef value = LLVMBuildLoad2(b, type, pointer[1], "");
    LLVMSetAlignment(value, from);
    LLVMSetAlignment(LLVMBuildStore(b, value, pointer[0]), to);
    LLVMInstructionEraseFromParent(i);
    return true;
}

/* memcpy, memmove and memset have the spaces in their names. */
static bool change_copy(LLVMBuilderRef b, LLVMValueRef i)
{
    size_t length;
    LLVMValueRef callee = LLVMGetCalledValue(i);
    const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
    const bool set = !strncmp(name, "llvm.memset.", 12), move = !strncmp(name, "llvm.memmove.", 13);
    if (!set && !move && strncmp(name, "llvm.memcpy.", 12) != 0)
        return false;
    if (!set && !move && change_vector_copy(b, i))
        return true;
    LLVMValueRef to = source(b, LLVMGetOperand(i, 0)), from = set ? NULL : source(b, LLVMGetOperand(i, 1)),
                 made;
    if (!to && !from)
        return false;
    to = to ? to : LLVMGetOperand(i, 0);
    from = from ? from : LLVMGetOperand(i, 1);
    LLVMValueRef size = LLVMGetOperand(i, 2);
    if (set)
        made = LLVMBuildMemSet(b, to, from, size, 1);
    else
        made = (move ? LLVMBuildMemMove : LLVMBuildMemCpy)(b, to, 1, from, 1, size);
    (void)made;
    LLVMInstructionEraseFromParent(i);
    return true;
}

static bool change(LLVMBuilderRef b, LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
    case LLVMPtrToInt:
        return change_operand(b, i, 0);
    case LLVMStore:
        return change_operand(b, i, 1);
    case LLVMGetElementPtr:
        return change_element(b, i);
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return change_cast(b, i);
    case LLVMSelect:
        return change_select(b, i);
    case LLVMCall:
        return change_copy(b, i);
    default:
        return false;
    }
}

bool lower_generic(LLVMModuleRef module)
{
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    bool any = false, again = true;
    while (again) {
        again = false;
        for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
            for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
                 block = LLVMGetNextBasicBlock(block))
                for (LLVMValueRef i = LLVMGetFirstInstruction(block), next; i; i = next) {
                    next = LLVMGetNextInstruction(i);
                    LLVMPositionBuilderBefore(b, i);
                    LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(i));
                    again |= change(b, i);
                }
        any |= again;
    }
    LLVMDisposeBuilder(b);
    return any;
}

#define MOST_STEPS 64
#define NONE       UINT_MAX

struct search {
    LLVMValueRef seen[MOST_STEPS];
    unsigned n, space; /* NONE: none was found yet */
};

static void search_space(struct search *s, LLVMValueRef p)
{
    while (space(p) == GENERIC && (LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p) ||
                                   LLVMIsAAddrSpaceCastInst(p) || is_constant_of(p, LLVMGetElementPtr) ||
                                   is_constant_of(p, LLVMBitCast) || is_constant_of(p, LLVMAddrSpaceCast)))
        p = LLVMGetOperand(p, 0);
    for (unsigned i = 0; i < s->n; i++)
        if (s->seen[i] == p)
            return;
    if (s->n < MOST_STEPS && space(p) == GENERIC && (LLVMIsASelectInst(p) || LLVMIsAPHINode(p))) {
        s->seen[s->n++] = p;
        for (unsigned i = 0; LLVMIsAPHINode(p) && i < LLVMCountIncoming(p); i++)
            search_space(s, LLVMGetIncomingValue(p, i));
        for (unsigned i = 1; LLVMIsASelectInst(p) && i < 3; i++)
            search_space(s, LLVMGetOperand(p, i));
        return;
    }
    if (LLVMIsAConstantPointerNull(p) || LLVMIsUndef(p))
        return;
    s->space = s->space == NONE || s->space == space(p) ? space(p) : GENERIC;
}

unsigned space_of(LLVMValueRef pointer)
{
    struct search s = {.space = NONE};
    if (space(pointer) != GENERIC)
        return space(pointer);
    search_space(&s, pointer);
    return s.space == NONE ? 1 : s.space;
}
