/* SPDX-License-Identifier: Apache-2.0 */
/* The older answers that software may expect while it changes page tables that are in use. */
#include "../engine/fakes.h"

#include "vm/table_writes.h"

#define PAGE 4096ull

enum { ASID = 3 };

static const uint64_t va = 0x7f0000201000;

static struct bench {
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_page_table table;
    struct mp_table_writes writes;
} b;

static int setup(void **state)
{
    const struct mp_frames_params p = {.bytes = 64 << 20, .page_bytes = PAGE};
    (void)state;
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, p.bytes), 0);
    assert_int_equal(mp_frames_init(&b.frames, &mp_frames_ascending, &p, NULL), 0);
    assert_int_equal(mp_page_table_init(&b.table, mp_page_format(PAGE), &b.memory, &b.frames, 0, NULL), 0);
    assert_int_equal(mp_page_table_map(&b.table, va, 0x5000, 0, NULL), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mp_table_writes_free(&b.writes);
    mp_frames_free(&b.frames);
    mp_physmem_free(&b.memory);
    return 0;
}

static uint64_t leaf_at(void)
{
    uint64_t table = b.table.root;
    for (unsigned level = 0; level < 3; level++)
        table =
            mp_physmem_read64(&b.memory, mp_pte_address(b.table.format, level, table, va)) & MP_PTE_ADDRESS;
    return mp_pte_address(b.table.format, 3, table, va);
}

static void change(uint64_t at, uint64_t word)
{
    static const struct mp_store by = {.pc = 0x80000040, .cycle = 7};
    assert_int_equal(mp_table_writes_note(&b.writes, &b.memory, at, word, &by), 0);
    mp_physmem_write64(&b.memory, at, word);
}

/* As firmware does it. */
static void write(uint64_t entry)
{
    change(leaf_at(), entry);
}

static void invalidate(struct mp_scope scope)
{
    assert_int_equal(mp_table_writes_invalidate(&b.writes, &scope), 0);
}

static bool passes(uint64_t pa, bool read_only)
{
    struct mp_translation_answer a = {.va = va, .pa = pa, .span = {.read_only = read_only}, .asid = ASID};
    return !mp_translation_check(&b.table, &a, &b.writes, NULL);
}

static bool fault_passes(void)
{
    const struct mp_translation_answer a = {.va = va, .asid = ASID, .faults = true};
    return !mp_translation_check(&b.table, &a, &b.writes, NULL);
}

#define LEAF (MP_PTE_VALID | MP_PTE_LEAF)

static void goes_and_comes(void **state)
{
    (void)state;
    assert_true(passes(0x5000, false));
    assert_false(passes(0x6000, false));
    write(0);
    assert_true(passes(0x5000, false)); /* until the invalidation begins */
    invalidate((struct mp_scope){.asid = ASID + 1, .va = va});
    invalidate((struct mp_scope){.asid = ASID, .va = va + PAGE});
    invalidate((struct mp_scope){.asid = ASID, .va = va, .tables = true, .translations_stay = true});
    assert_true(passes(0x5000, false));
    invalidate((struct mp_scope){.asid = ASID, .va = va});
    assert_false(passes(0x5000, false));
    assert_true(fault_passes());
    write(0x6000 | LEAF);
    assert_true(fault_passes());
    assert_true(passes(0x6000, false));
    assert_false(passes(0x5000, false));
    invalidate((struct mp_scope){.asid = ASID, .every_page = true});
    assert_false(fault_passes());
}

/* Another frame without an invalidation before. */
static void no_break_before_make(void **state)
{
    (void)state;
    write(0x6000 | LEAF);
    assert_false(passes(0x5000, false));
}

static void permissions(void **state)
{
    (void)state;
    write(0x5000 | LEAF | MP_PTE_READ_ONLY);
    assert_true(passes(0x5000, false) && passes(0x5000, true));
    invalidate((struct mp_scope){.every_asid = true, .every_page = true});
    assert_false(passes(0x5000, false));
}

/* A write of what was there before changes nothing, and neither do neighbours and what is no entry. */
static void other_words(void **state)
{
    (void)state;
    change(leaf_at(), mp_physmem_read64(&b.memory, leaf_at()));
    change(leaf_at() + 8, 0x7000 | LEAF);
    change(leaf_at() + 16, 0x7000);
    assert_false(fault_passes());
    assert_int_equal(b.writes.written.used, 1);
    assert_null(mp_table_writes_store(&b.writes, leaf_at()));
    assert_int_equal(mp_table_writes_store(&b.writes, leaf_at() + 8)->by.pc, 0x80000040);
    assert_int_equal(mp_table_writes_store(&b.writes, leaf_at() + 8)->by.cycle, 7);
}

/* The page's table is not there, as after an unmap; then it comes, with an entry from long ago. */
static void upper_levels(void **state)
{
    const uint64_t at = b.table.root + 8 * (va >> 39), entry = mp_physmem_read64(&b.memory, at);
    (void)state;
    change(at, 0);
    assert_true(passes(0x5000, false));
    invalidate((struct mp_scope){.asid = ASID, .every_page = true, .tables = true});
    assert_false(passes(0x5000, false));
    change(at, entry);
    assert_true(fault_passes());
}

/* A root comes and goes as an entry does. */
static void roots(void **state)
{
    (void)state;
    const uint64_t root = b.table.root;
    b.table.root = 0x100000;
    mp_table_writes_set_root(&b.writes, ASID);
    assert_true(passes(0x5000, false));
    invalidate((struct mp_scope){.asid = ASID, .every_page = true, .tables = true});
    assert_false(passes(0x5000, false));
    b.table.root = root;
    mp_table_writes_set_root(&b.writes, ASID);
    assert_true(fault_passes());
}

static void many_words(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100000; i++)
        change(0x100000 + 8 * i, (i + 1) << 12 | LEAF);
    assert_int_equal(b.writes.written.used, 100000);
    assert_true(b.writes.written.places >= 200000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(goes_and_comes), TEST(no_break_before_make), TEST(permissions),
                                       TEST(other_words),    TEST(upper_levels),         TEST(roots),
                                       TEST(many_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
