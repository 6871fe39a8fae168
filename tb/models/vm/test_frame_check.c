/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for firmware's use of frames: each rule at its borders. tb/sw/firmware/frames.sh runs whole
 * programs. */
#include "../engine/fakes.h"

#include "vm/frame_check.h"

#define PAGE 4096ull
#define LEAF (MP_PTE_VALID | MP_PTE_LEAF)
#define RO   MP_PTE_READ_ONLY

enum { A, B, FIRST = 0x20000, OTHER = 0x21000, THIRD = 0x22000 };

static struct bench {
    struct mp_physmem memory;
    struct mp_frame_check check;
    struct mp_page_table table[2];
    struct mp_error err;
} b;

static const struct mp_store by = {.pc = 0x80000040, .ra = 0x80000080, .cycle = 77};

static void store(uint64_t at, uint64_t word)
{
    assert_int_equal(mp_frame_check_write(&b.check, at, &word, sizeof word, &by), 0);
}

/* The tables of space s are at 0x1000, 0x2000, ... and 0x9000, 0xa000, ... */
static uint64_t table_of(unsigned s, unsigned level)
{
    return 0x1000 + 0x8000 * s + 0x1000 * level;
}

static void map(unsigned s, unsigned page, uint64_t entry)
{
    store(table_of(s, 3) + 8 * page, entry);
}

static void begin(unsigned s)
{
    mp_frame_check_wake(&b.check, (uint16_t)s);
    mp_frame_check_launch(&b.check, (uint16_t)s);
}

static int setup_with(const struct mp_page_format *format, uint64_t bytes)
{
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, bytes), 0);
    assert_int_equal(mp_frame_check_init(&b.check, &b.memory, format), 0);
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned level = 0; level < 3; level++)
            store(table_of(s, level), table_of(s, level + 1) | MP_PTE_VALID);
        b.table[s] = (struct mp_page_table){.format = format, .memory = &b.memory, .root = table_of(s, 0)};
        assert_int_equal(mp_frame_check_set_root(&b.check, (uint16_t)s, table_of(s, 0)), 0);
        begin(s);
    }
    return 0;
}

static int setup(void **state)
{
    (void)state;
    return setup_with(mp_page_format(PAGE), 1 << 20);
}

static int setup_mixed(void **state)
{
    (void)state;
    return setup_with(&mp_page_format_mixed, 16 << 20);
}

static int teardown(void **state)
{
    (void)state;
    mp_frame_check_free(&b.check);
    mp_physmem_free(&b.memory);
    return 0;
}

static bool answers(unsigned s, unsigned page, uint64_t frame, bool stores)
{
    const struct mp_translation_answer a = {.va = page * PAGE + 8,
                                            .pa = frame + 8,
                                            .asid = (uint16_t)s,
                                            .page = b.table[s].format->page_shift,
                                            .span.read_only =
                                                mp_page_table_entry(&b.table[s], page * PAGE) & RO,
                                            .stores = stores};
    return !mp_translation_check(&b.table[s], &a, &b.check.writes, &b.err) &&
           !mp_frame_check_answer(&b.check, &b.table[s], &a, &b.err);
}

static bool loads(unsigned s, unsigned page, uint64_t frame)
{
    return answers(s, page, frame, false);
}

static void invalidate(unsigned s, unsigned page)
{
    const struct mp_scope scope = {.asid = (uint16_t)s, .va = page * PAGE};
    assert_int_equal(mp_table_writes_invalidate(&b.check.writes, &scope), 0);
}

static void says(const char *text)
{
    if (!strstr(b.err.text, text))
        fail_msg("'%s' does not say '%s'", b.err.text, text);
}

static void copy(uint64_t from, uint64_t to, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 8) {
        assert_int_equal(mp_frame_check_read(&b.check, from + at, 8), 0);
        store(to + at, 1);
    }
}

static void reuse(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    assert_true(loads(A, 0, FIRST));
    map(A, 0, 0);
    assert_true(loads(A, 0, FIRST)); /* no one else has it yet */
    map(B, 1, FIRST | LEAF);
    assert_true(loads(B, 1, FIRST));
    assert_false(loads(A, 0, FIRST));
    says("page 0x0 of space 0 was translated to frame 0x20, which is now page 0x1 of space 1 (entry at "
         "0xc008, "
         "stored at pc 0x80000040 in cycle 77), before the page was invalidated; walk: 0x2001 at 0x1000, ");
    says("0x0 at 0x4000, stored at pc 0x80000040 in cycle 77");
    invalidate(A, 0);
    assert_false(loads(A, 0, FIRST)); /* the translation differs */
}

