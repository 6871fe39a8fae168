/* SPDX-License-Identifier: Apache-2.0 */
/* The buddy allocator: the order of its pages, its history, large pages, compaction. */
#include "../../engine/fakes.h"

#include "vm/frames/allocator.h"

#define MB   (1ull << 20)
#define PAGE 4096ull
#define BASE (64 * MB)

static struct mp_frames f;

static int end(void **state)
{
    (void)state;
    mp_frames_free(&f);
    return 0;
}

static void begin(uint64_t bytes, uint64_t memhog, uint64_t turn, uint64_t seed, bool thp, bool defrag)
{
    const struct mp_frames_params p = {
        .base = BASE, .bytes = bytes, .page_bytes = PAGE, .own = {{memhog, turn, seed, thp, defrag}}};
    struct mp_error err = {""};
    mp_frames_free(&f);
    if (mp_frames_init(&f, &mp_frames_buddy, &p, &err))
        fail_msg("%s", err.text);
}

static uint64_t take(uint64_t va, uint64_t pages, uint64_t *pa)
{
    const struct mp_frames_wish wish = {0, va, pages, PAGE};
    return mp_frames_take_pages(&f, &wish, pa, NULL);
}

static void pages_rise_and_freed_ones_come_again(void **state)
{
    (void)state;
    uint64_t pa;
    begin(8 * MB, 0, 16, 1, false, false);
    for (uint64_t i = 0; i < 2000; i++) {
        assert_int_equal(take(0, 2000, &pa), 1);
        assert_int_equal(pa, BASE + i * PAGE);
    }
    mp_frames_give_page(&f, 0, BASE + 77 * PAGE, 0);
    mp_frames_give_page(&f, 0, BASE + 5 * PAGE, 0);
    assert_int_equal(take(0, 1, &pa), 1);
    assert_int_equal(pa, BASE + 5 * PAGE); /* small holes first */
    assert_int_equal(take(0, 1, &pa), 1);
    assert_int_equal(pa, BASE + 77 * PAGE);
    for (uint64_t i = 2000; i < 2048; i++)
        assert_int_equal(take(0, 1, &pa), 1);
    struct mp_error err;
    const struct mp_frames_wish wish = {0, 0, 1, PAGE};
    assert_int_equal(mp_frames_take_pages(&f, &wish, &pa, &err), 0);
    assert_string_equal(err.text,
                        "no page of 4096 B is left in the 8388608 B of memory from 0x4000000 on, of "
                        "which other processes hold 0 %; machine.memory_per_slice and vm.memhog set "
                        "the sizes");
}

static void tables_do_not_part_the_pages_of_buffers(void **state)
{
    (void)state;
    struct mp_error err;
    uint64_t pa, table;
    begin(8 * MB, 0, 16, 1, false, false);
    for (uint64_t i = 0; i < 512; i++) { /* a table and a page in turn, from the lowest two blocks */
        assert_int_equal(mp_frames_take_table(&f, 0, &table, NULL), 0);
        assert_int_equal(table, BASE + i * PAGE);
        assert_int_equal(take(0, 1, &pa), 1);
        assert_int_equal(pa, BASE + 2 * MB + i * PAGE);
    }
    for (uint64_t i = 0; i < 1024 - 1; i++)
        assert_int_equal(take(0, 1, &pa), 1);
    assert_int_equal(mp_frames_take_table(&f, 0, &table, NULL), 0); /* the last page: no block is left */
    assert_int_equal(table, BASE + 8 * MB - PAGE);
    assert_int_equal(mp_frames_take_table(&f, 0, &table, &err), -1);
    assert_non_null(strstr(err.text, "no page table of 4096 B is left"));
}

