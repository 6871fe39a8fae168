/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that are not inlined. A kernel whose helpers call helpers many times grows by a factor for each
 * level. If it would exceed the limit, functions that are called from several places remain functions, each
 * compiled once. Their blocks are numbered as if they were inlined (flatten.c).
 */
#include "kernelc.h"

#include <llvm-c/DebugInfo.h>

#include <stdlib.h>
#include <string.h>

#define LEAST 100u /* instructions; a smaller function is always inlined */

struct helper {
    LLVMValueRef function;
    double size; /* instructions with those of the functions that are inlined into it; 0: not known yet */
    bool open, cyclic; /* its size is being computed; it calls itself */
};

struct helpers {
    struct helper *helper; /* by pointer */
    unsigned n;
    bool keep;    /* calls of several places are not inlined */
    double least; /* instructions of a function that may be kept */
};

static int by_pointer(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct helper *)a)->function,
                    y = (uintptr_t)((const struct helper *)b)->function;
    return x < y ? -1 : x > y;
}

static struct helper *find(const struct helpers *s, LLVMValueRef function)
{
    const struct helper key = {.function = function};
    return bsearch(&key, s->helper, s->n, sizeof key, by_pointer);
}

static struct helpers list_functions(LLVMModuleRef module)
{
    struct helpers s = {.n = 0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        s.n++;
    s.helper = must_alloc(s.n, sizeof *s.helper);
    s.n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (LLVMCountBasicBlocks(f))
            s.helper[s.n++].function = f;
    qsort(s.helper, s.n, sizeof *s.helper, by_pointer);
    return s;
}

static unsigned count_calls(LLVMValueRef function)
{
    unsigned n = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u))
        n += LLVMIsACallInst(LLVMGetUser(u)) != NULL;
    return n;
}

#define MARK "record-kept"

bool is_kept(LLVMValueRef f)
{
    return LLVMGetStringAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, MARK,
                                         strlen(MARK));
}

LLVMValueRef kept_callee(LLVMValueRef i)
{
    LLVMValueRef f = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    return f && LLVMIsAFunction(f) && is_kept(f) ? f : NULL;
}

/* A function without debug information is built-in: its accesses have the lines of its calls. */
static void keep_if_worth(const struct helpers *s, struct helper *h)
{
    if (!s->keep || h->cyclic || h->size < s->least || !LLVMGetSubprogram(h->function) ||
        is_kernel(h->function) || count_calls(h->function) < 2)
        return;
    LLVMAttributeRef mark = LLVMCreateStringAttribute(LLVMGetModuleContext(LLVMGetGlobalParent(h->function)),
                                                      MARK, strlen(MARK), "", 0);
    LLVMAddAttributeAtIndex(h->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, mark);
    h->size = 1;
}

static double size_of(const struct helpers *s, struct helper *h)
{
    if (h->open)
        h->cyclic = true;
    if (h->size > 0 || h->open)
        return h->size;
    double size = 0;
    h->open = true;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(h->function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            struct helper *callee = LLVMIsACallInst(i) ? find(s, LLVMGetCalledValue(i)) : NULL;
            size += callee ? size_of(s, callee) : 1;
        }
    h->open = false;
    h->size = size;
    keep_if_worth(s, h);
    return h->size;
}

static double size_of_kernels(const struct helpers *s)
{
    double size = 0;
    for (unsigned i = 0; i < s->n; i++)
        s->helper[i].size = 0;
    for (unsigned i = 0; i < s->n; i++)
        if (is_kernel(s->helper[i].function))
            size += size_of(s, &s->helper[i]);
    return size;
}

void keep_calls(LLVMModuleRef module, double limit)
{
    struct helpers s = list_functions(module);
    s.least = limit < LEAST ? limit : LEAST;
    if (size_of_kernels(&s) > limit) {
        s.keep = true;
        size_of_kernels(&s);
    }
    free(s.helper);
}

/* The optimiser has concluded from the functions' code what does not hold for the hooks in it. */
static void forget_effects(LLVMValueRef function)
{
    static const char *const name[] = {
        "readnone", "readonly", "writeonly",  "argmemonly",   "inaccessiblememonly",
        "nosync",   "nofree",   "willreturn", "speculatable", "inaccessiblemem_or_argmemonly"};
    const LLVMAttributeIndex at = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    for (unsigned n = 0; n < sizeof name / sizeof *name; n++) {
        const unsigned kind = LLVMGetEnumAttributeKindForName(name[n], strlen(name[n]));
        LLVMRemoveEnumAttributeAtIndex(function, at, kind);
        for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u))
            if (LLVMIsACallInst(LLVMGetUser(u)))
                LLVMRemoveCallSiteEnumAttribute(LLVMGetUser(u), at, kind);
    }
}

void forget_effects_of_kept(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_kept(f))
            forget_effects(f);
}
