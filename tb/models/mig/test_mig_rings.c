/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose faults enter rings in the memory of their instances, with a driver that serves them. */
#include "mig_bench.h"

#include "soc/gpu_ring.h"

#define WHOLE (2 * 12 * 3 * 20) /* accesses of workload 0 */
#define RING  (2 * MB)          /* in the instance's memory, behind tables and pages */

static struct table table[SLICES];

/* Instance i has a slice, and space i. */
static void ready(unsigned i, uint32_t entries)
{
    assert_int_equal(create(i, 1), MP_MGMT_OK);
    table_make(&table[i], i);
    assert_int_equal(commit(i, i, table[i].root), MP_MGMT_OK);
    w8(MP_GPU_FAULT_RING_BASE + 8 * i, r8(MP_GPU_MIG_BASE + 8 * i) + RING);
    w4(MP_GPU_FAULT_RING_ENTRIES + 4 * i, entries);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
}

static uint32_t get(unsigned i)
{
    return r4(MP_GPU_FAULT_RING_GET + 4 * i);
}

static uint32_t put(unsigned i)
{
    return r4(MP_GPU_FAULT_RING_PUT + 4 * i);
}

static uint64_t address_of(unsigned i, uint32_t index)
{
    return r8(MP_GPU_MIG_BASE + 8 * i) + RING + (uint64_t)index * MP_GPU_RING_ENTRY_BYTES;
}

static struct mp_gpu_fault_entry entry(unsigned i, uint32_t index)
{
    struct mp_gpu_fault_entry e;
    mp_physmem_read(&b.gpu.memory, address_of(i, index), &e, sizeof e);
    return e;
}

/* Takes up to n entries, and maps their pages if they are to be; returns how many there were. */
static unsigned serve(unsigned i, unsigned n, bool maps)
{
    const uint32_t entries = r4(MP_GPU_FAULT_RING_ENTRIES + 4 * i);
    unsigned taken = 0;
    uint32_t at = get(i);
    for (; taken < n && at != put(i); taken++, at = (at + 1) % entries) {
        const struct mp_gpu_fault_entry e = entry(i, at);
        assert_true(e.info & MP_GPU_RING_VALID);
        assert_int_equal(e.info & MP_GPU_FAULT_INFO_ASID, i);
        assert_in_range(e.va, HEAP, HEAP + PAGES * PAGE - 1);
        assert_int_equal(e.va % PAGE, 0);
        assert_true(e.ns <= b.wheel.now); /* cycles of 1 ns */
        if (maps)
            table_map(&table[i], e.va, r8(MP_GPU_MIG_BASE + 8 * i) + MB + (e.va - HEAP));
        mp_physmem_write64(&b.gpu.memory, address_of(i, at) + MP_GPU_RING_LAST, 0);
    }
    w4(MP_GPU_FAULT_RING_GET + 4 * i, at);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
    return taken;
}

static void done(uint32_t tag, enum mp_mgmt_status status)
{
    assert_true(R4(DONE_COUNT) > 0);
    assert_int_equal(R4(DONE_TAG), tag);
    assert_int_equal(R4(DONE_STATUS), status);
    W4(DONE_POP, 1);
}

/* Every SM reports each page and direction once; the times do not go back. */
static void each_sm_reports_a_page_once(void **state)
{
    uint64_t last = 0;
    unsigned sms = 0, repeated = 0;
    (void)state;
    set_up(3);
    ready(0, 4096);
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    assert_true(put(0) > 32);
    assert_int_equal(R4(FAULT_HELD), 0);
    assert_int_equal(R4(FAULT_COUNT), 0);
    assert_true(b.line[2]);
    for (uint32_t i = 0; i < put(0); i++) {
        const struct mp_gpu_fault_entry e = entry(0, i);
        sms |= 1u << (e.info >> MP_GPU_FAULT_INFO_SM_LOW & 0xffff);
        assert_true(e.ns >= last && e.ns > 0);
        last = e.ns;
        assert_int_equal((e.info & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW,
                         MP_MGMT_CAUSE_NOT_VALID);
        assert_int_equal((e.info & MP_GPU_FAULT_INFO_WRITE) != 0,
                         (e.info & MP_GPU_FAULT_ACCESS) >> MP_GPU_FAULT_ACCESS_LOW == MP_GPU_ACCESS_WRITE);
        for (uint32_t k = 0; k < i; k++) {
            const struct mp_gpu_fault_entry o = entry(0, k);
            repeated += o.va == e.va;
            assert_false(o.va == e.va && (uint32_t)o.info == (uint32_t)e.info);
        }
    }
    assert_int_equal(sms, (1u << SLICE_SMS) - 1);
    assert_true(repeated > 0);
    do {
        serve(0, 4096, true);
        assert_int_equal(replay(0, false), MP_MGMT_OK);
        settle();
    } while (get(0) != put(0));
    done(5, MP_MGMT_OK);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), WHOLE);
}

