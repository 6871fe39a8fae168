/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unified TLB of MESC (Sec. IV-C). A subregion entry maps 1 to 8 neighbouring subregions of a frame of 2
 * MB, and is in the partition, the last sub_ways ways of its set. Regular entries may be in all ways.
 * Subregion entries are looked up first; regular entries a cycle later. A regular entry maps one page, or,
 * for MESC with full CoLT (Sec. V-A), a run of CoLT's.
 */
#include "tlb/policy/range.h"

enum { SUB_WAYS };

static const struct mp_design_param params[] = {
    {".sub_ways", "ways", NULL, 8, 1, 64, "MESC IV-C",
     "mesc, mesc-full-colt: the last ways of a set, in which subregion entries may be", 0},
    {0},
};

static int check(const struct mp_tlb_geometry *g, struct mp_error *err)
{
    if (g->own.v[SUB_WAYS] > g->ways)
        return mp_fail(err, "sub_ways: %u are more than the ways of a set, %u; 1 to %u",
                       (unsigned)g->own.v[SUB_WAYS], g->ways, g->ways);
    return 0;
}

static const struct mp_range_kind kinds[] = {{.unit = 6, .group = 9, .type = 1},
                                             {.unit = 0, .group = 0, .later = 1}};
static const struct mp_range_kind kinds_of_runs[] = {{.unit = 6, .group = 9, .type = 1},
                                                     {.unit = 0, .group = 2, .later = 1}};

static void init(void *state, const struct mp_tlb_geometry *g)
{
    mp_range_init(state, g, kinds, 2, (uint32_t)g->own.v[SUB_WAYS]);
}

static void init_runs(void *state, const struct mp_tlb_geometry *g)
{
    mp_range_init(state, g, kinds_of_runs, 2, (uint32_t)g->own.v[SUB_WAYS]);
}

const struct mp_tlb_policy mp_tlb_mesc = {
    .design = {.name = "mesc",
               .title = "entries of a page, or of up to 8 neighbouring subregions in the last ways",
               .params = params,
               .counters = &mp_range_metrics,
               .places = MP_TLB_LEVEL(2) | MP_TLB_LEVEL(3)},
    .reach = 9,
    .check = check,
    .answered = mp_range_answered,
    .init = init,
    MP_RANGE_POLICY,
};

const struct mp_tlb_policy mp_tlb_mesc_full_colt = {
    .design = {.name = "mesc-full-colt",
               .title = "mesc with CoLT's runs instead of pages",
               .params = params,
               .counters = &mp_range_metrics,
               .places = MP_TLB_LEVEL(2) | MP_TLB_LEVEL(3)},
    .reach = 9,
    .check = check,
    .answered = mp_range_answered,
    .init = init_runs,
    MP_RANGE_POLICY,
};
