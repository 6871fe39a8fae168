/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "tlb/policy.h"

const struct mp_tlb_policy *const mp_tlb_policies[] = {&mp_tlb_subentry,
                                                       &mp_tlb_star,
                                                       &mp_tlb_star_sequential,
                                                       &mp_tlb_star_stride,
                                                       &mp_tlb_star4,
                                                       &mp_tlb_half_double_set,
                                                       &mp_tlb_half_double_way,
                                                       &mp_tlb_half_double_way_seq,
                                                       &mp_tlb_static,
                                                       &mp_tlb_static_star,
                                                       &mp_tlb_mask,
                                                       NULL};

const struct mp_tlb_policy *mp_tlb_policy_find(const char *name)
{
    for (unsigned i = 0; mp_tlb_policies[i]; i++)
        if (!strcmp(mp_tlb_policies[i]->name, name))
            return mp_tlb_policies[i];
    return NULL;
}

int mp_tlb_check(const struct mp_tlb_policy *p, const struct mp_tlb_geometry *g,
                 const struct mp_tlb_spelling *spelling, struct mp_error *err)
{
    if (g->sub_entries < p->least_sub_entries)
        return mp_fail(err, "%s: %u are too few for %s; %u at least", spelling->sub_entries, g->sub_entries,
                       p->name, p->least_sub_entries);
    if (p->most_ways && g->ways > p->most_ways)
        return mp_fail(err, "%s: %u are too many for %s; %u at most", spelling->ways, g->ways, p->name,
                       p->most_ways);
    if (p->most_stride && g->stride > p->most_stride)
        return mp_fail(err, "%s: %u is too large for %s; %u at most", spelling->stride, g->stride, p->name,
                       p->most_stride);
    return 0;
}
