/* SPDX-License-Identifier: Apache-2.0 */
/* Contiguity bits that the firmware keeps, compared with the models' scan, while a GPU that believes them
 * caches entries (gpu_stub.h). */
#include "gpu_stub.h"

#include "contiguity.h"
#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"
#include "vm/contiguity.h"

#define PAGE  4096ull
#define FRAME (1ull << MP_CONTIGUITY_SHIFT)

enum { FRAMES = 4, PAGES = FRAMES * 512 };

static const uint64_t va = 0x7f0000000000;

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){1}, 0);
    gpu_stub.operations.contiguity = true;
    mp_mgmt_init(&gpu_stub.mgmt);
    assert_int_equal(dma_init(), FW_OK);
    assert_int_equal(gpu_init(), FW_OK);
    gmmu_init();
    mig_init();
    fault_init();
    assert_int_equal(mig_create(0, 2), FW_OK);
    assert_int_equal(mig_space_open(0, 0, PAGE), FW_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

static struct mp_page_table table(void)
{
    return (struct mp_page_table){
        .format = mp_page_format(PAGE), .memory = &gpu_stub.memory, .root = gpu_stub.space[0].root};
}

/* C in bits 7:0, AC in bit 8. */
static unsigned bits(uint64_t at)
{
    const struct mp_page_table t = table();
    return (unsigned)(mp_contiguity_bits(&t, at) >> MP_PTE_CONTIGUOUS_SHIFT & 0x1ff);
}

/* The models' scan of the frame finds nothing to change. */
static void assert_exact(uint64_t at)
{
    struct mp_contiguity c = {0};
    struct mp_page_table t = table();
    assert_false(mp_contiguity_scan_frame(&c, &t, at));
}

static void each_change(void **state)
{
    (void)state;
    struct contiguity c;
    const uint64_t page = va + 3 * 64 * PAGE + 5 * PAGE;
    assert_int_equal(gmmu_map(0, va, FRAME), FW_OK);
    assert_int_equal(bits(va), 0); /* until the scan */
    assert_true(gmmu_space(0)->unscanned);
    assert_int_equal(gmmu_scan(0, &c), FW_OK);
    assert_int_equal(bits(va), 0x1ff);
    assert_false(gmmu_space(0)->unscanned);
    assert_true(c.frames == 1 && c.whole == 1 && c.subregions == 8 && c.changed == 1 && c.read == 512);
    assert_int_equal(gmmu_protect(0, page, PAGE, GMMU_GUARDED), FW_OK);
    assert_int_equal(bits(va), 0xf7);
    assert_int_equal(gmmu_protect(0, page, PAGE, GMMU_FREE), FW_OK);
    assert_int_equal(bits(va), 0x1ff);
    assert_int_equal(gmmu_protect(0, va, 64 * PAGE, GMMU_READ), FW_OK);
    assert_int_equal(bits(va), 0xff); /* of another permission than the others, so the frame is not whole */
    assert_int_equal(gmmu_protect(0, va, 64 * PAGE, GMMU_FREE), FW_OK);
    assert_int_equal(gmmu_remap(0, page, PAGE), FW_OK);
    assert_int_equal(bits(va), 0xf7);
    assert_int_equal(gmmu_unmap(0, va + 7 * 64 * PAGE, PAGE), FW_OK);
    assert_int_equal(bits(va), 0x77);
    assert_int_equal(gmmu_map(0, va + 7 * 64 * PAGE, PAGE), FW_OK);
    assert_int_equal(bits(va), 0x77);
    c = contiguity_count(gmmu_space(0)->root);
    assert_true(c.frames == 1 && c.subregions == 6 && !c.whole && !c.read);
}

static void runs_are_aligned(void **state)
{
    (void)state;
    struct contiguity c;
    assert_int_equal(gmmu_map(0, va + 3 * PAGE, 3 * FRAME), FW_OK);
    assert_int_equal(gmmu_scan(0, &c), FW_OK);
    assert_int_equal(c.whole, 2);
    assert_int_equal(bits(va), 0xfe);
    assert_int_equal(bits(va + 3 * FRAME), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct gmmu_walk w;
        assert_int_equal(gmmu_walk(0, va + (i + 1) * FRAME, &w), FW_OK);
        assert_int_equal(w.pa % FRAME, 0);
    }
    uint64_t all = gmmu_space(0)->pages;
    assert_int_equal(all, 3 * 512);
}

/* A machine whose walks use no bits has none, whatever its pages are. */
static void only_where_they_are_used(void **state)
{
    struct contiguity c;
    gpu_stub_free();
    board_reset();
    gpu_stub_reset((struct rng){1}, 0);
    dma_init();
    gpu_init();
    gmmu_init();
    mig_init();
    mig_create(0, 2);
    assert_int_equal(mig_space_open(0, 0, PAGE), FW_OK);
    assert_int_equal(gmmu_map(0, va, FRAME), FW_OK);
    assert_int_equal(gmmu_scan(0, &c), FW_EUNSUPPORTED);
    assert_int_equal(gmmu_scan(1, &c), FW_ENOENT);
    assert_int_equal(gmmu_remap(0, va, PAGE), FW_OK);
    assert_int_equal(bits(va), 0);
    (void)state;
}

static void launches_scan(void **state)
{
    (void)state;
    assert_int_equal(gmmu_map(0, va, FRAME), FW_OK);
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(bits(va), 0x1ff);
    uint64_t read = gmmu_space(0)->read;
    assert_int_equal(runner_wait(), FW_OK);
    assert_int_equal(runner_start(0, 0, 0), FW_OK);
    assert_int_equal(gmmu_space(0)->read, read); /* nothing has come since */
    assert_int_equal(runner_wait(), FW_OK);
}

/* --- random work ---------------------------------------------------------------------------------------- */

static bool mapped[PAGES];
static bool unscanned[FRAMES]; /* pages have come since the frame's last scan */

static bool any(unsigned from, unsigned n)
{
    bool found = false;
    for (unsigned i = from; i < from + n; i++)
        found |= mapped[i];
    return found;
}

static void scanned(unsigned from, unsigned n)
{
    for (unsigned f = from / 512; f <= (from + n - 1) / 512; f++)
        unscanned[f] = false;
}

static void change(struct rng *r)
{
    static const enum gmmu_access accesses[] = {GMMU_GUARDED, GMMU_READ, GMMU_FREE, GMMU_FREE};
    static const unsigned most[] = {1, 8, 64, 300, 1100};
    struct contiguity c;
    bool frame = rng_percent(r, 40);
    unsigned n = frame ? 512 : rng_between(r, 1, most[rng_below(r, 5)]);
    unsigned from = frame ? 512 * rng_below(r, FRAMES) : rng_below(r, PAGES - n + 1);
    uint64_t at = va + from * PAGE, bytes = n * PAGE;
    bool some = any(from, n);
    switch (rng_below(r, 6)) {
    case 0:
        if (gmmu_map(0, at, bytes))
            break;
        memset(mapped + from, 1, n);
        for (unsigned f = from / 512; f <= (from + n - 1) / 512; f++)
            unscanned[f] = true;
        break;
    case 1:
        assert_int_equal(gmmu_unmap(0, at, bytes), some ? FW_OK : FW_ENOENT);
        memset(mapped + from, 0, n);
        for (unsigned i = 0; i < FRAMES; i++) /* frames whose pages have not changed keep their bits */
            unscanned[i] &= i < from / 512 || i > (from + n - 1) / 512 || !some;
        break;
    case 2:
    case 3:
        bytes = n > 20 ? 20 * PAGE : bytes;
        for (uint64_t done = 0; done < bytes; done += PAGE)
            if (mapped[from + done / PAGE]) {
                gpu_stub.base[0] = at + done;
                assert_int_equal(gmmu_remap(0, at + done, PAGE), FW_OK);
                scanned(from + (unsigned)(done / PAGE), 1);
            }
        break;
    case 4:
        assert_int_equal(gmmu_protect(0, at, bytes, accesses[rng_below(r, 4)]), some ? FW_OK : FW_ENOENT);
        if (some)
            scanned(from, n);
        break;
    default:
        assert_int_equal(gmmu_scan(0, &c), FW_OK);
        scanned(0, PAGES);
    }
}

/* The unmapped part of a range may lie in a frame that the firmware has not scanned: only frames in which a
 * page has changed are exact for certain. */
static void random_work(void **state)
{
    enum { STEPS = 2500 };
    struct rng r = rng_start("firmware contiguity", 5);
    uint64_t whole = 0, partly = 0;
    (void)state;
    gpu_stub.rng = r;
    gpu_stub.busy = 50;
    memset(mapped, 0, sizeof mapped);
    memset(unscanned, 0, sizeof unscanned);
    for (unsigned step = 0; step < STEPS; step++) {
        gpu_stub.base[0] = va + rng_below(&r, PAGES - STUB_SPAN) * PAGE; /* where accesses go meanwhile */
        change(&r);
        for (unsigned i = 0; i < 20; i++)
            gpu_stub_access(0, va + rng_below(&r, PAGES) * PAGE, rng_percent(&r, 30), false);
        gpu_stub_check();
        for (unsigned f = 0; f < FRAMES; f++) {
            if (!unscanned[f])
                assert_exact(va + f * FRAME);
            whole += bits(va + f * FRAME) == 0x1ff;
            partly += bits(va + f * FRAME) && bits(va + f * FRAME) != 0x1ff;
        }
    }
    assert_true(whole > 50 && partly > 500 && gpu_stub.hits > 1000);
    assert_int_equal(mig_destroy(0), FW_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_change),   TEST(runs_are_aligned), TEST(only_where_they_are_used),
        TEST(launches_scan), TEST(random_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
