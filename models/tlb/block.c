/* SPDX-License-Identifier: Apache-2.0 */
/* The TLB as a block of a plan. */
#include "engine/block.h"
#include "tlb/tlb.h"

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_tlb_params *p = params;
    p->ports = place->ins;
    p->tenants = p->geometry.tenants = place->tenant_numbers;
    if (p->policy->divides_ways && place->tenant_slices)
        mp_tlb_divide_ways(p->geometry.ways, p->geometry.tenants, place->tenant_slices,
                           p->geometry.tenant_ways);
}

/* A policy's look-up takes no less than the latency. */
static uint32_t lookahead(const void *params, enum mp_link_kind links)
{
    (void)links;
    const struct mp_tlb_params *p = params;
    return p->geometry.latency;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    return mp_tlb_init(model, wheel, params);
}

static void release(void *model)
{
    mp_tlb_free(model);
}

static struct mp_target target(void *model, unsigned port)
{
    const struct mp_tlb *t = model;
    return (struct mp_target){.request = t->lookups || t->blocks ? mp_tlb_request_in_order : mp_tlb_request,
                              .self = model,
                              .port = port,
                              .warm = mp_tlb_warm};
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_tlb *t = model;
    return &t->ports.up[port];
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    return (struct mp_initiator){mp_tlb_response, mp_tlb_resume, model, out};
}

static void join(void *model, unsigned out, struct mp_target to)
{
    mp_tlb_join(model, out, to);
}

static void route(void *model, unsigned tenant, unsigned out)
{
    struct mp_tlb *t = model;
    t->next_of[tenant] = out;
}

static uint64_t invalidate(void *model, const struct mp_scope *scope)
{
    return mp_tlb_invalidate(model, scope);
}

static void clear(void *model)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    mp_tlb_invalidate(model, &all);
}

static void refresh(void *model, unsigned tenant)
{
    struct mp_tlb *t = model;
    t->stats[tenant].held = mp_tlb_held(t, (uint8_t)tenant);
}

static void *stats(const void *model)
{
    const struct mp_tlb *t = model;
    return t->stats;
}

static unsigned designs(const void *model, struct mp_block_design list[MP_BLOCK_DESIGNS])
{
    const struct mp_tlb *t = model;
    if (!t->policy->counters)
        return 0;
    list[0] = (struct mp_block_design){&t->policy->design, t->policy->counters(t->state)};
    return 1;
}

const struct mp_block_kind mp_tlb_kind = {
    .name = "tlb",
    .model_bytes = sizeof(struct mp_tlb),
    .params_bytes = sizeof(struct mp_tlb_params),
    .metrics = &mp_tlb_metrics,
    .in = MP_LINK_TRANSLATION,
    .groups = 1,
    .out = {{"misses", MP_LINK_TRANSLATION, true}},
    .lookahead = lookahead,
    .fit = fit,
    .init = init,
    .free = release,
    .target = target,
    .up = up,
    .initiator = initiator,
    .join = join,
    .route = route,
    .invalidate = invalidate,
    .clear = clear,
    .refresh = refresh,
    .stats = stats,
    .designs = designs,
};
