/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/configure.h"

#include <string.h>

#include "soc/regs.h"

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

static void set_memory(const struct mp_config *c, struct mp_machine *m)
{
    m->map.kind = mp_address_map_find(mp_config_word(c, "machine.hash"));
    m->map.own = mp_config_values(c, &m->map.kind->design);
    m->frames.allocator = mp_frame_allocator_find(mp_config_word(c, "vm.frames"));
    m->frames.own = mp_config_values(c, &m->frames.allocator->design);
    m->table = mp_config_values(c, &mp_page_table_design_find(mp_config_word(c, "vm.table"))->design);
    for (unsigned t = 0; t < c->ntenants && t < MP_TENANTS; t++)
        m->frames.colours[t] = (uint8_t)c->tenant[t].colours;
}

/* Values of levels from the configuration, and then those that depend on other parts of the machine. */
static void set_levels(const struct mp_config *c, struct mp_machine *m)
{
    mp_machine_set_levels(m);
    for (unsigned i = 0; i < m->levels; i++) {
        struct mp_level *level = &m->level[i];
        const struct mp_path path = mp_path(level->name, "per");
        mp_config_level(c, level->name, mp_machine_params(m, level));
        while (level->per_choices && !mp_config_is(c, path.text, mp_per_names[level->per]))
            level->per = level->per == MP_PER_MACHINE ? MP_PER_NONE : level->per + 1;
    }
    for (unsigned k = 0; k < c->nlevels; k++) {
        const struct mp_level_config *l = &c->level[k];
        const char *per = mp_config_word(c, l->path[0]);
        enum mp_per number = MP_PER_NONE;
        while (strcmp(mp_per_names[number], per) != 0)
            number++;
        mp_config_level(c, l->name,
                        mp_machine_add_level(m, &mp_machine_more[l->kind], l->name, l->to, number));
    }
    if (mp_config_is(c, "walk.memory", "dram"))
        mp_machine_lead(m, "walk", "dram");
    if (mp_config_is(c, "sm.translate", "after"))
        mp_machine_translate_late(m);
    m->walk.counts_pages = mp_config_mixes_pages(c);
    m->walk.heads_first = mp_config_is(c, "vm.layout", "head");
    m->l1_tlb.exchange.policy = mp_config_neighbours(c, &m->l1_tlb.exchange.values);
    m->l1_tlb.exchange.sharing = c->stats.sharing;
    m->l1_tlb.counts_lines = c->stats.lines;
    struct mp_tlb_params *last = mp_machine_params(m, mp_machine_last_tlb());
    last->policy = mp_config_warmup_policy(c, &last->geometry.own);
    last->reuse_sample = (uint32_t)c->stats.reuse_sample;
}

/* A line is sent at the link's full bandwidth, and a request and its answer take its latency each. Data
 * caches with virtual addresses would keep lines of the host. */
void mp_machine_connect_host(struct mp_machine *m, const struct mp_config *c)
{
    const uint64_t mhz = c->machine.clock_mhz;
    const struct mp_host_params host = {
        .latency = (uint32_t)((2 * c->uvm.link_latency * mhz + 999) / 1000),
        .line = (uint32_t)((c->machine.line_bytes * mhz * 65536 + c->uvm.link_gbps * 1000 - 1) /
                           (c->uvm.link_gbps * 1000))};
    if (!m->sm.sends_virtual)
        mp_machine_add_host(m, &host);
}

void mp_machine_connect_copies(struct mp_machine *m, const struct mp_config *c)
{
    if (c->uvm.copy_lines)
        mp_machine_add_copies(m);
}

