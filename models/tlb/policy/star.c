/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STAR (Sec. V): when no way of the set is free, a new base shares an entry that uses less than half of its
 * 16 sub-entries, so that each of the two has 8. Where the paper leaves a choice:
 * - the paper prefers entries of the same address space, then those with the fewest sub-entries; in a tie,
 * the lowest way is taken;
 * - the layout is sequential if the valid sub-entries of the entry form one run of two or more. The paper's
 * "consecutive pattern" and "occupied continuously without any gaps" say nothing of a single sub-entry, which
 * most decisions are about; `lone` chooses its layout;
 * - the first base gives up the slots of the second; if two of its indices share a slot, the lower one stays;
 * - a base whose companion is invalidated gets the whole entry again.
 */
#include "tlb/policy/star_set.h"

enum { BASES = 2 };

static size_t star_bytes(const struct mp_tlb_geometry *g)
{
    return mp_star_bytes(g, BASES);
}

static void star_init(void *state, const struct mp_tlb_geometry *g)
{
    mp_star_init(state, g, BASES, (uint32_t)g->own.v[MP_STAR_STRIDE_LENGTH]);
}

static struct mp_tlb_hit star_lookup(void *state, uint16_t asid, uint64_t vpn)
{
    return mp_star_lookup(state, BASES, asid, vpn);
}

static struct mp_tlb_hit star_peek(const void *state, uint16_t asid, uint64_t vpn)
{
    struct mp_star_set s = mp_star_set_of(state, vpn);
    struct mp_star_at at;
    return mp_star_seek(state, &s, BASES, asid, vpn, &at);
}

static bool may_share(const struct mp_star *t, const struct mp_star_set *s, uint32_t way)
{
    (void)t;
    return s->layout[way] == MP_STAR_NOT_SHARED && __builtin_popcount(s->valid[way]) < 8;
}

static bool one_run(uint32_t bits)
{
    uint32_t run = bits >> __builtin_ctz(bits);
    return !(run & (run + 1));
}

/* The layout by the pattern of an entry's valid sub-entries, of which there is one at least. */
static enum mp_star_layout layout_for(const struct mp_star *t, uint32_t valid)
{
    bool lone = !(valid & (valid - 1));
    return (lone ? t->g.own.v[MP_STAR_LONE] == MP_STAR_LONE_SEQUENTIAL : one_run(valid)) ? MP_STAR_SEQUENTIAL
                                                                                         : MP_STAR_STRIDE;
}

bool mp_star_share(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   enum mp_star_layout forced, struct mp_star_done *done)
{
    static const uint32_t first[] = {0};
    static const char *const action[] = {
        [MP_STAR_SEQUENTIAL] = "share-sequential", [MP_STAR_STRIDE] = "share-stride"};
    uint32_t way;
    if (!mp_star_candidate(t, s, (uint16_t)(n->tag >> 48), may_share, &way))
        return false;
    enum mp_star_layout layout = forced;
    if (layout == MP_STAR_NOT_SHARED)
        layout = layout_for(t, s->valid[way]);
    mp_star_reform(t, s, way, layout, first, 1, done->left);
    *mp_star_tag_at(t, s, 1, way) = n->tag;
    mp_star_put(t, s, (struct mp_star_at){way, 1}, n, done);
    done->insertion.action = action[layout];
    return true;
}

void mp_star_revert(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                    const struct mp_star_new *n, struct mp_star_done *done)
{
    mp_star_reform(t, s, at.way, MP_STAR_NOT_SHARED, &at.base, 1, done->left);
    mp_star_put(t, s, (struct mp_star_at){at.way, 0}, n, done);
    done->insertion.action = "revert";
}

static inline struct mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn,
                                             struct mp_translation to, struct mp_tlb_left *left,
                                             enum mp_star_layout forced)
{
    const struct mp_star *t = state;
    struct mp_star_set s = mp_star_set_of(t, vpn);
    struct mp_star_new n = mp_star_new(asid, vpn, to);
    struct mp_star_done done = {.left = left};
    struct mp_star_at at;
    if (mp_star_find(t, &s, BASES, n.tag, &at)) {
        if (mp_star_full(t, &s, at, n.index))
            mp_star_revert(t, &s, at, &n, &done);
        else
            done.insertion.action = mp_star_put(t, &s, at, &n, &done) ? "replace" : "update";
    } else if (!mp_star_take_vacant(t, &s, &n, &done) && !mp_star_share(t, &s, &n, forced, &done)) {
        mp_star_evict(t, &s, &n, &done);
    }
    return done.insertion;
}

static struct mp_tlb_insertion star_insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                           struct mp_tlb_left *left)
{
    return insert(state, asid, vpn, to, left, MP_STAR_NOT_SHARED);
}

static struct mp_tlb_insertion sequential_insert(void *state, uint16_t asid, uint64_t vpn,
                                                 struct mp_translation to, struct mp_tlb_left *left)
{
    return insert(state, asid, vpn, to, left, MP_STAR_SEQUENTIAL);
}

static struct mp_tlb_insertion stride_insert(void *state, uint16_t asid, uint64_t vpn,
                                             struct mp_translation to, struct mp_tlb_left *left)
{
    return insert(state, asid, vpn, to, left, MP_STAR_STRIDE);
}

#define TWO_BASES                                                                                            \
    .bytes = star_bytes, .init = star_init, .lookup = star_lookup, .peek = star_peek, MP_STAR_POLICY

const struct mp_tlb_policy mp_tlb_star = {
    .design = {.name = "star",
               .title = "STAR: two bases share an entry, the layout follows its pattern",
               .params = mp_star_params,
               .places = MP_TLB_LEVEL(3)},
    .insert = star_insert,
    TWO_BASES,
};

const struct mp_tlb_policy mp_tlb_star_sequential = {
    .design = {.name = "star-sequential",
               .title = "STAR with the sequential layout only (Sec. VI-A)",
               .params = mp_star_params,
               .places = MP_TLB_LEVEL(3)},
    .insert = sequential_insert,
    TWO_BASES,
};

const struct mp_tlb_policy mp_tlb_star_stride = {
    .design = {.name = "star-stride",
               .title = "STAR with the stride layout only (Sec. VI-A)",
               .params = mp_star_params,
               .places = MP_TLB_LEVEL(3)},
    .insert = stride_insert,
    TWO_BASES,
};
