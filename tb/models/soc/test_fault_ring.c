/* SPDX-License-Identifier: Apache-2.0 */
/* Rings of faults in GPU memory: where they may be, what enters them and when, and what software takes. */
#include "ring_bench.h"

static uint64_t begin(unsigned instance, uint64_t base, uint64_t entries)
{
    W8(FAULT_RING_BASE, instance, base);
    W4(FAULT_RING_ENTRIES, instance, entries);
    return R4(FAULT_STATUS, 0);
}

static uint64_t take(unsigned instance, uint64_t index)
{
    W4(FAULT_RING_GET, instance, index);
    return R4(FAULT_STATUS, 0);
}

static struct mp_gpu_fault_entry entry_at(uint64_t base, unsigned index)
{
    struct mp_gpu_fault_entry e;
    memcpy(&e, b.memory + base + (size_t)index * MP_GPU_RING_ENTRY_BYTES, sizeof e);
    return e;
}

static bool fault(unsigned asid, unsigned sm, uint64_t va, bool write)
{
    const struct mp_mgmt_fault f = {.va = va,
                                    .asid = (uint8_t)asid,
                                    .sm = (uint16_t)sm,
                                    .write = write,
                                    .cause = MP_MGMT_CAUSE_NOT_VALID};
    return mp_mgmt_faulted(&b.m, &f);
}

static void where_a_ring_may_be(void **state)
{
    const uint64_t bytes = 64 * MP_GPU_RING_ENTRY_BYTES;
    (void)state;
    assert_int_equal(R4(ID, 0), 0x4d500002);
    assert_int_equal(begin(0, 0, 64), MP_MGMT_OK);
    assert_int_equal(begin(0, 2 * MEGABYTE - bytes, 64),
                     MP_MGMT_OK); /* at the end of the instance's memory */
    assert_int_equal(R4(FAULT_RING_ENTRIES, 0), 64);
    assert_int_equal(begin(0, 2 * MEGABYTE - bytes + 64, 64), MP_MGMT_BAD_VALUE);
    assert_int_equal(begin(0, 2 * MEGABYTE - bytes, 128), MP_MGMT_BAD_VALUE);
    assert_int_equal(begin(3, 2 * MEGABYTE - 64, 64), MP_MGMT_BAD_VALUE); /* before that of another one */
    assert_int_equal(begin(3, 2 * MEGABYTE, 32768), MP_MGMT_OK);          /* all of it */
    assert_int_equal(begin(3, 2 * MEGABYTE, 65536), MP_MGMT_BAD_VALUE);
    assert_int_equal(begin(3, 0xffffffffffc0, 64), MP_MGMT_BAD_VALUE);
    for (unsigned i = 0; i < 32; i++) { /* a power of two from 64 to 2^20 */
        assert_int_equal(begin(0, 0, 1u << i), i >= 6 && i <= 16 ? MP_MGMT_OK : MP_MGMT_BAD_VALUE);
        assert_int_equal(begin(0, 0, (1u << i) + 1), MP_MGMT_BAD_VALUE);
    }
    assert_int_equal(R4(FAULT_RING_ENTRIES, 0), 1u << 16); /* the last that was not refused */
    assert_int_equal(R4(FAULT_RING_ENTRIES, 3), 32768);
    b.m.value.MIG_BYTES[0] = 1ull << 30;
    assert_int_equal(begin(0, 0, 1u << 21), MP_MGMT_BAD_VALUE); /* more than a ring can have */
    assert_int_equal(begin(0, 0, 1u << 20), MP_MGMT_OK);
    assert_int_equal(begin(0, 0, 1u << 16), MP_MGMT_OK);
    assert_int_equal(begin(1, 0, 64), MP_MGMT_NOT_THERE);
    assert_int_equal(begin(1, 0, 0), MP_MGMT_NOT_THERE);
    b.gpu.store = NULL;
    assert_int_equal(begin(0, 0, 64), MP_MGMT_UNSUPPORTED);
    assert_int_equal(R4(FAULT_RING_ENTRIES, 0), 1u << 16);
    b.m.gpu = NULL;
    assert_int_equal(begin(0, 0, 64), MP_MGMT_ABSENT);
    assert_int_equal(take(0, 0), MP_MGMT_ABSENT);
}

