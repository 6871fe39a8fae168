/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables that change while a machine translates: pages are unmapped, remapped and protected at random,
 * subregions become contiguous and are splintered, with misses and walks in flight, under every design of
 * MESC's paper. From its shootdown on, an answer is what the page table has, and so is every entry of every
 * TLB, for all pages that it covers.
 */
#include "../vm/changes.h"
#include "small_machine.h"

#include "gpu/direct.h"
#include "vm/contiguity.h"
#include "vm/translation_check.h"

#define FRAMES 3u /* of 2 MB, that have pages */
#define PAGES  (FRAMES * 512u)
#define VA     (0x80000 * PAGE)

enum { CHANGES = 500, IN_FLIGHT = 4 };

static const struct design {
    const char *name;
    const struct mp_tlb_policy *l1, *iommu;
    const struct mp_walk_method *walk;
    bool heads_first;
} designs[] = {
    {"baseline", &mp_tlb_page, &mp_tlb_page, &mp_walk_radix, false},
    {"CoLT", &mp_tlb_colt, &mp_tlb_page, &mp_walk_colt, false},
    {"full CoLT", &mp_tlb_colt, &mp_tlb_colt, &mp_walk_colt, false},
    {"THP", &mp_tlb_thp, &mp_tlb_thp, &mp_walk_thp, false},
    {"MESC", &mp_tlb_page, &mp_tlb_mesc, &mp_walk_mesc, false},
    {"MESC, heads first", &mp_tlb_page, &mp_tlb_mesc, &mp_walk_mesc, true},
    {"MESC+CoLT", &mp_tlb_colt, &mp_tlb_mesc, &mp_walk_mesc, false},
    {"MESC+full CoLT", &mp_tlb_colt, &mp_tlb_mesc_full_colt, &mp_walk_mesc, false},
};

/* An initiator in the place of an SM. */
struct asker {
    struct mp_target tlb;
    struct mp_req req[IN_FLIGHT];
    bool busy[IN_FLIGHT], held;
};

static struct bench {
    const struct design *design;
    struct mp_machine m;
    struct mp_coalescer coalescer;
    struct mp_plan plan;
    struct mp_direct d;
    struct mp_wheel wheel;
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_space space;
    struct mp_contiguity contiguity;
    struct asker asker[SMS];
    struct rng rng;
    uint64_t answers, faults, blocks;         /* blocks: answers for more than a page */
    uint64_t walked_in_frame, answered_early; /* walks in flight in the frame of a change */
} b;

/* An answer that has been on its way promises its page only: each TLB on the way has looked after what it
 * stores. whole: all pages that it covers, since it was given in this cycle. */
static void check(const struct mp_req *req, bool whole)
{
    struct mp_translation_answer a = {
        .va = req->va, .pa = req->pa, .span = req->span, .faults = req->fault != MP_FAULT_NONE};
    struct mp_error err;
    b.blocks += a.span.before || a.span.after || a.span.unit;
    if (!whole)
        a.span = (struct mp_span){.read_only = a.span.read_only};
    if (mp_translation_check(&b.space.table, &a, NULL, &err))
        fail_msg("%s, cycle %llu: %s", b.design->name, (unsigned long long)b.wheel.now, err.text);
    b.answers++;
    b.faults += a.faults;
}

static void responded(void *self, struct mp_req *req)
{
    struct asker *a = self;
    check(req, false);
    a->busy[req - a->req] = false;
}

static void resumed(void *self, unsigned port)
{
    struct asker *a = self;
    (void)port;
    a->held = false;
}

static void ask(struct asker *a, uint64_t page)
{
    uint32_t i = 0, delay = 0;
    while (i < IN_FLIGHT && a->busy[i])
        i++;
    if (i == IN_FLIGHT || a->held)
        return;
    a->req[i] = (struct mp_req){.owner = a, .va = VA + page * PAGE + 8 * rng_below(&b.rng, 512)};
    a->req[i].op = MP_TRANSLATE;
    enum mp_answer answer = a->tlb.request(a->tlb.self, a->tlb.port, &a->req[i], &delay);
    a->busy[i] = answer != MP_DONE;
    a->held = answer == MP_HELD;
    if (answer == MP_DONE)
        check(&a->req[i], true);
}

/* --- the machine ------------------------------------------------------------------------------------------
 */

