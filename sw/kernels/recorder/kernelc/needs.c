/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which loads an access waits for. Code is taken to issue in order, and a compiler to move loads up within
 * their block but not into another one. So an access needs the loads that its address or its value is
 * computed from, and, if it is its block's first, all whose values the blocks since the last access use: a
 * sum that is kept in a register is an example. A phi takes a value without waiting for it.
 */
#include "kernelc.h"

#include <stdlib.h>
#include <string.h>

struct named {
    LLVMValueRef value; /* an instruction, or a block as a value */
    unsigned index;
};

struct block {
    unsigned first, end; /* accesses */
    unsigned *before, nbefore;
    bool seen;
};

struct needs {
    struct kernel *k;
    struct named *load;        /* whose value an access is, by pointer */
    struct named *instruction; /* all, by pointer */
    unsigned nloads, ninstructions;
    struct named *name; /* of blocks */
    struct block *block;
    unsigned nblocks;
    bool *needed;   /* by access */
    unsigned *mark; /* by instruction: the number of the search that has seen it */
    unsigned search;
    LLVMValueRef *work; /* instructions whose operands are still to be looked at */
    unsigned nwork;
};

static int by_pointer(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct named *)a)->value,
                    y = (uintptr_t)((const struct named *)b)->value;
    return x < y ? -1 : x > y;
}

static struct named *find(struct named *all, unsigned n, LLVMValueRef value)
{
    const struct named key = {value, 0};
    return n ? bsearch(&key, all, n, sizeof *all, by_pointer) : NULL;
}

static unsigned block_index(const struct needs *d, LLVMBasicBlockRef block)
{
    return find(d->name, d->nblocks, LLVMBasicBlockAsValue(block))->index;
}

static void name_loads(struct needs *d)
{
    d->load = must_alloc(d->k->naccesses, sizeof *d->load);
    for (unsigned a = 0; a < d->k->naccesses; a++)
        if (LLVMGetTypeKind(LLVMTypeOf(d->k->accesses[a].before)) != LLVMVoidTypeKind)
            d->load[d->nloads++] = (struct named){d->k->accesses[a].before, a};
    qsort(d->load, d->nloads, sizeof *d->load, by_pointer);
}

static void name_blocks(struct needs *d, const struct order *order)
{
    d->nblocks = order->count;
    d->name = must_alloc(order->count, sizeof *d->name);
    d->block = must_alloc(order->count, sizeof *d->block);
    for (unsigned b = 0; b < order->count; b++)
        d->name[b] = (struct named){LLVMBasicBlockAsValue(order->block[b]), b};
    qsort(d->name, d->nblocks, sizeof *d->name, by_pointer);
}

static void name_instructions(struct needs *d, const struct order *order)
{
    for (unsigned b = 0; b < order->count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(order->block[b]); i; i = LLVMGetNextInstruction(i))
            d->ninstructions++;
    d->instruction = must_alloc(d->ninstructions, sizeof *d->instruction);
    unsigned n = 0;
    for (unsigned b = 0; b < order->count; b++)
        for (LLVMValueRef i = LLVMGetFirstInstruction(order->block[b]); i; i = LLVMGetNextInstruction(i), n++)
            d->instruction[n] = (struct named){i, n};
    qsort(d->instruction, n, sizeof *d->instruction, by_pointer);
}

static void find_accesses_of_blocks(struct needs *d)
{
    for (unsigned s = 0; s < d->k->nsegments; s++) {
        const struct segment *segment = &d->k->segments[s];
        struct block *b = &d->block[block_index(d, segment->block)];
        b->first = segment->barrier ? b->first : segment->first;
        b->end = segment->first + segment->count;
    }
}

static void find_predecessors(struct needs *d, const struct order *order)
{
    for (unsigned b = 0; b < order->count; b++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(order->block[b]);
        for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
            struct block *to = &d->block[block_index(d, LLVMGetSuccessor(end, s))];
            to->before = realloc(to->before, (to->nbefore + 1) * sizeof *to->before);
            if (!to->before)
                refuse("out of memory");
            to->before[to->nbefore++] = b;
        }
    }
}

