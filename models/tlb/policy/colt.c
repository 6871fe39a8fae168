/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CoLT as MESC compares it (Sec. VI-A): an entry maps a run, 1 to 4 pages within an aligned group of 4 that
 * are contiguous in memory with one permission. Pages of a group share a set.
 */
#include "tlb/policy/range.h"

static const struct mp_range_kind kinds[] = {{.unit = 0, .group = 2}};

static void init(void *state, const struct mp_tlb_geometry *g)
{
    mp_range_init(state, g, kinds, 1, 0);
}

const struct mp_tlb_policy mp_tlb_colt = {
    .design = {.name = "colt",
               .title = "an entry maps up to 4 contiguous pages of an aligned group, LRU",
               .counters = &mp_range_metrics},
    .reach = 2,
    .init = init,
    MP_RANGE_POLICY,
};
