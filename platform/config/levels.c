/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a level's blocks, as a configuration gives them. */
#include <string.h>

#include "config/internal.h"
#include "gpu/machine.h"

struct mp_path mp_path(const char *level, const char *name)
{
    struct mp_path path;
    snprintf(path.text, sizeof path.text, "%s.%s", level, name);
    return path;
}

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

uint64_t mp_config_sms(const struct mp_config *c)
{
    return (c->machine.slices * c->machine.tpcs_per_slice - c->machine.short_slices) * c->machine.sms_per_tpc;
}

void mp_config_level(const struct mp_config *c, const char *name, void *params)
{
    const struct mp_block_kind *kind = mp_config_level_row(c, name)->kind;
    const struct mp_block_common common = {
        .page_bytes = c->machine.page_bytes,
        .page_sizes = mp_config_page_sizes(c),
        .line_bytes = c->machine.line_bytes,
        .format = mp_page_format_find(mp_config_word(c, "vm.format"), c->machine.page_bytes),
        .table = mp_page_table_design_find(mp_config_word(c, "vm.table")),
        .tenants = c->ntenants,
        .sms = (uint32_t)mp_config_sms(c),
        .warps = (uint32_t)mp_config_value(c, "sm.warps"),
        .clock_mhz = (uint32_t)c->machine.clock_mhz};
    memset(params, 0, kind->params_bytes);
    for (const struct mp_block_param *p = kind->params; p && p->row.name; p++) {
        const struct mp_path path = mp_path(name, p->row.name);
        if (p->designs) {
            const struct mp_design *design =
                p->designs[mp_design_find(p->designs, mp_config_word(c, path.text))];
            const struct mp_design_values values = mp_config_values_at(c, name, design);
            mp_block_set_design(p, params, design, &values);
        } else {
            mp_block_set(p, params, mp_config_value(c, path.text));
        }
    }
    if (kind->derive)
        kind->derive(params, &common);
}

bool mp_config_has_level(const struct mp_config *c, const char *level)
{
    return !mp_config_is(c, mp_path(level, "per").text, mp_per_names[MP_PER_NONE]);
}

int mp_config_need_level(const struct mp_config *c, const char *level, const char *option, const char *value,
                         struct mp_error *err)
{
    if (mp_config_has_level(c, level))
        return 0;
    return mp_fail(err, "%s %s: %s has no such TLB; %s.per = %s", option, value, c->name, level,
                   mp_per_names[mp_config_level_row(c, level)->per]);
}

unsigned mp_config_tlbs(const struct mp_config *c, const char *level[MP_TLB_LEVELS])
{
    const char *name;
    unsigned n = 0;
    for (unsigned i = 0; (name = mp_config_level_name(c, i)); i++) {
        const struct mp_level_config *added = mp_config_added(c, name);
        unsigned at = 0;
        if (mp_config_level_row(c, name)->kind != &mp_tlb_kind)
            continue;
        while (at < n && (!added || strcmp(level[at], added->to) != 0))
            at++;
        memmove(&level[at + 1], &level[at], (n++ - at) * sizeof *level);
        level[at] = name;
    }
    return n;
}

int mp_config_tlb(const struct mp_config *c, const char *level)
{
    const char *tlb[MP_TLB_LEVELS];
    int n = (int)mp_config_tlbs(c, tlb) - 1;
    while (n >= 0 && strcmp(tlb[n], level) != 0)
        n--;
    return n;
}

const struct mp_tlb_policy *mp_config_warmup_policy(const struct mp_config *c,
                                                    struct mp_design_values *values)
{
    const char *name = c->stats.warmup ? "warmup_policy" : "policy";
    const struct mp_tlb_policy *policy =
        mp_tlb_policy_find(mp_config_word(c, mp_path(mp_machine_last_tlb()->name, name).text));
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
