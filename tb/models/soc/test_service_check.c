/* SPDX-License-Identifier: Apache-2.0 */
/* What --check says of a service of faults and of copies, and what it lets pass. */
#include "ring_bench.h"

#include "soc/access_counters.h"
#include "soc/ce.h"
#include "soc/mgmt_parts.h"
#include "soc/service_check.h"

static struct mp_service_check check;
static char said[1024];
static unsigned times;

static void found(void *self, const char *why)
{
    (void)self;
    snprintf(said, sizeof said, "%s", why);
    times++;
}

static void bench_stop(void *self, unsigned instance)
{
    (void)self, (void)instance;
}

static int setup(void **state)
{
    bench_setup(state);
    memset(&check, 0, sizeof check);
    check.found = found;
    times = 0;
    b.m.check = &check;
    b.gpu.workloads = 1;
    b.gpu.stop = bench_stop;
    W8(FAULT_RING_BASE, 0, 0x1000);
    W4(FAULT_RING_ENTRIES, 0, 64);
    assert_int_equal(R4(FAULT_STATUS, 0), MP_MGMT_OK);
    W4(RUN_DOORBELL, 0, 7); /* workload 0 in space 0 */
    assert_int_equal(R4(RUN_STATUS, 0), MP_MGMT_OK);
    return 0;
}

static void faults(unsigned sm, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        const struct mp_mgmt_fault f = {.va = 4096ull * i, .sm = (uint16_t)sm};
        mp_mgmt_faulted(&b.m, &f);
    }
}

static void take_all(void)
{
    W4(FAULT_RING_GET, 0, R4(FAULT_RING_PUT, 0));
}

static void finds(const char *what)
{
    assert_int_equal(times, 1);
    if (!strstr(said, what))
        fail_msg("not '%s': %s", what, said);
    times = 0;
}

static void replays(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        faults(i, 10);
        take_all();
        W4(FAULT_REPLAY, 0, 0);
        W4(FAULT_REPLAY, 0, 1); /* of another space, the first time after something was taken */
    }
    faults(9, 1);
    W4(FAULT_REPLAY, 0, 0); /* the entry is still in the ring */
    take_all();
    W4(FAULT_REPLAY, 0, 0); /* as firmware cannot know that it was replayed */
    W4(FAULT_REPLAY, 0, 5); /* of an instance without a ring */
    W4(FAULT_REPLAY, 0, 5);
    W4(FAULT_REPLAY, 0, MP_GPU_FAULT_REPLAY_GIVE_UP);
    assert_int_equal(times, 0);
    W4(FAULT_REPLAY, 0, 0);
    finds("space 0 is replayed again");
}

/* Pages that notices have brought are what accesses may wait for. */
static void replays_after_notices(void **state)
{
    static struct mp_access_counters counters;
    (void)state;
    b.gpu.counters = &counters;
    W8(NOTICE_RING_BASE, 0, 0x2000);
    W4(NOTICE_RING_ENTRIES, 0, 64);
    assert_int_equal(R4(FAULT_STATUS, 0), MP_MGMT_OK);
    faults(0, 1);
    take_all();
    W4(FAULT_REPLAY, 0, 0);
    for (unsigned i = 0; i < 3; i++) {
        const struct mp_gpu_notice_entry notice = {.va = i << 21};
        assert_true(mp_mgmt_ring_enter(&b.m, &b.m.notice_ring[0], &notice));
        W4(NOTICE_RING_GET, 0, i + 1);
        W4(FAULT_REPLAY, 0, 0);
        assert_int_equal(times, 0);
    }
    W4(NOTICE_RING_GET, 0, 3); /* nothing */
    W4(FAULT_REPLAY, 0, 0);
    finds("space 0 is replayed again");
}

static uint64_t at_entry(uint64_t ring, unsigned index)
{
    return ring + (uint64_t)index * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST;
}

