/* SPDX-License-Identifier: Apache-2.0 */
/* Replayable faults: pages on demand, accesses that are given up, more faults than the buffer holds, tenants
 * that end meanwhile. */
#include "gpu_stub.h"

#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"

enum { PAGE = 65536, ACCESSES = 2000 };

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){5}, ACCESSES);
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    for (unsigned i = 0; i < 2; i++) {
        mig_create(i, 3);
        mig_space_open(i, i, PAGE);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

static void promises(void **state)
{
    (void)state;
    assert_int_equal(fault_promise(8, 0, PAGE), FW_EINVAL);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(fault_promise(i % 2, i * PAGE, PAGE), FW_OK);
    assert_int_equal(fault_promise(0, 0, PAGE), FW_ENOMEM);
    fault_forget(1);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(fault_promise(1, i * PAGE, PAGE), FW_OK);
    assert_int_equal(fault_promise(1, 0, PAGE), FW_ENOMEM);
}

/* Every page that is accessed is mapped once. */
static void on_demand(void **state)
{
    (void)state;
    assert_int_equal(fault_promise(0, gpu_stub.base[0], STUB_SPAN * PAGE), FW_OK);
    assert_int_equal(runner_start(0, 0, 1), FW_OK);
    assert_int_equal(runner_wait(), FW_OK);
    assert_int_equal(gmmu_space(0)->pages, STUB_SPAN);
    const struct fault_counts *f = fault_counts(0);
    assert_int_equal(f->mapped, STUB_SPAN);
    assert_true(f->reported >= f->mapped);
    assert_int_equal(f->reported, f->mapped + f->repeated);
    assert_int_equal(f->refused, 0);
    assert_true(f->replays > 0 && f->replays < f->reported);
    assert_int_equal(gpu_stub.waits, 0);
    gpu_stub_check();
}

/* More faults at once than the buffer holds, from two tenants; one has already started. */
static void storm(void **state)
{
    (void)state;
    enum { MANY = 200 };
    fault_promise(0, gpu_stub.base[0], MANY * PAGE);
    gmmu_map(1, gpu_stub.base[1], PAGE);
    for (unsigned i = 0; i < MANY; i++)
        assert_false(gpu_stub_access(0, gpu_stub.base[0] + i * PAGE, false, true));
    runner_start(1, 1, 0); /* its first steps report the waiting accesses; its own pages are mapped, too */
    fault_promise(1, gpu_stub.base[1], STUB_SPAN * PAGE);
    assert_int_equal(runner_wait(), FW_OK);
    assert_int_equal(fault_storms() > 0, true);
    assert_int_equal(fault_counts(0)->mapped, MANY);
    assert_int_equal(gmmu_space(0)->pages, MANY);
    assert_int_equal(gmmu_space(1)->pages, STUB_SPAN);
    assert_int_equal(gpu_stub.waits, 0);
    assert_int_equal(gpu_faults_held(), 0);
}

/* An access outside every promised region does not disturb other tenants. */
static void gives_up(void **state)
{
    (void)state;
    fault_promise(0, gpu_stub.base[0], STUB_SPAN / 2 * PAGE); /* half of it */
    fault_promise(1, gpu_stub.base[1], STUB_SPAN * PAGE);
    runner_start(0, 0, 0);
    runner_start(1, 1, 1);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(fault_counts(0)->refused > 0);
    assert_int_equal(fault_counts(1)->refused, 0);
    assert_int_equal(gmmu_space(1)->pages, STUB_SPAN);
    assert_int_equal(mig_destroy(0), FW_OK);
    assert_int_equal(runner_start(1, 1, 1), FW_OK); /* the firmware continues */
    assert_int_equal(runner_wait(), FW_OK);
    assert_int_equal(runner_start(1, 1, 200), FW_OK); /* queued; then the workload does not exist */
    assert_int_equal(runner_wait(), FW_ENOENT);
    assert_int_equal(runner_start(1, 1, 256), FW_EINVAL);
}

static void guarded_pages_are_refused(void **state)
{
    (void)state;
    fault_promise(0, gpu_stub.base[0], STUB_SPAN * PAGE);
    gmmu_map(0, gpu_stub.base[0], STUB_SPAN * PAGE);
    gmmu_protect(0, gpu_stub.base[0] + 5 * PAGE, PAGE, GMMU_GUARDED);
    runner_start(0, 0, 0);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_int_equal(fault_counts(0)->mapped, 0);
    assert_true(fault_counts(0)->refused > 0);
    assert_int_equal(fault_counts(0)->replays, 1); /* given up at once */
}

static void stores_to_read_only_pages_are_refused(void **state)
{
    (void)state;
    gmmu_map(0, gpu_stub.base[0], STUB_SPAN * PAGE);
    gmmu_protect(0, gpu_stub.base[0], STUB_SPAN * PAGE, GMMU_READ);
    assert_true(gpu_stub_access(0, gpu_stub.base[0], false, false));
    assert_false(gpu_stub_access(0, gpu_stub.base[0], true, false));
    struct mp_mgmt_fault f;
    mp_mgmt_faulted(&gpu_stub.mgmt,
                    &(struct mp_mgmt_fault){
                        .va = gpu_stub.base[0], .sm = 3, .write = true, .cause = MP_MGMT_CAUSE_READ_ONLY});
    assert_true(gpu_fault(&f));
    assert_true(f.write && f.cause == MP_MGMT_CAUSE_READ_ONLY && f.va == gpu_stub.base[0]);
    runner_start(0, 0, 0);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(fault_counts(0)->refused > 0 && gpu_stub.stores_refused > 1);
    assert_int_equal(fault_counts(0)->replays, 1);
    assert_int_equal(gmmu_protect(0, gpu_stub.base[0], STUB_SPAN * PAGE, GMMU_FREE), FW_OK);
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_OK);
}

