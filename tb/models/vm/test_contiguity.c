/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"
#include "changes.h"

#include <time.h>

#include "vm/contiguity.h"

#define PAGE   4096ull
#define MB     (1ull << 20)
#define FRAMES 4u
#define FIRST  ((1ull << 39) - 2 * 2 * MB) /* frames on both sides of a border of tables of all levels */

static struct {
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_space space;
    struct mp_contiguity c;
    uint64_t changed[16];
    uint32_t changes;
} b;

static int end(void **state)
{
    (void)state;
    mp_space_free(&b.space);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    return 0;
}

static void begin(bool heads_first)
{
    const struct mp_frames_params frames = {.bytes = 64 * MB, .page_bytes = PAGE};
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, frames.bytes), 0);
    assert_int_equal(mp_frames_init(&b.frames, &mp_frames_ascending, &frames, NULL), 0);
    const struct mp_space_params space = {
        .format = mp_page_format(PAGE), .memory = &b.memory, .frames = &b.frames};
    assert_int_equal(mp_space_init(&b.space, &space, NULL), 0);
    b.space.table.heads_first = heads_first;
    b.space.hook = mp_contiguity_hook(&b.c);
}

static uint64_t entry_of(uint64_t pfn, bool read_only)
{
    return pfn * PAGE | MP_PTE_VALID | MP_PTE_LEAF | (read_only ? MP_PTE_READ_ONLY : 0);
}

/* Pages of the window, from `page` on. */
static void map(uint64_t page, uint64_t pfn, bool read_only, uint64_t pages)
{
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t va = FIRST + (page + i) * PAGE;
        assert_int_equal(mp_page_table_map(&b.space.table, va, (pfn + i) * PAGE, 0, NULL), 0);
        mp_page_table_change(&b.space.table, va, entry_of(pfn + i, read_only));
    }
}

static void changed(void *self, uint64_t va)
{
    assert_ptr_equal(self, &b);
    b.changed[b.changes++] = va;
}

static struct mp_contiguity_found scan(void)
{
    b.changes = 0;
    return mp_contiguity_scan(&b.c, &b.space.table, changed, &b);
}

static uint64_t bits(uint64_t frame)
{
    return mp_contiguity_bits(&b.space.table, FIRST + frame * 2 * MB) & MP_PTE_CONTIGUITY;
}

static uint64_t subregions(uint64_t mask)
{
    return mask << MP_PTE_CONTIGUOUS_SHIFT;
}

static void what_a_scan_finds(void **state)
{
    (void)state;
    begin(false);
    map(0, 0x6000a, false, 512); /* whole, not aligned in memory */
    map(512, 0x80000, true, 512);
    map(1024, 0xf87, false, 256);
    map(1280, 0x201d, false, 64);
    map(1472, 0x205d, false, 64); /* subregion 7; 5 and 6 have no pages */
    map(1536, 0x9000, false, 256);
    map(1792, 0xa000, false, 256); /* all subregions, but not the frame */
    const struct mp_contiguity_found f = scan();
    assert_int_equal(f.frames, 4);
    assert_int_equal(f.subregions, 30);
    assert_int_equal(f.whole, 2);
    assert_int_equal(f.aligned, 1);
    assert_int_equal(f.changed, 4);
    assert_int_equal(bits(0), subregions(0xff) | MP_PTE_CONTIGUOUS_FRAME);
    assert_int_equal(bits(1), bits(0));
    assert_int_equal(bits(2), subregions(0x9f));
    assert_int_equal(bits(3), subregions(0xff));
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(b.changed[i], FIRST + i * 2 * MB);
    assert_int_equal(scan().changed, 0);
    assert_int_equal(b.changes, 0);
    assert_int_equal(b.c.written, 4);
}

/* A subregion is read up to the first page that does not continue its head. */
static void what_a_scan_reads(void **state)
{
    (void)state;
    begin(false);
    map(0, 0, false, 512);
    scan();
    assert_int_equal(b.c.read, 512);
    mp_space_change(&b.space, FIRST + 3 * PAGE, 0); /* the hook scans */
    assert_int_equal(b.c.read, 512 + 448 + 4);
    mp_space_change(&b.space, FIRST + 64 * PAGE, entry_of(7, false));
    assert_int_equal(b.c.read, 512 + 448 + 4 + 384 + 4 + 2);
    assert_int_equal(b.c.written, 3);
    assert_int_equal(bits(0), subregions(0xfc));
}

static void a_hook_scans_after_changes_of_mapped_pages_only(void **state)
{
    (void)state;
    begin(false);
    map(0, 0, false, 64);
    assert_false(b.space.hook.changed(b.space.hook.self, &b.space, FIRST, false));
    assert_int_equal(bits(0), 0);
    assert_true(b.space.hook.changed(b.space.hook.self, &b.space, FIRST, true));
    assert_int_equal(bits(0), subregions(1));
    assert_false(b.space.hook.changed(b.space.hook.self, &b.space, FIRST, true));
    uint64_t old;
    assert_true(remap(&b.space, FIRST, 0x9000 * PAGE, &old));
    assert_int_equal(bits(0), 0);
    assert_true(remap(&b.space, FIRST, old, &old));
    assert_int_equal(bits(0), subregions(1));
    protect(&b.space, FIRST + 5 * PAGE, 1, true);
    assert_int_equal(bits(0), 0);
    protect(&b.space, FIRST, 64, true);
    assert_int_equal(bits(0), subregions(1));
}

