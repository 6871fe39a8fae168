/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Published formats of page tables: drivers' tables and walks are compared with a decoder that is written
 * here from the published layouts, with numbers of bits and without the tables of vm/tables/formats.c. Then
 * bits are flipped.
 */
#include "vm/translation_check.h"
#include "walk_bench.h"

#define MEMORY (1024 * MB)

/* What the decoder finds. */
struct found {
    unsigned page_shift; /* 0: a fault */
    uint64_t pa;
    bool read_only;
    unsigned cause, level;
    uint64_t fault_at;
    unsigned entries;
    uint64_t at[8]; /* their addresses */
};

static uint64_t bits(unsigned high, unsigned low)
{
    return (high == 63 ? 0 : 1ull << (high + 1)) - (1ull << low);
}

static uint64_t read_at(struct found *f, uint64_t at)
{
    f->at[f->entries++] = at;
    return mp_physmem_read64(&b.physmem, at);
}

static bool fails(struct found *f, unsigned cause, unsigned level, uint64_t at)
{
    f->cause = cause;
    f->level = level;
    f->fault_at = at;
    return false;
}

static bool ends_at(struct found *f, uint64_t va, unsigned page_shift, uint64_t frame, bool read_only,
                    unsigned level, uint64_t at)
{
    if (frame >= MEMORY)
        return fails(f, MP_FAULT_OUTSIDE, level, at);
    f->page_shift = page_shift;
    f->pa = frame | (va & bits(page_shift - 1, 0));
    f->read_only = read_only;
    return true;
}

/* --- NVIDIA
 * ------------------------------------------------------------------------------------------------- */

/* A page directory entry of version v, whose address field begins with this bit. */
static bool nvidia_pde(struct found *f, unsigned v, uint64_t e, unsigned low, unsigned level, uint64_t at,
                       uint64_t *table)
{
    uint64_t field = v == 2 ? bits(32, low) : bits(51, low);
    uint64_t free = v == 2 ? bits(3, 3) : bits(5, 3);
    if (e & ~(field | free | 7))
        return fails(f, MP_FAULT_RESERVED, level, at);
    if (e & 1)
        return fails(f, MP_FAULT_LEAF, level, at);
    if ((e >> 1 & 3) != 1)
        return fails(f, MP_FAULT_RESERVED, level, at);
    *table = (e & field) << (v == 2 ? 4 : 0);
    return *table < MEMORY || fails(f, MP_FAULT_OUTSIDE, level, at);
}

static bool nvidia_pte(struct found *f, unsigned v, uint64_t va, uint64_t e, unsigned page_shift,
                       unsigned level, uint64_t at)
{
    /* aperture, then v2: encrypted, privilege, no atomics, peer and compression; v3: privilege, no atomics,
     * the rest */
    uint64_t zero = v == 2 ? bits(2, 1) | bits(5, 4) | bits(7, 7) | bits(55, 33)
                           : bits(2, 1) | bits(4, 4) | bits(6, 6) | bits(63, 40);
    uint64_t frame = v == 2 ? (e & bits(32, 8)) << 4 : e & bits(39, 12);
    if (e & zero)
        return fails(f, MP_FAULT_RESERVED, level, at);
    if (frame & bits(page_shift - 1, 0))
        return fails(f, MP_FAULT_MISALIGNED, level, at);
    return ends_at(f, va, page_shift, frame, e >> (v == 2 ? 6 : 5) & 1, level, at);
}

