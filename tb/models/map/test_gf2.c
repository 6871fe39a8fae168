/* SPDX-License-Identifier: Apache-2.0 */
#include "../engine/fakes.h"

#include "map/colours.h"
#include "map/map.h"
#include "xor_oracle.h"

static const struct mp_gf2 *const published[] = {&mp_gf2_gtx1080, &mp_gf2_v100};

/* The model's machine and the oracle's: hidden if `seed` is one. */
static struct oracle machines(int v100, const uint64_t *seed, struct mp_gf2 *m)
{
    *m = *published[v100];
    if (seed)
        mp_gf2_hide(m, published[v100], *seed);
    return seed ? oracle_hidden(v100, *seed) : oracle_published(v100);
}

static void agree_on(const struct oracle *o, const struct mp_gf2_tables *t, uint64_t pa)
{
    const struct mp_gf2_place at = mp_gf2_place(t, (uint32_t)(pa >> 7));
    assert_int_equal(at.module, oracle_number(o->module, o->modules, pa));
    assert_int_equal(at.bank, oracle_number(o->bank, o->banks, pa));
    assert_int_equal(at.set, oracle_number(o->set, o->sets, pa));
}

static void every_number_is_the_oracles(void **state)
{
    (void)state;
    struct rng r = rng_start("gf2", 1);
    for (int v100 = 0; v100 < 2; v100++)
        for (unsigned round = 0; round < 200; round++) {
            struct mp_gf2 m;
            struct mp_gf2_tables t;
            uint64_t seed = round < 20 ? round : rng_next(&r);
            const struct oracle o = machines(v100, round ? &seed : NULL, &m);
            mp_gf2_tables_init(&t, &m);
            assert_int_equal(m.address_bits, o.address_bits);
            for (int bit = 0; bit < o.address_bits; bit++)
                agree_on(&o, &t, UINT64_C(1) << bit);
            for (unsigned i = 0; i < 100; i++)
                agree_on(&o, &t, rng_next(&r) >> (64 - o.address_bits));
        }
}

/* Seeds for which a function's other bits are all 0 at first, and for which the rank is too small. */
static void what_is_drawn_again(void **state)
{
    (void)state;
    static const uint64_t seeds[2][4] = {{8098, 12006, 130, 7282}, {5957, 15350, 8532, 15736}};
    for (int v100 = 0; v100 < 2; v100++)
        for (unsigned i = 0; i < 4; i++) {
            struct mp_gf2 m;
            struct mp_gf2_tables t;
            const struct oracle o = machines(v100, &seeds[v100][i], &m);
            mp_gf2_tables_init(&t, &m);
            for (int bit = 0; bit < o.address_bits; bit++)
                agree_on(&o, &t, UINT64_C(1) << bit);
        }
}

/* The design: port, channel and set are the module's; a bank of a channel is a bank of the module. */
static void the_maps_place_as_the_functions_do(void **state)
{
    (void)state;
    struct rng r = rng_start("gf2 designs", 2);
    static const char *const names[] = {"gtx1080", "v100"};
    for (int v100 = 0; v100 < 2; v100++) {
        const struct oracle o = oracle_published(v100);
        struct mp_map map;
        int bank_of[512];
        memset(bank_of, -1, sizeof bank_of);
        assert_int_equal(mp_map_init(&map, mp_address_map_find(names[v100]), &(struct mp_design_values){{0}}),
                         0);
        assert_memory_equal(mp_map_hash(&map), published[v100], sizeof *published[v100]);
        for (unsigned i = 0; i < 20000; i++) {
            uint64_t pa = rng_next(&r) >> (64 - o.address_bits);
            uint32_t module = oracle_number(o.module, o.modules, pa), modules = 1u << o.modules;
            const struct mp_map_place at = mp_map_place(&map, (uint32_t)(pa >> 7), modules, 1024 / modules);
            const struct mp_map_row row = mp_map_row(&map, pa, modules, 16, 2048);
            int bank = (int)oracle_number(o.bank, o.banks, pa);
            assert_int_equal(at.bank, module);
            assert_int_equal(at.set, oracle_number(o.set, o.sets, pa));
            assert_int_equal(mp_map_channel(&map, pa, modules), module);
            assert_int_equal(row.row, pa >> o.row_bits);
            assert_true(row.bank < 16);
            int *known = &bank_of[module * 16 + row.bank]; /* one to one with the bank's number */
            assert_true(*known < 0 || *known == bank);
            *known = bank;
        }
        mp_map_free(&map);
    }
}

