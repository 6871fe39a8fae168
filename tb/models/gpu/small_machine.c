/* SPDX-License-Identifier: Apache-2.0 */
#include "small_machine.h"

enum { WARPS = 8 };

static char text[16384];

static struct mp_tlb_params tlb(uint32_t sets, uint32_t ways, uint32_t sub_entries, uint32_t latency)
{
    return (struct mp_tlb_params){.policy = &mp_tlb_subentry,
                                  .geometry = {.sets = sets,
                                               .ways = ways,
                                               .sub_entries = sub_entries,
                                               .latency = latency,
                                               .sms = SMS,
                                               .warps = WARPS},
                                  .page_shift = 12,
                                  .mshrs = 6,
                                  .merges = 4};
}

struct mp_machine small_machine(void)
{
    struct mp_machine m = {
        .slices = SLICES,
        .tpcs = TPCS,
        .sms_per_tpc = SMS_PER_TPC,
        .launch_latency = 50,
        .memory_per_slice = PER_SLICE,
        .page_bytes = PAGE,
        .line_bytes = 128,
        .sm = {.warps = WARPS,
               .ctas = 4,
               .schedulers = 2,
               .outstanding = 2,
               .lsu_queue = 4,
               .scheduler = mp_warp_scheduler_find("lrr")},
        .l1_tlb = tlb(1, 4, 1, 1),
        .l2_tlb = tlb(2, 4, 4, 10),
        .l3_tlb = tlb(2, 8, 16, 40),
        .walk = {.scheduler = &mp_walk_fcfs,
                 .method = &mp_walk_radix,
                 .geometry = {.walkers = 2, .queue = 16},
                 .rules = {.epoch = 200, .thresholds = mp_walk_thresholds[0]},
                 .format = mp_page_format(PAGE),
                 .level_latency = 60,
                 .pwc_entries = 16,
                 .pwc_ways = 4,
                 .pwc_latency = 4},
        .l1d = {.banks = 1, .sets = 4, .ways = 2, .line_shift = 7, .latency = 20, .mshrs = 4, .merges = 4},
        .l2d = {.banks = 4,
                .sets = 8,
                .ways = 4,
                .line_shift = 7,
                .latency = 60,
                .mshrs = 4,
                .merges = 4,
                .write_back = true},
        .dram = {.channels = 2,
                 .banks = 4,
                 .row_bytes = 1024,
                 .queue = 8,
                 .burst = 5,
                 .cas = 14,
                 .rcd = 14,
                 .rp = 14,
                 .ras = 33,
                 .transport = 50}};
    mp_machine_set_levels(&m);
    return m;
}

struct mp_plan plan_of(const struct mp_machine *m)
{
    struct mp_plan plan;
    struct mp_error err;
    if (mp_plan_init(&plan, m, &err))
        fail_msg("%s", err.text);
    return plan;
}

const struct mp_plan_block *block_at(const struct mp_plan *plan, const char *path)
{
    uint32_t block = mp_plan_find(plan, path);
    if (block == MP_PLAN_NONE)
        fail_msg("no block %s", path);
    return &plan->block[block];
}

const char *paths(const struct mp_plan *plan, const char *level)
{
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < plan->blocks; i++)
        if (!level || !strcmp(plan->block[i].level, level))
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", at ? " " : "", plan->block[i].path);
    assert_true(at < sizeof text);
    return text;
}

const char *links(const struct mp_plan *plan, const char *path)
{
    const struct mp_plan_block *b = block_at(plan, path);
    size_t at = 0;
    text[0] = '\0';
    for (uint32_t i = b->first_link; i < b->first_link + b->links; i++) {
        const struct mp_plan_link *l = &plan->link[i];
        assert_ptr_equal(&plan->block[l->from], b);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u>%s:%u/%x", at ? " " : "", l->out,
                               plan->block[l->to].path, l->port, l->tenants);
    }
    assert_true(at < sizeof text);
    return text;
}
