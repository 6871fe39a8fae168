/* SPDX-License-Identifier: Apache-2.0 */
#include "../../engine/fakes.h"

#include "../../map/xor_oracle.h"

#include "map/colours.h"
#include "vm/frames/coloured.h"
#include "vm/physmem.h"

#define MB (1ull << 20)

static struct mp_frames make(const char *name, uint64_t bytes, uint64_t page_bytes, uint64_t colours)
{
    const struct mp_frames_params p = {
        .base = 6 * MB, .bytes = bytes, .page_bytes = page_bytes, .hash = &mp_gf2_v100, .own = {{colours}}};
    struct mp_frames f;
    struct mp_error err;
    if (mp_frames_init(&f, mp_frame_allocator_find(name), &p, &err))
        fail_msg("%s", err.text);
    return f;
}

/* The rules once more: arrays of pages, searched from end to end. */
#define PAGES 1024u
struct naive {
    uint64_t base;
    unsigned colour[PAGES];
    bool taken[PAGES], ever[PAGES];
    unsigned given_at[PAGES], now; /* order of giving back */
};

static int naive_page(struct naive *n, unsigned colour)
{
    int found = -1;
    for (unsigned i = 0; i < PAGES; i++) /* the one given back last */
        if (n->colour[i] == colour && n->ever[i] && !n->taken[i] &&
            (found < 0 || n->given_at[i] > n->given_at[found]))
            found = (int)i;
    for (unsigned i = 0; i < PAGES && found < 0; i++)
        if (n->colour[i] == colour && !n->ever[i])
            found = (int)i;
    if (found >= 0)
        n->taken[found] = n->ever[found] = true;
    return found;
}

static int naive_table(struct naive *n, unsigned colour)
{
    for (int i = PAGES - 1; i >= 0; i--)
        if (n->colour[i] == colour && !n->taken[i]) {
            n->taken[i] = n->ever[i] = true;
            return i;
        }
    return -1;
}

static void pages_are_as_the_rules_say(void **state)
{
    (void)state;
    struct rng r = rng_start("coloured", 1);
    for (unsigned round = 0; round < 12; round++) {
        static struct naive n;
        static bool table[PAGES];
        const struct oracle o = oracle_published(1);
        uint32_t colours = 1u << rng_below(&r, 4), give = rng_between(&r, 20, 60);
        n = (struct naive){.base = 6 * MB};
        struct oracle_function fn[5];
        int functions = oracle_colour_functions(&o, 4096, __builtin_ctz(colours), fn);
        for (unsigned i = 0; i < PAGES; i++)
            n.colour[i] = oracle_number(fn, functions, n.base + i * 4096ull);
        memset(table, 0, sizeof table);
        struct mp_frames f = make("coloured", PAGES * 4096, 4096, colours);
        for (unsigned i = 0; i < 6000; i++) {
            uint32_t tenant = rng_below(&r, 16), page = rng_below(&r, PAGES);
            uint64_t pa;
            if (rng_percent(&r, give)) {
                if (!n.taken[page] || table[page])
                    continue;
                n.taken[page] = false;
                n.given_at[page] = ++n.now;
                mp_frames_give_page(&f, n.colour[page], n.base + page * 4096ull, 0);
                continue;
            }
            bool is_table = rng_percent(&r, 5);
            int wanted = is_table ? naive_table(&n, tenant % colours) : naive_page(&n, tenant % colours);
            int got = is_table ? mp_frames_take_table(&f, tenant, &pa, NULL)
                               : mp_frames_take_page(&f, tenant, &pa, NULL);
            assert_int_equal(got, wanted < 0 ? -1 : 0);
            if (wanted < 0)
                continue;
            assert_int_equal(pa, n.base + (unsigned)wanted * 4096ull);
            table[wanted] = is_table;
            assert_true(mp_coloured_is_taken(f.state, pa));
        }
        for (unsigned i = 0; i < PAGES; i++)
            assert_int_equal(mp_coloured_is_taken(f.state, n.base + i * 4096ull), n.taken[i]);
        mp_frames_free(&f);
    }
}

