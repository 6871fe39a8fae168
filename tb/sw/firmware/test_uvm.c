/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory on a GPU that accesses pages at any time: data survives all evictions; entries of the
 * ring that never become valid, copies that fail and engines that hang end in bounded time; all memory comes
 * back. */
#include "managed_bench.h"

#include "clint.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "recovery.h"
#include "runner.h"

/* Two spaces of 4 MB and a pool of 4 or 6 MB, by all designs. */
static void evict_each_other(void **state)
{
    (void)state;
    for (unsigned prefetch = 0; uvm_prefetch_name(prefetch); prefetch++)
        for (unsigned evict = 0; uvm_evict_name(evict); evict++) {
            managed_begin(2 + (prefetch + evict) % 2, prefetch, evict);
            for (unsigned round = 0; round < 3; round++) {
                assert_int_equal(managed_run_all(), FW_OK);
                assert_int_equal(gpu_stub.waits, 0);
                gpu_stub_check();
                managed_write_what_is_there();
            }
            assert_true(uvm_counts(0)->evictions > 0);
            managed_check_data();
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
        }
    assert_int_equal(recovery_count(RECOVERY_LOST_FAULT), 0);
}

static void entries_that_never_come(void **state)
{
    (void)state;
    managed.lost_each = 7;
    managed_begin(2, 1, 0);
    assert_int_equal(managed_run_all(), FW_OK);
    assert_true(recovery_count(RECOVERY_LOST_FAULT) > 0);
    managed_check_data();
}

/* A counter whose notice was lost gives another one. */
static void notices_that_never_come(void **state)
{
    const struct uvm_setup pool = {.chunks = 2, .page_bytes = PAGE, .migrate = 2, .counter = 2};
    (void)state;
    managed.lost_each = 3;
    managed_begin_setup(&pool);
    for (unsigned round = 0; round < 3; round++)
        assert_int_equal(managed_run_all(), FW_OK);
    assert_true(recovery_count(RECOVERY_LOST_FAULT) > 0);
    assert_true(uvm_counts(0)->notices > 0);
    uvm_service();
    for (uint32_t i = 0; i < managed.counters.slots; i++)
        assert_false(managed.counters.at[i].noticed);
    managed_check_data();
}

/* One bus error is survived. A copy that has failed twice leaves its pages out: no entry leads to what did
 * not arrive, accesses are given up, and the host has the data. When the pages have left, they may come
 * again. */
static void copies_that_fail(void **state)
{
    struct gmmu_walk w;
    (void)state;
    managed_begin(4, 0, 0);
    board.ce_errors = 1;
    assert_int_equal(managed_run_all(), FW_OK);
    managed_check_data();
    board.ce_errors = 2;
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(uvm_counts(0)->absent > 0 && uvm_counts(0)->cancelled > 0);
    assert_int_equal(gpu_stub.waits, 0);
    unsigned mapped = 0;
    for (unsigned i = 0; i < STUB_SPAN; i++) {
        assert_int_equal(gmmu_walk(0, managed_page_of(0, i), &w), FW_OK);
        mapped += w.mapped;
    }
    assert_true(mapped < STUB_SPAN);
    managed_write_what_is_there();
    managed_check_data(); /* they leave */
    assert_int_equal(managed_run_all(), FW_OK);
    managed_check_data();
}

/* The same of pages that are nowhere: the host has zeros. */
static void zeroing_that_fails(void **state)
{
    (void)state;
    managed_begin(4, 0, 0);
    assert_int_equal(uvm_unmanage(0, managed_page_of(0, 0)), FW_OK);
    for (unsigned i = 0; i < STUB_SPAN; i++) /* of another life */
        gmem_write64(MP_CE_HOST + (uint64_t)i * PAGE, 99);
    assert_int_equal(uvm_manage(0, managed_page_of(0, 0), BYTES, false), FW_OK);
    board.ce_errors = 2;
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(uvm_counts(0)->absent > 0);
    memset(managed.expected[0], 0, sizeof managed.expected[0]);
    managed_check_data();
}