/* All of an entry, in the ring of the fault's instance; the buffer has the faults of other instances. */
static void entries_have_all_of_a_fault(void **state)
{
    const struct mp_mgmt_fault f = {.va = 0x7fff12345678,
                                    .entry = 0x123456789abc8,
                                    .sm = 97,
                                    .asid = 1,
                                    .cause = MP_MGMT_CAUSE_MISALIGNED,
                                    .level = 3,
                                    .write = true};
    (void)state;
    assert_int_equal(begin(0, 0x1000, 64), MP_MGMT_OK);
    b.now = 0x123456789a;
    assert_true(mp_mgmt_access_faulted(&b.m, &f, MP_GPU_ACCESS_ATOMIC));
    assert_true(b.line);
    assert_int_equal(R4(FAULT_RING_PUT, 0), 1);
    struct mp_gpu_fault_entry e = entry_at(0x1000, 0);
    assert_int_equal(e.va, 0x7fff12340000); /* of the page, which has 64 KB */
    assert_int_equal(e.entry, f.entry);
    assert_int_equal(e.ns, b.now);
    assert_int_equal((uint32_t)e.info, 1 | 97 << 8 | MP_GPU_FAULT_INFO_WRITE | 6 << 26 | 3u << 30);
    assert_int_equal(e.info >> 32, MP_GPU_ACCESS_ATOMIC | MP_GPU_RING_VALID >> 32);
    assert_true(fault(0, 2, 0x5000, false));
    assert_true(fault(0, 2, 0x5000, true));
    assert_int_equal((entry_at(0x1000, 1).info & MP_GPU_FAULT_ACCESS) >> MP_GPU_FAULT_ACCESS_LOW,
                     MP_GPU_ACCESS_READ);
    assert_int_equal((entry_at(0x1000, 2).info & MP_GPU_FAULT_ACCESS) >> MP_GPU_FAULT_ACCESS_LOW,
                     MP_GPU_ACCESS_WRITE);
    assert_int_equal(entry_at(0x1000, 3).info, 0);
    assert_int_equal(R4(FAULT_COUNT, 0), 0);
    assert_true(fault(5, 9, 0x5000, false)); /* its instance has no ring */
    assert_true(fault(7, 9, 0x5000, false)); /* nor has a space that does not exist */
    assert_int_equal(R4(FAULT_COUNT, 0), 2);
    assert_int_equal(R4(FAULT_RING_PUT, 0), 3);
    assert_int_equal(mp_mgmt_fault_queue(&b.m, 0), 1);
    assert_int_equal(mp_mgmt_fault_queue(&b.m, 5), 0);
    assert_int_equal(mp_mgmt_fault_queue(&b.m, 7), 0);
    assert_int_equal(begin(3, 2 * MEGABYTE, 64), MP_MGMT_OK);
    assert_int_equal(mp_mgmt_fault_queue(&b.m, 5), 4);
    b.gpu.now = NULL;
    assert_true(fault(5, 9, 0x5000, true));
    assert_int_equal(entry_at(2 * MEGABYTE, 0).va, 0x5000);
    assert_int_equal(entry_at(2 * MEGABYTE, 0).ns, 0);
}

