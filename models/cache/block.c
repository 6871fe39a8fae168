/* SPDX-License-Identifier: Apache-2.0 */
/* The data cache as a block of a plan. */
#include "engine/block.h"
#include "cache/cache.h"

static void scale(void *params, uint32_t slices)
{
    struct mp_cache_params *p = params;
    p->banks *= slices;
}

static uint32_t lanes(const void *params)
{
    const struct mp_cache_params *p = params;
    return p->bank_ports ? p->banks : 1;
}

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_cache_params *p = params;
    p->ports = place->ins;
    p->tenants = place->tenant_numbers;
    p->links = place->outs[0];
}

/* A line that leaves is written back at once. */
static uint32_t lookahead(const void *params, enum mp_link_kind links)
{
    (void)links;
    const struct mp_cache_params *p = params;
    return p->write_back ? 0 : p->latency;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    return mp_cache_init(model, wheel, params);
}

static void release(void *model)
{
    mp_cache_free(model);
}

static struct mp_target target(void *model, unsigned port)
{
    const struct mp_cache *c = model;
    return mp_target_of(c->p.loads_go_past ? mp_cache_past_request : mp_cache_request, model, port);
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_cache *c = model;
    return &c->up[port];
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    const struct mp_cache *c = model;
    return (struct mp_initiator){c->p.loads_go_past ? mp_cache_past_answer : mp_cache_response,
                                 mp_cache_resume, model, out};
}

static void join(void *model, unsigned out, struct mp_target to)
{
    mp_cache_join(model, out, to);
}

static void clear(void *model)
{
    mp_cache_forget(model);
}

static void *stats(const void *model)
{
    const struct mp_cache *c = model;
    return c->stats;
}

const struct mp_block_kind mp_cache_kind = {
    .name = "cache",
    .model_bytes = sizeof(struct mp_cache),
    .params_bytes = sizeof(struct mp_cache_params),
    .metrics = &mp_cache_metrics,
    .in = MP_LINK_MEMORY,
    .groups = 1,
    .out = {{"lines", MP_LINK_MEMORY, true}},
    .scale = scale,
    .lanes = lanes,
    .lookahead = lookahead,
    .fit = fit,
    .init = init,
    .free = release,
    .target = target,
    .up = up,
    .initiator = initiator,
    .join = join,
    .clear = clear,
    .stats = stats,
    .xray = mp_cache_xray,
};
