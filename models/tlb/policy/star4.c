/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STAR with up to four bases in an entry (Sec. VI-B), stride 1. It works as two-base STAR until the set has
 * neither a free way nor an entry to share between two. Then an entry with two or three bases that use fewer
 * than 4 sub-entries each takes another. When a base outgrows its 4 slots, the entry keeps it and the other
 * base with the most sub-entries, and drops the rest. Where the paper leaves a choice: an entry that loses
 * bases to invalidations keeps the layout of four while two remain, and the lowest free position is filled
 * first.
 */
#include "tlb/policy/star_set.h"

enum { BASES = 4 };

static size_t star4_bytes(const struct mp_tlb_geometry *g)
{
    return mp_star_bytes(g, BASES);
}

static void star4_init(void *state, const struct mp_tlb_geometry *g)
{
    mp_star_init(state, g, BASES, 1);
}

/* Four bases have no other stride layout. */
static int star4_check(const struct mp_tlb_geometry *g, struct mp_error *err)
{
    uint64_t stride = g->own.v[MP_STAR_STRIDE_LENGTH];
    return stride > 1 ? mp_fail(err, "stride: %u is too large for star4; 1 at most", (unsigned)stride) : 0;
}

static struct mp_tlb_hit star4_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    return mp_star_lookup(state, BASES, asid, vpn);
}

static struct mp_tlb_hit star4_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    struct mp_star_set s = mp_star_set_of(state, vpn);
    struct mp_star_at at;
    return mp_star_seek(state, &s, BASES, asid, vpn, &at);
}

static bool may_share4(const struct mp_star *t, const struct mp_star_set *s, uint32_t way)
{
    uint32_t layout = s->layout[way], bases = 0;
    if (layout == MP_STAR_NOT_SHARED)
        return false;
    for (uint32_t base = 0; base < BASES; base++) {
        if (*mp_star_tag_at(t, s, base, way) == MP_STAR_NO_TAG)
            continue;
        if (__builtin_popcount(mp_star_valid(t, s, way, base)) >= 4)
            return false;
        bases++;
    }
    return bases < BASES;
}

static bool share4(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   struct mp_star_done *done)
{
    static const uint32_t both[] = {0, 1};
    struct mp_star_at at = {0};
    if (!mp_star_candidate(t, s, (uint16_t)(n->tag >> 48), may_share4, &at.way))
        return false;
    if (!(s->layout[at.way] & MP_STAR_FOUR))
        mp_star_reform(t, s, at.way, s->layout[at.way] | MP_STAR_FOUR, both, 2, done->left);
    while (*mp_star_tag_at(t, s, at.base, at.way) != MP_STAR_NO_TAG)
        at.base++;
    *mp_star_tag_at(t, s, at.base, at.way) = n->tag;
    mp_star_put(t, s, at, n, done);
    done->insertion.action = "share4";
    return true;
}

/* The base that stays in the entry together with at.base; an entry in this layout has one. */
static uint32_t companion(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at)
{
    uint32_t chosen = 0;
    int most = 0;
    for (uint32_t base = 0; base < BASES; base++) {
        int valid = __builtin_popcount(mp_star_valid(t, s, at.way, base));
        if (base != at.base && valid > most) {
            most = valid;
            chosen = base;
        }
    }
    return chosen;
}

static void revert4(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                    const struct mp_star_new *n, struct mp_star_done *done)
{
    uint32_t other = companion(t, s, at);
    bool second = other < at.base; /* the lower position becomes base 0 */
    const uint32_t keep[] = {second ? other : at.base, second ? at.base : other};
    mp_star_reform(t, s, at.way, s->layout[at.way] & ~(uint32_t)MP_STAR_FOUR, keep, 2, done->left);
    mp_star_put(t, s, (struct mp_star_at){at.way, second}, n, done);
    done->insertion.action = "revert4";
}

static struct mp_tlb_insertion star4_insert(void *state, uint16_t asid, uint64_t vpn,
                                            struct mp_translation to, struct mp_tlb_left *left)
{
    const struct mp_star *t = state;
    struct mp_star_set s = mp_star_set_of(t, vpn);
    struct mp_star_new n = mp_star_new(asid, vpn, to);
    struct mp_star_done done = {.left = left};
    struct mp_star_at at;
    if (mp_star_find(t, &s, BASES, n.tag, &at)) {
        if (!mp_star_full(t, &s, at, n.index))
            done.insertion.action = mp_star_put(t, &s, at, &n, &done) ? "replace" : "update";
        else if (s.layout[at.way] & MP_STAR_FOUR)
            revert4(t, &s, at, &n, &done);
        else
            mp_star_revert(t, &s, at, &n, &done);
    } else if (!mp_star_take_vacant(t, &s, &n, &done) &&
               !mp_star_share(t, &s, &n, MP_STAR_NOT_SHARED, &done) && !share4(t, &s, &n, &done)) {
        mp_star_evict(t, &s, &n, &done);
    }
    return done.insertion;
}

const struct mp_tlb_policy mp_tlb_star4 = {
    .design = {.name = "star4",
               .title = "STAR with up to four bases in an entry",
               .params = mp_star_params,
               .places = MP_TLB_LEVEL(3)},
    .check = star4_check,
    .bytes = star4_bytes,
    .init = star4_init,
    .lookup = star4_lookup,
    .peek = star4_peek,
    .insert = star4_insert,
    MP_STAR_POLICY,
};
