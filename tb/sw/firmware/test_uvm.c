/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory on a GPU that accesses pages at any time: data survives all evictions; entries of the
 * ring that never become valid, copies that fail and engines that hang end in bounded time; all memory comes
 * back. */
#include "gpu_stub.h"

#include "clint.h"
#include "dma.h"
#include "fault.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "recovery.h"
#include "runner.h"
#include "soc/access_counters.h"
#include "uvm.h"
#include "watchdog.h"

enum { PAGE = 65536, ACCESSES = 600, SPACES = 2, BYTES = STUB_SPAN * PAGE };

static unsigned entries;   /* that the GPU has written into the ring */
static unsigned lost_each; /* each entry whose number is a multiple of this never becomes valid; 0: none */
static struct mp_access_counters counters;
static uint64_t expected[SPACES][STUB_SPAN], writes, all_memory;

static int store(void *gpu, uint64_t address, const void *from, size_t bytes)
{
    (void)gpu;
    if (bytes == 8 && lost_each && ++entries % lost_each == 0)
        return 0;
    return mp_physmem_write(&gpu_stub.memory, address, from, bytes);
}

static int setup(void **state)
{
    (void)state;
    lost_each = 0;
    board_reset();
    gpu_stub_reset(rng_start("firmware managed memory", 9), ACCESSES);
    gpu_stub.operations.store = store;
    gpu_stub.operations.sms = STUB_WAITING;
    gpu_stub.operations.host_bytes = MP_HOST_PAGES_BYTES;
    gpu_stub.operations.counters = &counters;
    assert_int_equal(mp_access_counters_init(&counters, 64), 0);
    mp_mgmt_init(&gpu_stub.mgmt);
    recovery_init();
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    runner_init();
    watchdog_init();
    uvm_init();
    assert_int_equal(mig_create(0, 3), FW_OK);
    all_memory = mig_instance(0)->frames.free;
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(mig_space_open(0, a, PAGE), FW_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lost_each = 0;
    board.ce_hangs = board.ce_in_hangs = false;
    for (unsigned i = 0; i < 1000; i++)
        board_step(); /* copies of an engine that hung */
    assert_int_equal(mig_destroy(0), FW_OK);
    assert_int_equal(mig_create(0, 3), FW_OK);
    assert_int_equal(mig_instance(0)->frames.free, all_memory);
    assert_int_equal(counters.used, 0);
    mp_access_counters_free(&counters);
    gpu_stub_free();
    return 0;
}

static uint64_t page_of(unsigned asid, unsigned page)
{
    return gpu_stub.base[asid] + (uint64_t)page * PAGE;
}

/* A pool, and a range in each space whose pages the host has written. */
static void begin_setup(const struct uvm_setup *pool)
{
    assert_int_equal(uvm_pool(0, pool), FW_OK);
    for (unsigned a = 0; a < SPACES; a++) {
        assert_int_equal(uvm_manage(a, page_of(a, 0), BYTES, false), FW_OK);
        assert_int_equal(uvm_host(a, page_of(a, 0), BYTES), FW_OK);
        for (unsigned i = 0; i < STUB_SPAN; i++)
            gmem_write64(uvm_host_address(a, page_of(a, i)), expected[a][i] = ++writes);
    }
}

static void begin(unsigned chunks, unsigned prefetch, unsigned evict)
{
    begin_setup(
        &(struct uvm_setup){.chunks = chunks, .page_bytes = PAGE, .prefetch = prefetch, .evict = evict});
}

/* As stores of the GPU, which has no data here. */
static void write_what_is_there(void)
{
    struct gmmu_walk w;
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned i = 0; i < STUB_SPAN; i++)
            if (!gmmu_walk(a, page_of(a, i), &w) && w.mapped) {
                assert_int_equal(gmem_read64(w.pa), expected[a][i]);
                if (!w.read_only)
                    gmem_write64(w.pa, expected[a][i] = ++writes);
            }
}

