/* SPDX-License-Identifier: Apache-2.0 */
/* Page tables that change while walks read them: which entries are refused, and when a change takes effect.
 */
#include "vm/contiguity.h"
#include "vm/translation_check.h"
#include "walk_bench.h"

#define VA   0x123456780000ull
#define LEAF 3u

static struct fake_request *walk(uint64_t va)
{
    struct fake_request *r = ask(0, 0, va);
    run_dry(&b.wheel);
    return r;
}

static void set_up_unchecked(const struct mp_walk_params *p)
{
    set_up(p);
    b.port[0].check = NULL; /* the bench's check expects only the bench's entries */
}

/* The address of va's entry on this level. */
static uint64_t entry_address(unsigned level, uint64_t va)
{
    uint64_t table = b.table[0].root;
    for (unsigned l = 0; l < level; l++)
        table =
            mp_physmem_read64(&b.physmem, mp_pte_address(b.table[0].format, l, table, va)) & MP_PTE_ADDRESS;
    return mp_pte_address(b.table[0].format, level, table, va);
}

static void write_entry(unsigned level, uint64_t va, uint64_t entry)
{
    assert_int_equal(mp_physmem_write64(&b.physmem, entry_address(level, va), entry), 0);
}

static uint64_t read_entry(unsigned level, uint64_t va)
{
    return mp_physmem_read64(&b.physmem, entry_address(level, va));
}

static void entries_that_are_refused(void **state)
{
    (void)state;
    const struct {
        unsigned level;
        uint64_t set, clear; /* of a good entry */
        enum mp_fault cause;
    } flaws[] = {
        {LEAF, 0, MP_PTE_VALID, MP_FAULT_NOT_VALID},
        {LEAF, 1ull << 63, MP_PTE_VALID, MP_FAULT_NOT_VALID}, /* then nothing else is checked */
        {LEAF, 0, MP_PTE_LEAF, MP_FAULT_TABLE},
        {LEAF, 1ull << 3, 0, MP_FAULT_RESERVED},
        {LEAF, 1ull << 63, 0, MP_FAULT_RESERVED},
        {LEAF, 1ull << 48, MP_PTE_LEAF, MP_FAULT_RESERVED},
        {LEAF, 1ull << 11, 0, MP_FAULT_RESERVED},
        {LEAF, 1ull << 12, 0, MP_FAULT_MISALIGNED}, /* not where a page of 64 KB begins */
        {LEAF, 1ull << 40, 0, MP_FAULT_OUTSIDE},    /* no such memory */
        {0, 0, MP_PTE_VALID, MP_FAULT_NOT_VALID},
        {1, MP_PTE_LEAF, 0, MP_FAULT_LEAF},
        {2, 1ull << 5, 0, MP_FAULT_RESERVED},
        {1, 1ull << 62, 0, MP_FAULT_RESERVED},
        {2, 1ull << 47, 0, MP_FAULT_OUTSIDE},
        {2, MP_PTE_READ_ONLY, 0, MP_FAULT_RESERVED},
    };
    for (unsigned optimistic = 0; optimistic < 2; optimistic++) {
        struct mp_walk_params p = base();
        p.method = optimistic ? &mp_walk_hpca21 : &mp_walk_radix;
        set_up_unchecked(&p);
        mp_walk_set_memory(&b.walk, 0, 1024 * MB);
        map(0, VA);
        for (unsigned i = 0; i < sizeof flaws / sizeof *flaws; i++) {
            const struct mp_scope all = {.every_asid = true, .every_page = true};
            uint64_t good = read_entry(flaws[i].level, VA), at = entry_address(flaws[i].level, VA);
            mp_walk_invalidate(&b.walk, &all);
            write_entry(flaws[i].level, VA, (good | flaws[i].set) & ~flaws[i].clear);
            const struct mp_req *r = &walk(VA)->req;
            assert_int_equal(r->fault, flaws[i].cause | flaws[i].level << MP_FAULT_LEVEL_SHIFT);
            assert_int_equal(r->pa, at);
            assert_int_equal(mp_physmem_write64(&b.physmem, at, good), 0);
            assert_int_equal(walk(VA)->req.fault, 0); /* the fault has left nothing behind */
        }
        assert_int_equal(b.walk.stats[0].faults, sizeof flaws / sizeof *flaws);
        uint64_t pa = walk(VA)->req.pa;
        write_entry(LEAF, VA, read_entry(LEAF, VA) | MP_PTE_READ_ONLY);
        assert_int_equal(walk(VA)->req.pa, pa); /* no fault of the walk */
        assert_int_equal(walk(VA)->req.span.read_only, 1);
        assert_int_equal(walk(VA)->req.fault, 0);
        if (!optimistic)
            tear_down(state);
    }
}