/* Within a tenant, too; but pages that had the frame all the time are no reuse. */
static void reuse_within(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    map(A, 1, FIRST | LEAF);
    assert_true(loads(A, 0, FIRST) && loads(A, 1, FIRST));
    map(A, 0, 0);
    assert_true(loads(A, 0, FIRST));
    map(A, 2, FIRST | LEAF);
    assert_false(loads(A, 0, FIRST));
}

/* A launch has no answers of before, unless it was queued while another one ran. */
static void second_launch(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    assert_true(loads(A, 0, FIRST));
    map(A, 0, 0);
    begin(B);
    assert_true(loads(A, 0, FIRST));
    mp_frame_check_launch(&b.check, A);
    assert_true(loads(A, 0, FIRST));
    begin(A);
    assert_false(loads(A, 0, FIRST));
    map(B, 0, FIRST | LEAF);
    const struct mp_translation_answer a = {.pa = FIRST, .asid = A};
    mp_frame_check_explain(&b.check, &b.table[A], &a, &b.err);
    says("space 0: page 0x0 was translated to frame 0x20 rw, but the page table has nothing");
    says(", stored at pc 0x80000040 in cycle 77; the frame is now page 0x0 of space 1 (entry at 0xc000, "
         "stored");
}

static void owners(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    map(B, 0, FIRST | LEAF | RO);
    assert_true(loads(A, 0, FIRST) && loads(B, 0, FIRST)); /* one writes, one reads */
    map(A, 0, FIRST | LEAF | RO);
    assert_true(loads(A, 0, FIRST) && loads(B, 0, FIRST));
    map(A, 0, FIRST | LEAF);
    map(A, 1, FIRST | LEAF); /* a tenant may have two pages there */
    assert_true(loads(A, 1, FIRST));
    map(B, 0, FIRST | LEAF);
    assert_false(loads(A, 0, FIRST));
    says("frame 0x20 is writable as page 0x0 of space 0 (entry at 0x4000, stored at pc 0x80000040 in cycle "
         "77), and as "
         "page 0x0 of space 1 (entry at 0xc000, stored ");
    assert_false(loads(B, 0, FIRST));
    map(B, 0, 0);
    assert_true(loads(A, 0, FIRST));
}

static void tables(void **state)
{
    (void)state;
    for (unsigned s = 0; s < 2; s++)
        for (unsigned level = 0; level < 4; level++) {
            map(A, 0, 0);
            begin(A); /* a new page */
            map(A, 0, table_of(s, level) | LEAF | RO);
            assert_true(loads(A, 0, table_of(s, level)));
            map(A, 0, table_of(s, level) | LEAF);
            assert_false(loads(A, 0, table_of(s, level)));
        }
    says("is writable as page 0x0 of space 0 (entry at 0x4000, stored at pc 0x80000040 in cycle 77), and is "
         "a page "
         "table of space 1, level 3 (entry at 0xb000, stored ");
    store(table_of(B, 2), 0); /* it is no table any more */
    assert_true(loads(A, 0, table_of(B, 3)));
    map(A, 1, table_of(B, 0) | LEAF);
    assert_false(loads(A, 1, table_of(B, 0)));
    says("and is the root table of space 1; walk: ");
    assert_int_equal(mp_frame_check_set_root(&b.check, B, MP_FRAME_NOWHERE), 0);
    assert_true(loads(A, 1, table_of(B, 0)));
}

/* The page's frame changes; the first `copied` bytes have been copied before. */
static bool moves(uint64_t copied)
{
    map(A, 0, FIRST | LEAF);
    assert_true(answers(A, 0, FIRST, true));
    map(A, 0, 0);
    invalidate(A, 0);
    copy(FIRST, OTHER, copied);
    map(A, 0, OTHER | LEAF);
    return loads(A, 0, OTHER);
}

static void contents(void **state)
{
    (void)state;
    assert_false(moves(PAGE - 8));
    says("page 0x0 of space 0 (entry at 0x4000, stored at pc 0x80000040 in cycle 77) was moved from frame "
         "0x20 to frame "
         "0x21 without its contents: since its last store, 1 words of the old frame were not read, 1 of the "
         "new one "
         "not written; walk: ");
    copy(FIRST, OTHER, PAGE); /* too late for the answer above, but not for others */
    assert_true(loads(A, 0, OTHER));
    map(A, 0, 0);
    invalidate(A, 0);
    map(A, 0, FIRST | LEAF); /* back, without its contents */
    assert_false(loads(A, 0, FIRST));
}

