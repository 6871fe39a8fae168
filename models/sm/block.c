/* SPDX-License-Identifier: Apache-2.0 */
/* The SM as a block of a plan: no in ports, one link for translations and one for data. */
#include "engine/block.h"
#include "sm/sm.h"

static void fit(void *params, const struct mp_block_place *place)
{
    struct mp_sm_params *p = params;
    p->id = place->first_sm;
    p->tenants = place->tenant_numbers;
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
    return out == MP_SM_TRANSLATE ? (struct mp_initiator){mp_sm_translated, mp_sm_translate_resume, model, 0}
                                  : (struct mp_initiator){mp_sm_loaded, mp_sm_data_resume, model, 0};
}

static void join(void *model, unsigned out, struct mp_target to)
{
    mp_sm_join(model, (enum mp_sm_link)out, to);
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
    .fit = fit,
    .init = init,
    .free = release,
    .initiator = initiator,
    .join = join,
    .stats = stats,
};
