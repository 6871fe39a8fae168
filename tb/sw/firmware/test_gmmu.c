/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces and MIG instances with a GPU that caches entries (gpu_stub.h). Random operations are
 * compared with a plain map, page by page, by the models' page walk. */
#include "gpu_stub.h"

#include "cpu.h"
#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "plic.h"
#include "vm/page_table.h"

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){1}, 0);
    assert_int_equal(dma_init(), FW_OK);
    assert_int_equal(gpu_init(), FW_OK);
    gmmu_init();
    mig_init();
    fault_init();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

/* The result of the GPU's walk. */
static bool gpu_finds(unsigned asid, uint64_t va, uint64_t *pa)
{
    const struct mp_page_table t = {.format = mp_page_format(gpu_stub.space[asid].page_bytes),
                                    .memory = &gpu_stub.memory,
                                    .root = gpu_stub.space[asid].root};
    return mp_page_table_find(&t, va, pa);
}

static void no_gpu(void **state)
{
    (void)state;
    gpu_stub.mgmt.gpu = NULL;
    mp_mgmt_init(&gpu_stub.mgmt);
    plic_init();
    assert_int_equal(gpu_init(), FW_EABSENT);
    assert_int_equal(mig_create(0, 1), FW_EINVAL); /* of no slices */
    assert_int_equal(gpu_tlb_set(3, 0), FW_EABSENT);
}

static void instances(void **state)
{
    (void)state;
    assert_int_equal(mig_create(0, 3), FW_OK);
    assert_int_equal(mig_create(0, 1), FW_EEXIST);
    assert_int_equal(mig_create(8, 1), FW_EINVAL);
    assert_int_equal(mig_create(1, 0), FW_EINVAL);
    assert_int_equal(mig_create(1, 5), FW_ENOMEM);
    assert_int_equal(mig_create(1, 4), FW_OK);
    assert_int_equal(mig_instance(1)->bytes, 4 * STUB_SLICE_BYTES);
    assert_int_equal(mig_instance(1)->base, 3 * STUB_SLICE_BYTES);
    assert_null(mig_instance(2));
    assert_int_equal(mig_destroy(2), FW_ENOENT);
    assert_int_equal(mig_destroy(8), FW_ENOENT);
    assert_int_equal(mig_space_open(255, 0, 65536), FW_ENOENT);
    assert_int_equal(mig_space_open(2, 0, 65536), FW_ENOENT);
    assert_int_equal(mig_space_open(0, 0, 65536), FW_OK);
    assert_int_equal(mig_space_open(1, 0, 65536), FW_EEXIST);
    assert_int_equal(mig_space_open(1, 8, 65536), FW_EINVAL);
    assert_int_equal(mig_space_open(1, 1, 8192), FW_EINVAL);
    assert_int_equal(gmmu_map(0, 0x100000, 0x100000), FW_OK);
    assert_int_equal(mig_destroy(0), FW_OK);
    assert_null(gmmu_space(0));
    assert_false(gpu_stub.space[0].valid);
    assert_int_equal(mig_create(0, 3), FW_OK);
    assert_int_equal(mig_instance(0)->frames.free, 3 * STUB_SLICE_BYTES);
}

/* After a scheduler is set, the open address spaces get walkers in turn. */
static void walkers(void **state)
{
    (void)state;
    const uint64_t even = 0x5555, odd = 0xaaaa;
    mig_create(0, 2);
    mig_create(1, 5);
    assert_int_equal(mig_space_open(0, 3, 65536), FW_OK);
    assert_int_equal(gpu_stub.walks_set, 0);
    assert_int_equal(mig_walk_policy(2, 1), FW_ENOENT);
    assert_int_equal(mig_walk_policy(0, 256), FW_EINVAL);
    assert_int_equal(mig_walk_policy(0, 2), FW_OK);
    assert_int_equal(gpu_stub.walk.policy, 2);
    assert_int_equal(gpu_stub.walk.owned[3], even | odd);
    assert_int_equal(mig_space_open(0, 5, 65536), FW_OK);
    assert_int_equal(gpu_stub.walk.owned[3], even);
    assert_int_equal(gpu_stub.walk.owned[5], odd);
    unsigned set = gpu_stub.walks_set;
    assert_int_equal(mig_space_open(1, 4, 65536), FW_OK); /* another instance, which has no scheduler yet */
    assert_int_equal(gpu_stub.walks_set, set);
    assert_int_equal(mig_space_close(3), FW_OK);
    assert_int_equal(gpu_stub.walk.owned[3], 0);
    assert_int_equal(gpu_stub.walk.owned[5], even | odd);
    assert_int_equal(mig_space_close(3), FW_ENOENT);
}

