/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of a kernel's blocks: reverse post-order in which every loop's blocks are contiguous and
 * everything after the loop follows them. If the lowest block always runs first, diverged lanes then
 * reconverge where a GPU's reconvergence stack lets them. Loops are natural loops; the edges of irreducible
 * loops count as backward edges.
 */
#include "kernelc.h"

#include <stdlib.h>
#include <string.h>

#define NONE ((unsigned)-1)

struct graph {
    unsigned n;
    LLVMBasicBlockRef *block;
    unsigned **next, *nnext; /* successors and their number */
    unsigned *rpo, nrpo;     /* plain reverse post-order, for the dominators */
    unsigned *dominator, *position;
    unsigned nloops;
    unsigned *header, *parent; /* per loop; the parent of an outermost loop is NONE */
    unsigned *loop;            /* innermost loop per block, or NONE */
    unsigned *size;            /* blocks per loop */
    bool *member;              /* nloops x n */
    unsigned *out, nout;       /* the final order */
};

static int by_pointer(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t) * (const LLVMBasicBlockRef *)a,
                    y = (uintptr_t) * (const LLVMBasicBlockRef *)b;
    return x < y ? -1 : x > y;
}

struct named_block {
    LLVMBasicBlockRef block;
    unsigned index;
};

static void read_graph(struct graph *g, LLVMValueRef function)
{
    g->n = LLVMCountBasicBlocks(function);
    g->block = must_alloc(g->n, sizeof *g->block);
    LLVMGetBasicBlocks(function, g->block);
    struct named_block *names = must_alloc(g->n, sizeof *names);
    for (unsigned i = 0; i < g->n; i++)
        names[i] = (struct named_block){g->block[i], i};
    qsort(names, g->n, sizeof *names, by_pointer);
    g->next = must_alloc(g->n, sizeof *g->next);
    g->nnext = must_alloc(g->n, sizeof *g->nnext);
    for (unsigned i = 0; i < g->n; i++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(g->block[i]);
        g->nnext[i] = LLVMGetNumSuccessors(end);
        g->next[i] = must_alloc(g->nnext[i], sizeof **g->next);
        for (unsigned s = 0; s < g->nnext[i]; s++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, s);
            g->next[i][s] =
                ((struct named_block *)bsearch(&to, names, g->n, sizeof *names, by_pointer))->index;
        }
    }
    free(names);
}

static void plain_post_order(struct graph *g, unsigned b, bool *seen)
{
    seen[b] = true;
    for (unsigned s = g->nnext[b]; s-- > 0;)
        if (!seen[g->next[b][s]])
            plain_post_order(g, g->next[b][s], seen);
    g->rpo[g->n - ++g->nrpo] = b;
}

static unsigned common_dominator(const struct graph *g, unsigned a, unsigned b)
{
    while (a != b) {
        while (g->position[a] > g->position[b])
            a = g->dominator[a];
        while (g->position[b] > g->position[a])
            b = g->dominator[b];
    }
    return a;
}

/* Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm. */
static void find_dominators(struct graph *g)
{
    bool *seen = must_alloc(g->n, sizeof *seen);
    g->rpo = must_alloc(g->n, sizeof *g->rpo);
    plain_post_order(g, 0, seen);
    free(seen);
    memmove(g->rpo, g->rpo + (g->n - g->nrpo), g->nrpo * sizeof *g->rpo);
    g->position = must_alloc(g->n, sizeof *g->position);
    g->dominator = must_alloc(g->n, sizeof *g->dominator);
    for (unsigned i = 0; i < g->n; i++)
        g->dominator[i] = g->position[i] = NONE;
    for (unsigned i = 0; i < g->nrpo; i++)
        g->position[g->rpo[i]] = i;
    g->dominator[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < g->nrpo; i++) {
            const unsigned from = g->rpo[i];
            if (g->dominator[from] == NONE)
                continue;
            for (unsigned s = 0; s < g->nnext[from]; s++) {
                const unsigned to = g->next[from][s];
                if (to == 0)
                    continue;
                const unsigned d =
                    g->dominator[to] == NONE ? from : common_dominator(g, from, g->dominator[to]);
                changed |= d != g->dominator[to];
                g->dominator[to] = d;
            }
        }
    }
}

static bool dominates(const struct graph *g, unsigned a, unsigned b)
{
    while (g->position[b] > g->position[a])
        b = g->dominator[b];
    return a == b;
}

/* Adds to the loop every block that reaches `b` without passing the header. */
static void flood_back(const struct graph *g, bool *member, unsigned b)
{
    if (member[b])
        return;
    member[b] = true;
    for (unsigned i = 0; i < g->nrpo; i++)
        for (unsigned s = 0; s < g->nnext[g->rpo[i]]; s++)
            if (g->next[g->rpo[i]][s] == b)
                flood_back(g, member, g->rpo[i]);
}

