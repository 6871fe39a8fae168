/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are preempted and resumed: they do the same as others, whatever runs meanwhile. */
#include "mig_bench.h"

enum { ACCESSES = 2 * 12 * 3 * 20, INSTRUCTIONS = 2 * 12 * 3 * (20 * 5 + 1) }; /* of workload 0 */

static struct table table[2]; /* of address spaces 0 and 1 */
static struct table any_table[4];
static uint64_t next_frame;
static unsigned stops, in_kernels;

/* One instance of one slice, where a kernel's work-groups have not all room at once. */
static void begin(const struct mp_dispatch_policy *dispatch)
{
    set_up_dispatch(3, dispatch);
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    table_make(&table[0], 0);
    table[1] = (struct table){table[0].root + MB / 2, table[0].root + MB / 2 + 4096};
    for (unsigned asid = 0; asid < 2; asid++)
        assert_int_equal(commit(asid, 0, table[asid].root), MP_MGMT_OK);
    next_frame = MB;
}

static void serve_faults(void)
{
    for (unsigned asid; R4(FAULT_COUNT); W4(FAULT_POP, 1)) {
        asid = (unsigned)(R4(FAULT_INFO) & MP_GPU_FAULT_INFO_ASID);
        table_map(&table[asid], R8(FAULT_VA) & -PAGE, next_frame);
        next_frame += PAGE;
    }
    for (unsigned asid = 0; asid < 2; asid++)
        replay(asid, false);
}

static void map_all(unsigned asid)
{
    for (uint64_t p = 0; p < PAGES; p++, next_frame += PAGE)
        table_map(&table[asid], HEAP + p * PAGE, next_frame);
}

/* Serves faults until a launch has ended, and takes the completion. */
static enum mp_mgmt_status wait_for(uint32_t *tag, uint32_t *context)
{
    for (unsigned i = 0; !R4(DONE_COUNT); i++) {
        go_on(50);
        serve_faults();
        assert_true(i < 10000);
    }
    const enum mp_mgmt_status status = R4(DONE_STATUS);
    *tag = R4(DONE_TAG);
    *context = R4(DONE_CONTEXT);
    W4(DONE_POP, 1);
    return status;
}

/* Preempts what runs. Returns whether it was saved, and where. */
static bool stop(uint32_t tag, uint32_t *context)
{
    uint32_t ended;
    assert_int_equal(preempt(0), R4(RUN_QUEUED) ? MP_MGMT_OK : MP_MGMT_NOT_THERE);
    const enum mp_mgmt_status status = wait_for(&ended, context);
    assert_int_equal(ended, tag);
    assert_true(status == MP_MGMT_OK || status == MP_MGMT_PREEMPTED);
    if (status == MP_MGMT_OK)
        return false;
    stops++;
    in_kernels += b.gpu.saved[*context]->app.kernel != NULL;
    assert_int_equal(R4(RUN_QUEUED), 0);
    return true;
}

static uint64_t added(unsigned asid, unsigned word)
{
    uint64_t words[8] = {0};
    mp_mig_dispatched(&b.gpu, asid, words);
    return words[word];
}

/* Two jobs by turns, each in its address space. Pages come by faults. */
static void take_turns(struct rng *r)
{
    uint32_t context[2];
    bool there[2] = {true, true}, saved[2] = {false, false};
    for (unsigned turn = 0; there[0] || there[1]; turn++) {
        const unsigned job = there[turn % 2] ? turn % 2 : (turn + 1) % 2;
        assert_int_equal(saved[job] ? resume(context[job]) : launch(0, job, 0, 70 + job), MP_MGMT_OK);
        for (unsigned n = rng_below(r, 10); n; n--) {
            go_on(rng_below(r, 300));
            serve_faults();
        }
        saved[job] = there[job] = stop(70 + job, &context[job]);
        if (rng_percent(r, 30))
            invalidate(MP_MGMT_ASID | MP_GPU_INV_COMMAND_WALK_CACHE, rng_below(r, 2), 0);
        settle();
    }
}

static void jobs_by_turns_do_all_of_their_work(void **state)
{
    struct rng r = rng_start("jobs_by_turns_do_all_of_their_work", 3);
    for (unsigned p = 0; mp_dispatch_policies[p]; p++) {
        stops = in_kernels = 0;
        for (unsigned round = 0; round < 10; round++) {
            begin(mp_dispatch_policies[p]);
            take_turns(&r);
            for (unsigned asid = 0; asid < 2; asid++) {
                assert_int_equal(count(asid, MP_MGMT_ACCESSES), ACCESSES);
                assert_int_equal(count(asid, MP_MGMT_INSTRUCTIONS), INSTRUCTIONS + added(asid, 0));
            }
            if (mp_dispatch_policies[p + 1] || round < 9)
                tear_down(state);
        }
        print_message("%s: %u stops, %u in kernels\n", mp_dispatch_policies[p]->design.name, stops,
                      in_kernels);
        assert_true(in_kernels > 20);
    }
}

