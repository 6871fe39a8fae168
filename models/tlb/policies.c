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
