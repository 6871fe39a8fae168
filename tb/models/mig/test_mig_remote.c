/* SPDX-License-Identifier: Apache-2.0 */
/* Launches whose pages are in the host's memory, the counters of their accesses there, and the lines of
 * copies. */
#include "mig_bench.h"

#include "host/host.h"
#include "soc/gpu_ring.h"

#define WHOLE (2 * 12 * 3 * 20) /* accesses of workload 0 */
#define RING  (2 * MB)          /* behind tables and pages */
#define BIG   65536ull

enum { BIG_PAGES = BIG / PAGE, BIGS = PAGES / BIG_PAGES };

static struct table table;

/* Is connected between each SM and its L1 data cache, and counts lines of the host's memory. */
static struct spy {
    struct mp_target cache;
} spies[SLICE_SMS];
static uint64_t remote_lines;

static enum mp_answer look(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    const struct spy *s = self;
    (void)port;
    remote_lines += req->pa >= MP_HOST_MEMORY;
    return s->cache.request(s->cache.self, s->cache.port, req, delay);
}

static uint32_t configure(uint32_t config)
{
    w8(MP_GPU_AS_ROOT, table.root);
    w4(MP_GPU_AS_CONFIG, MP_GPU_AS_CONFIG_VALID | config);
    W4(AS_COMMIT, 0);
    return R4(AS_STATUS);
}

static uint32_t begin_ring(uint32_t entries)
{
    w8(MP_GPU_NOTICE_RING_BASE, r8(MP_GPU_MIG_BASE) + RING);
    w4(MP_GPU_NOTICE_RING_ENTRIES, entries);
    return R4(NOTICE_STATUS);
}

/* An instance of one slice with a space that has all its pages on the host. */
static void ready(uint32_t config)
{
    set_up_host();
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    table_make(&table, 0);
    for (uint64_t p = 0; p < PAGES; p++)
        table_map(&table, HEAP + p * PAGE, MP_HOST_MEMORY + p * PAGE);
    assert_int_equal(configure(config), MP_MGMT_OK);
    remote_lines = 0;
    for (unsigned k = 0; k < SLICE_SMS; k++) {
        struct mp_sm *sm = mp_mig_sm(&b.gpu, k);
        spies[k].cache = sm->data.out.target;
        sm->data.out.target = mp_target_of(look, &spies[k], 0);
    }
}

static uint64_t host_lines(void)
{
    for (uint32_t i = 0; i < b.gpu.plan.blocks; i++)
        if (b.gpu.plan.block[i].kind == &mp_host_kind) {
            const struct mp_host *host = b.gpu.model[i];
            return host->stats[0].reads + host->stats[0].writes;
        }
    return 0;
}

static void done(enum mp_mgmt_status status)
{
    assert_int_equal(R4(DONE_COUNT), 1);
    assert_int_equal(R4(DONE_STATUS), status);
    W4(DONE_POP, 1);
}

static struct mp_gpu_notice_entry notice(uint32_t index)
{
    struct mp_gpu_notice_entry n;
    const uint64_t at = r8(MP_GPU_MIG_BASE) + RING + (uint64_t)index * MP_GPU_RING_ENTRY_BYTES;
    mp_physmem_read(&b.gpu.memory, at, &n, sizeof n);
    return n;
}

static void clear(uint64_t va)
{
    W8(COUNT_VA, va);
    W4(COUNT_CLEAR, 0);
    assert_int_equal(R4(NOTICE_STATUS), MP_MGMT_OK);
}

