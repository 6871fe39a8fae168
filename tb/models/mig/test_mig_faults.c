/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that are stopped at any time, and faults on purpose with the commands that recover from them. */
#include "mig_bench.h"

#define WHOLE (2 * 12 * 3 * 20) /* accesses of workload 0 */

static struct table t;

static void map_all(void)
{
    for (uint64_t p = 0; p < PAGES; p++)
        table_map(&t, HEAP + p * PAGE, r8(MP_GPU_MIG_BASE) + MB + p * PAGE);
}

static void ready(void)
{
    set_up(3);
    assert_int_equal(create(0, 3), MP_MGMT_OK);
    table_make(&t, 0);
    assert_int_equal(commit(1, 0, t.root), MP_MGMT_OK);
}

static uint32_t stop(unsigned instance)
{
    W4(RUN_STOP, instance);
    return R4(STOP_STATUS);
}

static uint32_t done(uint32_t tag)
{
    assert_true(R4(DONE_COUNT) > 0);
    assert_int_equal(R4(DONE_TAG), tag);
    uint32_t status = R4(DONE_STATUS);
    W4(DONE_POP, 1);
    return status;
}

/* The instance runs the whole workload. */
static void works(void)
{
    const uint64_t before = count(1, MP_MGMT_ACCESSES);
    assert_int_equal(launch(0, 1, 0, 9), MP_MGMT_OK);
    settle();
    assert_int_equal(done(9), MP_MGMT_OK);
    assert_int_equal(count(1, MP_MGMT_ACCESSES), before + WHOLE);
}

/* --- stopping ------------------------------------------------------------------------------------- */

/* Before the first kernel, in kernels, between them, and at the end. */
static void stopped_in_any_cycle(void **state)
{
    unsigned stopped = 0, whole = 0;
    for (uint64_t cycle = 1; !whole; cycle += 29) {
        ready();
        map_all();
        assert_int_equal(stop(0), MP_MGMT_NOT_THERE); /* nothing runs */
        assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
        go_on(cycle);
        if (R4(DONE_COUNT)) {
            assert_int_equal(stop(0), MP_MGMT_NOT_THERE);
            whole++;
        } else
            assert_int_equal(stop(0), MP_MGMT_OK);
        settle();
        uint32_t status = done(5);
        stopped += status == MP_MGMT_STOPPED;
        assert_int_equal(status, whole ? MP_MGMT_OK : MP_MGMT_STOPPED);
        assert_true(whole || count(1, MP_MGMT_ACCESSES) <= WHOLE);
        works();
        tear_down(state);
    }
    ready();
    assert_true(stopped > 100);
    assert_int_equal(stop(1), MP_MGMT_NOT_THERE); /* no such instance */
}

/* With accesses that wait for a replay, some of them for room in the buffer. */
static void stopped_with_faults(void **state)
{
    (void)state;
    ready();
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(FAULT_COUNT), MP_MGMT_FAULTS);
    assert_true(R4(FAULT_HELD) > 0);
    assert_int_equal(stop(0), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_STOPPED);
    assert_int_equal(R4(FAULT_HELD), 0);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    map_all();
    works();
}

static uint32_t cancel(uint64_t va, uint32_t how)
{
    W8(FAULT_CANCEL_VA, va);
    W4(FAULT_CANCEL, 1 | how);
    return R4(FAULT_STATUS);
}

/* Only the accesses to the page that is cancelled end: the launch has others, and stores of it that wait. */
static void cancels_a_page(void **state)
{
    (void)state;
    ready();
    map_all();
    mp_physmem_write64(&b.gpu.memory, table_entry(&t, HEAP + 3 * PAGE), 0);
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R8(FAULT_VA) / PAGE, HEAP / PAGE + 3);
    assert_int_equal(cancel(HEAP + 4 * PAGE, 0), MP_MGMT_OK); /* nothing waits for it */
    assert_int_equal(replay(1, false), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    assert_int_equal(cancel(HEAP + 3 * PAGE + PAGE - 4096, 0), MP_MGMT_OK); /* any part of the page */
    settle();
    assert_int_equal(done(5), MP_MGMT_FAULTED);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    map_all();
    works();
}

