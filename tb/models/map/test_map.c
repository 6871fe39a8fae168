/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the properties on which caches and DRAM rely for every address map and for two maps of the test's
 * own, and then a cache above a DRAM under each of them. */
#include "../engine/fakes.h"

#include "cache/cache.h"
#include "dram/dram.h"
#include "map/map.h"

#define LINE_SHIFT 7u
#define LINE       (1u << LINE_SHIFT)

/* --- the test's own maps: a plain modulo, and XORs of address bits ----------------------------------------
 */

static struct mp_map_place modulo_place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    (void)state;
    uint32_t bank = line % banks;
    return (struct mp_map_place){bank, bank * sets + line / banks % sets};
}

static uint32_t modulo_channel(const void *state, uint64_t pa, uint32_t channels)
{
    (void)state;
    return (uint32_t)(pa / LINE % channels);
}

static struct mp_map_row modulo_row(const void *state, uint64_t pa, uint32_t channels, uint32_t banks,
                                    uint32_t row_bytes)
{
    (void)state;
    uint64_t row = pa / ((uint64_t)row_bytes * channels);
    return (struct mp_map_row){row, (uint32_t)(row % banks)};
}

static const struct mp_address_map modulo = {
    .design = {.name = "modulo"}, .place = modulo_place, .channel = modulo_channel, .row = modulo_row};

/* As real GPUs do it: each bit of a number is the XOR of some address bits. The channel's functions are the
 * lowest of the set's and of the bank's, so that a cache's bank, its link and its channel are one thing. */
struct xors {
    uint32_t module_bits, set_bits, bank_bits, row_shift;
    uint64_t set[8], bank[8]; /* masks of address bits, lowest bit of the number first */
};

static uint32_t xor_bits(const uint64_t *mask, uint32_t bits, uint64_t pa)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < bits; i++)
        value |= (uint32_t)__builtin_parityll(pa & mask[i]) << i;
    return value;
}

static struct mp_map_place xor_place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    const struct xors *x = state;
    uint32_t set = xor_bits(x->set, x->set_bits, (uint64_t)line << LINE_SHIFT);
    (void)sets;
    return (struct mp_map_place){set & (banks - 1), set};
}

static uint32_t xor_channel(const void *state, uint64_t pa, uint32_t channels)
{
    const struct xors *x = state;
    (void)channels;
    return xor_bits(x->set, x->module_bits, pa);
}

static struct mp_map_row xor_row(const void *state, uint64_t pa, uint32_t channels, uint32_t banks,
                                 uint32_t row_bytes)
{
    const struct xors *x = state;
    (void)channels, (void)banks, (void)row_bytes;
    return (struct mp_map_row){pa >> x->row_shift, xor_bits(x->bank, x->bank_bits, pa) >> x->module_bits};
}

/* 4 modules of 8 sets; 4 channels of 4 banks with rows of 1 KiB: 16 KiB have 1 KiB of each bank. */
static const struct xors usual_xors = {.module_bits = 2,
                                       .set_bits = 5,
                                       .bank_bits = 4,
                                       .row_shift = 14,
                                       .set = {1 << 8 | 1 << 14 | 1 << 17, 1 << 10 | 1 << 15 | 1 << 16,
                                               1 << 7 | 1 << 18, 1 << 9 | 1 << 17, 1 << 11 | 1 << 19},
                                       .bank = {1 << 8 | 1 << 14 | 1 << 17, 1 << 10 | 1 << 15 | 1 << 16,
                                                1 << 12 | 1 << 18, 1 << 13 | 1 << 15 | 1 << 19}};

static void xor_init(void *state, const struct mp_design_values *own)
{
    struct xors *x = state;
    *x = usual_xors;
    x->set[4] ^= own->v[0]; /* a function that the parameter changes */
}

static int xor_check(const struct mp_map_geometry *g, const struct mp_design_values *own,
                     struct mp_error *err)
{
    (void)own;
    if (g->channels == 4 && g->dram_banks == 4 && g->banks == 4 && g->sets == 8 && g->row_bytes == 1024 &&
        g->line_bytes == LINE)
        return 0;
    return mp_fail(err, "channels: %u of %u banks and %u sets; 4 of 4 and 8", g->channels, g->dram_banks,
                   g->sets);
}

static const struct mp_design_param xor_params[] = {
    {.name = "mask", .unit = "bits", .usual = 1 << 20, .most = UINT64_MAX, .text = "of the highest function"},
    {.name = NULL}};

