/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory: a test per rule of prefetch, eviction, quotas, batches and counters, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "bench.h"

/* ---- prefetch ---- */

/* Faults of a cold block at pages 0, 16, 32, 64, 128 and 256. */
static void trees_double(void **state)
{
    static const char *const designs[] = {"tree", "tbn"};
    static const unsigned pages[] = {0, 16, 32, 64, 128, 256}, brought[] = {16, 16, 32, 64, 128, 256};
    (void)state;
    for (unsigned d = 0; d < 2; d++) {
        struct mp_uvm_params p = bench_params();
        struct bench b;
        p.prefetch = mp_uvm_prefetch_find(designs[d]);
        bench_start(&b, &p, 1);
        for (unsigned i = 0; i < 6; i++) {
            const struct mp_uvm_service *s = bench_fault(&b, 0, pages[i], MP_UVM_READ);
            assert_int_equal(mp_uvm_count(&s->zero), brought[i]);
            assert_int_equal(mp_uvm_next(&s->zero, 0), pages[i]);
        }
        bench_end(&b);
    }
}

/* A block of pages 10 to 99 of its 2 MB: 6 pages, 5 big pages, 4 pages. The tree has 100 leaves, of which the
 * first 10 are no pages; its node of leaves 96 to 127 has 4. */
static void trees_of_partial_blocks_have_big_pages_as_nodes(void **state)
{
    const struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    bench_start(&b, &p, 0);
    assert_int_equal(mp_uvm_open(b.u, 0, BASE + 10 * 4096, UINT64_C(90) * 4096, false, NULL), 1);
    const struct mp_uvm_service *s = bench_fault(&b, 0, 12, MP_UVM_READ);
    assert_int_equal(mp_uvm_count(&s->zero), 6); /* 6 of 16 is too few for the node of leaves 0 to 15 */
    s = bench_fault(&b, 0, 20, MP_UVM_READ);
    assert_int_equal(mp_uvm_count(&s->zero),
                     16); /* and 22 of 32 enough for the node of both, which is full */
    s = bench_fault(&b, 0, 98, MP_UVM_READ);
    assert_int_equal(mp_uvm_count(&s->zero), 4);
    bench_end(&b);
}

static void prefetch_waits_for_faults_in_a_row(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.min_faults = 3;
    bench_start(&b, &p, 1);
    assert_int_equal(mp_uvm_count(&bench_fault(&b, 0, 0, MP_UVM_READ)->prefetch), 0);
    assert_int_equal(mp_uvm_count(&bench_fault(&b, 0, 1, MP_UVM_READ)->prefetch), 0);
    assert_int_equal(mp_uvm_count(&bench_fault(&b, 0, 2, MP_UVM_READ)->prefetch), 13);
    bench_end(&b);
}

static void the_other_prefetcher_works_after_the_first_eviction(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.chunks = 1;
    p.prefetch_full = mp_uvm_prefetch_find("none");
    bench_start(&b, &p, 2);
    assert_int_equal(mp_uvm_count(&bench_fault(&b, 0, 0, MP_UVM_READ)->zero), 16);
    assert_int_equal(mp_uvm_count(&bench_fault(&b, 1, 0, MP_UVM_READ)->zero),
                     16); /* chosen before it evicts */
    assert_int_equal(mp_uvm_count(&bench_fault(&b, 1, 64, MP_UVM_READ)->zero), 1);
    bench_end(&b);
}

/* ---- eviction ---- */

/* The block that leaves after blocks 0 to 2 were loaded, 0 was accessed twice and 1 once, 2 not at all. */
static uint64_t leaves(const char *design, enum mp_uvm_access first)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    p.chunks = 3;
    p.evict = mp_uvm_evict_find(design);
    bench_start(&b, &p, 4);
    for (unsigned i = 0; i < 3; i++)
        bench_fault(&b, i, 0, MP_UVM_READ);
    bench_gpu(&b, 0, 0, first);
    bench_gpu(&b, 1, 0, MP_UVM_READ);
    bench_gpu(&b, 0, 0, MP_UVM_READ);
    bench_fault(&b, 3, 0, MP_UVM_READ);
    assert_int_equal(b.victims, 1);
    const uint64_t block = b.victim[0].block - BASE / BLOCK;
    bench_end(&b);
    return block;
}

