/* SPDX-License-Identifier: Apache-2.0 */
/* Managed memory whose pages stay on the host, thrash, or are replayed by other policies, and that of two
 * instances: data survives, pins end in time, and pools do not disturb each other. */
#include "managed_bench.h"

#include "clint.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "recovery.h"
#include "request.h"
#include "runner.h"
#include "uvm_space.h"

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
            managed_begin_setup(&pool);
            for (unsigned round = 0; round < 2; round++) {
                assert_int_equal(managed_run_all(), FW_OK);
                assert_int_equal(gpu_stub.waits, 0);
                gpu_stub_check();
                managed_write_what_is_there();
            }
            assert_true(uvm_counts(0)->remote > 0);
            notices += uvm_counts(0)->notices;
            noticed += uvm_counts(0)->noticed;
            managed_check_data();
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
            assert_int_equal(managed.counters.used, 0);
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
        managed_begin_setup(
            &(struct uvm_setup){.chunks = 4, .page_bytes = PAGE, .prefetch = 1, .replay = policy});
        for (unsigned i = 0; i < 300; i++)
            gpu_stub_access(i / 256, managed_page_of(i / 256, i % STUB_SPAN), i % 3, true);
        gpu_stub.operations.room(NULL); /* the faults enter the ring */
        uvm_service();
        assert_int_equal(gpu_stub.waits, 0);
        const struct uvm_counts *c = uvm_counts(0);
        assert_true(policy == FLUSH ? c->dropped > 0 : c->dropped == 0 && c->batches > 1);
        assert_true(policy == ONCE ? c->replays == SPACES : c->replays > SPACES);
        for (unsigned round = 0; round < 3; round++) {
            assert_int_equal(managed_run_all(), FW_OK);
            gpu_stub_check();
            managed_write_what_is_there();
        }
        managed_check_data();
        for (unsigned a = 0; a < SPACES; a++)
            assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
    }
    assert_int_equal(uvm_pool(0, &(struct uvm_setup){.chunks = 2, .page_bytes = PAGE, .replay = 4}),
                     FW_EINVAL);
}

/* Data survives if units leave ahead of need, or copies overlap, under all eviction designs. A chunk is free
 * after each run. */
static void early_evictions(void **state)
{
    (void)state;
    for (unsigned evict = 0; uvm_evict_name(evict); evict++)
        for (unsigned overlaps = 0; overlaps < 2; overlaps++) {
            const struct uvm_setup pool = {.chunks = 3,
                                           .page_bytes = PAGE,
                                           .prefetch = evict % 5,
                                           .evict = evict,
                                           .ahead = 1,
                                           .overlaps = overlaps};
            managed_begin_setup(&pool);
            for (unsigned round = 0; round < 2; round++) {
                assert_int_equal(managed_run_all(), FW_OK);
                assert_true(uvm_spare_frames(0) >= 1);
                gpu_stub_check();
                managed_write_what_is_there();
            }
            assert_true(uvm_counts(0)->ahead > 0);
            managed_check_data();
            for (unsigned a = 0; a < SPACES; a++)
                assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
        }
    assert_int_equal(uvm_pool(0, &(struct uvm_setup){.chunks = 2, .page_bytes = PAGE, .ahead = 2}),
                     FW_EINVAL);
    const struct uvm_setup overlaps = {.chunks = 3, .page_bytes = PAGE, .overlaps = true};
    assert_int_equal(uvm_pool(0, &overlaps), FW_OK);
    const uint64_t free = mig_instance(0)->frames.free;
    assert_int_equal(uvm_pool(0, &overlaps), FW_OK); /* the chunk of the additional unit came back */
    assert_int_equal(mig_instance(0)->frames.free, free);
}

static unsigned answers, refusals;

static void answered(void *self, unsigned instance, bool refused)
{
    (void)self, (void)instance;
    answers++;
    refusals += refused;
}

/* A launch asks that its host reads a range: managed pages of which that has a part go to the host. */
static void launches_let_the_host_read(void **state)
{
    const struct mp_mgmt_request read = {MP_MGMT_HOST_READ, 0, 0, managed_page_of(0, 0) - PAGE, 3 * PAGE + 1};
    struct gmmu_walk w;
    (void)state;
    gpu_stub.operations.answered = answered;
    answers = refusals = 0;
    assert_false(mp_mgmt_request(&gpu_stub.mgmt, &read)); /* there is no pool */
    managed_begin(4, 1, 0);                               /* tree would bring others along */
    assert_int_equal(managed_run_all(), FW_OK);
    const uint64_t before = uvm_counts(0)->host_moves;
    assert_true(mp_mgmt_request(&gpu_stub.mgmt, &read));
    request_service();
    assert_int_equal(answers, 1);
    assert_int_equal(refusals, 0);
    assert_int_equal(request_counts(0)->accessed, 1);
    assert_int_equal(uvm_counts(0)->host_moves - before, 3);
    for (unsigned i = 0; i < STUB_SPAN; i++) {
        assert_int_equal(gmmu_walk(0, managed_page_of(0, i), &w), FW_OK);
        assert_int_equal(w.mapped, i > 2);
    }
    managed_check_data();
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
    assert_int_equal(uvm_pool(0, &(struct uvm_setup){0}), FW_OK);
    assert_false(mp_mgmt_request(&gpu_stub.mgmt, &read));
}