/* All pages have faulted, some of them without room in the buffer. The stores wait when the loads do not. */
static void cancels_stores_and_held_faults(void **state)
{
    (void)state;
    ready();
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_true(R4(FAULT_HELD) > 0);
    for (uint64_t p = 0; p < PAGES; p++)
        assert_int_equal(cancel(HEAP + p * PAGE, MP_GPU_FAULT_CANCEL_STORES), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    for (uint64_t p = 0; p < PAGES; p++)
        assert_int_equal(cancel(HEAP + p * PAGE, 0), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_FAULTED);
    assert_int_equal(R4(FAULT_HELD), 0);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    map_all();
    works();
}

/* Pages that are not cancelled are served, and what faults after that ends at once. */
static void serves_others_after_a_cancel(void **state)
{
    (void)state;
    ready();
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    const uint64_t va = R8(FAULT_VA) & -PAGE;
    assert_int_equal(cancel(va, 0), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    assert_int_equal(replay(1, false), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_FAULTED);
    assert_int_equal(R4(FAULT_HELD), 0);
    map_all();
    works();
}

/* One that waits for memory ends as if that were refused. */
static void stopped_when_it_asks(void **state)
{
    (void)state;
    ready();
    map_all();
    W4(INT_ENABLE, MP_GPU_INT_STATUS_MEMORY);
    assert_int_equal(launch(0, 1, 1, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(MEM_KIND), MP_MGMT_MAP);
    assert_int_equal(stop(0), MP_MGMT_OK);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_NO_REQUEST);
    settle();
    assert_int_equal(done(5), MP_MGMT_NO_ROOM);
    works();
}

/* --- faults on purpose ---------------------------------------------------------------------------- */

static struct {
    uint64_t late, full, stuck, invalid; /* cycles of the next one */
    bool hangs, poison;
    unsigned pages;
} next;

static uint64_t take(uint64_t *cycles)
{
    uint64_t c = *cycles;
    *cycles = 0;
    return c;
}

static uint64_t late(void *self)
{
    (void)self;
    return take(&next.late);
}

static uint64_t full(void *self)
{
    (void)self;
    return take(&next.full);
}

static uint64_t sticks(void *self)
{
    (void)self;
    return take(&next.stuck);
}

static bool hangs(void *self)
{
    (void)self;
    return next.hangs;
}

static bool poisoned(void *self, uint64_t at)
{
    (void)self;
    return next.poison && at == table_entry(&t, HEAP);
}

static bool not_lost(void *self)
{
    (void)self;
    return false;
}

static uint64_t invalid(void *self)
{
    (void)self;
    return take(&next.invalid);
}

static void page_found(void *self, uint64_t pa)
{
    (void)self;
    next.pages += pa >= MB;
}

static const struct mp_mig_faults faults = {
    .late = late,
    .full = full,
    .hangs = hangs,
    .replay_lost = not_lost,
    .invalid = invalid,
    .walk = {.sticks = sticks, .poisoned = poisoned, .found = page_found}};

static void ready_for_faults(void)
{
    memset(&next, 0, sizeof next);
    set_up(3);
    b.gpu.faults = &faults;
    assert_int_equal(create(0, 3), MP_MGMT_OK);
    table_make(&t, 0);
    assert_int_equal(commit(1, 0, t.root), MP_MGMT_OK);
}

static void late_invalidations(void **state)
{
    (void)state;
    ready_for_faults();
    next.late = 5000;
    invalidate(MP_MGMT_ALL, 0, 0);
    go_on(4000);
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_BUSY);
    settle();
    assert_int_equal(R4(INV_STATUS), MP_MGMT_OK);
    next.late = MP_NEVER;
    invalidate(MP_MGMT_ALL, 0, 0);
    settle();
    assert_int_equal(R4(INV_STATUS), MP_GPU_INV_STATUS_BUSY);
}

static void launches_that_hang(void **state)
{
    (void)state;
    ready_for_faults();
    map_all();
    next.hangs = true;
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    assert_int_equal(count(1, MP_MGMT_INSTRUCTIONS), 0);
    assert_int_equal(stop(0), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_STOPPED);
    next.hangs = false;
    works();
    assert_true(next.pages >= PAGES);
}

static void walkers_that_stick(void **state)
{
    (void)state;
    ready_for_faults();
    map_all();
    next.stuck = 20000;
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    go_on(15000);
    assert_int_equal(R4(DONE_COUNT), 0);
    settle(); /* the walk has gone on by itself */
    assert_int_equal(done(5), MP_MGMT_OK);
    invalidate(MP_MGMT_ALL, 0, 0);
    settle();
    next.stuck = MP_NEVER;
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(DONE_COUNT), 0);
    W4(WALK_RESTART, 1);
    assert_int_equal(R4(STOP_STATUS), MP_MGMT_NOT_THERE); /* no such instance */
    W4(WALK_RESTART, 0);
    assert_int_equal(R4(STOP_STATUS), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_OK);
    assert_int_equal(count(1, MP_MGMT_ACCESSES), 2 * WHOLE);
}