static void designs_choose_by_load_touch_or_frequency(void **state)
{
    (void)state;
    assert_int_equal(leaves("driver", MP_UVM_READ), 0); /* loaded first */
    assert_int_equal(leaves("lru2m", MP_UVM_READ), 2);  /* touched the longest ago */
    assert_int_equal(leaves("lfu2m", MP_UVM_WRITE), 2); /* never accessed */
}

static void lfu_prefers_clean_blocks(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.chunks = 2;
    p.evict = mp_uvm_evict_find("lfu2m");
    bench_start(&b, &p, 3);
    bench_fault(&b, 0, 0, MP_UVM_WRITE);
    bench_fault(&b, 1, 0, MP_UVM_READ);
    bench_fault(&b, 2, 0, MP_UVM_READ);
    assert_int_equal(b.victim[0].block, BASE / BLOCK + 1);
    bench_end(&b);
}

/* A block with all 32 units loses them to another that takes one after another. When units 0 to 2 have gone,
 * one of the node of 0 to 3 is left, which goes, too; after unit 4, three of the node of 0 to 7; and so on.
 */
static void tbne_prunes(void **state)
{
    static const unsigned victims[] = {1, 1, 2, 0, 4, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 16, 0};
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.chunks = 1;
    p.prefetch = mp_uvm_prefetch_find("sl64");
    p.evict = mp_uvm_evict_find("tbne");
    bench_start(&b, &p, 2);
    for (unsigned i = 0; i < 32; i++)
        bench_fault(&b, 0, 16 * i, MP_UVM_READ);
    for (unsigned i = 0; i < 18; i++) {
        bench_fault(&b, 1, 16 * i, MP_UVM_READ);
        assert_int_equal(b.victims, victims[i]);
    }
    bench_end(&b);
}

static void emptied_units_leave_first(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.chunks = 3;
    bench_start(&b, &p, 4);
    for (unsigned i = 0; i < 3; i++)
        bench_fault(&b, i, 0, MP_UVM_READ);
    assert_int_equal(bench_host(&b, 2, 0).what, MP_UVM_MOVED); /* with the other 15 pages */
    assert_int_equal(mp_uvm_units(b.u, 0), 3);                 /* the unit stays */
    bench_fault(&b, 3, 0, MP_UVM_READ);
    assert_int_equal(b.victims, 1);
    assert_int_equal(b.victim[0].block, BASE / BLOCK + 2);
    assert_false(mp_uvm_any(&b.victim[0].back));
    bench_end(&b);
}

/* The host has 3 of a node of 32 pages, and takes 16 from the GPU: 13 of nowhere come along. */
static void the_host_copies_what_the_gpu_has(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    bench_start(&b, &p, 1);
    for (unsigned i = 16; i < 19; i++)
        assert_int_equal(bench_host(&b, 0, i).what, MP_UVM_ZEROED);
    bench_fault(&b, 0, 0, MP_UVM_READ);
    const struct mp_uvm_moved moved = bench_host(&b, 0, 3);
    assert_int_equal(moved.what, MP_UVM_MOVED);
    assert_int_equal(mp_uvm_count(&moved.pages), 16 + 13);
    assert_int_equal(mp_uvm_count(&moved.copied), 16);
    assert_true(mp_uvm_has(&moved.copied, 0) && mp_uvm_has(&moved.copied, 15));
    bench_end(&b);
}

static void clean_pages_go_back_to_where_they_were(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.chunks = 1;
    p.write_back_dirty = true;
    bench_start(&b, &p, 2);
    assert_int_equal(bench_host(&b, 0, 3).what, MP_UVM_ZEROED);
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 3, MP_UVM_READ)->copy, 3));
    bench_fault(&b, 0, 5, MP_UVM_WRITE); /* is there: becomes dirty */
    assert_true(mp_uvm_has(&b.service[0].done, 5));
    assert_int_equal(bench_gpu(&b, 0, 6, MP_UVM_WRITE).what, MP_UVM_FAULTS); /* mapped read only */
    assert_int_equal(bench_gpu(&b, 0, 5, MP_UVM_WRITE).what, MP_UVM_HITS);
    bench_fault(&b, 1, 0, MP_UVM_READ);
    assert_int_equal(mp_uvm_count(&b.victim[0].back), 1);
    assert_true(mp_uvm_has(&b.victim[0].back, 5));
    assert_int_equal(mp_uvm_count(&b.victim[0].drop), 15);
    const struct mp_uvm_service *s = bench_fault(&b, 0, 0, MP_UVM_READ);
    assert_int_equal(mp_uvm_count(&s->copy), 2); /* pages 3 and 5; the others came from nowhere */
    assert_true(mp_uvm_has(&s->copy, 3) && mp_uvm_has(&s->copy, 5));
    bench_end(&b);
}

