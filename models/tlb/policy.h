/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The array of a TLB, and the policy that decides where it stores a translation. Each policy is one file in
 * this folder, named as its paper names it.
 *
 * vpn and pfn count pages of the configured size. A translation is identified by (asid, vpn). In a machine
 * with pages of several sizes each counts pages of its own size, and a vpn says in its upper bits which size
 * that is (sizes.h).
 */
#ifndef MP_TLB_POLICY_H
#define MP_TLB_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/design.h"
#include "engine/link.h"
#include "engine/tenant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MAX_SUB_ENTRIES 16u
#define MP_TLB_MOST_WAYS   64u /* of policies that do not say another limit */

/* Levels at which a policy can be chosen, for design.places. */
#define MP_TLB_LEVEL(n) (1u << (n))

/* The array, its users, and the values of the policy's own parameters. Every policy may read all of it. */
struct mp_tlb_geometry {
    uint32_t sets;               /* any number; 1 at least */
    uint32_t ways;               /* 1 to MP_TLB_MOST_WAYS, or to the policy's most_ways */
    uint32_t sub_entries;        /* 1, 2, 4, 8 or 16 neighbouring pages that share an entry */
    uint32_t latency;            /* cycles of a lookup */
    struct mp_design_values own; /* in the order of policy->design.params */
    uint32_t tenants;
    uint32_t tenant_ways[MP_TENANTS]; /* of static partitions; the sum is ways */
    uint32_t sms, warps;              /* a warp is (sm, warp), below these */
};

/* The set of a page or of a run of pages: its number modulo the number of sets, which needs no division if
 * that is a power of two. */
static inline uint32_t mp_tlb_set(const struct mp_tlb_geometry *g, uint64_t number)
{
    const uint32_t mask = g->sets - 1;
    return (uint32_t)(__builtin_expect(g->sets & mask, 0) ? number % g->sets : number & mask);
}

/* A parameter that STAR's policies and half-double-way-seq share, as a row of params[]. */
#define MP_TLB_BASE_LATENCY                                                                                  \
    {                                                                                                        \
        ".base_latency", "cycles", NULL, 10, 0, 10000, "STAR V-B",                                           \
            "for each base, or batch of ways, that is compared after the first", 0                           \
    }

/* A translation as a TLB stores it: the page's frame, and the span of neighbouring pages with the same
 * permission whose frames neighbour this one: page vpn + d is in frame pfn + d. A policy may store less than
 * the whole span. */
struct mp_translation {
    uint64_t pfn; /* below 2^MP_TLB_PFN_BITS */
    struct mp_span span;
};

/* The result of a lookup; it fits two registers. */
struct mp_tlb_hit {
    uint64_t pfn;        /* of the page asked for; this and span: when found */
    uint32_t cycles;     /* of the lookup, hit or miss */
    struct mp_span span; /* what the array has stored around the page */
    bool found;
    uint8_t page; /* log2 of the page's bytes, of a hit; the TLB sets it */
};

#define MP_TLB_PFN_BITS 59u /* 64-bit addresses of 4 KB pages need 52 */

/* A frame and its permission in one word, for policies that store pages one by one. */
static inline uint64_t mp_tlb_word(struct mp_translation t)
{
    return t.pfn | (uint64_t)t.span.read_only << MP_TLB_PFN_BITS;
}

/* The hit that such a word gives; bits above the permission are ignored. */
static inline struct mp_tlb_hit mp_tlb_found(uint64_t word, uint32_t cycles)
{
    struct mp_tlb_hit hit = {word & ((1ull << MP_TLB_PFN_BITS) - 1), cycles, {0, 0, 0, 0}, true, 0};
    hit.span.read_only = word >> MP_TLB_PFN_BITS & 1;
    return hit;
}

/* Pages of one address space that have left an array together: bit i of `blocks` is the block of 2^unit pages
 * that begins at vpn + (i << unit). */
struct mp_tlb_run {
    uint64_t vpn;
    uint16_t asid, blocks;
    uint8_t unit;
};

static inline uint32_t mp_tlb_pages(const struct mp_tlb_run *run)
{
    return (uint32_t)__builtin_popcount(run->blocks) << run->unit;
}

#define MP_TLB_RUNS 129u /* at most: every way of a set that a new entry covers, and the victim */

/* All that one insertion or invalidation has removed. The caller sets count and pages to 0. */
struct mp_tlb_left {
    uint32_t count, pages; /* of runs; of pages in them */
    struct mp_tlb_run run[MP_TLB_RUNS];
};

/* Adds a run. left may be NULL if no list is needed. */
static inline void mp_tlb_leave(struct mp_tlb_left *left, uint16_t asid, uint64_t vpn, uint32_t unit,
                                uint32_t blocks)
{
    if (!left || !blocks)
        return;
    struct mp_tlb_run *run = &left->run[left->count++];
    run->vpn = vpn;
    run->asid = asid;
    run->blocks = (uint16_t)blocks;
    run->unit = (uint8_t)unit;
    left->pages += mp_tlb_pages(run);
}

/* The result of an insertion. */
struct mp_tlb_insertion {
    const char *action; /* "update", "vacant", "evict", ... */
    uint32_t way;
    bool entry_evicted;    /* a whole entry left to make room; then: */
    uint16_t evicted_asid; /* the address space that had it first */
    uint32_t evicted_used; /* its valid sub-entries, of all address spaces */
};

/* One frame that an array holds, as each_entry shows it. Ways of static partitions count through all tenants'
 * ways; MASK's bypass cache is a set after the array's. */