static void maps(void **state)
{
    (void)state;
    uint64_t pa, top = (1ull << GMMU_VA_BITS) - 65536;
    struct gmmu_walk w;
    mig_create(0, 1);
    assert_int_equal(gmmu_map(0, 0, 65536), FW_ENOENT);
    for (uint64_t at = STUB_SLICE_BYTES - 0x10000; at < STUB_SLICE_BYTES; at += 8) /* the previous contents */
        mp_physmem_write64(&gpu_stub.memory, at, MP_PTE_VALID);
    mig_space_open(0, 0, 65536);
    assert_int_equal(gmmu_map(0, 4096, 65536), FW_EINVAL);
    assert_int_equal(gmmu_map(0, 0, 4096), FW_EINVAL);
    assert_int_equal(gmmu_map(0, 0, 0), FW_EINVAL);
    assert_int_equal(gmmu_map(0, top, 2 * 65536), FW_EINVAL);
    assert_int_equal(gmmu_map(0, 1ull << GMMU_VA_BITS, 65536), FW_EINVAL);
    assert_int_equal(gmmu_map(0, top, 65536), FW_OK);
    assert_true(gpu_finds(0, top + 0x1234, &pa));
    assert_int_equal(gmmu_walk(0, top + 0x1234, &w), FW_OK);
    assert_true(w.mapped && !w.guarded);
    assert_int_equal(w.levels, 4);
    assert_int_equal(w.pa, pa);
    assert_int_equal(gmmu_walk(0, 0, &w), FW_OK);
    assert_int_equal(w.levels, 1);
    assert_false(w.mapped);
    assert_int_equal(gmmu_walk(0, 1ull << GMMU_VA_BITS, &w), FW_EINVAL);
    assert_int_equal(gmmu_walk(7, 0, &w), FW_ENOENT);
    /* One page of four is mapped: no other is mapped, and that page stays. */
    uint64_t before = mig_instance(0)->frames.free;
    assert_int_equal(gmmu_map(0, top - 3 * 65536, 4 * 65536), FW_EEXIST);
    assert_false(gpu_finds(0, top - 65536, &pa));
    assert_true(gpu_finds(0, top, &pa));
    assert_int_equal(mig_instance(0)->frames.free, before);
    /* More memory than there is. */
    assert_int_equal(gmmu_map(0, 0x40000000, 2 * STUB_SLICE_BYTES), FW_ENOMEM);
    assert_int_equal(mig_instance(0)->frames.free, before);
    assert_int_equal(gmmu_space(0)->pages, 1);
    assert_int_equal(gmmu_unmap(0, 0, 65536), FW_ENOENT);
    assert_int_equal(gmmu_unmap(0, 0, 1ull << GMMU_VA_BITS), FW_OK); /* also the tables */
    assert_int_equal(mig_instance(0)->frames.free, STUB_SLICE_BYTES - 4096);
}

static void guards_and_moves(void **state)
{
    (void)state;
    const uint64_t va = gpu_stub.base[0];
    uint64_t old, pa, word;
    struct gmmu_walk w;
    mig_create(0, 1);
    mig_space_open(0, 0, 65536);
    gmmu_map(0, va, 4 * 65536);
    gpu_finds(0, va, &old);
    mp_physmem_write64(&gpu_stub.memory, old + 0x2340, 77);
    assert_int_equal(gmmu_protect(0, va, 65536, GMMU_GUARDED), FW_OK);
    assert_false(gpu_finds(0, va, &pa));
    assert_int_equal(gmmu_walk(0, va, &w), FW_OK);
    assert_true(w.guarded && !w.mapped);
    assert_int_equal(w.pa, old);
    assert_int_equal(gmmu_map(0, va, 65536), FW_EEXIST); /* it still has its frame */
    assert_int_equal(gmmu_protect(0, va, 65536, GMMU_GUARDED), FW_OK);
    assert_int_equal(gmmu_remap(0, va, 65536), FW_OK); /* guarded it stays */
    assert_false(gpu_finds(0, va, &pa));
    assert_int_equal(gmmu_protect(0, va, 65536, GMMU_FREE), FW_OK);
    assert_true(gpu_finds(0, va, &pa));
    assert_int_not_equal(pa, old);
    word = mp_physmem_read64(&gpu_stub.memory, pa + 0x2340);
    assert_int_equal(word, 77);
    assert_int_equal(gmmu_protect(0, va - 65536, 65536, GMMU_GUARDED), FW_ENOENT);
    assert_int_equal(gmmu_remap(0, va + 3 * 65536, 2 * 65536), FW_ENOENT);
    assert_int_equal(gmmu_space(0)->pages, 4);
}