/* ---- quotas ---- */

static void spaces_keep_their_reserve(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    struct mp_error err;
    (void)state;
    p.chunks = 3;
    bench_start(&b, &p, 4);
    assert_int_equal(mp_uvm_quota(b.u, 1, 2, 3, NULL), 0);
    assert_int_equal(mp_uvm_open(b.u, 1, BASE, 4 * BLOCK, false, NULL), 4);
    assert_int_equal(mp_uvm_quota(b.u, 2, 1, 1, &err), -1);
    assert_string_equal(err.text, "reserve: 4 chunks would be reserved in all; at most 3, the pool");
    bench_fault(&b, 0, 0, MP_UVM_READ);
    assert_int_equal(b.victims, 0);
    bench_fault(&b, 1, 0, MP_UVM_READ); /* the other two chunks are reserved */
    assert_int_equal(b.victims, 1);
    assert_int_equal(b.victim[0].asid, 0);
    assert_int_equal(mp_uvm_quota(b.u, 0, 1, 2, &err), -1);
    assert_string_equal(err.text, "quota: space 0 has 1 units of the pool; only a space without any");
    bench_end(&b);
}

static void a_space_at_its_limit_loses_its_own(void **state)
{
    const struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    bench_start(&b, &p, 0);
    assert_int_equal(mp_uvm_quota(b.u, 0, 1, 1, NULL), 0);
    assert_int_equal(mp_uvm_open(b.u, 0, BASE, 2 * BLOCK, false, NULL), 2);
    bench_fault(&b, 0, 0, MP_UVM_READ);
    bench_fault(&b, 1, 0, MP_UVM_READ);
    assert_int_equal(b.victims, 1);
    assert_int_equal(mp_uvm_units(b.u, 0), 1);
    bench_end(&b);
}

/* ---- batches ---- */

/* Serves what is in the buffer. */
static struct mp_uvm_batch serve(struct bench *b)
{
    b->victims = b->services = 0;
    return mp_uvm_serve(b->u, &b->report);
}

static void entries_join_the_last_of_their_sm(void **state)
{
    const struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    bench_start(&b, &p, 1);
    mp_uvm_fault(b.u, 0, 0, BASE, MP_UVM_READ);
    mp_uvm_fault(b.u, 1, 0, BASE, MP_UVM_READ); /* joins the last of all */
    mp_uvm_fault(b.u, 2, 0, BASE + 4096, MP_UVM_READ);
    mp_uvm_fault(b.u, 0, 0, BASE + 8, MP_UVM_WRITE); /* joins the last of SM 0, which is then a store */
    mp_uvm_fault(b.u, 3, 0, BASE, MP_UVM_WRITE);     /* the last of all is another page */
    mp_uvm_fault(b.u, 4, 0, BASE, MP_UVM_ATOMIC);    /* higher than the last of all */
    const struct mp_uvm_batch batch = serve(&b);
    assert_int_equal(batch.entries, 6);
    assert_int_equal(batch.merged, 2);
    assert_int_equal(batch.duplicates, 4);
    bench_end(&b);
}

static void bad_pages_are_cancelled_and_bad_prefetches_ignored(void **state)
{
    const struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    bench_start(&b, &p, 0);
    assert_int_equal(mp_uvm_open(b.u, 0, BASE + 16 * 4096, UINT64_C(16) * 4096, true, NULL), 1);
    mp_uvm_fault(b.u, 0, 0, BASE + 100 * 4096, MP_UVM_READ);
    mp_uvm_fault(b.u, 1, 0, BASE + 2 * 4096, MP_UVM_PREFETCH);
    mp_uvm_fault(b.u, 2, 0, BASE + 17 * 4096, MP_UVM_WRITE);
    mp_uvm_fault(b.u, 3, 0, BASE + 17 * 4096, MP_UVM_READ);
    mp_uvm_fault(b.u, 4, 0, BASE + 18 * 4096, MP_UVM_ATOMIC);
    const struct mp_uvm_batch batch = serve(&b);
    assert_int_equal(batch.duplicates, 1);
    assert_int_equal(b.services, 2);
    assert_true(mp_uvm_has(&b.service[0].ignore, 2) && mp_uvm_has(&b.service[0].cancel, 100));
    assert_true(mp_uvm_has(&b.service[1].cancel, 17) &&
                mp_uvm_has(&b.service[1].fault, 17)); /* the load is served */
    assert_true(mp_uvm_has(&b.service[1].cancel, 18) && !mp_uvm_has(&b.service[1].fault, 18));
    bench_end(&b);
}