struct mp_tlb_entry {
    uint32_t way, slot;       /* slot: of the frame in its way, below MP_MAX_SUB_ENTRIES */
    uint8_t layout, position; /* the way's layout, numbered by the policy; which of its tags the frame has */
    uint16_t asid;
    uint64_t tag; /* as hardware compares it, with the bits that select the set: vpn / pages per tag */
    uint64_t vpn; /* the first page; `to` is its translation */
    struct mp_translation to;
};

typedef void mp_tlb_show(void *context, const struct mp_tlb_entry *entry);

struct mp_tlb_policy {
    struct mp_design design;
    /* Limits of its geometry; 0 if it has the usual ones. */
    uint32_t least_sub_entries, most_ways;
    bool divides_ways; /* among the tenants; each tenant needs at least one */
    /* Log2 of the pages, aligned, in which an entry for a page lies. A page that is invalidated may be in the
     * answer to a miss of any of them. */
    uint32_t reach;
    /* A lookup that misses takes geometry.latency cycles and changes nothing, and so does each further lookup
     * of the page until it is inserted. */
    bool misses_repeat;
    /* Further conditions on a geometry; NULL if there are none. Returns -1 and in err "NAME: ..." with what
     * is allowed, where NAME is a field of the geometry or a parameter of the design. */
    int (*check)(const struct mp_tlb_geometry *g, struct mp_error *err);
    /* The design's counters, one structure of design.counters for each tenant; NULL if it has none. */
    void *(*counters)(void *state);

    size_t (*bytes)(const struct mp_tlb_geometry *g);           /* of the state */
    void (*init)(void *state, const struct mp_tlb_geometry *g); /* state: zeroed, 64-byte aligned */
    struct mp_tlb_hit (*lookup)(void *state, uint16_t asid, uint64_t vpn); /* takes at least g->latency */
    struct mp_tlb_hit (*peek)(const void *state, uint16_t asid,
                              uint64_t vpn); /* as lookup; changes nothing */
    /* left: gets the pages that have to leave, unless it is NULL. */
    struct mp_tlb_insertion (*insert)(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left);
    /* Each removes what its name says, and returns how many translations that was. An entry that covers
     * several pages may leave whole; left: gets all pages that leave, unless it is NULL. */
    uint32_t (*invalidate_page)(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left);
    uint32_t (*invalidate_asid)(void *state, uint16_t asid);
    uint32_t (*invalidate_all)(void *state);
    uint64_t (*occupancy)(const void *state, uint16_t asid); /* valid translations of one address space */

    /* The array as it is, for comparison with hardware and for debugging. */
    uint32_t (*ways)(const void *state, uint32_t set); /* of a set; 0 if there is no such set */
    /* Shows each frame that the set holds: ways ascending, slots of a way ascending. */
    void (*each_entry)(const void *state, uint32_t set, mp_tlb_show *show, void *context);
    /* How many ways of the set (of its tenant, in static partitions) were used more recently. */
    uint32_t (*rank)(const void *state, uint32_t set, uint32_t way);

    /* Called for each request that its first look-up answers, with what the array has stored around the page.
     * NULL if the policy does not count them. */
    void (*answered)(void *state, uint16_t asid, struct mp_span span);

    /* For policies that distinguish warps, else NULL; all three or none. asked() is called once for each
     * request, after its first lookup. The answer to a miss goes to insert() if a warp that waits for it
     * may_fill(), else to bypass(). */
    void (*asked)(void *state, uint16_t asid, uint32_t sm, uint32_t warp, bool hit);
    bool (*may_fill)(const void *state, uint16_t asid, uint32_t sm, uint32_t warp);
    struct mp_tlb_insertion (*bypass)(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left);
};

#define MP_TLB_POLICY_NEEDS(EACH, WITH)                                                                      \
    EACH(bytes), EACH(init), EACH(lookup), EACH(peek), EACH(insert), EACH(invalidate_page),                  \
        EACH(invalidate_asid), EACH(invalidate_all), EACH(occupancy), EACH(ways), EACH(each_entry),          \
        EACH(rank), WITH(asked, may_fill), WITH(may_fill, bypass), WITH(bypass, asked)

extern const struct mp_tlb_policy mp_tlb_subentry;
extern const struct mp_tlb_policy mp_tlb_star, mp_tlb_star_sequential, mp_tlb_star_stride, mp_tlb_star4;
extern const struct mp_tlb_policy mp_tlb_half_double_set, mp_tlb_half_double_way, mp_tlb_half_double_way_seq;
extern const struct mp_tlb_policy mp_tlb_static, mp_tlb_static_star;
extern const struct mp_tlb_policy mp_tlb_mask;
extern const struct mp_tlb_policy mp_tlb_page, mp_tlb_colt, mp_tlb_thp, mp_tlb_mesc, mp_tlb_mesc_full_colt;
extern const struct mp_tlb_policy mp_tlb_depot;

extern const struct mp_tlb_policy *mp_tlb_policies[]; /* NULL-terminated */
extern const struct mp_design *mp_tlb_policy_designs[];
const struct mp_tlb_policy *mp_tlb_policy_find(const char *name);

/* Whether the policy can have this geometry. -1: err is "NAME: ..." with what is allowed, where NAME is a
 * field of the geometry or one of the policy's own parameters; callers write their own name of it instead. */
int mp_tlb_check(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g, struct mp_error *err);

/* A new state of a policy, for free(). NULL if memory runs out. */
void *mp_tlb_state(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g);

/* The ways of a set that each tenant gets by the size of its instance, for static partitions (static.c has
 * the rule). There are at least as many ways as tenants, and no tenant without slices. */
void mp_tlb_divide_ways(uint32_t ways, uint32_t tenants, const uint32_t *slices, uint32_t *tenant_ways);

#ifdef __cplusplus
}
#endif
#endif