/* Another launch of the same address space runs while one is saved, and each counts what it does. */
static void of_the_same_address_space(void **state)
{
    (void)state;
    uint32_t context, tag, none;
    begin(NULL);
    map_all(0);
    launch(0, 0, 0, 7);
    go_on(600);
    assert_true(stop(7, &context));
    const uint64_t accesses = count(0, MP_MGMT_ACCESSES), cycles = count(0, MP_MGMT_CYCLES);
    assert_true(accesses > 0 && accesses < ACCESSES);
    go_on(1000);
    assert_int_equal(count(0, MP_MGMT_CYCLES), cycles); /* none that it is saved */
    launch(0, 0, 0, 8);
    assert_int_equal(wait_for(&tag, &none), MP_MGMT_OK);
    assert_int_equal(tag, 8);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), accesses + ACCESSES);
    const uint64_t more = count(0, MP_MGMT_CYCLES);
    assert_true(more > cycles && more < b.wheel.now);
    assert_int_equal(resume(context), MP_MGMT_OK);
    assert_int_equal(wait_for(&tag, &none), MP_MGMT_OK);
    assert_int_equal(tag, 7);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), 2 * ACCESSES);
}

/* A saved launch keeps its translations, unless they are invalidated. */
static void translations_stay(void **state)
{
    (void)state;
    uint32_t context, tag, none;
    uint64_t walks[2];
    for (unsigned invalidated = 0; invalidated < 2; invalidated++) {
        begin(NULL);
        map_all(0);
        launch(0, 0, 0, 7);
        go_on(3000);
        assert_true(stop(7, &context));
        if (invalidated) {
            invalidate(MP_MGMT_ASID, 0, 0);
            settle();
            assert_true(R8(INV_REMOVED) > PAGES / 2);
        }
        assert_int_equal(resume(context), MP_MGMT_OK);
        assert_int_equal(wait_for(&tag, &none), MP_MGMT_OK);
        walks[invalidated] = count(0, MP_MGMT_WALKS);
        if (!invalidated)
            tear_down(state);
    }
    assert_true(walks[0] + PAGES / 2 < walks[1]);
}

static void what_a_saved_launch_needs_stays(void **state)
{
    (void)state;
    uint32_t context, tag, none;
    begin(NULL);
    map_all(0);
    assert_int_equal(preempt(0), MP_MGMT_NOT_THERE);
    launch(0, 0, 0, 7);
    go_on(600);
    assert_true(stop(7, &context));
    assert_int_equal(destroy(0), MP_MGMT_BUSY);
    w4(MP_GPU_AS_CONFIG, 0);
    W4(AS_COMMIT, 0);
    assert_int_equal(R4(AS_STATUS), MP_MGMT_BUSY);
    assert_int_equal(commit(0, 0, table[0].root), MP_MGMT_OK);
    assert_int_equal(resume(context), MP_MGMT_OK);
    assert_int_equal(destroy(0), MP_MGMT_BUSY);
    go_on(600);
    assert_true(stop(7, &context));
    const uint64_t accesses = count(0, MP_MGMT_ACCESSES);
    assert_int_equal(drop(context), MP_MGMT_OK);
    assert_int_equal(drop(context), MP_MGMT_NOT_THERE);
    assert_int_equal(resume(context), MP_MGMT_NOT_THERE);
    assert_int_equal(b.opened, 0);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), accesses); /* what it did counts */
    launch(0, 0, 0, 9);
    assert_int_equal(wait_for(&tag, &none), MP_MGMT_OK);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), accesses + ACCESSES);
    assert_int_equal(destroy(0), MP_MGMT_OK);
}

