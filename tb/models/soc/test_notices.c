/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of remote accesses and the rings of their notices, by registers; and compared with the library of
 * unified memory, which counts by itself. */
#include "ring_bench.h"

#include "soc/access_counters.h"
#include "uvm/uvm.h"

#define BIG 65536ull
#define TWO 2097152ull

static struct mp_access_counters counters;

static int setup(void **state)
{
    bench_setup(state);
    assert_int_equal(mp_access_counters_init(&counters, 64), 0);
    b.gpu.counters = &counters;
    W4(INT_ENABLE, 0, MP_GPU_INT_STATUS_NOTICE);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mp_access_counters_free(&counters);
    return 0;
}

static uint64_t begin(unsigned instance, uint64_t base, uint64_t entries)
{
    W8(NOTICE_RING_BASE, instance, base);
    W4(NOTICE_RING_ENTRIES, instance, entries);
    return R4(NOTICE_STATUS, 0);
}

static uint64_t take(unsigned instance, uint64_t index)
{
    W4(NOTICE_RING_GET, instance, index);
    return R4(NOTICE_STATUS, 0);
}

static uint64_t clear(unsigned asid, uint64_t va, uint64_t how)
{
    W8(COUNT_VA, 0, va);
    W4(COUNT_CLEAR, 0, asid | how);
    return R4(NOTICE_STATUS, 0);
}

static struct mp_gpu_notice_entry notice_at(uint64_t base, unsigned index)
{
    struct mp_gpu_notice_entry e;
    memcpy(&e, b.memory + base + (size_t)index * MP_GPU_RING_ENTRY_BYTES, sizeof e);
    return e;
}

static void times(unsigned n, unsigned asid, uint64_t va)
{
    for (unsigned i = 0; i < n; i++)
        mp_mgmt_accessed_remotely(&b.m, asid, va);
}

/* At the threshold, once until the counter is cleared. */
static void once_at_the_threshold(void **state)
{
    (void)state;
    assert_int_equal(begin(0, 0x1000, 64), MP_MGMT_OK);
    times(10, 0, 0); /* with no threshold, nothing is counted */
    W4(COUNT_THRESHOLD, 0, 3);
    times(1, 0, 5 * TWO + BIG);
    times(1, 0, 5 * TWO + 9 * BIG);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 0);
    assert_false(b.line);
    b.now = 1234;
    times(1, 0, 5 * TWO + 31 * BIG);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 1);
    assert_int_equal(R4(INT_STATUS, 0), MP_GPU_INT_STATUS_NOTICE);
    assert_true(b.line);
    const struct mp_gpu_notice_entry e = notice_at(0x1000, 0);
    assert_int_equal(e.va, 5 * TWO);
    assert_int_equal(e.ns, 1234);
    assert_int_equal(e.met, 0x80000202 | 3ull << MP_GPU_NOTICE_COUNT_LOW);
    assert_int_equal(e.info, 0 | MP_GPU_RING_VALID);
    times(100, 0, 5 * TWO);
    assert_int_equal(take(0, 1), MP_MGMT_OK);
    times(100, 0, 5 * TWO);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 1);
    times(3, 1, 5 * TWO); /* of another space */
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 2);
    assert_int_equal(notice_at(0x1000, 1).info, 1 | MP_GPU_RING_VALID);
    assert_int_equal(clear(0, 6 * TWO - 1, 0), MP_MGMT_OK);
    times(2, 0, 5 * TWO);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 2);
    times(1, 0, 5 * TWO);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 3);
    assert_int_equal(notice_at(0x1000, 2).met, 1 | 3ull << MP_GPU_NOTICE_COUNT_LOW);
}

