/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/configure.h"

#include <string.h>

#include "soc/regs.h"

static uint32_t log2_of(uint64_t power)
{
    return (uint32_t)__builtin_ctzll(power);
}

static bool is_chosen(const char *path, uint32_t choice, const char *name)
{
    return !strcmp(mp_choice(path, choice), name);
}

#define TLB_PARAMS(c, level)                                                                                 \
    {                                                                                                        \
        .page_shift = log2_of((c)->machine.page_bytes), .mshrs = (uint32_t)(c)->level.mshrs,                 \
        .merges = (uint32_t)(c)->level.merges, .lookups = (uint32_t)(c)->level.lookups,                      \
        .blocks = is_chosen(#level ".mshr_full", (c)->level.mshr_full, "block"), .tenants = (c)->ntenants    \
    }

static void set_tlbs(const struct mp_config *c, struct mp_machine *p)
{
    p->l1_tlb = (struct mp_tlb_params)TLB_PARAMS(c, l1_tlb);
    p->l2_tlb = (struct mp_tlb_params)TLB_PARAMS(c, l2_tlb);
    p->l3_tlb = (struct mp_tlb_params)TLB_PARAMS(c, l3_tlb);
    p->l1_tlb.policy = mp_config_tlb(c, 1, &p->l1_tlb.geometry);
    p->l2_tlb.policy = mp_config_tlb(c, 2, &p->l2_tlb.geometry);
    p->l3_tlb.policy = mp_config_tlb_at_first(c, &p->l3_tlb.geometry);
    p->l3_tlb.reuse_sample = (uint32_t)c->stats.reuse_sample;
    struct mp_exchange_params *x = &p->l1_tlb.exchange;
    x->policy = mp_config_neighbours(c, &x->values);
    x->sharing = c->stats.sharing;
}

/* The designs that registers can name, by the numbers that the register description fixes. */
static void set_numbers(const struct mp_config *c, struct mp_machine *m)
{
    for (unsigned n = 0; n < MP_MACHINE_DESIGNS; n++) {
        const char *policy = mp_reg_choice(MP_ENUM_OF_mgmt_policy, n);
        const char *scheduler = mp_reg_choice(MP_ENUM_OF_mgmt_scheduler, n);
        if (policy)
            m->tlb_policy[n].policy = mp_tlb_policy_find(policy);
        if (m->tlb_policy[n].policy)
            m->tlb_policy[n].own = mp_config_values(c, &m->tlb_policy[n].policy->design);
        if (scheduler)
            m->walk_scheduler[n].scheduler = mp_walk_scheduler_find(scheduler);
        if (m->walk_scheduler[n].scheduler)
            m->walk_scheduler[n].own = mp_config_values(c, &m->walk_scheduler[n].scheduler->design);
    }
}

static void set_caches(const struct mp_config *c, struct mp_machine *p)
{
    uint32_t line_shift = log2_of(c->machine.line_bytes);
    p->l1d = (struct mp_cache_params){.banks = 1,
                                      .sets = (uint32_t)(c->l1d.bytes / c->l1d.ways / c->machine.line_bytes),
                                      .ways = (uint32_t)c->l1d.ways,
                                      .line_shift = line_shift,
                                      .page_shift = log2_of(c->machine.page_bytes),
                                      .latency = (uint32_t)c->l1d.latency,
                                      .mshrs = (uint32_t)c->l1d.mshrs,
                                      .merges = (uint32_t)c->l1d.merges,
                                      .loads_go_past = is_chosen("l1d.loads", c->l1d.loads, "bypassed"),
                                      .machine_map = is_chosen("l1d.hash", c->l1d.hash, "machine"),
                                      .tenants = c->ntenants};
    p->l2d = (struct mp_cache_params){.banks = (uint32_t)c->l2d.banks_per_slice,
                                      .sets = (uint32_t)(c->l2d.bytes_per_slice / c->l2d.banks_per_slice /
                                                         c->l2d.ways / c->machine.line_bytes),
                                      .ways = (uint32_t)c->l2d.ways,
                                      .line_shift = line_shift,
                                      .latency = (uint32_t)c->l2d.latency,
                                      .mshrs = (uint32_t)c->l2d.mshrs,
                                      .merges = (uint32_t)c->l2d.merges,
                                      .bank_ports = is_chosen("l2d.ports", c->l2d.ports, "bank"),
                                      .tenants = c->ntenants,
                                      .write_back = true};
    p->dram = (struct mp_dram_params){.channels = (uint32_t)c->dram.channels_per_slice,
                                      .banks = (uint32_t)c->dram.banks,
                                      .row_bytes = (uint32_t)c->dram.row_bytes,
                                      .queue = (uint32_t)c->dram.queue,
                                      .burst = (uint32_t)c->dram.burst,
                                      .cas = (uint32_t)c->dram.cas,
                                      .rcd = (uint32_t)c->dram.rcd,
                                      .rp = (uint32_t)c->dram.rp,
                                      .ras = (uint32_t)c->dram.ras,
                                      .transport = (uint32_t)c->dram.transport,
                                      .tenants = c->ntenants};
    if (is_chosen("dram.model", c->dram.model, "ideal"))
        p->dram.latency = (uint32_t)c->dram.latency;
}

/* The choice of a `per` parameter. */
static enum mp_per per_of(const char *path, uint32_t value)
{
    static const char *const names[] = {[MP_PER_NONE] = "none",         [MP_PER_SM] = "sm",
                                        [MP_PER_TPC] = "tpc",           [MP_PER_SLICE] = "slice",
                                        [MP_PER_INSTANCE] = "instance", [MP_PER_TENANT] = "tenant",
                                        [MP_PER_MACHINE] = "machine"};
    const char *name = mp_choice(path, value);
    enum mp_per per = MP_PER_NONE;
    while (strcmp(names[per], name) != 0)
        per++;
    return per;
}

static void set_memory(const struct mp_config *c, struct mp_machine *m)
{
    m->map.kind = mp_address_map_find(mp_choice("machine.hash", (uint32_t)c->machine.hash));
    m->map.own = mp_config_values(c, &m->map.kind->design);
    m->frames.allocator = mp_frame_allocator_find(mp_choice("vm.frames", (uint32_t)c->vm.frames));
    m->frames.own = mp_config_values(c, &m->frames.allocator->design);
    for (unsigned t = 0; t < c->ntenants && t < MP_TENANTS; t++)
        m->frames.colours[t] = (uint8_t)c->tenant[t].colours;
}

static void set_levels(const struct mp_config *c, struct mp_machine *m)
{
    mp_machine_set_levels(m);
#define SET_PER(level) mp_machine_level(m, #level)->per = per_of(#level ".per", c->level.per)
    SET_PER(l1_tlb);
    SET_PER(l2_tlb);
    SET_PER(l3_tlb);
    SET_PER(walk);
    SET_PER(l1d);
    SET_PER(l2d);
    SET_PER(dram);
    if (is_chosen("walk.memory", c->walk.memory, "dram"))
        mp_machine_level(m, "walk")->out[0].to = "dram";
    if (is_chosen("sm.translate", c->sm.translate, "after"))
        mp_machine_translate_late(m);
#undef SET_PER
}

static void divide(const struct mp_config *c, struct mp_machine *m)
{
    uint32_t share[MP_TENANTS] = {0};
    bool mps = mp_config_is_mps(c);
    for (unsigned t = 0; t < c->ntenants; t++)
        share[t] = (uint32_t)(mps ? c->tenant[t].sms : c->tenant[t].slices);
    if (mp_config_shares_sms(c)) {
        mp_machine_share_sms(m, c->ntenants, is_chosen("machine.sharing", c->machine.sharing, "timeslice"));
        if (m->most_warps) /* the share stays, also if a tenant runs alone */
            m->most_warps = share[0] * m->sm.warps;
    } else if (mps)
        mp_machine_divide_sms(m, c->ntenants, share);
    else
        mp_machine_divide_slices(m, c->ntenants, share);
}

int mp_machine_open_trace(struct gwt_reader **out, const struct mp_config *c, const char *path,
                          const char *checked, struct mp_error *err)
{
    if (gwt_open_known(out, path, checked, err))
        return -1;
    uint64_t lanes = gwt_totals(*out)->warp_lanes;
    if (lanes == c->sm.lanes)
        return 0;
    gwt_close(*out);
    *out = NULL;
    return mp_fail(err, "%s: warps of %ju lanes; sm.lanes = %ju, and a trace must have as many", path,
                   (uintmax_t)lanes, (uintmax_t)c->sm.lanes);
}

static bool has_level(const struct mp_machine *m, const char *name)
{
    for (unsigned i = 0; i < m->levels; i++)
        if (!strcmp(m->level[i].name, name))
            return m->level[i].per != MP_PER_NONE;
    return false;
}

/* SMs ask for pages. Data caches that are looked up before translation ask for lines, which TLBs count. */
struct mp_counter_name mp_machine_translations(const struct mp_machine *m)
{
    static const char *const tlb[] = {"l1_tlb", "l2_tlb", "l3_tlb"};
    if (!m->sm.sends_virtual)
        return (struct mp_counter_name){"sm", "pages"};
    for (unsigned i = 0; i < sizeof tlb / sizeof *tlb; i++)
        if (has_level(m, tlb[i]))
            return (struct mp_counter_name){tlb[i], "lookups"};
    return (struct mp_counter_name){"walk", "walks"};
}

void mp_machine_configure(struct mp_machine *m, const struct mp_config *c)
{
    *m = (struct mp_machine){.slices = (uint32_t)c->machine.slices,
                             .tpcs = (uint32_t)c->machine.tpcs_per_slice,
                             .sms_per_tpc = (uint32_t)c->machine.sms_per_tpc,
                             .launch_latency = (uint32_t)c->machine.launch_latency,
                             .memory_per_slice = c->machine.memory_per_slice,
                             .page_bytes = c->machine.page_bytes,
                             .line_bytes = (uint32_t)c->machine.line_bytes};
    m->dispatch.policy =
        mp_dispatch_policy_find(mp_choice("machine.dispatch", (uint32_t)c->machine.dispatch));
    m->dispatch.own = mp_config_values(c, &m->dispatch.policy->design);
    set_tlbs(c, m);
    set_numbers(c, m);
    mp_config_walk(c, &m->walk);
    mp_config_sm(c, &m->sm);
    set_caches(c, m);
    set_memory(c, m);
    set_levels(c, m);
    divide(c, m);
}
