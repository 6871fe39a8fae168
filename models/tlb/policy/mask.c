/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TLB part of MASK (Ausavarungnirun et al., ASPLOS 2018), as STAR Sec. VI-F compares with it: the
 * baseline's array, which only warps with a TLB-fill token may fill, and a small fully associative bypass
 * cache, shared by all warps, for the walks of the other warps. A lookup searches both at the same time. The
 * result of a walk goes into the array if any warp that waits for it has a token.
 *
 * The rules, in which the published simulator hands out tokens that bind two SMs only:
 * - An address space's epoch is a fixed number of its lookups, since a model has no clock. Requests that join
 * a miss in flight count; a request that is held and looks again counts once.
 * - In its first epoch, and after an epoch whose miss rate was not above `miss_rate`, all its warps may fill.
 * - After every other epoch the address space has tokens for int(share * warps seen in that epoch). They go
 * to those warps by warp number and, for equal numbers, by SM, so that each SM gets some. All other warps
 * have none, including those first seen later.
 * - The share starts as `tokens`. It falls by `step` when an epoch's miss rate is more than `change` points
 *   above that of the epoch before, and rises by `step` when it is that much below. It does not fall below
 *   `step`, so that tokens never run out for good.
 *
 * A warp is identified by the numbers in the request that reaches this TLB. A request that was merged from
 * several at a level above has the numbers of the first.
 */
#include "tlb/policy/subentry.h"

#define SHARE_ALL 100u

enum { EPOCH, TOKENS, STEP, CHANGE, MISS_RATE, BYPASS };

static const struct mp_design_param params[] = {
    [EPOCH] = {"epoch", "lookups", NULL, 2000, 1, 1000000000, "mempath",
               "lookups of a tenant after which its tokens change; 2000 take about 10000 cycles, the DWS "
               "artifact's epoch, in a busy tenant",
               0},
    [TOKENS] = {"tokens", "%", NULL, 80, 1, 100, "MASK",
                "initial share of a tenant's warps that hold a token", 0},
    [STEP] = {"step", "%", NULL, 10, 1, 100, "DWS artifact",
              "amount by which that share changes, and its lower limit", 0},
    [CHANGE] = {"change", "%", NULL, 2, 0, 100, "DWS artifact",
                "change of the miss rate, in percentage points, above which the share changes", 0},
    [MISS_RATE] = {"miss_rate", "%", NULL, 10, 0, 100, "MASK",
                   "highest miss rate at which all warps of a tenant may fill", 0},
    [BYPASS] = {"bypass", "entries", NULL, 32, 1, 64, "MASK", "entries of the fully associative bypass cache",
                0},
    {0},
};

/* The parameters that change_share() and others read. */
struct rule {
    uint32_t sms, epoch, step, change, miss_rate;
};

struct app {                  /* of an address space */
    uint32_t lookups, misses; /* in this epoch */
    uint32_t misses_before;   /* in the last one */
    bool has_before;
    bool limited; /* its warps need tokens */
    uint32_t share;
    uint64_t *seen, *token; /* a bit per warp, at warp * sms + sm */
};

struct mask {
    struct rule rule;
    uint32_t words; /* of a set of warps */
    void *array, *bypass;
    struct app app[MP_TENANTS];
};

static size_t round_up(size_t bytes)
{
    return (bytes + 63) & ~(size_t)63;
}

static struct mp_tlb_geometry bypass_geometry(const struct mp_tlb_geometry *g)
{
    return (struct mp_tlb_geometry){
        .sets = 1, .ways = (uint32_t)g->own.v[BYPASS], .sub_entries = 1, .latency = g->latency};
}

static uint32_t words_of(const struct mp_tlb_geometry *g)
{
    return (g->sms * g->warps + 63) / 64;
}

static size_t mask_bytes(const struct mp_tlb_geometry *g)
{
    struct mp_tlb_geometry bypass = bypass_geometry(g);
    return round_up(sizeof(struct mask)) + round_up(mp_subentry_bytes(g)) +
           round_up(mp_subentry_bytes(&bypass)) + 2 * sizeof(uint64_t) * g->tenants * words_of(g);
}

static void mask_init(void *state, const struct mp_tlb_geometry *g)
{
    struct mask *m = state;
    struct mp_tlb_geometry bypass = bypass_geometry(g);
    m->rule = (struct rule){.sms = g->sms,
                            .epoch = (uint32_t)g->own.v[EPOCH],
                            .step = (uint32_t)g->own.v[STEP],
                            .change = (uint32_t)g->own.v[CHANGE],
                            .miss_rate = (uint32_t)g->own.v[MISS_RATE]};
    m->words = words_of(g);
    m->array = (char *)state + round_up(sizeof *m);
    m->bypass = (char *)m->array + round_up(mp_subentry_bytes(g));
    mp_subentry_init(m->array, g);
    mp_subentry_init(m->bypass, &bypass);
    uint64_t *at = (uint64_t *)((char *)m->bypass + round_up(mp_subentry_bytes(&bypass)));
    for (uint32_t t = 0; t < g->tenants; t++, at += 2 * m->words)
        m->app[t] = (struct app){.share = (uint32_t)g->own.v[TOKENS], .seen = at, .token = at + m->words};
}

/* A translation is in one of the two at most. */
static struct mp_tlb_hit mask_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct mask *m = state;
    struct mp_tlb_hit hit = mp_subentry_lookup(m->array, asid, vpn);
    return hit.found ? hit : mp_subentry_lookup(m->bypass, asid, vpn);
}

static struct mp_tlb_hit mask_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    const struct mask *m = state;
    struct mp_tlb_hit hit = mp_subentry_peek(m->array, asid, vpn);
    return hit.found ? hit : mp_subentry_peek(m->bypass, asid, vpn);
}

