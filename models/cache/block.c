/* SPDX-License-Identifier: Apache-2.0 */
/* The data cache as a block of a plan. */
#include "engine/block.h"
#include "cache/cache.h"

static void scale(void *params, uint32_t slices)
{
    struct mp_cache_params *p = params;
    p->banks *= slices;
    p->bytes *= slices;
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
    p->hosts = place->outs[1];
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
    return mp_target_of(mp_cache_path(model)->request, model, port);
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_cache *c = model;
    return &c->up[port];
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    return mp_initiator_of(mp_cache_response_of(model), mp_cache_resume, model, out);
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

#define NUMBER(member, ...) MP_PARAM_NUMBER(struct mp_cache_params, member, __VA_ARGS__)
#define CHOICE(member, ...) MP_PARAM_CHOICE(struct mp_cache_params, member, __VA_ARGS__)

static const struct mp_block_param params[] = {
    NUMBER(bytes, "B", "bytes_per_slice", "B", 2097152, 4096, 67108864, "STAR Table I",
           "capacity per GPC slice; write-back"),
    NUMBER(banks, "banks", "banks_per_slice", "banks", 16, 1, 64, "DWS Table I",
           "banks per GPC slice, chosen by a hash of the line address; each accepts one request per cycle"),
    CHOICE(bank_ports, NULL, "ports", "shared|bank", "mempath",
           "links from each first-level cache and page-walk system: one, which a full bank blocks, or one "
           "for each bank; bank needs a machine.hash whose banks are the DRAM's channels"),
    NUMBER(ways, "ways", "ways", "ways", 8, 1, 64, "STAR Table I", "associativity"),
    NUMBER(latency, "cycles", "latency", "cycles", 170, 1, 10000, "mempath",
           "time of lookup and data, derived from load-to-use latencies measured on A100"),
    NUMBER(mshrs, NULL, "mshrs", "MSHRs", 64, 1, 65534, "mempath",
           "lines that can be fetched at the same time, per bank if there are banks"),
    NUMBER(merges, NULL, "merges", "requests", 64, 1, 4096, "mempath",
           "requests that wait on one MSHR, including the first"),
    NUMBER(clock, NULL, "clock_mhz", "MHz", 0, 0, 10000, "mempath",
           "clock of the cache, whose latency counts its cycles, and whose banks take a request in each; "
           "0: machine.clock_mhz"),
    MP_PARAM_END,
};

const struct mp_block_param mp_through_cache_params[] = {
    NUMBER(bytes, "B", "bytes", "B", 65536, 1024, 1048576, "STAR Table I",
           "capacity; write-through, no allocation on stores"),
    CHOICE(loads_go_past, NULL, "loads", "cached|bypassed", "mempath",
           "loads look for their lines in this cache, or go past it, as on GPUs that keep no global data "
           "there; the way takes l1d.latency in any case"),
    CHOICE(machine_map, NULL, "hash", "spread|machine", "mempath",
           "places lines in sets as machine.hash spread does, or as machine.hash does; "
           "interleaved takes sets from address bits"),
    NUMBER(ways, "ways", "ways", "ways", 2, 1, 64, "STAR Table I", "associativity"),
    NUMBER(latency, "cycles", "latency", "cycles", 30, 1, 10000, "mempath",
           "time of lookup and data, derived from load-to-use latencies measured on A100"),
    NUMBER(mshrs, NULL, "mshrs", "MSHRs", 128, 1, 65534, "mempath",
           "lines that can be fetched at the same time, per bank if there are banks"),
    NUMBER(merges, NULL, "merges", "requests", 64, 1, 4096, "mempath",
           "requests that wait on one MSHR, including the first"),
    NUMBER(fill_bytes, NULL, "fill_bytes", "B", 0, 0, 1024, "mempath",
           "bytes of lines that come from the next level in a cycle; 0: no limit"),
    MP_PARAM_END,
};

/* A cache without banks has one. */
static void derive(void *params, const struct mp_block_common *common)
{
    struct mp_cache_params *p = params;
    p->banks = p->banks ? p->banks : 1;
    p->sets = (uint32_t)(p->bytes / p->banks / p->ways / common->line_bytes);
    p->line_shift = (uint32_t)__builtin_ctzll(common->line_bytes);
    p->page_shift = (uint32_t)__builtin_ctzll(common->page_bytes);
    p->tenants = common->tenants;
}

static void derive_back(void *params, const struct mp_block_common *common)
{
    struct mp_cache_params *p = params;
    p->write_back = true;
    derive(params, common);
    if (!p->clock || p->clock == common->clock_mhz)
        return;
    p->latency = (uint32_t)(((uint64_t)p->latency * common->clock_mhz + p->clock - 1) / p->clock);
    p->period = (uint32_t)(((uint64_t)common->clock_mhz << 16) / p->clock);
}

#define CACHE                                                                                                \
    .name = "cache", .model_bytes = sizeof(struct mp_cache), .params_bytes = sizeof(struct mp_cache_params), \
    .metrics = &mp_cache_metrics, .in = MP_LINK_MEMORY, .scale = scale, .lanes = lanes,                      \
    .lookahead = lookahead, .fit = fit, .init = init, .free = release, .target = target, .up = up,           \
    .initiator = initiator, .join = join, .clear = clear, .stats = stats, .xray = mp_cache_xray

const struct mp_block_kind mp_cache_kind = {
    CACHE,
    .params = params,
    .derive = derive_back,
    .of_memory = true,
    .groups = 2,
    .out = {{"lines", MP_LINK_MEMORY, true}, {"lines of the host", MP_LINK_MEMORY, false}}};
const struct mp_block_kind mp_through_cache_kind = {CACHE, .params = mp_through_cache_params,
                                                    .derive = derive, .groups = 1,
                                                    .out = {{"lines", MP_LINK_MEMORY, true}}};