/* Counting goes on without room for a notice, which enters with an access when there is. */
static void rings_without_room(void **state)
{
    (void)state;
    W4(COUNT_THRESHOLD, 0, 1);
    times(5, 0, 0); /* there is no ring */
    assert_int_equal(begin(0, 0x1000, 64), MP_MGMT_OK);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 0);
    times(1, 0, 0);
    assert_int_equal(notice_at(0x1000, 0).met >> MP_GPU_NOTICE_COUNT_LOW, 6);
    for (unsigned i = 1; i < 64; i++)
        times(1, 0, i * TWO);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 63);
    times(1, 0, 63 * TWO);
    assert_int_equal(take(0, 64), MP_MGMT_BAD_VALUE);
    assert_int_equal(take(0, 1), MP_MGMT_OK);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 63);
    times(1, 0, 63 * TWO);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 0);
    assert_int_equal(notice_at(0x1000, 63).va, 63 * TWO);
    assert_int_equal(notice_at(0x1000, 63).met >> MP_GPU_NOTICE_COUNT_LOW, 3);
    take(0, 0);
    times(5, 0, 64 * TWO); /* all counters are in use */
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 0);
    assert_int_equal(clear(0, 0, 0), MP_MGMT_OK);
    times(1, 0, 64 * TWO);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 1);
}

/* An instance's granule, threshold and ring are its own; what ends takes its counters along. */
static void instances_and_spaces(void **state)
{
    (void)state;
    W4(COUNT_THRESHOLD, 0, 2);
    W4(COUNT_THRESHOLD, 3, 4);
    W4(COUNT_GRANULE, 3, MP_MGMT_GRANULE_64K);
    assert_int_equal(begin(0, 0x1000, 64), MP_MGMT_OK);
    assert_int_equal(begin(3, 0x1000, 64), MP_MGMT_BAD_VALUE);
    assert_int_equal(begin(3, 2 * MEGABYTE, 64), MP_MGMT_OK);
    times(3, 5, 7 * BIG);
    times(3, 5, 8 * BIG);
    times(1, 5, 8 * BIG - 1);
    assert_int_equal(R4(NOTICE_RING_PUT, 3), 1);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 0);
    assert_int_equal(notice_at(2 * MEGABYTE, 0).va, 7 * BIG);
    assert_int_equal(notice_at(2 * MEGABYTE, 0).met, 0x80 | 4ull << MP_GPU_NOTICE_COUNT_LOW);
    times(1, 0, 0);
    W4(COUNT_GRANULE, 3, MP_MGMT_GRANULE_2M); /* clears those of the instance */
    times(3, 5, 7 * BIG);
    assert_int_equal(R4(NOTICE_RING_PUT, 3), 1);
    times(1, 5, 8 * BIG);
    assert_int_equal(R4(NOTICE_RING_PUT, 3), 2);
    times(1, 0, 0);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 1);
    assert_int_equal(clear(5, 0, MP_GPU_COUNT_CLEAR_ALL), MP_MGMT_OK);
    times(3, 5, 0);
    assert_int_equal(R4(NOTICE_RING_PUT, 3), 2);
    unmake(3);
    assert_int_equal(R4(NOTICE_RING_ENTRIES, 3), 0);
    assert_int_equal(counters.used, 1);
    times(9, 5, 0); /* the space does not exist */
    assert_int_equal(counters.used, 1);
    W4(AS_CONFIG, 0, 0);
    W4(AS_COMMIT, 0, 0);
    assert_int_equal(R4(AS_STATUS, 0), MP_MGMT_OK);
    assert_int_equal(counters.used, 0);
    assert_int_equal(clear(0, 0, 0), MP_MGMT_NOT_THERE);
}

static void gpus_without_counters(void **state)
{
    (void)state;
    b.gpu.counters = NULL;
    W4(COUNT_THRESHOLD, 0, 1);
    assert_int_equal(begin(0, 0x1000, 64), MP_MGMT_UNSUPPORTED);
    assert_int_equal(clear(0, 0, 0), MP_MGMT_UNSUPPORTED);
    times(5, 0, 0);
    assert_int_equal(R4(NOTICE_RING_PUT, 0), 0);
    b.m.gpu = NULL;
    assert_int_equal(begin(0, 0x1000, 64), MP_MGMT_ABSENT);
    assert_int_equal(clear(0, 0, 0), MP_MGMT_ABSENT);
}

/* --- the library ------------------------------------------------------------------------------------ */

enum { BLOCKS = 6, PAGES = 512 };

static void ignore_victim(void *context, const struct mp_uvm_victim *victim)
{
    (void)context, (void)victim;
}

static void ignore_service(void *context, const struct mp_uvm_service *service)
{
    (void)context, (void)service;
}

static const struct mp_uvm_report nothing = {ignore_victim, ignore_service, NULL};

