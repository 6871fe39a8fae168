/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functional warming leaves the same tags as the detailed model, if a request is answered before the next one
 * is made: the same random requests go through one machine in detail and through another one functionally,
 * and all arrays of both are compared.
 */
#include "small_machine.h"

#include "gpu/direct.h"
#include "vm/frames/allocator.h"

#define PAGES    96u
#define REQUESTS 4000u

struct bench {
    struct mp_machine m;
    struct mp_plan plan;
    struct mp_direct d;
    struct mp_wheel wheel;
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_page_table table;
    struct mp_tlb *l1_tlb, *l2_tlb, *l3_tlb;
    struct mp_walk *walk;
    struct mp_cache *l1d, *l2d;
};

static void *model_at(const struct bench *b, const char *path)
{
    return b->d.model[mp_plan_find(&b->plan, path)];
}

static void set_up(struct bench *b, const struct mp_walk_method *method)
{
    static const uint32_t slices[] = {3};
    *b = (struct bench){.m = small_machine()};
    b->m.walk.level_latency = 0; /* walks read through the L2 cache */
    b->m.walk.memory = &b->memory;
    b->m.walk.method = method;
    mp_machine_divide_slices(&b->m, 1, slices);
    b->plan = plan_of(&b->m);
    mp_wheel_init(&b->wheel);
    assert_int_equal(mp_physmem_init(&b->memory, SLICES * b->m.memory_per_slice), 0);
    const struct mp_frames_params frames = {.bytes = b->m.memory_per_slice, .page_bytes = PAGE};
    assert_int_equal(mp_frames_init(&b->frames, &mp_frames_ascending, &frames, NULL), 0);
    assert_int_equal(mp_page_table_init(&b->table, b->m.walk.format, &b->memory, &b->frames, 0, NULL), 0);
    assert_int_equal(mp_direct_init(&b->d, &b->plan, &b->wheel), 0);
    assert_int_equal(mp_direct_build_all(&b->d), 0);
    b->l1_tlb = model_at(b, "gpu.gpc0.tpc0.l1_tlb");
    b->l2_tlb = model_at(b, "gpu.gpc0.l2_tlb");
    b->l3_tlb = model_at(b, "gpu.l3_tlb");
    b->walk = model_at(b, "gpu.mig0.walk");
    b->l1d = model_at(b, "gpu.gpc0.tpc0.sm0.l1d");
    b->l2d = model_at(b, "gpu.mig0.l2d");
    mp_walk_set_root(b->walk, 0, b->table.root);
    for (uint64_t p = 0; p < PAGES; p++) { /* some in other tables, so that the page walk cache misses */
        uint64_t pa;
        assert_int_equal(mp_frames_take_page(&b->frames, 0, &pa, NULL), 0);
        assert_int_equal(mp_page_table_map(&b->table, (p << (p % 3 ? 12 : 24)) + (1ull << 40), pa, NULL), 0);
    }
}

static void tear_down(struct bench *b)
{
    mp_direct_free(&b->d);
    mp_plan_free(&b->plan);
    mp_frames_free(&b->frames);
    mp_physmem_free(&b->memory);
    mp_wheel_free(&b->wheel);
}

static struct mp_req request_of(struct rng *rng)
{
    static const uint8_t ops[] = {MP_LOAD, MP_LOAD, MP_LOAD, MP_STORE, MP_ATOMIC};
    uint64_t p = rng_below(rng, rng_below(rng, PAGES) + 1); /* low ones more often */
    return (struct mp_req){.va = (p << (p % 3 ? 12 : 24)) + (1ull << 40) + rng_below(rng, 32) * 128,
                           .op = ops[rng_below(rng, 5)]};
}

static struct fake_request *send(struct fake_initiator *from, struct bench *b, struct mp_req req)
{
    struct fake_request *r = fake_initiator_send(from, req);
    run_dry(&b->wheel);
    assert_true(r->answered != MP_NEVER);
    return r;
}