static void engines_that_hang(void **state)
{
    (void)state;
    managed_begin(2, 0, 0);
    board.ce_hangs = true;
    const uint64_t before = clint_now();
    assert_int_equal(managed_run_all(), FW_EFAULT);
    assert_true(clint_now() - before < 1000 * CLINT_TICKS_PER_MS);
    assert_int_equal(gpu_stub.waits, 0);
}

static enum mp_mgmt_status never_ends(void *gpu, const struct mp_mgmt_invalidation *what)
{
    (void)gpu;
    gpu_stub.invalidation = *what;
    return MP_MGMT_OK;
}

/* The range stays as it is, and goes when the GPU has ended the invalidation at last. */
static void an_invalidation_that_never_ends(void **state)
{
    (void)state;
    managed_begin(2, 0, 0);
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_OK);
    enum mp_mgmt_status (*ends)(void *, const struct mp_mgmt_invalidation *) = gpu_stub.operations.invalidate;
    gpu_stub.operations.invalidate = never_ends;
    const uint64_t before = clint_now();
    assert_int_equal(uvm_unmanage(0, managed_page_of(0, 0)), FW_ETIMEOUT);
    assert_true(clint_now() - before < 1000 * CLINT_TICKS_PER_MS);
    assert_int_not_equal(uvm_host_address(0, managed_page_of(0, 0)), 0);
    gpu_stub.operations.invalidate = ends;
    gpu_stub.invalidation_left = 1;
    board_step();
    assert_int_equal(uvm_unmanage(0, managed_page_of(0, 0)), FW_OK);
    assert_int_equal(uvm_host_address(0, managed_page_of(0, 0)), 0);
    assert_int_equal(uvm_manage(0, managed_page_of(0, 0), BYTES, false), FW_OK);
    assert_int_equal(managed_run_all(), FW_OK);
}

/* The same while pages are evicted: their frames stay taken until the GPU has ended the invalidation, and the
 * next range begins the pool anew. */
static void an_eviction_that_never_ends(void **state)
{
    const struct uvm_setup none = {0};
    (void)state;
    managed_begin(2, 0, 0);
    assert_int_equal(managed_run_all(), FW_OK);
    const uint64_t free = mig_instance(0)->frames.free;
    enum mp_mgmt_status (*ends)(void *, const struct mp_mgmt_invalidation *) = gpu_stub.operations.invalidate;
    gpu_stub.operations.invalidate = never_ends;
    assert_int_equal(managed_run_all(), FW_EFAULT);
    assert_int_equal(uvm_manage(0, managed_page_of(4, 0), PAGE, false), FW_ETIMEOUT);
    assert_int_equal(uvm_pool(0, &none), FW_EBUSY);
    assert_int_equal(uvm_forget(0) && uvm_forget(1), true);
    assert_int_equal(mig_instance(0)->frames.free, free);
    gpu_stub.operations.invalidate = ends;
    gpu_stub.invalidation_left = 1;
    board_step();
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_manage(a, managed_page_of(a, 0), BYTES, false), FW_OK);
    assert_int_equal(managed_run_all(), FW_OK);
    assert_int_equal(gpu_stub.waits, 0);
}

/* All SMs want one page, which is served once. */
static void a_storm_of_one_page(void **state)
{
    (void)state;
    managed_begin(2, 0, 0);
    const uint64_t entries = uvm_counts(0)->entries;
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    for (unsigned i = 0; i < STUB_WAITING / 2; i++)
        gpu_stub_access(0, managed_page_of(0, 3), i % 2, true);
    assert_int_equal(runner_wait(), FW_OK);
    assert_int_equal(gpu_stub.waits, 0);
    assert_true(uvm_counts(0)->entries - entries >= STUB_WAITING / 2);
    assert_true(uvm_counts(0)->duplicates + uvm_counts(0)->dropped >= STUB_WAITING / 2 - 1);
    managed_check_data();
}