static void a_table_that_points_to_itself(void **state)
{
    (void)state;
    for (unsigned cached = 0; cached < 2; cached++) {
        struct mp_walk_params p = base();
        p.level_latency = cached ? 0 : LEVEL;
        set_up_unchecked(&p);
        write_entry(0, 0, b.table[0].root | MP_PTE_VALID);
        struct fake_request *r = walk(0);
        assert_int_equal(r->req.fault, MP_FAULT_TABLE | LEAF << MP_FAULT_LEVEL_SHIFT);
        assert_int_equal(b.walk.stats[0].levels_read, 4);
        if (!cached)
            tear_down(state);
    }
}

static void roots_and_tables_outside_the_memory(void **state)
{
    (void)state;
    const struct mp_walk_params p = base();
    set_up_unchecked(&p);
    map(0, VA);
    mp_walk_set_memory(&b.walk, 512 * MB, 512 * MB); /* the tables are in it, the pages below it */
    mp_walk_set_root(&b.walk, 0, b.table[0].format, b.table[0].root);
    assert_int_equal(walk(VA)->req.fault, MP_FAULT_OUTSIDE | LEAF << MP_FAULT_LEVEL_SHIFT);
    assert_int_equal(b.walk.stats[0].levels_read, 4);
    mp_walk_set_memory(&b.walk, 0, 512 * MB);
    const uint64_t outside[] = {b.table[0].root, 512 * MB, 1ull << 47, UINT64_MAX};
    for (unsigned i = 0; i < 4; i++) {
        const struct mp_scope all = {.every_asid = true, .every_page = true};
        mp_walk_invalidate(&b.walk, &all);
        mp_walk_set_root(&b.walk, 0, b.table[0].format, outside[i]);
        const struct mp_req *r = &walk(VA)->req;
        assert_int_equal(r->fault, MP_FAULT_ROOT);
        assert_int_equal(r->pa, 0);
        assert_int_equal(b.walk.stats[0].levels_read, 4 + 1 + i); /* at the root already */
    }
}

/* A walk in flight that is invalidated begins again at the root; otherwise it goes on. */
static void a_walk_under_way_sees_new_tables(void **state)
{
    (void)state;
    for (unsigned cached = 0; cached < 2; cached++)
        for (uint64_t when = 1; when < 4 * LEVEL; when += 37) {
            struct mp_walk_params p = base();
            struct mp_page_table other;
            uint64_t frame;
            const struct mp_scope scope = {.va = VA, .asid = 0};
            p.level_latency = cached ? 0 : LEVEL;
            set_up(&p);
            map(0, VA);
            struct fake_request *r = ask(0, 0, VA);
            at_cycle(when);
            assert_int_equal(mp_page_table_init(&other, p.format, &b.physmem, &b.frames, 0, NULL), 0);
            assert_int_equal(mp_frames_take_page(&b.frames, 0, &frame, NULL), 0);
            assert_int_equal(mp_page_table_map(&other, VA, frame, 0, NULL), 0);
            bool over = r->answered != MP_NEVER;
            if (!over)
                b.table[0].root = other.root; /* the answer is compared with it */
            mp_walk_set_root(&b.walk, 0, b.table[0].format, other.root);
            mp_walk_invalidate(&b.walk, &scope);
            run_dry(&b.wheel);
            assert_int_equal(r->req.pa == frame, !over);
            tear_down(state);
        }
    const struct mp_walk_params p = base();
    set_up(&p);
}

