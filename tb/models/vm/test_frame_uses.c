/* SPDX-License-Identifier: Apache-2.0 */
/* Page tables read backwards: after every store, they have what a walk of all tables finds. */
#include "../engine/fakes.h"

#include "vm/frame_uses.h"

enum { SPACES = 3, TABLES = 6, WORDS = 4, PAGES = 16 };

static struct bench {
    struct mp_physmem memory;
    struct mp_frame_uses uses;
    uint64_t pages, lost, ended; /* pages: those that exist now */
} b;

static int lost(void *self, const struct mp_frame_use *use, bool ended)
{
    struct bench *bench = self;
    assert_true(mp_frame_is_page(use));
    bench->lost++;
    bench->ended += ended;
    return 0;
}

static void setup(const struct mp_page_format *format, uint64_t bytes)
{
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, PAGES * bytes), 0);
    b.uses.self = &b;
    b.uses.lost = lost;
    assert_int_equal(mp_frame_uses_init(&b.uses, &b.memory, format), 0);
}

static void end(void)
{
    mp_frame_uses_free(&b.uses);
    mp_physmem_free(&b.memory);
}

/* Whether this use is there exactly once. */
static bool is_there(uint64_t frame, uint64_t at, uint64_t va, uint16_t asid, unsigned page_shift,
                     unsigned table, bool read_only)
{
    const struct mp_frame_unit *unit = mp_frame_unit(&b.uses, frame);
    unsigned found = 0;
    for (uint32_t i = unit ? unit->first : 0; i; i = b.uses.use[i].next) {
        const struct mp_frame_use *u = &b.uses.use[i];
        found += u->frame == frame && u->at == at && u->va == va && u->asid == asid &&
                 u->page_shift == page_shift && (page_shift ? u->read_only == read_only : u->table == table);
    }
    return found == 1;
}

/* What an entry of the table of this number is: log2 of its page's bytes, or 0 and the table to which it
 * points. Returns false if it is neither. */
static bool decode(unsigned number, uint64_t entry, unsigned *page_shift, unsigned *table)
{
    const struct mp_page_format *f = b.uses.format;
    const bool leaf = entry & MP_PTE_LEAF, several = f == &mp_page_format_mixed;
    const bool last = number + 1 >= f->levels;
    *page_shift = !leaf ? 0 : number == 2 && several ? 21 : number == 4 ? 16 : f->page_shift;
    *table = number == 2 && several && entry & MP_PTE_64K ? 4 : number + 1;
    return entry & MP_PTE_VALID && (leaf == last || (leaf && number == 2 && several));
}

/* Returns the number of uses below this table, all of which must be there. */
static unsigned walk(uint64_t table, uint64_t va, uint16_t asid, unsigned number)
{
    const struct mp_page_format *f = b.uses.format;
    unsigned uses = 0, page_shift, next;
    for (uint64_t i = 0; i < 1ull << f->bits[number]; i++) {
        uint64_t at = table + 8 * i, entry = mp_physmem_read64(&b.memory, at), frame = entry & MP_PTE_ADDRESS;
        uint64_t to = va | i << f->low_bit[number];
        if (!decode(number, entry, &page_shift, &next) || frame >= b.memory.bytes ||
            frame & ((1ull << page_shift) - 1))
            continue;
        assert_true(is_there(frame, at, to, asid, page_shift, next, entry & MP_PTE_READ_ONLY));
        b.pages += page_shift != 0;
        uses += 1 + (page_shift ? 0 : walk(frame, to, asid, next));
    }
    return uses;
}

static unsigned count_all(void)
{
    unsigned uses = 0;
    for (uint64_t at = 0; at < b.memory.bytes; at += 1ull << b.uses.format->page_shift) {
        const struct mp_frame_unit *unit = mp_frame_unit(&b.uses, at);
        for (uint32_t i = unit ? unit->first : 0; i; i = b.uses.use[i].next)
            uses++;
    }
    return uses;
}

/* The sum of the numbers of the uses that overlap this memory, found by looking at all. */
static uint64_t sum_overlapping(uint64_t from, uint64_t bytes)
{
    const uint64_t granule = 1ull << b.uses.format->page_shift;
    uint64_t sum = 0;
    for (uint64_t at = 0; at < b.memory.bytes; at += granule) {
        const struct mp_frame_unit *unit = mp_frame_unit(&b.uses, at);
        for (uint32_t i = unit ? unit->first : 0; i; i = b.uses.use[i].next) {
            const struct mp_frame_use *u = &b.uses.use[i];
            uint64_t size = u->page_shift ? 1ull << u->page_shift : granule;
            if (at < from + bytes && at + size > from)
                sum += i + (1ull << 32);
        }
    }
    return sum;
}