static void replays_follow_the_policy(void **state)
{
    static const unsigned left[] = {0, 1, 1, 1}, dropped[] = {1, 0, 0, 0}, replays[] = {1, 1, 2, 0};
    (void)state;
    for (unsigned r = 0; r < 4; r++) {
        struct mp_uvm_params p = bench_params();
        struct bench b;
        p.replay = (enum mp_uvm_replay)r;
        p.batch = 2;
        p.entries = 3;
        bench_start(&b, &p, 3);
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(mp_uvm_fault(b.u, i, 0, BASE + i * BLOCK, MP_UVM_READ), i + 1);
        assert_int_equal(mp_uvm_fault(b.u, 3, 0, BASE, MP_UVM_READ), 0); /* full */
        struct mp_uvm_batch batch = serve(&b);
        assert_int_equal(batch.left, left[r]);
        assert_int_equal(batch.dropped, dropped[r]);
        assert_int_equal(batch.replays, replays[r]);
        batch = serve(&b);
        assert_int_equal(batch.replays, left[r]);
        bench_end(&b);
    }
}

/* ---- migration ---- */

static void counters_move_what_was_met(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.migrate = mp_uvm_migrate_find("counter");
    p.prefetch = mp_uvm_prefetch_find("none");
    p.counter = 3;
    bench_start(&b, &p, 1);
    for (unsigned i = 0; i < 48; i++)
        assert_int_equal(bench_host(&b, 0, i).what, MP_UVM_ZEROED);
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 0, MP_UVM_READ)->remote, 0));
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 40, MP_UVM_READ)->remote, 40));
    assert_int_equal(bench_gpu(&b, 0, 0, MP_UVM_READ).count, 1);
    assert_int_equal(bench_gpu(&b, 0, 0, MP_UVM_WRITE).what, MP_UVM_FAULTS); /* stores move pages */
    assert_int_equal(bench_gpu(&b, 0, 40, MP_UVM_READ).count, 2);
    assert_true(bench_gpu(&b, 0, 40, MP_UVM_READ).notice);
    assert_false(bench_gpu(&b, 0, 40, MP_UVM_READ).notice); /* once until it is served */
    b.services = 0;
    const struct mp_uvm_noticed n = mp_uvm_notices(b.u, &b.report);
    assert_int_equal(n.notices, 1);
    assert_int_equal(b.services, 1);
    assert_int_equal(mp_uvm_count(&b.service[0].copy), 32); /* big pages 0 and 2 */
    assert_true(mp_uvm_has(&b.service[0].copy, 47) && !mp_uvm_has(&b.service[0].copy, 16));
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 16, MP_UVM_WRITE)->fault, 16));
    bench_end(&b);
}

/* Remote pages are read only where stores move them, and clean pages where a store is to make them dirty. */
static void stores_fault_where_they_are_to_be_seen(void **state)
{
    static const char *const policy[] = {"first-touch", "host", "counter"};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        const bool dirty = i >= 3, host = i % 3;
        struct mp_uvm_params p = bench_params();
        struct bench b;
        p.prefetch = mp_uvm_prefetch_find("none");
        p.migrate = mp_uvm_migrate_find(policy[i % 3]);
        p.write_back_dirty = dirty;
        bench_start(&b, &p, 1);
        bench_host(&b, 0, 3);
        bench_fault(&b, 0, 3, MP_UVM_READ);  /* of the host */
        bench_fault(&b, 0, 4, MP_UVM_READ);  /* of nowhere */
        bench_fault(&b, 0, 5, MP_UVM_WRITE); /* of nowhere, and dirty */
        const struct mp_uvm_mapped m = mp_uvm_mapped(b.u, 0, BASE + 12345);
        assert_int_equal(mp_uvm_count(&m.remote), host);
        assert_int_equal(mp_uvm_has(&m.remote, 3), host);
        assert_int_equal(mp_uvm_has(&m.writable, 3), i % 3 == 1 || (!host && !dirty));
        assert_int_equal(mp_uvm_has(&m.writable, 4), !dirty);
        assert_true(mp_uvm_has(&m.writable, 5));
        assert_false(mp_uvm_has(&m.writable, 6));
        const struct mp_uvm_mapped none = mp_uvm_mapped(b.u, 0, BASE + BLOCK);
        assert_false(mp_uvm_any(&none.remote) || mp_uvm_any(&none.writable));
        bench_end(&b);
    }
}

