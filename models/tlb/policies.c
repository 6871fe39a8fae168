/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tlb/policy.h"

int mp_tlb_check(const struct mp_tlb_policy *p, const struct mp_tlb_geometry *g,
                 const struct mp_tlb_spelling *spelling, struct mp_error *err)
{
    if (g->sub_entries < p->least_sub_entries)
        return mp_fail(err, "%s: %u are too few for %s; %u at least", spelling->sub_entries, g->sub_entries,
                       p->design.name, p->least_sub_entries);
    if (p->most_ways && g->ways > p->most_ways)
        return mp_fail(err, "%s: %u are too many for %s; %u at most", spelling->ways, g->ways, p->design.name,
                       p->most_ways);
    if (p->most_stride && g->stride > p->most_stride)
        return mp_fail(err, "%s: %u is too large for %s; %u at most", spelling->stride, g->stride,
                       p->design.name, p->most_stride);
    return 0;
}