static bool has(const struct mp_tlb *t, uint64_t p)
{
    return mp_tlb_peek(t, 0, (p << (p % 3 ? 12 : 24)) + (1ull << 40)).found;
}

static size_t set_bytes(const struct mp_cache *c)
{
    return (size_t)c->p.banks * c->p.sets * c->set_words * sizeof *c->set;
}

static void compare(const struct bench *a, const struct bench *b)
{
    for (uint64_t p = 0; p < PAGES; p++) {
        assert_int_equal(has(a->l1_tlb, p), has(b->l1_tlb, p));
        assert_int_equal(has(a->l2_tlb, p), has(b->l2_tlb, p));
        assert_int_equal(has(a->l3_tlb, p), has(b->l3_tlb, p));
    }
    assert_memory_equal(a->l1d->set, b->l1d->set, set_bytes(a->l1d));
    assert_memory_equal(a->l2d->set, b->l2d->set, set_bytes(a->l2d));
    for (uint32_t i = 0; i < a->walk->pwc.sets * a->walk->pwc.ways; i++)
        assert_int_equal(a->walk->pwc.entry[i].tag, b->walk->pwc.entry[i].tag);
}

static void same_tags(const struct mp_walk_method *method)
{
    struct bench detailed, functional;
    struct fake_initiator pages, lines;
    struct rng rng = {7};
    set_up(&detailed, method);
    set_up(&functional, method);
    fake_initiator_join(&pages, &detailed.wheel, mp_tlb_kind.target(detailed.l1_tlb, 0),
                        mp_tlb_kind.up(detailed.l1_tlb, 0));
    fake_initiator_join(&lines, &detailed.wheel, mp_cache_kind.target(detailed.l1d, 0),
                        mp_cache_kind.up(detailed.l1d, 0));
    const struct mp_target tlb = mp_tlb_kind.target(functional.l1_tlb, 0),
                           cache = mp_cache_kind.target(functional.l1d, 0);
    for (uint32_t i = 0; i < REQUESTS; i++) {
        struct mp_req req = request_of(&rng), line = req;
        struct mp_req in_detail = send(&pages, &detailed, req)->req;
        tlb.warm(tlb.self, &req);
        assert_int_equal(req.fault, 0);
        assert_int_equal(req.pa, in_detail.pa);
        line.pa = req.pa;
        send(&lines, &detailed, line);
        cache.warm(cache.self, &line);
        if (i % 100 == 0)
            compare(&detailed, &functional);
    }
    compare(&detailed, &functional);
    assert_true(detailed.l1_tlb->stats[0].hits > 100 && detailed.l3_tlb->stats[0].hits > 100);
    assert_true(detailed.walk->stats[0].walks > 100 && detailed.l2d->stats[0].writebacks > 100);
    assert_int_equal(functional.l1_tlb->stats[0].lookups, 0);
    assert_int_equal(functional.l2d->stats[0].lookups, 0);
    assert_int_equal(functional.wheel.executed, 0);
    fake_initiator_free(&pages);
    fake_initiator_free(&lines);
    tear_down(&detailed);
    tear_down(&functional);
}

static void test_tags_are_those_of_the_detailed_model(void **state)
{
    (void)state;
    same_tags(&mp_walk_radix);
}

static void test_with_the_other_walk_method(void **state)
{
    (void)state;
    same_tags(&mp_walk_hpca21);
}

static void test_a_page_without_translation_faults(void **state)
{
    struct bench b;
    struct mp_req req = {.va = 0x5000};
    (void)state;
    set_up(&b, &mp_walk_radix);
    const struct mp_target tlb = mp_tlb_kind.target(b.l1_tlb, 0);
    tlb.warm(tlb.self, &req);
    assert_int_equal(req.fault & MP_FAULT_CAUSE, MP_FAULT_NOT_VALID);
    assert_false(mp_tlb_peek(b.l1_tlb, 0, 0x5000).found);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tags_are_those_of_the_detailed_model),
        cmocka_unit_test(test_with_the_other_walk_method),
        cmocka_unit_test(test_a_page_without_translation_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
