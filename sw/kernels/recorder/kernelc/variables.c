/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of CUDA C++ outside of functions. __device__ and __constant__ ones are in device memory, which
 * the runtime allocates: functions load their addresses when they begin, from slots that the module's table
 * names. All extern __shared__ arrays are one array, whose size the launch gives.
 */
#include "kernelc.h"

#include "../module.h"

#include <stdlib.h>
#include <string.h>

struct variables {
    LLVMBuilderRef builder;
    struct variable *all;
    unsigned n;
    LLVMValueRef function, *address; /* of each variable in this function, NULL until it is needed */
};

static bool is_used(LLVMValueRef v)
{
    for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (LLVMIsAInstruction(user) || (LLVMIsAConstantExpr(user) && is_used(user)))
            return true;
    }
    return false;
}

static bool in_space(LLVMValueRef v, unsigned space)
{
    return LLVMGetPointerAddressSpace(LLVMTypeOf(v)) == space;
}

void join_shared_arrays(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef type = LLVMArrayType(LLVMInt8TypeInContext(context), RECORD_MOST_SHARED);
    LLVMValueRef joined = NULL;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v)) {
        if (!in_space(v, 3) || !LLVMIsDeclaration(v) || !is_used(v))
            continue;
        if (!joined) {
            joined = LLVMAddGlobalInAddressSpace(module, type, DYNAMIC_SHARED, 3);
            LLVMSetInitializer(joined, LLVMGetUndef(type));
            LLVMSetLinkage(joined, LLVMInternalLinkage);
            LLVMSetAlignment(joined, 128);
        }
        LLVMReplaceAllUsesWith(v, LLVMConstBitCast(joined, LLVMTypeOf(v)));
    }
}

/* A function of the C++ runtime library, which LLVM needs, too. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* The name in the source: "factor", "filters::weights". clang appends ".static." and more to that of a static
 * variable. */
static char *source_name(LLVMValueRef v)
{
    size_t length;
    int status;
    const char *name = LLVMGetValueName2(v, &length);
    char *plain = strndup(name, strcspn(name, "."));
    char *readable = plain && !strncmp(plain, "_Z", 2) ? __cxa_demangle(plain, NULL, NULL, &status) : NULL;
    if (readable)
        free(plain);
    return readable ? readable : plain;
}

static void find_variables(struct variables *s, LLVMModuleRef module)
{
    unsigned room = 0;
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v; v = LLVMGetNextGlobal(v)) {
        if (!in_space(v, 1) || !is_used(v) || LLVMIsDeclaration(v))
            continue;
        if (s->n == room && !(s->all = realloc(s->all, (room = 2 * room + 8) * sizeof *s->all)))
            refuse("out of memory");
        LLVMValueRef slot = LLVMAddGlobal(module, LLVMTypeOf(v), "record.slot");
        LLVMSetInitializer(slot, LLVMConstNull(LLVMTypeOf(v)));
        LLVMSetLinkage(slot, LLVMInternalLinkage);
        s->all[s->n++] = (struct variable){.name = source_name(v), .variable = v, .slot = slot};
    }
    s->address = must_alloc(s->n, sizeof *s->address);
}

static unsigned find(const struct variables *s, LLVMValueRef v)
{
    unsigned i = 0;
    while (i < s->n && s->all[i].variable != v)
        i++;
    return i;
}

static bool mentions(const struct variables *s, LLVMValueRef v)
{
    if (LLVMIsAGlobalVariable(v))
        return find(s, v) < s->n;
    if (!LLVMIsAConstantExpr(v))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(v); i++)
        if (mentions(s, LLVMGetOperand(v, (unsigned)i)))
            return true;
    return false;
}

/* The variable's address, which the function loads at its begin. */
static LLVMValueRef address_of(struct variables *s, unsigned i)
{
    if (s->address[i])
        return s->address[i];
    LLVMBuilderRef b = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(s->function)));
    LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(s->function)));
    s->address[i] = LLVMBuildLoad2(b, LLVMTypeOf(s->all[i].variable), s->all[i].slot, "");
    LLVMDisposeBuilder(b);
    return s->address[i];
}

/* Builds what a constant with variables in it says. */
static LLVMValueRef build(struct variables *s, LLVMValueRef v)
{
    if (!mentions(s, v))
        return v;
    if (LLVMIsAGlobalVariable(v))
        return address_of(s, find(s, v));
    LLVMValueRef from = build(s, LLVMGetOperand(v, 0)), index[16];
    const int n = LLVMGetNumOperands(v) - 1;
    switch (LLVMGetConstOpcode(v)) {
    case LLVMBitCast:
        return LLVMBuildBitCast(s->builder, from, LLVMTypeOf(v), "");
    case LLVMAddrSpaceCast:
        return LLVMBuildAddrSpaceCast(s->builder, from, LLVMTypeOf(v), "");
    case LLVMPtrToInt:
        return LLVMBuildPtrToInt(s->builder, from, LLVMTypeOf(v), "");
    case LLVMGetElementPtr:
        for (int i = 0; i < n && i < 16; i++)
            index[i] = LLVMGetOperand(v, (unsigned)i + 1);
        if (n <= 16)
            return LLVMBuildGEP2(s->builder, LLVMGetElementType(LLVMTypeOf(from)), from, index, (unsigned)n,
                                 "");
        break;
    default:
        break;
    }
    refuse_at(place_of_function(s->function),
              "a kernel uses a __device__ or __constant__ variable in a way that is not "
              "supported");
}

static void change_instruction(struct variables *s, LLVMValueRef i)
{
    const bool phi = LLVMIsAPHINode(i);
    for (int k = 0; k < LLVMGetNumOperands(i); k++) {
        LLVMValueRef v = LLVMGetOperand(i, (unsigned)k);
        if (!mentions(s, v))
            continue;
        LLVMPositionBuilderBefore(
            s->builder, phi ? LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(i, (unsigned)k)) : i);
        LLVMSetOperand(i, (unsigned)k, build(s, v));
    }
}

unsigned move_variables(LLVMModuleRef module, struct variable **all)
{
    struct variables s = {.builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module))};
    find_variables(&s, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f && s.n; f = LLVMGetNextFunction(f)) {
        s.function = f;
        memset(s.address, 0, s.n * sizeof *s.address);
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                change_instruction(&s, i);
    }
    free(s.address);
    LLVMDisposeBuilder(s.builder);
    *all = s.all;
    return s.n;
}