/* A request for memory comes before the kernel, so it is answered before the launch stops. */
static void requests_are_answered_before(void **state)
{
    (void)state;
    uint32_t tag, context, none;
    begin(NULL);
    map_all(0);
    W4(INT_ENABLE, MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_MEMORY);
    launch(0, 0, 1, 7);
    settle();
    assert_int_equal(R4(MEM_KIND), MP_MGMT_MAP);
    assert_int_equal(preempt(0), MP_MGMT_OK);
    assert_int_equal(preempt(0), MP_MGMT_BUSY);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    W4(MEM_DONE, 1);
    assert_int_equal(wait_for(&tag, &context), MP_MGMT_PREEMPTED);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), 0);
    assert_int_equal(resume(context), MP_MGMT_OK);
    settle();
    assert_int_equal(count(0, MP_MGMT_ACCESSES), 1);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_UNMAP);
    assert_int_equal(preempt(0), MP_MGMT_OK); /* only its end is left */
    W4(MEM_DONE, 1);
    assert_int_equal(wait_for(&tag, &none), MP_MGMT_OK);
    launch(0, 0, 1, 8);
    settle();
    assert_int_equal(preempt(0), MP_MGMT_OK);
    W4(MEM_DONE, 2);
    assert_int_equal(wait_for(&tag, &none), MP_MGMT_NO_ROOM);
    assert_int_equal(drop(0), MP_MGMT_NOT_THERE); /* none was saved */
}

/* While accesses wait for a replay, a launch cannot stop; given up, it ends as always. */
static void faults_come_first(void **state)
{
    (void)state;
    uint32_t tag, context;
    begin(NULL);
    launch(0, 0, 0, 7);
    settle();
    assert_true(R4(FAULT_HELD) > 0);
    assert_int_equal(preempt(0), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    assert_int_equal(wait_for(&tag, &context), MP_MGMT_PREEMPTED); /* which serves them */
    assert_int_equal(R4(FAULT_HELD), 0);
    assert_int_equal(replay(0, true), MP_MGMT_OK); /* none waits: nothing happens */
    assert_int_equal(resume(context), MP_MGMT_OK);
    assert_int_equal(wait_for(&tag, &context), MP_MGMT_OK);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), ACCESSES);
    launch(0, 1, 0, 8);
    settle();
    assert_int_equal(preempt(0), MP_MGMT_OK);
    assert_int_equal(replay(1, true), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_STATUS), MP_MGMT_FAULTED);
    assert_int_equal(drop(0), MP_MGMT_NOT_THERE);
}

/* All contexts in use, and all of their launches run to their ends. */
static void as_many_as_there_are_contexts(void **state)
{
    (void)state;
    uint32_t context, tag;
    begin(NULL);
    map_all(0);
    for (unsigned n = 0; n < R4(CONTEXTS); n++) {
        launch(0, 0, 0, n);
        assert_true(stop(n, &context));
        assert_int_equal(context, n);
    }
    launch(0, 0, 0, 50);
    assert_int_equal(preempt(0), MP_MGMT_NO_ROOM);
    assert_int_equal(wait_for(&tag, &context), MP_MGMT_OK);
    for (unsigned n = 0; n < R4(CONTEXTS); n++)
        assert_int_equal(resume(R4(CONTEXTS) - 1 - n), MP_MGMT_OK);
    for (unsigned n = 0; n < R4(CONTEXTS); n++) {
        assert_int_equal(wait_for(&tag, &context), MP_MGMT_OK);
        assert_int_equal(tag, R4(CONTEXTS) - 1 - n);
    }
    assert_int_equal(count(0, MP_MGMT_ACCESSES), (R4(CONTEXTS) + 1) * ACCESSES);
    launch(0, 0, 0, 60); /* it is saved when the GPU ends */
    assert_true(stop(60, &context));
}

/* RUN_STOP ends a launch that goes on, also in the cycles before it begins something. */
static void resumed_and_stopped(void **state)
{
    uint32_t context, tag, none;
    for (unsigned wait = 0; wait < 40; wait++) {
        begin(NULL);
        map_all(0);
        launch(0, 0, 0, 7);
        go_on(600);
        assert_true(stop(7, &context));
        assert_int_equal(resume(context), MP_MGMT_OK);
        go_on(wait * 7);
        W4(RUN_STOP, 0);
        assert_int_equal(R4(STOP_STATUS), MP_MGMT_OK);
        W4(RUN_STOP, 0); /* again: it ends already, or has ended */
        assert_int_equal(wait_for(&tag, &none), MP_MGMT_STOPPED);
        assert_int_equal(tag, 7);
        settle();
        assert_int_equal(R4(DONE_COUNT), 0);
        assert_int_equal(b.opened, 0);
        assert_int_equal(launch(0, 0, 0, 8), MP_MGMT_OK);
        assert_int_equal(wait_for(&tag, &none), MP_MGMT_OK);
        if (wait < 39)
            tear_down(state);
    }
}

/* --- any order of commands ---------------------------------------------------------------------------- */

