/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of copy engines and of rings of faults: order, queues that are full, copies that fail, engines
 * that hang, valid bits that come late or never. */
#include "gpu_stub.h"

#include "ce.h"
#include "clint.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "recovery.h"
#include "rings.h"

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){5}, 100);
    recovery_init();
    gpu_init();
    gmmu_init();
    mig_init();
    assert_int_equal(ce_init(), FW_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

enum { PIECES = 200, PIECE = 64 };

/* More copies than a queue has room for, in both directions; the last has ended when all have. */
static void copies(void **state)
{
    (void)state;
    uint64_t out = 0, in = 0;
    bool lost = false;
    for (unsigned i = 0; i < PIECES * PIECE / 8; i++)
        gmem_write64(i * 8, i + 1);
    for (unsigned i = 0; i < PIECES; i++)
        out = ce_copy(MP_CE_OUT, i * PIECE, MP_CE_HOST + i * PIECE, PIECE, &lost);
    assert_int_equal(out, PIECES);
    assert_int_equal(ce_wait(MP_CE_OUT, out), FW_OK);
    for (unsigned i = 0; i < PIECES; i++)
        in = ce_copy(MP_CE_IN, MP_CE_HOST + i * PIECE, 0x100000 + i * PIECE, PIECE, &lost);
    in = ce_zero(0, PIECES * PIECE, &lost);
    assert_int_equal(ce_wait(MP_CE_IN, in), FW_OK);
    assert_false(lost);
    assert_int_equal(ce_copies(), 2 * PIECES + 1);
    for (unsigned i = 0; i < PIECES * PIECE / 8; i++) {
        assert_int_equal(gmem_read64(0x100000 + i * 8), i + 1);
        assert_int_equal(gmem_read64(i * 8), 0);
    }
}

/* One bus error is survived. Two of one copy lose it alone, and the others go on. */
static void errors(void **state)
{
    bool lost[4] = {false};
    (void)state;
    board.ce_errors = 1;
    assert_int_equal(ce_wait(MP_CE_OUT, ce_copy(MP_CE_OUT, 0, MP_CE_HOST, 64, &lost[0])), FW_OK);
    assert_int_equal(recovery_count(RECOVERY_BUS_ERROR), 1);
    board.ce_errors = 2;
    ce_copy(MP_CE_OUT, 0, MP_CE_HOST, 64, &lost[1]);
    gmem_write64(0, 77);
    const uint64_t last = ce_copy(MP_CE_OUT, 0, MP_CE_HOST + 64, 64, &lost[2]);
    assert_int_equal(ce_wait(MP_CE_OUT, last), FW_OK);
    assert_true(!lost[0] && lost[1] && !lost[2]);
    assert_int_equal(gmem_read64(MP_CE_HOST + 64), 77);
    assert_int_equal(ce_wait(MP_CE_IN, ce_copy(MP_CE_IN, 0, 4096, 64, &lost[3])), FW_OK); /* not the host's */
    assert_true(lost[3]);
}

/* The wait for an engine that hangs is bounded, and it takes nothing more. */
static void hangs(void **state)
{
    bool lost;
    (void)state;
    board.ce_hangs = true;
    const uint64_t before = clint_now(), fence = ce_copy(MP_CE_IN, MP_CE_HOST, 0, 64, &lost);
    assert_int_equal(ce_wait(MP_CE_IN, fence), FW_ETIMEOUT);
    assert_true(clint_now() - before < 300 * CLINT_TICKS_PER_MS);
    assert_int_equal(ce_copy(MP_CE_IN, MP_CE_HOST, 0, 64, &lost), 0);
    assert_int_equal(ce_init(), FW_EBUSY); /* its queue cannot be emptied */
    assert_int_equal(ce_copy(MP_CE_IN, MP_CE_HOST, 0, 64, &lost), 0);
    board.ce_hangs = false;
    assert_int_equal(ce_wait(MP_CE_OUT, ce_copy(MP_CE_OUT, 0, MP_CE_HOST, 64, &lost)), FW_OK);
    assert_int_equal(ce_init(), FW_OK); /* it went on meanwhile */
    assert_int_equal(ce_wait(MP_CE_IN, ce_copy(MP_CE_IN, MP_CE_HOST, 0, 64, &lost)), FW_OK);
}

/* 2^32 copies after the first, PUT of the engine that hangs is that of a new ring. */
static void hangs_with_put_0(void **state)
{
    static bool lost;
    (void)state;
    board.ce_hangs = true;
    assert_int_equal(ce_wait(MP_CE_IN, ce_copy(MP_CE_IN, MP_CE_HOST, 0, 64, &lost)), FW_ETIMEOUT);
    board.ce.engine[MP_CE_IN].put = 0;
    board.ce.value.PUT[MP_CE_IN] = 0;
    board.ce.value.GET[MP_CE_IN] = UINT32_MAX;
    assert_int_equal(ce_init(), FW_EBUSY);
    assert_int_equal(ce_copy(MP_CE_IN, MP_CE_HOST, 0, 64, &lost), 0);
}

/* --- rings ---------------------------------------------------------------------------------------- */

enum { ENTRIES = 64 };
static struct ring ring;

static int store(void *gpu, uint64_t address, const void *from, size_t bytes)
{
    (void)gpu;
    return mp_physmem_write(&gpu_stub.memory, address, from, bytes);
}

static int begin(void **state)
{
    setup(state);
    gpu_stub.operations.store = store;
    assert_int_equal(mig_create(0, 1), FW_OK);
    assert_int_equal(mig_space_open(0, 0, 65536), FW_OK);
    assert_int_equal(ring_begin(&ring, GPU_FAULTS, 0, mig_instance(0)->base + 0x10000, ENTRIES), FW_OK);
    return 0;
}

static bool fault(unsigned sm)
{
    const struct mp_mgmt_fault f = {.va = 0x40000000 + 65536ull * sm, .sm = (uint16_t)sm, .write = sm % 2};
    return mp_mgmt_faulted(&gpu_stub.mgmt, &f);
}

static void take(unsigned sm)
{
    struct mp_gpu_fault_entry e;
    assert_true(ring_take(&ring, true, &e));
    assert_int_equal(e.va, 0x40000000 + 65536ull * sm);
    assert_int_equal(e.info >> MP_GPU_FAULT_ACCESS_LOW & 3, MP_GPU_ACCESS_READ + sm % 2);
}

/* A full ring takes nothing until entries are given back; they come in their order, around its end. */
static void order(void **state)
{
    (void)state;
    unsigned entered = 0, taken = 0;
    for (unsigned round = 0; round < 5; round++) {
        while (fault(entered))
            entered++;
        assert_int_equal(ring_look(&ring), ENTRIES - 1);
        for (unsigned i = 0; i < 40; i++)
            take(taken++);
        assert_false(fault(entered));
        ring_release(&ring);
    }
    while (taken < entered)
        take(taken++);
    struct mp_gpu_fault_entry e;
    assert_false(ring_take(&ring, true, &e));
    assert_int_equal(ring.late, 0);
}

/* The first entry is awaited for a bounded time and then left out; another one ends the batch. */
static void valid_bits(void **state)
{
    (void)state;
    struct mp_gpu_fault_entry e;
    for (unsigned i = 0; i < 3; i++)
        assert_true(fault(i));
    const uint64_t second = ring.base + MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST,
                   info = gmem_read64(second);
    gmem_write64(second, info & ~MP_GPU_RING_VALID);
    assert_int_equal(ring_look(&ring), 3);
    take(0);
    assert_false(ring_take(&ring, false, &e));
    take(2);
    assert_int_equal(ring.lost, 1);
    assert_int_equal(recovery_count(RECOVERY_LOST_FAULT), 1);
    assert_false(ring_take(&ring, true, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(copies, setup, teardown),
        cmocka_unit_test_setup_teardown(errors, setup, teardown),
        cmocka_unit_test_setup_teardown(hangs, setup, teardown),
        cmocka_unit_test_setup_teardown(hangs_with_put_0, setup, teardown),
        cmocka_unit_test_setup_teardown(order, begin, teardown),
        cmocka_unit_test_setup_teardown(valid_bits, begin, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
