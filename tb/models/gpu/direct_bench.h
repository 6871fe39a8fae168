/* SPDX-License-Identifier: Apache-2.0 */
/* A small machine whose models are joined without SystemC. A prober takes the place of each SM: it translates
 * one page and then reads a line of it. */
#ifndef MP_TB_DIRECT_BENCH_H
#define MP_TB_DIRECT_BENCH_H

#include "small_machine.h"

#include "gpu/direct.h"
#include "vm/frames/allocator.h"

struct prober {
    struct mp_wheel *wheel;
    struct mp_out translate, data;
    struct mp_req page, line;
    uint64_t translated, loaded; /* cycles */
};

static inline void translated(void *self, struct mp_req *req)
{
    struct prober *p = self;
    p->translated = p->wheel->now;
    p->line = *req;
    p->line.op = MP_LOAD;
    mp_out_send(&p->data, &p->line);
}

static inline void loaded(void *self, struct mp_req *req)
{
    struct prober *p = self;
    (void)req;
    p->loaded = p->wheel->now;
}

static inline void translate_resume(void *self, unsigned link)
{
    struct prober *p = self;
    (void)link;
    mp_out_resume(&p->translate);
}

static inline void data_resume(void *self, unsigned link)
{
    struct prober *p = self;
    (void)link;
    mp_out_resume(&p->data);
}

static inline void fit(void *params, const struct mp_block_place *place)
{
    (void)params;
    (void)place;
}

static inline int init(void *model, struct mp_wheel *wheel, const void *params)
{
    (void)params;
    *(struct prober *)model = (struct prober){.wheel = wheel};
    return 0;
}

static inline void release(void *model)
{
    (void)model;
}

static inline struct mp_initiator initiator(void *model, unsigned out)
{
    return out ? mp_initiator_of(loaded, data_resume, model, out)
               : mp_initiator_of(translated, translate_resume, model, out);
}

static inline void join(void *model, unsigned out, struct mp_target to)
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

static inline void set_up(struct bench *b, bool walks_read_dram)
{
    static const uint32_t slices[] = {1, 2};
    b->m = small_machine();
    if (walks_read_dram) {
        b->m.walk.level_latency = 0;
        mp_machine_lead(&b->m, "walk", "dram");
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

static inline void tear_down(struct bench *b)
{
    mp_direct_free(&b->d);
    mp_plan_free(&b->plan);
    mp_frames_free(&b->frames);
    mp_physmem_free(&b->memory);
    mp_wheel_free(&b->wheel);
}

static inline void *model_at(const struct bench *b, const char *path)
{
    return b->d.model[mp_plan_find(&b->plan, path)];
}

static inline void begin_probe(struct bench *b, const char *path, uint64_t va)
{
    struct prober *p = model_at(b, path);
    p->page = (struct mp_req){.va = va, .asid = 1, .tenant = 1, .op = MP_TRANSLATE};
    mp_out_send(&p->translate, &p->page);
}

static inline void probe(struct bench *b, const char *path, uint64_t va)
{
    begin_probe(b, path, va);
    run_dry(&b->wheel);
}

/* Builds all, and maps a page of tenant 1; returns its frame. */
static inline uint64_t build_and_map(struct bench *b, uint64_t va)
{
    uint64_t pa;
    assert_int_equal(mp_direct_build_all(&b->d), 0);
    assert_int_equal(mp_frames_take_page(&b->frames, 0, &pa, NULL), 0);
    assert_int_equal(mp_page_table_map(&b->table, va, pa, 0, NULL), 0);
    const struct mp_block_kind *walk = block_at(&b->plan, "gpu.mig1.walk")->kind;
    walk->set_root(model_at(b, "gpu.mig1.walk"), 1, b->table.format, b->table.root);
    return pa;
}

#endif
