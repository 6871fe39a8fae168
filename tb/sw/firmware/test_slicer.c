/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs that share an instance by turns, and timers that share the CLINT. */
#include "gpu_stub.h"

#include "clint.h"
#include "cpu.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "request.h"
#include "runner.h"
#include "slicer.h"

enum { PAGE = 65536, ACCESSES = 1000 };

static void begin(struct rng rng)
{
    board_reset();
    gpu_stub_reset(rng, ACCESSES);
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    request_init();
    runner_init();
    mig_create(0, 2);
    for (unsigned a = 0; a < 3; a++) {
        mig_space_open(0, a, PAGE);
        fault_promise(a, gpu_stub.base[a], STUB_SPAN * PAGE);
    }
}

static int setup(void **state)
{
    (void)state;
    begin((struct rng){5});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

static void nothing_is_left(void)
{
    for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
        assert_false(gpu_stub.saved[n].runs);
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        assert_false(gpu_in_use(a));
    assert_int_equal(runner_serve(), 0);
    gpu_stub_check();
}

/* --- timers --------------------------------------------------------------------------------------- */

static void pass(uint64_t ticks)
{
    const uint64_t until = clint_now() + ticks;
    while (clint_now() < until) {
        mp_clint_advance(&board.clint, board.clint.now + 1);
        board_interrupts();
    }
}

static void each_timer_rings_at_its_time(void **state)
{
    struct rng r = rng_start("each_timer_rings_at_its_time", 3);
    struct clint_timer t[5];
    bool rings[5];
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        const uint64_t now = clint_now();
        for (unsigned i = 0; i < 5; i++)
            clint_set(&t[i], now + 1000); /* which the next call changes */
        for (unsigned i = 0; i < 5; i++) {
            clint_set(&t[i], now + rng_between(&r, 1, 50));
            rings[i] = rng_percent(&r, 70);
        }
        clint_alarm(now + 25);
        for (unsigned i = 0; i < 5; i++)
            if (!rings[i])
                clint_clear(&t[i]);
        for (unsigned ticks = 0; ticks < 60; ticks++) {
            for (unsigned i = 0; i < 5; i++)
                assert_int_equal(t[i].rang, rings[i] && t[i].at <= clint_now());
            assert_int_equal(clint_rang(), clint_now() >= now + 25);
            pass(1);
        }
    }
    clint_set(&t[0], 0); /* long past */
    assert_true(t[0].rang);
    assert_int_equal(board.clint.value.MTIMECMP[0], UINT64_MAX);
}

/* --- jobs ----------------------------------------------------------------------------------------- */

static uint64_t pages_of(unsigned asid)
{
    return gmmu_space(asid)->pages;
}

static void all_of_each(void **state)
{
    struct rng r = rng_start("all_of_each", 9);
    for (unsigned round = 0; round < 30; round++) {
        const unsigned jobs = rng_between(&r, 1, 3);
        struct slicer_job job[3] = {{0}};
        teardown(state);
        begin(r);
        for (unsigned i = 0; i < jobs; i++)
            job[i] = (struct slicer_job){.asid = i, .workload = rng_below(&r, 3)};
        const uint64_t before = gpu_stub.accesses;
        assert_int_equal(slicer_run(0, job, jobs, rng_between(&r, 1, 400)), FW_OK);
        assert_true(gpu_stub.accesses - before >= (uint64_t)jobs * ACCESSES);
        for (unsigned i = 0; i < jobs; i++) {
            assert_true(job[i].ended && !job[i].end);
            assert_int_equal(job[i].slices, job[i].preempted + 1);
            assert_true(jobs == 1 ? !job[i].preempted : true);
            assert_true(job[i].longest <= job[i].stopping);
            assert_true(pages_of(i) > 0);
        }
        assert_true(jobs < 3 || job[0].preempted + job[1].preempted + job[2].preempted > 0);
        nothing_is_left();
    }
}

