/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of blocks that designs fill, as a configuration gives them. */
#include <string.h>

#include "config/config_internal.h"
#include "sm/scheduler.h"
#include "sm/sm.h"
#include "tlb/neighbour/neighbour.h"
#include "walk/walk.h"

#define TLB_GEOMETRY(c, level)                                                                               \
    {                                                                                                        \
        .sets = (uint32_t)((c)->level.entries / (c)->level.ways), .ways = (uint32_t)(c)->level.ways,         \
        .sub_entries = (uint32_t)(c)->level.sub_entries, .latency = (uint32_t)(c)->level.latency,            \
        .tenants = (c)->ntenants, .warps = (uint32_t)(c)->sm.warps,                                          \
        .sms = (uint32_t)((c)->machine.slices * (c)->machine.tpcs_per_slice * (c)->machine.sms_per_tpc)      \
    }

const struct mp_tlb_policy *mp_config_tlb(const struct mp_config *c, unsigned level,
                                          struct mp_tlb_geometry *g)
{
    const struct mp_tlb_geometry all[] = {TLB_GEOMETRY(c, l1_tlb), TLB_GEOMETRY(c, l2_tlb),
                                          TLB_GEOMETRY(c, l3_tlb)};
    const char *const name[] = {mp_choice("l1_tlb.policy", c->l1_tlb.policy),
                                mp_choice("l2_tlb.policy", c->l2_tlb.policy),
                                mp_choice("l3_tlb.policy", c->l3_tlb.policy)};
    const struct mp_tlb_policy *policy = mp_tlb_policy_find(name[level - 1]);
    *g = all[level - 1];
    g->own = mp_config_values(c, &policy->design);
    return policy;
}

const struct mp_tlb_policy *mp_config_tlb_at_first(const struct mp_config *c, struct mp_tlb_geometry *g)
{
    const struct mp_tlb_policy *policy = mp_config_tlb(c, 3, g);
    if (!c->stats.warmup)
        return policy;
    policy = mp_tlb_policy_find(mp_choice("l3_tlb.warmup_policy", c->l3_tlb.warmup_policy));
    g->own = mp_config_values(c, &policy->design);
    return policy;
}

const struct mp_neighbour_policy *mp_config_neighbours(const struct mp_config *c,
                                                       struct mp_design_values *values)
{
    const struct mp_neighbour_policy *policy =
        mp_neighbour_policy_find(mp_choice("neighbours.policy", c->neighbours.policy));
    *values = mp_config_values(c, &policy->design);
    return policy;
}

static bool chosen(const char *path, uint32_t choice, const char *name)
{
    return !strcmp(mp_choice(path, choice), name);
}

/* Of page table entries; of a whole walk, if it is flat; 0 if they are read through memory. */
static uint32_t level_latency(const struct mp_config *c)
{
    if (chosen("walk.memory", c->walk.memory, "cached") || chosen("walk.memory", c->walk.memory, "dram"))
        return 0;
    bool flat = chosen("walk.memory", c->walk.memory, "flat");
    return (uint32_t)(flat ? c->walk.latency : c->walk.level_latency);
}

void mp_config_walk(const struct mp_config *c, struct mp_walk_params *w)
{
    *w = (struct mp_walk_params){
        .scheduler = mp_walk_scheduler_find(mp_choice("walk.scheduler", c->walk.scheduler)),
        .method = mp_walk_method_find(mp_choice("walk.method", c->walk.method)),
        .geometry = {(uint32_t)c->walk.walkers_per_slice, (uint32_t)c->walk.queue, c->ntenants},
        .format = mp_page_format(c->machine.page_bytes),
        .level_latency = level_latency(c),
        .flat = chosen("walk.memory", c->walk.memory, "flat"),
        .pwc_entries = (uint32_t)c->walk.pwc_entries,
        .pwc_ways = (uint32_t)c->walk.pwc_ways,
        .pwc_latency = (uint32_t)c->walk.pwc_latency,
        .heads_first = chosen("vm.layout", c->vm.layout, "head")};
    const struct mp_design_values own = mp_config_values(c, &w->scheduler->design);
    w->rules = mp_walk_rules_of(w->scheduler, &own);
    w->values = mp_config_values(c, &w->method->design);
}

void mp_config_sm(const struct mp_config *c, struct mp_sm_params *sm)
{
    *sm = (struct mp_sm_params){.warps = (uint32_t)c->sm.warps,
                                .ctas = (uint32_t)c->sm.ctas,
                                .local_bytes = (uint32_t)c->sm.local_bytes,
                                .schedulers = (uint32_t)c->sm.schedulers,
                                .outstanding = (uint32_t)c->sm.outstanding,
                                .lsu_queue = (uint32_t)c->sm.lsu_queue,
                                .dispatch_latency = (uint32_t)c->sm.dispatch_latency,
                                .scheduler =
                                    mp_warp_scheduler_find(mp_choice("sm.scheduler", c->sm.scheduler))};
}