/* Every tenant gets each frame once; what is given back last is taken first; tables are in the tenant's part
 * of the highest frames. */
static void frames_serve_all_colours(void **state)
{
    (void)state;
    const uint64_t base = 6 * MB;
    struct mp_colours c;
    struct mp_frames f = make("coloured-user", 8 * MB, 2 * MB, 4);
    uint64_t pa;
    mp_colours_init(&c, &mp_gf2_v100, 4096, 4, NULL);
    for (uint32_t tenant = 0; tenant < 4; tenant++)
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(mp_frames_take_page(&f, tenant, &pa, NULL), 0);
            assert_int_equal(pa, base + i * 2 * MB);
        }
    for (unsigned i = 0; i < 2 * MB / 4 / 4096; i++) {
        assert_int_equal(mp_frames_take_table(&f, 1, &pa, NULL), 0);
        assert_int_equal(mp_colour_of(&c, pa), 1);
        assert_int_equal(pa, mp_colours_in_frame(&c, base + 6 * MB, 1, 2 * MB / 4 - (i + 1) * 4096));
    }
    assert_int_equal(mp_frames_take_table(&f, 1, &pa, NULL), -1);
    assert_int_equal(mp_frames_take_page(&f, 1, &pa, NULL), -1);
    assert_int_equal(mp_frames_take_page(&f, 2, &pa, NULL), 0); /* the frame's other parts are free */
    assert_int_equal(pa, base + 6 * MB);
    mp_frames_give_page(&f, 1, base, 0);
    mp_frames_give_page(&f, 1, base + 2 * MB, 0);
    assert_int_equal(mp_frames_take_page(&f, 0, &pa, NULL), 0);
    assert_int_equal(pa, base + 6 * MB);
    assert_int_equal(mp_frames_take_page(&f, 5, &pa, NULL), 0);
    assert_int_equal(pa, base + 2 * MB);
    mp_frames_free(&f);
}

static void the_message_names_colour_and_size(void **state)
{
    (void)state;
    struct mp_frames f = make("coloured", 2 * MB, 4096, 8);
    struct mp_error err;
    uint64_t pa, pages = 0;
    while (!mp_frames_take_page(&f, 3, &pa, &err))
        pages++;
    assert_int_equal(pages, 64);
    assert_string_equal(err.text,
                        "no page of 4096 B and colour 3 of 8 is left in the 2097152 B of memory from "
                        "0x600000 on; machine.memory_per_slice sets the size");
    assert_int_equal(mp_frames_take_table(&f, 11, &pa, &err), -1);
    assert_string_equal(err.text,
                        "no page table of 4096 B and colour 3 of 8 is left in the 2097152 B of memory "
                        "from 0x600000 on; machine.memory_per_slice sets the size");
    assert_int_equal(mp_frames_take_page(&f, 4, &pa, &err), 0); /* another colour's are not touched */
    mp_frames_free(&f);
}