static void describe(const struct design *design)
{
    static const uint32_t all[] = {SMS};
    b.m = small_machine();
    b.m.sm.coalescer = &b.coalescer;
    b.m.l1_tlb.policy = design->l1;
    b.m.l3_tlb.policy = design->iommu;
    b.m.l1_tlb.geometry.sub_entries = b.m.l3_tlb.geometry.sub_entries = 1;
    b.m.l3_tlb.geometry.sets = 4;
    b.m.l3_tlb.geometry.own.v[0] = 4; /* sub_ways */
    b.m.l3_tlb.mshrs = 16;
    b.m.walk.method = design->walk;
    b.m.walk.values = mp_design_defaults(&design->walk->design);
    b.m.walk.geometry.walkers = 4;
    b.m.dram.transport = 4;
    b.m.walk.heads_first = design->heads_first;
    b.m.walk.level_latency = 0;
    b.m.walk.memory = &b.memory;
    mp_machine_level(&b.m, "l1_tlb")->per = MP_PER_SM;
    mp_machine_level(&b.m, "l2_tlb")->per = MP_PER_NONE;
    mp_machine_lead(&b.m, "walk", "dram");
    mp_machine_divide_sms(&b.m, 1, all);
    b.plan = plan_of(&b.m);
}

static void begin(const struct design *design, uint64_t seed)
{
    uint32_t askers = 0;
    b = (struct bench){.design = design, .coalescer = {.page_shift = 12, .line_shift = 7}, .rng = {seed}};
    describe(design);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_physmem_init(&b.memory, SLICES * PER_SLICE), 0);
    const struct mp_frames_params frames = {
        .base = 2 * PER_SLICE, .bytes = PER_SLICE, .page_bytes = PAGE}; /* of tables */
    assert_int_equal(mp_frames_init(&b.frames, &mp_frames_ascending, &frames, NULL), 0);
    const struct mp_space_params space = {
        .format = b.m.walk.format, .memory = &b.memory, .frames = &b.frames};
    assert_int_equal(mp_space_init(&b.space, &space, NULL), 0);
    b.space.table.heads_first = design->heads_first;
    b.space.hook = mp_contiguity_hook(&b.contiguity);
    assert_int_equal(mp_direct_init(&b.d, &b.plan, &b.wheel), 0);
    assert_int_equal(mp_direct_build_all(&b.d), 0);
    for (uint32_t i = 0; i < b.plan.blocks; i++) {
        const struct mp_block_kind *kind = b.plan.block[i].kind;
        if (kind->set_root)
            kind->set_root(b.d.model[i], 0, b.space.table.format, b.space.table.root);
        if (kind->invalidate)
            assert_int_equal(
                mp_listeners_add(&b.space.listeners, (struct mp_listener){b.d.model[i], kind->invalidate}),
                0);
        if (strcmp(b.plan.block[i].level, "l1_tlb") != 0)
            continue;
        struct asker *a = &b.asker[askers++];
        a->tlb = kind->target(b.d.model[i], 0);
        *kind->up(b.d.model[i], 0) = mp_initiator_of(responded, resumed, a, 0);
    }
    assert_int_equal(askers, SMS);
}

static void end(void)
{
    mp_direct_free(&b.d);
    mp_plan_free(&b.plan);
    mp_space_free(&b.space);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    mp_wheel_free(&b.wheel);
}

/* --- changes ----------------------------------------------------------------------------------------------
 */

static bool is_mapped(uint64_t va)
{
    return mp_page_table_entry(&b.space.table, va) & MP_PTE_VALID;
}

static void put(uint64_t page, uint64_t pfn)
{
    uint64_t va = VA + page * PAGE, old;
    if (remap(&b.space, va, pfn * PAGE, &old))
        return;
    assert_int_equal(mp_page_table_map(&b.space.table, va, pfn * PAGE, 0, NULL), 0);
    b.space.hook.changed(b.space.hook.self, &b.space, va, false);
}

/* Frames of memory that data may have: those of the first two slices. */
static uint64_t any_pfn(uint32_t aligned)
{
    return rng_below(&b.rng, (uint32_t)(2 * PER_SLICE / PAGE) - 512) / aligned * aligned;
}

static void put_run(uint64_t first, uint64_t pages, uint64_t pfn)
{
    for (uint64_t i = 0; i < pages; i++) {
        put(first + i, pfn + i);
        protect(&b.space, VA + (first + i) * PAGE, 1, false);
    }
}

/* Walks in flight whose frame is about to change. */
static void note_walks(uint64_t va)
{
    uint32_t i = mp_plan_find(&b.plan, "gpu.walk");
    const struct mp_walk *w = b.d.model[i];
    for (uint32_t k = 0; k < w->p.geometry.walkers; k++)
        if (w->walker[k].walk && w->walker[k].walk->va >> 21 == va >> 21) {
            b.walked_in_frame++;
            b.answered_early += w->walker[k].answered;
        }
}