/* As firmware does: one notice of the ring, or all that there are. */
static void serve(struct mp_uvm *u, unsigned *next)
{
    const unsigned put = (unsigned)R4(NOTICE_RING_PUT, 0), left = (put - *next) % 256;
    const struct mp_uvm_noticed noticed = mp_uvm_notices(u, &nothing);
    assert_int_equal(noticed.notices, left);
    for (; *next != put; *next = (*next + 1) % 256) {
        const struct mp_gpu_notice_entry e = notice_at(0x1000, *next);
        assert_int_equal(clear((unsigned)(e.info & 0xff), e.va, 0), MP_MGMT_OK);
    }
    assert_int_equal(take(0, *next), MP_MGMT_OK);
}

/* Pages of the host that the GPU maps remotely: counts and notices are the same access by access, and what is
 * served leaves both. */
static void counts_as_the_library(struct rng *r, uint64_t granule, unsigned threshold)
{
    struct mp_uvm_params p = MP_UVM_USUAL;
    struct mp_error err;
    unsigned next = 0, remote = 0, notices = 0;
    p.prefetch = mp_uvm_prefetch_find("none");
    p.migrate = mp_uvm_migrate_find("counter");
    p.counter = threshold;
    p.granule_bytes = (uint32_t)granule;
    p.thrashing = false;
    assert_int_equal(mp_uvm_check(&p, &err), 0);
    void *memory = aligned_alloc(64, (mp_uvm_bytes(&p) + 63) / 64 * 64);
    memset(memory, 0, mp_uvm_bytes(&p));
    struct mp_uvm *u = mp_uvm_init(memory, &p);
    mp_uvm_at(u, 1);
    assert_int_equal(mp_uvm_open(u, 0, 0, BLOCKS * TWO, false, &err), BLOCKS);
    W4(COUNT_THRESHOLD, 0, threshold);
    W4(COUNT_GRANULE, 0, granule == BIG ? MP_MGMT_GRANULE_64K : MP_MGMT_GRANULE_2M);
    assert_int_equal(begin(0, 0x1000, 256), MP_MGMT_OK);
    for (unsigned i = 0; i < BLOCKS * PAGES; i++)
        mp_uvm_host(u, 0, i * 4096ull, MP_UVM_WRITE);
    for (unsigned i = 0; i < 60000; i++) {
        const uint64_t va = (uint64_t)rng_below(r, BLOCKS * PAGES) * 4096;
        const unsigned before = (unsigned)R4(NOTICE_RING_PUT, 0);
        struct mp_uvm_hit hit = mp_uvm_gpu(u, 0, va, MP_UVM_READ);
        if (hit.what == MP_UVM_FAULTS) {
            mp_uvm_fault(u, 0, 0, va, MP_UVM_READ);
            mp_uvm_serve(u, &nothing);
            hit = mp_uvm_gpu(u, 0, va, MP_UVM_READ);
        }
        if (hit.what == MP_UVM_REMOTE) {
            times(1, 0, va);
            remote++;
            notices += hit.notice;
            assert_int_equal(R4(NOTICE_RING_PUT, 0), (before + hit.notice) % 256);
            if (hit.notice)
                assert_int_equal(notice_at(0x1000, before).met >> MP_GPU_NOTICE_COUNT_LOW, hit.count);
        }
        if (rng_percent(r, 2))
            serve(u, &next);
        if (rng_percent(r, 30)) /* so that pages go on being remote */
            mp_uvm_host(u, 0, (uint64_t)rng_below(r, BLOCKS * PAGES) * 4096, MP_UVM_READ);
    }
    assert_true(remote > 1000 && notices > 10);
    free(memory);
    assert_int_equal(clear(0, 0, MP_GPU_COUNT_CLEAR_ALL), MP_MGMT_OK);
}

static void as_the_library(void **state)
{
    struct rng r = rng_start("notices", 1);
    (void)state;
    mp_access_counters_free(&counters);
    assert_int_equal(mp_access_counters_init(&counters, 256), 0);
    counts_as_the_library(&r, TWO, 256);
    counts_as_the_library(&r, TWO, 8);
    counts_as_the_library(&r, BIG, 8);
    counts_as_the_library(&r, BIG, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(once_at_the_threshold), TEST(rings_without_room),
                                       TEST(instances_and_spaces), TEST(gpus_without_counters),
                                       TEST(as_the_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