static const struct mp_address_map xor_map = {.design = {.name = "xor", .params = xor_params},
                                              .bytes = sizeof(struct xors),
                                              .init = xor_init,
                                              .check = xor_check,
                                              .place = xor_place,
                                              .channel = xor_channel,
                                              .row = xor_row};

static const struct mp_map_geometry small = {
    .line_bytes = LINE, .banks = 4, .sets = 8, .channels = 4, .dram_banks = 4, .row_bytes = 1024};

static const struct mp_design_values usual = {{1 << 20}};

/* modulo and xor. */
static void make_own(struct mp_map *of)
{
    assert_int_equal(mp_map_init(&of[0], &modulo, &usual), 0);
    assert_int_equal(mp_map_init(&of[1], &xor_map, &usual), 0);
}

/* A map's state follows from its design's parameters. */
static void a_map_takes_its_parameters(void **state)
{
    (void)state;
    const struct mp_design_values by_default = mp_design_defaults(&xor_map.design), other = {{1 << 7}};
    struct mp_map a, b;
    assert_int_equal(by_default.v[0], usual.v[0]);
    assert_int_equal(mp_map_init(&a, &xor_map, &by_default), 0);
    assert_int_equal(mp_map_init(&b, &xor_map, &other), 0);
    assert_int_equal(mp_map_place(&a, 1, 4, 8).set ^ mp_map_place(&b, 1, 4, 8).set, 1 << 4);
    assert_int_equal(mp_map_place(&a, 2, 4, 8).set, mp_map_place(&b, 2, 4, 8).set);
    mp_map_free(&a);
    mp_map_free(&b);
}

/* --- properties ------------------------------------------------------------------------------------------
 */

enum { MOST = 1 << 16 };

static void places_are_within_and_even(const struct mp_map *m, const struct mp_map_geometry *g,
                                       uint32_t first_line, uint32_t lines)
{
    static uint32_t in_set[MOST], bank_of_set[MOST];
    uint32_t sets = g->banks * g->sets;
    assert_true(sets <= MOST);
    memset(in_set, 0, sets * sizeof *in_set);
    for (uint32_t i = 0; i < lines; i++) {
        struct mp_map_place at = mp_map_place(m, first_line + i, g->banks, g->sets);
        struct mp_map_place again = mp_map_place(m, first_line + i, g->banks, g->sets);
        assert_true(at.bank < g->banks && at.set < sets);
        assert_true(again.bank == at.bank && again.set == at.set);
        if (in_set[at.set]++) /* a set is in one bank */
            assert_int_equal(bank_of_set[at.set], at.bank);
        bank_of_set[at.set] = at.bank;
    }
    for (uint32_t s = 0; s < sets; s++) {
        assert_true(in_set[s] * sets <= 2 * lines);
        assert_true(2 * in_set[s] * sets >= lines);
    }
}

/* A channel's row has no more bytes than the geometry gives it, and no address lies in two. */
static void rows_are_filled_once(const struct mp_map *m, const struct mp_map_geometry *g, uint64_t windows)
{
    static uint32_t filled[MOST];
    uint64_t window = (uint64_t)g->row_bytes * g->channels * g->dram_banks;
    uint64_t rows = windows * g->dram_banks + 1;
    assert_true(rows * g->channels * g->dram_banks <= MOST);
    memset(filled, 0, sizeof filled);
    for (uint64_t pa = 0; pa < windows * window; pa += LINE) {
        uint32_t channel = mp_map_channel(m, pa, g->channels);
        struct mp_map_row at = mp_map_row(m, pa, g->channels, g->dram_banks, g->row_bytes);
        assert_true(channel < g->channels && at.bank < g->dram_banks && at.row < rows);
        assert_int_equal(mp_map_channel(m, pa + LINE - 1, g->channels), channel);
        uint32_t *bytes = &filled[(at.row * g->channels + channel) * g->dram_banks + at.bank];
        *bytes += LINE;
        assert_true(*bytes <= g->row_bytes);
    }
}

