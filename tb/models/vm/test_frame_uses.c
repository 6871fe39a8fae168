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
    assert_true(mp_frame_is_page(&bench->uses, use));
    bench->lost++;
    bench->ended += ended;
    return 0;
}

static void setup_pages_of(uint64_t bytes)
{
    memset(&b, 0, sizeof b);
    assert_int_equal(mp_physmem_init(&b.memory, PAGES * bytes), 0);
    b.uses.self = &b;
    b.uses.lost = lost;
    assert_int_equal(mp_frame_uses_init(&b.uses, &b.memory, mp_page_format(bytes)), 0);
}

static void end(void)
{
    mp_frame_uses_free(&b.uses);
    mp_physmem_free(&b.memory);
}

/* Whether this use is there exactly once. */
static bool is_there(uint64_t frame, uint64_t at, uint64_t va, uint16_t asid, unsigned level, bool read_only)
{
    const struct mp_frame_unit *unit = mp_frame_unit(&b.uses, frame);
    unsigned found = 0;
    for (uint32_t i = unit ? unit->first : 0; i; i = b.uses.use[i].next) {
        const struct mp_frame_use *u = &b.uses.use[i];
        found += u->frame == frame && u->at == at && u->va == va && u->asid == asid && u->level == level &&
                 (level < b.uses.format->levels || u->read_only == read_only);
    }
    return found == 1;
}

/* Returns the number of uses below this table, all of which must be there. */
static unsigned walk(uint64_t table, uint64_t va, uint16_t asid, unsigned level)
{
    const struct mp_page_format *f = b.uses.format;
    const bool leaf = level + 1 == f->levels;
    unsigned uses = 0;
    for (uint64_t i = 0; i < 1ull << f->bits[level]; i++) {
        uint64_t at = table + 8 * i, entry = mp_physmem_read64(&b.memory, at), frame = entry & MP_PTE_ADDRESS;
        uint64_t to = va | i << f->low_bit[level];
        if (!(entry & MP_PTE_VALID) || leaf != !!(entry & MP_PTE_LEAF) || frame >= b.memory.bytes ||
            (leaf && frame & ((1ull << f->page_shift) - 1)))
            continue;
        assert_true(is_there(frame, at, to, asid, level + 1, entry & MP_PTE_READ_ONLY));
        b.pages += leaf;
        uses += 1 + (leaf ? 0 : walk(frame, to, asid, level + 1));
    }
    return uses;
}

static unsigned count_all(void)
{
    unsigned uses = 0;
    for (uint64_t page = 0; page < PAGES; page++) {
        const struct mp_frame_unit *unit = mp_frame_unit(&b.uses, page << b.uses.format->page_shift);
        for (uint32_t i = unit ? unit->first : 0; i; i = b.uses.use[i].next)
            uses++;
    }
    return uses;
}

static void check(void)
{
    unsigned uses = 0;
    b.pages = 0;
    for (uint16_t a = 0; a < SPACES; a++)
        if (b.uses.root[a] < b.memory.bytes) {
            assert_true(is_there(b.uses.root[a], MP_FRAME_NOWHERE, 0, a, 0, false));
            uses += 1 + walk(b.uses.root[a], 0, a, 0);
        }
    assert_int_equal(uses, count_all());
}

/* Tables lead to each other, to themselves, and to pages that are tables, in every order. */
static void at_random(uint64_t bytes)
{
    struct rng r = rng_start("frame uses", 5);
    setup_pages_of(bytes);
    for (unsigned n = 0; n < 4000; n++) {
        uint64_t x = rng_next(&r), to = x >> 8 & 7, entry = MP_FRAME_BYTES * to | MP_PTE_VALID;
        if (x >> 16 & 1)
            entry = ((x >> 20) % PAGES << b.uses.format->page_shift) | MP_PTE_VALID | MP_PTE_LEAF |
                    (x >> 30 & MP_PTE_READ_ONLY);
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
    }
    assert_true(b.lost > 300 && b.ended > 50 && b.ended < b.lost);
    end();
}

static void small_pages(void **state)
{
    (void)state;
    at_random(4096);
}

static void large_pages(void **state)
{
    (void)state;
    at_random(65536);
}

/* A page ends with an entry of 0 above it, but goes on when its table moves. */
static void pages_end(void **state)
{
    (void)state;
    setup_pages_of(4096);
    for (uint64_t level = 0; level < 3; level++)
        mp_frame_uses_write(&b.uses, 0x1000 * level, 0x1000 * (level + 1) | MP_PTE_VALID);
    mp_frame_uses_write(&b.uses, 0x3000, 0x7000 | MP_PTE_VALID | MP_PTE_LEAF);
    mp_frame_uses_write(&b.uses, 0x4000, 0x7000 | MP_PTE_VALID | MP_PTE_LEAF);
    assert_int_equal(mp_frame_uses_set_root(&b.uses, 0, 0), 0);
    const struct mp_frame_unit *unit = mp_frame_unit(&b.uses, 0x7000);
    assert_true(mp_frame_use_of(&b.uses, unit, 0, 0xfff));
    assert_false(mp_frame_use_of(&b.uses, unit, 0, 0x1000));
    assert_false(mp_frame_use_of(&b.uses, unit, 1, 0));
    mp_frame_uses_write(&b.uses, 0x2000, 0x4000 | MP_PTE_VALID);
    assert_int_equal(b.lost, 1);
    assert_int_equal(b.ended, 0);
    mp_frame_uses_write(&b.uses, 0x1000, 0);
    assert_int_equal(b.lost, 2);
    assert_int_equal(b.ended, 1);
    assert_false(mp_frame_use_of(&b.uses, unit, 0, 0));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_pages), cmocka_unit_test(large_pages),
                                       cmocka_unit_test(pages_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