static void busy_spaces_stay(void **state)
{
    (void)state;
    mig_create(0, 1);
    mig_space_open(0, 2, 65536);
    gmmu_map(2, gpu_stub.base[2], 65536);
    struct mp_mgmt_launch l = {0, 2, 1, 5};
    assert_int_equal(gpu_launch(&l), FW_OK);
    assert_int_equal(mig_space_close(2), FW_EBUSY);
    assert_int_equal(mig_destroy(0), FW_EBUSY);
    assert_int_equal(gmmu_space(2)->pages, 1);
    uint32_t tag;
    enum fw_error end;
    assert_false(gpu_completion(&tag, &end));
    gpu_wait(MP_GPU_INT_STATUS_DONE);
    assert_true(gpu_completion(&tag, &end));
    assert_int_equal(tag, 5);
    assert_int_equal(end, FW_OK);
    assert_int_equal(mig_destroy(0), FW_OK);
    l.workload = 256;
    assert_int_equal(gpu_launch(&l), FW_EINVAL);
}

/* --- random work ---------------------------------------------------------------------------------- */

/* A page for the plain map: 0 has no frame, 1 is mapped, 2 guarded, 3 read only. */
static uint8_t page[MP_MGMT_SPACES][STUB_SPAN];
static uint64_t stamp[MP_MGMT_SPACES][STUB_SPAN]; /* the contents of its frame */
static uint64_t stamps;

static void compare(unsigned asid)
{
    uint64_t bytes = gpu_stub.space[asid].page_bytes, pa;
    for (unsigned i = 0; i < STUB_SPAN; i++) {
        uint64_t va = gpu_stub.base[asid] + i * bytes;
        struct gmmu_walk w;
        assert_int_equal(gpu_finds(asid, va, &pa), page[asid][i] % 2);
        assert_int_equal(gmmu_walk(asid, va, &w), FW_OK);
        assert_int_equal(w.guarded, page[asid][i] == 2);
        assert_int_equal(w.read_only, page[asid][i] == 3);
        if (page[asid][i])
            assert_int_equal(mp_physmem_read64(&gpu_stub.memory, w.pa + bytes - 8), stamp[asid][i]);
    }
}

static void put_stamps(unsigned asid, unsigned from, unsigned n)
{
    uint64_t bytes = gpu_stub.space[asid].page_bytes;
    for (unsigned i = from; i < from + n; i++) {
        struct gmmu_walk w;
        gmmu_walk(asid, gpu_stub.base[asid] + i * bytes, &w);
        stamp[asid][i] = ++stamps;
        mp_physmem_write64(&gpu_stub.memory, w.pa + bytes - 8, stamps);
    }
}

static unsigned with(unsigned asid, unsigned from, unsigned n, unsigned bits)
{
    unsigned found = 0;
    for (unsigned i = from; i < from + n; i++)
        found += bits >> page[asid][i] & 1;
    return found;
}

static void one_operation(struct rng *r, unsigned asid)
{
    enum { NONE = 1, MAPPED = 2, GUARDED = 4, READ_ONLY = 8 };
    unsigned n = rng_percent(r, 50) ? 1 : rng_between(r, 1, STUB_SPAN / 2),
             from = rng_below(r, STUB_SPAN - n + 1);
    uint64_t size = gpu_stub.space[asid].page_bytes, va = gpu_stub.base[asid] + from * size;
    unsigned some = with(asid, from, n, MAPPED | GUARDED | READ_ONLY);
    enum fw_error e;
    switch (rng_below(r, 7)) {
    case 0:
    case 1:
        e = gmmu_map(asid, va, n * size);
        if (e == FW_ENOMEM)
            break;
        assert_int_equal(e, some ? FW_EEXIST : FW_OK);
        if (e)
            break;
        memset(page[asid] + from, 1, n);
        put_stamps(asid, from, n);
        break;
    case 2:
        assert_int_equal(gmmu_unmap(asid, va, n * size), some ? FW_OK : FW_ENOENT);
        memset(page[asid] + from, 0, n);
        break;
    case 3:
        e = gmmu_remap(asid, va, n * size);
        assert_true(e == FW_ENOMEM || e == (some == n ? FW_OK : FW_ENOENT));
        break;
    case 4:
        assert_int_equal(gmmu_protect(asid, va, n * size, GMMU_GUARDED), some ? FW_OK : FW_ENOENT);
        for (unsigned i = from; i < from + n; i++)
            page[asid][i] = page[asid][i] ? 2 : 0;
        break;
    case 5:
        assert_int_equal(gmmu_protect(asid, va, n * size, GMMU_READ), some ? FW_OK : FW_ENOENT);
        for (unsigned i = from; i < from + n; i++)
            page[asid][i] = page[asid][i] ? 3 : 0;
        break;
    default:
        assert_int_equal(gmmu_protect(asid, va, n * size, GMMU_FREE), some ? FW_OK : FW_ENOENT);
        for (unsigned i = from; i < from + n; i++)
            page[asid][i] = page[asid][i] ? 1 : 0;
    }
}