static void aligned_wishes_get_large_pages(void **state)
{
    (void)state;
    uint64_t pa;
    for (int thp = 0; thp < 2; thp++) {
        begin(8 * MB, 0, 16, 1, thp, false);
        assert_int_equal(take(PAGE, 600, &pa), 1); /* not aligned */
        assert_int_equal(take(2 * MB, 511, &pa), 1);
        assert_int_equal(take(2 * MB, 512, &pa), thp ? 512 : 1);
        assert_int_equal(pa, BASE + (thp ? 2 * MB : 2 * PAGE));
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(take(0, 1024, &pa), 512);
    assert_int_equal(pa, BASE + 6 * MB);
    assert_int_equal(take(0, 1024, &pa), 1); /* no block of order 9 is left */
}

static void other_sizes_of_pages_are_refused(void **state)
{
    (void)state;
    const struct mp_frames_params p = {.bytes = 8 * MB, .page_bytes = 65536};
    struct mp_error err;
    assert_int_equal(mp_frames_init(&f, &mp_frames_buddy, &p, &err), -1);
    assert_string_equal(err.text, "vm.frames: buddy serves pages of 4096 B, not of 65536 B");
}

/* Takes all that is left. Returns the number of pages; *runs: of pages that follow each other. */
static uint64_t drain(uint8_t *taken, uint64_t *runs)
{
    uint64_t pa, last = 0, pages = 0;
    *runs = 0;
    while (take(0, 1, &pa)) {
        *runs += pa != last + PAGE;
        last = pa;
        pages++;
        if (taken)
            taken[(pa - BASE) / PAGE] = 1;
    }
    return pages;
}

static void history_holds_what_is_asked_for(void **state)
{
    (void)state;
    static const uint64_t percent[] = {2, 25, 50, 75};
    const uint64_t memory = 256 * MB / PAGE;
    uint64_t runs, last_runs = 0;
    for (unsigned i = 0; i < 4; i++) {
        begin(256 * MB, percent[i], 1, 1, false, false);
        uint64_t held = memory - drain(NULL, &runs), target = memory * percent[i] / 100;
        print_message("memhog %ju: %ju of %ju pages held, %ju runs free\n", (uintmax_t)percent[i],
                      (uintmax_t)held, (uintmax_t)memory, (uintmax_t)runs);
        assert_true(held < target && held > target / 2);
        assert_true(runs > last_runs / 2);
        last_runs = runs;
    }
    begin(256 * MB, 0, 1, 1, false, false);
    assert_int_equal(drain(NULL, &runs), memory);
    assert_int_equal(runs, 1);
}

static void history_depends_on_its_parameters_alone(void **state)
{
    static uint8_t taken[4][16384];
    static const uint64_t turn[] = {16, 16, 16, 1}, seed[] = {1, 1, 2, 1};
    (void)state;
    memset(taken, 0, sizeof taken);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t runs;
        begin(64 * MB, 50, turn[i], seed[i], false, false);
        drain(taken[i], &runs);
    }
    assert_memory_equal(taken[0], taken[1], sizeof taken[0]);
    assert_memory_not_equal(taken[0], taken[2], sizeof taken[0]);
    assert_memory_not_equal(taken[0], taken[3], sizeof taken[0]);
}

static uint64_t large_pages_left(void)
{
    uint64_t pa, n = 0;
    while (take(0, 512, &pa) == 512)
        n++;
    return n;
}

/* Compaction empties blocks, moves at most 4096 pages at a time, and never loses one. */
static void compaction_makes_large_pages(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t pa, left[2], pages[2], runs;
        for (int defrag = 0; defrag < 2; defrag++) {
            begin(256 * MB, 10, 1, seed, true, defrag);
            for (unsigned i = 0; i < 100; i++)
                assert_int_equal(take(PAGE, 1, &pa), 1); /* the application's */
            mp_frames_before_buffer(&f);
            left[defrag] = large_pages_left();
            pages[defrag] = left[defrag] * 512 + drain(NULL, &runs) + 1; /* one small page ended the search */
        }
        print_message("seed %ju: %ju large pages, %ju after compaction\n", (uintmax_t)seed,
                      (uintmax_t)left[0], (uintmax_t)left[1]);
        assert_true(left[1] >= left[0]);
        assert_int_equal(pages[0], pages[1]);
    }
}

#define FRAMES 16384u /* pages of the memory */

/* Marks the pages that the processes of the past hold. The application has the page `own`. */
static void held_pages(uint64_t memhog, uint64_t seed, bool defrag, uint8_t *held, uint64_t *own)
{
    uint64_t pa, runs;
    begin(FRAMES * PAGE, memhog, 1, seed, false, defrag);
    assert_int_equal(take(0, 1, &pa), 1);
    *own = (pa - BASE) / PAGE;
    mp_frames_before_buffer(&f);
    memset(held, 0, FRAMES);
    drain(held, &runs);
    assert_false(held[*own]);
    for (uint32_t i = 0; i < FRAMES; i++)
        held[i] = !held[i] && i != *own;
}

/* Blocks with at most 64 used pages are emptied into others, unless one of the pages is the application's; no
 * page is lost. */
static void what_compaction_moves(void **state)
{
    (void)state;
    static uint8_t before[FRAMES], after[FRAMES];
    uint64_t own, emptied = 0;
    for (uint64_t trial = 0; trial < 200; trial++) {
        uint64_t lost = 0, gained = 0;
        held_pages(trial / 10, trial % 10, false, before, &own);
        held_pages(trial / 10, trial % 10, true, after, &own);
        for (uint64_t block = 0; block < FRAMES; block += 512) {
            uint64_t was = 0, is = 0;
            for (uint64_t i = block; i < block + 512; i++) {
                was += before[i];
                is += after[i];
            }
            bool movable = was && was <= 64 && own / 512 != block / 512;
            assert_true(movable ? is == 0 : is >= was);
            lost += movable ? was : 0;
            gained += movable ? 0 : is - was;
        }
        assert_int_equal(lost, gained);
        emptied += lost;
    }
    print_message("%ju pages moved\n", (uintmax_t)emptied);
    assert_true(emptied > 0);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_rise_and_freed_ones_come_again), TEST(tables_do_not_part_the_pages_of_buffers),
        TEST(aligned_wishes_get_large_pages),       TEST(other_sizes_of_pages_are_refused),
        TEST(history_holds_what_is_asked_for),      TEST(history_depends_on_its_parameters_alone),
        TEST(compaction_makes_large_pages),         TEST(what_compaction_moves),
    };
    return cmocka_run_group_tests_name("buddy", tests, NULL, NULL);
}
