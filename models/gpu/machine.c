/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/machine.h"

#include <stdio.h>
#include <string.h>

#define PARAMS(member) offsetof(struct mp_machine, member)
#define TO(level)                                                                                            \
    {                                                                                                        \
        level, MP_FAN_TARGET                                                                                 \
    }
#define TO_PEERS(level)                                                                                      \
    {                                                                                                        \
        level, MP_FAN_PEERS                                                                                  \
    }
#define TO_APART(level)                                                                                      \
    {                                                                                                        \
        level, MP_FAN_TENANT                                                                                 \
    }

/* Values of the first parameters of a TLB that differ from those that the kind has. */
static const uint64_t l1_tlb[] = {16, 16, 1, 1, 32, 64}, l3_tlb[] = {1024, 8, 16, 40, 512, 16};
#define USUAL(values) values, sizeof values / sizeof *values

/* The levels of every machine. A new kind of block is a row here; a plan lists blocks in the order of rows.
 */
/* clang-format off */
static const struct mp_level usual[] = {
    /* name, kind, per, home, parameters, where the links of each group lead; choices of per, source, text, place, usual */
    {"walk", &mp_walk_kind, MP_PER_INSTANCE, MP_PER_INSTANCE, PARAMS(walk), NULL, {TO("l2d")},
     "instance|tenant", "STAR II-A, DWS VII", "one for each instance; tenant: in each instance, one for each tenant (S-(TLB+PTW))", 0, NULL, 0},
    {"l2d", &mp_cache_kind, MP_PER_INSTANCE, MP_PER_INSTANCE, PARAMS(l2d), NULL, {TO("dram"), TO("host")},
     "slice|instance|tenant|machine", "STAR II-A", "one for each GPC slice, instance or machine; tenant: in each instance, one for each tenant. Walks that read page tables through it need a single one", 0, NULL, 0},
    {"dram", &mp_dram_kind, MP_PER_INSTANCE, MP_PER_INSTANCE, PARAMS(dram), NULL, {TO("")},
     "instance|machine", "STAR II-A", "channels per instance, or one set of channels for the whole machine", 0, NULL, 0},
    {"l2_tlb", &mp_tlb_kind, MP_PER_SLICE, MP_PER_SLICE, PARAMS(l2_tlb), NULL, {TO("l3_tlb")},
     "slice|instance|tenant|machine|none", "STAR II-A, DWS VII", "one for each GPC slice, instance or machine; tenant: in each slice, one for each tenant (S-TLB)", 2, NULL, 0},
    {"l1_tlb", &mp_tlb_kind, MP_PER_TPC, MP_PER_TPC, PARAMS(l1_tlb), NULL, {TO("l2_tlb"), TO_PEERS("l1_tlb")},
     "sm|tpc|slice|none", "STAR II-A", "one for each SM, TPC or GPC slice; none: SMs send requests to the next level", 1, USUAL(l1_tlb)},
    {"sm", &mp_sm_kind, MP_PER_SM, MP_PER_SM, PARAMS(sm), NULL, {TO("l1_tlb"), TO("l1d")}, NULL, NULL, NULL, 0, NULL, 0},
    {"l1d", &mp_through_cache_kind, MP_PER_SM, MP_PER_SM, PARAMS(l1d), NULL, {TO("l2d"), TO("l1_tlb")},
     "sm|tpc|slice", "STAR Table I", "one for each SM, TPC or GPC slice", 0, NULL, 0},
    {"l3_tlb", &mp_tlb_kind, MP_PER_MACHINE, MP_PER_MACHINE, PARAMS(l3_tlb), NULL, {TO_APART("walk")},
     "instance|tenant|machine|none", "STAR II-A", "one for each instance, tenant or machine; none: L2 TLB misses go to the page walkers", 3, USUAL(l3_tlb)},
    {"host", &mp_host_kind, MP_PER_NONE, MP_PER_MACHINE, PARAMS(host), NULL, {TO("")}, NULL, NULL, NULL, 0, NULL, 0},
    {"copy", &mp_copies_kind, MP_PER_NONE, MP_PER_INSTANCE, PARAMS(copy), NULL, {TO("l2d")}, NULL, NULL, NULL, 0, NULL, 0},
};
/* clang-format on */