static void check_data(void)
{
    for (unsigned a = 0; a < SPACES; a++) {
        assert_int_equal(uvm_host(a, page_of(a, 0), BYTES), FW_OK);
        for (unsigned i = 0; i < STUB_SPAN; i++)
            assert_int_equal(gmem_read64(uvm_host_address(a, page_of(a, i))), expected[a][i]);
    }
}

static enum fw_error run_all(void)
{
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(runner_start(0, a, a), FW_OK);
    return runner_wait();
}

/* Two spaces of 4 MB and a pool of 4 or 6 MB, by all designs. */
static void evict_each_other(void **state)
{
    (void)state;
    for (unsigned prefetch = 0; uvm_prefetch_name(prefetch); prefetch++)
        for (unsigned evict = 0; uvm_evict_name(evict); evict++) {
            begin(2 + (prefetch + evict) % 2, prefetch, evict);
            for (unsigned round = 0; round < 3; round++) {
                assert_int_equal(run_all(), FW_OK);
                assert_int_equal(gpu_stub.waits, 0);
                gpu_stub_check();
                write_what_is_there();
            }
            assert_true(uvm_counts(0)->evictions > 0);
            check_data();
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
        }
    assert_int_equal(recovery_count(RECOVERY_LOST_FAULT), 0);
}

/* The same with all migration policies that leave pages on the host. */
static void pages_that_stay_on_the_host(void **state)
{
    uint64_t notices = 0, noticed = 0;
    (void)state;
    for (unsigned migrate = 1; uvm_migrate_name(migrate); migrate++)
        for (unsigned evict = 0; uvm_evict_name(evict); evict++) {
            const struct uvm_setup pool = {.chunks = 2 + evict % 2,
                                           .page_bytes = PAGE,
                                           .prefetch = (migrate + evict) % 5,
                                           .evict = evict,
                                           .migrate = migrate,
                                           .counter = 1 + 3 * (evict % 3),
                                           .granule_bytes = evict % 2 ? 65536 : 2097152};
            begin_setup(&pool);
            for (unsigned round = 0; round < 2; round++) {
                assert_int_equal(run_all(), FW_OK);
                assert_int_equal(gpu_stub.waits, 0);
                gpu_stub_check();
                write_what_is_there();
            }
            assert_true(uvm_counts(0)->remote > 0);
            notices += uvm_counts(0)->notices;
            noticed += uvm_counts(0)->noticed;
            check_data();
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
            assert_int_equal(counters.used, 0);
        }
    assert_true(notices > 100 && noticed > 100);
}

/* Data survives under all policies of replays. More accesses than a batch has wait at first, the last of them
 * in another space: a replay comes after the last batch, or after each. */
static void replays_by_policy(void **state)
{
    enum { FLUSH, BATCH, BLOCK, ONCE };
    (void)state;
    for (unsigned policy = FLUSH; uvm_replay_name(policy); policy++) {
        begin_setup(&(struct uvm_setup){.chunks = 4, .page_bytes = PAGE, .prefetch = 1, .replay = policy});
        for (unsigned i = 0; i < 300; i++)
            gpu_stub_access(i / 256, page_of(i / 256, i % STUB_SPAN), i % 3, true);
        gpu_stub.operations.room(NULL); /* the faults enter the ring */
        uvm_service();
        assert_int_equal(gpu_stub.waits, 0);
        const struct uvm_counts *c = uvm_counts(0);
        assert_true(policy == FLUSH ? c->dropped > 0 : c->dropped == 0 && c->batches > 1);
        assert_true(policy == ONCE ? c->replays == SPACES : c->replays > SPACES);
        for (unsigned round = 0; round < 3; round++) {
            assert_int_equal(run_all(), FW_OK);
            gpu_stub_check();
            write_what_is_there();
        }
        check_data();
        for (unsigned a = 0; a < SPACES; a++)
            assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
    }
    assert_int_equal(uvm_pool(0, &(struct uvm_setup){.chunks = 2, .page_bytes = PAGE, .replay = 4}),
                     FW_EINVAL);
}

