/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLBs for transparent huge pages (MESC Sec. VI-A): an entry maps a page of 4 KB or of 2 MB. Both sizes are
 * compared at once, each in its set; the large page wins.
 */
#include "tlb/policy/range.h"

static const struct mp_range_kind kinds[] = {{.unit = 9, .group = 9}, {.unit = 0, .group = 0}};

static void init(void *state, const struct mp_tlb_geometry *g)
{
    mp_range_init(state, g, kinds, 2, 0);
}

const struct mp_tlb_policy mp_tlb_thp = {
    .design = {.name = "thp",
               .title = "an entry maps one page of 4 KB or of 2 MB, LRU",
               .counters = &mp_range_metrics},
    .reach = 9,
    .init = init,
    MP_RANGE_POLICY,
};
