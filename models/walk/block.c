/* SPDX-License-Identifier: Apache-2.0 */
/* The page-walk system as a block of a plan. */
#include "engine/block.h"
#include "walk/walk.h"

static void scale(void *params, uint32_t slices)
{
    struct mp_walk_params *p = params;
    p->geometry.walkers *= slices;
}

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_walk_params *p = params;
    p->ports = place->ins;
    p->links = place->outs[0];
    p->geometry.tenants = place->tenant_numbers;
}

/* With a fixed latency per level, nothing is read through a link. */
static bool needs(const void *params, unsigned group)
{
    const struct mp_walk_params *p = params;
    (void)group;
    return !p->level_latency;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    return mp_walk_init(model, wheel, params);
}

static void release(void *model)
{
    mp_walk_free(model);
}

static struct mp_target target(void *model, unsigned port)
{
    return mp_target_of(mp_walk_request, model, port);
}

static struct mp_initiator *up(void *model, unsigned port)
{
    struct mp_walk *w = model;
    return &w->ports.up[port];
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    return mp_initiator_of(mp_walk_response, mp_walk_resume, model, out);
}

static void join(void *model, unsigned out, struct mp_target to)
{
    mp_walk_join(model, out, to);
}

static void serve(void *model, uint32_t tenants)
{
    mp_walk_set_tenants(model, tenants);
}

static void set_root(void *model, uint16_t asid, const struct mp_page_format *format, uint64_t root)
{
    mp_walk_set_root(model, asid, format, root);
}

/* Entries of the page walk cache point to tables. They stay right if only pages change, unless the method's
 * upper entries say something about the pages below them. */
static uint64_t invalidate(void *model, const struct mp_scope *scope)
{
    struct mp_walk *w = model;
    const struct mp_walk_method *m = w->p.method;
    if (scope->tables || m->reach)
        return mp_walk_invalidate(w, scope);
    return m->invalidate ? m->invalidate(w, scope) : 0;
}

static void clear(void *model)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    mp_walk_invalidate(model, &all);
}

static void *stats(const void *model)
{
    const struct mp_walk *w = model;
    return w->stats;
}

static void *hints(const void *model)
{
    const struct mp_walk *w = model;
    return w->hints;
}

static unsigned designs(const void *model, struct mp_block_design list[MP_BLOCK_DESIGNS])
{
    const struct mp_walk *w = model;
    const struct mp_walk_scheduler *scheduler = w->p.scheduler;
    unsigned n = 0;
    if (w->method_stats)
        list[n++] = (struct mp_block_design){&w->p.method->design, w->method_stats};
    if (w->pages)
        list[n++] = (struct mp_block_design){&mp_walk_pages, w->pages};
    if (scheduler->counters)
        list[n++] = (struct mp_block_design){&scheduler->design, scheduler->counters(w->intake.state)};
    return n;
}

#define NUMBER(member, ...)         MP_PARAM_NUMBER(struct mp_walk_params, member, __VA_ARGS__)
#define CHOICE(member, ...)         MP_PARAM_CHOICE(struct mp_walk_params, member, __VA_ARGS__)
#define DESIGN(member, values, ...) MP_PARAM_DESIGN(struct mp_walk_params, member, values, __VA_ARGS__)

static const struct mp_block_param params[] = {
    NUMBER(geometry.walkers, "walkers", "walkers_per_slice", "walkers", 8, 1, 256, "STAR Table I",
           "page table walkers per GPC slice, pooled"),
    NUMBER(geometry.queue, "waiting walks", "queue", "requests", 192, 1, 61440, "DWS Table I",
           "walks that wait for a walker"),
    DESIGN(scheduler, rules.own, "scheduler", mp_walk_scheduler_designs, "fcfs", "STAR, DWS V",
           "chooses the next waiting walk for a walker"),
    CHOICE(memory_reads, "", "memory", "fixed|cached|flat|dram", "STAR Table I, DWS VI, NeiDty Table III",
           "page table entries cost level_latency, or are read through L2 cache and DRAM, or from the DRAM "
           "past the L2 cache; flat: a whole walk costs walk.latency"),
    NUMBER(fixed_latency, "cycles per level", "level_latency", "cycles", 100, 1, 100000, "STAR Table I",
           "latency of one page table level if walk.memory is fixed"),
    NUMBER(flat_latency, "cycles per walk", "latency", "cycles", 150, 1, 100000, "NeiDty Table III",
           "time of a walk, whatever it reads, if walk.memory is flat"),
    NUMBER(pwc_entries, "page-walk-cache entries", "pwc_entries", "entries", 128, 0, 65536, "STAR Table I",
           "page walk cache per instance; 0 disables it"),
    NUMBER(pwc_ways, NULL, "pwc_ways", "ways", 8, 1, 128, "DWS artifact",
           "associativity of the page walk cache"),
    NUMBER(pwc_latency, NULL, "pwc_latency", "cycles", 10, 0, 10000, "DWS artifact",
           "time of a page walk cache lookup, once per walk"),
    DESIGN(
        method, values, "method", mp_walk_method_designs, "on_return", "DWS II, DWS artifact",
        "which entries of the page tables a walk reads, what it answers with, and how it uses the page walk "
        "cache"),
    MP_PARAM_END,
};

_Static_assert(!offsetof(struct mp_walk_scheduler, design), "a scheduler begins with its design");
_Static_assert(!offsetof(struct mp_walk_method, design), "a method begins with its design");

static void derive(void *params, const struct mp_block_common *common)
{
    struct mp_walk_params *p = params;
    p->format = common->format;
    p->table = common->table;
    p->geometry.tenants = common->tenants;
    p->rules = mp_walk_rules_of(p->scheduler, &p->rules.own);
    p->flat = p->memory_reads == MP_WALK_MEMORY_FLAT;
    if (!p->flat)
        p->flat_latency = 0;
    if (p->memory_reads != MP_WALK_MEMORY_FIXED)
        p->fixed_latency = 0;
    p->level_latency = p->fixed_latency + p->flat_latency;
}

const struct mp_block_kind mp_walk_kind = {
    .name = "walk",
    .model_bytes = sizeof(struct mp_walk),
    .params_bytes = sizeof(struct mp_walk_params),
    .metrics = &mp_walk_metrics,
    .in = MP_LINK_TRANSLATION,
    .groups = 1,
    .out = {{"reads", MP_LINK_MEMORY, true}},
    .params = params,
    .derive = derive,
    .scale = scale,
    .needs = needs,
    .fit = fit,
    .init = init,
    .free = release,
    .target = target,
    .up = up,
    .initiator = initiator,
    .join = join,
    .serve = serve,
    .set_root = set_root,
    .invalidate = invalidate,
    .clear = clear,
    .stats = stats,
    .designs = designs,
    .rare = {{&mp_walk_hint_metrics, hints}},
    .xray = mp_walk_xray,
};