/* The host and the GPU access a page by turns, until it is pinned to the host. */
static void want_page(unsigned asid, unsigned page)
{
    struct gmmu_walk w = {0};
    for (unsigned i = 0; i < 30 && !(w.mapped && w.pa >= MP_CE_HOST); i++) {
        gpu_stub_access(asid, page_of(asid, page), true, true);
        gpu_stub.operations.room(NULL); /* the fault enters the ring */
        for (unsigned step = 0; step < 500 && gpu_stub.waits; step++) {
            board_step();
            runner_serve();
        }
        assert_int_equal(uvm_host(asid, page_of(asid, page), PAGE), FW_OK);
        assert_int_equal(gmmu_walk(asid, page_of(asid, page), &w), FW_OK);
    }
}

/* The GPU accesses the page on the host until the pin ends: by the board's clock, and though nothing faults.
 */
static void pins_end_in_time(void **state)
{
    enum { LAPSE = 200000, PIN = 5 };
    const struct uvm_setup pool = {
        .chunks = 2,
        .page_bytes = PAGE,
        .thrashing = {.events = 1, .throttles = 1, .lapse = LAPSE, .nap = 1, .epoch = 2000, .pin = PIN}};
    struct clint_timer end;
    struct gmmu_walk w;
    (void)state;
    begin_setup(&pool);
    assert_int_equal(runner_start(0, 1, 0), FW_OK); /* in the other space, for the whole time */
    gpu_stub.hangs = true;
    want_page(0, 3);
    assert_int_equal(gmmu_walk(0, page_of(0, 3), &w), FW_OK);
    assert_true(w.mapped && !w.read_only && w.pa == uvm_host_address(0, page_of(0, 3)));
    assert_true(uvm_counts(0)->held > 0 && uvm_counts(0)->naps > 0);
    assert_int_equal(uvm_counts(0)->unpinned, 0);
    clint_set(&end, clint_now() + PIN * LAPSE / 100 + 20);
    while (!end.rang && uvm_counts(0)->unpinned == 0)
        runner_serve_until(&end);
    assert_false(end.rang);
    clint_clear(&end);
    assert_int_equal(gmmu_walk(0, page_of(0, 3), &w), FW_OK);
    assert_false(w.mapped);
    gpu_stub.hangs = false;
    assert_int_equal(runner_wait(), FW_OK);
    check_data();
}

/* What thrashing may not be: a nap that looks like a launch without progress; a GPU without the host's
 * memory. */
static void thrashing_that_is_refused(void **state)
{
    struct uvm_setup pool = {.chunks = 2, .page_bytes = PAGE, .thrashing = UVM_THRASHING_USUAL};
    (void)state;
    pool.thrashing.events = 8;
    assert_int_equal(uvm_pool(0, &pool), FW_EINVAL);
    pool.thrashing.events = 3;
    pool.thrashing.nap = 21;
    assert_int_equal(uvm_pool(0, &pool), FW_EINVAL);
    pool.thrashing.nap = 20;
    assert_int_equal(uvm_pool(0, &pool), FW_OK);
    gpu_stub.mgmt.value.HOST_BYTES[0] = 0;
    assert_int_equal(uvm_pool(0, &pool), FW_EUNSUPPORTED);
}

/* A GPU that does not access the host's memory has the policy that needs none. */
static void gpus_without_host_memory(void **state)
{
    const struct uvm_setup pool = {.chunks = 2, .page_bytes = PAGE, .migrate = 2};
    (void)state;
    gpu_stub.mgmt.value.HOST_BYTES[0] = 0;
    assert_int_equal(uvm_pool(0, &pool), FW_EUNSUPPORTED);
}

static void entries_that_never_come(void **state)
{
    (void)state;
    lost_each = 7;
    begin(2, 1, 0);
    assert_int_equal(run_all(), FW_OK);
    assert_true(recovery_count(RECOVERY_LOST_FAULT) > 0);
    check_data();
}

