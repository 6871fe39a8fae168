/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IR instructions that count as issued by a GPU, and those of them that access device memory.
 * Address spaces are SPIR's: 0 private, 1 global, 2 constant, 3 local.
 */
#include "kernelc.h"

#include "../collective.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

enum { OP_LOAD, OP_STORE, OP_ATOMIC }; /* enum gwt_op */

static unsigned elements(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 1;
}

static const char *callee_name(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    size_t length;
    return LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &length) : "";
}

static bool starts(const char *text, const char *prefix)
{
    return !strncmp(text, prefix, strlen(prefix));
}

bool is_collective(LLVMValueRef i)
{
    return LLVMGetInstructionOpcode(i) == LLVMCall && !strcmp(callee_name(i), "record_collective");
}

static uint32_t what_of(LLVMValueRef collective)
{
    LLVMValueRef what = LLVMGetOperand(collective, 0);
    if (!LLVMIsAConstantInt(what))
        refuse_at(place_of(collective), "a function of a warp with an operation that is not constant");
    return (uint32_t)LLVMConstIntGetZExtValue(what);
}

bool of_group(LLVMValueRef collective)
{
    return what_of(collective) & COLLECTIVE_GROUP;
}

/* A sum or scan is a shuffle and an addition for each level of a tree over 32 lanes. */
static unsigned count_collective(LLVMValueRef collective)
{
    enum { TREE = 10 };
    const uint32_t form = what_of(collective) & COLLECTIVE_FORM;
    return form >= COLLECTIVE_REDUCE && form <= COLLECTIVE_EXCLUSIVE ? TREE : 1;
}

static unsigned count_call(LLVMValueRef call)
{
    /* Intrinsics that inform the compiler and become no code. */
    static const char *const silent[] = {"llvm.dbg.",      "llvm.lifetime.",     "llvm.assume",
                                         "llvm.donothing", "llvm.experimental.", "llvm.invariant."};
    const char *name = callee_name(call);
    if (is_collective(call))
        return count_collective(call);
    if (kept_callee(call))
        return 0;
    for (unsigned i = 0; i < sizeof silent / sizeof *silent; i++)
        if (starts(name, silent[i]))
            return 0;
    return elements(LLVMTypeOf(call));
}

static bool constant_offsets(LLVMValueRef address)
{
    for (int i = 1; i < LLVMGetNumOperands(address); i++)
        if (!LLVMIsAConstantInt(LLVMGetOperand(address, (unsigned)i)))
            return false;
    return true;
}

unsigned count_issued(LLVMValueRef i)
{
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMPHI: /* register moves and renames */
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
    case LLVMPtrToInt:
    case LLVMIntToPtr:
    case LLVMFreeze:
    case LLVMZExt: /* GPU integer instructions take 32-bit operands into 64-bit sums */
    case LLVMSExt:
    case LLVMTrunc:
    case LLVMExtractElement:
    case LLVMInsertElement:
    case LLVMShuffleVector:
    case LLVMExtractValue:
    case LLVMInsertValue:
    case LLVMAlloca:
    case LLVMFence:
    case LLVMUnreachable:
    case LLVMRet: /* the exit event represents it */
        return 0;
    case LLVMGetElementPtr:
        return !constant_offsets(i); /* constant offsets are part of the access */
    case LLVMBr:
        return LLVMIsConditional(i); /* others are laid out to fall through */
    case LLVMSwitch:
        return LLVMGetNumSuccessors(i); /* a comparison and branch per case */
    case LLVMLoad:
    case LLVMStore:
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return 1; /* vector accesses are one instruction */
    case LLVMCall:
        return count_call(i);
    case LLVMICmp:
    case LLVMFCmp:
        return elements(LLVMTypeOf(LLVMGetOperand(i, 0)));
    default:
        return elements(LLVMTypeOf(i)); /* arithmetic: GPUs are scalar per lane */
    }
}

bool is_barrier(LLVMValueRef i)
{
    return LLVMGetInstructionOpcode(i) == LLVMCall &&
           (starts(callee_name(i), "_Z7barrierj") || starts(callee_name(i), "_Z18work_group_barrierj"));
}

