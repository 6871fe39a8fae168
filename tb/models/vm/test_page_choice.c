/* SPDX-License-Identifier: Apache-2.0 */
/* Which pages a buffer gets: those that were asked for, or those that its tables allow. */
#include "../engine/fakes.h"

#include "vm/page_choice.h"
#include "vm/space.h"

#define KB   1024ull
#define MB   (1024 * KB)
#define HEAP 0x10000000ull

static struct mp_physmem memory;
static struct mp_frames frames;
static struct mp_space space;

static int set_up(void **state)
{
    (void)state;
    const struct mp_frames_params p = {.bytes = 256 * MB, .page_bytes = 4 * KB};
    assert_int_equal(mp_physmem_init(&memory, 256 * MB), 0);
    assert_int_equal(mp_frames_init(&frames, &mp_frames_ascending, &p, NULL), 0);
    const struct mp_space_params s = {.format = &mp_page_format_mixed, .memory = &memory, .frames = &frames};
    return mp_space_init(&space, &s, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    mp_space_free(&space);
    mp_frames_free(&frames);
    mp_physmem_free(&memory);
    return 0;
}

#define ALL (4 * KB | 64 * KB | 2 * MB)

/* Chooses for a buffer, and maps it. */
static uint32_t give(const struct mp_page_choice *c, uint64_t number, uint64_t va, uint64_t bytes)
{
    uint32_t page = mp_page_choose(c, &space.table, number, va, bytes);
    assert_int_equal(mp_space_map(&space, va, bytes, page, NULL), 0);
    return page;
}

static void what_was_asked_for(void **state)
{
    (void)state;
    const struct mp_page_choice c = {
        .sizes = ALL, .usual = 64 * KB, .count = 2, .buffer = {{3, 2 * MB}, {7, 0}}};
    assert_int_equal(give(&c, 0, HEAP, 5), 16);
    assert_int_equal(give(&c, 3, HEAP + 2 * MB, 5), 21);
    assert_int_equal(give(&c, 7, HEAP + 4 * MB, 64 * KB - 1), 12);
    assert_int_equal(give(&c, UINT64_MAX, HEAP + 6 * MB, 8 * MB), 16);
}

/* The largest size that is not larger than the buffer; the least for less. */
static void automatic_sizes(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes;
        uint32_t page;
    } cases[] = {{0, 12},          {1, 12},      {4 * KB, 12},     {64 * KB - 1, 12}, {64 * KB, 16},
                 {2 * MB - 1, 16}, {2 * MB, 21}, {2 * MB + 1, 21}, {80 * MB, 21}};
    const struct mp_page_choice c = {.sizes = ALL};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mp_page_choose(&c, &space.table, 0, HEAP, cases[i].bytes), cases[i].page);
    const struct mp_page_choice two = {.sizes = 64 * KB | 2 * MB};
    assert_int_equal(mp_page_choose(&two, &space.table, 0, HEAP, 1), 16);
}

/* All pages of a region of 2 MB have one size, unless one of 2 MB has all of it. */
static void a_region_that_has_another_size(void **state)
{
    (void)state;
    const struct mp_page_choice c = {.sizes = ALL};
    assert_int_equal(give(&c, 0, HEAP, 64 * KB), 16);
    assert_int_equal(give(&c, 1, HEAP + 64 * KB, 100), 16); /* would be 12 */
    assert_int_equal(give(&c, 2, HEAP + 2 * MB, 100), 12);
    assert_int_equal(give(&c, 3, HEAP + 2 * MB + 64 * KB, 64 * KB), 12); /* would be 16 */
    assert_int_equal(give(&c, 4, HEAP + 4 * MB, 2 * MB), 21);
    assert_int_equal(give(&c, 5, HEAP + 4 * MB + 64 * KB, 100), 12); /* shares the page of 2 MB */
    assert_int_equal(give(&c, 6, HEAP + 3 * MB, 4 * MB), 12);        /* begins in a region of small pages */
    uint64_t pa;
    assert_int_equal(mp_page_table_find(&space.table, HEAP + 4 * MB + 64 * KB, &pa), 21);
    assert_int_equal(mp_page_table_find(&space.table, HEAP + 6 * MB, &pa), 12);
}

/* No size fits: the one that was asked for, which cannot be mapped. */
static void regions_with_different_sizes(void **state)
{
    (void)state;
    const struct mp_page_choice c = {.sizes = ALL};
    give(&c, 0, HEAP, 100);
    give(&c, 1, HEAP + 2 * MB, 64 * KB);
    uint32_t page = mp_page_choose(&c, &space.table, 2, HEAP + 1 * MB, 1 * MB + 128 * KB);
    assert_int_equal(page, 16);
    assert_int_equal(mp_space_map(&space, HEAP + 1 * MB, 1 * MB + 128 * KB, page, NULL), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_was_asked_for),
        TEST(automatic_sizes),
        TEST(a_region_that_has_another_size),
        TEST(regions_with_different_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
