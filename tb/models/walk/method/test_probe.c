/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of page tables by the steps of their design: radix tables as other methods read them, hashed ones
 * with a random driver, and what invalidations tell a method. */
#include "../walk_bench.h"
#include "vm/translation_check.h"
#include "walk/method/entry.h"

struct probe_counters { /* as the method has them */
    uint64_t found, first, further, nowhere;
};

static const struct probe_counters *counters(void)
{
    return b.walk.method_stats;
}

static struct mp_walk_params with(const struct mp_walk_method *method,
                                  const struct mp_page_table_design *table)
{
    struct mp_walk_params p = base();
    p.method = method;
    p.table = table;
    p.format = mp_page_format(4096);
    return p;
}

/* Gives both address spaces one hashed table. */
static void make_hashed(uint64_t lines, uint64_t probes)
{
    const struct mp_design_values own = {{lines, probes}};
    for (uint16_t a = 0; a < 2; a++)
        b.table[a] = (struct mp_page_table){.format = mp_page_format(4096),
                                            .memory = &b.physmem,
                                            .frames = &b.frames,
                                            .asid = a,
                                            .design = &mp_page_table_hashed};
    assert_int_equal(mp_page_table_start(&b.table[0], &own, NULL), 0);
    b.table[1].root = b.table[0].root;
    for (uint16_t a = 0; a < 2; a++)
        mp_walk_set_root(&b.walk, a, b.table[a].format, b.table[a].root);
}

static const struct fake_request *walk(uint16_t asid, uint64_t va)
{
    const struct fake_request *q = ask(0, asid, va);
    run_dry(&b.wheel);
    return q;
}

static void hashed_tables_at_random(void **state)
{
    (void)state;
    struct rng r = rng_start("probe", 9);
    struct mp_walk_params p = with(&mp_walk_probe, &mp_page_table_hashed);
    uint64_t expected[2] = {0}, walks[2] = {0}, found[2] = {0}, first[2] = {0}, pa;
    set_up(&p);
    make_hashed(128, 8);
    for (unsigned step = 0; step < 20000; step++) {
        uint16_t a = (uint16_t)rng_below(&r, 2);
        uint64_t va = (uint64_t)rng_below(&r, 200) * 5 * 4096, at[MP_MAX_LEVELS + 8];
        if (rng_percent(&r, 40)) {
            if (!mp_page_table_unmap(&b.table[a], va, &pa))
                mp_page_table_map(&b.table[a], va, rng_below(&r, 200000) * 4096ull, 0,
                                  NULL); /* or there is no room */
            continue;
        }
        unsigned lines = mp_page_table_walk(&b.table[a], va, at);
        const struct mp_req *q = &walk(a, va + 40)->req;
        const struct mp_translation_answer answer = {
            .va = q->va, .pa = q->pa, .span = q->span, .page = q->page, .faults = q->fault};
        assert_int_equal(mp_translation_check(&b.table[a], &answer, NULL, NULL), 0);
        if (q->fault)
            assert_int_equal(q->fault, MP_FAULT_NOT_VALID);
        else
            assert_int_equal(q->page, 12);
        if (lines == MP_MAX_LEVELS)
            lines = (unsigned)(b.walk.stats[a].levels_read - expected[a]);
        expected[a] += lines;
        walks[a]++;
        found[a] += !q->fault;
        first[a] += !q->fault && lines == 1;
        assert_int_equal(b.walk.stats[a].levels_read, expected[a]);
    }
    for (unsigned a = 0; a < 2; a++) {
        assert_int_equal(counters()[a].found, found[a]);
        assert_int_equal(counters()[a].first, first[a]);
        assert_int_equal(counters()[a].nowhere, walks[a] - found[a]);
        assert_int_equal(counters()[a].further, expected[a] - walks[a]);
        assert_true(counters()[a].further > 100);
        assert_true(first[a] > 1000);
    }
}