static bool nvidia(struct found *f, unsigned v, uint64_t va)
{
    unsigned level = 0, low = v == 2 ? 47 : 56;
    uint64_t table = b.table[0].root, at, e, half;
    for (; low > 21; low -= low == 29 ? 8 : 9, level++) {
        at = table + 8 * (va >> low & (level ? 511 : 3));
        e = read_at(f, at);
        if (!(e & 7))
            return fails(f, MP_FAULT_NOT_VALID, level, at);
        if (v == 3 && low == 29 && e & 1)
            return nvidia_pte(f, v, va, e, 29, level, at);
        if (!nvidia_pde(f, v, e, v == 2 ? 8 : 12, level, at, &table))
            return false;
    }
    at = table + 16 * (va >> 21 & 255);
    e = read_at(f, at);
    half = mp_physmem_read64(&b.physmem, at + 8);
    if (e & 1)
        return nvidia_pte(f, v, va, e, 21, level, at);
    if (e & 7) {
        uint64_t big;
        if (!nvidia_pde(f, v, e, v == 2 ? 4 : 8, level, at, &table))
            return false;
        big = read_at(f, table + 8 * (va >> 16 & 31));
        if (big & 1)
            return nvidia_pte(f, v, va, big, 16, level + 1, table + 8 * (va >> 16 & 31));
        bool no_small = v == 2 ? big >> 5 & 1 : (big >> 3 & 31) == 3;
        if (no_small || !(half & 7))
            return fails(f, MP_FAULT_NOT_VALID, level + 1, table + 8 * (va >> 16 & 31));
    } else if (!(half & 7)) {
        return fails(f, MP_FAULT_NOT_VALID, level, at);
    }
    if (!nvidia_pde(f, v, half, v == 2 ? 8 : 12, level, at + 8, &table))
        return false;
    at = table + 8 * (va >> 12 & 511);
    e = read_at(f, at);
    return e & 1 ? nvidia_pte(f, v, va, e, 12, level + 1, at) : fails(f, MP_FAULT_NOT_VALID, level + 1, at);
}

/* --- others
 * ------------------------------------------------------------------------------------------------- */

static bool x86(struct found *f, uint64_t va)
{
    uint64_t table = b.table[0].root;
    for (unsigned level = 0, low = 39;; level++, low -= 9) {
        uint64_t at = table + 8 * (va >> low & 511), e = read_at(f, at);
        bool page = level == 3 || (level && e & 0x80);
        unsigned lowest = page ? low : 12;
        if (!(e & 1))
            return fails(f, MP_FAULT_NOT_VALID, level, at);
        if (!level && e & 0x80)
            return fails(f, MP_FAULT_RESERVED, level, at);
        if (page && level < 3 && e & bits(low - 1, 13))
            return fails(f, MP_FAULT_RESERVED, level, at);
        if (!(e & 4) || (!page && !(e & 2)))
            return fails(f, MP_FAULT_RESERVED, level, at);
        uint64_t to = e & bits(51, lowest);
        if (page)
            return ends_at(f, va, low, to, !(e & 2), level, at);
        if (to >= MEMORY)
            return fails(f, MP_FAULT_OUTSIDE, level, at);
        table = to;
    }
}

static bool riscv(struct found *f, unsigned levels, uint64_t va)
{
    uint64_t table = b.table[0].root;
    for (unsigned level = 0, low = 9 * levels + 3;; level++, low -= 9) {
        uint64_t at = table + 8 * (va >> low & 511), e = read_at(f, at), to = (e >> 10 & bits(43, 0)) << 12;
        if (!(e & 1))
            return fails(f, MP_FAULT_NOT_VALID, level, at);
        if (e >> 54)
            return fails(f, MP_FAULT_RESERVED, level, at);
        if (level + 1 == levels && !(e & 2))
            return fails(f, MP_FAULT_TABLE, level, at);
        if (e & 2) {
            if (!(e & 16)) /* not for applications */
                return fails(f, MP_FAULT_RESERVED, level, at);
            if (to & bits(low - 1, 0))
                return fails(f, MP_FAULT_MISALIGNED, level, at);
            return ends_at(f, va, low, to, !(e & 4), level, at);
        }
        if (e & 0xdc) /* writable or executable and not readable; or user, accessed, dirty of a pointer */
            return fails(f, MP_FAULT_RESERVED, level, at);
        if (to >= MEMORY)
            return fails(f, MP_FAULT_OUTSIDE, level, at);
        table = to;
    }
}

static struct found decode(const char *name, uint64_t va)
{
    struct found f = {0};
    if (!strncmp(name, "nvidia", 6))
        nvidia(&f, (unsigned)(name[8] - '0'), va);
    else if (!strcmp(name, "x86-64"))
        x86(&f, va);
    else
        riscv(&f, name[2] == '3' ? 3 : 4, va);
    return f;
}