static void check_overlap(struct rng *r)
{
    const struct mp_page_format *f = b.uses.format;
    uint64_t sum = 0, sizes = f->pages, bytes;
    for (uint32_t skip = rng_below(r, 3); skip && sizes & (sizes - 1); skip--)
        sizes &= sizes - 1;
    bytes = sizes & -sizes;
    uint64_t from = rng_next(r) % b.memory.bytes & -bytes;
    if (rng_percent(r, 50))
        from &= 0x3fffff;
    struct mp_frame_overlap o = mp_frame_overlap(&b.uses, from, bytes);
    for (uint32_t i; (i = mp_frame_overlap_next(&b.uses, &o));)
        sum += i + (1ull << 32);
    assert_int_equal(sum, sum_overlapping(from, bytes));
}

static void check(void)
{
    unsigned uses = 0;
    b.pages = 0;
    for (uint16_t a = 0; a < SPACES; a++)
        if (b.uses.root[a] < b.memory.bytes) {
            assert_true(is_there(b.uses.root[a], MP_FRAME_NOWHERE, 0, a, 0, 0, false));
            uses += 1 + walk(b.uses.root[a], 0, a, 0);
        }
    assert_int_equal(uses, count_all());
}

/* Tables lead to each other, to themselves, and to pages that are tables, in every order. */
static void at_random(const struct mp_page_format *format, uint64_t bytes, unsigned steps)
{
    struct rng r = rng_start("frame uses", 5), other = rng_start("overlap", 6);
    setup(format, bytes);
    for (unsigned n = 0; n < steps; n++) {
        uint64_t x = rng_next(&r), to = x >> 8 & 7, entry = MP_FRAME_BYTES * to | MP_PTE_VALID;
        if (x >> 16 & 1)
            entry =
                (x >> 20) % PAGES * (rng_percent(&other, 70) ? bytes : 1ull << b.uses.format->page_shift) |
                MP_PTE_VALID | MP_PTE_LEAF | (x >> 30 & MP_PTE_READ_ONLY);
        else if (bytes != 1ull << format->page_shift && rng_percent(&other, 40))
            entry |= MP_PTE_64K;
        if (x >> 40 & 1)
            entry = x >> 41 & 1 ? 0 : entry & ~MP_PTE_VALID;
        uint64_t at = MP_FRAME_BYTES * ((x >> 44) % TABLES) + 8 * ((x >> 50) % WORDS);
        b.uses.now = n + 1;
        if (n % 50)
            assert_int_equal(mp_frame_uses_write(&b.uses, at, entry), 0);
        else
            assert_int_equal(mp_frame_uses_set_root(&b.uses, (uint16_t)(n / 50 % SPACES),
                                                    x & 1 ? MP_FRAME_NOWHERE : MP_FRAME_BYTES * to),
                             0);
        assert_true(n % 50 == 0 || mp_physmem_read64(&b.memory, at) == entry);
        check();
        check_overlap(&other);
    }
    assert_true(b.lost > 300 && b.ended > 50 && b.ended < b.lost);
    end();
}

static void small_pages(void **state)
{
    (void)state;
    at_random(mp_page_format(4096), 4096, 4000);
}

static void large_pages(void **state)
{
    (void)state;
    at_random(mp_page_format(65536), 65536, 4000);
}

static void pages_of_several_sizes(void **state)
{
    (void)state;
    at_random(&mp_page_format_mixed, 2 << 20, 4000);
}

/* A page ends with an entry of 0 above it, but goes on when its table moves. */
static void pages_end(void **state)
{
    (void)state;
    setup(mp_page_format(4096), 4096);
    for (uint64_t level = 0; level < 3; level++)
        mp_frame_uses_write(&b.uses, 0x1000 * level, 0x1000 * (level + 1) | MP_PTE_VALID);
    mp_frame_uses_write(&b.uses, 0x3000, 0x7000 | MP_PTE_VALID | MP_PTE_LEAF);
    mp_frame_uses_write(&b.uses, 0x4000, 0x7000 | MP_PTE_VALID | MP_PTE_LEAF);
    assert_int_equal(mp_frame_uses_set_root(&b.uses, 0, 0), 0);
    assert_true(mp_frame_use_of(&b.uses, 0x7000, 0, 0xfff));
    assert_false(mp_frame_use_of(&b.uses, 0x7000, 0, 0x1000));
    assert_false(mp_frame_use_of(&b.uses, 0x7000, 1, 0));
    mp_frame_uses_write(&b.uses, 0x2000, 0x4000 | MP_PTE_VALID);
    assert_int_equal(b.lost, 1);
    assert_int_equal(b.ended, 0);
    mp_frame_uses_write(&b.uses, 0x1000, 0);
    assert_int_equal(b.lost, 2);
    assert_int_equal(b.ended, 1);
    assert_false(mp_frame_use_of(&b.uses, 0x7000, 0, 0));
    end();
}