/* The bits by the definition, page by page. */
static uint64_t naive(uint64_t frame)
{
    uint64_t mask = 0, entry[512];
    bool whole = true;
    for (uint64_t i = 0; i < 512; i++)
        entry[i] = mp_page_table_entry(&b.space.table, FIRST + (frame * 512 + i) * PAGE);
    for (uint64_t r = 0; r < 8; r++) {
        bool contiguous = true;
        for (uint64_t i = 0; i < 64; i++)
            contiguous &= entry[r * 64 + i] && entry[r * 64 + i] == entry[r * 64] + i * PAGE;
        mask |= (uint64_t)contiguous << r;
        whole &= contiguous && entry[r * 64] == entry[0] + r * 64 * PAGE;
    }
    return subregions(mask) | (whole ? MP_PTE_CONTIGUOUS_FRAME : 0);
}

static void bits_follow_random_changes(void **state)
{
    struct rng rng = rng_start("contiguity", 52);
    uint64_t seen[2] = {0, 0};
    (void)state;
    for (unsigned heads_first = 0; heads_first < 2; heads_first++) {
        begin(heads_first);
        map(0, 512, false, FRAMES * 512);
        scan();
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t page = rng_below(&rng, FRAMES * 512), home = rng_percent(&rng, 97) ? 512 : 513;
            mp_space_change(&b.space, FIRST + page * PAGE, entry_of(page + home, rng_percent(&rng, 1)));
            assert_int_equal(bits(page / 512), naive(page / 512));
            seen[bits(page / 512) >> 60]++;
            for (uint64_t p = page / 64 * 64; rng_percent(&rng, 30) && p < page / 64 * 64 + 64; p++)
                mp_space_change(&b.space, FIRST + p * PAGE, entry_of(p + 512, false));
        }
        end(NULL);
    }
    assert_true(seen[0] > 100 && seen[1] > 100);
    begin(false);
}

static void leaves_of_heads_come_first(void **state)
{
    (void)state;
    const struct mp_page_format *f = mp_page_format(PAGE);
    bool seen[512] = {false};
    begin(true);
    for (uint64_t page = 0; page < 512; page++) {
        uint64_t at = mp_leaf_address(f, true, 0x1000, page * PAGE) - 0x1000;
        assert_true(at % 8 == 0 && at < 4096 && !seen[at / 8]);
        seen[at / 8] = true;
        assert_int_equal(at / 8 < 8, page % 64 == 0);
        assert_int_equal(mp_leaf_address(f, false, 0x1000, page * PAGE), 0x1000 + 8 * page);
    }
    assert_int_equal(mp_leaf_address(f, true, 0, (5 * 64 + 3) * PAGE), 8 * (8 + 63 * 5 + 2));
    map(64, 77, false, 2);
    uint64_t pa;
    assert_true(mp_page_table_find(&b.space.table, FIRST + 65 * PAGE + 5, &pa));
    assert_int_equal(pa, 78 * PAGE + 5);
    assert_true(mp_page_table_unmap(&b.space.table, FIRST + 64 * PAGE, &pa));
    assert_int_equal(mp_page_table_entry(&b.space.table, FIRST + 65 * PAGE), entry_of(78, false));
}

static void none_changed(void *self, uint64_t va)
{
    (void)self;
    (void)va;
}

/* The bound of 50 ms is ten times as high here: tests share the machine. */
static void a_scan_of_a_gigabyte_is_fast(void **state)
{
    struct timespec from, to;
    (void)state;
    begin(false);
    map(0, 0, false, 262144);
    clock_gettime(CLOCK_MONOTONIC, &from);
    const struct mp_contiguity_found f = mp_contiguity_scan(&b.c, &b.space.table, none_changed, NULL);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double ms = 1e3 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e6;
    print_message("scan of 1 GB: %.2f ms\n", ms);
    assert_int_equal(f.whole, 512);
    assert_true(ms < 500);
}

static void an_empty_table_has_no_bits(void **state)
{
    (void)state;
    begin(false);
    assert_int_equal(mp_contiguity_scan(&b.c, &b.space.table, none_changed, NULL).frames, 0);
    assert_false(mp_contiguity_scan_frame(&b.c, &b.space.table, FIRST));
    assert_int_equal(mp_contiguity_bits(&b.space.table, FIRST), 0);
    assert_int_equal(mp_contiguity_bits(&b.space.table, UINT64_MAX), 0);
    assert_false(mp_space_change(&b.space, FIRST, entry_of(1, false)));
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_scan_finds),
        TEST(what_a_scan_reads),
        TEST(a_hook_scans_after_changes_of_mapped_pages_only),
        TEST(bits_follow_random_changes),
        TEST(leaves_of_heads_come_first),
        TEST(a_scan_of_a_gigabyte_is_fast),
        TEST(an_empty_table_has_no_bits),
    };
    return cmocka_run_group_tests_name("contiguity", tests, NULL, NULL);
}
