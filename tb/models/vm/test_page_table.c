/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "vm/page_table.h"

#define MB (1ull << 20)

struct space {
    struct mp_physmem memory;
    struct mp_frames frames;
    struct mp_page_table table;
};

static void set_up(struct space *s, uint64_t page_bytes, uint64_t base, uint64_t bytes)
{
    const struct mp_page_format *f = mp_page_format(page_bytes);
    assert_non_null(f);
    assert_int_equal(1ull << f->page_shift, page_bytes);
    assert_int_equal(mp_physmem_init(&s->memory, base + bytes), 0);
    const struct mp_frames_params frames = {.base = base, .bytes = bytes, .page_bytes = page_bytes};
    assert_int_equal(mp_frames_init(&s->frames, &mp_frames_ascending, &frames, NULL), 0);
    assert_int_equal(mp_page_table_init(&s->table, f, &s->memory, &s->frames, 0, NULL), 0);
}

static void tear_down(struct space *s)
{
    mp_frames_free(&s->frames);
    mp_physmem_free(&s->memory);
}

static void formats_cover_the_address_once(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {4096, 65536, 2 * MB};
    for (unsigned i = 0; i < 3; i++) {
        const struct mp_page_format *f = mp_page_format(sizes[i]);
        unsigned bit = f->va_bits;
        for (unsigned level = 0; level < f->levels; level++) {
            bit -= f->bits[level];
            assert_int_equal(f->low_bit[level], bit);
            assert_true(1u << f->entry_shift[level] << f->bits[level] <= MP_FRAME_BYTES);
        }
        assert_int_equal(bit, f->page_shift);
    }
    static const uint64_t none[] = {0, 1, 4095, 8192, 1 * MB, 4 * MB, 1ull << 30};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(mp_page_format(none[i]));
}

/* The naive side: a list of (page, frame). */
struct mapping {
    uint64_t va, pa;
    bool valid;
};

static void random_maps(uint64_t page_bytes, struct rng *r)
{
    enum { PAGES = 400 };
    static struct space s;
    static struct mapping map[PAGES];
    set_up(&s, page_bytes, 512 * MB, 4096 * MB);
    for (uint32_t i = 0; i < PAGES; i++) { /* some far apart, some neighbours, in all parts of the address */
        bool fresh = !i || rng_percent(r, 30);
        uint64_t va = fresh ? rng_next(r) >> 16 : map[i - 1].va + page_bytes;
        map[i] = (struct mapping){.va = va % (1ull << s.table.format->va_bits) / page_bytes * page_bytes};
        for (uint32_t k = 0; k < i; k++)
            if (map[k].va == map[i].va)
                i--; /* draw again */
    }
    for (uint32_t step = 0; step < 6000; step++) {
        struct mapping *m = &map[rng_below(r, PAGES)];
        uint64_t offset = rng_next(r) % page_bytes, pa = 0;
        if (rng_percent(r, 50)) {
            assert_int_equal(mp_page_table_find(&s.table, m->va + offset, &pa) != 0, m->valid);
            if (m->valid)
                assert_int_equal(pa, m->pa + offset);
        } else if (!m->valid) {
            assert_int_equal(mp_frames_take_page(&s.frames, 0, &m->pa, NULL), 0);
            assert_int_equal(mp_page_table_map(&s.table, m->va, m->pa, 0, NULL), 0);
            m->valid = true;
        } else if (rng_percent(r, 50)) {
            assert_true(mp_page_table_unmap(&s.table, m->va + offset, &pa));
            assert_int_equal(pa, m->pa);
            assert_false(mp_page_table_unmap(&s.table, m->va, &pa));
            mp_frames_give_page(&s.frames, 0, m->pa, 0);
            m->valid = false;
        }
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        uint64_t pa;
        assert_int_equal(mp_page_table_find(&s.table, map[i].va, &pa) != 0, map[i].valid);
    }
    /* Nothing was written but tables, in frames of the memory: they come from its top. */
    uint64_t top = 512 * MB + 4096 * MB, next;
    assert_int_equal(mp_frames_take_table(&s.frames, 0, &next, NULL), 0);
    assert_true(s.memory.present > 0 && s.memory.present < (top - next) / MP_FRAME_BYTES);
    tear_down(&s);
}

static void map_find_unmap_at_random(void **state)
{
    (void)state;
    struct rng r = rng_start("page table", 71);
    random_maps(4096, &r);
    random_maps(65536, &r);
    random_maps(2 * MB, &r);
}

