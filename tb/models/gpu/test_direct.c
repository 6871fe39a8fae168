/* SPDX-License-Identifier: Apache-2.0 */
/* Models that are joined without SystemC answer requests along the links of the plan. A prober takes the
 * place of each SM: it translates one page and then reads a line of it. */
#include "small_machine.h"

#include "gpu/direct.h"
#include "vm/frames/allocator.h"

struct prober {
    struct mp_wheel *wheel;
    struct mp_out translate, data;
    struct mp_req page, line;
    uint64_t translated, loaded; /* cycles */
};

static void translated(void *self, struct mp_req *req)
{
    struct prober *p = self;
    p->translated = p->wheel->now;
    p->line = *req;
    p->line.op = MP_LOAD;
    mp_out_send(&p->data, &p->line);
}

static void loaded(void *self, struct mp_req *req)
{
    struct prober *p = self;
    (void)req;
    p->loaded = p->wheel->now;
}

static void translate_resume(void *self, unsigned link)
{
    struct prober *p = self;
    (void)link;
    mp_out_resume(&p->translate);
}

static void data_resume(void *self, unsigned link)
{
    struct prober *p = self;
    (void)link;
    mp_out_resume(&p->data);
}

static void fit(void *params, const struct mp_block_place *place)
{
    (void)params;
    (void)place;
}

static int init(void *model, struct mp_wheel *wheel, const void *params)
{
    (void)params;
    *(struct prober *)model = (struct prober){.wheel = wheel};
    return 0;
}

static void release(void *model)
{
    (void)model;
}

static struct mp_initiator initiator(void *model, unsigned out)
{
    return out ? (struct mp_initiator){loaded, data_resume, model, out}
               : (struct mp_initiator){translated, translate_resume, model, out};
}

static void join(void *model, unsigned out, struct mp_target to)
{
    struct prober *p = model;
    *(out ? &p->data : &p->translate) =
        (struct mp_out){.target = to, .wheel = p->wheel, .response = out ? loaded : translated, .self = p};
}

static const struct mp_block_kind prober_kind = {
    .name = "prober",
    .model_bytes = sizeof(struct prober),
    .groups = 2,
    .out = {{"translations", MP_LINK_TRANSLATION, false}, {"data", MP_LINK_MEMORY, false}},
    .fit = fit,
    .init = init,
    .free = release,
    .initiator = initiator,
    .join = join,
};

struct bench {
    struct mp_machine m;
    struct mp_plan plan;
    struct mp_direct d;
    struct mp_wheel wheel;
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_page_table table;
};

static void set_up(struct bench *b, bool walks_read_dram)
{
    static const uint32_t slices[] = {1, 2};
    b->m = small_machine();
    if (walks_read_dram) {
        b->m.walk.level_latency = 0;
        mp_machine_level(&b->m, "walk")->out[0].to = "dram";
    }
    b->m.walk.memory = &b->memory;
    mp_machine_level(&b->m, "sm")->kind = &prober_kind;
    mp_machine_divide_slices(&b->m, 2, slices);
    b->plan = plan_of(&b->m);
    mp_wheel_init(&b->wheel);
    assert_int_equal(mp_physmem_init(&b->memory, SLICES * b->m.memory_per_slice), 0);
    const struct mp_frames_params frames = {
        .base = b->m.memory_per_slice, .bytes = b->m.memory_per_slice, .page_bytes = b->m.page_bytes};
    assert_int_equal(mp_frames_init(&b->frames, &mp_frames_ascending, &frames, NULL), 0);
    assert_int_equal(mp_page_table_init(&b->table, b->m.walk.format, &b->memory, &b->frames, 0, NULL), 0);
    assert_int_equal(mp_direct_init(&b->d, &b->plan, &b->wheel), 0);
}

static void tear_down(struct bench *b)
{
    mp_direct_free(&b->d);
    mp_plan_free(&b->plan);
    mp_frames_free(&b->frames);
    mp_physmem_free(&b->memory);
    mp_wheel_free(&b->wheel);
}

static void *model_at(const struct bench *b, const char *path)
{
    return b->d.model[mp_plan_find(&b->plan, path)];
}

static void probe(struct bench *b, const char *path, uint64_t va)
{
    struct prober *p = model_at(b, path);
    p->page = (struct mp_req){.va = va, .asid = 1, .tenant = 1, .op = MP_TRANSLATE};
    mp_out_send(&p->translate, &p->page);
    run_dry(&b->wheel);
}