static void divide(const struct mp_config *c, struct mp_machine *m)
{
    uint32_t share[MP_TENANTS] = {0};
    bool mps = mp_config_is_mps(c);
    for (unsigned t = 0; t < c->ntenants; t++)
        share[t] = (uint32_t)(mps ? c->tenant[t].sms : c->tenant[t].slices);
    if (mp_config_shares_sms(c)) {
        mp_machine_share_sms(m, c->ntenants, mp_config_is(c, "machine.sharing", "timeslice"));
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
    const struct gwt_totals *t = gwt_totals(*out);
    const uint64_t own = mp_config_value(c, "sm.lanes");
    const bool follows = mp_config_is(c, "sm.scoreboard", "needs");
    int failed = 0;
    if (t->warp_lanes != own)
        failed = mp_fail(err, "%s: warps of %ju lanes; sm.lanes = %ju, and a trace must have as many", path,
                         (uintmax_t)t->warp_lanes, (uintmax_t)own);
    else if (follows && t->with_needs < t->kernels)
        failed = mp_fail(err,
                         "%s: %ju of %ju launches do not say what their accesses need; with sm.scoreboard = "
                         "needs, a trace must be recorded by mempath record",
                         path, (uintmax_t)(t->kernels - t->with_needs), (uintmax_t)t->kernels);
    else if (follows)
        gwt_follow_needs(*out);
    if (failed) {
        gwt_close(*out);
        *out = NULL;
    }
    return failed;
}

static const struct mp_level *level_of(const struct mp_machine *m, const char *name)
{
    const struct mp_level *level = m->level;
    while (strcmp(level->name, name) != 0)
        level++;
    return level;
}

/* SMs ask for pages. Data caches that are looked up before translation ask for lines, which TLBs count. */
struct mp_counter_name mp_machine_translations(const struct mp_machine *m)
{
    if (!m->sm.sends_virtual)
        return (struct mp_counter_name){"sm", "pages"};
    const struct mp_level *first = level_of(m, level_of(m, "sm")->out[0].to);
    while (first->per == MP_PER_NONE)
        first = level_of(m, first->out[0].to);
    return (struct mp_counter_name){first->name, first->kind == &mp_tlb_kind ? "lookups" : "walks"};
}

void mp_machine_configure(struct mp_machine *m, const struct mp_config *c)
{
    *m = (struct mp_machine){.slices = (uint32_t)c->machine.slices,
                             .tpcs = (uint32_t)c->machine.tpcs_per_slice,
                             .sms_per_tpc = (uint32_t)c->machine.sms_per_tpc,
                             .short_slices = (uint32_t)c->machine.short_slices,
                             .memory_slices = (uint32_t)c->machine.memory_slices,
                             .clock_mhz = (uint32_t)c->machine.clock_mhz,
                             .launch_latency = (uint32_t)c->machine.launch_latency,
                             .host_sync = (uint32_t)c->machine.host_sync,
                             .memory_per_slice = c->machine.memory_per_slice,
                             .page_bytes = c->machine.page_bytes,
                             .page_sizes = mp_config_page_sizes(c),
                             .line_bytes = (uint32_t)c->machine.line_bytes};
    m->dispatch.policy = mp_dispatch_policy_find(mp_config_word(c, "machine.dispatch"));
    m->dispatch.own = mp_config_values(c, &m->dispatch.policy->design);
    set_numbers(c, m);
    set_memory(c, m);
    set_levels(c, m);
    if (mp_config_maps_host(c))
        mp_machine_connect_host(m, c);
    if (mp_config_has_managed(c))
        mp_machine_connect_copies(m, c);
    divide(c, m);
    for (unsigned t = 0; t < c->ntenants; t++) {
        m->tenant[t].pages = mp_config_pages(c, t);
        m->tenant[t].managed = c->tenant[t].managed;
    }
}

/* The look-ups of an invalidation in all levels of TLBs in turn. */
static uint64_t invalidation_of(const struct mp_config *c)
{
    const char *level[MP_TLB_LEVELS];
    uint64_t lookups = 0;
    for (unsigned n = mp_config_tlbs(c, level); n-- > 0;)
        lookups += mp_config_value(c, mp_path(level[n], "latency").text);
    return lookups;
}

/* Of 2 MB: uvm.chunks, or what uvm.oversubscription leaves of the buffers, at least one for each tenant. */
static uint32_t chunks_of(const struct mp_config *c, const struct mp_paging_buffers *buffers,
                          uint32_t tenants)
{
    const uint32_t fit = (uint32_t)(buffers->blocks * UINT64_C(100) / c->uvm.oversubscription);
    return c->uvm.chunks ? (uint32_t)c->uvm.chunks : fit > tenants ? fit : tenants;
}

void mp_machine_paging(const struct mp_config *c, const struct mp_paging_buffers *buffers, uint32_t tenants,
                       struct mp_paging_params *p)
{
    enum { SPARE = 64 }; /* ranges and blocks in addition to those counted */
    *p = (struct mp_paging_params){.uvm = MP_UVM_USUAL,
                                   .cost = {.interrupt = c->uvm.cost_interrupt,
                                            .batch = c->uvm.cost_batch,
                                            .entry = c->uvm.cost_entry,
                                            .block = c->uvm.cost_block,
                                            .page = c->uvm.cost_page,
                                            .notice = c->uvm.cost_notice,
                                            .copy = c->uvm.cost_copy,
                                            .evict = c->uvm.cost_evict,
                                            .replay = c->uvm.cost_replay,
                                            .host = c->uvm.cost_host,
                                            .latency = c->uvm.link_latency,
                                            .gbps = c->uvm.link_gbps,
                                            .curve = c->uvm.link_curve,
                                            .zero_gbps = c->uvm.zero_gbps,
                                            .invalidation = invalidation_of(c)},
                                   .clock_mhz = c->machine.clock_mhz,
                                   .from_host = mp_config_is(c, "uvm.begin", "host"),
                                   .touched_by_walks = mp_config_is(c, "uvm.touch", "walk"),
                                   .overlaps = c->uvm.evict_overlap,
                                   .ahead = (uint32_t)c->uvm.ahead};
    struct mp_uvm_params *u = &p->uvm;
    u->prefetch = mp_uvm_prefetch_find(mp_config_word(c, "uvm.prefetch"));
    u->prefetch_full = mp_uvm_prefetch_find(mp_config_word(c, "uvm.prefetch_full")); /* NULL: the same */
    u->evict = mp_uvm_evict_find(mp_config_word(c, "uvm.evict"));
    u->migrate = mp_uvm_migrate_find(mp_config_word(c, "uvm.migrate"));
    u->c2c = c->uvm.c2c;
    u->thrashing = c->uvm.thrashing;
    u->events = (uint32_t)c->uvm.thrash_events;
    u->throttles = (uint32_t)c->uvm.thrash_throttles;
    u->lapse = c->uvm.thrash_lapse;
    u->nap = (uint32_t)c->uvm.thrash_nap;
    u->epoch = (uint32_t)c->uvm.thrash_epoch;
    u->pin = (uint32_t)c->uvm.thrash_pin;
    u->resets = (uint32_t)c->uvm.thrash_resets;
    u->write_back_dirty = mp_config_is(c, "uvm.writeback", "dirty");
    u->counter = (uint32_t)c->uvm.counter;
    u->granule_bytes = (uint32_t)c->uvm.granule;
    u->penalty = (uint32_t)c->uvm.penalty;
    u->replay = (enum mp_uvm_replay)c->uvm.replay;
    u->page_bytes = (uint32_t)c->machine.page_bytes;
    u->chunks = chunks_of(c, buffers, tenants);
    u->ranges = buffers->ranges + SPARE;
    u->blocks = 2 * buffers->blocks + SPARE; /* twice, since those of a buffer are consecutive */
    u->batch = (uint32_t)c->uvm.batch;
    u->entries = (uint32_t)c->uvm.entries;
    u->threshold = (uint32_t)c->uvm.threshold;
    u->min_faults = (uint32_t)c->uvm.min_faults;
    u->seed = c->uvm.seed;
    u->sms = (uint32_t)mp_config_sms(c);
}