static void find_loops(struct graph *g)
{
    g->header = must_alloc(g->n, sizeof *g->header);
    g->parent = must_alloc(g->n, sizeof *g->parent);
    g->size = must_alloc(g->n, sizeof *g->size);
    g->member = NULL;
    for (unsigned h = 0; h < g->nrpo; h++) {
        bool *member = NULL;
        for (unsigned i = 0; i < g->nrpo; i++)
            for (unsigned s = 0; s < g->nnext[g->rpo[i]]; s++) {
                if (g->next[g->rpo[i]][s] != g->rpo[h] || !dominates(g, g->rpo[h], g->rpo[i]))
                    continue;
                if (!member) {
                    g->member = realloc(g->member, (size_t)(g->nloops + 1) * g->n);
                    if (!g->member)
                        refuse("out of memory");
                    member = g->member + (size_t)g->nloops * g->n;
                    memset(member, 0, g->n);
                    member[g->rpo[h]] = true;
                    g->header[g->nloops++] = g->rpo[h];
                }
                flood_back(g, member, g->rpo[i]);
            }
    }
    for (unsigned l = 0; l < g->nloops; l++)
        for (unsigned b = 0; b < g->n; b++)
            g->size[l] += g->member[(size_t)l * g->n + b];
    g->loop = must_alloc(g->n, sizeof *g->loop);
    for (unsigned b = 0; b < g->n; b++) {
        g->loop[b] = NONE;
        for (unsigned l = 0; l < g->nloops; l++)
            if (g->member[(size_t)l * g->n + b] && (g->loop[b] == NONE || g->size[l] < g->size[g->loop[b]]))
                g->loop[b] = l;
    }
    for (unsigned l = 0; l < g->nloops; l++) {
        g->parent[l] = NONE;
        for (unsigned k = 0; k < g->nloops; k++)
            if (k != l && g->member[(size_t)k * g->n + g->header[l]] && g->size[k] > g->size[l] &&
                (g->parent[l] == NONE || g->size[k] < g->size[g->parent[l]]))
                g->parent[l] = k;
    }
}

/* The direct member of `region` (a loop, or NONE for the function) that contains block b: b itself, or the
 * header of the loop one level down. NONE if b is outside. */
static unsigned stand_in(const struct graph *g, unsigned region, unsigned b, unsigned *inner)
{
    unsigned l = g->loop[b];
    *inner = NONE;
    while (l != region) {
        if (l == NONE)
            return NONE;
        *inner = l;
        l = g->parent[l];
    }
    return *inner == NONE ? b : g->header[*inner];
}

struct walk {
    unsigned region, *post, npost;
    bool *seen;
};

static void region_post_order(const struct graph *g, struct walk *w, unsigned node);

static void follow(const struct graph *g, struct walk *w, unsigned from)
{
    for (unsigned s = g->nnext[from]; s-- > 0;) {
        unsigned inner;
        const unsigned to = stand_in(g, w->region, g->next[from][s], &inner);
        if (to != NONE && !w->seen[to])
            region_post_order(g, w, to);
    }
}

static void region_post_order(const struct graph *g, struct walk *w, unsigned node)
{
    unsigned inner;
    stand_in(g, w->region, node, &inner);
    w->seen[node] = true;
    if (inner == NONE)
        follow(g, w, node);
    else
        for (unsigned i = g->nrpo; i-- > 0;)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a loop has members */
            if (g->member[(size_t)inner * g->n + g->rpo[i]])
                follow(g, w, g->rpo[i]);
    w->post[w->npost++] = node;
}

static void order_region(struct graph *g, unsigned region, unsigned entry)
{
    struct walk w = {region, must_alloc(g->n, sizeof *w.post), 0, must_alloc(g->n, sizeof *w.seen)};
    region_post_order(g, &w, entry);
    while (w.npost-- > 0) {
        unsigned inner;
        stand_in(g, region, w.post[w.npost], &inner);
        if (inner == NONE)
            g->out[g->nout++] = w.post[w.npost];
        else
            order_region(g, inner, g->header[inner]);
    }
    free(w.post);
    free(w.seen);
}

static void free_graph(struct graph *g)
{
    for (unsigned i = 0; i < g->n; i++)
        free(g->next[i]);
    void *const all[] = {g->block,  g->next,   g->nnext, g->rpo,  g->dominator, g->position,
                         g->header, g->parent, g->loop,  g->size, g->member,    g->out};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

struct order order_blocks(LLVMValueRef function)
{
    struct graph g = {0};
    read_graph(&g, function);
    find_dominators(&g);
    find_loops(&g);
    g.out = must_alloc(g.n, sizeof *g.out);
    order_region(&g, NONE, 0);

    struct order o = {g.nout, must_alloc(g.nout, sizeof *o.block), must_alloc(g.nout, sizeof *o.loop_end)};
    for (unsigned i = 0; i < g.nout; i++) {
        o.block[i] = g.block[g.out[i]];
        o.loop_end[i] = NO_LOOP;
        g.position[g.out[i]] = i;
    }
    for (unsigned i = 0; i < g.nout; i++)
        for (unsigned s = 0; s < g.nnext[g.out[i]]; s++) {
            const unsigned to = g.position[g.next[g.out[i]][s]];
            if (to <= i)
                o.loop_end[to] = i; /* i increases, so the last one remains */
        }
    free_graph(&g);
    return o;
}

void order_free(struct order *order)
{
    free(order->block);
    free(order->loop_end);
}
