/* SPDX-License-Identifier: Apache-2.0 */
/* Instances, address spaces, launches and faults of a managed GPU. */
#include "mig_bench.h"

static void map_all(struct table *t, unsigned instance)
{
    uint64_t pages = r8(MP_GPU_MIG_BASE + 8 * instance) + MB;
    for (uint64_t p = 0; p < PAGES; p++)
        table_map(t, HEAP + p * PAGE, pages + p * PAGE);
}

static void ready(struct table *t, unsigned instance, unsigned slices, unsigned asid)
{
    assert_int_equal(create(instance, slices), MP_MGMT_OK);
    table_make(t, instance);
    assert_int_equal(commit(asid, instance, t->root), MP_MGMT_OK);
}

static void done(uint32_t tag, enum mp_mgmt_status status)
{
    assert_true(R4(DONE_COUNT) > 0);
    assert_int_equal(R4(DONE_TAG), tag);
    assert_int_equal(R4(DONE_STATUS), status);
    W4(DONE_POP, 1);
}

/* Fields of the oldest fault. */
static unsigned cause(void)
{
    return (unsigned)((R4(FAULT_INFO) & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW);
}

static unsigned level(void)
{
    return (unsigned)((R4(FAULT_INFO) & MP_GPU_FAULT_INFO_LEVEL) >> MP_GPU_FAULT_INFO_LEVEL_LOW);
}

static void slices_and_memory(void **state)
{
    (void)state;
    set_up(3);
    assert_int_equal(R4(SLICES), SLICES);
    assert_int_equal(R8(MEMORY), SLICES * PER_SLICE);
    assert_int_equal(create(5, 1), MP_MGMT_OK);
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    assert_int_equal(create(7, 1), MP_MGMT_OK);
    assert_int_equal(r8(MP_GPU_MIG_BASE), PER_SLICE);
    assert_int_equal(destroy(5), MP_MGMT_OK);
    assert_int_equal(destroy(7), MP_MGMT_OK);
    assert_int_equal(create(1, 2), MP_MGMT_NO_ROOM); /* slices 0 and 2 are free, but not adjacent */
    assert_int_equal(destroy(0), MP_MGMT_OK);
    assert_int_equal(create(1, 2), MP_MGMT_OK);
    assert_int_equal(r8(MP_GPU_MIG_BASE + 8), 0);
    assert_int_equal(r8(MP_GPU_MIG_BYTES + 8), 2 * PER_SLICE);
    assert_int_equal(create(2, 1), MP_MGMT_OK);
    assert_int_equal(r8(MP_GPU_MIG_BASE + 16), 2 * PER_SLICE);
}

/* Two launches on one instance, then on other slices after it was destroyed; no translation may remain. */
static void launches(void **state)
{
    for (unsigned levels = 2; levels <= 3; levels++) {
        struct table t, other;
        set_up(levels);
        ready(&t, 4, 2, 6);
        map_all(&t, 4);
        assert_int_equal(launch(4, 6, 0, 70), MP_MGMT_OK);
        assert_int_equal(launch(4, 6, 1, 71), MP_MGMT_OK);
        settle();
        done(70, MP_MGMT_OK);
        done(71, MP_MGMT_OK);
        assert_int_equal(R4(FAULT_COUNT), 0);
        assert_int_equal(count(6, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20 + 1);
        assert_int_equal(count(6, MP_MGMT_INSTRUCTIONS), 2 * 12 * 3 * (20 * 5 + 1) + 5 + 1);
        assert_true(count(6, MP_MGMT_WALKS) >= PAGES);
        assert_int_equal(count(6, MP_MGMT_L3_TLB_LOOKUPS) > 0, levels == 3);
        uint64_t cycles = count(6, MP_MGMT_CYCLES);
        assert_true(cycles > 1000 && cycles <= b.wheel.now);
        assert_int_equal(launch(4, 6, 2, 72), MP_MGMT_OK);
        done(72, MP_MGMT_NOT_THERE); /* no such workload */
        assert_int_equal(destroy(4), MP_MGMT_OK);
        ready(&other, 1, 1, 0);
        ready(&t, 4, 2, 6);
        assert_int_equal(launch(4, 6, 1, 73), MP_MGMT_OK);
        settle();
        assert_int_equal(R4(FAULT_COUNT),
                         2); /* of the two pages that it accesses; no translation was cached */
        map_all(&t, 4);
        assert_int_equal(replay(6, false), MP_MGMT_OK);
        settle();
        done(73, MP_MGMT_OK);
        assert_int_equal(count(6, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20 + 2);
        if (levels == 2)
            tear_down(state);
    }
}

/* The last slices have a TPC less, and instances of them as many SMs less. */
static void short_slices(void **state)
{
    static struct table t[SLICES];
    (void)state;
    set_up_short(2);
    const struct mp_machine *m = &b.gpu.machine;
    assert_int_equal(R4(SMS), m->tpcs * m->sms_per_tpc);
    uint32_t sms = 0;
    for (unsigned i = 0; i < SLICES; i++) {
        ready(&t[i], i, 1, i);
        map_all(&t[i], i);
        assert_int_equal(launch(i, i, 0, 70), MP_MGMT_OK);
        const struct mp_app *app = &b.gpu.instance[i].runs->app;
        assert_int_equal(app->p.sms, (m->tpcs - (i >= SLICES - 2)) * m->sms_per_tpc);
        for (uint32_t k = 0; k < app->p.sms; k++)
            assert_ptr_equal(app->p.sm[k], mp_mig_sm(&b.gpu, sms + k));
        sms += app->p.sms;
    }
    settle();
    for (unsigned i = 0; i < SLICES; i++) {
        done(70, MP_MGMT_OK);
        assert_int_equal(count(i, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20);
    }
    assert_int_equal(R4(FAULT_COUNT), 0);
}

/* A launch waits for what its trace maps and unmaps, and ends if that is refused. */
static void launches_ask_for_memory(void **state)
{
    struct table t;
    (void)state;
    set_up(3);
    ready(&t, 4, 2, 6);
    map_all(&t, 4);
    W4(INT_ENABLE, MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_MEMORY);
    assert_int_equal(launch(4, 6, 1, 70), MP_MGMT_OK);
    settle();
    assert_true(b.line[3]);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_MAP);
    assert_int_equal(R4(MEM_ASID), 6);
    assert_int_equal(R8(MEM_VA), HEAP + PAGES * PAGE);
    assert_int_equal(R8(MEM_BYTES), PAGE);
    assert_int_equal(count(6, MP_MGMT_ACCESSES), 0);
    W4(MEM_DONE, 1);
    settle();
    assert_int_equal(count(6, MP_MGMT_ACCESSES), 1);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_UNMAP);
    assert_int_equal(R8(MEM_BYTES), 5);
    assert_int_equal(R4(DONE_COUNT), 0);
    W4(MEM_DONE, 1);
    settle();
    done(70, MP_MGMT_OK);
    assert_int_equal(launch(4, 6, 1, 71), MP_MGMT_OK);
    assert_int_equal(launch(4, 6, 0, 72), MP_MGMT_OK);
    settle();
    W4(MEM_DONE, 2);
    settle();
    done(71, MP_MGMT_NO_ROOM);
    done(72, MP_MGMT_OK); /* the next one runs */
}

/* It waits until the host has read what it is to read, if firmware wants to know of that. */
static void launches_ask_for_the_host(void **state)
{
    struct table t;
    (void)state;
    set_up(3);
    ready(&t, 4, 2, 6);
    map_all(&t, 4);
    b.gpu.host.accesses = true;
    W4(INT_ENABLE, MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_MEMORY);
    W4(MEM_HOST, 1);
    assert_int_equal(launch(4, 6, 1, 70), MP_MGMT_OK);
    settle();
    W4(MEM_DONE, 1); /* MAP */
    settle();
    assert_int_equal(count(6, MP_MGMT_ACCESSES), 1);
    assert_int_equal(R4(MEM_KIND), MP_MGMT_HOST_READ);
    assert_int_equal(R8(MEM_VA), HEAP + 3);
    assert_int_equal(R8(MEM_BYTES), 100);
    W4(MEM_DONE, 1);
    settle();
    assert_int_equal(R4(MEM_KIND), MP_MGMT_UNMAP);
    W4(MEM_DONE, 1);
    settle();
    done(70, MP_MGMT_OK);
    b.gpu.host.accesses = false;
}

/* Every page faults before it is mapped, and each fault is recorded. */
static void demand_paging(void **state)
{
    for (unsigned levels = 2; levels <= 3; levels++) {
        struct table t;
        unsigned mapped = 0, turns = 0;
        set_up(levels);
        ready(&t, 0, 3, 1);
        assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
        for (; !R4(DONE_COUNT); turns++) {
            settle();
            assert_true(R4(FAULT_COUNT) || R4(DONE_COUNT));
            while (R4(FAULT_COUNT)) {
                uint64_t va = R8(FAULT_VA), at = table_entry(&t, va);
                assert_in_range(va, HEAP, HEAP + PAGES * PAGE - 1);
                assert_int_equal(R4(FAULT_INFO) & 0xff, 1);
                if (!mp_physmem_read64(&b.gpu.memory, at))
                    table_map(&t, va, MB + mapped++ * PAGE);
                W4(FAULT_POP, 1);
            }
            assert_int_equal(replay(1, false), MP_MGMT_OK);
        }
        done(5, MP_MGMT_OK);
        assert_int_equal(mapped, PAGES);
        assert_int_equal(count(1, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20);
        assert_true(count(1, MP_MGMT_WALK_FAULTS) >= PAGES);
        if (levels == 2)
            tear_down(state);
    }
}

/* Makes the page writable. Returns whether it was read-only. */
static bool open_page(struct table *t, uint64_t va)
{
    uint64_t at = table_entry(t, va), entry = mp_physmem_read64(&b.gpu.memory, at);
    mp_physmem_write64(&b.gpu.memory, at, entry & ~MP_PTE_READ_ONLY);
    return entry & MP_PTE_READ_ONLY;
}

/* Loads pass. Stores fault although no walk does, until the page is writable and the TLBs have been
 * invalidated. */
static void stores_to_read_only_pages_fault(void **state)
{
    for (unsigned levels = 2; levels <= 3; levels++) {
        struct table t;
        unsigned opened = 0;
        set_up(levels);
        ready(&t, 0, 3, 1);
        for (unsigned i = 0; i < PAGES; i++)
            table_map(&t, HEAP + i * PAGE, (MB + i * PAGE) | MP_PTE_READ_ONLY);
        assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
        for (settle(); !R4(DONE_COUNT); settle()) {
            unsigned before = opened;
            assert_true(R4(FAULT_COUNT));
            for (; R4(FAULT_COUNT); W4(FAULT_POP, 1)) {
                assert_true(R4(FAULT_INFO) & MP_GPU_FAULT_INFO_READ_ONLY);
                assert_int_equal(cause(), MP_MGMT_CAUSE_READ_ONLY);
                assert_int_equal(R8(FAULT_ENTRY), 0);
                assert_true(R4(FAULT_INFO) & MP_GPU_FAULT_INFO_WRITE);
                opened += open_page(&t, R8(FAULT_VA));
            }
            if (!before) { /* TLBs still have the old entries */
                assert_int_equal(replay(1, false), MP_MGMT_OK);
                settle();
                assert_true(R4(FAULT_COUNT));
            }
            invalidate(MP_MGMT_ASID, 1, 0);
            assert_int_equal(replay(1, false), MP_MGMT_OK);
        }
        done(5, MP_MGMT_OK);
        assert_in_range(opened, 2, PAGES);
        assert_int_equal(count(1, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20);
        assert_int_equal(count(1, MP_MGMT_WALK_FAULTS), 0);
        if (levels == 2)
            tear_down(state);
    }
}

/* No fault is taken out: the buffer fills, the other faults wait, and the SMs stop. When faults are taken
 * out one by one, all are recorded. */
static void a_full_buffer_holds_faults_back(void **state)
{
    (void)state;
    struct table t;
    unsigned taken = 0;
    set_up(3);
    ready(&t, 0, 3, 1);
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(R4(FAULT_COUNT), MP_MGMT_FAULTS);
    unsigned held = R4(FAULT_HELD);
    uint64_t faults = count(1, MP_MGMT_WALK_FAULTS);
    assert_true(held > 0);
    assert_true(R4(INT_STATUS) & MP_GPU_INT_STATUS_FAULT_HELD);
    go_on(100000);
    assert_int_equal(count(1, MP_MGMT_WALK_FAULTS), faults);
    while (R4(FAULT_COUNT)) {
        table_map(&t, R8(FAULT_VA), MB + (R8(FAULT_VA) - HEAP) / PAGE * PAGE);
        W4(FAULT_POP, 1);
        taken++;
        settle();
    }
    assert_true(taken > MP_MGMT_FAULTS);
    assert_int_equal(R4(FAULT_HELD), 0);
    unsigned turns = 0;
    while (!R4(DONE_COUNT)) {
        assert_int_equal(replay(1, false), MP_MGMT_OK);
        settle();
        while (R4(FAULT_COUNT)) {
            table_map(&t, R8(FAULT_VA), MB + (R8(FAULT_VA) - HEAP) / PAGE * PAGE);
            W4(FAULT_POP, 1);
        }
        assert_true(turns++ < 1000);
    }
    done(5, MP_MGMT_OK);
    assert_int_equal(count(1, MP_MGMT_ACCESSES), 2 * 12 * 3 * 20);
}

/* A launch is given up with accesses that wait, are in flight, and have not begun. Other instances are not
 * affected, and the same instance works as before. */
static void giving_up(void **state)
{
    for (uint64_t when = 50; when < 4000; when += 211) {
        struct table t, other;
        set_up(3);
        ready(&t, 0, 2, 1);
        ready(&other, 1, 1, 2);
        map_all(&other, 1);
        launch(0, 1, 0, 5);
        launch(0, 1, 1, 6);
        launch(1, 2, 0, 7);
        for (uint64_t p = 0; p < PAGES; p += 2)
            table_map(&t, HEAP + p * PAGE, MB + p * PAGE);
        go_on(when);
        bool waits = R4(FAULT_COUNT);
        assert_int_equal(replay(1, true), MP_MGMT_OK);
        settle();
        assert_int_equal(R4(FAULT_STATUS), MP_MGMT_OK);
        if (!waits) { /* there was no access to give up yet */
            assert_int_equal(R4(DONE_COUNT), 1);
            assert_int_equal(replay(1, true), MP_MGMT_OK);
            settle();
        }
        while (R4(FAULT_COUNT))
            W4(FAULT_POP, 1);
        settle();
        map_all(&t, 0); /* the second launch waits for its page, or has it */
        assert_int_equal(replay(1, false), MP_MGMT_OK);
        settle();
        unsigned seen = 0;
        while (R4(DONE_COUNT)) {
            uint32_t tag = R4(DONE_TAG);
            assert_int_equal(R4(DONE_STATUS), tag == 5 ? MP_MGMT_FAULTED : MP_MGMT_OK);
            seen |= 1u << tag;
            W4(DONE_POP, 1);
        }
        assert_int_equal(seen, 7u << 5);
        assert_int_equal(launch(0, 1, 0, 8), MP_MGMT_OK);
        uint64_t before = count(1, MP_MGMT_ACCESSES);
        settle();
        done(8, MP_MGMT_OK);
        assert_int_equal(count(1, MP_MGMT_ACCESSES) - before, 2 * 12 * 3 * 20);
        if (when + 211 < 4000)
            tear_down(state);
    }
}

/* Returns the address of va's entry in the root table. */
static uint64_t entry_of(uint64_t root, uint64_t va)
{
    return mp_pte_address(mp_page_format(PAGE), 0, root, va);
}

static struct mp_mgmt_fault livelock;
static unsigned livelocks;

static void found(void *self, const struct mp_mgmt_fault *fault)
{
    (void)self;
    livelock = *fault;
    livelocks++;
}

/* A page whose entry never becomes valid is reported after exactly this number of replays without
 * progress. */
static void livelocks_are_found(void **state)
{
    enum { LIMIT = 20 };
    for (unsigned levels = 2; levels <= 3; levels++) {
        struct table t;
        unsigned replays = 0, after = 0;
        livelocks = 0;
        set_up(levels);
        b.gpu.watch = (struct mp_mig_watch){LIMIT, NULL, found};
        ready(&t, 0, 3, 1);
        map_all(&t, 0);
        uint64_t bad = HEAP + 7 * PAGE, at = table_entry(&t, bad),
                 good = mp_physmem_read64(&b.gpu.memory, at);
        mp_physmem_write64(&b.gpu.memory, at, good | 1ull << 9);
        assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
        for (uint64_t before = 0; !livelocks; replays++) {
            settle();
            uint64_t accesses = count(1, MP_MGMT_ACCESSES);
            after = accesses == before ? after + 1 : 0; /* replays without a completed access */
            before = accesses;
            assert_true(livelocks || after < LIMIT);
            while (R4(FAULT_COUNT))
                W4(FAULT_POP, 1);
            if (!livelocks)
                assert_int_equal(replay(1, false), MP_MGMT_OK);
        }
        assert_true(replays > LIMIT);
        assert_int_equal(livelock.va / PAGE, bad / PAGE);
        assert_int_equal(livelock.asid, 1);
        assert_int_equal(livelock.cause, MP_MGMT_CAUSE_RESERVED);
        assert_int_equal(livelock.level, 3);
        assert_int_equal(livelock.entry, at);
        mp_physmem_write64(&b.gpu.memory, at, good);
        assert_int_equal(replay(1, false), MP_MGMT_OK);
        settle();
        done(5, MP_MGMT_OK);
        assert_int_equal(livelocks, 1); /* reported once */
        if (levels == 2)
            tear_down(state);
    }
}

/* Firmware that maps one page after the other replays the other waiting pages again and again. That is no
 * livelock. */
static void slow_firmware_is_none(void **state)
{
    (void)state;
    struct table t;
    unsigned replays = 0;
    livelocks = 0;
    set_up(3);
    b.gpu.watch = (struct mp_mig_watch){8, NULL, found};
    ready(&t, 0, 3, 1);
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK);
    for (settle(); !R4(DONE_COUNT); settle(), replays++) {
        table_map(&t, R8(FAULT_VA), MB + (R8(FAULT_VA) - HEAP) / PAGE * PAGE);
        while (R4(FAULT_COUNT))
            W4(FAULT_POP, 1);
        assert_int_equal(replay(1, false), MP_MGMT_OK);
    }
    done(5, MP_MGMT_OK);
    assert_true(replays >= PAGES);
    assert_int_equal(livelocks, 0);
}

static void tables_that_are_wrong(void **state)
{
    (void)state;
    struct table t;
    set_up(3);
    ready(&t, 1, 1, 3);
    assert_int_equal(create(2, 1), MP_MGMT_OK);
    uint64_t leaf = table_entry(&t, HEAP);
    const uint64_t roots[] = {t.root, t.root + 8 * MB, r8(MP_GPU_MIG_BASE + 16)};
    const struct {
        uint64_t entry;
        enum mp_mgmt_cause cause;
    } leaves[] = {{0, MP_MGMT_CAUSE_NOT_VALID},
                  {MP_PTE_VALID, MP_MGMT_CAUSE_TABLE},
                  {UINT64_MAX, MP_MGMT_CAUSE_RESERVED},
                  {r8(MP_GPU_MIG_BASE + 16) | 3, MP_MGMT_CAUSE_OUTSIDE},
                  {t.root | 1, MP_MGMT_CAUSE_TABLE}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned k = 0; k < 5; k++) {
            assert_int_equal(commit(3, 1, roots[i]), MP_MGMT_OK);
            mp_physmem_write64(&b.gpu.memory, leaf, leaves[k].entry);
            mp_physmem_write64(&b.gpu.memory, t.root + 8 * 511,
                               t.root | 1); /* an entry that points to its own table */
            invalidate(MP_MGMT_ALL | MP_GPU_INV_COMMAND_WALK_CACHE, 0, 0);
            settle();
            assert_int_equal(launch(1, 3, 1, 9), MP_MGMT_OK);
            settle();
            assert_int_equal(R4(DONE_COUNT), 0);
            assert_int_equal(R4(FAULT_COUNT), 2);
            for (; R4(FAULT_COUNT); W4(FAULT_POP, 1)) {
                bool mine = R8(FAULT_VA) / PAGE == HEAP / PAGE; /* the other page has never been mapped */
                assert_int_equal(cause(), i == 2       ? MP_MGMT_CAUSE_ROOT
                                          : i || !mine ? MP_MGMT_CAUSE_NOT_VALID
                                                       : leaves[k].cause);
                assert_int_equal(level(), i ? 0 : 3);
                if (mine)
                    assert_int_equal(R8(FAULT_ENTRY), i == 2 ? 0 : i ? entry_of(roots[i], HEAP) : leaf);
            }
            assert_int_equal(replay(3, true), MP_MGMT_OK);
            settle();
            done(9, MP_MGMT_FAULTED);
        }
    assert_int_equal(commit(3, 1, SLICES * PER_SLICE), MP_MGMT_BAD_VALUE);
    W4(AS_CONFIG, 1 | 1u << MP_GPU_AS_CONFIG_PAGE_LOW); /* pages of a size that the machine does not have */
    W4(AS_COMMIT, 0);
    assert_int_equal(R4(AS_STATUS), MP_MGMT_NOT_THERE);
    w4(MP_GPU_AS_CONFIG, 1 | 1u << MP_GPU_AS_CONFIG_PAGE_LOW | 1u << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    W4(AS_COMMIT, 0);
    assert_int_equal(R4(AS_STATUS), MP_MGMT_UNSUPPORTED);
    assert_string_equal(b.why,
                        "AS_CONFIG.PAGE: no pages of 65536 B; of 4096 B, since machine.page_bytes = 4096 and "
                        "RTL, or the walk method, is for pages of one size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(slices_and_memory, tear_down),
        cmocka_unit_test_teardown(launches, tear_down),
        cmocka_unit_test_teardown(short_slices, tear_down),
        cmocka_unit_test_teardown(launches_ask_for_memory, tear_down),
        cmocka_unit_test_teardown(launches_ask_for_the_host, tear_down),
        cmocka_unit_test_teardown(demand_paging, tear_down),
        cmocka_unit_test_teardown(stores_to_read_only_pages_fault, tear_down),
        cmocka_unit_test_teardown(a_full_buffer_holds_faults_back, tear_down),
        cmocka_unit_test_teardown(giving_up, tear_down),
        cmocka_unit_test_teardown(tables_that_are_wrong, tear_down),
        cmocka_unit_test_teardown(livelocks_are_found, tear_down),
        cmocka_unit_test_teardown(slow_firmware_is_none, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
