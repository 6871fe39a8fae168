/* SPDX-License-Identifier: Apache-2.0 */
/* The origin of values: lines and names of the source, and the memory that a pointer is computed from. */
#include "kernelc.h"

#include <llvm-c/DebugInfo.h>

#include <string.h>

struct place place_of(LLVMValueRef i)
{
    struct place at = {.line = LLVMGetDebugLocLine(i)};
    if (at.line)
        at.file = LLVMGetDebugLocFilename(i, &at.length);
    return at;
}

struct place place_of_function(LLVMValueRef f)
{
    LLVMMetadataRef program = LLVMGetSubprogram(f);
    struct place at = {0};
    if (program) {
        at.line = LLVMDISubprogramGetLine(program);
        at.file = LLVMDIFileGetFilename(LLVMDIScopeGetFile(program), &at.length);
    }
    return at;
}

const char *array_name(LLVMValueRef variable)
{
    size_t length;
    const char *name = LLVMGetValueName2(variable, &length), *dot = strchr(name, '.');
    return LLVMIsAGlobalVariable(variable) && dot ? dot + 1 : name;
}

bool by_value_memory(LLVMValueRef function, unsigned index, LLVMTypeRef *type)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName("byval", 5);
    LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(function, index + 1, kind);
    if (a)
        *type = LLVMGetTypeAttributeValue(a);
    return a;
}

#define MOST_STEPS 64

struct search {
    LLVMValueRef seen[MOST_STEPS], base;
    unsigned n;
};

/* Returns false at a second base, or one that is not known. */
static bool search_base(struct search *s, LLVMValueRef p)
{
    while (LLVMIsAConstantExpr(p) || LLVMIsAGetElementPtrInst(p) || LLVMIsABitCastInst(p) ||
           LLVMIsAAddrSpaceCastInst(p)) {
        if (LLVMIsAConstantExpr(p) && LLVMGetConstOpcode(p) != LLVMGetElementPtr &&
            LLVMGetConstOpcode(p) != LLVMBitCast && LLVMGetConstOpcode(p) != LLVMAddrSpaceCast)
            return false;
        p = LLVMGetOperand(p, 0);
    }
    if (LLVMIsAArgument(p) || LLVMIsAGlobalVariable(p) || LLVMIsAAllocaInst(p)) {
        const bool other = s->base && s->base != p;
        s->base = p;
        return !other;
    }
    for (unsigned i = 0; i < s->n; i++)
        if (s->seen[i] == p)
            return true;
    if (s->n == MOST_STEPS)
        return false;
    s->seen[s->n++] = p;
    if (LLVMIsASelectInst(p))
        return search_base(s, LLVMGetOperand(p, 1)) && search_base(s, LLVMGetOperand(p, 2));
    if (!LLVMIsAPHINode(p))
        return false;
    for (unsigned i = 0; i < LLVMCountIncoming(p); i++)
        if (!search_base(s, LLVMGetIncomingValue(p, i)))
            return false;
    return true;
}

LLVMValueRef find_base(LLVMValueRef pointer)
{
    struct search s = {.n = 0};
    return search_base(&s, pointer) ? s.base : NULL;
}