/* --- comparisons
 * -------------------------------------------------------------------------------------------- */

enum { PAGES = 300 };

static struct mapping {
    uint64_t va, pa;
    uint32_t shift;
    bool mapped;
} map_of[PAGES];

static bool overlaps_other(const struct mapping *m)
{
    for (unsigned i = 0; i < PAGES; i++) {
        const struct mapping *o = &map_of[i];
        if (o->mapped && o->shift != m->shift && o->va < m->va + (1ull << m->shift) &&
            m->va < o->va + (1ull << o->shift))
            return true;
    }
    return false;
}

static uint32_t random_shift(struct rng *r, const struct mp_page_format *f)
{
    uint64_t sizes = f->pages;
    for (uint32_t skip = rng_below(r, 3); skip && sizes & (sizes - 1); skip--)
        sizes &= sizes - 1;
    if (rng_percent(r, 2))
        sizes = 1ull << (63 - __builtin_clzll(sizes));
    return (uint32_t)__builtin_ctzll(sizes);
}

/* A page somewhere, or near another one. */
static struct mapping random_page(struct rng *r, const struct mp_page_format *f, unsigned known)
{
    struct mapping m = {.shift = random_shift(r, f)};
    m.va = rng_next(r) >> (64 - f->va_bits);
    if (known && rng_percent(r, 80))
        m.va = map_of[rng_below(r, known)].va ^ (rng_next(r) & bits(22, 12));
    m.va = m.va >> m.shift << m.shift;
    m.pa = (rng_next(r) % MEMORY) >> m.shift << m.shift;
    return m;
}

static const struct mp_req *walk(uint64_t va)
{
    const struct fake_request *q = ask(0, 0, va);
    run_dry(&b.wheel);
    return &q->req;
}

/* What the decoder, the driver's table and a walk find at this address. */
static void compare(const char *name, uint64_t va, bool table_too)
{
    struct found f = decode(name, va);
    const struct mp_req *q = walk(va);
    uint64_t pa, at[MP_MAX_LEVELS];
    if (table_too) {
        assert_int_equal(mp_page_table_find(&b.table[0], va, &pa), f.page_shift);
        assert_true(!f.page_shift || pa == f.pa);
        assert_int_equal(mp_page_table_walk(&b.table[0], va, at), f.entries);
        for (unsigned i = 0; i < f.entries; i++)
            assert_int_equal(at[i], f.at[i]);
    }
    if (f.page_shift) {
        assert_int_equal(q->fault, 0);
        assert_int_equal(q->pa, f.pa);
        assert_int_equal(q->page, f.page_shift);
        assert_int_equal(q->span.read_only, f.read_only);
    } else {
        assert_int_equal(q->fault, f.cause | f.level << MP_FAULT_LEVEL_SHIFT);
        assert_int_equal(q->pa, f.fault_at);
    }
}

static void begin(const struct mp_page_format *f, const struct mp_walk_method *method, uint32_t pwc)
{
    struct mp_walk_params p = base();
    p.format = f;
    p.method = method;
    p.pwc_entries = pwc;
    set_up(&p);
    b.port[0].check = NULL;
    mp_walk_set_memory(&b.walk, 0, MEMORY);
    memset(map_of, 0, sizeof map_of);
}

static void forget_all(void)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    mp_walk_invalidate(&b.walk, &all);
}

static void change_at_random(const struct mp_page_format *f, struct rng *r, unsigned *refused)
{
    unsigned i = rng_below(r, PAGES);
    struct mapping *m = &map_of[i];
    const struct mp_scope scope = {.tables = true, .va = m->va, .bytes = 1ull << m->shift};
    uint64_t pa;
    if (m->mapped) {
        assert_int_equal(mp_page_table_unmap(&b.table[0], m->va + 4095, &pa), m->shift);
        assert_int_equal(pa, m->pa);
        m->mapped = false;
        mp_walk_invalidate(&b.walk, &scope);
        return;
    }
    *m = random_page(r, f, PAGES);
    for (unsigned k = 0; k < PAGES; k++)
        if (map_of[k].mapped && map_of[k].va == m->va && map_of[k].shift == m->shift)
            return;
    bool other = overlaps_other(m);
    int status = mp_page_table_map(&b.table[0], m->va, m->pa, m->shift, NULL);
    assert_int_equal(status < 0, other);
    *refused += other;
    m->mapped = !other;
    if (status > 0)
        forget_all();
}