static void full_rings(void **state)
{
    (void)state;
    assert_int_equal(begin(0, 0, 64), MP_MGMT_OK);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(fault(0, 1, 0x1000ull * i, false), i < 63);
    assert_int_equal(R4(FAULT_RING_PUT, 0), 63);
    assert_true(fault(0, 1, 0, false)); /* a repetition needs no room */
    const unsigned rooms = b.rooms;
    assert_int_equal(take(0, 64), MP_MGMT_BAD_VALUE);
    assert_int_equal(take(0, 0x100000), MP_MGMT_BAD_VALUE);
    assert_int_equal(take(0, 0xffffffff), MP_MGMT_BAD_VALUE);
    assert_int_equal(b.rooms, rooms);
    assert_int_equal(R4(FAULT_RING_GET, 0), 0);
    assert_int_equal(take(0, 2), MP_MGMT_OK);
    assert_int_equal(b.rooms, rooms + 1);
    assert_int_equal(take(0, 1), MP_MGMT_BAD_VALUE); /* back */
    assert_int_equal(R4(FAULT_RING_GET, 0), 2);
    assert_true(fault(0, 1, 0x40000, false)); /* which was refused, so it is no repetition */
    assert_int_equal(R4(FAULT_RING_PUT, 0), 0);
    assert_true(fault(0, 1, 0x41000, false));
    assert_int_equal(entry_at(0, 0).va, 0x41000);
    assert_false(fault(0, 1, 0x42000, false));
    assert_int_equal(take(0, 1), MP_MGMT_OK); /* up to PUT */
    assert_int_equal(take(0, 2), MP_MGMT_BAD_VALUE);
    b.used_up = true;
    assert_false(fault(0, 1, 0x42000, false));
    assert_int_equal(R4(FAULT_RING_PUT, 0), 1);
    b.used_up = false;
    assert_true(fault(0, 1, 0x42000, false));
    assert_int_equal(R4(FAULT_RING_PUT, 0), 2);
    assert_int_equal(take(3, 0), MP_MGMT_BAD_VALUE); /* there is none */
}

static unsigned entries(void)
{
    return (unsigned)R4(FAULT_RING_PUT, 0);
}

/* Of the same SM, until a replay or the end of the launch, whether or not software took the entry. */
static void repetitions(void **state)
{
    (void)state;
    assert_int_equal(begin(0, 0, 64), MP_MGMT_OK);
    fault(1, 4, 0x10000, false);
    fault(1, 4, 0x1ffff, false);
    assert_int_equal(entries(), 1);
    fault(1, 5, 0x10000, false);
    fault(1, 4, 0x10000, true);
    fault(0, 4, 0x10000, false);
    assert_int_equal(entries(), 4);
    take(0, 4);
    fault(1, 4, 0x10000, false);
    assert_int_equal(entries(), 4);
    W4(FAULT_REPLAY, 0, 1);
    fault(1, 4, 0x10000, false);
    fault(0, 4, 0x10000, false); /* of another space */
    assert_int_equal(entries(), 5);
    W4(FAULT_REPLAY, 0, 0 | MP_GPU_FAULT_REPLAY_GIVE_UP);
    fault(0, 4, 0x10000, false);
    assert_int_equal(entries(), 6);
    W4(RUN_INSTANCE, 0, 3);
    W4(RUN_ASID, 0, 0);
    W4(RUN_DOORBELL, 0, 0); /* refused: the space is of another instance */
    fault(0, 4, 0x10000, false);
    assert_int_equal(entries(), 6);
    W4(RUN_INSTANCE, 0, 0);
    W4(RUN_DOORBELL, 0, 0);
    fault(0, 4, 0x10000, false);
    assert_int_equal(entries(), 6);
    mp_mgmt_ended(&b.m, 0, MP_MGMT_FAULTED);
    fault(0, 4, 0x10000, false);
    fault(1, 4, 0x10000, false);
    assert_int_equal(entries(), 7);
}