static void shipped_maps_place_every_line(void **state)
{
    (void)state;
    struct rng r = rng_start("maps", 121);
    for (unsigned d = 0; mp_address_maps[d]; d++) {
        const struct mp_design_values none = mp_design_defaults(&mp_address_maps[d]->design);
        struct mp_map m;
        assert_int_equal(mp_map_init(&m, mp_address_maps[d], &none), 0);
        assert_ptr_equal(mp_address_map_find(m.kind->design.name), m.kind);
        for (uint32_t round = 0; round < 60; round++) {
            const struct mp_map_geometry g = {.line_bytes = LINE,
                                              .banks = rng_between(&r, 1, 40),
                                              .sets = 1u << rng_below(&r, 8),
                                              .channels = rng_between(&r, 1, 40),
                                              .dram_banks = rng_between(&r, 1, 32),
                                              .row_bytes = 256u << rng_below(&r, 5)};
            if (m.kind->check && m.kind->check(&g, &none, NULL))
                continue;
            uint32_t lines = 64 * g.banks * g.sets;
            places_are_within_and_even(&m, &g, rng_below(&r, UINT32_MAX - 1 - lines), lines);
            places_are_within_and_even(&m, &g, UINT32_MAX - 1 - lines, lines); /* up to the last line */
            rows_are_filled_once(&m, &g, 1);
        }
        mp_map_free(&m);
    }
    assert_null(mp_address_map_find("nothing"));
}

static void own_maps_place_every_line(void **state)
{
    (void)state;
    struct mp_map of[2];
    make_own(of);
    for (unsigned i = 0; i < 2; i++) {
        places_are_within_and_even(&of[i], &small, 0, 1 << 13);
        rows_are_filled_once(&of[i], &small, 16);
        mp_map_free(&of[i]);
    }
}

static void a_map_may_refuse_a_machine(void **state)
{
    (void)state;
    struct mp_map_geometry other = small;
    struct mp_error err;
    assert_int_equal(xor_map.check(&small, &usual, &err), 0);
    other.channels = 5;
    assert_int_equal(xor_map.check(&other, &usual, &err), -1);
    assert_string_equal(err.text, "channels: 5 of 4 banks and 8 sets; 4 of 4 and 8");
}

/* --- a cache above a DRAM under a map --------------------------------------------------------------------
 */

#define CHANNELS 4u

static struct bench {
    struct mp_wheel wheel;
    struct mp_cache cache;
    struct mp_dram dram;
    struct fake_initiator port;
    const struct mp_map *map;
    uint32_t fetched;
    uint32_t dirty[MOST]; /* 1 for each line with a write-back to come */
} b;

/* Checks each request that passes from the cache to the DRAM. */
static enum mp_answer pass_down(void *dram, unsigned channel, struct mp_req *req, uint32_t *delay)
{
    assert_int_equal(req->pa % LINE, 0);
    assert_int_equal(mp_map_channel(b.map, req->pa, CHANNELS), channel);
    if (req->op == MP_WRITEBACK) {
        assert_int_equal(b.dirty[req->pa / LINE], 1); /* it comes back with its own address */
        b.dirty[req->pa / LINE] = 0;
    } else {
        b.fetched++;
    }
    return mp_dram_request(dram, channel, req, delay);
}

static void set_up(const struct mp_map *map)
{
    const struct mp_cache_params cache = {.banks = small.banks,
                                          .sets = small.sets,
                                          .ways = 4,
                                          .line_shift = LINE_SHIFT,
                                          .latency = 10,
                                          .mshrs = 4,
                                          .merges = 4,
                                          .ports = 1,
                                          .tenants = 1,
                                          .links = CHANNELS,
                                          .write_back = true,
                                          .map = *map};
    const struct mp_dram_params dram = {.channels = CHANNELS,
                                        .banks = small.dram_banks,
                                        .row_bytes = small.row_bytes,
                                        .queue = 8,
                                        .burst = 2,
                                        .cas = 10,
                                        .rcd = 10,
                                        .rp = 10,
                                        .ras = 20,
                                        .tenants = 1,
                                        .map = *map};
    memset(&b, 0, sizeof b);
    b.map = map;
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_cache_init(&b.cache, &b.wheel, &cache), 0);
    assert_int_equal(mp_dram_init(&b.dram, &b.wheel, &dram), 0);
    fake_initiator_join(&b.port, &b.wheel, mp_target_of(mp_cache_request, &b.cache, 0), &b.cache.up[0]);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        mp_cache_join(&b.cache, c, mp_target_of(pass_down, &b.dram, c));
        b.dram.up[c] = mp_initiator_of(mp_cache_response, mp_cache_resume, &b.cache, c);
    }
}

static void tear_down(void)
{
    fake_initiator_free(&b.port);
    mp_cache_free(&b.cache);
    mp_dram_free(&b.dram);
    mp_wheel_free(&b.wheel);
}

static void ask(enum mp_op op, uint32_t line)
{
    b.dirty[line] |= op == MP_STORE;
    fake_initiator_send(&b.port, (struct mp_req){.pa = (uint64_t)line * LINE, .op = (uint8_t)op});
    run_dry(&b.wheel);
}

