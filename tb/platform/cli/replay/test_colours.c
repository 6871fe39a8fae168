/* SPDX-License-Identifier: Apache-2.0 */
#include "../../../models/engine/fakes.h"

#include "../../../models/map/xor_oracle.h"

#include "cli/replay/colours.h"

static const struct mp_gf2 *const published[] = {&mp_gf2_gtx1080, &mp_gf2_v100};

static void a_line(struct replay_colours *r, const char *line, const char *wanted)
{
    struct replay_colours_stimulus s;
    struct mp_error err = {""};
    char got[128] = "";
    if (replay_colours_parse(r, line, strlen(line), &s, &err)) {
        assert_string_equal(err.text, wanted);
        assert_int_equal(s.op, 0);
        return;
    }
    if (s.op) {
        const struct replay_colours_response a = replay_colours_respond(r, &s);
        snprintf(got, sizeof got, "%s", a.word ? a.word : "");
        for (unsigned i = 0; i < a.n; i++)
            snprintf(got + strlen(got), sizeof got - strlen(got), "%s%llu", i ? " " : "",
                     (unsigned long long)a.value[i]);
    }
    assert_string_equal(got, wanted);
}

static void lines(const struct mp_gf2 *m, uint64_t page, uint32_t colours, const char *const (*pair)[2])
{
    struct replay_colours r;
    struct mp_error err;
    if (replay_colours_init(&r, m, page, colours, &err))
        fail_msg("%s", err.text);
    for (; (*pair)[0]; pair++)
        a_line(&r, (*pair)[0], (*pair)[1]);
    replay_colours_free(&r);
}

/* Worked out by hand from the published functions: address bit 12 alone is in modules 0, 1 and 2, in banks 0,
 * 1 and 2, and in sets 0, 1, 2 and 4. */
static void by_hand(void **state)
{
    (void)state;
    static const char *const pascal[][2] = {
        {"M 0", "0 0 0 0 0"},
        {"M 0x1000", "7 23 7 0 1"},
        {"M 4097", "7 23 7 0 1"},
        {"M 128 # bit 7: set 3", "0 8 0 0 0"},
        {"M 0x40000 # bit 18: module 2, bank 2, sets 2, 5, 9", "4 548 4 1 1"},
        {"M 0x100000000 # bit 32: bank 3, set 8", "0 256 8 16384 0"},
        {"", ""},
        {"# M 0", ""},
        {"T 1", "4096"},
        {"T 1", "8192"},
        {"T 0", "0"},
        {"T 0", "12288"},
        {"G 4096", "given"},
        {"G 4096", "refused"},
        {"G 0x5000", "refused"},
        {"G 8192", "given"},
        {"T 1", "8192"},
        {"T 1", "4096"},
        {"T 1", "20480"},
        {"U 0 0 0", "0"},
        {"U 0 1 0", "4096"},
        {"U 0 1 4096", "8192"},
        {"U 0 0 0xfffff", "2097151"},
        {"\tU  0x200000\t1 0x1f \r", "2101279"},
        {NULL, NULL}};
    lines(&mp_gf2_gtx1080, 4096, 0, pascal);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"X", "'X' is not a stimulus; M, T, G or U"},
        {"m 1", "'m' is not a stimulus; M, T, G or U"},
        {"M", "no PA; M PA"},
        {"M 1 2", "'2' is unexpected; M PA"},
        {"M 0x200000000", "PA '0x200000000' is too large; M PA, PA from 0 to 0x1ffffffff"},
        {"M -1", "PA '-1' is negative; M PA, PA from 0 to 0x1ffffffff"},
        {"M 1x", "PA '1x' is not a whole number; M PA, PA from 0 to 0x1ffffffff"},
        {"T", "no COLOUR; T COLOUR"},
        {"T 2", "COLOUR '2' is too large; T COLOUR, COLOUR from 0 to 0x1"},
        {"G", "no PA; G PA"},
        {"G 0x200000000", "PA '0x200000000' is too large; G PA, PA from 0 to 0x1ffffffff"},
        {"U 0 0", "no OFFSET; U BASE COLOUR OFFSET"},
        {"U 0 0 0x100000", "OFFSET '0x100000' is too large; U BASE COLOUR OFFSET, OFFSET from 0 to 0xfffff"},
        {"U 4096 0 0", "BASE '0x1000' is not the first byte of a frame; a multiple of 0x200000"},
        {NULL, NULL}};
    static const char *const other[][2] = {{"U 0 0 0", "U: pages of 2048 B; only with --page-size 4096"},
                                           {NULL, NULL}};
    struct replay_colours r;
    struct mp_error err;
    lines(&mp_gf2_gtx1080, 4096, 0, cases);
    lines(&mp_gf2_gtx1080, 2048, 0, other);
    assert_int_equal(replay_colours_init(&r, &mp_gf2_gtx1080, 4096, 4, &err), -1);
    assert_string_equal(err.text, "colours: pages of 4096 B cannot have 4; a power of two from 1 to 2");
}