static void tables_and_walks_at_random(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_radix, &mp_walk_hpca21, &mp_walk_probe};
    (void)state;
    for (unsigned n = 0; mp_page_formats[n]; n++)
        for (unsigned m = 0; m < 3; m++)
            for (uint32_t pwc = 0; pwc <= 128; pwc += 128) {
                const struct mp_page_format *f = mp_page_formats[n];
                struct rng r = rng_start(f->name, 100 + n);
                unsigned refused = 0;
                if (m == 1 && f->dual)
                    continue;
                begin(f, methods[m], pwc);
                for (unsigned step = 0; step < 2500; step++) {
                    change_at_random(f, &r, &refused);
                    const struct mapping *near = &map_of[rng_below(&r, PAGES)];
                    compare(f->name, near->va + (rng_next(&r) & bits(near->shift ? near->shift - 1 : 12, 0)),
                            true);
                    compare(f->name, near->va ^ 1ull << rng_below(&r, f->va_bits), true);
                }
                assert_true(refused > 20);
                if (f->va_bits < 57) { /* no such address: nothing is read */
                    const struct mp_req *q = walk(1ull << f->va_bits);
                    assert_int_equal(q->fault, MP_FAULT_NOT_VALID);
                    assert_int_equal(q->pa, 0);
                }
                tear_down(NULL);
            }
    const struct mp_walk_params p = base();
    set_up(&p);
}

static void flipped_bits(void **state)
{
    (void)state;
    for (unsigned i = 0; mp_page_formats[i / 2]; i++) {
        const unsigned n = i / 2;
        const struct mp_page_format *f = mp_page_formats[n];
        struct rng r = rng_start(f->name, 200 + n);
        unsigned causes = 0, refused = 0;
        begin(f, i % 2 ? &mp_walk_probe : &mp_walk_radix, 64);
        for (unsigned step = 0; step < 1000; step++)
            change_at_random(f, &r, &refused);
        for (unsigned step = 0; step < 6000; step++) {
            const struct mapping *m = &map_of[rng_below(&r, PAGES)];
            if (!m->mapped)
                continue;
            struct found good = decode(f->name, m->va);
            unsigned entry = rng_below(&r, good.entries);
            uint64_t at = good.at[entry];
            if (f->dual && entry == f->dual && rng_percent(&r, 30))
                at += 8;
            uint64_t was = mp_physmem_read64(&b.physmem, at), is = was ^ 1ull << rng_below(&r, 64);
            if (rng_percent(&r, 20))
                is ^= 1ull << rng_below(&r, 8);
            forget_all();
            mp_physmem_write64(&b.physmem, at, is);
            compare(f->name, m->va, false);
            compare(f->name, m->va,
                    false); /* what has come into the page walk cache meanwhile changes nothing */
            causes |= 1u << decode(f->name, m->va).cause;
            mp_physmem_write64(&b.physmem, at, was);
            forget_all();
            compare(f->name, m->va, true);
        }
        unsigned expected =
            1u << MP_FAULT_NONE | 1u << MP_FAULT_NOT_VALID | 1u << MP_FAULT_RESERVED | 1u << MP_FAULT_OUTSIDE;
        assert_int_equal(causes & expected, expected);
        tear_down(NULL);
    }
    const struct mp_walk_params p = base();
    set_up(&p);
}