/* The host's access returns that a page has lost its data. */
static void copies_to_the_host_that_fail(void **state)
{
    (void)state;
    managed_begin(2, 0, 0);
    assert_int_equal(managed_run_all(), FW_OK);
    board.ce_errors = 2;
    enum fw_error e = FW_OK;
    for (unsigned a = 0; a < SPACES && !e; a++)
        e = uvm_host(a, managed_page_of(a, 0), BYTES);
    assert_int_equal(e, FW_EDATA);
}

/* Frames that have not received their pages are not copied over those of the host. */
static void an_engine_to_the_gpu_that_hangs(void **state)
{
    (void)state;
    managed_begin(2, 0, 0);
    board.ce_in_hangs = true;
    assert_int_equal(managed_run_all(), FW_EFAULT);
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned i = 0; i < STUB_SPAN; i++)
            assert_int_equal(gmem_read64(uvm_host_address(a, managed_page_of(a, i))), managed.expected[a][i]);
}

/* The pool keeps memory that an engine may still write. */
static void a_pool_ends_after_its_copies(void **state)
{
    const struct uvm_setup none = {0};
    (void)state;
    managed_begin(2, 0, 0);
    board.ce_in_hangs = true;
    assert_int_equal(managed_run_all(), FW_EFAULT);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
    assert_int_equal(uvm_pool(0, &none), FW_EBUSY);
    board.ce_in_hangs = false;
    for (unsigned i = 0; i < 1000; i++)
        board_step();
    assert_int_equal(uvm_pool(0, &none), FW_OK);
}

/* A pool for which there is no room leaves the one that there is. */
static void a_pool_that_is_too_large(void **state)
{
    const struct uvm_setup small = {.chunks = 2, .page_bytes = PAGE},
                           large = {.chunks = 4, .page_bytes = PAGE};
    uint64_t pa;
    (void)state;
    assert_int_equal(uvm_pool(0, &small), FW_OK);
    assert_int_equal(uvm_manage(0, managed_page_of(0, 0), BYTES, false), FW_OK); /* its tables are there */
    assert_int_equal(uvm_unmanage(0, managed_page_of(0, 0)), FW_OK);
    while (mig_take(0, 2097152, &pa) == FW_OK)
        continue;
    assert_int_equal(uvm_pool(0, &large), FW_ENOMEM);
    assert_int_equal(uvm_manage(0, managed_page_of(0, 0), BYTES, false), FW_OK);
}

/* Ranges come and go while the others' launches run. */
static void ranges_come_and_go(void **state)
{
    (void)state;
    assert_int_equal(uvm_host(0, managed_page_of(0, 0), PAGE), FW_ENOENT); /* there is no pool */
    managed_begin(2, 0, 0);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(runner_start(0, 0, 0), FW_OK);
        assert_int_equal(uvm_unmanage(0, managed_page_of(0, 0)), FW_EBUSY);
        assert_int_equal(uvm_unmanage(1, managed_page_of(1, 0)), FW_OK);
        assert_int_equal(uvm_unmanage(1, managed_page_of(1, 0)), FW_ENOENT);
        assert_int_equal(uvm_manage(1, managed_page_of(1, 0), BYTES, false), FW_OK);
        assert_int_equal(uvm_manage(1, managed_page_of(1, 1), PAGE, false), FW_EBUSY);
        assert_int_equal(runner_wait(), FW_OK);
        assert_int_equal(runner_start(0, 1, 0), FW_OK);
        assert_int_equal(runner_wait(), FW_OK);
    }
    gpu_stub_check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(evict_each_other),
        TEST(entries_that_never_come),
        TEST(copies_that_fail),
        TEST(zeroing_that_fails),
        TEST(engines_that_hang),
        TEST(ranges_come_and_go),
        TEST(an_invalidation_that_never_ends),
        TEST(an_eviction_that_never_ends),
        TEST(a_storm_of_one_page),
        TEST(notices_that_never_come),
        TEST(copies_to_the_host_that_fail),
        TEST(an_engine_to_the_gpu_that_hangs),
        TEST(a_pool_ends_after_its_copies),
        TEST(a_pool_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