static void come(struct rng *r, unsigned asid)
{
    static const uint64_t sizes[] = {4096, 65536, 2097152};
    unsigned size = rng_below(r, 5);
    assert_int_equal(mig_space_open(asid % 2, asid, sizes[size > 2 ? 1 : size]), FW_OK);
    memset(page[asid], 0, sizeof page[asid]);
}

static void random_work(void **state)
{
    (void)state;
    enum { SPACES = 4, STEPS = 1500 };
    struct rng r = rng_start("firmware gmmu", 3);
    gpu_stub.rng = r;
    gpu_stub.busy = 3;
    stamps = 0;
    mig_create(0, 3);
    mig_create(1, 4);
    mig_walk_policy(0, 2);
    for (unsigned step = 0; step < STEPS; step++) {
        unsigned asid = rng_below(&r, SPACES);
        if (!gmmu_space(asid))
            come(&r, asid);
        else if (rng_below(&r, 40) == 0)
            assert_int_equal(mig_space_close(asid), FW_OK);
        else
            one_operation(&r, asid);
        gpu_stub_check();
        if (gmmu_space(asid))
            compare(asid);
    }
    assert_true(gpu_stub.hits > 1000 && gpu_stub.faults > 1000 && gpu_stub.stores_refused > 30 &&
                gpu_stub.invalidations > STEPS / 4);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(mig_destroy(i), FW_OK);
        assert_int_equal(mig_create(i, 3 + i), FW_OK);
    }
}

/* --- colours -------------------------------------------------------------------------------------- */

static const struct frames_colours colours = {2, {0x3000, 0x25000}};

/* Every page and every table of the space has one of the colours. */
static void check_colours(unsigned asid, uint32_t wanted)
{
    for (unsigned i = 0; i < STUB_SPAN; i++) {
        struct gmmu_walk w;
        gmmu_walk(asid, gpu_stub.base[asid] + i * 4096, &w);
        for (unsigned level = 0; level < w.levels; level++)
            assert_true(wanted >> frames_colour_of(&colours, w.at[level] & -4096ull) & 1);
        if (page[asid][i])
            assert_true(wanted >> frames_colour_of(&colours, w.pa) & 1);
    }
}

static void recolour_all(struct rng *r, unsigned asid)
{
    uint64_t va = 0;
    for (unsigned n; va < 1ull << GMMU_VA_BITS;) {
        const uint64_t moved = gmmu_space(asid)->moved;
        n = rng_between(r, 1, 20);
        assert_int_equal(gmmu_recolour(asid, &va, n), FW_OK);
        assert_true(gmmu_space(asid)->moved - moved <= n);
        gpu_stub_check();
    }
}

/* The colours of an instance change while its spaces are in use: pages and tables move, and nothing else
 * does. */
static void recolours(void **state)
{
    (void)state;
    struct rng r = rng_start("firmware colours", 5);
    uint64_t va = 0, pages[4] = {0}, moved = 0, tables = 0;
    gpu_stub.rng = r;
    gpu_stub.busy = 3;
    assert_int_equal(gmmu_recolour(0, &va, 1), FW_ENOENT);
    assert_int_equal(mig_colour(0, &colours, 1), FW_ENOENT);
    mig_create(0, 3);
    for (unsigned asid = 0; asid < 2; asid++) {
        assert_int_equal(mig_space_open(0, asid, 4096), FW_OK);
        memset(page[asid], 0, sizeof page[asid]);
    }
    for (unsigned round = 0; round < 60; round++) {
        const uint32_t wanted = rng_between(&r, 1, 15);
        for (unsigned i = 0; i < 8; i++)
            one_operation(&r, i % 2);
        assert_int_equal(mig_colour(0, &colours, wanted), FW_OK);
        for (unsigned asid = 0; asid < 2; asid++) {
            const struct gmmu_space before = *gmmu_space(asid);
            recolour_all(&r, asid);
            compare(asid);
            check_colours(asid, wanted);
            moved += gmmu_space(asid)->moved - before.moved;
            tables += gmmu_space(asid)->tables_moved - before.tables_moved;
        }
    }
    assert_true(moved > 500 && tables > 50 && gpu_stub.hits > 100);
    gmmu_count_colours(0, &colours, pages);
    assert_int_equal(pages[0] + pages[1] + pages[2] + pages[3], gmmu_space(0)->pages);
    assert_int_equal(mig_destroy(0), FW_OK);
    assert_int_equal(mig_create(0, 3), FW_OK); /* nothing was lost */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(no_gpu),      TEST(instances),        TEST(walkers),
                                       TEST(maps),        TEST(guards_and_moves), TEST(busy_spaces_stay),
                                       TEST(random_work), TEST(recolours)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
