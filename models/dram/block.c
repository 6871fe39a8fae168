/* SPDX-License-Identifier: Apache-2.0 */
/* The DRAM channels as a block of a plan. */
#include "engine/block.h"
#include "dram/hbm.h"

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

static enum mp_answer (*const request_of[])(void *, unsigned, struct mp_req *,
                                            uint32_t *) = {[MP_DRAM_BANKS] = mp_dram_request,
                                                           [MP_DRAM_IDEAL] = mp_dram_ideal_request,
                                                           [MP_DRAM_HBM] = mp_dram_hbm_request};

static struct mp_target target(void *model, unsigned port)
{
    const struct mp_dram *d = model;
    return mp_target_of(request_of[d->p.model], model, port);
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
    CHOICE(model, "", "model", "banks|ideal|hbm", "mempath",
           "banks: queues, row buffers and a data bus for each channel; "
           "ideal: every access takes dram.latency, at any rate; "
           "hbm: banks with bank groups, turns of the bus, refresh and a clock of their own"),
    NUMBER(latency, "cycles", "latency", "cycles", 100, 1, 10000, "MGPUSim",
           "time of an access if dram.model is ideal"),
    NUMBER(channels, "channels", "channels_per_slice", "channels", 8, 1, 256, "A100",
           "channels per GPC slice (HBM2, 1555 GB/s over 8 slices); with hbm, pseudo channels"),
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
    NUMBER(clock, NULL, "clock_mhz", "MHz", 0, 0, 10000, "mempath",
           "clock of the DRAM if dram.model is hbm, whose times but dram.transport count its cycles; "
           "0: machine.clock_mhz"),
    NUMBER(accesses, NULL, "accesses", "accesses", 4, 1, 16, "JESD235",
           "hbm: column accesses of a line, of dram.burst together; 32 B each"),
    NUMBER(groups, NULL, "groups", "groups", 4, 1, 64, "JESD235", "hbm: bank groups of a channel"),
    NUMBER(ccd_l, NULL, "ccd_l", "cycles", 4, 0, 1000, "JESD235",
           "hbm: between column accesses of a bank group, tCCD_L"),
    NUMBER(rrd, NULL, "rrd", "cycles", 4, 0, 1000, "gem5", "hbm: between activates, tRRD_S"),
    NUMBER(rrd_l, NULL, "rrd_l", "cycles", 6, 0, 1000, "gem5",
           "hbm: between activates of a bank group, tRRD_L"),
    NUMBER(faw, NULL, "faw", "cycles", 16, 0, 1000, "gem5",
           "hbm: in which there are 4 activates at most, tFAW"),
    NUMBER(rtp, NULL, "rtp", "cycles", 5, 0, 1000, "gem5", "hbm: read to precharge, tRTP"),
    NUMBER(cwl, NULL, "cwl", "cycles", 7, 1, 1000, "gem5", "hbm: write latency, tCWL"),
    NUMBER(wr, NULL, "wr", "cycles", 14, 0, 1000, "gem5", "hbm: end of written data to precharge, tWR"),
    NUMBER(wtr, NULL, "wtr", "cycles", 9, 0, 1000, "gem5", "hbm: end of written data to a read, tWTR_L"),
    NUMBER(refi, NULL, "refi", "cycles", 3900, 0, 1000000, "JESD235",
           "hbm: in which each bank is refreshed once, tREFI; 0: no refresh"),
    CHOICE(by_bank, NULL, "refresh", "all|bank", "JESD235",
           "hbm: all banks refresh together (REFab), or one after another while the others serve requests "
           "(REFSB of HBM2, REFpb of HBM3), one in each dram.refi / dram.banks"),
    NUMBER(rfc, NULL, "rfc", "cycles", 260, 0, 100000, "gem5", "hbm: time of a refresh of all banks, tRFC"),
    NUMBER(rfcpb, NULL, "rfcpb", "cycles", 160, 0, 100000, "Ramulator",
           "hbm: time of a refresh of one bank, tRFCSB or tRFCpb"),
    NUMBER(rrefd, NULL, "rrefd", "cycles", 8, 0, 1000, "Ramulator",
           "hbm: from the refresh of a bank to that of another, or to an activate of another, tRREFD"),
    NUMBER(batch, NULL, "batch", "accesses", 64, 1, 65536, "mempath",
           "hbm: column accesses in one direction, after which the other direction has its turn if it waits"),
    MP_PARAM_END,
};

static void derive(void *params, const struct mp_block_common *common)
{
    struct mp_dram_params *p = params;
    p->tenants = common->tenants;
    if (p->model != MP_DRAM_IDEAL)
        p->latency = 0;
    p->core = common->clock_mhz;
    if (!p->clock)
        p->clock = p->core;
}

const struct mp_block_kind mp_dram_kind = {
    .name = "dram",
    .model_bytes = sizeof(struct mp_dram),
    .params_bytes = sizeof(struct mp_dram_params),
    .metrics = &mp_dram_metrics,
    .in = MP_LINK_MEMORY,
    .of_memory = true,
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
