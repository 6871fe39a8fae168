/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A TLB's array and what decides where a translation stands in it. One policy is one file here, named as its
 * paper names it, and one line in policies.c.
 *
 * vpn and pfn count pages of the configured size. A translation is identified by (asid, vpn).
 */
#ifndef MP_TLB_POLICY_H
#define MP_TLB_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/design.h"
#include "engine/tenant.h"
#include "tlb/star.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MAX_SUB_ENTRIES 16u

/* What MASK's tokens depend on (mask.c); shares in percent. */
struct mp_tlb_tokens {
    uint32_t sms, warps; /* a warp is (sm, warp), below these */
    uint32_t epoch;      /* lookups of an address space */
    uint32_t tokens;     /* share of its warps that hold one at first */
    uint32_t step;       /* by which the share changes, 1 at least */
    uint32_t change;     /* of the miss rate that makes it change, in points */
    uint32_t miss_rate;  /* up to which an address space needs no tokens */
    uint32_t bypass;     /* entries of the bypass cache, 1 to 64 */
};

/* A policy reads what concerns it; the four first concern all. */
struct mp_tlb_geometry {
    uint32_t sets;         /* a power of two */
    uint32_t ways;         /* 1 to 64 */
    uint32_t sub_entries;  /* 1, 2, 4, 8 or 16 neighbouring pages that share an entry */
    uint32_t latency;      /* cycles of a lookup */
    uint32_t base_latency; /* cycles more for each further base, or batch of ways, compared after the first */
    uint32_t stride;       /* 1, 2 or 4: of STAR's stride layout (Sec. VI-B) */
    uint32_t tenants;
    uint32_t tenant_ways[MP_TENANTS]; /* of static partitions; the sum is ways */
    struct mp_tlb_tokens mask;
};

struct mp_tlb_hit {
    uint64_t pfn;    /* valid on a hit */
    uint32_t cycles; /* of the lookup, hit or miss */
};

#define MP_TLB_LOSERS 4u /* STAR: as many bases as may share an entry */

/* What an insertion did. An entry that leaves is told to the caller, who counts how much of it was in use;
 * translations that are gone are told with whose they were, for address spaces may share an entry. */
struct mp_tlb_insertion {
    const char *action; /* "update", "vacant", "evict", ... */
    uint32_t way;
    uint32_t lost;         /* translations that are gone, the sum of loss[] */
    bool entry_evicted;    /* a whole entry left; then: */
    uint16_t evicted_asid; /* who had it first */
    uint32_t evicted_used; /* its valid sub-entries, whosever they are */
    uint32_t losers;       /* of loss[] */
    struct {
        uint16_t asid, translations;
    } loss[MP_TLB_LOSERS];
};

/* Notes that an insertion cost an address space so many translations. */
static inline void mp_tlb_lose(struct mp_tlb_insertion *insertion, uint16_t asid, uint32_t translations)
{
    uint32_t i = 0;
    while (i < insertion->losers && insertion->loss[i].asid != asid)
        i++;
    if (i == insertion->losers) {
        insertion->losers++;
        insertion->loss[i].asid = asid;
        insertion->loss[i].translations = 0;
    }
    insertion->loss[i].translations = (uint16_t)(insertion->loss[i].translations + translations);
    insertion->lost += translations;
}

struct mp_tlb_policy {
    struct mp_design design;
    /* What a geometry must be for it; 0: anything. */
    uint32_t least_sub_entries, most_ways, most_stride;
    bool divides_ways; /* among the tenants: it needs one for each */

    size_t (*bytes)(const struct mp_tlb_geometry *g);           /* of the state */
    void (*init)(void *state, const struct mp_tlb_geometry *g); /* state: zeroed, 64-byte aligned */
    bool (*lookup)(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_hit *hit);
    struct mp_tlb_insertion (*insert)(void *state, uint16_t asid, uint64_t vpn, uint64_t pfn);
    uint32_t (*invalidate_page)(void *state, uint16_t asid,
                                uint64_t vpn); /* each: translations that are gone */
    uint32_t (*invalidate_asid)(void *state, uint16_t asid);
    uint32_t (*invalidate_all)(void *state);
    uint64_t (*occupancy)(const void *state, uint16_t asid); /* valid translations of one address space */

    /* For those who compare it with hardware: the ways of a set, 0 when there is no such set; what stands in
     * one, an entry that no policy shares being like STAR's that are not shared, with as many sub-entries as
     * there are; how many ways of its set (of its tenant, in static partitions) were used more recently. Ways
     * of static partitions count through all tenants'; MASK's bypass cache is a set behind the others. */
    uint32_t (*ways)(const void *state, uint32_t set);
    struct mp_star_way (*view)(const void *state, uint32_t set, uint32_t way);
    uint32_t (*rank)(const void *state, uint32_t set, uint32_t way);

    /* Of policies that tell warps apart, NULL in others; all three or none. asked: once for each request,
     * after its first lookup. A walk's result is given to insert when one of the warps that wait for it
     * may_fill, else to bypass. */
    void (*asked)(void *state, uint16_t asid, uint32_t sm, uint32_t warp, bool hit);
    bool (*may_fill)(const void *state, uint16_t asid, uint32_t sm, uint32_t warp);
    struct mp_tlb_insertion (*bypass)(void *state, uint16_t asid, uint64_t vpn, uint64_t pfn);
};

extern const struct mp_tlb_policy mp_tlb_subentry;
extern const struct mp_tlb_policy mp_tlb_star, mp_tlb_star_sequential, mp_tlb_star_stride, mp_tlb_star4;
extern const struct mp_tlb_policy mp_tlb_half_double_set, mp_tlb_half_double_way, mp_tlb_half_double_way_seq;
extern const struct mp_tlb_policy mp_tlb_static, mp_tlb_static_star;
extern const struct mp_tlb_policy mp_tlb_mask;

extern const struct mp_tlb_policy *const mp_tlb_policies[]; /* NULL-terminated */
extern const struct mp_design *const mp_tlb_policy_designs[];
const struct mp_tlb_policy *mp_tlb_policy_find(const char *name);

/* What parameters are called where they are given. */
struct mp_tlb_spelling {
    const char *sub_entries, *ways, *stride;
};
/* -1, and in err the parameter that the policy cannot have. */
int mp_tlb_check(const struct mp_tlb_policy *p, const struct mp_tlb_geometry *g,
                 const struct mp_tlb_spelling *spelling, struct mp_error *err);

/* The ways of a set that each tenant gets by the size of its instance, for static partitions (static.c has
 * the rule). There are at least as many ways as tenants, and no tenant without slices. */
void mp_tlb_divide_ways(uint32_t ways, uint32_t tenants, const uint32_t *slices, uint32_t *tenant_ways);

#ifdef __cplusplus
}
#endif
#endif
