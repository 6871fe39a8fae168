/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of what the trace does not show. Accesses to device memory are recorded, so the runtime checks their
 * addresses. Accesses to local and private memory and to program-scope constants are checked here, before
 * they happen. So are divisions, which trap on this host, and code that the compiler knows to be undefined. A
 * check that fails calls record_mistake(), which never returns:
 *
 *     if (pointer - begin >= (bytes + 1 saturating- size))
 *         record_mistake(site, pointer - begin, bytes);
 */
#include "emit.h"

#include "../module.h"

#include <llvm-c/Target.h>

#include <stdlib.h>
#include <string.h>

struct checks {
    struct emitter emit;
    LLVMBuilderRef builder;
    LLVMTypeRef word, bit;
    LLVMTypeRef check_type, lookup_type;
    LLVMValueRef check, lookup;
    LLVMTypeRef array; /* struct record_array */
};

static void mark(struct checks *c, LLVMValueRef f, const char *attribute)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(attribute, strlen(attribute));
    LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(c->emit.context, kind, 0));
}

/* Defines void record.check(bit wrong, i8 *site, word offset, word bytes). LLVM's C interface cannot split a
 * block, but inlining this function does. */
static LLVMValueRef make_check(struct checks *c)
{
    LLVMTypeRef given[] = {c->emit.pointer, c->word, c->word};
    LLVMTypeRef mistake_type = LLVMFunctionType(LLVMVoidTypeInContext(c->emit.context), given, 3, false);
    LLVMValueRef mistake = LLVMAddFunction(c->emit.module, "record_mistake", mistake_type);
    mark(c, mistake, "cold");
    mark(c, mistake, "noreturn");
    mark(c, mistake, "nounwind");
    LLVMValueRef f = LLVMAddFunction(c->emit.module, "record.check", c->check_type);
    LLVMSetLinkage(f, LLVMInternalLinkage);
    mark(c, f, "alwaysinline");
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c->emit.context, f, "");
    LLVMBasicBlockRef wrong = LLVMAppendBasicBlockInContext(c->emit.context, f, "");
    LLVMBasicBlockRef right = LLVMAppendBasicBlockInContext(c->emit.context, f, "");
    LLVMPositionBuilderAtEnd(c->builder, entry);
    LLVMBuildCondBr(c->builder, LLVMGetParam(f, 0), wrong, right);
    LLVMPositionBuilderAtEnd(c->builder, wrong);
    LLVMValueRef arguments[] = {LLVMGetParam(f, 1), LLVMGetParam(f, 2), LLVMGetParam(f, 3)};
    LLVMBuildCall2(c->builder, mistake_type, mistake, arguments, 3, "");
    LLVMBuildUnreachable(c->builder);
    LLVMPositionBuilderAtEnd(c->builder, right);
    LLVMBuildRetVoid(c->builder);
    return f;
}

static struct checks prepare(LLVMModuleRef module, LLVMTargetDataRef layout)
{
    struct checks c = {.emit = emitter_of(module, layout)};
    c.builder = LLVMCreateBuilderInContext(c.emit.context);
    c.word = LLVMInt64TypeInContext(c.emit.context);
    c.bit = LLVMInt1TypeInContext(c.emit.context);
    LLVMTypeRef given[] = {c.bit, c.emit.pointer, c.word, c.word};
    c.check_type = LLVMFunctionType(LLVMVoidTypeInContext(c.emit.context), given, 4, false);
    c.check = LLVMGetNamedFunction(module, "record.check");
    if (!c.check)
        c.check = make_check(&c);
    LLVMTypeRef fields[] = {c.emit.pointer, c.word, c.word};
    c.array = LLVMStructTypeInContext(c.emit.context, fields, 3, false);
    c.lookup_type = LLVMFunctionType(LLVMPointerType(c.array, 0), &c.word, 1, false);
    c.lookup = LLVMGetNamedFunction(module, "record_array_of");
    if (!c.lookup)
        c.lookup = LLVMAddFunction(module, "record_array_of", c.lookup_type);
    return c;
}