static void a_map_of_hidden_functions(void **state)
{
    (void)state;
    const struct mp_design_values own = {{1, UINT64_MAX}};
    struct mp_gf2 hidden;
    struct mp_map map;
    mp_gf2_hide(&hidden, &mp_gf2_v100, UINT64_MAX);
    assert_int_equal(mp_map_init(&map, mp_address_map_find("v100"), &own), 0);
    assert_memory_equal(mp_map_hash(&map)->set, hidden.set, sizeof hidden.set);
    for (uint64_t pa = 128; pa < UINT64_C(1) << 34; pa *= 2)
        assert_int_equal(mp_map_channel(&map, pa, 32), mp_gf2_number(hidden.module, 5, pa));
    mp_map_free(&map);
}

static void a_map_refuses_other_machines(void **state)
{
    (void)state;
    struct mp_map_geometry g = {128, 8, 128, 8, 16, 2048};
    struct mp_error err;
    const struct mp_address_map *pascal = mp_address_map_find("gtx1080"),
                                *volta = mp_address_map_find("v100");
    assert_int_equal(pascal->check(&g, NULL, &err), 0);
    assert_int_equal(volta->check(&g, NULL, &err), -1);
    assert_string_equal(err.text, "banks: 8 does not suit the hash of v100; 32");
    g.row_bytes = 1024;
    assert_int_equal(pascal->check(&g, NULL, &err), -1);
    assert_string_equal(err.text, "row_bytes: 1024 does not suit the hash of gtx1080; 2048");
}

static unsigned rank_of(const uint64_t *a, unsigned na, const uint64_t *b, unsigned nb)
{
    uint64_t all[24];
    memcpy(all, a, na * sizeof *all);
    memcpy(all + na, b, nb * sizeof *all);
    return mp_gf2_reduce(all, na + nb);
}

/* Modules are what banks and sets have in common, and there are as many of each as their bits say. */
static void ranks(const struct mp_gf2 *m)
{
    assert_int_equal(rank_of(m->bank, m->banks, m->bank, 0), m->banks);
    assert_int_equal(rank_of(m->set, m->sets, m->set, 0), m->sets);
    assert_int_equal(rank_of(m->module, m->modules, m->module, 0), m->modules);
    assert_int_equal(rank_of(m->bank, m->banks, m->module, m->modules), m->banks);
    assert_int_equal(rank_of(m->set, m->sets, m->module, m->modules), m->sets);
    assert_int_equal(rank_of(m->bank, m->banks, m->set, m->sets), m->banks + 10 - m->modules);
}

/* Every aligned block of 2^R B has 2 KiB of each bank, and its blocks of 128 KiB have each set once. */
static void blocks(const struct mp_gf2 *m, uint64_t block)
{
    static uint32_t of_bank[512], of_set[1024];
    struct mp_gf2_tables t;
    mp_gf2_tables_init(&t, m);
    memset(of_bank, 0, sizeof of_bank);
    for (uint64_t pa = 0; pa < UINT64_C(1) << m->row_shift; pa += 128) {
        const struct mp_gf2_place at = mp_gf2_place(&t, (uint32_t)((block + pa) >> 7));
        if (pa % 131072 == 0)
            memset(of_set, 0, sizeof of_set);
        assert_int_equal(of_set[at.set]++, 0);
        of_bank[at.bank] += 128;
    }
    for (uint32_t bank = 0; bank < 1u << m->banks; bank++)
        assert_int_equal(of_bank[bank], 2048);
}