/* Whether a pointer to constant memory may point into a buffer: not if it always comes from a program-scope
 * variable, since those are in the GPU's constant bank. */
static bool into_buffer(LLVMValueRef p, unsigned depth)
{
    if (LLVMIsAGlobalVariable(p))
        return false;
    if (depth == 0)
        return true;
    if (LLVMIsAConstantExpr(p) || LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p))
        return into_buffer(LLVMGetOperand(p, 0), depth - 1);
    if (LLVMIsASelectInst(p))
        return into_buffer(LLVMGetOperand(p, 1), depth - 1) || into_buffer(LLVMGetOperand(p, 2), depth - 1);
    if (LLVMIsAPHINode(p)) {
        for (unsigned i = 0; i < LLVMCountIncoming(p); i++)
            if (into_buffer(LLVMGetIncomingValue(p, i), depth - 1))
                return true;
        return false;
    }
    return true;
}

bool is_recorded(const struct access *a)
{
    return a->space == 1 || a->space == ANY_SPACE || (a->space == 2 && into_buffer(a->pointer, 8));
}

/* A kept function does not know whether a pointer to constant memory is into a program-scope variable. */
static bool in_kept(LLVMValueRef instruction)
{
    return is_kept(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

static unsigned one(struct access *found, LLVMValueRef by, unsigned op, LLVMValueRef pointer,
                    unsigned long long bytes)
{
    const unsigned space = space_of(pointer);
    *found = (struct access){.op = op,
                             .pointer = pointer,
                             .space = space,
                             .bytes = (unsigned)bytes,
                             .any = space == ANY_SPACE || (space == 2 && in_kept(by))};
    return 1;
}

/* memcpy, memmove and memset, which clang emits for structure assignment. */
static unsigned block_copy(LLVMValueRef call, struct access found[2])
{
    const char *name = callee_name(call);
    const bool set = starts(name, "llvm.memset."),
               copy = starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove.");
    if (!set && !copy)
        return 0;
    LLVMValueRef to = LLVMGetOperand(call, 0), from = LLVMGetOperand(call, 1), size = LLVMGetOperand(call, 2);
    if (!LLVMIsAConstantInt(size)) {
        struct access ends[2];
        one(&ends[0], call, OP_STORE, to, 0);
        one(&ends[1], call, OP_LOAD, copy ? from : to, 0);
        if (is_recorded(&ends[0]) || is_recorded(&ends[1]))
            refuse_at(place_of(call), "a copy of variable size in device memory; copy it element by element");
        return 0;
    }
    const unsigned long long bytes = LLVMConstIntGetZExtValue(size);
    unsigned n = copy ? one(found, call, OP_LOAD, from, bytes) : 0;
    return n + one(found + n, call, OP_STORE, to, bytes);
}

unsigned find_all_accesses(LLVMValueRef i, LLVMTargetDataRef layout, struct access found[2])
{
    LLVMValueRef stored;
    switch (LLVMGetInstructionOpcode(i)) {
    case LLVMLoad:
        return one(found, i, OP_LOAD, LLVMGetOperand(i, 0), LLVMStoreSizeOfType(layout, LLVMTypeOf(i)));
    case LLVMStore:
        stored = LLVMGetOperand(i, 0);
        return one(found, i, OP_STORE, LLVMGetOperand(i, 1), LLVMStoreSizeOfType(layout, LLVMTypeOf(stored)));
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg:
        return one(found, i, OP_ATOMIC, LLVMGetOperand(i, 0),
                   LLVMStoreSizeOfType(layout, LLVMTypeOf(LLVMGetOperand(i, 1))));
    case LLVMCall:
        return block_copy(i, found);
    default:
        return 0;
    }
}

unsigned find_accesses(LLVMValueRef i, LLVMTargetDataRef layout, struct access found[2])
{
    const unsigned all = find_all_accesses(i, layout, found);
    unsigned n = 0;
    for (unsigned a = 0; a < all; a++)
        if (is_recorded(&found[a]))
            found[n++] = found[a];
    return n;
}