static void another_scheduler(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    const uint64_t owned[MP_TENANTS] = {0x2, 0x1};
    set_up(&p);
    for (uint64_t i = 0; i < 8; i++)
        map(i % 2, i << 16);
    struct fake_request *one = ask(0, 0, 0);
    assert_false(mp_walk_idle(&b.walk));
    run_dry(&b.wheel);
    assert_true(mp_walk_idle(&b.walk));
    assert_int_equal(mp_walk_configure(&b.walk, &mp_walk_static, &p.rules, owned), 0);
    one = ask(0, 0, 0x20000);
    ask(0, 0, 0x40000); /* waits, though a walker is idle */
    ask(1, 1, 0x10000);
    assert_ptr_equal(b.walk.walker[1].walk, &one->req);
    assert_non_null(b.walk.walker[0].walk);
    run_dry(&b.wheel);
    assert_int_equal(b.walk.stats[0].stolen, 0);
    assert_int_equal(b.port[0].answered, 3);
    assert_int_equal(mp_walk_configure(&b.walk, &mp_walk_dwspp, &p.rules, owned), 0);
    for (uint64_t i = 0; i < 8; i++)
        ask((uint32_t)(i % 2), i % 2, i << 16);
    run_dry(&b.wheel);
    assert_int_equal(b.port[0].answered + b.port[1].answered, 3 + 1 + 8);
}

/* --- several sizes of pages and several formats ------------------------------------------------------------
 */

static void compare_with_table(const struct fake_request *r)
{
    const struct mp_translation_answer a = {
        .va = r->req.va, .pa = r->req.pa, .span = r->req.span, .page = r->req.page, .faults = r->req.fault};
    struct mp_error err;
    if (mp_translation_check(&b.table[r->req.asid], &a, NULL, &err))
        fail_msg("%s", err.text);
}

static const struct mp_walk_method *const methods[] = {&mp_walk_radix, &mp_walk_hpca21, &mp_walk_colt,
                                                       &mp_walk_thp, &mp_walk_mesc};

static void unseen(void *unused, uint64_t va)
{
    (void)unused, (void)va;
}

/* Regions of 2 MB, each with pages of one size; some pages are missing. */
static void every_method_ends_at_leaves_of_all_sizes(void **state)
{
    static const uint32_t shifts[] = {12, 16, 21};
    for (unsigned m = 0; m < sizeof methods / sizeof *methods; m++)
        for (unsigned pwc = 0; pwc < 2; pwc++) {
            struct mp_walk_params p = base();
            struct rng r = rng_start("sizes", 31 + m);
            struct mp_contiguity c = {0};
            uint32_t region[64];
            unsigned seen = 0;
            p.method = methods[m];
            p.values = mp_design_defaults(&p.method->design);
            p.format = &mp_page_format_mixed;
            p.pwc_entries = pwc ? 128 : 0;
            assert_true(!p.method->check || !p.method->check(&p, NULL));
            set_up(&p);
            for (uint64_t i = 0; i < 64; i++) {
                region[i] = shifts[rng_below(&r, 3)];
                uint64_t page = 1ull << region[i], shuffle = rng_below(&r, 2) * page * 2;
                for (uint64_t at = 0; at < 2 * MB; at += page)
                    if (rng_percent(&r, 95))
                        assert_int_equal(mp_page_table_map(&b.table[0], i * 2 * MB + at,
                                                           region[i] == 21
                                                               ? (64 + i) * 2 * MB
                                                               : (64 + i) * 2 * MB + (at ^ shuffle),
                                                           region[i], NULL),
                                         0);
            }
            mp_contiguity_scan(&c, &b.table[0], unseen, NULL);
            for (unsigned n = 0; n < 400; n++) {
                uint64_t va = rng_next(&r) % (128 * MB), pa;
                uint64_t before = b.walk.stats[0].levels_read;
                const struct fake_request *q = ask(0, 0, va);
                run_dry(&b.wheel);
                uint32_t shift = mp_page_table_find(&b.table[0], va, &pa);
                compare_with_table(q);
                if (!shift)
                    continue;
                assert_int_equal(q->req.page, shift);
                seen |= 1u << (shift - 12);
                if (!pwc && m < 2)
                    assert_int_equal(b.walk.stats[0].levels_read - before, shift == 21 ? 3 : 4);
            }
            assert_int_equal(seen, 1u | 1u << 4 | 1u << 9);
            if (m + 1 < sizeof methods / sizeof *methods || !pwc)
                tear_down(state);
        }
}

