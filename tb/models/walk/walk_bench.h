/* SPDX-License-Identifier: Apache-2.0 */
/* A page-walk system over real page tables, with fake initiators and a fake memory. */
#ifndef MP_TB_WALK_BENCH_H
#define MP_TB_WALK_BENCH_H

#include "../engine/fakes.h"

#include "walk/walk.h"

#define PORTS 3u
#define MB    (1ull << 20)
#define LEVEL 100u
#define PWC   5u

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_physmem physmem;
    struct mp_frames frames;
    struct mp_page_table table[2];
    struct mp_walk walk;
    struct fake_initiator port[PORTS];
    struct fake_target memory;
};

static struct bench b;

static inline struct mp_walk_params base(void)
{
    return (struct mp_walk_params){.scheduler = &mp_walk_fcfs,
                                   .method = &mp_walk_radix,
                                   .geometry = {.walkers = 2, .queue = 4, .tenants = 2},
                                   .rules = {.epoch = 200, .thresholds = mp_walk_thresholds[0]},
                                   .format = mp_page_format(65536),
                                   .memory = &b.physmem,
                                   .level_latency = LEVEL,
                                   .pwc_entries = 128,
                                   .pwc_ways = 8,
                                   .pwc_latency = PWC,
                                   .ports = PORTS};
}

/* Compares an answer with the page table. */
static inline void right_translation(struct fake_initiator *i, struct fake_request *r)
{
    uint64_t pa;
    (void)i;
    bool valid = mp_page_table_find(&b.table[r->req.asid], r->req.va, &pa);
    assert_int_equal(r->req.fault & MP_FAULT_CAUSE, valid ? MP_FAULT_NONE : MP_FAULT_NOT_VALID);
    if (valid)
        assert_int_equal(r->req.pa, pa);
}

static inline void set_up(const struct mp_walk_params *p)
{
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_physmem_init(&b.physmem, 1024 * MB), 0);
    const struct mp_frames_params frames = {
        .base = 0, .bytes = 1024 * MB, .page_bytes = 1ull << p->format->page_shift};
    assert_int_equal(mp_frames_init(&b.frames, &mp_frames_ascending, &frames, NULL), 0);
    assert_int_equal(mp_walk_init(&b.walk, &b.wheel, p), 0);
    for (uint16_t a = 0; a < 2; a++) {
        assert_int_equal(mp_page_table_init(&b.table[a], p->format, &b.physmem, &b.frames, 0, NULL), 0);
        mp_walk_set_root(&b.walk, a, b.table[a].format, b.table[a].root);
    }
    for (uint32_t i = 0; i < PORTS; i++) {
        fake_initiator_join(&b.port[i], &b.wheel, mp_target_of(mp_walk_request, &b.walk, i),
                            &b.walk.ports.up[i]);
        b.port[i].check = right_translation;
    }
    b.memory = fake_target_make(&b.wheel, NULL, 30, 30);
    b.memory.up = mp_initiator_of(mp_walk_response, mp_walk_resume, &b.walk, 0);
    mp_walk_join(&b.walk, 0, fake_target_end(&b.memory));
}

static inline int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_free(&b.port[i]);
    free(b.memory.log);
    mp_walk_free(&b.walk);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.physmem);
    mp_wheel_free(&b.wheel);
    return 0;
}

static inline void map(uint16_t asid, uint64_t va)
{
    uint64_t pa;
    assert_int_equal(mp_frames_take_page(&b.frames, 0, &pa, NULL), 0);
    assert_int_equal(mp_page_table_map(&b.table[asid], va, pa, 0, NULL), 0);
}

static inline struct fake_request *ask(uint32_t port, uint16_t asid, uint64_t va)
{
    return fake_initiator_send(
        &b.port[port], (struct mp_req){.va = va, .asid = asid, .tenant = (uint8_t)asid, .op = MP_TRANSLATE});
}

static inline void at_cycle(uint64_t cycle)
{
    run_until(&b.wheel, cycle - 1);
    mp_wheel_advance(&b.wheel, cycle);
}

#endif