/* A new ring is empty, and nothing is a repetition of what was in the old one. */
static void rings_that_end(void **state)
{
    (void)state;
    begin(0, 0, 64);
    fault(0, 4, 0x10000, false);
    assert_int_equal(begin(0, 1, 65), MP_MGMT_BAD_VALUE);
    assert_int_equal(entries(), 1);
    const unsigned rooms = b.rooms;
    assert_int_equal(begin(0, 0x10000, 64), MP_MGMT_OK);
    assert_int_equal(b.rooms, rooms + 1);
    assert_int_equal(entries(), 0);
    fault(0, 4, 0x10000, false);
    assert_int_equal(entries(), 1);
    assert_int_equal(entry_at(0x10000, 0).va, 0x10000);
    assert_int_equal(begin(0, 0x10000, 0), MP_MGMT_OK);
    assert_int_equal(entries(), 0);
    assert_int_equal(R4(FAULT_RING_ENTRIES, 0), 0);
    fault(0, 4, 0x10000, false);
    assert_int_equal(R4(FAULT_COUNT, 0), 1);
    begin(3, 2 * MEGABYTE, 64);
    fault(5, 4, 0x10000, false);
    assert_int_equal(R4(FAULT_RING_PUT, 3), 1);
    unmake(3);
    assert_int_equal(R4(FAULT_RING_ENTRIES, 3), 0);
    assert_int_equal(R4(FAULT_RING_PUT, 3), 0);
    make(3, 1);
    open_space(5, 3, MP_MGMT_PAGE_4K);
    fault(5, 4, 0x10000, false);
    assert_int_equal(R4(FAULT_COUNT, 0), 2);
}

static void resets(void **state)
{
    begin(0, 0, 64);
    fault(0, 4, 0x10000, false);
    mp_mgmt_init(&b.m);
    b.next_slice = 0;
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(R4(FAULT_RING_ENTRIES, i) | R4(FAULT_RING_PUT, i), 0);
    make(0, 2);
    open_space(0, 0, MP_MGMT_PAGE_4K);
    assert_int_equal(mp_mgmt_fault_queue(&b.m, 0), 0);
    assert_int_equal(begin(0, 0, 64), MP_MGMT_OK);
    fault(0, 4, 0x10000, false);
    assert_int_equal(entries(), 1);
    (void)state;
}

/* As many faults are remembered as fit; further ones enter the ring each time. */
static void more_than_are_remembered(void **state)
{
    const unsigned all = MP_MGMT_REPEATS + 100;
    (void)state;
    begin(0, 0, 32768);
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < all; i++)
            assert_true(fault(0, i % 7, 0x1000ull * i, i % 2));
    assert_int_equal(entries(), all + 2 * 100);
}

/* --- random ---------------------------------------------------------------------------------------- */

enum { ENTRIES = 64, RING = 0x2000, MOST = 512 };

static struct {
    struct mp_mgmt_fault fault[ENTRIES]; /* by index */
    enum mp_gpu_access access[ENTRIES];
    uint64_t ns[ENTRIES];
    unsigned get, put;
    struct mp_mgmt_fault known[MOST]; /* since their spaces' last replay */
    unsigned knows;
} model;

static uint64_t page_of(const struct mp_mgmt_fault *f)
{
    return f->va & -(f->asid == 1 ? 65536ull : 4096ull);
}

static bool is_known(const struct mp_mgmt_fault *f)
{
    for (unsigned i = 0; i < model.knows; i++) {
        const struct mp_mgmt_fault *k = &model.known[i];
        if (k->asid == f->asid && k->sm == f->sm && k->write == f->write && page_of(k) == page_of(f))
            return true;
    }
    return false;
}

static void some_fault(struct rng *r)
{
    const bool write = rng_percent(r, 40);
    const struct mp_mgmt_fault f = {.va = rng_below(r, 24) << 12 | rng_below(r, 4096),
                                    .entry = rng_below(r, 1000) * 8,
                                    .sm = (uint16_t)(rng_below(r, 4) * 21845),
                                    .asid = (uint8_t)rng_below(r, 2),
                                    .cause = MP_MGMT_CAUSE_NOT_VALID,
                                    .write = write};
    const enum mp_gpu_access access = !write               ? MP_GPU_ACCESS_READ
                                      : rng_percent(r, 50) ? MP_GPU_ACCESS_ATOMIC
                                                           : MP_GPU_ACCESS_WRITE;
    const bool known = is_known(&f), full = (model.put + 1) % ENTRIES == model.get;
    W4(INT_STATUS, 0, 0xf);
    b.now += rng_below(r, 1000);
    assert_int_equal(mp_mgmt_access_faulted(&b.m, &f, access), known || !full);
    assert_int_equal(R4(INT_STATUS, 0), known || full ? 0 : MP_GPU_INT_STATUS_FAULT);
    if (known || full)
        return;
    model.fault[model.put] = f;
    model.access[model.put] = access;
    model.ns[model.put] = b.now;
    model.put = (model.put + 1) % ENTRIES;
    model.known[model.knows++] = f;
}

