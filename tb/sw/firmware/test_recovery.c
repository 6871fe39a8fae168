/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of the hardware: what the drivers notice, and what they do about it. */
#include "gpu_stub.h"

#include "clint.h"
#include "cpu.h"
#include "dma.h"
#include "ecc.h"
#include "fault.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "io.h"
#include "mig.h"
#include "recovery.h"
#include "runner.h"
#include "watchdog.h"

enum { PAGE = 65536, ACCESSES = 500 };

static int setup(void **state)
{
    (void)state;
    board_reset();
    recovery_init();
    gpu_stub_reset((struct rng){5}, ACCESSES);
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    watchdog_init();
    mig_create(0, 3);
    mig_space_open(0, 0, PAGE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

static void map_all(void)
{
    assert_int_equal(gmmu_map(0, gpu_stub.base[0], (uint64_t)STUB_SPAN * PAGE), FW_OK);
}

static enum fw_error run(void)
{
    assert_int_equal(runner_start(0, 0, 1), FW_OK);
    return runner_wait();
}

/* --- interrupts ------------------------------------------------------------------------------------- */

static void lose(void *self, unsigned number, bool level)
{
    (void)self, (void)number, (void)level;
}

static void lost_interrupts(void **state)
{
    (void)state;
    map_all();
    gpu_stub.mgmt.queue.set = lose;
    assert_int_equal(run(), FW_OK);
    assert_int_equal(recovery_count(RECOVERY_LOST_INTERRUPT), 1);
    gpu_stub.mgmt.invalidate.set = lose;
    assert_int_equal(gmmu_forget(0, gpu_stub.base[0]), FW_OK);
    assert_int_equal(recovery_count(RECOVERY_LOST_INTERRUPT), 2);
    uint64_t from = 7, to = 0;
    board.dma.irq.set = lose;
    assert_int_equal(dma_copy(io_address(&from), io_address(&to), 8), FW_OK);
    assert_int_equal(to, 7);
    assert_int_equal(recovery_count(RECOVERY_LOST_INTERRUPT), 3);
    recovery_report();
    assert_non_null(
        strstr(board.text, "recovery: an interrupt was lost, and its event found by polling (2)\n"));
    board.length = 0;
    recovery_report(); /* nothing new */
    assert_int_equal(board.length, 0);
}

/* A source that does not rest is not taken any more, and its events are polled for. */
static void spurious_interrupts(void **state)
{
    (void)state;
    map_all();
    mp_plic_source(&board.plic, MP_GPU_QUEUE_IRQ, true);
    board_interrupts();
    assert_int_equal(recovery_count(RECOVERY_INTERRUPT_STORM), 1);
    assert_int_equal(recovery_count(RECOVERY_SPURIOUS_INTERRUPT), 100000);
    assert_int_equal(run(), FW_OK);
    assert_int_equal(recovery_count(RECOVERY_LOST_INTERRUPT), 1);
}

/* The copy has not ended. */
static void spurious_interrupt_of_a_copy(void **state)
{
    (void)state;
    static uint64_t from[1024], to[1024];
    from[1023] = 5;
    assert_int_equal(dma_start(io_address(from), io_address(to), sizeof from), FW_OK);
    bool before = cpu_lock();
    mp_plic_source(&board.plic, MP_DMA_IRQ, true);
    cpu_unlock(before);
    mp_plic_source(&board.plic, MP_DMA_IRQ, false);
    assert_true(recovery_count(RECOVERY_SPURIOUS_INTERRUPT) > 0);
    assert_int_equal(dma_wait(NULL), FW_OK);
    assert_int_equal(to[1023], 5);
}

/* --- the bus ---------------------------------------------------------------------------------------- */

static bool (*whole)(uint64_t address, unsigned width, bool write, uint64_t *data);
static unsigned failures;           /* of the next accesses */
static uint64_t unreadable = ~0ull; /* this address, until it is written */

static bool more(uint64_t address, unsigned width, bool write, uint64_t *data)
{
    if (failures && failures--)
        return false;
    if (address == unreadable && !write)
        return false;
    if (address == unreadable)
        unreadable = ~0ull;
    return whole(address, width, write, data);
}

static void bus_errors(void **state)
{
    (void)state;
    whole = board_more;
    board_more = more;
    failures = 1;
    BOARD_RUNS(assert_int_equal(gpu_slices(), 7));
    assert_int_equal(recovery_count(RECOVERY_BUS_ERROR), 1);
    board.clint.now += 5000; /* a later one has nothing to do with it */
    failures = 3;
    BOARD_RUNS(assert_int_equal(gpu_slices(), 7));
    assert_int_equal(recovery_count(RECOVERY_BUS_ERROR), 4);
    board.clint.now += 5000;
    failures = 5;
    BOARD_ENDS(gpu_slices(), 1);
    failures = 0;
    board_more = whole;
}

static void unreadable_words(void **state)
{
    (void)state;
    whole = board_more;
    board_more = more;
    gmem_write64(0x8000, 77);
    unreadable = gmem_address(0x8000);
    BOARD_RUNS(assert_int_equal(gmem_read64(0x8000), 0));
    assert_int_equal(recovery_count(RECOVERY_LOST_WORD), 1);
    gmem_write64(0x8000, 78);
    assert_int_equal(gmem_read64(0x8000), 78);
    BOARD_ENDS(gmem_read64(gpu_stub.memory.bytes), 1); /* there is none */
    assert_int_equal(recovery_count(RECOVERY_LOST_WORD), 1);
    board_more = whole;
}

/* --- what does not end ------------------------------------------------------------------------------ */

static void launches_that_hang(void **state)
{
    (void)state;
    map_all();
    gpu_stub.hangs = true;
    assert_int_equal(run(), FW_ESTOPPED);
    assert_int_equal(recovery_count(RECOVERY_RESTARTED_WALKS), 1);
    assert_int_equal(gpu_stub.restarts, 1);
    assert_int_equal(recovery_count(RECOVERY_STOPPED_LAUNCH), 1);
    gpu_stub.hangs = false;
    assert_int_equal(run(), FW_OK);
}

static void ignore(void *self, unsigned instance)
{
    (void)self, (void)instance;
}

static void launches_that_do_not_even_stop(void **state)
{
    (void)state;
    gpu_stub.hangs = true;
    gpu_stub.operations.stop = ignore;
    assert_int_equal(run(), FW_ETIMEOUT);
    assert_int_equal(runner_wait(), FW_OK); /* it is not waited for any more */
    assert_int_equal(mig_destroy(0), FW_EBUSY);
    mp_mgmt_ended(&gpu_stub.mgmt, 0, MP_MGMT_STOPPED); /* late, and of no launch that is waited for */
    assert_int_equal(runner_serve(), 0);
    assert_false(runner_busy());
}

static enum mp_mgmt_status never(void *self, const struct mp_mgmt_invalidation *what)
{
    (void)self, (void)what;
    return MP_MGMT_OK;
}

/* The frames stay taken. */
static void invalidations_that_do_not_end(void **state)
{
    (void)state;
    map_all();
    const uint64_t free = mig_instance(0)->frames.free;
    gpu_stub.operations.invalidate = never;
    assert_int_equal(gmmu_unmap(0, gpu_stub.base[0], PAGE), FW_ETIMEOUT);
    assert_int_equal(recovery_count(RECOVERY_LATE_INVALIDATION), 1);
    assert_int_equal(mig_instance(0)->frames.free, free);
}

/* --- errors of the memory --------------------------------------------------------------------------- */

static struct gmmu_walk walk_of(unsigned page)
{
    struct gmmu_walk w;
    assert_int_equal(gmmu_walk(0, gpu_stub.base[0] + (uint64_t)page * PAGE, &w), FW_OK);
    return w;
}

static void report(uint64_t address, bool poisoned, bool entry)
{
    const struct mp_mgmt_ecc error = {address, poisoned, entry};
    mp_mgmt_report_ecc(&gpu_stub.mgmt, &error);
    board_interrupts();
}

/* The page moves with its contents, and the old frame is not given away again. */
static void corrected_page(void **state)
{
    (void)state;
    map_all();
    const uint64_t old = walk_of(5).pa;
    gmem_write64(old + 0x1230, 99);
    report(old + 0x1230, false, false);
    runner_serve();
    const struct gmmu_walk w = walk_of(5);
    assert_true(w.mapped && w.pa != old);
    assert_int_equal(gmem_read64(w.pa + 0x1230), 99);
    assert_int_equal(recovery_count(RECOVERY_CORRECTED), 1);
    assert_int_equal(recovery_count(RECOVERY_RETIRED_FRAME), 1);
    assert_int_equal(run(), FW_OK);
    assert_int_equal(gmmu_unmap(0, gpu_stub.base[0], (uint64_t)STUB_SPAN * PAGE), FW_OK);
    assert_true(frames_taken(old));
    assert_int_equal(mig_destroy(0), FW_OK);
    assert_int_equal(mig_create(0, 3), FW_OK); /* all its memory is free, but for this frame */
    assert_true(frames_taken(old + 0x1000));
    assert_false(frames_taken(old));
    report(old + 0x1238, false, false); /* no page has it */
    runner_serve();
    assert_int_equal(recovery_count(RECOVERY_RETIRED_FRAME), 1);
}

/* Another root of page tables, as the space's frames have another colour. */
static void move_root(void)
{
    static const struct frames_colours colours = {2, {0x30000, 0x250000}};
    const uint64_t root = gmmu_space(0)->root;
    uint64_t va = 0;
    assert_int_equal(mig_colour(0, &colours, 15 & ~(1u << frames_colour_of(&colours, root))), FW_OK);
    while (va < 1ull << GMMU_VA_BITS)
        assert_int_equal(gmmu_recolour(0, &va, 100), FW_OK);
    assert_int_not_equal(gmmu_space(0)->root, root);
}

/* Its launch fails, also if it has ended already. */
static void poisoned_page(void **state)
{
    (void)state;
    map_all();
    gpu_stub.hangs = true;
    assert_int_equal(runner_start(0, 0, 1), FW_OK);
    report(walk_of(9).pa, true, false);
    assert_int_equal(runner_wait(), FW_ESTOPPED);
    assert_int_equal(recovery_count(RECOVERY_STOPPED_LAUNCH), 1);
    gpu_stub.hangs = false;
    assert_int_equal(run(), FW_EDATA); /* the data is still lost */
    move_root();
    assert_int_equal(run(), FW_EDATA);
    assert_int_equal(recovery_count(RECOVERY_LOST_PAGE), 1);
    assert_int_equal(mig_space_close(0), FW_OK);
    assert_int_equal(mig_space_open(0, 0, PAGE), FW_OK);
    map_all();
    assert_int_equal(run(), FW_OK);
}

static void lost_entries(void **state)
{
    (void)state;
    map_all();
    const struct gmmu_walk w = walk_of(3);
    report(w.at[0], false, true); /* corrected */
    ecc_service();
    assert_int_equal(recovery_count(RECOVERY_CORRECTED), 1);
    report(w.at[w.levels - 1], true, true);
    ecc_service();
    assert_false(walk_of(3).mapped);
    assert_int_equal(gmmu_space(0)->pages, STUB_SPAN - 1);
    assert_true(frames_taken(w.pa));
    report(w.at[w.levels - 2], true, true); /* a whole table */
    ecc_service();
    assert_true(gmmu_space(0)->pages < STUB_SPAN - 1);
    assert_int_equal(recovery_count(RECOVERY_LOST_ENTRY), 2);
    assert_int_equal(run(), FW_EFAULT);
    assert_int_equal(mig_destroy(0), FW_OK);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(lost_interrupts),
        TEST(spurious_interrupts),
        TEST(spurious_interrupt_of_a_copy),
        TEST(bus_errors),
        TEST(unreadable_words),
        TEST(launches_that_hang),
        TEST(launches_that_do_not_even_stop),
        TEST(invalidations_that_do_not_end),
        TEST(corrected_page),
        TEST(poisoned_page),
        TEST(lost_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