/* A counter whose notice was lost gives another one. */
static void notices_that_never_come(void **state)
{
    const struct uvm_setup pool = {.chunks = 2, .page_bytes = PAGE, .migrate = 2, .counter = 2};
    (void)state;
    lost_each = 3;
    begin_setup(&pool);
    for (unsigned round = 0; round < 3; round++)
        assert_int_equal(run_all(), FW_OK);
    assert_true(recovery_count(RECOVERY_LOST_FAULT) > 0);
    assert_true(uvm_counts(0)->notices > 0);
    uvm_service();
    for (uint32_t i = 0; i < counters.slots; i++)
        assert_false(counters.at[i].noticed);
    check_data();
}

/* One bus error is survived. A copy that has failed twice leaves its pages out: no entry leads to what did
 * not arrive, accesses are given up, and the host has the data. When the pages have left, they may come
 * again. */
static void copies_that_fail(void **state)
{
    struct gmmu_walk w;
    (void)state;
    begin(4, 0, 0);
    board.ce_errors = 1;
    assert_int_equal(run_all(), FW_OK);
    check_data();
    board.ce_errors = 2;
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(uvm_counts(0)->absent > 0 && uvm_counts(0)->cancelled > 0);
    assert_int_equal(gpu_stub.waits, 0);
    unsigned mapped = 0;
    for (unsigned i = 0; i < STUB_SPAN; i++) {
        assert_int_equal(gmmu_walk(0, page_of(0, i), &w), FW_OK);
        mapped += w.mapped;
    }
    assert_true(mapped < STUB_SPAN);
    write_what_is_there();
    check_data(); /* they leave */
    assert_int_equal(run_all(), FW_OK);
    check_data();
}

/* The same of pages that are nowhere: the host has zeros. */
static void zeroing_that_fails(void **state)
{
    (void)state;
    begin(4, 0, 0);
    assert_int_equal(uvm_unmanage(0, page_of(0, 0)), FW_OK);
    for (unsigned i = 0; i < STUB_SPAN; i++) /* of another life */
        gmem_write64(MP_CE_HOST + (uint64_t)i * PAGE, 99);
    assert_int_equal(uvm_manage(0, page_of(0, 0), BYTES, false), FW_OK);
    board.ce_errors = 2;
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_true(uvm_counts(0)->absent > 0);
    memset(expected[0], 0, sizeof expected[0]);
    check_data();
}

static void engines_that_hang(void **state)
{
    (void)state;
    begin(2, 0, 0);
    board.ce_hangs = true;
    const uint64_t before = clint_now();
    assert_int_equal(run_all(), FW_EFAULT);
    assert_true(clint_now() - before < 1000 * CLINT_TICKS_PER_MS);
    assert_int_equal(gpu_stub.waits, 0);
}

static enum mp_mgmt_status never_ends(void *gpu, const struct mp_mgmt_invalidation *what)
{
    (void)gpu;
    gpu_stub.invalidation = *what;
    return MP_MGMT_OK;
}

/* The range stays as it is, and goes when the GPU has ended the invalidation at last. */
static void an_invalidation_that_never_ends(void **state)
{
    (void)state;
    begin(2, 0, 0);
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_OK);
    enum mp_mgmt_status (*ends)(void *, const struct mp_mgmt_invalidation *) = gpu_stub.operations.invalidate;
    gpu_stub.operations.invalidate = never_ends;
    const uint64_t before = clint_now();
    assert_int_equal(uvm_unmanage(0, page_of(0, 0)), FW_ETIMEOUT);
    assert_true(clint_now() - before < 1000 * CLINT_TICKS_PER_MS);
    assert_int_not_equal(uvm_host_address(0, page_of(0, 0)), 0);
    gpu_stub.operations.invalidate = ends;
    gpu_stub.invalidation_left = 1;
    board_step();
    assert_int_equal(uvm_unmanage(0, page_of(0, 0)), FW_OK);
    assert_int_equal(uvm_host_address(0, page_of(0, 0)), 0);
    assert_int_equal(uvm_manage(0, page_of(0, 0), BYTES, false), FW_OK);
    assert_int_equal(run_all(), FW_OK);
}

