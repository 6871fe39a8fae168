/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of the tests of policies: a state, short calls, and lists of pages that left. */
#ifndef MP_TB_TLB_STATE_H
#define MP_TB_TLB_STATE_H

#include "../../engine/fakes.h"

#include "tlb/policy.h"

/* The caller frees it. It has exactly the bytes that the policy asked for, so that sanitizers report any
 * access beyond them. */
static inline void *new_state(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g)
{
    size_t bytes = policy->bytes(g);
    void *state = NULL;
    assert_int_equal(posix_memalign(&state, 64, bytes), 0);
    memset(state, 0, bytes);
    policy->init(state, g);
    return state;
}

struct inserted {
    struct mp_tlb_insertion in;
    struct mp_tlb_left left;
};

typedef struct mp_tlb_insertion insert_function(void *state, uint16_t asid, uint64_t vpn,
                                                struct mp_translation to, struct mp_tlb_left *left);

static inline struct inserted insert_by(insert_function *insert, void *state, uint16_t asid, uint64_t vpn,
                                        uint64_t pfn)
{
    struct inserted done;
    memset(&done, 0, sizeof done);
    done.in = insert(state, asid, vpn, (struct mp_translation){.pfn = pfn}, &done.left);
    return done;
}

static inline struct inserted insert_page(const struct mp_tlb_policy *policy, void *state, uint16_t asid,
                                          uint64_t vpn, uint64_t pfn)
{
    return insert_by(policy->insert, state, asid, vpn, pfn);
}

/* How many pages of an address space are in the list. */
static inline uint32_t left_of(const struct mp_tlb_left *left, uint16_t asid)
{
    uint32_t pages = 0;
    for (uint32_t i = 0; i < left->count; i++)
        pages += left->run[i].asid == asid ? mp_tlb_pages(&left->run[i]) : 0;
    return pages;
}

/* Whether a page is in the list. */
static inline bool has_left(const struct mp_tlb_left *left, uint16_t asid, uint64_t vpn)
{
    for (uint32_t i = 0; i < left->count; i++) {
        const struct mp_tlb_run *r = &left->run[i];
        uint64_t block = (vpn - r->vpn) >> r->unit;
        if (r->asid == asid && vpn >= r->vpn && block < 16 && r->blocks >> block & 1)
            return true;
    }
    return false;
}

/* Both lists have the same pages, in whatever order; each page is in a list once. */
static inline void same_left(const struct mp_tlb_left *a, const struct mp_tlb_left *b)
{
    uint32_t pages = 0;
    assert_int_equal(a->pages, b->pages);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct mp_tlb_run *r = &a->run[i];
        pages += mp_tlb_pages(r);
        for (uint32_t block = 0; block < 16; block++)
            for (uint64_t page = 0; r->blocks >> block & 1 && page < 1ull << r->unit; page++)
                assert_true(has_left(b, r->asid, r->vpn + ((uint64_t)block << r->unit) + page));
    }
    assert_int_equal(pages, a->pages);
}

/* Whether a page is there, and under which frame. A look at it finds the same. */
static inline bool is_there(const struct mp_tlb_policy *policy, void *state, uint16_t asid, uint64_t vpn,
                            uint64_t pfn)
{
    struct mp_tlb_hit seen = policy->peek(state, asid, vpn), hit = policy->lookup(state, asid, vpn);
    assert_memory_equal(&seen, &hit, offsetof(struct mp_tlb_hit, span));
    assert_int_equal(seen.found, hit.found);
    if (hit.found)
        assert_int_equal(hit.pfn, pfn);
    return hit.found;
}

#endif
