/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB policy for the tests of this folder: the baseline's array, which stores only one in `every`
 * translations that are new to it, and whose lookups take `delay` cycles longer. */
#include "tlb/policy/subentry.h"

enum { EVERY, DELAY };

static const struct mp_design_param params[] = {
    [EVERY] = {"every", "translations", NULL, 2, 1, 16, "test", "one in this many new translations is stored",
               0},
    [DELAY] = {"delay", "cycles", NULL, 0, 0, 100, "test", "by which a lookup takes longer", 0},
    {0},
};

struct counters {
    uint64_t skipped;
};

static const struct mp_metric metrics[] = {MP_COUNTER_OF(struct counters, skipped, "translations",
                                                         "not stored, for they were not the one in `every`")};

static const struct mp_metric_table table = {"lazy", sizeof(struct counters), 1, metrics};

struct lazy {
    uint64_t every, fresh;
    uint32_t delay;
    struct counters count[MP_TENANTS];
};

static void *array_of(const void *state)
{
    return (char *)state + (sizeof(struct lazy) + 63) / 64 * 64;
}

static size_t bytes(const struct mp_tlb_geometry *g)
{
    return (sizeof(struct lazy) + 63) / 64 * 64 + mp_subentry_bytes(g);
}

static void init(void *state, const struct mp_tlb_geometry *g)
{
    struct lazy *l = state;
    l->every = g->own.v[EVERY];
    l->delay = (uint32_t)g->own.v[DELAY];
    mp_subentry_init(array_of(state), g);
}

static int check(const struct mp_tlb_geometry *g, struct mp_error *err)
{
    if (g->own.v[DELAY] > g->latency)
        return mp_fail(err, "delay: %u is longer than the lookup itself; %u at most",
                       (unsigned)g->own.v[DELAY], g->latency);
    return 0;
}

static void *counters(void *state)
{
    return ((struct lazy *)state)->count;
}

static struct mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct mp_tlb_hit hit = mp_subentry_lookup(array_of(state), asid, vpn);
    hit.cycles += ((struct lazy *)state)->delay;
    return hit;
}

static struct mp_tlb_hit peek(const void *state, uint16_t asid, uint64_t vpn)
{
    struct mp_tlb_hit hit = mp_subentry_peek(array_of(state), asid, vpn);
    hit.cycles += ((const struct lazy *)state)->delay;
    return hit;
}

static struct mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left)
{
    struct lazy *l = state;
    if (l->fresh++ % l->every == 0)
        return mp_subentry_insert(array_of(state), asid, vpn, to, left);
    l->count[asid].skipped++;
    return (struct mp_tlb_insertion){.action = "skip"};
}

static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    return mp_subentry_invalidate_page(array_of(state), asid, vpn, left);
}

static uint32_t invalidate_asid(void *state, uint16_t asid)
{
    return mp_subentry_invalidate_asid(array_of(state), asid);
}

static uint32_t invalidate_all(void *state)
{
    return mp_subentry_invalidate_all(array_of(state));
}

static uint64_t occupancy(const void *state, uint16_t asid)
{
    return mp_subentry_occupancy(array_of(state), asid);
}

static uint32_t ways(const void *state, uint32_t set)
{
    return mp_subentry_ways(array_of(state), set);
}

static void each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    mp_subentry_each_entry(array_of(state), set, show, context);
}

static uint32_t rank(const void *state, uint32_t set, uint32_t way)
{
    return mp_subentry_rank(array_of(state), set, way);
}

const struct mp_tlb_policy mp_tlb_lazy = {
    .design = {.name = "lazy",
               .title = "stores some translations only",
               .params = params,
               .counters = &table},
    .check = check,
    .counters = counters,
    .bytes = bytes,
    .init = init,
    .lookup = lookup,
    .peek = peek,
    .insert = insert,
    .invalidate_page = invalidate_page,
    .invalidate_asid = invalidate_asid,
    .invalidate_all = invalidate_all,
    .occupancy = occupancy,
    .ways = ways,
    .each_entry = each_entry,
    .rank = rank,
};