/* The same while pages are evicted: their frames stay taken until the GPU has ended the invalidation, and the
 * next range begins the pool anew. */
static void an_eviction_that_never_ends(void **state)
{
    const struct uvm_setup none = {0};
    (void)state;
    begin(2, 0, 0);
    assert_int_equal(run_all(), FW_OK);
    const uint64_t free = mig_instance(0)->frames.free;
    enum mp_mgmt_status (*ends)(void *, const struct mp_mgmt_invalidation *) = gpu_stub.operations.invalidate;
    gpu_stub.operations.invalidate = never_ends;
    assert_int_equal(run_all(), FW_EFAULT);
    assert_int_equal(uvm_manage(0, page_of(4, 0), PAGE, false), FW_ETIMEOUT);
    assert_int_equal(uvm_pool(0, &none), FW_EBUSY);
    assert_int_equal(uvm_forget(0) && uvm_forget(1), true);
    assert_int_equal(mig_instance(0)->frames.free, free);
    gpu_stub.operations.invalidate = ends;
    gpu_stub.invalidation_left = 1;
    board_step();
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_manage(a, page_of(a, 0), BYTES, false), FW_OK);
    assert_int_equal(run_all(), FW_OK);
    assert_int_equal(gpu_stub.waits, 0);
}

/* All SMs want one page, which is served once. */
static void a_storm_of_one_page(void **state)
{
    (void)state;
    begin(2, 0, 0);
    const uint64_t entries = uvm_counts(0)->entries;
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    for (unsigned i = 0; i < STUB_WAITING / 2; i++)
        gpu_stub_access(0, page_of(0, 3), i % 2, true);
    assert_int_equal(runner_wait(), FW_OK);
    assert_int_equal(gpu_stub.waits, 0);
    assert_true(uvm_counts(0)->entries - entries >= STUB_WAITING / 2);
    assert_true(uvm_counts(0)->duplicates + uvm_counts(0)->dropped >= STUB_WAITING / 2 - 1);
    check_data();
}

/* The host's access returns that a page has lost its data. */
static void copies_to_the_host_that_fail(void **state)
{
    (void)state;
    begin(2, 0, 0);
    assert_int_equal(run_all(), FW_OK);
    board.ce_errors = 2;
    enum fw_error e = FW_OK;
    for (unsigned a = 0; a < SPACES && !e; a++)
        e = uvm_host(a, page_of(a, 0), BYTES);
    assert_int_equal(e, FW_EDATA);
}

/* Frames that have not received their pages are not copied over those of the host. */
static void an_engine_to_the_gpu_that_hangs(void **state)
{
    (void)state;
    begin(2, 0, 0);
    board.ce_in_hangs = true;
    assert_int_equal(run_all(), FW_EFAULT);
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned i = 0; i < STUB_SPAN; i++)
            assert_int_equal(gmem_read64(uvm_host_address(a, page_of(a, i))), expected[a][i]);
}

/* The pool keeps memory that an engine may still write. */
static void a_pool_ends_after_its_copies(void **state)
{
    const struct uvm_setup none = {0};
    (void)state;
    begin(2, 0, 0);
    board.ce_in_hangs = true;
    assert_int_equal(run_all(), FW_EFAULT);
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_unmanage(a, page_of(a, 0)), FW_OK);
    assert_int_equal(uvm_pool(0, &none), FW_EBUSY);
    board.ce_in_hangs = false;
    for (unsigned i = 0; i < 1000; i++)
        board_step();
    assert_int_equal(uvm_pool(0, &none), FW_OK);
}

