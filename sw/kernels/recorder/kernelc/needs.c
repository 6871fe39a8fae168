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

#define NO_RUN ((unsigned)-1)

struct named {
    LLVMValueRef value; /* an instruction, or a block as a value */
    unsigned context, index;
};

struct instruction {
    LLVMValueRef value;
    unsigned context, run;
    unsigned mark; /* the number of the last search that has seen it */
};

/* A block as it would be after inlining: a run of pieces. */
struct block {
    unsigned first, end;         /* accesses */
    unsigned instruction, after; /* its instructions: from this one on, before that one */
    unsigned *before, nbefore;
    bool seen;
};

struct needs {
    struct kernel *k;
    struct named *load; /* whose value an access is, sorted */
    struct named *name; /* of instructions, sorted */
    unsigned nloads, ninstructions;
    struct instruction *instruction; /* in order */
    struct named *begin;             /* pieces that start a block, sorted */
    unsigned nbegins;
    struct block *block;
    unsigned nblocks;
    bool *needed; /* by access */
    unsigned search;
    unsigned *work; /* instructions whose operands are still to be looked at */
    unsigned nwork;
    unsigned *open; /* blocks whose predecessors are still to be looked at */
};

static int in_order(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->value != y->value)
        return (uintptr_t)x->value < (uintptr_t)y->value ? -1 : 1;
    return x->context < y->context ? -1 : x->context > y->context;
}

static struct named *find(struct named *all, unsigned n, LLVMValueRef value, unsigned context)
{
    const struct named key = {value, context, 0};
    return n ? bsearch(&key, all, n, sizeof *all, in_order) : NULL;
}

static void name_loads(struct needs *d)
{
    d->load = must_alloc(d->k->naccesses, sizeof *d->load);
    for (unsigned a = 0; a < d->k->naccesses; a++) {
        const struct access *access = &d->k->accesses[a];
        if (LLVMGetTypeKind(LLVMTypeOf(access->before)) != LLVMVoidTypeKind)
            d->load[d->nloads++] = (struct named){access->before, access->context, a};
    }
    qsort(d->load, d->nloads, sizeof *d->load, in_order);
}

static void name_blocks(struct needs *d)
{
    const struct flat *f = &d->k->flat;
    d->nblocks = f->nruns;
    d->begin = must_alloc(f->npieces, sizeof *d->begin);
    d->block = must_alloc(f->nruns, sizeof *d->block);
    for (unsigned p = 0; p < f->npieces; p++)
        if (!f->piece[p].after)
            d->begin[d->nbegins++] =
                (struct named){LLVMBasicBlockAsValue(f->piece[p].block), f->piece[p].context, p};
    qsort(d->begin, d->nbegins, sizeof *d->begin, in_order);
}

static unsigned count_instructions(const struct flat *f)
{
    unsigned n = 0;
    for (unsigned p = 0; p < f->npieces; p++)
        for (LLVMValueRef i = f->piece[p].first; i != f->piece[p].end; i = LLVMGetNextInstruction(i))
            n++;
    return n;
}

static void name_instructions(struct needs *d)
{
    const struct flat *f = &d->k->flat;
    d->ninstructions = count_instructions(f);
    d->instruction = must_alloc(d->ninstructions, sizeof *d->instruction);
    d->name = must_alloc(d->ninstructions, sizeof *d->name);
    unsigned n = 0;
    for (unsigned p = 0; p < f->npieces; p++) {
        const struct piece *piece = &f->piece[p];
        struct block *b = &d->block[piece->run];
        b->instruction = piece->joined ? b->instruction : n;
        for (LLVMValueRef i = piece->first; i != piece->end; i = LLVMGetNextInstruction(i), n++) {
            d->instruction[n] =
                (struct instruction){.value = i, .context = piece->context, .run = piece->run};
            d->name[n] = (struct named){i, piece->context, n};
        }
        b->after = n;
    }
    qsort(d->name, n, sizeof *d->name, in_order);
}

static void find_accesses_of_blocks(struct needs *d)
{
    const struct piece *piece = d->k->flat.piece;
    for (unsigned s = 0; s < d->k->nsegments; s++) {
        const struct segment *segment = &d->k->segments[s];
        const unsigned run = piece[segment->piece].run;
        struct block *b = &d->block[run];
        if (s == 0 || piece[segment[-1].piece].run != run)
            b->first = segment->first;
        b->end = segment->first + segment->count;
    }
}

static void lead(struct needs *d, unsigned from, unsigned to)
{
    struct block *b = &d->block[to];
    b->before = realloc(b->before, (b->nbefore + 1) * sizeof *b->before);
    if (!b->before)
        refuse("out of memory");
    b->before[b->nbefore++] = from;
}

/* The piece behind the call that leads to a context. */
static unsigned piece_behind(const struct flat *f, unsigned context)
{
    unsigned p = f->context[context].piece;
    while (f->piece[p].after != f->context[context].call || f->piece[p].context != f->context[context].parent)
        p++;
    return p;
}