static void the_adaptive_threshold_grows(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    (void)state;
    p.migrate = mp_uvm_migrate_find("adaptive");
    p.prefetch = mp_uvm_prefetch_find("none");
    p.counter = 4;
    p.chunks = 2;
    bench_start(&b, &p, 4);
    bench_fault(&b, 1, 0, MP_UVM_READ);
    bench_host(&b, 0, 0);
    bench_fault(&b, 0, 0, MP_UVM_READ);
    assert_false(bench_gpu(&b, 0, 0, MP_UVM_READ).notice); /* 1 + 4 * 1 / 2 = 3 */
    assert_false(bench_gpu(&b, 0, 0, MP_UVM_READ).notice);
    assert_true(bench_gpu(&b, 0, 0, MP_UVM_READ).notice);
    bench_fault(&b, 2, 0, MP_UVM_READ);
    bench_fault(&b, 3, 0, MP_UVM_READ); /* block 1 leaves, and is mapped remotely at once */
    for (unsigned i = 1; i <= 16; i++)
        assert_int_equal(bench_gpu(&b, 1, 0, MP_UVM_READ).notice, i == 16); /* 4 * 2 * (1 + 1) */
    bench_end(&b);
}

static void ranges_are_checked_and_their_blocks_used_again(void **state)
{
    struct mp_uvm_params p = bench_params();
    struct bench b;
    struct mp_error err;
    struct mp_uvm_freed freed;
    (void)state;
    p.blocks = 4;
    bench_start(&b, &p, 2);
    assert_int_equal(mp_uvm_open(b.u, 0, BASE + BLOCK, 4096, false, &err), 0);
    assert_string_equal(err.text, "range: it overlaps the one at 0x40000000 of 4194304 B");
    assert_int_equal(mp_uvm_open(b.u, 0, BASE + 100, 4096, false, &err), 0);
    assert_int_equal(mp_uvm_open(b.u, 0, BASE + 8 * BLOCK, 3 * BLOCK, false, &err), 0);
    assert_string_equal(err.text, "range: there is no room for its 3 blocks of 2 MB; at most 4 in all");
    assert_int_equal(mp_uvm_open(b.u, 1, BASE, 2 * BLOCK, false, NULL), 2);
    bench_fault(&b, 1, 0, MP_UVM_READ);
    assert_int_equal(mp_uvm_close(b.u, 0, BASE + 4096, &freed, &err), -1);
    assert_int_equal(mp_uvm_close(b.u, 0, BASE, &freed, NULL), 0);
    assert_int_equal(freed.pages, 16);
    assert_int_equal(freed.units, 1);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(mp_uvm_open(b.u, 0, BASE + 4096, BLOCK, false, NULL), 2);
        assert_int_equal(mp_uvm_close(b.u, 0, BASE + 4096, &freed, NULL), 0);
    }
    assert_int_equal(bench_gpu(&b, 1, 0, MP_UVM_READ).what, MP_UVM_FAULTS);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_double),
        cmocka_unit_test(trees_of_partial_blocks_have_big_pages_as_nodes),
        cmocka_unit_test(prefetch_waits_for_faults_in_a_row),
        cmocka_unit_test(the_other_prefetcher_works_after_the_first_eviction),
        cmocka_unit_test(designs_choose_by_load_touch_or_frequency),
        cmocka_unit_test(lfu_prefers_clean_blocks),
        cmocka_unit_test(tbne_prunes),
        cmocka_unit_test(emptied_units_leave_first),
        cmocka_unit_test(the_host_copies_what_the_gpu_has),
        cmocka_unit_test(clean_pages_go_back_to_where_they_were),
        cmocka_unit_test(spaces_keep_their_reserve),
        cmocka_unit_test(a_space_at_its_limit_loses_its_own),
        cmocka_unit_test(entries_join_the_last_of_their_sm),
        cmocka_unit_test(bad_pages_are_cancelled_and_bad_prefetches_ignored),
        cmocka_unit_test(replays_follow_the_policy),
        cmocka_unit_test(counters_move_what_was_met),
        cmocka_unit_test(stores_fault_where_they_are_to_be_seen),
        cmocka_unit_test(the_adaptive_threshold_grows),
        cmocka_unit_test(ranges_are_checked_and_their_blocks_used_again),
    };
    return cmocka_run_group_tests_name("unified memory", tests, NULL, NULL);
}