/* The entries that hardware would read, followed by hand. */
static void entries_stand_in_simulated_memory(void **state)
{
    (void)state;
    static struct space s;
    set_up(&s, 65536, 0, 64 * MB);
    const uint64_t va = 0x7f1234560000ull, pa = 0x2340000;
    assert_int_equal(mp_page_table_map(&s.table, va, pa, 0, NULL), 0);
    static const unsigned low[] = {39, 30, 21, 16}, mask[] = {511, 511, 511, 31};
    uint64_t table = s.table.root;
    assert_int_equal(table, 64 * MB - 4096);
    for (unsigned level = 0; level < 4; level++) {
        uint64_t at = table + 8 * (va >> low[level] & mask[level]);
        assert_int_equal(mp_pte_address(s.table.format, level, table, va), at);
        uint64_t entry = mp_physmem_read64(&s.memory, at);
        assert_int_equal(entry & MP_PTE_VALID, MP_PTE_VALID);
        assert_int_equal(entry & MP_PTE_LEAF, level == 3 ? MP_PTE_LEAF : 0);
        assert_int_equal(entry & ~(MP_PTE_ADDRESS | MP_PTE_VALID | MP_PTE_LEAF), 0);
        table = entry & MP_PTE_ADDRESS;
    }
    assert_int_equal(table, pa);
    assert_int_equal(s.memory.present, 4);
    tear_down(&s);
}

static void two_spaces_do_not_meet(void **state)
{
    (void)state;
    static struct space s;
    struct mp_page_table other;
    uint64_t pa;
    set_up(&s, 65536, 0, 64 * MB);
    assert_int_equal(mp_page_table_init(&other, s.table.format, &s.memory, &s.frames, 0, NULL), 0);
    assert_int_equal(mp_page_table_map(&s.table, 0x10000, 0x100000, 0, NULL), 0);
    assert_false(mp_page_table_find(&other, 0x10000, &pa));
    assert_int_equal(mp_page_table_map(&other, 0x10000, 0x200000, 0, NULL), 0);
    assert_true(mp_page_table_find(&s.table, 0x10000, &pa));
    assert_int_equal(pa, 0x100000);
    assert_int_equal(mp_page_table_map(&other, 0x10000, 0x300000, 0, NULL), 0); /* mapped anew */
    assert_true(mp_page_table_find(&other, 0x10008, &pa));
    assert_int_equal(pa, 0x300008);
    tear_down(&s);
}

static void addresses_end_at_48_bits(void **state)
{
    (void)state;
    static struct space s;
    uint64_t pa;
    set_up(&s, 4096, 0, 64 * MB);
    assert_int_equal(mp_page_table_map(&s.table, 0, 0x5000, 0, NULL), 0);
    assert_int_equal(mp_page_table_map(&s.table, (1ull << 48) - 4096, 0x6000, 0, NULL), 0);
    assert_true(mp_page_table_find(&s.table, (1ull << 48) - 1, &pa));
    assert_int_equal(pa, 0x6fff);
    assert_false(mp_page_table_find(&s.table, 1ull << 48, &pa));
    assert_false(mp_page_table_unmap(&s.table, 1ull << 48, &pa));
    assert_true(mp_page_table_find(&s.table, 0, &pa));
    tear_down(&s);
}

static void memory_that_is_used_up(void **state)
{
    (void)state;
    static struct space s;
    set_up(&s, 4096, 0, 2 * MB); /* 512 frames, the root is one */
    uint64_t mapped = 0, pa;
    while (!mp_page_table_map(&s.table, mapped << 30, 0x1000, 0, NULL)) /* two tables and an entry each */
        mapped++;
    assert_int_equal(mapped, (512 - 2) / 2);
    struct mp_error err;
    assert_int_equal(mp_frames_take_table(&s.frames, 0, &pa, NULL), -1);
    assert_int_equal(mp_page_table_map(&s.table, mapped << 30, 0x1000, 0, &err), -1);
    assert_non_null(strstr(err.text, "no page table of 4096 B is left"));
    for (uint64_t i = 0; i < mapped; i++)
        assert_true(mp_page_table_find(&s.table, i << 30, &pa));
    assert_false(mp_page_table_find(&s.table, mapped << 30, &pa)); /* half made, and seen as missing */
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_cover_the_address_once),    cmocka_unit_test(map_find_unmap_at_random),
        cmocka_unit_test(entries_stand_in_simulated_memory), cmocka_unit_test(two_spaces_do_not_meet),
        cmocka_unit_test(addresses_end_at_48_bits),          cmocka_unit_test(memory_that_is_used_up),
    };
    return cmocka_run_group_tests_name("page table", tests, NULL, NULL);
}