/* A store after the copy, even of an answer from before. */
static void stores_after_the_copy(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    assert_true(loads(A, 0, FIRST));
    copy(FIRST, OTHER, PAGE);
    assert_true(answers(A, 0, FIRST, true));
    map(A, 0, 0);
    invalidate(A, 0);
    map(A, 0, OTHER | LEAF);
    assert_false(loads(A, 0, OTHER));

    map(A, 1, THIRD | LEAF);
    assert_true(loads(A, 1, THIRD));
    map(A, 1, 0);
    copy(THIRD, OTHER + PAGE * 4, PAGE);
    assert_true(answers(A, 1, THIRD, false));
    map(A, 1, (OTHER + PAGE * 4) | LEAF);
    assert_true(loads(A, 1, OTHER + PAGE * 4)); /* loads change nothing */
    map(A, 1, 0);
    copy(OTHER + PAGE * 4, THIRD, PAGE);
    assert_true(answers(A, 1, OTHER + PAGE * 4, true));
    invalidate(A, 1);
    map(A, 1, THIRD | LEAF);
    assert_false(loads(A, 1, THIRD));
}

/* The old frame has another page before the new one is mapped. */
static void the_old_frame_goes_first(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    assert_true(answers(A, 0, FIRST, true));
    map(A, 0, 0);
    invalidate(A, 0);
    copy(FIRST, OTHER, PAGE);
    map(B, 0, FIRST | LEAF);
    assert_true(answers(B, 0, FIRST, true));
    copy(FIRST, THIRD, PAGE);
    map(A, 0, OTHER | LEAF);
    assert_true(loads(A, 0, OTHER));
}

/* The page of another launch, whose entry was 0, is a new page; with any other entry it is the same. */
static void new_pages(void **state)
{
    (void)state;
    map(A, 0, FIRST | LEAF);
    assert_true(loads(A, 0, FIRST));
    map(A, 0, 0);
    begin(A);
    map(A, 0, OTHER | LEAF);
    assert_true(loads(A, 0, OTHER));
    map(A, 0, 0x12345ull << 12); /* not valid, but a page that waits elsewhere */
    begin(A);
    map(A, 0, THIRD | LEAF);
    assert_false(loads(A, 0, THIRD));
    assert_int_equal(mp_frame_check_set_root(&b.check, A, MP_FRAME_NOWHERE), 0);
    assert_int_equal(mp_frame_check_set_root(&b.check, A, table_of(A, 0)), 0);
    begin(A);
    assert_true(loads(A, 0, THIRD));
}

/* Bytes and pieces that are not aligned change words as whole words do. */
static void pieces(void **state)
{
    const uint64_t entries[2] = {FIRST | LEAF, OTHER | LEAF};
    const uint8_t *byte = (const uint8_t *)entries;
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(mp_frame_check_write(&b.check, table_of(A, 3) + i, byte + i, 1, &by), 0);
    assert_int_equal(mp_frame_check_write(&b.check, table_of(A, 3) + 3, byte + 3, 13, &by), 0);
    assert_true(loads(A, 0, FIRST) && loads(A, 1, OTHER));
    map(B, 0, OTHER | LEAF);
    assert_false(loads(A, 1, OTHER));
}

/* --- pages of several sizes -------------------------------------------------------------------------------
 */

enum { LARGE = 0x400000, NEW_LARGE = 0x600000, PIECES = 512 };

static void map_large(uint64_t entry)
{
    store(table_of(A, 2), entry);
}

/* The page of 2 MB becomes pages of 4 KB in the same frames, one of which moves then; and the reverse. */
static void a_large_page_is_split(void **state)
{
    (void)state;
    map_large(LARGE | LEAF);
    assert_true(answers(A, 5, LARGE + 5 * PAGE, true) && loads(A, 511, LARGE + 511 * PAGE));
    map_large(0);
    invalidate(A, 0);
    for (unsigned i = 0; i < PIECES; i++)
        map(A, i, (LARGE + i * PAGE) | LEAF);
    map_large(table_of(A, 3) | MP_PTE_VALID);
    assert_true(loads(A, 5, LARGE + 5 * PAGE) && loads(A, 7, LARGE + 7 * PAGE));
    map(A, 5, 0);
    invalidate(A, 5);
    map(A, 5, OTHER | LEAF);
    assert_false(loads(A, 5, OTHER));
    says("page 0x5 of space 0 ");
    says(" was moved from frame 0x405 to frame 0x21 without its contents");
    map(A, 5, 0);
    copy(LARGE + 5 * PAGE, OTHER, PAGE);
    map(A, 5, OTHER | LEAF);
    assert_true(loads(A, 5, OTHER));
    assert_true(loads(A, 8, LARGE + 8 * PAGE));
}