static void check(struct checks *c, LLVMValueRef wrong, LLVMValueRef before, struct record_site site,
                  LLVMValueRef offset, LLVMValueRef bytes)
{
    if (LLVMIsAConstantInt(wrong) && !LLVMConstIntGetZExtValue(wrong))
        return;
    const struct emitter *e = &c->emit;
    const unsigned length = site.array ? (unsigned)strcspn(site.array, ".") : 0; /* inlining appends ".i" */
    LLVMValueRef array = length ? text(e, site.array, length) : LLVMConstNull(e->pointer);
    LLVMValueRef row = STRUCT(e, place(e, place_of(before)), array, u32(e, site.kind), u32(e, site.op),
                              u32(e, site.bytes), u32(e, site.space));
    LLVMValueRef arguments[] = {wrong, global(e, row), offset, bytes};
    LLVMBuildCall2(c->builder, c->check_type, c->check, arguments, 4, "");
}

/* Loads a field of the struct record_array at that address. It does not change while kernels run. */
static LLVMValueRef array_field(struct checks *c, LLVMValueRef array, unsigned index)
{
    LLVMValueRef at = LLVMBuildStructGEP2(c->builder, c->array, array, index, "");
    LLVMValueRef value = LLVMBuildLoad2(c->builder, c->word, at, "");
    const unsigned kind = LLVMGetMDKindIDInContext(c->emit.context, "invariant.load", 14);
    LLVMSetMetadata(value, kind, LLVMMDNodeInContext(c->emit.context, NULL, 0));
    return value;
}

struct bounds {
    LLVMValueRef begin, bytes;
    const char *name;
};

/* Bounds of an argument: a structure passed by value, or a __local array, whose size is stored in front of
 * it. */
static bool argument_bounds(struct checks *c, LLVMValueRef base, struct bounds *b)
{
    LLVMValueRef function = LLVMGetParamParent(base);
    LLVMTypeRef type;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetParam(function, i) == base && by_value_memory(function, i, &type)) {
            b->bytes = u64(&c->emit, LLVMABISizeOfType(c->emit.layout, type));
            return true;
        }
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(base)) != 3)
        return false;
    LLVMValueRef before = LLVMBuildSub(c->builder, b->begin, u64(&c->emit, sizeof(struct record_array)), "");
    LLVMValueRef array = LLVMBuildIntToPtr(c->builder, before, LLVMPointerType(c->array, 0), "");
    b->bytes = array_field(c, array, 2);
    return true;
}

/* A kept function does not know the array that its caller's pointer is into. */
static bool is_passed_pointer(LLVMValueRef base)
{
    LLVMTypeRef type;
    LLVMValueRef function = LLVMIsAArgument(base) ? LLVMGetParamParent(base) : NULL;
    if (!function || !is_kept(function))
        return false;
    for (unsigned i = 0; i < LLVMCountParams(function); i++)
        if (LLVMGetParam(function, i) == base)
            return !by_value_memory(function, i, &type);
    return false;
}

static bool find_bounds(struct checks *c, const struct access *a, LLVMValueRef address, struct bounds *b)
{
    LLVMValueRef base = find_base(a->pointer);
    if (base && is_passed_pointer(base))
        base = NULL;
    if (!base && a->space != 3)
        return false;
    if (!base) { /* one of several local arrays */
        LLVMValueRef array = LLVMBuildCall2(c->builder, c->lookup_type, c->lookup, &address, 1, "");
        *b = (struct bounds){array_field(c, array, 1), array_field(c, array, 2), NULL};
        return true;
    }
    b->begin = LLVMBuildPtrToInt(c->builder, base, c->word, "");
    b->name = array_name(base);
    if (LLVMIsAArgument(base))
        return argument_bounds(c, base, b);
    LLVMTypeRef type = LLVMIsAAllocaInst(base) ? LLVMGetAllocatedType(base) : LLVMGlobalGetValueType(base);
    b->bytes = u64(&c->emit, LLVMABISizeOfType(c->emit.layout, type));
    return true;
}

static void check_access(struct checks *c, const struct access *a, LLVMValueRef before)
{
    struct bounds b;
    LLVMPositionBuilderBefore(c->builder, before);
    LLVMValueRef address = LLVMBuildPtrToInt(c->builder, a->pointer, c->word, "");
    if (!find_bounds(c, a, address, &b))
        return;
    LLVMValueRef offset = LLVMBuildSub(c->builder, address, b.begin, "");
    LLVMValueRef fits = LLVMBuildICmp(c->builder, LLVMIntUGE, b.bytes, u64(&c->emit, a->bytes), "");
    LLVMValueRef last = LLVMBuildSub(c->builder, b.bytes, u64(&c->emit, a->bytes), "");
    LLVMValueRef beyond = LLVMBuildICmp(c->builder, LLVMIntUGT, offset, last, "");
    LLVMValueRef wrong = LLVMBuildOr(c->builder, LLVMBuildNot(c->builder, fits, ""), beyond, "");
    const struct record_site site = {
        .kind = RECORD_OUT_OF_BOUNDS, .array = b.name, .op = a->op, .bytes = a->bytes, .space = a->space};
    check(c, wrong, before, site, offset, b.bytes);
}

