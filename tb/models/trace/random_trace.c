/* SPDX-License-Identifier: Apache-2.0 */
#include "random_trace.h"

#include <stdio.h>

enum { MAX_PCS = 300, MOST_NEEDS = 5 };

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static uint32_t below(uint64_t *state, uint32_t n)
{
    return n ? (uint32_t)(random_next(state) % n) : 0;
}

/* Numbers of few bits are as frequent as numbers of many bits. The two draws are separate statements
 * because the compiler chooses the order in which operands are evaluated. */
static uint64_t any_size(uint64_t *state, uint32_t least_shift, uint32_t shifts)
{
    uint64_t value = random_next(state);
    return value >> (least_shift + below(state, shifts));
}

/* Two launches of three say what their accesses need. */
static struct gwt_needs random_needs(const struct gwt_kernel *k, uint64_t *x)
{
    static uint32_t end[MAX_PCS], pc[MAX_PCS * MOST_NEEDS];
    uint32_t n = 0;
    if (!below(x, 3))
        return (struct gwt_needs){NULL, NULL};
    for (uint32_t i = 0; i < k->npcs; i++) {
        for (uint32_t j = below(x, k->npcs), most = n + below(x, MOST_NEEDS + 1); n < most && j < k->npcs;
             j += 1 + below(x, 3))
            if (k->pcs[j].kind != 'S')
                pc[n++] = j;
        end[i] = n;
    }
    return (struct gwt_needs){end, pc};
}

struct gwt_kernel random_kernel(const struct random_shape *s, uint32_t kernel)
{
    static char name[32];
    static struct gwt_pc pcs[MAX_PCS];
    uint64_t x = s->seed * 1000003 + kernel;
    snprintf(name, sizeof name, "kernel_%u", (unsigned)kernel);
    struct gwt_kernel k = {.name = name, .pcs = pcs, .local_bytes = below(&x, 65536)};
    k.npcs = below(&x, 4) ? 1 + below(&x, 12) : 1 + below(&x, MAX_PCS);
    uint32_t block = 1 + below(&x, s->max_block), y = 1 + below(&x, 4);
    k.block[0] = (block + y - 1) / y;
    k.block[1] = y;
    k.block[2] = 1;
    k.grid[0] = 1 + below(&x, s->max_grid);
    k.grid[1] = 1 + below(&x, 2);
    k.grid[2] = 1;
    for (uint32_t i = 0; i < k.npcs; i++) {
        pcs[i].pc = any_size(&x, 0, 64);
        pcs[i].kind = "LSC"[below(&x, 3)];
        pcs[i].space = 1 + below(&x, 2);
        pcs[i].line = below(&x, 500);
    }
    k.needs = random_needs(&k, &x);
    return k;
}

uint32_t random_ctas(const struct gwt_kernel *k)
{
    return k->grid[0] * k->grid[1] * k->grid[2];
}

uint32_t random_items(const struct gwt_kernel *k)
{
    return k->block[0] * k->block[1] * k->block[2];
}

uint32_t random_warps(const struct random_shape *s, const struct gwt_kernel *k)
{
    return (random_items(k) + s->warp_lanes - 1) / s->warp_lanes;
}

uint32_t random_cta_id(const struct gwt_kernel *k, uint32_t i)
{
    uint32_t n = random_ctas(k);
    return k->local_bytes % 2 ? n - 1 - i : i;
}

struct random_warp random_warp(const struct random_shape *s, const struct gwt_kernel *k, uint32_t kernel,
                               uint32_t cta, uint32_t warp)
{
    struct random_warp w = {.state = ((s->seed * 31 + kernel) * 1009 + cta) * 1013 + warp, .npcs = k->npcs};
    uint32_t items = random_items(k);
    w.left = below(&w.state, s->max_events + 1);
    const uint32_t warp_lanes = s->warp_lanes;
    w.lanes = items - warp * warp_lanes < warp_lanes ? items - warp * warp_lanes : warp_lanes;
    w.mask = UINT64_MAX >> (64 - w.lanes);
    return w;
}

static void addresses(struct random_warp *w, struct gwt_event *e)
{
    uint64_t *x = &w->state;
    e->active = (uint8_t)__builtin_popcountll(e->mask);
    e->mode = (uint8_t)below(x, 4);
    uint64_t base = (1ull << 46) + any_size(x, 24, 39);
    int64_t stride = e->mode == GWT_SAME ? 0 : e->bytes;
    if (e->mode == GWT_STRIDE) {
        stride = (int64_t)any_size(x, 25, 38);
        stride -= (int64_t)any_size(x, 25, 38);
    }
    for (unsigned i = 0; i < e->active; i++)
        e->lane[i] =
            e->mode == GWT_SCATTER ? (1ull << 45) + any_size(x, 24, 39) : base + (uint64_t)stride * i;
    e->base = e->active ? e->lane[0] : 0;
    e->stride = stride;
}

bool random_event(struct random_warp *w, struct gwt_event *e)
{
    uint64_t *x = &w->state;
    if (w->left == UINT32_MAX)
        return false;
    e->gap = below(x, 8) ? below(x, 40) : (uint32_t)(random_next(x) >> (32 + below(x, 32)));
    if (!w->left--) {
        e->kind = GWT_EXIT;
        return true;
    }
    e->kind = below(x, 20) ? GWT_ACCESS : GWT_BARRIER;
    if (e->kind == GWT_BARRIER)
        return true;
    e->op = (uint8_t)below(x, 3);
    e->pc = below(x, 3) ? below(x, w->npcs < 4 ? w->npcs : 4) : below(x, w->npcs);
    e->bytes = below(x, 30) ? 1u << below(x, 5) : 1 + below(x, 1024);
    if (!below(x, 3)) {
        const uint64_t all = UINT64_MAX >> (64 - w->lanes);
        w->mask = random_next(x) & all;
        if (!w->mask)
            w->mask = all;
    }
    e->mask = w->mask;
    addresses(w, e);
    return true;
}

int random_write(const struct random_shape *s, const char *path, struct mp_error *err)
{
    struct gwt_writer *w;
    if (gwt_writer_open(&w, path, err))
        return -1;
    gwt_write_warp_lanes(w, s->warp_lanes);
    gwt_write_alloc(w, 7, 1ull << 45, 1ull << 40);
    gwt_write_alloc(w, 9, 1ull << 46, 1ull << 40);
    gwt_write_mapping(w, GWT_MAP, 1ull << 44, 8192);
    gwt_write_mapping(w, GWT_UNMAP, (1ull << 44) + 100, 4096);
    gwt_write_host(w, GWT_HOST_WRITE, 1ull << 45, 4096);
    for (uint32_t i = 0; i < s->kernels; i++) {
        struct gwt_kernel k = random_kernel(s, i);
        if (i % 2)
            gwt_write_time(w, random_time(i));
        gwt_write_kernel(w, &k);
        if (k.needs.end)
            gwt_write_needs(w, &k.needs);
        for (uint32_t c = 0; c < random_ctas(&k); c++) {
            uint32_t id = random_cta_id(&k, c), warps = random_warps(s, &k);
            gwt_write_cta(w, id, warps);
            for (uint32_t n = 0; n < warps; n++) {
                struct random_warp r = random_warp(s, &k, i, id, n);
                struct gwt_event e;
                gwt_write_warp(w, n, r.lanes);
                while (random_event(&r, &e))
                    gwt_write_event(w, &e);
            }
        }
        gwt_write_kernel_end(w);
    }
    return gwt_writer_close(w, err);
}
