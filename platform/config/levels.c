/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a level's blocks, as a configuration gives them. */
#include <string.h>

#include "config/internal.h"
#include "gpu/machine.h"

struct mp_level_config *mp_config_added(const struct mp_config *c, const char *name)
{
    for (unsigned k = 0; k < c->nlevels; k++)
        if (!strcmp(c->level[k].name, name))
            return (struct mp_level_config *)&c->level[k];
    return NULL;
}

const struct mp_level *mp_config_level_row(const struct mp_config *c, const char *name)
{
    const struct mp_level_config *added = mp_config_added(c, name);
    return added ? &mp_machine_more[added->kind] : mp_machine_usual(name);
}

void mp_config_level(const struct mp_config *c, const char *name, void *params)
{
    const struct mp_block_kind *kind = mp_config_level_row(c, name)->kind;
    const struct mp_block_common common = {
        .page_bytes = c->machine.page_bytes,
        .line_bytes = c->machine.line_bytes,
        .tenants = c->ntenants,
        .sms = (uint32_t)(c->machine.slices * c->machine.tpcs_per_slice * c->machine.sms_per_tpc),
        .warps = (uint32_t)mp_config_value(c, "sm.warps")};
    memset(params, 0, kind->params_bytes);
    for (const struct mp_block_param *p = kind->params; p->row.name; p++) {
        char path[64];
        snprintf(path, sizeof path, "%s.%s", name, p->row.name);
        if (p->designs) {
            const struct mp_design *design = p->designs[mp_design_find(p->designs, mp_config_word(c, path))];
            const struct mp_design_values values = mp_config_values_at(c, name, design);
            mp_block_set_design(p, params, design, &values);
        } else {
            mp_block_set(p, params, mp_config_value(c, path));
        }
    }
    if (kind->derive)
        kind->derive(params, &common);
}

const struct mp_tlb_policy *mp_config_warmup_policy(const struct mp_config *c,
                                                    struct mp_design_values *values)
{
    const char *path = c->stats.warmup ? "l3_tlb.warmup_policy" : "l3_tlb.policy";
    const struct mp_tlb_policy *policy = mp_tlb_policy_find(mp_config_word(c, path));
    *values = mp_config_values(c, &policy->design);
    return policy;
}

const struct mp_neighbour_policy *mp_config_neighbours(const struct mp_config *c,
                                                       struct mp_design_values *values)
{
    const struct mp_neighbour_policy *policy =
        mp_neighbour_policy_find(mp_config_word(c, "neighbours.policy"));
    *values = mp_config_values(c, &policy->design);
    return policy;
}
