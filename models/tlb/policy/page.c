/* SPDX-License-Identifier: Apache-2.0 */
/* The TLBs of MESC's baseline (Sec. II-A): an entry maps one page. */
#include "tlb/policy/range.h"

static const struct mp_range_kind kinds[] = {{.unit = 0, .group = 0}};

static void init(void *state, const struct mp_tlb_geometry *g)
{
    mp_range_init(state, g, kinds, 1, 0);
}

const struct mp_tlb_policy mp_tlb_page = {
    .design = {.name = "page", .title = "one page per entry, LRU", .counters = &mp_range_metrics},
    .misses_repeat = true,
    .init = init,
    MP_RANGE_POLICY,
};