/* One job's page is nowhere; the others end as always. */
static void a_job_that_fails(void **state)
{
    (void)state;
    struct slicer_job job[3] = {{.asid = 0}, {.asid = 1}, {.asid = 2}};
    fault_forget(1);
    assert_int_equal(slicer_run(0, job, 3, 50), FW_EFAULT);
    assert_int_equal(job[0].end, FW_OK);
    assert_int_equal(job[1].end, FW_EFAULT);
    assert_int_equal(job[2].end, FW_OK);
    nothing_is_left();
}

static void launches_that_are_refused(void **state)
{
    (void)state;
    struct slicer_job job[2] = {{.asid = 0}, {.asid = 1, .workload = 77}};
    assert_int_equal(slicer_run(0, job, 2, 50), FW_ENOENT);
    assert_int_equal(job[0].end, FW_OK);
    assert_int_equal(job[1].end, FW_ENOENT);
    job[0] = (struct slicer_job){.asid = 99};
    job[1] = (struct slicer_job){.asid = 1};
    assert_int_equal(slicer_run(0, job, 2, 50), FW_EINVAL);
    assert_int_equal(job[1].end, FW_OK);
    assert_int_equal(slicer_run(0, job, 2, 0), FW_EINVAL);
    assert_int_equal(slicer_run(0, job, 0, 10), FW_EINVAL);
    nothing_is_left();
}

/* A launch that someone else has started on another instance keeps its own result. */
static void others_are_served(void **state)
{
    (void)state;
    struct slicer_job job[2] = {{.asid = 0}, {.asid = 1}};
    assert_int_equal(mig_create(1, 1), FW_OK);
    assert_int_equal(mig_space_open(1, 7, PAGE), FW_OK);
    assert_int_equal(runner_start(1, 7, 0), FW_OK); /* none of its pages is promised */
    assert_int_equal(slicer_run(0, job, 2, 50), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    nothing_is_left();
}

/* What a saved launch needs stays, until the launch is dropped. */
static void a_saved_launch_is_in_use(void **state)
{
    (void)state;
    struct runner_launch l;
    assert_int_equal(gpu_contexts(), MP_MGMT_CONTEXTS);
    assert_int_equal(gpu_preempt(0), FW_ENOENT);
    assert_int_equal(gpu_preempt(99), FW_EINVAL);
    assert_int_equal(runner_follow(&l, 0, 0, 0), FW_OK);
    assert_int_equal(gpu_preempt(0), FW_OK);
    assert_int_equal(gpu_preempt(0), FW_EBUSY);
    while (l.under_way)
        runner_serve_next();
    assert_int_equal(l.end, FW_EPREEMPTED);
    assert_int_equal(runner_wait(), FW_OK);
    assert_true(gpu_in_use(0));
    assert_int_equal(mig_space_close(0), FW_EBUSY);
    assert_int_equal(mig_destroy(0), FW_EBUSY);
    assert_int_equal(gpu_resume(l.tag + 1), FW_ENOENT);
    assert_int_equal(gpu_drop(l.tag), FW_OK);
    assert_int_equal(gpu_drop(l.tag), FW_ENOENT);
    assert_int_equal(runner_resume(&l), FW_ENOENT);
    assert_int_equal(mig_space_close(0), FW_OK);
    nothing_is_left();
}

static void without_contexts(void **state)
{
    (void)state;
    struct slicer_job job[2] = {{.asid = 0}, {.asid = 1}};
    gpu_stub.operations.preempt = NULL;
    mp_mgmt_init(&gpu_stub.mgmt);
    assert_int_equal(slicer_run(0, job, 2, 50), FW_EUNSUPPORTED);
    assert_int_equal(job[0].slices, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(each_timer_rings_at_its_time),
                                       TEST(all_of_each),
                                       TEST(a_job_that_fails),
                                       TEST(launches_that_are_refused),
                                       TEST(others_are_served),
                                       TEST(a_saved_launch_is_in_use),
                                       TEST(without_contexts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
