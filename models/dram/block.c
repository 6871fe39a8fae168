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

#define NUMBER(member, ...) MP_PARAM_NUMBER(struct mp_dram_params, member, __VA_ARGS__)
#define CHOICE(member, ...) MP_PARAM_CHOICE(struct mp_dram_params, member, __VA_ARGS__)

static const struct mp_block_param params[] = {
    CHOICE(ideal, "", "model", "banks|ideal", "mempath",
           "banks: queues, row buffers and a data bus for each channel; "
           "ideal: every access takes dram.latency, at any rate"),
    NUMBER(latency, "cycles", "latency", "cycles", 100, 1, 10000, "MGPUSim",
           "time of an access if dram.model is ideal"),
    NUMBER(channels, "channels", "channels_per_slice", "channels", 8, 1, 64, "A100",
           "channels per GPC slice (HBM2, 1555 GB/s over 8 slices)"),
    NUMBER(banks, "banks per channel", "banks", "banks", 16, 1, 64, "HBM2", "banks per channel"),
    NUMBER(row_bytes, "B per row", "row_bytes", "B", 2048, 256, 65536, "FGPU 3.3", "row buffer"),
    NUMBER(queue, NULL, "queue", "requests", 64, 1, 1024, "DWS artifact",
           "requests among which a channel's FR-FCFS scheduler chooses"),
    NUMBER(burst, NULL, "burst", "cycles", 5, 1, 1000, "A100",
           "data bus time of one line: 128 B at 25.6 GB/s per channel"),
    NUMBER(cas, NULL, "cas", "cycles", 14, 1, 1000, "HBM2", "column access, tCL"),
    NUMBER(rcd, NULL, "rcd", "cycles", 14, 1, 1000, "HBM2", "row to column delay, tRCD"),
    NUMBER(rp, NULL, "rp", "cycles", 14, 1, 1000, "HBM2", "precharge, tRP"),
    NUMBER(ras, NULL, "ras", "cycles", 33, 1, 1000, "HBM2", "activate to precharge, tRAS"),
    NUMBER(transport, NULL, "transport", "cycles", 150, 0, 10000, "mempath",
           "controller and wires, both ways; in total about 400 cycles from SM "
           "to DRAM and back, as measured on A100"),
    MP_PARAM_END,
};

static void derive(void *params, const struct mp_block_common *common)
{
    struct mp_dram_params *p = params;
    p->tenants = common->tenants;
    if (!p->ideal)
        p->latency = 0;
}

const struct mp_block_kind mp_dram_kind = {
    .name = "dram",
    .model_bytes = sizeof(struct mp_dram),
    .params_bytes = sizeof(struct mp_dram_params),
    .metrics = &mp_dram_metrics,
    .in = MP_LINK_MEMORY,
    .params = params,
    .derive = derive,
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