/* The number of reads is that of the levels; a dual entry is one read. */
static void reads_of_each_format(void **state)
{
    static const struct {
        const char *name;
        uint64_t page_bytes;
        unsigned reads, with_cache;
    } expected[] = {{"mempath", 4096, 4, 1},   {"nvidia-v2", 2 * MB, 4, 1}, {"nvidia-v2", 65536, 5, 1},
                    {"nvidia-v2", 4096, 5, 1}, {"nvidia-v3", 65536, 6, 1},  {"nvidia-v3", 512 * MB, 4, 1},
                    {"x86-64", 4096, 4, 1},    {"x86-64", 2 * MB, 3, 1},    {"x86-64", 1024 * MB, 2, 1},
                    {"sv39", 4096, 3, 1},      {"sv48", 4096, 4, 1},        {"sv48", 1ull << 39, 1, 1}};
    (void)state;
    for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct mp_page_format *f = mp_page_format_find(expected[i].name, expected[i].page_bytes);
        assert_non_null(f);
        uint32_t shift = (uint32_t)__builtin_ctzll(expected[i].page_bytes);
        begin(f, &mp_walk_radix, 64);
        assert_int_equal(mp_page_table_map(&b.table[0], 1ull << 39, 0, shift, NULL), 0);
        walk((1ull << 39) - (f->va_bits < 39) * (1ull << 39));
        if (f->va_bits > 39) {
            assert_int_equal(b.walk.stats[0].faults, 0);
            assert_int_equal(b.walk.stats[0].levels_read, expected[i].reads);
            walk((1ull << 39) + 64);
            assert_int_equal(b.walk.stats[0].levels_read, expected[i].reads + expected[i].with_cache);
        }
        tear_down(NULL);
    }
    assert_null(mp_page_format_find("x86-64", 65536));
    assert_null(mp_page_format_find("sv39", 0));
    assert_null(mp_page_format_find("sv57", 4096));
    const struct mp_walk_params p = base();
    set_up(&p);
}

/* Both tables of a dual entry, in the order big, small; and how a big entry hides the small pages. */
static void big_and_small_pages_of_a_region(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        const struct mp_page_format *f = mp_page_formats[n];
        for (uint32_t pwc = 0; pwc <= 64; pwc += 64) {
            begin(f, &mp_walk_radix, pwc);
            const uint64_t va = 0x40000000;
            assert_int_equal(mp_page_table_map(&b.table[0], va, 0x10000, 16, NULL), 0);
            assert_int_equal(mp_page_table_map(&b.table[0], va + 0x10000, 0x5000, 12, NULL), 1);
            assert_int_equal(mp_page_table_map(&b.table[0], va + 0x1000, 0x5000, 12, NULL), -1);
            assert_int_equal(mp_page_table_map(&b.table[0], va + 0x10000, 0x20000, 16, NULL), -1);
            assert_int_equal(mp_page_table_map(&b.table[0], va, 0, 21, NULL), -1);
            assert_int_equal(walk(va + 0x1234)->pa, 0x11234);
            uint64_t before = b.walk.stats[0].levels_read;
            assert_int_equal(walk(va + 0x10234)->pa, 0x5234); /* the big entry is read, too */
            assert_int_equal(b.walk.stats[0].levels_read - before, pwc ? 2 : f->levels + 1);
            struct found big = decode(f->name, va);
            uint64_t next = big.at[big.entries - 1] + 8;
            mp_physmem_write64(&b.physmem, next, n ? 3ull << 3 : 1ull << 5);
            compare(f->name, va + 0x10234, true);
            assert_int_equal(walk(va + 0x10234)->fault, MP_FAULT_NOT_VALID | (f->levels - 1)
                                                                                 << MP_FAULT_LEVEL_SHIFT);
            tear_down(NULL);
        }
    }
    struct mp_walk_params p = base();
    struct mp_error err;
    p.format = mp_page_formats[0];
    for (unsigned m = 1; mp_walk_methods[m]; m++) {
        if (mp_walk_methods[m] == &mp_walk_probe)
            continue; /* it reads them, as the other tests show */
        p.method = mp_walk_methods[m];
        p.values = mp_design_defaults(&p.method->design);
        assert_int_equal(p.method->check(&p, &err), -1);
        assert_non_null(strstr(err.text, "nvidia-v2"));
    }
    p = base();
    set_up(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(tables_and_walks_at_random, tear_down),
        cmocka_unit_test_teardown(flipped_bits, tear_down),
        cmocka_unit_test_teardown(reads_of_each_format, tear_down),
        cmocka_unit_test_teardown(big_and_small_pages_of_a_region, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
