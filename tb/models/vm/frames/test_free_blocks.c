/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of free memory, compared with an array of free pages. */
#include "../../engine/fakes.h"

#include <stdlib.h>

#include "vm/frames/free_blocks.h"

#define MOST 5000u

static struct mp_free_blocks f;
static bool is_free[MOST + 2048];
static uint64_t pages, *word;

static void begin(uint64_t n)
{
    pages = n;
    memset(is_free, 0, sizeof is_free);
    memset(is_free, 1, n);
    word = malloc(mp_free_blocks_words(n) * sizeof *word);
    assert_non_null(word);
    mp_free_blocks_init(&f, n, word);
}

static int end(void **state)
{
    (void)state;
    free(word);
    word = NULL;
    return 0;
}

static bool all_free(uint64_t page, unsigned order)
{
    if (order >= MP_BLOCK_ORDERS)
        return false;
    for (uint64_t i = page; i < page + (1ull << order); i++)
        if (!is_free[i])
            return false;
    return true;
}

/* A block that is free and not part of a larger one. */
static bool is_block(uint64_t page, unsigned order)
{
    return all_free(page, order) && !all_free(page >> (order + 1) << (order + 1), order + 1);
}

static bool wanted(unsigned least, bool highest, uint64_t *page, unsigned *order)
{
    for (*order = least; *order < MP_BLOCK_ORDERS; ++*order) {
        bool found = false;
        for (uint64_t at = 0; at < pages; at += 1ull << *order)
            if (is_block(at, *order) && (highest || !found)) {
                found = true;
                *page = at;
            }
        if (found)
            return true;
    }
    return false;
}

static void take(unsigned order, bool highest)
{
    uint64_t page, got;
    unsigned from;
    bool there = wanted(order, highest, &page, &from);
    bool taken = highest ? mp_free_blocks_take_highest(&f, &got) : mp_free_blocks_take(&f, order, &got);
    assert_int_equal(taken, there);
    if (!there)
        return;
    assert_int_equal(got, highest ? page + (1ull << from) - 1 : page);
    memset(&is_free[got], 0, 1ull << order);
}

static void give(uint64_t page)
{
    if (!is_free[page])
        mp_free_blocks_give(&f, 0, page);
    is_free[page] = true;
}

static void random_requests(void **state)
{
    struct rng rng = rng_start("free blocks", 11);
    (void)state;
    for (unsigned round = 0; round < 6; round++) {
        begin(rng_between(&rng, 1, MOST));
        for (unsigned i = 0; i < 1500; i++) {
            if (rng_percent(&rng, 50)) {
                take(rng_percent(&rng, 70) ? 0 : rng_below(&rng, MP_BLOCK_ORDERS), false);
            } else if (rng_percent(&rng, 10)) {
                take(0, true);
            } else {
                uint64_t page = rng_below(&rng, (uint32_t)pages), first = page / 1024 * 1024;
                bool all = rng_percent(&rng, 4);
                give(page);
                for (uint64_t p = first; all && p < first + 1024 && p < pages; p++)
                    give(p); /* sometimes all of a large block */
            }
            uint64_t left = 0;
            for (uint64_t p = 0; p < pages; p++)
                left += is_free[p];
            assert_int_equal(f.free, left);
        }
        end(NULL);
    }
    begin(1);
}

static void a_part_is_counted_and_withdrawn(void **state)
{
    (void)state;
    uint64_t page;
    begin(2048);
    for (unsigned i = 0; i < 600; i++)
        assert_true(mp_free_blocks_take(&f, 0, &page));
    mp_free_blocks_give(&f, 0, 7);
    mp_free_blocks_give(&f, 0, 515);
    assert_int_equal(mp_free_blocks_count(&f, 9, 0), 1);
    assert_int_equal(mp_free_blocks_count(&f, 9, 512), 425);
    mp_free_blocks_withdraw(&f, 9, 512);
    assert_int_equal(mp_free_blocks_count(&f, 9, 512), 0);
    assert_int_equal(f.free, 1025);
    assert_true(mp_free_blocks_take(&f, 0, &page));
    assert_int_equal(page, 7);
    assert_true(mp_free_blocks_take(&f, 0, &page));
    assert_int_equal(page, 1024);
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_requests),
        TEST(a_part_is_counted_and_withdrawn),
    };
    return cmocka_run_group_tests_name("free blocks", tests, NULL, NULL);
}