/* A page is found from every address in it, and only as a page of its size. */
static void a_large_page_among_small_ones(void **state)
{
    (void)state;
    setup(&mp_page_format_mixed, 2 << 20);
    for (uint64_t level = 0; level < 2; level++)
        mp_frame_uses_write(&b.uses, 0x1000 * level, 0x1000 * (level + 1) | MP_PTE_VALID);
    mp_frame_uses_write(&b.uses, 0x2000, 0x3000 | MP_PTE_VALID);
    mp_frame_uses_write(&b.uses, 0x3008, 0x601000 | MP_PTE_VALID | MP_PTE_LEAF);
    mp_frame_uses_write(&b.uses, 0x2008, 0x600000 | MP_PTE_VALID | MP_PTE_LEAF);
    mp_frame_uses_write(&b.uses, 0x2010, 0x4000 | MP_PTE_VALID | MP_PTE_64K);
    mp_frame_uses_write(&b.uses, 0x4010, 0x620000 | MP_PTE_VALID | MP_PTE_LEAF);
    assert_int_equal(mp_frame_uses_set_root(&b.uses, 0, 0), 0);
    assert_int_equal(b.uses.use[mp_frame_use_of(&b.uses, 0x601008, 0, 0x1000)].page_shift, 12);
    assert_int_equal(b.uses.use[mp_frame_use_of(&b.uses, 0x601008, 0, 0x201008)].page_shift, 21);
    assert_int_equal(b.uses.use[mp_frame_use_of(&b.uses, 0x7fffff, 0, 0x3fffff)].page_shift, 21);
    assert_int_equal(b.uses.use[mp_frame_use_of(&b.uses, 0x62ffff, 0, 0x42ffff)].page_shift, 16);
    assert_false(mp_frame_use_of(&b.uses, 0x602000, 0, 0x2000));
    assert_false(mp_frame_use_of(&b.uses, 0x800000, 0, 0x400000));
    struct mp_frame_overlap o = mp_frame_overlap(&b.uses, 0x601000, 0x1000);
    unsigned uses = 0;
    while (mp_frame_overlap_next(&b.uses, &o))
        uses++;
    assert_int_equal(uses, 2);
    end();
}

/* Two address spaces, each with one size: an entry of level 2 is a page in one, and a table in the other. */
static void spaces_of_different_formats(void **state)
{
    (void)state;
    setup(mp_page_format(4096), 2 << 20);
    mp_frame_uses_set_format(&b.uses, 1, mp_page_format(2 << 20));
    for (uint64_t space = 0; space < 2; space++)
        for (uint64_t level = 0; level < 2; level++)
            mp_frame_uses_write(&b.uses, 0x10000 * space + 0x1000 * level,
                                (0x10000 * space + 0x1000 * (level + 1)) | MP_PTE_VALID);
    mp_frame_uses_write(&b.uses, 0x2000, 0x3000 | MP_PTE_VALID);
    mp_frame_uses_write(&b.uses, 0x3008, 0x601000 | MP_PTE_VALID | MP_PTE_LEAF);
    mp_frame_uses_write(&b.uses, 0x12000, 0x600000 | MP_PTE_VALID | MP_PTE_LEAF);
    mp_frame_uses_write(&b.uses, 0x2008, 0x600000 | MP_PTE_VALID | MP_PTE_LEAF); /* no table */
    mp_frame_uses_write(&b.uses, 0x12008, 0x3000 | MP_PTE_VALID);                /* no page */
    assert_int_equal(mp_frame_uses_set_root(&b.uses, 0, 0), 0);
    assert_int_equal(mp_frame_uses_set_root(&b.uses, 1, 0x10000), 0);
    assert_int_equal(b.uses.use[mp_frame_use_of(&b.uses, 0x601008, 0, 0x1008)].page_shift, 12);
    assert_int_equal(b.uses.use[mp_frame_use_of(&b.uses, 0x601008, 1, 0x1008)].page_shift, 21);
    assert_false(mp_frame_use_of(&b.uses, 0x601008, 0, 0x201008));
    assert_false(mp_frame_use_of(&b.uses, 0x3000, 1, 0x200000));
    mp_frame_uses_write(&b.uses, 0x12000, 0);
    assert_int_equal(b.lost, 1);
    assert_true(mp_frame_use_of(&b.uses, 0x601008, 0, 0x1008));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_pages),
                                       cmocka_unit_test(large_pages),
                                       cmocka_unit_test(pages_of_several_sizes),
                                       cmocka_unit_test(pages_end),
                                       cmocka_unit_test(a_large_page_among_small_ones),
                                       cmocka_unit_test(spaces_of_different_formats)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