static void each_block_is_divided_evenly(void **state)
{
    (void)state;
    struct rng r = rng_start("gf2 blocks", 3);
    for (int v100 = 0; v100 < 2; v100++)
        for (unsigned round = 0; round < 40; round++) {
            struct mp_gf2 m;
            uint64_t seed = rng_next(&r);
            machines(v100, round ? &seed : NULL, &m);
            ranks(&m);
            blocks(&m, 0);
            for (unsigned i = 0; i < 3; i++)
                blocks(&m, rng_next(&r) >> (64 - m.address_bits) >> m.row_shift << m.row_shift);
        }
}

/* A span's form does not depend on its functions' choice and order; each leads alone. */
static void reduced_form(void **state)
{
    (void)state;
    struct rng r = rng_start("gf2 reduced", 4);
    uint64_t known[] = {6, 5, 3}; /* bits 1 2, 0 2, 0 1: rank 2 */
    assert_int_equal(mp_gf2_reduce(known, 3), 2);
    assert_int_equal(known[0], 5);
    assert_int_equal(known[1], 6);
    for (unsigned round = 0; round < 2000; round++) {
        uint64_t a[12], b[12];
        struct oracle_function f[12];
        unsigned n = rng_between(&r, 1, 12);
        memset(f, 0, sizeof f);
        for (unsigned i = 0; i < n; i++) {
            a[i] = b[i] = rng_next(&r) & rng_next(&r) & 0x3ff;
            for (int bit = 0; bit < 10; bit++)
                f[i].has[bit] = a[i] >> bit & 1;
        }
        for (unsigned i = 0; i < 30; i++) {
            unsigned x = rng_below(&r, n), y = rng_below(&r, n);
            if (x != y)
                b[x] ^= b[y];
        }
        unsigned rank = mp_gf2_reduce(a, n);
        assert_int_equal(rank, oracle_rank(f, (int)n));
        assert_int_equal(mp_gf2_reduce(b, n), rank);
        assert_memory_equal(a, b, rank * sizeof *a);
        for (unsigned i = 0; i < rank; i++)
            for (unsigned k = 0; k < rank; k++)
                assert_true(i == k ? a[i] != 0 : !(a[k] & a[i] & -a[i]));
        for (unsigned i = 1; i < rank; i++)
            assert_true((a[i - 1] & -a[i - 1]) < (a[i] & -a[i]));
    }
}