/* Tenants with several colours take pages from them in turn, and nothing from others. */
static void shares_of_colours(void **state)
{
    (void)state;
    struct mp_frames_params p = {
        .bytes = 2 * MB, .page_bytes = 4096, .hash = &mp_gf2_v100, .own = {{8}}, .colours = {1, 5, 2}};
    struct rng r = rng_start("shares", 1);
    static const uint32_t first[] = {0, 1, 6};
    struct mp_colours colours;
    struct mp_frames f;
    struct mp_error err;
    uint64_t pa, page[3][512];
    unsigned pages[3] = {0}, of[8] = {0};
    assert_int_equal(mp_frames_init(&f, &mp_frames_coloured, &p, &err), 0);
    mp_colours_init(&colours, &mp_gf2_v100, 4096, 8, &err);
    for (uint32_t i = 0; i < 10; i++) { /* in turn */
        assert_int_equal(mp_frames_take_page(&f, 1, &pa, &err), 0);
        assert_int_equal(mp_colour_of(&colours, pa), 1 + i % 5);
        mp_frames_give_page(&f, 1, pa, 0);
    }
    for (unsigned step = 0; step < 20000; step++) {
        const uint32_t t = rng_below(&r, 3);
        if (rng_percent(&r, step / 2000 % 2 ? 30 : 70)) {
            if (mp_frames_take_page(&f, t, &pa, &err)) {
                assert_int_equal(pages[t], 64 * p.colours[t]); /* all of its colours are used up */
                continue;
            }
            const uint32_t colour = mp_colour_of(&colours, pa);
            assert_true(colour - first[t] < p.colours[t]);
            assert_true(++of[colour] <= 64);
            page[t][pages[t]++] = pa;
        } else if (pages[t]) {
            const unsigned k = rng_below(&r, pages[t]);
            mp_frames_give_page(&f, t, page[t][k], 0);
            of[mp_colour_of(&colours, page[t][k])]--;
            page[t][k] = page[t][--pages[t]];
        }
    }
    while (!mp_frames_take_page(&f, 1, &pa, &err))
        ;
    assert_string_equal(err.text,
                        "no page of 4096 B and colours 1 to 5 of 8 is left in the 2097152 B of memory from "
                        "0x0 on; machine.memory_per_slice sets the size");
    mp_frames_free(&f);
    p.colours[1] = 6;
    assert_int_equal(mp_frames_init(&f, &mp_frames_coloured, &p, &err), -1);
    assert_string_equal(err.text, "vm.frames: tenants have 9 colours of 8");
    p.colours[1] = 5;
    p.page_bytes = 2 * MB;
    assert_int_equal(mp_frames_init(&f, &mp_frames_coloured_user, &p, &err), -1);
    assert_string_equal(err.text, "vm.frames: coloured-user: tenants.1 has 5 colours; 1");
}

/* Tables have the tenant's colours in turn, or all colours. */
static void tables_have_colours(void **state)
{
    (void)state;
    struct mp_frames_params p = {
        .bytes = 2 * MB, .page_bytes = 4096, .hash = &mp_gf2_v100, .own = {{8, 0}}, .colours = {3, 2}};
    struct mp_colours colours;
    struct mp_error err;
    mp_colours_init(&colours, &mp_gf2_v100, 4096, 8, &err);
    for (unsigned spread = 0; spread < 2; spread++) {
        struct mp_frames f;
        uint64_t pa;
        p.own.v[1] = spread;
        assert_int_equal(mp_frames_init(&f, &mp_frames_coloured, &p, &err), 0);
        for (uint32_t i = 0; i < 64 * (spread ? 8 : 2); i++) {
            assert_int_equal(mp_frames_take_table(&f, 1, &pa, &err), 0);
            assert_int_equal(mp_colour_of(&colours, pa), spread ? i % 8 : 3 + i % 2);
        }
        assert_int_equal(mp_frames_take_table(&f, 1, &pa, &err), -1);
        mp_frames_free(&f);
    }
}

static void what_has_no_colours_is_refused(void **state)
{
    (void)state;
    struct mp_frames_params p = {.bytes = 4 * MB, .page_bytes = 4096, .own = {{2}}};
    struct mp_frames f;
    struct mp_error err;
    assert_int_equal(mp_frames_init(&f, &mp_frames_coloured, &p, &err), -1);
    assert_string_equal(err.text, "vm.frames: the address map has no colours; machine.hash gtx1080 or v100");
    p.hash = &mp_gf2_gtx1080;
    p.page_bytes = 65536;
    assert_int_equal(mp_frames_init(&f, &mp_frames_coloured, &p, &err), -1);
    assert_string_equal(err.text, "vm.colours: pages of 65536 B cannot have 2; a power of two from 1 to 1");
    assert_int_equal(mp_frames_init(&f, &mp_frames_coloured_user, &p, &err), -1);
    assert_string_equal(err.text, "vm.frames: coloured-user has no pages of 65536 B; 2097152");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_are_as_the_rules_say),
        cmocka_unit_test(frames_serve_all_colours),
        cmocka_unit_test(the_message_names_colour_and_size),
        cmocka_unit_test(shares_of_colours),
        cmocka_unit_test(tables_have_colours),
        cmocka_unit_test(what_has_no_colours_is_refused),
    };
    return cmocka_run_group_tests_name("coloured", tests, NULL, NULL);
}