static void change(void)
{
    uint64_t page = rng_below(&b.rng, PAGES), va = VA + page * PAGE;
    note_walks(va);
    switch (rng_below(&b.rng, 16)) {
    case 0:
        put_run(page & ~511ull, 512, any_pfn(512)); /* of which a large page can map the frame */
        break;
    case 1:
    case 2:
        put_run(page & ~63ull, 64 * (1 + (page & 64) / 64) & 127, any_pfn(1));
        break;
    case 3:
        mp_contiguity_scan_space(&b.contiguity, &b.space);
        break;
    case 4:
    case 5:
        protect(&b.space, va, 1 + rng_below(&b.rng, 5), rng_percent(&b.rng, 50));
        break;
    case 6:
    case 7:
        if (is_mapped(va))
            mp_space_change(&b.space, va, 0);
        break;
    default:
        put(page, any_pfn(1));
    }
}

static void check_entry(void *unused, const struct mp_tlb_entry *e)
{
    const struct mp_translation_answer a = {.va = e->vpn * PAGE, .pa = e->to.pfn * PAGE, .span = e->to.span};
    struct mp_error err;
    (void)unused;
    if (mp_translation_check(&b.space.table, &a, NULL, &err))
        fail_msg("%s, an entry at cycle %llu: %s", b.design->name, (unsigned long long)b.wheel.now, err.text);
}

static void check_tlbs(void)
{
    for (uint32_t i = 0; i < b.plan.blocks; i++) {
        if (b.plan.block[i].kind != &mp_tlb_kind)
            continue;
        const struct mp_tlb *t = b.d.model[i];
        for (uint32_t set = 0; t->policy->ways(t->state, set); set++)
            t->policy->each_entry(t->state, set, check_entry, NULL);
    }
}

/* Accesses go to few pages at a time, so that TLBs hit, and to the changed ones as well. */
static void go_on(uint32_t cycles)
{
    uint64_t last = b.wheel.now + cycles, near = rng_below(&b.rng, PAGES);
    while (b.wheel.now < last) {
        for (uint32_t i = 0; i < SMS; i++)
            if (rng_percent(&b.rng, 10))
                ask(&b.asker[i], rng_percent(&b.rng, 80) ? (near + rng_below(&b.rng, 96)) % PAGES
                                                         : rng_below(&b.rng, PAGES));
        mp_wheel_advance(&b.wheel, b.wheel.now + 1);
        mp_wheel_run_cycle(&b.wheel);
    }
}

static void run(const struct design *design, uint64_t seed)
{
    begin(design, seed);
    for (uint32_t frame = 0; frame < FRAMES; frame++)
        put_run(frame * 512, 512, frame * 512 + 7);
    mp_contiguity_scan_space(&b.contiguity, &b.space);
    for (uint32_t i = 0; i < CHANGES; i++) {
        go_on(rng_below(&b.rng, rng_percent(&b.rng, 20) ? 40 : 400));
        change();
        if (i % 16 == 0)
            check_tlbs();
    }
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < SMS; i++)
        for (uint32_t k = 0; k < IN_FLIGHT; k++)
            assert_false(b.asker[i].busy[k]); /* every request has its answer */
    print_message("%s: %llu answers, %llu faults, %llu for blocks; %llu walks in flight in a frame that "
                  "changed, %llu of them answered\n",
                  design->name, (unsigned long long)b.answers, (unsigned long long)b.faults,
                  (unsigned long long)b.blocks, (unsigned long long)b.walked_in_frame,
                  (unsigned long long)b.answered_early);
    assert_true(b.answers > 4 * CHANGES && b.faults > 0 && b.walked_in_frame > CHANGES / 20);
    assert_true(design->iommu == &mp_tlb_page || design->walk == &mp_walk_thp || b.blocks > 0 ||
                design->l1 == &mp_tlb_page);
    assert_true(design->walk != &mp_walk_mesc || design->heads_first || b.answered_early > 0);
    end();
}

static void answers_follow_the_page_table(void **state)
{
    struct rng r = rng_start("answers_follow_the_page_table", 1);
    (void)state;
    for (size_t i = 0; i < sizeof designs / sizeof *designs; i++)
        run(&designs[i], rng_next(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_follow_the_page_table),
    };
    return cmocka_run_group_tests_name("machine_changes", tests, NULL, NULL);
}