/* Reduces a vector of bits to one bit. */
static LLVMValueRef any(struct checks *c, LLVMValueRef bits)
{
    if (LLVMGetTypeKind(LLVMTypeOf(bits)) != LLVMVectorTypeKind)
        return bits;
    LLVMTypeRef packed = LLVMIntTypeInContext(c->emit.context, LLVMGetVectorSize(LLVMTypeOf(bits)));
    LLVMValueRef word = LLVMBuildBitCast(c->builder, bits, packed, "");
    return LLVMBuildICmp(c->builder, LLVMIntNE, word, LLVMConstNull(packed), "");
}

/* Division by zero; for signed types, also of the lowest number by -1. */
static void check_division(struct checks *c, LLVMValueRef i, bool sign)
{
    LLVMValueRef dividend = LLVMGetOperand(i, 0), divisor = LLVMGetOperand(i, 1);
    LLVMTypeRef type = LLVMTypeOf(i);
    LLVMPositionBuilderBefore(c->builder, i);
    LLVMValueRef wrong = LLVMBuildICmp(c->builder, LLVMIntEQ, divisor, LLVMConstNull(type), "");
    if (sign) {
        const bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
        const unsigned bits = LLVMGetIntTypeWidth(vector ? LLVMGetElementType(type) : type);
        LLVMValueRef shift = LLVMConstInt(vector ? LLVMGetElementType(type) : type, bits - 1, false);
        LLVMValueRef all[16];
        for (unsigned e = 0; vector && e < LLVMGetVectorSize(type); e++)
            all[e] = shift;
        if (vector)
            shift = LLVMConstVector(all, LLVMGetVectorSize(type));
        LLVMValueRef ones = LLVMConstAllOnes(type), lowest = LLVMConstShl(ones, shift);
        LLVMValueRef both = LLVMBuildAnd(c->builder, LLVMBuildICmp(c->builder, LLVMIntEQ, divisor, ones, ""),
                                         LLVMBuildICmp(c->builder, LLVMIntEQ, dividend, lowest, ""), "");
        wrong = LLVMBuildOr(c->builder, wrong, both, "");
    }
    check(c, any(c, wrong), i, (struct record_site){.kind = RECORD_DIVISION}, u64(&c->emit, 0),
          u64(&c->emit, 0));
}

static bool is_trap(LLVMValueRef i)
{
    size_t length;
    return LLVMIsACallInst(i) && LLVMIsAFunction(LLVMGetCalledValue(i)) &&
           !strcmp(LLVMGetValueName2(LLVMGetCalledValue(i), &length), "llvm.trap");
}

static void check_instruction(struct checks *c, LLVMValueRef i)
{
    const LLVMOpcode code = LLVMGetInstructionOpcode(i);
    struct access found[2];
    const unsigned n = find_all_accesses(i, c->emit.layout, found);
    for (unsigned a = 0; a < n; a++)
        if (!is_recorded(&found[a]))
            check_access(c, &found[a], i);
    if (code == LLVMSDiv || code == LLVMSRem || code == LLVMUDiv || code == LLVMURem)
        check_division(c, i, code == LLVMSDiv || code == LLVMSRem);
    if (code == LLVMUnreachable || is_trap(i)) {
        LLVMPositionBuilderBefore(c->builder, i);
        check(c, LLVMConstInt(c->bit, 1, false), i, (struct record_site){.kind = RECORD_NOWHERE},
              u64(&c->emit, 0), u64(&c->emit, 0));
    }
}

void insert_checks(LLVMModuleRef module, LLVMTargetDataRef layout, LLVMValueRef function)
{
    struct checks c = prepare(module, layout);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
            next = LLVMGetNextInstruction(i);
            check_instruction(&c, i);
        }
    LLVMDisposeBuilder(c.builder);
}
