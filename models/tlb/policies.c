/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/memory.h"
#include "tlb/policy.h"

int mp_tlb_check(const struct mp_tlb_policy *p, const struct mp_tlb_geometry *g, struct mp_error *err)
{
    const char *name = p->design.name;
    if (g->sub_entries < p->least_sub_entries)
        return mp_fail(err, "sub_entries: %u are too few for %s; %u at least", g->sub_entries, name,
                       p->least_sub_entries);
    uint32_t most = p->most_ways ? p->most_ways : MP_TLB_MOST_WAYS;
    if (g->ways > most)
        return mp_fail(err, "ways: %u are too many for %s; %u at most", g->ways, name, most);
    if (p->divides_ways && g->ways < g->tenants)
        return mp_fail(err, "ways: %u are too few for %u tenants under %s; %u at least", g->ways, g->tenants,
                       name, g->tenants);
    if (mp_design_check(&p->design, &g->own, err))
        return -1;
    return p->check ? p->check(g, err) : 0;
}

void *mp_tlb_state(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g)
{
    void *state = mp_calloc(1, policy->bytes(g));
    if (state)
        policy->init(state, g);
    return state;
}