static void the_papers_colours(void **state)
{
    (void)state;
    static const uint32_t counts[2][12] = {{8, 4, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                           {32, 16, 8, 4, 2, 2, 1, 1, 1, 1, 1, 1}};
    for (int v100 = 0; v100 < 2; v100++)
        for (unsigned k = 0; k < 12; k++)
            assert_int_equal(mp_colours_most(published[v100], 1024u << k), counts[v100][k]);
    struct mp_colours c;
    assert_int_equal(mp_colours_init(&c, &mp_gf2_gtx1080, 4096, 2, NULL), 0);
    assert_int_equal(c.function[0], UINT64_C(0xce4c3) << 12);
    assert_int_equal(mp_colours_init(&c, &mp_gf2_v100, 4096, 2, NULL), 0);
    assert_int_equal(c.function[0], UINT64_C(0x74b59) << 12);
    assert_int_equal(mp_colours_init(&c, &mp_gf2_v100, 4096, 0, NULL), 0);
    assert_int_equal(c.colours, 8);
    assert_int_equal(mp_colours_init(&c, &mp_gf2_v100, 65536, 0, NULL), 0);
    assert_int_equal(c.functions, 0);
    assert_int_equal(mp_colour_of(&c, UINT64_MAX), 0);
}

static void more_colours_than_there_are(void **state)
{
    (void)state;
    struct mp_colours c;
    struct mp_error err;
    assert_int_equal(mp_colours_init(&c, &mp_gf2_gtx1080, 4096, 4, &err), -1);
    assert_string_equal(err.text, "colours: pages of 4096 B cannot have 4; a power of two from 1 to 2");
    assert_int_equal(mp_colours_init(&c, &mp_gf2_v100, 1024, 3, &err), -1);
}

/* The user variant against its rule, page by page; and each byte of a frame belongs to one colour. */
static void frames_are_shared_by_colours(void **state)
{
    (void)state;
    struct rng r = rng_start("colours in frames", 5);
    for (unsigned round = 0; round < 60; round++) {
        struct mp_gf2 m;
        struct mp_colours c;
        struct oracle_function f[5];
        int v100 = (int)rng_below(&r, 2);
        uint64_t seed = rng_next(&r);
        const struct oracle o = machines(v100, round > 9 ? &seed : NULL, &m);
        uint32_t most = mp_colours_most(&m, 4096), colours = 1;
        while (colours < most && rng_percent(&r, 60))
            colours *= 2;
        assert_int_equal(mp_colours_init(&c, &m, 4096, colours, NULL), 0);
        int n = oracle_colour_functions(&o, 4096, __builtin_ctz(colours), f), top = 11;
        for (int i = 0; i < n; i++)
            for (int low = 12, found = 0; !found; low++)
                if (f[i].has[low])
                    found = 1, top = low > top ? low : top;
        uint64_t group = 2ull << top, base = rng_next(&r) >> (64 - o.address_bits) >> 21 << 21;
        static uint8_t seen[512];
        memset(seen, 0, sizeof seen);
        for (uint32_t colour = 0; colour < colours; colour++) {
            uint64_t offset = 0;
            for (uint64_t g = 0; g < 2097152 / group; g++)
                for (uint64_t page = 0; page < group / 4096; page++) {
                    uint64_t pa = base + g * group + page * 4096;
                    if (oracle_number(f, n, pa) != colour)
                        continue;
                    uint64_t within = rng_below(&r, 4096);
                    assert_int_equal(mp_colours_in_frame(&c, base, colour, offset + within), pa + within);
                    seen[(pa - base) / 4096]++;
                    offset += 4096;
                }
            assert_int_equal(offset, 2097152 / colours);
        }
        for (unsigned page = 0; page < 512; page++)
            assert_int_equal(seen[page], 1);
    }
}

/* Each part of a frame has consecutive bytes of buffers, and no two bytes have one place. */
static void buffers_are_in_parts(void **state)
{
    (void)state;
    struct rng r = rng_start("buffers in parts", 6);
    for (unsigned i = 0; i < 1000; i++) {
        const struct mp_colours_part p = {.shift = rng_between(&r, 17, 21)};
        const uint64_t part = 1ull << p.shift, at = rng_next(&r) >> 20, va = mp_colours_spread(&p, at);
        assert_int_equal(va / MP_COLOURS_FRAME, at / part);
        assert_int_equal(va % MP_COLOURS_FRAME, at % part);
        assert_int_equal(mp_colours_gather(&p, va), at);
        assert_true(mp_colours_spread(&p, UINT64_MAX - at) >> 48);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_again),
        cmocka_unit_test(every_number_is_the_oracles),
        cmocka_unit_test(the_maps_place_as_the_functions_do),
        cmocka_unit_test(a_map_of_hidden_functions),
        cmocka_unit_test(a_map_refuses_other_machines),
        cmocka_unit_test(each_block_is_divided_evenly),
        cmocka_unit_test(reduced_form),
        cmocka_unit_test(the_papers_colours),
        cmocka_unit_test(more_colours_than_there_are),
        cmocka_unit_test(frames_are_shared_by_colours),
        cmocka_unit_test(buffers_are_in_parts),
    };
    return cmocka_run_group_tests_name("gf2", tests, NULL, NULL);
}