/* A promise to a tenant does not hold for the next tenant of its address space. */
static void promises_end_with_the_space(void **state)
{
    (void)state;
    fault_promise(0, gpu_stub.base[0], STUB_SPAN * PAGE);
    assert_int_equal(mig_space_close(0), FW_OK);
    assert_int_equal(mig_space_open(0, 0, PAGE), FW_OK);
    runner_start(0, 0, 0);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_int_equal(gmmu_space(0)->pages, 0);
}

/* Not enough memory for all promised pages. */
static void memory_runs_out(void **state)
{
    (void)state;
    const uint64_t filler = 0x10000000000;
    fault_promise(0, gpu_stub.base[0], STUB_SPAN * PAGE);
    while (gmmu_map(0, filler + gmmu_space(0)->pages * PAGE, PAGE) == FW_OK)
        ;
    assert_int_equal(gmmu_unmap(0, filler, 20 * PAGE), FW_OK);
    runner_start(0, 0, 0);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(fault_counts(0)->mapped <= 20 && fault_counts(0)->refused > 0);
    gpu_stub_check();
}

/* A mapped page that faults repeatedly. */
static void patience_ends(void **state)
{
    (void)state;
    const struct mp_mgmt_fault f = {.asid = 1, .va = gpu_stub.base[1]};
    gmmu_map(1, gpu_stub.base[1], PAGE);
    for (unsigned i = 0; i < 64; i++) {
        assert_true(mp_mgmt_faulted(&gpu_stub.mgmt, &f));
        fault_service();
        assert_int_equal(gpu_stub.given_up, 0);
    }
    assert_true(mp_mgmt_faulted(&gpu_stub.mgmt, &f));
    fault_service();
    assert_int_equal(gpu_stub.given_up, 1);
    assert_int_equal(fault_counts(1)->repeated, 65);
}

/* An entry that the GPU cannot use; no replay changes that. */
static void flawed_entries_are_refused(void **state)
{
    (void)state;
    const struct mp_mgmt_fault f = {
        .asid = 1, .va = gpu_stub.base[1], .cause = MP_MGMT_CAUSE_MISALIGNED, .level = 3, .entry = 0x5008};
    struct mp_mgmt_fault seen;
    assert_true(mp_mgmt_faulted(&gpu_stub.mgmt, &f));
    assert_true(gpu_fault(&seen));
    assert_true(seen.cause == f.cause && seen.level == f.level && seen.entry == f.entry && seen.va == f.va);
    fault_promise(1, gpu_stub.base[1], PAGE);
    assert_true(mp_mgmt_faulted(&gpu_stub.mgmt, &f));
    fault_service();
    assert_int_equal(gpu_stub.given_up, 1);
    assert_int_equal(fault_counts(1)->flawed, 1);
    assert_int_equal(fault_counts(1)->refused, 1);
    assert_int_equal(fault_counts(1)->mapped, 0);
}

/* An access of a tenant that has ended. */
static void late_reports(void **state)
{
    (void)state;
    const struct mp_mgmt_fault f = {.asid = 1, .va = 0x1000};
    assert_true(mp_mgmt_faulted(&gpu_stub.mgmt, &f));
    assert_int_equal(mig_space_close(1), FW_OK);
    fault_service();
    assert_int_equal(fault_counts(1)->reported, 0);
    assert_int_equal(gpu_stub.mgmt.faults, 0);
}

/* Tenants start and end while others run, and reuse the memory of tenants that ended. */
static void comings_and_goings(void **state)
{
    (void)state;
    struct rng r = rng_start("firmware faults", 8);
    gpu_stub.rng = r;
    gpu_stub.busy = 2;
    mig_walk_policy(0, 2);
    for (unsigned step = 0; step < 60; step++) {
        unsigned a = 2 + rng_below(&r, 4);
        if (!gmmu_space(a)) {
            assert_int_equal(mig_space_open(0, a, PAGE), FW_OK);
            assert_int_equal(fault_promise(a, gpu_stub.base[a], STUB_SPAN * PAGE), FW_OK);
        }
        assert_int_equal(runner_start(0, a, 0), FW_OK);
        assert_int_equal(runner_wait(), FW_OK);
        if (rng_percent(&r, 50))
            assert_int_equal(mig_space_close(a), FW_OK);
        gpu_stub_check();
    }
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (a != 1 && gmmu_space(a))
            assert_int_equal(mig_space_close(a), FW_OK);
    assert_int_equal(mig_instance(0)->frames.free, mig_instance(0)->bytes);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(promises),
                                       TEST(on_demand),
                                       TEST(storm),
                                       TEST(gives_up),
                                       TEST(guarded_pages_are_refused),
                                       TEST(stores_to_read_only_pages_are_refused),
                                       TEST(promises_end_with_the_space),
                                       TEST(memory_runs_out),
                                       TEST(flawed_entries_are_refused),
                                       TEST(late_reports),
                                       TEST(patience_ends),
                                       TEST(comings_and_goings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