static void used_up(void **state)
{
    (void)state;
    static const char *const pair[][2] = {
        {"T 0", "none"}, {"G 0x3fffffffe", "given"}, {"T 0", "17177772032"}, {"T 0", "none"}, {NULL, NULL}};
    struct replay_colours r;
    const struct replay_colours_stimulus take = {.op = 'T'};
    assert_int_equal(replay_colours_init(&r, &mp_gf2_v100, 2097152, 0, NULL), 0);
    for (uint64_t i = 0; i < 8192; i++) {
        const struct replay_colours_response a = replay_colours_respond(&r, &take);
        assert_int_equal(a.value[0], i * 2097152);
    }
    for (unsigned i = 0; pair[i][0]; i++)
        a_line(&r, pair[i][0], pair[i][1]);
    replay_colours_free(&r);
}

/* The pages near the bottom, for they are taken first. */
#define PAGES 4096u
struct naive {
    struct oracle o;
    struct oracle_function f[5];
    int functions;
    uint64_t page;
    bool taken[PAGES];
    bool ever[PAGES];
    unsigned given_at[PAGES], now;
};

static void naive_take(struct naive *n, unsigned colour, char *text)
{
    int found = -1;
    for (unsigned i = 0; i < PAGES; i++)
        if (n->ever[i] && !n->taken[i] && oracle_number(n->f, n->functions, i * n->page) == colour &&
            (found < 0 || n->given_at[i] > n->given_at[found]))
            found = (int)i;
    for (unsigned i = 0; i < PAGES && found < 0; i++)
        if (!n->ever[i] && oracle_number(n->f, n->functions, i * n->page) == colour)
            found = (int)i;
    assert_true(found >= 0);
    n->taken[found] = n->ever[found] = true;
    sprintf(text, "%llu", (unsigned long long)((unsigned)found * n->page));
}

static void naive_map(const struct naive *n, uint64_t pa, char *text)
{
    sprintf(text, "%u %u %u %llu %u", oracle_number(n->o.module, n->o.modules, pa),
            oracle_number(n->o.set, n->o.sets, pa), oracle_number(n->o.bank, n->o.banks, pa),
            (unsigned long long)(pa >> n->o.row_bits), oracle_number(n->f, n->functions, pa));
}

/* Every kind of line against the oracle, for both machines, hidden ones and all page sizes. */
static void at_random(void **state)
{
    (void)state;
    static struct naive n;
    struct rng rng = rng_start("replay colours", 1);
    for (unsigned round = 0; round < 40; round++) {
        int v100 = (int)rng_below(&rng, 2);
        uint64_t seed = rng_next(&rng);
        struct mp_gf2 m = *published[v100];
        n = (struct naive){.page = 1024ull << rng_below(&rng, round % 2 ? 3 : 12)};
        n.o = round < 8 ? oracle_published(v100) : oracle_hidden(v100, seed);
        if (round >= 8)
            mp_gf2_hide(&m, published[v100], seed);
        n.functions = oracle_colour_functions(&n.o, n.page, (int)rng_below(&rng, 6), n.f);
        struct replay_colours r;
        assert_int_equal(replay_colours_init(&r, &m, n.page, 1u << n.functions, NULL), 0);
        for (unsigned i = 0; i < 300; i++) {
            char line[64], wanted[128];
            uint64_t pa = rng_next(&rng) >> (64 - n.o.address_bits);
            unsigned page = rng_below(&rng, 300), colour = rng_below(&rng, 1u << n.functions);
            switch (rng_below(&rng, 3)) {
            case 0:
                sprintf(line, "M %llu", (unsigned long long)pa);
                naive_map(&n, pa, wanted);
                break;
            case 1:
                sprintf(line, "T %u", colour);
                naive_take(&n, colour, wanted);
                break;
            default:
                sprintf(line, "G %llu", (unsigned long long)(page * n.page));
                strcpy(wanted, n.taken[page] ? "given" : "refused");
                n.given_at[page] = n.taken[page] ? ++n.now : n.given_at[page];
                n.taken[page] = false;
            }
            a_line(&r, line, wanted);
        }
        replay_colours_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(refusals),
        cmocka_unit_test(used_up),
        cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests_name("replay colours", tests, NULL, NULL);
}