/* Bits of the entry that the cluster does not use. */
static void bad_entries_fault(void **state)
{
    (void)state;
    struct mp_walk_params p = with(&mp_walk_probe, &mp_page_table_hashed);
    set_up(&p);
    b.port[0].check = NULL;
    make_hashed(64, 8);
    mp_walk_set_memory(&b.walk, 0, 1024 * MB);
    assert_int_equal(mp_page_table_map(&b.table[0], 0x5000, 0x7000, 0, NULL), 0);
    uint64_t at[MP_MAX_LEVELS];
    unsigned n = mp_page_table_walk(&b.table[0], 0x5000, at) - 1;
    const uint64_t good = mp_physmem_read64(&b.physmem, at[n]);
    const struct {
        uint64_t flip;
        unsigned cause;
    } flaws[] = {{1, MP_FAULT_NOT_VALID},
                 {2, MP_FAULT_TABLE},
                 {8, MP_FAULT_RESERVED},
                 {1ull << 62, MP_FAULT_RESERVED},
                 {1ull << 40, MP_FAULT_OUTSIDE}};
    for (unsigned i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        mp_physmem_write64(&b.physmem, at[n], good ^ flaws[i].flip);
        assert_int_equal(walk(0, 0x5000)->req.fault, flaws[i].cause); /* of level 0: there is one */
        assert_int_equal(walk(0, 0x5000)->req.pa, at[n]);
    }
    mp_physmem_write64(&b.physmem, at[n], good ^ 4);
    assert_int_equal(walk(0, 0x5000)->req.span.read_only, 1);
    assert_int_equal(walk(0, 1ull << 48)->req.fault, MP_FAULT_NOT_VALID);
    mp_walk_set_root(&b.walk, 0, b.table[0].format, 1ull << 40);
    assert_int_equal(walk(0, 0x5000)->req.fault, MP_FAULT_ROOT);
}

/* An invalidated walk begins again, at the first line. */
static void a_walk_in_flight_begins_again(void **state)
{
    for (uint64_t when = 10; when < LEVEL; when += 40) {
        struct mp_walk_params p = with(&mp_walk_probe, &mp_page_table_hashed);
        const struct mp_scope page = {.tables = true, .va = 0x9000, .bytes = 4096};
        uint64_t pa;
        set_up(&p);
        make_hashed(64, 8);
        assert_int_equal(mp_page_table_map(&b.table[0], 0x9000, 0x7000, 0, NULL), 0);
        const struct fake_request *q = ask(0, 0, 0x9000);
        at_cycle(when);
        assert_int_equal(mp_page_table_unmap(&b.table[0], 0x9000, &pa), 12);
        assert_int_equal(mp_page_table_map(&b.table[0], 0x9000, 0x8000, 0, NULL), 0);
        mp_walk_invalidate(&b.walk, &page);
        run_dry(&b.wheel);
        assert_int_equal(q->req.pa, 0x8000);
        if (when + 40 < LEVEL)
            tear_down(state);
    }
}

/* A radix table read by its steps takes the reads of on_return without a page walk cache. */
static void radix_tables_as_on_return(void **state)
{
    uint64_t cycles[2], reads[2];
    for (unsigned m = 0; m < 2; m++) {
        struct rng r = rng_start("radix", 10);
        struct mp_walk_params p = with(m ? &mp_walk_probe : &mp_walk_radix, &mp_page_table_radix);
        p.pwc_entries = 0;
        set_up(&p);
        for (uint64_t va = 0; va < 64 * MB; va += 7 * 4096)
            map(0, va);
        for (unsigned n = 0; n < 500; n++)
            walk(0, rng_next(&r) % (64 * MB));
        cycles[m] = b.wheel.now;
        reads[m] = b.walk.stats[0].levels_read;
        if (!m)
            tear_down(state);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(reads[0], reads[1]);
}

/* --- what a method hears ----------------------------------------------------------------------------------
 */

static unsigned heard;

static uint32_t hear(struct mp_walk *w, const struct mp_scope *scope)
{
    (void)scope;
    assert_ptr_equal(w, &b.walk);
    heard++;
    return 3;
}

/* A method that depends on its page alone still hears of pages that change, which page walk caches do not. */
static void invalidations_reach_every_method(void **state)
{
    (void)state;
    struct mp_walk_method mine = mp_walk_radix;
    mine.invalidate = hear;
    struct mp_walk_params p = with(&mine, NULL);
    const struct mp_scope page = {.va = 0x9000, .bytes = 4096}, tables = {.tables = true, .va = 0x9000};
    set_up(&p);
    map(0, 0x9000);
    walk(0, 0x9000);
    heard = 0;
    assert_int_equal(mp_walk_kind.invalidate(&b.walk, &page), 3);
    assert_int_equal(heard, 1);
    uint64_t before = b.walk.stats[0].levels_read;
    walk(0, 0x9000);
    assert_int_equal(b.walk.stats[0].levels_read - before, 1); /* the page walk cache has kept its entries */
    assert_int_equal(mp_walk_kind.invalidate(&b.walk, &tables), 3 + 3);
    assert_int_equal(heard, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hashed_tables_at_random, tear_down),
        cmocka_unit_test_teardown(bad_entries_fault, tear_down),
        cmocka_unit_test_teardown(a_walk_in_flight_begins_again, tear_down),
        cmocka_unit_test_teardown(radix_tables_as_on_return, tear_down),
        cmocka_unit_test_teardown(invalidations_reach_every_method, tear_down),
    };
    return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