/* The host and the GPU access a page by turns, until it is pinned: the GPU keeps an entry after the host. */
static void want_page(unsigned asid, unsigned page)
{
    struct gmmu_walk w = {0};
    for (unsigned i = 0; i < 30 && !w.mapped; i++) {
        gpu_stub_access(asid, managed_page_of(asid, page), true, true);
        gpu_stub.operations.room(NULL); /* the fault enters the ring */
        for (unsigned step = 0; step < 500 && gpu_stub.waits; step++) {
            board_step();
            runner_serve();
        }
        assert_int_equal(uvm_host(asid, managed_page_of(asid, page), PAGE), FW_OK);
        assert_int_equal(gmmu_walk(asid, managed_page_of(asid, page), &w), FW_OK);
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
    managed_begin_setup(&pool);
    assert_int_equal(runner_start(0, 1, 0), FW_OK); /* in the other space, for the whole time */
    gpu_stub.hangs = true;
    want_page(0, 3);
    assert_int_equal(gmmu_walk(0, managed_page_of(0, 3), &w), FW_OK);
    assert_true(w.mapped && !w.read_only && w.pa == uvm_host_address(0, managed_page_of(0, 3)));
    assert_true(uvm_counts(0)->held > 0 && uvm_counts(0)->naps > 0);
    assert_int_equal(uvm_counts(0)->unpinned, 0);
    clint_set(&end, clint_now() + PIN * LAPSE / 100 + 20);
    while (!end.rang && uvm_counts(0)->unpinned == 0)
        runner_serve_until(&end);
    assert_false(end.rang);
    clint_clear(&end);
    assert_int_equal(gmmu_walk(0, managed_page_of(0, 3), &w), FW_OK);
    assert_false(w.mapped);
    gpu_stub.hangs = false;
    assert_int_equal(runner_wait(), FW_OK);
    managed_check_data();
}

/* Over a coherent link, the page is pinned to the GPU, and the host accesses it there. */
static void pins_to_the_gpu(void **state)
{
    const struct uvm_setup pool = {.chunks = 2,
                                   .page_bytes = PAGE,
                                   .thrashing = {.events = 1,
                                                 .throttles = 1,
                                                 .lapse = 200000,
                                                 .nap = 1,
                                                 .epoch = 2000,
                                                 .pin = 0,
                                                 .coherent = true}};
    struct gmmu_walk w;
    (void)state;
    managed_begin_setup(&pool);
    assert_int_equal(runner_start(0, 1, 0), FW_OK); /* in the other space */
    gpu_stub.hangs = true;
    want_page(0, 3);
    assert_int_equal(gmmu_walk(0, managed_page_of(0, 3), &w), FW_OK);
    assert_true(w.mapped && w.pa < MP_CE_HOST);
    assert_int_equal(uvm_host_address(0, managed_page_of(0, 3)), w.pa);
    assert_true(uvm_host_address(0, managed_page_of(0, 4)) >= MP_CE_HOST);
    gpu_stub.hangs = false;
    assert_int_equal(runner_wait(), FW_OK);
    managed_check_data();
}

static enum mp_mgmt_status (*replay_at_once)(void *gpu, unsigned asid, bool give_up);

/* The board's clock stops while nothing sleeps, and an access that is held never sleeps. */
static enum mp_mgmt_status replay(void *gpu, unsigned asid, bool give_up)
{
    enum { TICKS = 50 };
    mp_clint_advance(&board.clint, board.clint.now + TICKS);
    return replay_at_once(gpu, asid, give_up);
}

/* Both processors want a few pages, while launches run: data survives under all migration policies, and a
 * page that is pinned to the host may be stored to. */
static void thrashing_under_migration_policies(void **state)
{
    uint64_t held = 0, naps = 0, unpinned = 0,
             writable = 0; /* pages of the host, under policies with counters */
    struct gmmu_walk w;
    struct rng rng = rng_start("pages that both want", 5);
    (void)state;
    replay_at_once = gpu_stub.operations.replay;
    gpu_stub.operations.replay = replay;
    for (unsigned migrate = 0; uvm_migrate_name(migrate); migrate++) {
        const struct uvm_setup pool = {
            .chunks = 2 + migrate % 2,
            .page_bytes = PAGE,
            .prefetch = migrate % 5,
            .evict = migrate,
            .migrate = migrate,
            .counter = 4,
            .replay = migrate % 4,
            .thrashing = {.events = 1, .throttles = 1, .lapse = 200000, .nap = 1, .epoch = 2000, .pin = 4}};
        managed_begin_setup(&pool);
        for (unsigned n = 0; n < 80; n++) {
            const unsigned a = rng_below(&rng, SPACES), page = rng_below(&rng, 2);
            if (!gpu_is_busy(0))
                assert_int_equal(runner_start(0, a, a), FW_OK);
            gpu_stub_access(a, managed_page_of(a, page), rng_percent(&rng, 70), true);
            for (unsigned step = rng_below(&rng, 30); step; step--)
                board_step();
            runner_serve();
            managed_write_what_is_there();
            assert_int_equal(uvm_host(a, managed_page_of(a, page), PAGE), FW_OK);
            managed_write_what_is_there();
            gpu_stub_check();
            assert_int_equal(gmmu_walk(a, managed_page_of(a, page), &w), FW_OK);
            writable += migrate > 1 && w.mapped && w.pa >= MP_CE_HOST && !w.read_only;
        }
        assert_int_equal(runner_wait(), FW_OK);
        for (unsigned step = 0; step < 1000 && gpu_stub.waits; step++) { /* of no launch */
            gpu_stub.operations.room(NULL);
            board_step();
            runner_serve();
        }
        assert_int_equal(gpu_stub.waits, 0);
        held += uvm_counts(0)->held;
        naps += uvm_counts(0)->naps;
        unpinned += uvm_counts(0)->unpinned;
        managed_check_data();
        for (unsigned a = 0; a < SPACES; a++)
            assert_int_equal(uvm_unmanage(a, managed_page_of(a, 0)), FW_OK);
    }
    print_message("%u held, %u naps, %u pins ended, %u writable\n", (unsigned)held, (unsigned)naps,
                  (unsigned)unpinned, (unsigned)writable);
    assert_true(held > 100 && naps > 3 && unpinned > 3 && writable > 3);
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

/* --- two instances, each with a pool --- */

enum { THERE = 2 }; /* the space of instance 1 */
static uint64_t expected_there[STUB_SPAN];

static void begin_there(const struct uvm_setup *pool)
{
    assert_int_equal(uvm_pool(1, pool), FW_OK);
    assert_int_equal(uvm_manage(THERE, managed_page_of(THERE, 0), BYTES, false), FW_OK);
    assert_int_equal(uvm_host(THERE, managed_page_of(THERE, 0), BYTES), FW_OK);
    for (unsigned i = 0; i < STUB_SPAN; i++)
        gmem_write64(uvm_host_address(THERE, managed_page_of(THERE, i)),
                     expected_there[i] = ++managed.writes);
}

static void check_there(void)
{
    assert_int_equal(uvm_host(THERE, managed_page_of(THERE, 0), BYTES), FW_OK);
    for (unsigned i = 0; i < STUB_SPAN; i++)
        assert_int_equal(gmem_read64(uvm_host_address(THERE, managed_page_of(THERE, i))), expected_there[i]);
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
    assert_int_equal(uvm_manage(THERE, managed_page_of(THERE, 0), BYTES, false),
                     FW_ENOENT); /* no pool there */
    managed_begin(2, 1, 3);
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
        assert_int_not_equal(uvm_host_address(0, managed_page_of(0, 0)),
                             uvm_host_address(THERE, managed_page_of(THERE, 0)));
        for (unsigned round = 0; round < 3; round++) {
            start_both();
            assert_int_equal(runner_wait(), FW_OK);
            gpu_stub_check();
            managed_write_what_is_there();
        }
        assert_true(uvm_counts(1)->batches > 0 && uvm_counts(0)->evictions > 0);
        check_there();
        assert_int_equal(runner_start(0, 0, 0), FW_OK); /* runs while the other pool ends */
        assert_int_equal(uvm_unmanage(THERE, managed_page_of(THERE, 0)), FW_OK);
        assert_int_equal(uvm_pool(1, &none), FW_OK);
        assert_int_equal(runner_wait(), FW_OK);
    }
    managed_check_data();
    begin_there(&(struct uvm_setup){.chunks = 3, .page_bytes = PAGE});
    board.ce_errors = 2;
    assert_int_equal(runner_start(1, THERE, 0), FW_OK);
    assert_int_equal(runner_wait(), FW_EFAULT);
    assert_int_equal(managed_run_all(), FW_OK);
    managed_check_data();
    check_there();
    assert_int_equal(uvm_counts(0)->absent, 0);
    assert_int_equal(mig_destroy(1), FW_OK); /* its pool ends; the other stays */
    assert_int_equal(mig_create(1, 3), FW_OK);
    assert_int_equal(mig_instance(1)->frames.free, memory);
    assert_int_equal(managed_run_all(), FW_OK);
    managed_check_data();
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
    managed_begin_setup(&pool);
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
    managed_check_data();
    check_there();
    assert_int_equal(mig_destroy(1), FW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_pools),
        TEST(pins_of_two_pools),
        TEST(pages_that_stay_on_the_host),
        TEST(gpus_without_host_memory),
        TEST(replays_by_policy),
        TEST(early_evictions),
        TEST(launches_let_the_host_read),
        TEST(pins_end_in_time),
        TEST(pins_to_the_gpu),
        TEST(thrashing_under_migration_policies),
        TEST(thrashing_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