/* A pool for which there is no room leaves the one that there is. */
static void a_pool_that_is_too_large(void **state)
{
    const struct uvm_setup small = {.chunks = 2, .page_bytes = PAGE},
                           large = {.chunks = 4, .page_bytes = PAGE};
    uint64_t pa;
    (void)state;
    assert_int_equal(uvm_pool(0, &small), FW_OK);
    assert_int_equal(uvm_manage(0, page_of(0, 0), BYTES, false), FW_OK); /* its tables are there */
    assert_int_equal(uvm_unmanage(0, page_of(0, 0)), FW_OK);
    while (mig_take(0, 2097152, &pa) == FW_OK)
        continue;
    assert_int_equal(uvm_pool(0, &large), FW_ENOMEM);
    assert_int_equal(uvm_manage(0, page_of(0, 0), BYTES, false), FW_OK);
}

/* Ranges come and go while the others' launches run. */
static void ranges_come_and_go(void **state)
{
    (void)state;
    assert_int_equal(uvm_host(0, page_of(0, 0), PAGE), FW_ENOENT); /* there is no pool */
    begin(2, 0, 0);
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(runner_start(0, 0, 0), FW_OK);
        assert_int_equal(uvm_unmanage(0, page_of(0, 0)), FW_EBUSY);
        assert_int_equal(uvm_unmanage(1, page_of(1, 0)), FW_OK);
        assert_int_equal(uvm_unmanage(1, page_of(1, 0)), FW_ENOENT);
        assert_int_equal(uvm_manage(1, page_of(1, 0), BYTES, false), FW_OK);
        assert_int_equal(uvm_manage(1, page_of(1, 1), PAGE, false), FW_EBUSY);
        assert_int_equal(runner_wait(), FW_OK);
        assert_int_equal(runner_start(0, 1, 0), FW_OK);
        assert_int_equal(runner_wait(), FW_OK);
    }
    gpu_stub_check();
}

/* --- two instances, each with a pool --- */

enum { THERE = 2 }; /* the space of instance 1 */
static uint64_t expected_there[STUB_SPAN];

static void begin_there(const struct uvm_setup *pool)
{
    assert_int_equal(uvm_pool(1, pool), FW_OK);
    assert_int_equal(uvm_manage(THERE, page_of(THERE, 0), BYTES, false), FW_OK);
    assert_int_equal(uvm_host(THERE, page_of(THERE, 0), BYTES), FW_OK);
    for (unsigned i = 0; i < STUB_SPAN; i++)
        gmem_write64(uvm_host_address(THERE, page_of(THERE, i)), expected_there[i] = ++writes);
}

static void check_there(void)
{
    assert_int_equal(uvm_host(THERE, page_of(THERE, 0), BYTES), FW_OK);
    for (unsigned i = 0; i < STUB_SPAN; i++)
        assert_int_equal(gmem_read64(uvm_host_address(THERE, page_of(THERE, i))), expected_there[i]);
}

static void start_both(void)
{
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(runner_start(1, THERE, 0), FW_OK);
}