static struct mp_tlb_insertion mask_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                           struct mp_tlb_left *left)
{
    struct mask *m = state;
    mp_subentry_invalidate_page(m->bypass, asid, vpn, NULL); /* moves into the array, does not leave */
    return mp_subentry_insert(m->array, asid, vpn, to, left);
}

/* Evictions from the bypass cache do not count as evictions of TLB entries, but their translations are lost.
 */
static struct mp_tlb_insertion mask_bypass(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                           struct mp_tlb_left *left)
{
    struct mask *m = state;
    if (mp_subentry_lookup(m->array, asid, vpn).found)
        return mp_subentry_insert(m->array, asid, vpn, to, left);
    struct mp_tlb_insertion done = mp_subentry_insert(m->bypass, asid, vpn, to, left);
    done.action = "bypass";
    done.entry_evicted = false;
    return done;
}

static uint32_t mask_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct mask *m = state;
    return mp_subentry_invalidate_page(m->array, asid, vpn, left) +
           mp_subentry_invalidate_page(m->bypass, asid, vpn, left);
}

static uint32_t mask_invalidate_asid(void *state, uint16_t asid)
{
    struct mask *m = state;
    return mp_subentry_invalidate_asid(m->array, asid) + mp_subentry_invalidate_asid(m->bypass, asid);
}

static uint32_t mask_invalidate_all(void *state)
{
    struct mask *m = state;
    return mp_subentry_invalidate_all(m->array) + mp_subentry_invalidate_all(m->bypass);
}

static uint64_t mask_occupancy(const void *state, uint16_t asid)
{
    const struct mask *m = state;
    return mp_subentry_occupancy(m->array, asid) + mp_subentry_occupancy(m->bypass, asid);
}

/* The bypass cache is the set after the array's. */
static uint32_t mask_ways(const void *state, uint32_t set)
{
    const struct mask *m = state;
    uint32_t ways = mp_subentry_ways(m->array, set);
    return ways || !set || !mp_subentry_ways(m->array, set - 1) ? ways : mp_subentry_ways(m->bypass, 0);
}

static void mask_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    const struct mask *m = state;
    bool array = mp_subentry_ways(m->array, set);
    mp_subentry_each_entry(array ? m->array : m->bypass, array ? set : 0, show, context);
}

static uint32_t mask_rank(const void *state, uint32_t set, uint32_t way)
{
    const struct mask *m = state;
    bool array = mp_subentry_ways(m->array, set);
    return mp_subentry_rank(array ? m->array : m->bypass, array ? set : 0, way);
}

/* Adjusts the share if the miss rate has moved by more than `change` points. Misses can be compared directly,
 * since all epochs have the same length. */
static void change_share(const struct rule *rule, struct app *a)
{
    uint64_t now = (uint64_t)a->misses * 100, before = (uint64_t)a->misses_before * 100;
    uint64_t change = (uint64_t)rule->epoch * rule->change;
    if (now > before + change && a->share > rule->step)
        a->share = a->share > 2 * rule->step ? a->share - rule->step : rule->step;
    else if (now + change < before)
        a->share = a->share + rule->step < SHARE_ALL ? a->share + rule->step : SHARE_ALL;
}

static void hand_out(struct app *a, uint32_t words)
{
    uint32_t warps = 0;
    for (uint32_t i = 0; i < words; i++)
        warps += (uint32_t)__builtin_popcountll(a->seen[i]);
    uint32_t left = (uint32_t)((uint64_t)warps * a->share / SHARE_ALL);
    for (uint32_t i = 0; i < words; i++) {
        uint64_t seen = a->seen[i], token = 0;
        for (; seen && left; seen &= seen - 1, left--)
            token |= seen & -seen;
        a->token[i] = token;
    }
}

static void end_epoch(const struct mask *m, struct app *a)
{
    if (a->has_before)
        change_share(&m->rule, a);
    a->limited = (uint64_t)a->misses * 100 > (uint64_t)m->rule.epoch * m->rule.miss_rate;
    hand_out(a, m->words);
    for (uint32_t i = 0; i < m->words; i++)
        a->seen[i] = 0;
    a->misses_before = a->misses;
    a->has_before = true;
    a->lookups = a->misses = 0;
}

static void mask_asked(void *state, uint16_t asid, uint32_t sm, uint32_t warp, bool hit)
{
    struct mask *m = state;
    struct app *a = &m->app[asid];
    uint32_t bit = warp * m->rule.sms + sm;
    a->seen[bit / 64] |= 1ull << bit % 64;
    a->misses += !hit;
    if (++a->lookups == m->rule.epoch)
        end_epoch(m, a);
}

static bool mask_may_fill(const void *state, uint16_t asid, uint32_t sm, uint32_t warp)
{
    const struct mask *m = state;
    const struct app *a = &m->app[asid];
    uint32_t bit = warp * m->rule.sms + sm;
    return !a->limited || (a->token[bit / 64] >> bit % 64 & 1);
}

const struct mp_tlb_policy mp_tlb_mask = {
    .design = {.name = "mask",
               .title = "TLB-fill tokens and a bypass cache (MASK)",
               .params = params,
               .places = MP_TLB_LEVEL(2) | MP_TLB_LEVEL(3)},
    .bytes = mask_bytes,
    .init = mask_init,
    .lookup = mask_lookup,
    .peek = mask_peek,
    .insert = mask_insert,
    .invalidate_page = mask_invalidate_page,
    .invalidate_asid = mask_invalidate_asid,
    .invalidate_all = mask_invalidate_all,
    .occupancy = mask_occupancy,
    .ways = mask_ways,
    .each_entry = mask_each_entry,
    .rank = mask_rank,
    .asked = mask_asked,
    .may_fill = mask_may_fill,
    .bypass = mask_bypass,
};