/* Where a piece leads to. A call leads to a piece of the same run. */
static void find_successors(struct needs *d, const struct piece *from)
{
    const struct flat *f = &d->k->flat;
    if (from->end)
        return;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from->block);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
        LLVMValueRef to = LLVMBasicBlockAsValue(LLVMGetSuccessor(end, s));
        lead(d, from->run, f->piece[find(d->begin, d->nbegins, to, from->context)->index].run);
    }
    if (!LLVMIsAReturnInst(end) || from->context == 0)
        return;
    const struct piece *behind = &f->piece[piece_behind(f, from->context)];
    if (!behind->joined)
        lead(d, from->run, behind->run);
}

static void find_predecessors(struct needs *d)
{
    for (unsigned p = 0; p < d->k->flat.npieces; p++)
        find_successors(d, &d->k->flat.piece[p]);
}

static void need(struct needs *d, LLVMValueRef value, unsigned context, unsigned run);

/* What a kept function returns is what it has loaded, or a choice. */
static void need_returned(struct needs *d, LLVMValueRef call, unsigned context)
{
    const unsigned inner = context_of_call(&d->k->flat, context, call);
    LLVMValueRef function = d->k->flat.context[inner].function;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
        if (LLVMIsAReturnInst(end) && LLVMGetNumOperands(end))
            need(d, LLVMGetOperand(end, 0), inner, NO_RUN);
    }
}

/* Adds what a value waits for. Other instructions than phis are looked at if they are in the block. */
static void need(struct needs *d, LLVMValueRef value, unsigned context, unsigned run)
{
    find_source(&d->k->flat, &value, &context);
    if (kept_callee(value)) {
        need_returned(d, value, context);
        return;
    }
    const struct named *load = find(d->load, d->nloads, value, context);
    const struct named *name = find(d->name, d->ninstructions, value, context);
    if (load)
        d->needed[load->index] = true;
    if (load || !name)
        return;
    struct instruction *i = &d->instruction[name->index];
    if (i->mark == d->search || !(LLVMIsAPHINode(value) || i->run == run))
        return;
    i->mark = d->search;
    d->work[d->nwork++] = name->index;
}

/* Adds what the operands of an instruction wait for. run: where they are computed for it; NO_RUN if they have
 * been computed before. */
static void need_operands(struct needs *d, unsigned instruction, unsigned run)
{
    d->search++;
    d->work[d->nwork++] = instruction;
    while (d->nwork) {
        const struct instruction *i = &d->instruction[d->work[--d->nwork]];
        if (LLVMIsAPHINode(i->value)) {
            for (unsigned n = 0; n < LLVMCountIncoming(i->value); n++)
                need(d, LLVMGetIncomingValue(i->value, n), i->context, NO_RUN);
            continue;
        }
        for (int n = 0; n < LLVMGetNumOperands(i->value); n++)
            need(d, LLVMGetOperand(i->value, (unsigned)n), i->context, run);
    }
}

/* After inlining there are no phis' values, calls and returns of kept functions to wait for. */
static bool only_passes(const struct instruction *i)
{
    return LLVMIsAPHINode(i->value) || kept_callee(i->value) ||
           (LLVMIsAReturnInst(i->value) && i->context != 0);
}

/* Adds what the blocks before this one use, back to the last that have accesses. */
static void need_before(struct needs *d, unsigned number)
{
    unsigned n = 0;
    d->open[n++] = number;
    while (n) {
        const struct block *to = &d->block[d->open[--n]];
        for (unsigned i = 0; i < to->nbefore; i++) {
            struct block *b = &d->block[to->before[i]];
            if (b->seen)
                continue;
            b->seen = true;
            for (unsigned k = b->instruction; k < b->after; k++)
                if (!only_passes(&d->instruction[k]))
                    need_operands(d, k, NO_RUN);
            if (b->first == b->end)
                d->open[n++] = to->before[i];
        }
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

static void find_block_needs(struct needs *d, unsigned number)
{
    const struct block *b = &d->block[number];
    for (unsigned a = b->first; a < b->end; a++) {
        struct access *access = &d->k->accesses[a];
        memset(d->needed, 0, d->k->naccesses * sizeof *d->needed);
        need_operands(d, find(d->name, d->ninstructions, access->before, access->context)->index, number);
        if (a > b->first && access->before == access[-1].before) /* a copy stores what it has loaded */
            d->needed[a - 1] = true;
        for (unsigned i = 0; a == b->first && i < d->nblocks; i++)
            d->block[i].seen = false;
        if (a == b->first)
            need_before(d, number);
        keep(d, access);
    }
}

void find_needs(struct kernel *k)
{
    struct needs d = {.k = k, .needed = must_alloc(k->naccesses, sizeof *d.needed)};
    name_loads(&d);
    name_blocks(&d);
    name_instructions(&d);
    find_accesses_of_blocks(&d);
    find_predecessors(&d);
    d.work = must_alloc(d.ninstructions + 1u, sizeof *d.work);
    d.open = must_alloc(d.nblocks + 1u, sizeof *d.open);
    for (unsigned b = 0; b < d.nblocks; b++)
        find_block_needs(&d, b);
    for (unsigned b = 0; b < d.nblocks; b++)
        free(d.block[b].before);
    void *const all[] = {d.needed, d.load, d.name, d.instruction, d.begin, d.block, d.work, d.open};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}