/* Builds all, and maps a page of tenant 1; returns its frame. */
static uint64_t build_and_map(struct bench *b, uint64_t va)
{
    uint64_t pa;
    assert_int_equal(mp_direct_build_all(&b->d), 0);
    assert_int_equal(mp_frames_take_page(&b->frames, 0, &pa, NULL), 0);
    assert_int_equal(mp_page_table_map(&b->table, va, pa, NULL), 0);
    const struct mp_block_kind *walk = block_at(&b->plan, "gpu.mig1.walk")->kind;
    walk->set_root(model_at(b, "gpu.mig1.walk"), 1, b->table.root);
    return pa;
}

static void test_a_request_passes_all_levels(void **state)
{
    struct bench b;
    const uint64_t va = 0x10000;
    uint64_t pa, began;
    (void)state;
    set_up(&b, false);
    pa = build_and_map(&b, va);

    probe(&b, "gpu.gpc1.tpc0.sm0", va);
    const struct prober *first = model_at(&b, "gpu.gpc1.tpc0.sm0"),
                        *second = model_at(&b, "gpu.gpc2.tpc1.sm1");
    /* Three TLBs, the page walk cache, and a fixed time per level of the table. */
    assert_int_equal(first->translated, 1 + 10 + 40 + 4 + 60 * b.m.walk.format->levels);
    assert_int_equal(first->line.pa, pa);
    assert_true(first->loaded > first->translated + 20 + 60 + 50);

    began = b.wheel.now;
    probe(&b, "gpu.gpc2.tpc1.sm1", va); /* of another slice: the L3 TLB has it, and the L2 cache */
    assert_int_equal(second->translated - began, 1 + 10 + 40);
    assert_int_equal(second->loaded - second->translated, 20 + 60);
    const struct mp_dram_stats *dram =
        block_at(&b.plan, "gpu.mig1.dram")->kind->stats(model_at(&b, "gpu.mig1.dram"));
    assert_int_equal(dram[1].reads, 1);

    const struct mp_scope scope = {.asid = 1, .va = va};
    uint64_t gone = 0;
    for (uint32_t i = 0; i < b.plan.blocks; i++)
        if (b.plan.block[i].kind->invalidate)
            gone += b.plan.block[i].kind->invalidate(b.d.model[i], &scope);
    assert_int_equal(gone, 2 + 2 + 1); /* two L1 TLBs, two L2 TLBs, the L3 TLB */
    began = b.wheel.now;
    probe(&b, "gpu.gpc2.tpc1.sm1", va); /* upper tables are still in the page walk cache */
    assert_int_equal(second->translated - began, 1 + 10 + 40 + 4 + 60);
    tear_down(&b);
}

/* A walk system and an L2 cache are initiators of the same channels, each with separate ports. */
static void test_walks_and_cache_share_dram(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, true);
    const uint64_t va = 0x10000, pa = build_and_map(&b, va);
    probe(&b, "gpu.gpc1.tpc0.sm0", va);
    const struct prober *p = model_at(&b, "gpu.gpc1.tpc0.sm0");
    const struct mp_dram *dram = model_at(&b, "gpu.mig1.dram");
    const struct mp_cache *l2d = model_at(&b, "gpu.mig1.l2d");
    assert_int_equal(p->line.pa, pa);
    assert_true(p->loaded > p->translated);
    assert_int_equal(dram->stats[1].reads, b.m.walk.format->levels + 1);
    assert_int_equal(l2d->stats[1].lookups, 1);
    tear_down(&b);
}

static void test_blocks_are_built_when_they_are_needed(void **state)
{
    struct bench b;
    (void)state;
    set_up(&b, false);
    uint32_t dram = mp_plan_find(&b.plan, "gpu.mig0.dram");
    assert_null(b.d.model[dram]);
    assert_int_equal(mp_direct_build(&b.d, dram), 0);
    void *model = b.d.model[dram];
    assert_non_null(model);
    assert_int_equal(mp_direct_build(&b.d, dram), 0);
    assert_ptr_equal(b.d.model[dram], model);
    assert_null(model_at(&b, "gpu.mig0.l2d"));
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_passes_all_levels),
        cmocka_unit_test(test_walks_and_cache_share_dram),
        cmocka_unit_test(test_blocks_are_built_when_they_are_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