/* A valid bit is awaited, but not for ever. */
static void entries_before_their_valid_bits(void **state)
{
    const uint64_t soon = MP_SERVICE_PATIENCE_NS, never = soon + 1;
    (void)state;
    faults(0, 3);
    assert_true(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 2), never));
    assert_true(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 0), soon));
    b.memory[at_entry(0x1000, 0) + 7] = 0; /* firmware has seen it */
    W4(FAULT_RING_GET, 0, 2);
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 1), never));
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 64), soon)); /* of no ring */
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(0, 0), soon));
    assert_int_equal(times, 0);
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 1), soon));
    finds("entry 0x1 of the ring of faults was taken before its valid bit came");
    assert_true(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 2), soon));
    W4(FAULT_RING_GET, 0, 2);
    assert_int_equal(times, 0);
    W4(FAULT_RING_GET, 0, 3); /* and the bit is set */
    finds("entry 0x2 of the ring of faults was taken before its valid bit came, which was 10000 ns after the "
          "entry");
    W8(NOTICE_RING_BASE, 3, at_entry(b.m.value.MIG_BASE[3], 0) - MP_GPU_RING_LAST);
    b.gpu.counters = &(struct mp_access_counters){0};
    W4(NOTICE_RING_ENTRIES, 3, 64);
    assert_int_equal(R4(NOTICE_STATUS, 0), MP_MGMT_OK);
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(b.m.value.MIG_BASE[3], 5), soon));
    finds("entry 0x5 of the ring of notices was taken before its valid bit came");
    W4(FAULT_RING_ENTRIES, 0, 0);
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(0x1000, 1), soon));
    b.m.check = NULL;
    assert_false(mp_mgmt_becomes_valid(&b.m, at_entry(b.m.value.MIG_BASE[3], 5), soon));
    assert_int_equal(times, 0);
}

static void stops(void **state)
{
    (void)state;
    b.now = 5 * MP_SERVICE_LATE_NS;
    faults(0, 3);
    b.now += MP_SERVICE_LATE_NS - 1;
    W4(RUN_STOP, 0, 0); /* soon after the fault */
    assert_int_equal(times, 0);
    b.now++;
    W4(RUN_STOP, 0, 0);
    finds("the ring's GET, 0x0, has not moved for 1000 us; PUT is 0x3 of 0x40");
    take_all();
    W4(RUN_STOP, 0, 0);
    assert_int_equal(times, 0);
    b.now += 3 * MP_SERVICE_LATE_NS;
    W4(RUN_STOP, 0, 0);
    finds("3 of its accesses wait: their entries were taken from the ring, and there was no replay for 3000 "
          "us");
    W4(FAULT_REPLAY, 0, 0);
    b.now += 3 * MP_SERVICE_LATE_NS;
    W4(RUN_STOP, 0, 0); /* nothing waits */
    assert_int_equal(times, 0);
}

/* --- copies --------------------------------------------------------------------------------------- */

static struct mp_ce ce;
static struct mp_ce_descriptor ring[MP_CE_ENGINES][MP_CE_MOST];

static void started(void *self, unsigned e)
{
    uint32_t i;
    (void)self;
    while (mp_service_check_unseen(&check, &ce, e, &i))
        mp_service_check_copy(&check, &ce, e, &ring[e][i]);
}

static void write_ce(uint64_t offset, uint64_t value)
{
    assert_true(mp_regs_access(&ce.regs, offset, 4, true, &value));
}

static void begin_ring(unsigned e)
{
    write_ce(MP_CE_RING_ENTRIES + e * MP_CE_RING_ENTRIES_STRIDE, 4);
}

static int setup_copies(void **state)
{
    setup(state);
    ce = (struct mp_ce){.irq = {NULL, set_line, 9, false}, .started = started};
    mp_ce_init(&ce);
    begin_ring(MP_CE_IN);
    begin_ring(MP_CE_OUT);
    return 0;
}

static void queue(unsigned e, uint64_t source, uint64_t target, uint32_t bytes, uint32_t flags)
{
    const uint32_t put = ce.engine[e].put;
    ring[e][put % 4] = (struct mp_ce_descriptor){source, target, bytes, flags, put + 1};
    write_ce(MP_CE_PUT + e * MP_CE_PUT_STRIDE, put + 1);
}

