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
    return data ? (struct mp_initiator){mp_sm_response_of_data(sm), mp_sm_data_resume, model, 0}
                : (struct mp_initiator){mp_sm_translated, mp_sm_translate_resume, model, 0};
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

const struct mp_block_kind mp_sm_kind = {
    .name = "sm",
    .model_bytes = sizeof(struct mp_sm),
    .params_bytes = sizeof(struct mp_sm_params),
    .metrics = &mp_sm_metrics,
    .groups = 2,
    .out = {[MP_SM_TRANSLATE] = {"translations", MP_LINK_TRANSLATION, false},
            [MP_SM_DATA] = {"data", MP_LINK_MEMORY, false}},
    .needs = needs,
    .fit = fit,
    .init = init,
    .free = release,
    .initiator = initiator,
    .join = join,
    .stats = stats,
    .xray = mp_sm_xray,
};