/* clang-format off */
const struct mp_level mp_machine_more[] = {
    {"tlb", &mp_tlb_kind, MP_PER_SLICE, MP_PER_SLICE, 0, NULL, {TO("")},
     "sm|tpc|slice|instance|tenant|machine|none", "mempath", "one for each SM, TPC, GPC slice, instance or machine; tenant: in each slice, one for each tenant", 3, NULL, 0},
    {"cache", &mp_cache_kind, MP_PER_INSTANCE, MP_PER_INSTANCE, 0, NULL, {TO("")},
     "slice|instance|tenant|machine|none", "mempath", "one for each GPC slice, instance or machine; tenant: in each instance, one for each tenant", 0, NULL, 0},
    {.name = ""},
};
/* clang-format on */

const char *const mp_per_names[] = {"none", "sm", "tpc", "slice", "instance", "tenant", "machine"};

const struct mp_level *mp_machine_usual(const char *name)
{
    for (unsigned i = 0; i < sizeof usual / sizeof *usual; i++)
        if (!strcmp(usual[i].name, name))
            return &usual[i];
    return NULL;
}

const struct mp_level *mp_machine_last_tlb(void)
{
    const struct mp_level *level = usual;
    while (level->kind != &mp_tlb_kind || mp_machine_usual(level->out[0].to)->kind == &mp_tlb_kind)
        level++;
    return level;
}

_Static_assert(sizeof usual / sizeof *usual <= MP_MACHINE_LEVELS, "a machine has room for its levels");

void mp_machine_set_levels(struct mp_machine *m)
{
    memcpy(m->level, usual, sizeof usual);
    m->levels = sizeof usual / sizeof *usual;
}

void *mp_machine_add_level(struct mp_machine *m, const struct mp_level *like, const char *name,
                           const char *to, enum mp_per per)
{
    struct mp_level *added = &m->level[m->levels];
    *added = *like;
    snprintf(added->name, sizeof added->name, "%s", name);
    added->per = per;
    added->params_at = (size_t)((char *)&m->more[m->mores++] - (char *)m);
    for (unsigned i = 0; i < m->levels; i++)
        for (unsigned g = 0; g < MP_BLOCK_GROUPS; g++)
            if (!strcmp(m->level[i].out[g].to, to) && m->level[i].out[g].fan != MP_FAN_PEERS) {
                if (m->level[i].out[g].fan == MP_FAN_TENANT)
                    added->out[0].fan = MP_FAN_TENANT;
                snprintf(m->level[i].out[g].to, sizeof m->level[i].out[g].to, "%s", name);
                m->level[i].out[g].fan = MP_FAN_TARGET;
            }
    snprintf(added->out[0].to, sizeof added->out[0].to, "%s", to);
    m->levels++;
    return mp_machine_params(m, added);
}

void mp_machine_lead(struct mp_machine *m, const char *from, const char *to)
{
    struct mp_level *level = mp_machine_level(m, from);
    snprintf(level->out[0].to, sizeof level->out[0].to, "%s", to);
}

/* L1 data caches have one bank and index their sets by the default map. They have several links only if an
 * L2 has one for each bank. */
const struct mp_page_format *mp_machine_format(const struct mp_machine *m, unsigned tenant)
{
    bool has = !(m->tenant[tenant].pages.sizes & ~m->walk.format->pages);
    return has ? m->walk.format : &mp_page_format_mixed;
}

void mp_machine_set_map(struct mp_machine *m, struct mp_map map)
{
    m->l2d.map = m->dram.map = m->walk.map = m->copy.map = map;
    for (unsigned i = 0; i < m->levels; i++)
        if (m->level[i].kind == &mp_cache_kind) {
            struct mp_cache_params *cache = mp_machine_params(m, &m->level[i]);
            cache->map = map;
            if (m->l2d.bank_ports && !strcmp(m->level[i].out[0].to, "l2d"))
                cache->below = map;
        }
    if (m->l1d.machine_map)
        m->l1d.map = map;
    if (m->l2d.bank_ports)
        m->l1d.below = map;
}

void mp_machine_translate_late(struct mp_machine *m)
{
    m->sm.sends_virtual = true;
    mp_machine_level(m, "l1d")->kind = &mp_virtual_cache_kind;
}

void mp_machine_add_host(struct mp_machine *m, const struct mp_host_params *host)
{
    m->host = *host;
    for (unsigned i = 0; i < m->levels; i++) {
        struct mp_level *level = &m->level[i];
        if (level->kind == &mp_host_kind)
            level->per = level->home;
        if (level->kind == &mp_cache_kind || level->kind == &mp_through_cache_kind)
            ((struct mp_cache_params *)mp_machine_params(m, level))->remote = true;
    }
}