/* Faults without room wait for that of their own ring, and SMs of other instances go on. */
static void full_rings_hold_their_instance(void **state)
{
    (void)state;
    set_up(3);
    ready(0, 64);
    ready(1, 4096);
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(put(0), 63);
    const uint32_t held = R4(FAULT_HELD);
    assert_true(held > 0);
    assert_int_equal(launch(1, 1, 0, 6), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(FAULT_HELD), held);
    while (get(1) != put(1)) {
        serve(1, 4096, true);
        assert_int_equal(replay(1, false), MP_MGMT_OK);
        settle();
    }
    done(6, MP_MGMT_OK);
    assert_int_equal(R4(FAULT_HELD), held);
    assert_int_equal(serve(0, 1, true), 1); /* there is room for one fault, and the SM waits for the others */
    assert_int_equal(put(0), 0);
    assert_true(R4(FAULT_HELD) <= held - 1);
    settle();
    while (get(0) != put(0)) {
        serve(0, 64, true);
        assert_int_equal(replay(0, false), MP_MGMT_OK);
        settle();
    }
    done(5, MP_MGMT_OK);
    assert_int_equal(R4(FAULT_HELD), 0);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), WHOLE);
    assert_int_equal(count(1, MP_MGMT_ACCESSES), WHOLE);
}

/* An instance may get a ring, another one or none while faults wait for room. */
static void rings_come_and_go(void **state)
{
    (void)state;
    set_up(3);
    ready(0, 64);
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    const uint32_t held = R4(FAULT_HELD);
    assert_true(held > 0);
    W4(FAULT_RING_ENTRIES, 0); /* those that waited enter the buffer, as far as they fit */
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
    assert_true(R4(FAULT_COUNT) > 0 && R4(FAULT_HELD) < held);
    settle();
    W4(FAULT_RING_ENTRIES, 4096);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(FAULT_HELD), 0);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    do {
        serve(0, 4096, true);
        assert_int_equal(replay(0, false), MP_MGMT_OK);
        settle();
    } while (get(0) != put(0));
    done(5, MP_MGMT_OK);
    assert_int_equal(count(0, MP_MGMT_ACCESSES), WHOLE);
}

/* Accesses that are given up, of a page or of the space, leave nothing behind for the next launch. */
static void given_up(void **state)
{
    (void)state;
    set_up(3);
    ready(0, 64);
    for (unsigned how = 0; how < 3; how++) {
        assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
        settle();
        assert_true(R4(FAULT_HELD) > 0);
        if (how == 0)
            assert_int_equal(replay(0, true), MP_MGMT_OK);
        for (uint64_t p = 0; how == 1 && p < PAGES; p++) {
            W8(FAULT_CANCEL_VA, HEAP + p * PAGE);
            W4(FAULT_CANCEL, 0);
            assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
        }
        if (how == 2)
            W4(RUN_STOP, 0);
        settle();
        done(5, how == 2 ? MP_MGMT_STOPPED : MP_MGMT_FAULTED);
        assert_int_equal(R4(FAULT_HELD), 0);
        serve(0, 64, false);
    }
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    while (get(0) != put(0)) {
        serve(0, 64, true);
        assert_int_equal(replay(0, false), MP_MGMT_OK);
        settle();
    }
    done(5, MP_MGMT_OK);
}

/* Drivers that take any number of entries at any time, map pages or do not, and replay now and then. */
static void at_random(void **state)
{
    struct rng r = rng_start("mig rings", 1);
    for (unsigned round = 0; round < 20; round++) {
        unsigned left = SLICES, rounds = 0;
        set_up(3);
        for (unsigned i = 0; i < SLICES; i++) {
            ready(i, rng_percent(&r, 50) ? 64 : 256);
            assert_int_equal(launch(i, i, 0, i), MP_MGMT_OK);
        }
        while (left) {
            const unsigned i = rng_below(&r, SLICES);
            go_on(rng_below(&r, 300));
            if (rng_percent(&r, 60))
                serve(i, rng_below(&r, 70), rng_percent(&r, 80));
            if (rng_percent(&r, 30))
                assert_int_equal(replay(i, false), MP_MGMT_OK);
            for (; R4(DONE_COUNT); left--) {
                assert_int_equal(R4(DONE_STATUS), MP_MGMT_OK);
                W4(DONE_POP, 1);
            }
            assert_true(++rounds < 100000);
        }
        assert_int_equal(R4(FAULT_HELD), 0);
        for (unsigned i = 0; i < SLICES; i++)
            assert_int_equal(count(i, MP_MGMT_ACCESSES), WHOLE);
        if (round < 19)
            tear_down(state);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {TEST(each_sm_reports_a_page_once),
                                       TEST(full_rings_hold_their_instance), TEST(rings_come_and_go),
                                       TEST(given_up), TEST(at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