/* All accesses of a launch fault so; returns after its end. */
static void faults_as(enum mp_mgmt_cause cause, unsigned level)
{
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    assert_true(R4(FAULT_COUNT) > 0);
    for (; R4(FAULT_COUNT); W4(FAULT_POP, 1)) {
        assert_int_equal((R4(FAULT_INFO) & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW, cause);
        assert_int_equal(R4(FAULT_INFO) >> MP_GPU_FAULT_INFO_LEVEL_LOW, level);
    }
    assert_int_equal(replay(0, true), MP_MGMT_OK);
    settle();
    done(MP_MGMT_FAULTED);
    assert_int_equal(host_lines(), 0);
}

static void only_pages_of_spaces_that_may(void **state)
{
    (void)state;
    ready(0);
    const uint64_t bytes = R8(HOST_BYTES), root = table.root + 8 * (HEAP >> 39);
    assert_true(bytes > 0);
    faults_as(MP_MGMT_CAUSE_OUTSIDE, 3);
    assert_int_equal(configure(MP_GPU_AS_CONFIG_REMOTE), MP_MGMT_OK);
    for (uint64_t p = 0; p < PAGES; p++) /* the first page that is not there any more */
        table_map(&table, HEAP + p * PAGE, MP_HOST_MEMORY + bytes);
    faults_as(MP_MGMT_CAUSE_OUTSIDE, 3);
    const uint64_t entry = mp_physmem_read64(&b.gpu.memory, root);
    mp_physmem_write64(&b.gpu.memory, root, MP_HOST_MEMORY | MP_PTE_VALID);
    invalidate(MP_MGMT_ALL | MP_GPU_INV_COMMAND_WALK_CACHE, 0, 0);
    settle();
    faults_as(MP_MGMT_CAUSE_OUTSIDE, 0);
    mp_physmem_write64(&b.gpu.memory, root, entry);
    for (uint64_t p = 0; p < PAGES; p++) /* the last ones that are there */
        table_map(&table, HEAP + p * PAGE, MP_HOST_MEMORY + bytes - (PAGES - p) * PAGE);
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    done(MP_MGMT_OK);
    assert_true(remote_lines > 0);
    assert_int_equal(host_lines(), remote_lines);
}

/* A space gets the right to map the host's memory while a launch waits. */
static void may_change_while_a_launch_runs(void **state)
{
    (void)state;
    ready(0);
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    assert_int_equal(configure(MP_GPU_AS_CONFIG_REMOTE), MP_MGMT_OK);
    while (R4(FAULT_COUNT))
        W4(FAULT_POP, 1);
    assert_int_equal(replay(0, false), MP_MGMT_OK);
    settle();
    done(MP_MGMT_OK);
    assert_int_equal(host_lines(), remote_lines);
}

/* Every line is counted, in the granule of its virtual address. */
static void counts_each_line(void **state)
{
    uint64_t counted = 0;
    (void)state;
    ready(MP_GPU_AS_CONFIG_REMOTE);
    W4(INT_ENABLE, MP_GPU_INT_STATUS_NOTICE);
    W4(COUNT_GRANULE, MP_MGMT_GRANULE_64K);
    W4(COUNT_THRESHOLD, 9);
    assert_int_equal(begin_ring(64), MP_MGMT_OK);
    assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
    settle();
    done(MP_MGMT_OK);
    assert_int_equal(R4(NOTICE_RING_PUT), BIGS);
    assert_true(b.line[2]);
    for (uint32_t i = 0, seen = 0; i < BIGS; i++) {
        const struct mp_gpu_notice_entry n = notice(i);
        const uint32_t big = (uint32_t)((n.va - HEAP) / BIG);
        assert_true(big < BIGS && !(seen >> big & 1) && n.va % BIG == 0);
        seen |= 1u << big;
        assert_int_equal(n.info, MP_GPU_RING_VALID);
        assert_int_equal(n.met, 1ull << big | 9ull << MP_GPU_NOTICE_COUNT_LOW);
        assert_in_range(n.ns, 1, b.wheel.now); /* cycles of 1 ns */
    }
    for (uint32_t i = 0; i < b.gpu.counters.slots; i++)
        counted += b.gpu.counters.at[i].count;
    assert_int_equal(counted, remote_lines);
    assert_int_equal(host_lines(), remote_lines);
    W4(AS_CONFIG, 0);
    W4(AS_COMMIT, 0);
    assert_int_equal(b.gpu.counters.used, 0);
}

static void without_host_memory(void **state)
{
    (void)state;
    set_up(3);
    assert_int_equal(R8(HOST_BYTES), 0);
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    table_make(&table, 0);
    assert_int_equal(configure(MP_GPU_AS_CONFIG_REMOTE), MP_MGMT_UNSUPPORTED);
    assert_int_equal(configure(0), MP_MGMT_OK);
    assert_int_equal(begin_ring(64), MP_MGMT_UNSUPPORTED);
}

/* --- pages that move ---------------------------------------------------------------------------------- */

static bool local[PAGES];

static void forget(uint64_t va)
{
    invalidate(MP_MGMT_PAGE, 0, va);
    for (unsigned i = 0; R4(INV_STATUS) & MP_GPU_INV_STATUS_BUSY; i++) {
        go_on(1);
        assert_true(i < 100000);
    }
}

static void move_page(uint64_t p, bool here)
{
    const uint64_t va = HEAP + p * PAGE;
    if (local[p] == here)
        return;
    mp_physmem_write64(&b.gpu.memory, table_entry(&table, va), 0);
    forget(va);
    table_map(&table, va, here ? r8(MP_GPU_MIG_BASE) + MB + p * PAGE : MP_HOST_MEMORY + p * PAGE);
    local[p] = here;
}

/* Takes all notices; the pages of noted big pages that are on the host move. Returns how many there were. */
static unsigned serve(void)
{
    unsigned n = 0;
    uint32_t at = R4(NOTICE_RING_GET);
    for (; at != R4(NOTICE_RING_PUT); at = (at + 1) % 64, n++) {
        const struct mp_gpu_notice_entry e = notice(at);
        assert_int_equal(e.info, MP_GPU_RING_VALID);
        for (uint64_t p = 0; p < PAGES; p++)
            if (e.met >> p / BIG_PAGES & 1)
                move_page(p, true);
        mp_physmem_write64(&b.gpu.memory,
                           r8(MP_GPU_MIG_BASE) + RING + at * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST, 0);
        clear(e.va);
    }
    W4(NOTICE_RING_GET, at);
    assert_int_equal(R4(NOTICE_STATUS), MP_MGMT_OK);
    return n;
}

/* Notices bring pages to the GPU, and a driver takes some back at any time: no access is lost, and all of the
 * host's pages go to the host. */
static void pages_that_move(void **state)
{
    struct rng r = rng_start("mig remote", 1);
    for (unsigned round = 0; round < 20; round++) {
        unsigned notices = 0, rounds = 0;
        ready(MP_GPU_AS_CONFIG_REMOTE);
        memset(local, 0, sizeof local);
        W4(COUNT_GRANULE, round % 2 ? MP_MGMT_GRANULE_64K : MP_MGMT_GRANULE_2M);
        W4(COUNT_THRESHOLD, 1 + rng_below(&r, 20));
        assert_int_equal(begin_ring(64), MP_MGMT_OK);
        assert_int_equal(launch(0, 0, 0, 5), MP_MGMT_OK);
        while (!R4(DONE_COUNT)) {
            go_on(rng_below(&r, 300));
            notices += serve();
            for (unsigned i = rng_below(&r, 20); i > 0; i--)
                move_page(rng_below(&r, PAGES), false);
            while (R4(FAULT_COUNT)) /* met a page that moved */
                W4(FAULT_POP, 1);
            assert_int_equal(replay(0, false), MP_MGMT_OK);
            assert_true(++rounds < 100000);
        }
        done(MP_MGMT_OK);
        assert_true(notices > 0);
        assert_int_equal(count(0, MP_MGMT_ACCESSES), WHOLE);
        assert_int_equal(host_lines(), remote_lines);
        if (round < 19)
            tear_down(state);
    }
}

/* Lines of a copy go through the L2 data cache of the instance that has the memory, and count for its first
 * space. */
static void copies_have_lines(void **state)
{
    uint8_t asid = 77;
    (void)state;
    set_up_host();
    assert_null(mp_mig_copies(&b.gpu, 0, &asid)); /* no instance has it */
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    assert_int_equal(create(1, 1), MP_MGMT_OK);
    assert_int_equal(commit(2, 1, r8(MP_GPU_MIG_BASE)), MP_MGMT_OK);
    const uint64_t slice = b.gpu.machine.memory_per_slice;
    struct mp_copies *first = mp_mig_copies(&b.gpu, slice - 1, &asid);
    assert_non_null(first);
    assert_int_equal(asid, 0); /* it has none */
    struct mp_copies *second = mp_mig_copies(&b.gpu, slice, &asid);
    assert_non_null(second);
    assert_ptr_not_equal(first, second);
    assert_int_equal(asid, 2);
    assert_null(mp_mig_copies(&b.gpu, MP_HOST_MEMORY, &asid));
    const struct mp_copy copy = {
        .pa = slice, .bytes = PAGE, .from = b.wheel.now, .to = b.wheel.now + 1000, .tenant = asid};
    const uint64_t number = mp_copies_add(second, MP_COPY_IN, &copy);
    settle();
    assert_true(mp_copies_ended(second, MP_COPY_IN, number));
    assert_int_equal(second->stats[2].written, PAGE / b.gpu.machine.line_bytes);
    uint64_t stores = 0;
    for (uint32_t i = 0; i < b.gpu.plan.blocks; i++)
        if (!strcmp(b.gpu.plan.block[i].level, "l2d") && b.gpu.model[i])
            stores += ((const struct mp_cache *)b.gpu.model[i])->stats[2].stores;
    assert_int_equal(stores, PAGE / b.gpu.machine.line_bytes);
    destroy(1);
    assert_null(mp_mig_copies(&b.gpu, slice, &asid));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
    const struct CMUnitTest tests[] = {TEST(only_pages_of_spaces_that_may),
                                       TEST(may_change_while_a_launch_runs),
                                       TEST(counts_each_line),
                                       TEST(without_host_memory),
                                       TEST(pages_that_move),
                                       TEST(copies_have_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