void mp_machine_add_copies(struct mp_machine *m)
{
    const enum mp_per per = mp_machine_level(m, "l2d")->per;
    struct mp_level *level = mp_machine_level(m, "copy");
    m->copy.line_shift = (uint32_t)__builtin_ctz(m->line_bytes);
    level->per = level->home;
    if (per == MP_PER_SLICE || per == MP_PER_TENANT)
        mp_machine_lead(m, level->name, "dram");
}

struct mp_level *mp_machine_level(struct mp_machine *m, const char *name)
{
    for (unsigned i = 0; i < m->levels; i++)
        if (!strcmp(m->level[i].name, name))
            return &m->level[i];
    return NULL;
}

void mp_machine_divide_slices(struct mp_machine *m, unsigned tenants, const uint32_t *slices)
{
    uint32_t first = 0;
    m->tenants = m->instances = tenants;
    m->instances_vary = false;
    m->ring = MP_PER_SLICE;
    for (unsigned i = 0; i < tenants; i++) {
        m->instance[i] = (struct mp_machine_instance){.first_slice = first, .slices = slices[i]};
        snprintf(m->instance[i].name, sizeof m->instance[i].name, "mig%u", i);
        const uint32_t sm = mp_machine_first_sm(m, first);
        first += slices[i];
        m->tenant[i] = (struct mp_machine_tenant){
            .instance = i, .first_sm = sm, .sms = mp_machine_first_sm(m, first) - sm};
    }
}

bool mp_machine_uses_contiguity(const struct mp_machine *m)
{
    return m->walk.method && m->walk.method->reach >= MP_CONTIGUITY_SHIFT;
}

void mp_machine_divide_sms(struct mp_machine *m, unsigned tenants, const uint32_t *sms)
{
    uint32_t first = 0;
    m->tenants = tenants;
    m->instances = 1;
    m->instances_vary = false;
    m->ring = MP_PER_MACHINE;
    m->instance[0] = (struct mp_machine_instance){.slices = m->slices};
    for (unsigned i = 0; i < tenants; i++) {
        m->tenant[i] = (struct mp_machine_tenant){.first_sm = first, .sms = sms[i]};
        first += sms[i];
    }
}

void mp_machine_share_sms(struct mp_machine *m, unsigned tenants, bool take_turns)
{
    const uint32_t all = mp_machine_sms(m);
    uint32_t sms[MP_TENANTS] = {0};
    mp_machine_divide_sms(m, tenants, sms);
    for (unsigned i = 0; i < tenants; i++)
        m->tenant[i] = (struct mp_machine_tenant){.sms = all};
    m->takes_turns = take_turns;
    m->most_warps = take_turns || !tenants ? 0 : all * m->sm.warps / tenants;
}

void mp_machine_tenant_path(const struct mp_machine *m, uint32_t tenant, char path[MP_MACHINE_PATH])
{
    const char *instance = m->instance[m->tenant[tenant].instance].name;
    if (instance[0])
        snprintf(path, MP_MACHINE_PATH, "gpu.%s", instance);
    else
        snprintf(path, MP_MACHINE_PATH, "gpu.tenant%u", tenant);
}

void mp_machine_let_instances_vary(struct mp_machine *m, unsigned tenants)
{
    m->tenants = tenants;
    m->instances = 0;
    m->instances_vary = true;
    m->ring = MP_PER_SLICE;
    for (unsigned i = 0; i < m->levels; i++)
        if (m->level[i].per == MP_PER_TENANT)
            m->level[i].per = m->level[i].home;
    for (unsigned i = 0; i < tenants; i++)
        m->tenant[i] = (struct mp_machine_tenant){.sms = mp_machine_sms(m)};
    for (unsigned first = 0; first < m->slices; first++)
        for (unsigned n = 1; first + n <= m->slices && m->instances < MP_MACHINE_INSTANCES; n++) {
            struct mp_machine_instance *i = &m->instance[m->instances++];
            *i = (struct mp_machine_instance){.first_slice = first, .slices = n};
            if (n == 1)
                snprintf(i->name, sizeof i->name, "gpc%u", first);
            else
                snprintf(i->name, sizeof i->name, "gpc%uto%u", first, first + n - 1);
        }
}