/* Adds what a value waits for. Other instructions than phis are looked at if they are in the block. */
static void need(struct needs *d, LLVMValueRef value, LLVMBasicBlockRef block)
{
    const struct named *load = find(d->load, d->nloads, value);
    const struct named *i = find(d->instruction, d->ninstructions, value);
    if (load)
        d->needed[load->index] = true;
    if (load || !i || d->mark[i->index] == d->search ||
        !(LLVMIsAPHINode(value) || LLVMGetInstructionParent(value) == block))
        return;
    d->mark[i->index] = d->search;
    d->work[d->nwork++] = value;
}

/* Adds what the operands of an instruction wait for. block: where they are computed for it; NULL if they have
 * been computed before. */
static void need_operands(struct needs *d, LLVMValueRef instruction, LLVMBasicBlockRef block)
{
    d->search++;
    d->work[d->nwork++] = instruction;
    while (d->nwork) {
        LLVMValueRef i = d->work[--d->nwork];
        if (LLVMIsAPHINode(i)) {
            for (unsigned n = 0; n < LLVMCountIncoming(i); n++)
                need(d, LLVMGetIncomingValue(i, n), NULL);
            continue;
        }
        for (int n = 0; n < LLVMGetNumOperands(i); n++)
            need(d, LLVMGetOperand(i, (unsigned)n), block);
    }
}

/* Adds what the blocks before this one use, back to the last that have accesses. */
static void need_before(struct needs *d, const struct order *order, unsigned number)
{
    for (unsigned n = 0; n < d->block[number].nbefore; n++) {
        const unsigned p = d->block[number].before[n];
        struct block *b = &d->block[p];
        if (b->seen)
            continue;
        b->seen = true;
        for (LLVMValueRef i = LLVMGetFirstInstruction(order->block[p]); i; i = LLVMGetNextInstruction(i))
            if (!LLVMIsAPHINode(i))
                need_operands(d, i, NULL);
        if (b->first == b->end)
            need_before(d, order, p);
    }
}

static void keep(const struct needs *d, struct access *access)
{
    unsigned n = 0;
    for (unsigned a = 0; a < d->k->naccesses; a++)
        n += d->needed[a];
    access->needs = must_alloc(n, sizeof *access->needs);
    access->nneeds = 0;
    for (unsigned a = 0; a < d->k->naccesses; a++)
        if (d->needed[a])
            access->needs[access->nneeds++] = a;
}

static void find_block_needs(struct needs *d, const struct order *order, unsigned number)
{
    const struct block *b = &d->block[number];
    for (unsigned a = b->first; a < b->end; a++) {
        struct access *access = &d->k->accesses[a];
        memset(d->needed, 0, d->k->naccesses * sizeof *d->needed);
        need_operands(d, access->before, order->block[number]);
        if (a > b->first && access->before == access[-1].before) /* a copy stores what it has loaded */
            d->needed[a - 1] = true;
        for (unsigned i = 0; a == b->first && i < d->nblocks; i++)
            d->block[i].seen = false;
        if (a == b->first)
            need_before(d, order, number);
        keep(d, access);
    }
}

void find_needs(struct kernel *k, const struct order *order)
{
    struct needs d = {.k = k, .needed = must_alloc(k->naccesses, sizeof *d.needed)};
    name_loads(&d);
    name_blocks(&d, order);
    name_instructions(&d, order);
    find_accesses_of_blocks(&d);
    find_predecessors(&d, order);
    d.mark = must_alloc(d.ninstructions, sizeof *d.mark);
    d.work = must_alloc(d.ninstructions + 1u, sizeof *d.work);
    for (unsigned b = 0; b < d.nblocks; b++)
        find_block_needs(&d, order, b);
    for (unsigned b = 0; b < d.nblocks; b++)
        free(d.block[b].before);
    free(d.needed);
    free(d.load);
    free(d.instruction);
    free(d.name);
    free(d.block);
    free(d.mark);
    free(d.work);
}
