/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of STAR's policies: a TLB in which each page has a different frame, and short names
 * for its calls. */
#ifndef MP_TB_STAR_FIXTURE_H
#define MP_TB_STAR_FIXTURE_H

#include "state.h"

#include "tlb/policy/star.h"

#define LATENCY 40u
#define BASE    10u /* cycles of each further base */

struct fixture {
    const struct mp_tlb_policy *policy;
    struct mp_tlb_geometry g;
    void *state;
    struct inserted last;
    uint32_t cycles; /* of the last lookup */
};

static inline struct fixture fixture_make(const struct mp_tlb_policy *policy, uint32_t sets, uint32_t ways,
                                          uint32_t stride, unsigned lone)
{
    struct fixture f = {.policy = policy,
                        .g = {.sets = sets,
                              .ways = ways,
                              .sub_entries = 16,
                              .latency = LATENCY,
                              .own = {{BASE, stride, lone}}}};
    size_t bytes = policy->bytes(&f.g);
    f.state = aligned_alloc(64, (bytes + 63) / 64 * 64);
    assert_non_null(f.state);
    memset(f.state, 0, bytes);
    policy->init(f.state, &f.g);
    return f;
}

static inline uint64_t page(uint64_t base, uint32_t index)
{
    return base * 16 + index;
}

static inline uint64_t frame(uint16_t asid, uint64_t vpn)
{
    return vpn * 16 + asid + 1;
}

/* Returns what was done. */
static inline const char *put(struct fixture *f, uint16_t asid, uint64_t base, uint32_t index)
{
    f->last = insert_page(f->policy, f->state, asid, page(base, index), frame(asid, page(base, index)));
    return f->last.in.action;
}

static inline void put_all(struct fixture *f, uint16_t asid, uint64_t base, uint32_t indices)
{
    for (uint32_t i = 0; i < 16; i++)
        if (indices >> i & 1)
            put(f, asid, base, i);
}

static inline bool get(struct fixture *f, uint16_t asid, uint64_t base, uint32_t index)
{
    f->cycles = f->policy->peek(f->state, asid, page(base, index)).cycles;
    return is_there(f->policy, f->state, asid, page(base, index), frame(asid, page(base, index)));
}

/* The indices of a base that hit, a bit each. Looks for all, so the base's way becomes the most recent. */
static inline uint32_t held(struct fixture *f, uint16_t asid, uint64_t base)
{
    uint32_t indices = 0;
    for (uint32_t i = 0; i < 16; i++)
        indices |= (uint32_t)get(f, asid, base, i) << i;
    return indices;
}

static inline uint32_t drop(struct fixture *f, uint16_t asid, uint64_t base, uint32_t index)
{
    return f->policy->invalidate_page(f->state, asid, page(base, index), NULL);
}

/* star4 has stride 1, whatever the geometry says. */
static inline uint32_t stride_of(const struct fixture *f)
{
    return f->policy == &mp_tlb_star4 ? 1 : mp_star_stride(f->policy, &f->g);
}

static inline struct mp_star_way view(const struct fixture *f, uint32_t set, uint32_t way)
{
    return mp_star_view(f->policy, f->state, set, way, stride_of(f));
}

struct views {
    struct mp_star_way way[64];
    uint32_t stride;
};

static inline void draw_way(void *context, const struct mp_tlb_entry *e)
{
    struct views *v = context;
    mp_star_draw(&v->way[e->way], e, v->stride);
}

/* All ways of a set. */
static inline void view_set(const struct fixture *f, uint32_t set, struct views *v)
{
    memset(v, 0, sizeof *v);
    v->stride = stride_of(f);
    f->policy->each_entry(f->state, set, draw_way, v);
}

static inline uint32_t layout_of(const struct fixture *f, uint32_t way)
{
    return view(f, 0, way).layout;
}

/* Valid slots of a way, a bit each. */
static inline uint32_t slots_of(const struct fixture *f, uint32_t way)
{
    struct mp_star_way v = view(f, 0, way);
    uint32_t slots = 0;
    for (uint32_t s = 0; s < MP_STAR_SUB_ENTRIES; s++)
        slots |= (uint32_t)v.sub[s].valid << s;
    return slots;
}

static inline void base_is(const struct fixture *f, uint32_t way, uint32_t position, uint16_t asid,
                           uint64_t base)
{
    struct mp_star_way v = view(f, 0, way);
    assert_true(v.base[position].valid);
    assert_int_equal(v.base[position].asid, asid);
    assert_int_equal(v.base[position].base, base);
}

static inline void no_base(const struct fixture *f, uint32_t way, uint32_t position)
{
    assert_false(view(f, 0, way).base[position].valid);
}

static inline void lost_is(const struct fixture *f, uint16_t asid, uint32_t translations)
{
    assert_int_equal(left_of(&f->last.left, asid), translations);
}

#endif