/* The lines of one set are evicted by each other and by no others; a dirty one is written to its address. */
static void a_set_holds_its_ways(const struct mp_map *map)
{
    set_up(map);
    uint32_t set = mp_map_place(map, 77, small.banks, small.sets).set, same[9], n = 0;
    for (uint32_t line = 77; n < 9; line++) {
        if (mp_map_place(map, line, small.banks, small.sets).set == set)
            same[n++] = line;
    }
    for (uint32_t i = 0; i < 4; i++)
        ask(MP_STORE, same[i]);
    for (uint32_t line = 1000; line < 1100; line++)
        if (mp_map_place(map, line, small.banks, small.sets).set != set)
            ask(MP_LOAD, line);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b.dirty[same[i]], 1); /* all four still there */
    for (uint32_t i = 4; i < 9; i++)
        ask(MP_LOAD, same[i]);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(b.dirty[same[i]], 0);
    assert_int_equal(b.cache.stats->writebacks, 4);
    tear_down();
}

/* Loads and stores at random; at the end reads drive every dirty line out, to its own address. */
static void every_dirty_line_comes_back(const struct mp_map *map, struct rng *r)
{
    uint32_t lines = 4096, owed = 0;
    set_up(map);
    for (uint32_t i = 0; i < 20000; i++)
        ask(rng_percent(r, 50) ? MP_STORE : MP_LOAD, rng_below(r, lines));
    for (uint32_t line = lines; line < 2 * lines; line++)
        ask(MP_LOAD, line);
    for (uint32_t line = 0; line < 2 * lines; line++)
        owed += b.dirty[line];
    assert_int_equal(owed, 0);
    assert_true(b.cache.stats->hits > 0 && b.cache.stats->hits < 20000);
    assert_int_equal(b.dram.stats->reads, b.fetched);
    assert_int_equal(b.dram.stats->writes, b.cache.stats->writebacks);
    tear_down();
}

static void caches_and_dram_take_any_map(void **state)
{
    (void)state;
    struct rng r = rng_start("cache and DRAM under maps", 122);
    struct mp_map of[3] = {[2] = {.kind = &mp_map_spread}};
    make_own(of);
    for (unsigned i = 0; i < 3; i++) {
        a_set_holds_its_ways(&of[i]);
        every_dirty_line_comes_back(&of[i], &r);
        mp_map_free(&of[i]);
    }
}

/* Two lines of one bank and different rows conflict exactly where the XOR functions say so, which is what
 * reverse engineering measures. */
static void banks_conflict_as_the_functions_say(void **state)
{
    (void)state;
    struct mp_map own[2];
    make_own(own);
    const struct mp_map map = own[1];
    set_up(&map);
    uint32_t slow = 0, fast = 0;
    for (uint32_t line = 1; line < 4096; line++) {
        struct mp_map_row at = mp_map_row(&map, (uint64_t)line * LINE, 4, 4, 1024);
        bool conflict = at.bank == 0 && at.row != 0 && mp_map_channel(&map, (uint64_t)line * LINE, 4) == 0;
        struct mp_req first = {.pa = 0, .op = MP_LOAD}, second = {.pa = (uint64_t)line * LINE, .op = MP_LOAD};
        mp_cache_forget(&b.cache);
        fake_initiator_send(&b.port, first); /* opens row 0 of bank 0 */
        run_dry(&b.wheel);
        mp_cache_forget(&b.cache);
        fake_initiator_send(&b.port, second);
        run_dry(&b.wheel);
        mp_cache_forget(&b.cache);
        uint64_t misses = b.dram.stats->row_misses;
        fake_initiator_send(&b.port, first);
        run_dry(&b.wheel);
        assert_int_equal(b.dram.stats->row_misses - misses, conflict);
        slow += conflict;
        fast += !conflict;
    }
    assert_int_equal(slow, (4096 / 16) - 8); /* a sixteenth, without those of row 0 itself */
    assert_int_equal(fast, 4095 - slow);
    tear_down();
    mp_map_free(&own[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_maps_place_every_line),
        cmocka_unit_test(own_maps_place_every_line),
        cmocka_unit_test(a_map_may_refuse_a_machine),
        cmocka_unit_test(a_map_takes_its_parameters),
        cmocka_unit_test(caches_and_dram_take_any_map),
        cmocka_unit_test(banks_conflict_as_the_functions_say),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