static void end_copy(unsigned e)
{
    uint64_t at;
    assert_true(mp_ce_next(&ce, e, &at));
    mp_ce_ended(&ce, e, &ring[e][ce.value.GET[e] % 4], MP_CE_ERROR_NONE);
}

/* A replay after each block, while its pages come. */
static void replays_after_copies(void **state)
{
    (void)state;
    faults(0, 2);
    take_all();
    for (unsigned i = 0; i < 3; i++) {
        W4(FAULT_REPLAY, 0, 0);
        queue(MP_CE_IN, 0, 0x10000, 0x10000, MP_CE_ZERO);
        end_copy(MP_CE_IN);
    }
    W4(FAULT_REPLAY, 0, 0);
    assert_int_equal(times, 0);
    queue(MP_CE_OUT, 0x10000, MP_CE_HOST, 0x10000, 0); /* brings nothing */
    W4(FAULT_REPLAY, 0, 0);
    finds("nothing was taken from the rings or queued for the copy engine");
}

static void copies(void **state)
{
    const uint64_t host = MP_CE_HOST;
    (void)state;
    for (unsigned round = 0; round < 7; round++) { /* around the ends of the rings */
        queue(MP_CE_OUT, 0x10000, host + 0x10000, 0x10000, 0);
        queue(MP_CE_IN, host, 0x20000, 0x10000, 0); /* next to it */
        queue(MP_CE_IN, 0, 0, 0x10000, MP_CE_ZERO);
        assert_int_equal(times, 0);
        queue(MP_CE_IN, host + 0x40000, 0x1f000, 0x2000, 0);
        finds("which writes 0x2000 bytes at 0x1f000, and copy");
        end_copy(MP_CE_OUT);
        for (unsigned i = 0; i < 3; i++)
            end_copy(MP_CE_IN);
        queue(MP_CE_OUT, 0x10000, host + 0x10000, 0x10000, 0);
        queue(MP_CE_IN, host + 0x1f000, 0x40000, 0x1000, 0);
        finds("of engine IN is queued, which reads 0x1000 bytes at 0x1000001f000, and copy");
        end_copy(MP_CE_IN);
        queue(MP_CE_IN, 0, 0x1f000, 8, MP_CE_ZERO);
        finds("which writes 0x8 bytes at 0x1f000");
        end_copy(MP_CE_OUT);
        queue(MP_CE_OUT, 0x1e000, host + 0x80000, 0x2000, 0);
        finds("of engine OUT is queued, which reads 0x2000 bytes at 0x1e000");
        end_copy(MP_CE_OUT);
        end_copy(MP_CE_IN);
    }
    begin_ring(MP_CE_IN); /* empty again, from index 0 on */
    assert_false(mp_service_check_arrives(&check, &ce, 0, UINT32_MAX));
    queue(MP_CE_IN, 0, 0x30000, 0x10000, MP_CE_ZERO);
    assert_true(mp_service_check_arrives(&check, &ce, 0x3f000, 0x1000));
    assert_false(mp_service_check_arrives(&check, &ce, 0x40000, 0x1000));
    end_copy(MP_CE_IN);
    assert_false(mp_service_check_arrives(&check, &ce, 0x3f000, 0x1000));
    queue(MP_CE_IN, 0, 0x30000, 0x10000, MP_CE_ZERO | 8); /* is refused */
    assert_false(mp_service_check_arrives(&check, &ce, 0x3f000, 0x1000));
    assert_int_equal(times, 0);
    unmake(3); /* without a ring */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(replays, setup),
        cmocka_unit_test_setup(replays_after_notices, setup),
        cmocka_unit_test_setup(entries_before_their_valid_bits, setup),
        cmocka_unit_test_setup(stops, setup),
        cmocka_unit_test_setup(replays_after_copies, setup_copies),
        cmocka_unit_test_setup(copies, setup_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