/* The table of pages of 64 KB has another number than its level. */
static void flaws_among_several_sizes(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.format = &mp_page_format_mixed;
    p.pwc_entries = 0;
    set_up_unchecked(&p);
    mp_walk_set_memory(&b.walk, 0, 1024 * MB);
    const uint64_t small = 0x40000000, middle = small + 2 * MB, large = middle + 2 * MB;
    assert_int_equal(mp_page_table_map(&b.table[0], small, 0x5000, 12, NULL), 0);
    assert_int_equal(mp_page_table_map(&b.table[0], middle, 0x10000, 16, NULL), 0);
    assert_int_equal(mp_page_table_map(&b.table[0], large, 0x400000, 21, NULL), 0);
    const struct {
        uint64_t va, set, clear;
        unsigned level, cause;
    } flaws[] = {
        {large, MP_PTE_64K, 0, 2, MP_FAULT_RESERVED},     {large, 0x1000, 0, 2, MP_FAULT_MISALIGNED},
        {large, 0, MP_PTE_VALID, 2, MP_FAULT_NOT_VALID},  {middle, 0x1000, 0, 3, MP_FAULT_MISALIGNED},
        {middle, MP_PTE_64K, 0, 3, MP_FAULT_RESERVED},    {middle, 0, MP_PTE_LEAF, 3, MP_FAULT_TABLE},
        {middle, 0, MP_PTE_VALID, 3, MP_FAULT_NOT_VALID}, {small, MP_PTE_64K, 0, 3, MP_FAULT_RESERVED},
        {small, 1ull << 46, 0, 3, MP_FAULT_OUTSIDE},
    };
    for (unsigned i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        uint64_t at[MP_MAX_LEVELS];
        unsigned level = mp_page_table_walk(&b.table[0], flaws[i].va, at) - 1;
        uint64_t good = mp_physmem_read64(&b.physmem, at[level]);
        assert_int_equal(level, flaws[i].level);
        mp_physmem_write64(&b.physmem, at[level], (good | flaws[i].set) & ~flaws[i].clear);
        const struct mp_req *r = &walk(flaws[i].va)->req;
        assert_int_equal(r->fault, flaws[i].cause | level << MP_FAULT_LEVEL_SHIFT);
        assert_int_equal(r->pa, at[level]);
        mp_physmem_write64(&b.physmem, at[level], good);
        assert_int_equal(walk(flaws[i].va)->req.fault, 0);
    }
}

/* Two address spaces with pages of different sizes, in one page walk cache. */
static void a_format_per_address_space(void **state)
{
    static const uint64_t sizes[2][2] = {{4096, 2 * MB}, {65536, 4096}};
    for (unsigned m = 0; m < 2; m++)
        for (unsigned k = 0; k < 2; k++) {
            struct mp_walk_params p = base();
            struct rng r = rng_start("formats", 40 + m);
            p.method = methods[m];
            set_up(&p);
            for (uint16_t a = 0; a < 2; a++) {
                assert_int_equal(mp_page_table_init(&b.table[a], mp_page_format(sizes[k][a]), &b.physmem,
                                                    &b.frames, 0, NULL),
                                 0);
                mp_walk_set_root(&b.walk, a, b.table[a].format, b.table[a].root);
                for (uint64_t va = 0; va < 64 * MB; va += 3 * sizes[k][a])
                    assert_int_equal(
                        mp_page_table_map(&b.table[a], va, (va + a * 2 * MB) / 2 & -sizes[k][a], 0, NULL), 0);
            }
            for (unsigned n = 0; n < 2000; n++) {
                uint16_t a = (uint16_t)rng_below(&r, 2);
                const struct fake_request *q = ask(0, a, rng_next(&r) % (64 * MB));
                run_dry(&b.wheel);
                compare_with_table(q);
                if (!q->req.fault)
                    assert_int_equal(1ull << q->req.page, sizes[k][a]);
            }
            if (m + k < 2)
                tear_down(state);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(entries_that_are_refused, tear_down),
        cmocka_unit_test_teardown(a_table_that_points_to_itself, tear_down),
        cmocka_unit_test_teardown(roots_and_tables_outside_the_memory, tear_down),
        cmocka_unit_test_teardown(a_walk_under_way_sees_new_tables, tear_down),
        cmocka_unit_test_teardown(another_scheduler, tear_down),
        cmocka_unit_test_teardown(every_method_ends_at_leaves_of_all_sizes, tear_down),
        cmocka_unit_test_teardown(flaws_among_several_sizes, tear_down),
        cmocka_unit_test_teardown(a_format_per_address_space, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
