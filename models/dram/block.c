/* SPDX-License-Identifier: Apache-2.0 */
/* The DRAM channels as a block of a plan. */
#include "engine/block.h"
#include "dram/dram.h"

static void scale(void *params, uint32_t slices)
{
    struct mp_dram_params *p = params;
    p->channels *= slices;
}

static uint32_t lanes(const void *params)
{
    const struct mp_dram_params *p = params;
    return p->channels;
}

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_dram_params *p = params;
    p->ports = place->ins;
    p->tenants = place->tenant_numbers;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    return mp_dram_init(model, wheel, params);
}

static void release(void *model)
{
    mp_dram_free(model);
}

static struct mp_target target(void *model, unsigned port)
{
    const struct mp_dram *d = model;
    return mp_target_of(d->p.latency ? mp_dram_ideal_request : mp_dram_request, model, port);
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_dram *d = model;
    return &d->up[port];
}

static void *stats(const void *model)
{
    const struct mp_dram *d = model;
    return d->stats;
}

const struct mp_block_kind mp_dram_kind = {
    .name = "dram",
    .model_bytes = sizeof(struct mp_dram),
    .params_bytes = sizeof(struct mp_dram_params),
    .metrics = &mp_dram_metrics,
    .in = MP_LINK_MEMORY,
    .scale = scale,
    .lanes = lanes,
    .fit = fit,
    .init = init,
    .free = release,
    .target = target,
    .up = up,
    .stats = stats,
    .xray = mp_dram_xray,
};