/* Instances 0 and 1 with the address spaces 0, 1 and 2, 3; their pages come by faults, or are given up. */
static void any_command(struct rng *r)
{
    const unsigned n = rng_below(r, MP_MGMT_CONTEXTS), asid = rng_below(r, 4);
    switch (rng_below(r, 13)) {
    case 0:
    case 1:
        launch(asid / 2, asid, rng_below(r, 2), (uint32_t)rng_next(r));
        break;
    case 2:
    case 3:
        preempt(rng_below(r, 2));
        break;
    case 4:
    case 5:
    case 6:
        resume(n);
        break;
    case 7:
        if (rng_percent(r, 20))
            drop(n);
        break;
    case 8:
        invalidate(MP_MGMT_ASID | MP_GPU_INV_COMMAND_WALK_CACHE, asid, 0);
        break;
    case 9:
        replay(asid, rng_percent(r, 10));
        break;
    case 10:
        destroy(asid / 2); /* almost always BUSY */
        assert_int_equal(R4(MIG_STATUS) == MP_MGMT_OK, create(asid / 2, 1) == MP_MGMT_OK);
        commit(asid, asid / 2, any_table[asid].root);
        break;
    case 11:
        if (rng_percent(r, 20))
            W4(RUN_STOP, rng_below(r, 2));
        break;
    default:
        W4(MEM_DONE, 1 + rng_percent(r, 10));
    }
}

static void serve_any(uint64_t *ends)
{
    for (; R4(FAULT_COUNT); W4(FAULT_POP, 1)) {
        const unsigned asid = (unsigned)(R4(FAULT_INFO) & MP_GPU_FAULT_INFO_ASID);
        const uint64_t page = (R8(FAULT_VA) - HEAP) / PAGE;
        table_map(&any_table[asid], R8(FAULT_VA) & -PAGE,
                  r8(MP_GPU_MIG_BASE + 8 * (asid / 2)) + MB + (asid % 2 * 2 * PAGES + page) * PAGE);
        replay(asid, false);
    }
    for (; R4(DONE_COUNT); W4(DONE_POP, 1))
        ends[R4(DONE_STATUS)]++;
}

static void any_order(void **state)
{
    struct rng r = rng_start("any_order", 11);
    uint64_t ends[16] = {0};
    for (unsigned round = 0; round < 20; round++) {
        set_up(3);
        W4(INT_ENABLE, MP_GPU_INT_STATUS_MEMORY);
        for (unsigned asid = 0; asid < 4; asid++) {
            if (asid % 2 == 0)
                create(asid / 2, 1);
            uint64_t root = r8(MP_GPU_MIG_BASE + 8 * (asid / 2)) + asid % 2 * MB / 2;
            any_table[asid] = (struct table){root, root + 4096};
            commit(asid, asid / 2, root);
        }
        for (unsigned i = 0; i < 1500; i++) {
            any_command(&r);
            go_on(rng_below(&r, 60));
            if (rng_percent(&r, 60))
                serve_any(ends);
        }
        for (unsigned i = 0; i < 400; i++) {
            W4(MEM_DONE, 1);
            settle();
            for (unsigned a = 0; a < 4; a++)
                replay(a, true);
            serve_any(ends);
        }
        assert_int_equal(R4(RUN_QUEUED), 0);
        for (unsigned n = 0; n < MP_MGMT_CONTEXTS; n++)
            drop(n);
        assert_int_equal(b.opened, 0);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(destroy(i), MP_MGMT_OK);
        if (round + 1 < 20)
            tear_down(state);
    }
    print_message("ends: %llu ok, %llu preempted, %llu given up, %llu no room\n",
                  (unsigned long long)ends[MP_MGMT_OK], (unsigned long long)ends[MP_MGMT_PREEMPTED],
                  (unsigned long long)ends[MP_MGMT_FAULTED], (unsigned long long)ends[MP_MGMT_NO_ROOM]);
    assert_true(ends[MP_MGMT_OK] && ends[MP_MGMT_PREEMPTED] && ends[MP_MGMT_FAULTED] &&
                ends[MP_MGMT_NO_ROOM]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(jobs_by_turns_do_all_of_their_work, tear_down),
        cmocka_unit_test_teardown(of_the_same_address_space, tear_down),
        cmocka_unit_test_teardown(translations_stay, tear_down),
        cmocka_unit_test_teardown(what_a_saved_launch_needs_stays, tear_down),
        cmocka_unit_test_teardown(requests_are_answered_before, tear_down),
        cmocka_unit_test_teardown(faults_come_first, tear_down),
        cmocka_unit_test_teardown(as_many_as_there_are_contexts, tear_down),
        cmocka_unit_test_teardown(resumed_and_stopped, tear_down),
        cmocka_unit_test_teardown(any_order, tear_down),
    };
    return cmocka_run_group_tests_name("mig preempt", tests, NULL, NULL);
}