static void some_replay(struct rng *r)
{
    const unsigned asid = (unsigned)rng_below(r, 2);
    unsigned left = 0;
    W4(FAULT_REPLAY, 0, asid);
    for (unsigned i = 0; i < model.knows; i++)
        if (model.known[i].asid != asid)
            model.known[left++] = model.known[i];
    model.knows = left;
}

/* As firmware does, or any index. */
static void some_take(struct rng *r)
{
    const unsigned index = (unsigned)rng_below(r, rng_percent(r, 90) ? ENTRIES : 2 * ENTRIES);
    const unsigned taken = (index - model.get) % ENTRIES, there = (model.put - model.get) % ENTRIES;
    const bool good = index < ENTRIES && taken <= there;
    for (unsigned i = 0; good && i < taken; i++)
        memset(b.memory + RING + (model.get + i) % ENTRIES * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST, 0,
               8);
    assert_int_equal(take(0, index), good ? MP_MGMT_OK : MP_MGMT_BAD_VALUE);
    if (good)
        model.get = index;
}

static void check(void)
{
    assert_int_equal(R4(FAULT_RING_GET, 0), model.get);
    assert_int_equal(R4(FAULT_RING_PUT, 0), model.put);
    for (unsigned i = 0; i < ENTRIES; i++) {
        const struct mp_gpu_fault_entry e = entry_at(RING, i);
        const struct mp_mgmt_fault *f = &model.fault[i];
        const bool valid = (i - model.get) % ENTRIES < (model.put - model.get) % ENTRIES;
        assert_int_equal((e.info & MP_GPU_RING_VALID) != 0, valid);
        if (!valid)
            continue;
        assert_int_equal(e.va, page_of(f));
        assert_int_equal(e.entry, f->entry);
        assert_int_equal(e.ns, model.ns[i]);
        assert_int_equal(e.info & 0xff, f->asid);
        assert_int_equal(e.info >> 8 & 0xffff, f->sm);
        assert_int_equal((e.info & MP_GPU_FAULT_ACCESS) >> MP_GPU_FAULT_ACCESS_LOW, model.access[i]);
    }
}

static void at_random(void **state)
{
    struct rng r = rng_start("fault rings", 1);
    (void)state;
    memset(&model, 0, sizeof model);
    assert_int_equal(begin(0, RING, ENTRIES), MP_MGMT_OK);
    assert_int_equal(begin(3, 2 * MEGABYTE, ENTRIES), MP_MGMT_OK); /* its faults enter no other ring */
    for (unsigned i = 0; i < 20000; i++) {
        const unsigned what = (unsigned)rng_below(&r, 100);
        if (what < 80)
            some_fault(&r);
        else if (what < 86)
            some_replay(&r);
        else if (what < 96)
            some_take(&r);
        else if (fault(5, 1, rng_below(&r, 1000) << 12, false))
            assert_int_equal(take(3, R4(FAULT_RING_PUT, 3)), MP_MGMT_OK);
        check();
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, bench_setup)
    const struct CMUnitTest tests[] = {
        TEST(where_a_ring_may_be), TEST(entries_have_all_of_a_fault), TEST(full_rings), TEST(repetitions),
        TEST(rings_that_end),      TEST(more_than_are_remembered),    TEST(resets),     TEST(at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
