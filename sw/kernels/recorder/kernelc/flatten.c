/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel's code as if its kept functions were inlined: pieces of blocks in order, each in a context, which
 * is one call of a function by one chain of callers. A block with such calls is several pieces. Inlining
 * would make one block of what is before a call and the function's first block, and of its only block with a
 * return, if it has one, and what is behind the call; these pieces are of one run.
 */
#include "kernelc.h"

#include <stdlib.h>

struct rooms {
    unsigned pieces, contexts;
};

static void add_context(struct flat *f, struct rooms *room, struct context c)
{
    if (f->ncontexts == room->contexts &&
        !(f->context = realloc(f->context, (room->contexts = 2 * room->contexts + 16) * sizeof c)))
        refuse("out of memory");
    c.first_of_function = true;
    for (unsigned i = 0; i < f->nfunctions; i++)
        c.first_of_function &= f->context[f->function[i]].function != c.function;
    f->context[f->ncontexts++] = c;
    if (!c.first_of_function)
        return;
    if (!(f->function = realloc(f->function, (f->nfunctions + 1) * sizeof *f->function)))
        refuse("out of memory");
    f->function[f->nfunctions++] = f->ncontexts - 1;
}

static void add_piece(struct flat *f, struct rooms *room, struct piece p)
{
    if (f->npieces == room->pieces &&
        !(f->piece = realloc(f->piece, (room->pieces = 2 * room->pieces + 64) * sizeof p)))
        refuse("out of memory");
    f->nruns += !p.joined;
    p.run = f->nruns - 1;
    f->piece[f->npieces++] = p;
}

static void check_recursion(const struct flat *f, unsigned context, LLVMValueRef call, LLVMValueRef callee)
{
    size_t length;
    for (unsigned c = context; c != NO_CONTEXT; c = f->context[c].parent)
        if (f->context[c].function == callee)
            refuse_recursion(f->context[0].function, call, LLVMGetValueName2(callee, &length));
}

static bool ends_in_return(const struct piece *p)
{
    return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(p->block)) && !p->end;
}

static unsigned count_returns(LLVMValueRef function)
{
    unsigned n = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        n += LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(b)) != NULL;
    return n;
}

static void flatten_into(struct flat *f, struct rooms *room, unsigned context);

/* Adds the pieces of one block; of a function's first block, the first piece continues the run of its call.
 */
static void add_block(struct flat *f, struct rooms *room, unsigned context, LLVMBasicBlockRef block,
                      bool joined)
{
    struct piece p = {.block = block,
                      .first = LLVMGetFirstInstruction(block),
                      .context = context,
                      .loop_end = NO_LOOP,
                      .joined = joined};
    for (LLVMValueRef i = p.first; i; i = LLVMGetNextInstruction(i)) {
        LLVMValueRef callee = kept_callee(i);
        if (!callee)
            continue;
        check_recursion(f, context, i, callee);
        p.end = LLVMGetNextInstruction(i);
        add_piece(f, room, p);
        const unsigned inner = f->ncontexts;
        add_context(f, room,
                    (struct context){.function = callee, .call = i, .parent = context, .piece = f->npieces});
        flatten_into(f, room, inner);
        p = (struct piece){.block = block,
                           .first = p.end,
                           .context = context,
                           .loop_end = NO_LOOP,
                           .after = i,
                           .joined = count_returns(callee) == 1 && ends_in_return(&f->piece[f->npieces - 1])};
    }
    add_piece(f, room, p);
}

static void flatten_into(struct flat *f, struct rooms *room, unsigned context)
{
    struct order order = order_blocks(f->context[context].function);
    unsigned *first = must_alloc(order.count, sizeof *first), *last = must_alloc(order.count, sizeof *last);
    for (unsigned b = 0; b < order.count; b++) {
        first[b] = f->npieces;
        add_block(f, room, context, order.block[b], b == 0 && context != 0);
        last[b] = f->npieces - 1;
    }
    for (unsigned b = 0; b < order.count; b++)
        if (order.loop_end[b] != NO_LOOP)
            f->piece[first[b]].loop_end = last[order.loop_end[b]];
    free(first);
    free(last);
    order_free(&order);
}

struct flat flatten(LLVMValueRef kernel)
{
    struct flat f = {0};
    struct rooms room = {0};
    add_context(&f, &room, (struct context){.function = kernel, .parent = NO_CONTEXT});
    flatten_into(&f, &room, 0);
    return f;
}

unsigned context_of_call(const struct flat *f, unsigned parent, LLVMValueRef call)
{
    unsigned c = parent;
    while (c < f->ncontexts && (f->context[c].parent != parent || f->context[c].call != call))
        c++;
    return c;
}

void find_source(const struct flat *f, LLVMValueRef *value, unsigned *context)
{
    while (LLVMIsAArgument(*value) && f->context[*context].parent != NO_CONTEXT) {
        unsigned n = 0;
        while (LLVMGetParam(f->context[*context].function, n) != *value)
            n++;
        *value = LLVMGetOperand(f->context[*context].call, n);
        *context = f->context[*context].parent;
    }
}

void flat_free(struct flat *f)
{
    free(f->piece);
    free(f->context);
    free(f->function);
}
