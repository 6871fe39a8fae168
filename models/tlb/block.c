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
    return mp_initiator_of(mp_tlb_response, mp_tlb_resume, model, out);
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

static void *hints(const void *model)
{
    const struct mp_tlb *t = model;
    return t->hints;
}

static void *lines(const void *model)
{
    const struct mp_tlb *t = model;
    return t->lines;
}

static unsigned designs(const void *model, struct mp_block_design list[MP_BLOCK_DESIGNS])
{
    const struct mp_tlb *t = model;
    unsigned n = 0;
    if (t->policy->counters)
        list[n++] = (struct mp_block_design){&t->policy->design, t->policy->counters(t->state)};
    if (t->exchange)
        list[n++] = mp_exchange_design(t->exchange);
    if (t->prefetch)
        list[n++] = mp_prefetch_design(t->prefetch);
    return n;
}

#define NUMBER(member, ...)         MP_PARAM_NUMBER(struct mp_tlb_params, member, __VA_ARGS__)
#define CHOICE(member, ...)         MP_PARAM_CHOICE(struct mp_tlb_params, member, __VA_ARGS__)
#define DESIGN(member, values, ...) MP_PARAM_DESIGN(struct mp_tlb_params, member, values, __VA_ARGS__)

static const struct mp_block_param params[] = {
    NUMBER(entries, "entries", "entries", "entries", 128, 1, 1048576, "STAR Table I",
           "number of entries; sets = entries / ways"),
    NUMBER(
        geometry.ways, "ways", "ways", "ways", 8, 1, 128, "STAR Table I",
        "associativity, up to 64, or as many as the policy can have; fully associative if equal to entries"),
    NUMBER(geometry.sub_entries, "sub-entries", "sub_entries", "sub-entries", 16, 1, 16, "STAR Table I",
           "neighbouring pages that one entry maps: 1, 2, 4, 8 or 16"),
    NUMBER(geometry.latency, "cycles", "latency", "cycles", 10, 1, 10000, "STAR Table I",
           "time of a lookup, hit or miss"),
    NUMBER(mshrs, "MSHRs", "mshrs", "MSHRs", 64, 1, 4096, "mempath",
           "pages that can be fetched at the same time"),
    NUMBER(merges, NULL, "merges", "requests", 16, 1, 65535, "mempath",
           "requests that wait on one MSHR, including the first"),
    CHOICE(blocks, NULL, "mshr_full", "hold|block", "mempath",
           "a miss that finds no free MSHR waits and holds its port only, "
           "or blocks every request that comes after it, hits too"),
    NUMBER(lookups, NULL, "lookups", "requests", 0, 0, 65536, "mempath",
           "requests looked up at a time, in order of arrival; 0: no limit"),
    CHOICE(pipeline, NULL, "pipeline", "all|first|none", "mempath",
           "which cycles of a look-up are pipelined: all; those of the first comparison, so that a policy "
           "such as star, which compares in several steps, holds up the next look-up; or none, so that "
           "`lookups` of them are in progress at most"),
    DESIGN(policy, geometry.own, "policy", mp_tlb_policy_designs, "subentry", "STAR Table I",
           "how the TLB places and replaces translations"),
    MP_PARAM_EXTRA_DESIGN(struct mp_tlb_params, prefetch.design, prefetch.own, "prefetch",
                          mp_prefetcher_designs, "none", "mempath",
                          "chooses translations that the TLB fetches before they are asked for, and keeps in "
                          "a buffer next to the "
                          "array"),
    NUMBER(prefetch.entries, NULL, "prefetch_buffer", "entries", 16, 1, MP_PREFETCH_ENTRIES,
           "Kandiraju 2002, as remembered",
           "prefetched translations that wait for a use, and as many hints on their way"),
    MP_PARAM_END,
};

_Static_assert(!offsetof(struct mp_tlb_policy, design), "a policy begins with its design");
_Static_assert(!offsetof(struct mp_prefetcher, design), "a prefetcher begins with its design");

static void derive(void *params, const struct mp_block_common *common)
{
    struct mp_tlb_params *p = params;
    p->geometry.sets = p->entries / p->geometry.ways;
    p->geometry.warps = common->warps;
    p->geometry.sms = common->sms;
    p->tenants = p->geometry.tenants = common->tenants;
    p->page_shift = (uint32_t)__builtin_ctzll(common->page_bytes);
    p->page_sizes = common->page_sizes;
}

const struct mp_block_kind mp_tlb_kind = {
    .name = "tlb",
    .model_bytes = sizeof(struct mp_tlb),
    .params_bytes = sizeof(struct mp_tlb_params),
    .metrics = &mp_tlb_metrics,
    .in = MP_LINK_TRANSLATION,
    .groups = 2,
    .out = {{"misses", MP_LINK_TRANSLATION, true}, {"probes", MP_LINK_TRANSLATION, true}},
    .params = params,
    .derive = derive,
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
    .rare = {{&mp_tlb_hint_metrics, hints}, {&mp_tlb_line_metrics, lines}},
    .xray = mp_tlb_xray,
};
