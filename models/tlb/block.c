/* SPDX-License-Identifier: Apache-2.0 */
/* The TLB as a block of a plan. */
#include "engine/block.h"
#include "tlb/tlb.h"

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_tlb_params *p = params;
    p->ports = place->ins;
    p->tenants = p->geometry.tenants = place->tenant_numbers;
    p->links = place->outs[0];
    mp_exchange_place(&p->exchange, place);
    if (place->tenant_slices &&
        p->geometry.tenants <= p->geometry.ways) /* a policy may follow that divides */
        mp_tlb_divide_ways(p->geometry.ways, p->geometry.tenants, place->tenant_slices,
                           p->geometry.tenant_ways);
}

/* A policy's look-up takes no less than the latency. What goes to a peer has no lookahead, nor has a miss
 * that a peer was asked for in vain. */
static uint32_t lookahead(const void *params, enum mp_link_kind links)
{
    (void)links;
    const struct mp_tlb_params *p = params;
    return mp_exchange_needed(&p->exchange) ? 0 : p->geometry.latency;
}

static bool needs(const void *params, unsigned group)
{
    const struct mp_tlb_params *p = params;
    return group == 0 || mp_exchange_needed(&p->exchange);
}

static uint32_t peers(const void *params, uint32_t ring_place, uint32_t ring, uint32_t *list)
{
    const struct mp_tlb_params *p = params;
    return mp_exchange_peers(&p->exchange, ring_place, ring, list);
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
    return mp_target_of(t->lookups || t->blocks ? mp_tlb_request_in_order : mp_tlb_request, model, port);
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
    struct mp_tlb *t = model;
    if (out < t->links)
        mp_tlb_join(t, out, to);
    else
        mp_exchange_join(t->exchange, out - t->links, to);
}

static void route(void *model, unsigned tenant, unsigned out)
{
    struct mp_tlb *t = model;
    if (out < t->links)
        t->next_of[tenant] = out;
}

static uint64_t invalidate(void *model, const struct mp_scope *scope)
{
    return scope->translations_stay ? 0 : mp_tlb_invalidate(model, scope);
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
    unsigned n = 0;
    if (t->policy->counters)
        list[n++] = (struct mp_block_design){&t->policy->design, t->policy->counters(t->state)};
    if (t->exchange)
        list[n++] = mp_exchange_design(t->exchange);
    return n;
}

const struct mp_block_kind mp_tlb_kind = {
    .name = "tlb",
    .model_bytes = sizeof(struct mp_tlb),
    .params_bytes = sizeof(struct mp_tlb_params),
    .metrics = &mp_tlb_metrics,
    .in = MP_LINK_TRANSLATION,
    .groups = 2,
    .out = {{"misses", MP_LINK_TRANSLATION, true}, {"probes", MP_LINK_TRANSLATION, true}},
    .needs = needs,
    .peers = peers,
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
    .xray = mp_tlb_xray,
};