static void entries_that_are_poisoned(void **state)
{
    (void)state;
    ready_for_faults();
    map_all();
    next.poison = true;
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_true(R4(FAULT_COUNT) > 0);
    assert_int_equal((R4(FAULT_INFO) & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW,
                     MP_MGMT_CAUSE_ECC);
    assert_int_equal(R8(FAULT_ENTRY), table_entry(&t, HEAP));
    assert_int_equal(R4(FAULT_INFO) >> MP_GPU_FAULT_INFO_LEVEL_LOW, 3);
    next.poison = false;
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    assert_int_equal(replay(1, false), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_OK);
}

static void a_buffer_without_room(void **state)
{
    (void)state;
    ready_for_faults();
    next.full = 30000;
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    go_on(20000);
    assert_int_equal(R4(FAULT_COUNT), 0);
    assert_true(R4(FAULT_HELD) > 0);
    settle(); /* there is room again */
    assert_int_equal(R4(FAULT_COUNT), MP_MGMT_FAULTS);
    assert_int_equal(stop(0), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_STOPPED);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    next.full = MP_NEVER;
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(FAULT_COUNT), 0);
    assert_int_equal(stop(0), MP_MGMT_OK);
    settle();
    assert_int_equal(done(5), MP_MGMT_STOPPED);
    assert_int_equal(R4(FAULT_HELD), 0);
}

static uint64_t ring_base(void)
{
    return r8(MP_GPU_MIG_BASE) + 2 * MB;
}

static uint64_t last_word(unsigned index)
{
    return mp_physmem_read64(&b.gpu.memory, ring_base() + index * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST);
}

static void set_last_word(unsigned index, uint64_t word)
{
    mp_physmem_write64(&b.gpu.memory, ring_base() + index * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST, word);
}

/* Faults whose valid bits come after this number of cycles; 0: at once. */
static void fault(uint64_t cycles, uint64_t page)
{
    const struct mp_mgmt_fault f = {.asid = 1, .va = HEAP + page * PAGE};
    next.invalid = cycles;
    assert_true(mp_mgmt_faulted(b.gpu.mgmt, &f));
}

static void valid_bits_that_are_late(void **state)
{
    enum { ENTRIES = 64, LATE = 5000 };
    (void)state;
    ready_for_faults();
    W8(FAULT_RING_BASE, ring_base());
    W4(FAULT_RING_ENTRIES, ENTRIES);
    assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
    fault(LATE, 0);
    fault(0, 1);
    fault(MP_NEVER, 2);
    go_on(LATE - 100);
    assert_int_equal(last_word(0), 0);
    assert_true(last_word(1) & MP_GPU_RING_VALID);
    go_on(200);
    assert_true(last_word(0) & MP_GPU_RING_VALID);
    settle();
    assert_int_equal(last_word(2), 0);

    fault(LATE, 3); /* it is left out before */
    W4(FAULT_RING_GET, 4);
    settle();
    assert_int_equal(last_word(3), 0);

    fault(LATE, 4); /* its place has another one before */
    for (unsigned i = 5; i < ENTRIES + 5; i++) {
        W4(FAULT_RING_GET, i % ENTRIES);
        fault(0, i);
    }
    assert_true(last_word(4) & MP_GPU_RING_VALID);
    set_last_word(4, 4); /* as the later one's */
    settle();
    assert_int_equal(last_word(4), 4);

    fault(LATE, 1000); /* there is no ring then */
    set_last_word(5, 5);
    W4(FAULT_RING_ENTRIES, 0);
    settle();
    assert_int_equal(last_word(5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(stopped_in_any_cycle, tear_down),
        cmocka_unit_test_teardown(stopped_with_faults, tear_down),
        cmocka_unit_test_teardown(stopped_when_it_asks, tear_down),
        cmocka_unit_test_teardown(cancels_a_page, tear_down),
        cmocka_unit_test_teardown(cancels_stores_and_held_faults, tear_down),
        cmocka_unit_test_teardown(serves_others_after_a_cancel, tear_down),
        cmocka_unit_test_teardown(late_invalidations, tear_down),
        cmocka_unit_test_teardown(launches_that_hang, tear_down),
        cmocka_unit_test_teardown(walkers_that_stick, tear_down),
        cmocka_unit_test_teardown(entries_that_are_poisoned, tear_down),
        cmocka_unit_test_teardown(a_buffer_without_room, tear_down),
        cmocka_unit_test_teardown(valid_bits_that_are_late, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