/* Pools of other designs come and go, and copies fail, while the other instance is served. */
static void two_pools(void **state)
{
    const struct uvm_setup none = {0};
    (void)state;
    assert_int_equal(mig_create(1, 3), FW_OK);
    const uint64_t memory = mig_instance(1)->frames.free;
    assert_int_equal(mig_space_open(1, THERE, PAGE), FW_OK);
    assert_int_equal(uvm_manage(THERE, page_of(THERE, 0), BYTES, false), FW_ENOENT); /* no pool there */
    begin(2, 1, 3);
    for (unsigned i = 0; i < 6; i++) {
        const struct uvm_setup pool = {.chunks = 1 + i % 2,
                                       .page_bytes = PAGE,
                                       .prefetch = i % 5,
                                       .evict = i,
                                       .replay = i % 4,
                                       .migrate = i % 3,
                                       .thrashing = i % 2 ? UVM_THRASHING_USUAL : (struct uvm_thrashing){0}};
        begin_there(&pool);
        assert_int_equal(uvm_pool(1, &pool), FW_EBUSY);
        assert_int_not_equal(uvm_host_address(0, page_of(0, 0)), uvm_host_address(THERE, page_of(THERE, 0)));
        for (unsigned round = 0; round < 3; round++) {
            start_both();
            assert_int_equal(runner_wait(), FW_OK);
            gpu_stub_check();
            write_what_is_there();
        }
        assert_true(uvm_counts(1)->batches > 0 && uvm_counts(0)->evictions > 0);
        check_there();
        assert_int_equal(runner_start(0, 0, 0), FW_OK); /* runs while the other pool ends */
        assert_int_equal(uvm_unmanage(THERE, page_of(THERE, 0)), FW_OK);
        assert_int_equal(uvm_pool(1, &none), FW_OK);
        assert_int_equal(runner_wait(), FW_OK);
    }
    check_data();
    begin_there(&(struct uvm_setup){.chunks = 3, .page_bytes = PAGE});
    board.ce_errors = 2;
    assert_int_equal(runner_start(1, THERE, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_int_equal(run_all(), FW_OK);
    check_data();
    check_there();
    assert_int_equal(uvm_counts(0)->absent, 0);
    assert_int_equal(mig_destroy(1), FW_OK); /* its pool ends; the other stays */
    assert_int_equal(mig_create(1, 3), FW_OK);
    assert_int_equal(mig_instance(1)->frames.free, memory);
    assert_int_equal(run_all(), FW_OK);
    check_data();
    assert_int_equal(mig_destroy(1), FW_OK);
}

/* Each pool's pins end in time, also while the other's is served. */
static void pins_of_two_pools(void **state)
{
    const struct uvm_setup pool = {
        .chunks = 2,
        .page_bytes = PAGE,
        .thrashing = {.events = 1, .throttles = 1, .lapse = 100000, .nap = 1, .epoch = 2000, .pin = 20}};
    struct clint_timer end;
    (void)state;
    assert_int_equal(mig_create(1, 3), FW_OK);
    assert_int_equal(mig_space_open(1, THERE, PAGE), FW_OK);
    begin_setup(&pool);
    begin_there(&pool);
    assert_int_equal(runner_start(0, 1, 0), FW_OK);
    assert_int_equal(runner_start(1, THERE, 0), FW_OK);
    gpu_stub.hangs = true;
    want_page(0, 3);
    want_page(THERE, 5);
    assert_true(uvm_counts(0)->naps > 0 && uvm_counts(1)->naps > 0);
    clint_set(&end, clint_now() + 20 * 1000 + 100);
    while (!end.rang)
        runner_serve_until(&end);
    clint_clear(&end);
    assert_int_equal(uvm_counts(0)->unpinned, 1);
    assert_int_equal(uvm_counts(1)->unpinned, 1);
    gpu_stub.hangs = false;
    assert_int_equal(runner_wait(), FW_OK);
    check_data();
    check_there();
    assert_int_equal(mig_destroy(1), FW_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(evict_each_other),
        TEST(entries_that_never_come),
        TEST(copies_that_fail),
        TEST(zeroing_that_fails),
        TEST(engines_that_hang),
        TEST(ranges_come_and_go),
        TEST(an_invalidation_that_never_ends),
        TEST(an_eviction_that_never_ends),
        TEST(two_pools),
        TEST(pins_of_two_pools),
        TEST(a_storm_of_one_page),
        TEST(pages_that_stay_on_the_host),
        TEST(gpus_without_host_memory),
        TEST(replays_by_policy),
        TEST(pins_end_in_time),
        TEST(thrashing_that_is_refused),
        TEST(notices_that_never_come),
        TEST(copies_to_the_host_that_fail),
        TEST(an_engine_to_the_gpu_that_hangs),
        TEST(a_pool_ends_after_its_copies),
        TEST(a_pool_that_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