static void small_pages_become_a_large_one(void **state)
{
    (void)state;
    for (unsigned left_out = 0; left_out < 2; left_out++) {
        begin(A);
        for (unsigned i = 0; i < PIECES; i++)
            map(A, i, (LARGE + (uint64_t)(i ^ 1) * PAGE) | LEAF);
        map_large(table_of(A, 3) | MP_PTE_VALID);
        for (unsigned i = 0; i < PIECES; i++)
            assert_true(answers(A, i, LARGE + (uint64_t)(i ^ 1) * PAGE, true));
        for (unsigned i = 0; i < PIECES; i++)
            map(A, i, 0);
        mp_frame_check_wake(&b.check, A);
        for (unsigned i = 0; i < PIECES; i++)
            if (i != 300 || !left_out)
                copy(LARGE + (uint64_t)(i ^ 1) * PAGE, NEW_LARGE + (uint64_t)i * PAGE, PAGE);
        map_large(NEW_LARGE | LEAF);
        assert_int_equal(loads(A, 2, NEW_LARGE + 2 * PAGE), !left_out);
        map_large(0);
        invalidate(A, 0);
        begin(A);
        begin(B);
    }
    says("was moved from frame 0x52d to frame 0x72c without its contents");
}

static void what_is_in_a_large_page(void **state)
{
    (void)state;
    map_large(LARGE | LEAF);
    assert_true(loads(A, 3, LARGE + 3 * PAGE));
    map(B, 9, (LARGE + 6 * PAGE) | LEAF); /* seen from the pages before it and after it, and from itself */
    assert_false(loads(A, 3, LARGE + 3 * PAGE));
    says("frame 0x403 is writable as page 0x0 of space 0 ");
    says("and as page 0x9 of space 1");
    assert_false(loads(A, 100, LARGE + 100 * PAGE));
    assert_false(loads(B, 9, LARGE + 6 * PAGE));
    says("frame 0x406 is writable as page 0x9 of space 1 ");
    map(B, 9, (LARGE + 6 * PAGE) | LEAF | RO);
    assert_true(loads(A, 100, LARGE + 100 * PAGE));
    assert_true(loads(B, 9, LARGE + 6 * PAGE));
    map_large(0);
    invalidate(A, 0);
    begin(A);
    map_large(0 | LEAF); /* it has all page tables */
    assert_false(loads(A, 400, 400 * PAGE));
    says("and is ");
    map_large(0 | LEAF | RO);
    assert_true(loads(A, 400, 400 * PAGE));
}

/* An invalidation concerns the size that the page had. */
static void invalidations_of_sizes(void **state)
{
    (void)state;
    const struct mp_scope small = {.va = 0, .bytes = PAGE}, large = {.va = 0, .bytes = PIECES * PAGE};
    map_large(LARGE | LEAF);
    assert_true(loads(A, 3, LARGE + 3 * PAGE));
    map_large(0);
    mp_table_writes_invalidate(&b.check.writes, &small);
    assert_true(loads(A, 3, LARGE + 3 * PAGE)); /* the rest of the page may still be somewhere */
    assert_false(loads(A, 0, LARGE));
    mp_table_writes_invalidate(&b.check.writes, &large);
    assert_false(loads(A, 3, LARGE + 3 * PAGE));
}

#define MIXED(name) cmocka_unit_test_setup_teardown(name, setup_mixed, teardown)
#define TEST(name)  cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(reuse),
                                       TEST(reuse_within),
                                       TEST(second_launch),
                                       TEST(owners),
                                       TEST(tables),
                                       TEST(contents),
                                       TEST(stores_after_the_copy),
                                       TEST(the_old_frame_goes_first),
                                       TEST(new_pages),
                                       TEST(pieces),
                                       MIXED(a_large_page_is_split),
                                       MIXED(small_pages_become_a_large_one),
                                       MIXED(what_is_in_a_large_page),
                                       MIXED(invalidations_of_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
