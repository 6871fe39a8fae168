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

/* --- pages of several sizes
 * --------------------------------------------------------------------------------- */

enum { REGIONS = 6, REGION_PAGES = 512 };

/* The naive side: regions of 2 MB, all pages of which have one size. */
struct region {
    uint64_t va, pa[REGION_PAGES]; /* 0: not mapped */
    uint32_t shift;                /* of the pages that it had last; 0: none yet */
};

static bool has_pages(const struct region *g)
{
    for (unsigned i = 0; i < REGION_PAGES; i++)
        if (g->pa[i])
            return true;
    return false;
}

/* Follows the entries as the comment of page_format.h has them. Returns log2 of the page's bytes, 0 if there
 * is none. */
static uint32_t decode(const struct space *s, uint64_t va, uint64_t *pa)
{
    uint64_t entry = s->table.root | 1;
    for (int low = 39; low > 12; low -= 9) {
        entry = mp_physmem_read64(&s->memory, (entry & 0xfffffffff000) + 8 * (va >> low & 511));
        if (!(entry & 1))
            return 0;
        if (low == 21 && entry & 2) {
            *pa = (entry & 0xfffffffff000) | (va & 0x1fffff);
            return 21;
        }
        assert_int_equal(entry & ~0xfffffffff000, low == 21 ? entry & 9 : 1);
    }
    unsigned shift = entry & 8 ? 16 : 12;
    entry = mp_physmem_read64(&s->memory, (entry & 0xfffffffff000) + 8 * (va % (2 * MB) >> shift));
    *pa = (entry & 0xfffffffff000) | (va & ((1u << shift) - 1));
    return entry & 1 ? shift : 0;
}

static void check_all(const struct space *s, const struct region *all, struct rng *r)
{
    for (unsigned i = 0; i < REGIONS; i++) {
        const struct region *g = &all[i];
        unsigned page = rng_below(r, REGION_PAGES);
        uint64_t va = g->va + page * 4096ull + rng_below(r, 4096), pa = 0, decoded = 0;
        uint32_t shift = g->shift ? g->shift : 12;
        unsigned index = page >> (shift - 12);
        uint32_t expected = g->pa[index] ? shift : 0;
        assert_int_equal(mp_page_table_find(&s->table, va, &pa), expected);
        assert_int_equal(decode(s, va, &decoded), expected);
        if (!expected)
            continue;
        assert_int_equal(pa, g->pa[index] + (va & ((1u << shift) - 1)));
        assert_int_equal(decoded, pa);
    }
}

static void pages_of_several_sizes(void **state)
{
    (void)state;
    static const uint32_t shifts[] = {12, 16, 21};
    static struct space s;
    static struct region all[REGIONS];
    struct rng r = rng_start("page table of several sizes", 72);
    unsigned refused = 0, replaced = 0;
    struct mp_error err;
    uint64_t pa;
    memset(all, 0, sizeof all);
    set_up(&s, 4096, 0, 256 * MB);
    s.table.format = &mp_page_format_mixed;
    for (unsigned i = 0; i < REGIONS; i++)
        all[i].va = (i % 2 ? 0x7f1234400000 : 0x40000000) + i * 2 * MB;
    for (unsigned step = 0; step < 60000; step++) {
        struct region *g = &all[rng_below(&r, REGIONS)];
        uint32_t shift = rng_percent(&r, 80) && g->shift ? g->shift : shifts[rng_below(&r, 3)];
        unsigned index = rng_below(&r, REGION_PAGES >> (shift - 12));
        uint64_t va = g->va + ((uint64_t)index << shift), to = (1 + rng_below(&r, 500)) * (2 * MB);
        if (step % 97 == 0) { /* the whole region goes */
            for (unsigned i = 0; i < REGION_PAGES; i++)
                if (g->pa[i]) {
                    assert_int_equal(mp_page_table_unmap(&s.table, g->va + ((uint64_t)i << g->shift), &pa),
                                     g->shift);
                    assert_int_equal(pa, g->pa[i]);
                    g->pa[i] = 0;
                }
        } else if (rng_percent(&r, 70)) {
            bool other = has_pages(g) && g->shift != shift;
            if (rng_percent(&r, 30))
                assert_int_equal(mp_page_table_reach(&s.table, va, shift, &err) < 0, other);
            int mapped = mp_page_table_map(&s.table, va, to, shift, &err);
            assert_int_equal(mapped < 0, other);
            refused += other;
            replaced += mapped > 0;
            if (other) {
                assert_non_null(strstr(err.text, "one size per region"));
            } else {
                g->shift = shift;
                g->pa[index] = to;
            }
        } else if (g->shift == shift) {
            assert_int_equal(mp_page_table_unmap(&s.table, va + 5, &pa), g->pa[index] ? shift : 0);
            assert_int_equal(pa, g->pa[index]);
            g->pa[index] = 0;
        }
        check_all(&s, all, &r);
    }
    assert_true(refused > 100 && replaced > 10);
    assert_int_equal(mp_page_table_map(&s.table, 0, 0, 30, &err), -1);
    assert_non_null(strstr(err.text, "no pages of 1 << 30 B"));
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_cover_the_address_once),
        cmocka_unit_test(map_find_unmap_at_random),
        cmocka_unit_test(entries_stand_in_simulated_memory),
        cmocka_unit_test(two_spaces_do_not_meet),
        cmocka_unit_test(addresses_end_at_48_bits),
        cmocka_unit_test(memory_that_is_used_up),
        cmocka_unit_test(pages_of_several_sizes),
    };
    return cmocka_run_group_tests_name("page table", tests, NULL, NULL);
}
