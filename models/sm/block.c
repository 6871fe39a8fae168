/* SPDX-License-Identifier: Apache-2.0 */
/* The SM as a block of a plan: no in ports, one link for translations and one for data. */
#include "engine/block.h"
#include "sm/parts.h"

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_sm_params *p = params;
    p->id = place->first_sm;
    p->tenants = place->tenant_numbers;
}

static bool needs(const void *params, unsigned group)
{
    const struct mp_sm_params *p = params;
    return group == MP_SM_DATA || !p->sends_virtual;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    return mp_sm_init(model, wheel, params);
}

static void release(void *model)
{
    mp_sm_free(model);
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    const struct mp_sm *sm = model;
    bool data = sm->p.sends_virtual || out == MP_SM_DATA; /* the only link, then */
    return data ? mp_initiator_of(mp_sm_response_of_data(sm), mp_sm_data_resume, model, 0)
                : mp_initiator_of(mp_sm_translated, mp_sm_translate_resume, model, 0);
}

static void join(void *model, unsigned out, struct mp_target to)
{
    const struct mp_sm *sm = model;
    mp_sm_join(model, sm->p.sends_virtual ? MP_SM_DATA : (enum mp_sm_link)out, to);
}

static void *stats(const void *model)
{
    const struct mp_sm *sm = model;
    return sm->stats;
}

#define NUMBER(member, ...)         MP_PARAM_NUMBER(struct mp_sm_params, member, __VA_ARGS__)
#define CHOICE(member, ...)         MP_PARAM_CHOICE(struct mp_sm_params, member, __VA_ARGS__)
#define DESIGN(member, values, ...) MP_PARAM_DESIGN(struct mp_sm_params, member, values, __VA_ARGS__)

static const struct mp_block_param params[] = {
    MP_PARAM_NUMBER_APART(
        "lanes", "lanes", 32, 32, 64, "A100",
        "lanes of a warp, 32 or 64, in every trace that the SM executes; applications are recorded so"),
    NUMBER(warps, "warps", "warps", "warps", 64, 1, 64, "A100", "warps resident on an SM"),
    NUMBER(ctas, NULL, "ctas", "CTAs", 32, 1, 64, "A100", "work-groups resident on an SM"),
    NUMBER(local_bytes, NULL, "local_bytes", "B", 167936, 0, 1048576, "A100",
           "local memory that resident work-groups share"),
    NUMBER(schedulers, "schedulers", "schedulers", "schedulers", 4, 1, 8, "A100",
           "warp schedulers; each issues one instruction per cycle"),
    MP_PARAM_ONLY_DESIGN(struct mp_sm_params, scheduler, "scheduler", mp_warp_scheduler_designs, "lrr",
                         "STAR IV, DWS Table I", "warp scheduler: greedy then oldest, or loose round robin"),
    NUMBER(outstanding, NULL, "outstanding", "accesses", 1, 1, 64, "mempath",
           "memory instructions of one warp that may be in flight before it waits; the loads of one "
           "statement overlap, as with a scoreboard"),
    CHOICE(scoreboard, NULL, "scoreboard", "none|needs", "mempath",
           "whether an access waits for the loads whose values it needs, which a trace must say; without it, "
           "`outstanding` alone limits a warp"),
    MP_PARAM_CHOICE_APART(
        "translate", "before|after", "mempath",
        "pages are translated before the first-level data cache, or after it if a line misses there or is "
        "stored to; the cache then has virtual tags, one for each address space"),
    NUMBER(lsu_queue, NULL, "lsu_queue", "accesses", 16, 1, 256, "mempath",
           "memory instructions that wait in the load-store unit; "
           "they keep it busy during a divergent instruction"),
    NUMBER(dispatch_latency, NULL, "dispatch_latency", "cycles", 10, 0, 100000, "mempath",
           "time from a work-group's end until the next one may start in its place; as long as an L2 TLB's "
           "look-up, so that slices can be simulated a window at a time"),
    MP_PARAM_END,
};

_Static_assert(!offsetof(struct mp_warp_scheduler, design), "a scheduler begins with its design");

const struct mp_block_kind mp_sm_kind = {
    .name = "sm",
    .model_bytes = sizeof(struct mp_sm),
    .params_bytes = sizeof(struct mp_sm_params),
    .metrics = &mp_sm_metrics,
    .groups = 2,
    .out = {[MP_SM_TRANSLATE] = {"translations", MP_LINK_TRANSLATION, false},
            [MP_SM_DATA] = {"data", MP_LINK_MEMORY, false}},
    .params = params,
    .needs = needs,
    .fit = fit,
    .init = init,
    .free = release,
    .initiator = initiator,
    .join = join,
    .stats = stats,
    .xray = mp_sm_xray,
};
