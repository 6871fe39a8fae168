/* SPDX-License-Identifier: Apache-2.0 */
/* Random stimuli execute every line of the RTL that a mode can execute, and the reasons for the others are
 * right. */
#include "../models/engine/fakes.h"
#include "rtl/dws/lockstep/dws_lockstep.h"
#include "rtl/star/lockstep/star_lockstep.h"

#define MOST 64u

struct tally {
    const char *mode;
    unsigned lines, taken, left;
};

extern const struct star_rtl star_rtl_subentry, star_rtl_subentry_lines, star_rtl_star_lines,
    star_rtl_star4_lines;
extern const struct dws_rtl dws_rtl_16_12_2_lines;

static const struct rtl_unreached *const tables[] = {star_unreached, dws_unreached};
static bool used[2][MOST]; /* index of a row */

static void count(void *to, const struct rtl_line *line)
{
    struct tally *tally = to;
    tally->lines++;
    tally->taken += line->taken != 0;
    if (line->taken)
        return;
    if (!line->reason) {
        tally->left++;
        print_message("%s: %s:%u is never taken: %s\n", tally->mode, line->file, line->line, line->text);
    }
    for (unsigned t = 0; t < 2; t++)
        for (unsigned i = 0; tables[t][i].file; i++)
            used[t][i] |=
                line->reason && tables[t][i].reason == line->reason && strstr(line->text, tables[t][i].text);
}

static void check(const struct tally *t)
{
    print_message("%s: %u of %u lines\n", t->mode, t->taken, t->lines);
    assert_true(t->lines > 100);
    assert_true(t->taken > t->lines / 2);
    assert_int_equal(t->left, 0);
}

static void test_star(void **state)
{
    static const struct {
        const char *name;
        const struct star_rtl *rtl;
        enum star_rtl_policy policy;
        unsigned stride;
    } modes[] = {
        {"subentry", &star_rtl_subentry_lines, STAR_RTL_DYNAMIC, 1},
        {"star", &star_rtl_star_lines, STAR_RTL_DYNAMIC, 1},
        {"star, stride 2", &star_rtl_star_lines, STAR_RTL_DYNAMIC, 2},
        {"star, stride 4", &star_rtl_star_lines, STAR_RTL_DYNAMIC, 4},
        {"star, lone=sequential", &star_rtl_star_lines, STAR_RTL_LONE, 1},
        {"star-sequential", &star_rtl_star_lines, STAR_RTL_SEQUENTIAL, 1},
        {"star-stride", &star_rtl_star_lines, STAR_RTL_STRIDE, 1},
        {"star-stride, stride 4", &star_rtl_star_lines, STAR_RTL_STRIDE, 4},
        {"star4", &star_rtl_star4_lines, STAR_RTL_DYNAMIC, 1},
    };
    struct rng seed = rng_start("lines of star", 20241121);
    (void)state;
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct tally t = {.mode = modes[i].name};
        struct star_lockstep *l =
            star_lockstep_new(modes[i].rtl, modes[i].policy, modes[i].stride, seed.state);
        assert_non_null(l);
        assert_true(star_lockstep_random(l, seed.state, 120000, NULL));
        assert_true(star_lockstep_lines(l, count, &t));
        check(&t);
        star_lockstep_free(l);
    }
}

static void test_dws(void **state)
{
    /* Epochs are short, so that a tenant sometimes has no arrival in one. */
    const struct mp_walk_rules rules = {.epoch = 20, .thresholds = *mp_walk_thresholds_find("default")};
    struct rng seed = rng_start("lines of dws", 20241121);
    (void)state;
    for (int plus = 0; plus < 2; plus++) {
        struct tally t = {.mode = plus ? "dws++" : "dws"};
        struct dws_lockstep *l = dws_lockstep_new(&dws_rtl_16_12_2_lines, plus, &rules, 1);
        assert_non_null(l);
        assert_true(dws_lockstep_random(l, seed.state, 150000, NULL));
        assert_true(dws_lockstep_lines(l, count, &t));
        check(&t);
        dws_lockstep_free(l);
    }
}

/* Every reason must explain a line. */
static void test_reasons_are_needed(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 2; t++) {
        unsigned i = 0;
        for (; tables[t][i].file; i++)
            if (!used[t][i])
                fail_msg("%s '%s' (%s) explains nothing", tables[t][i].file, tables[t][i].text,
                         tables[t][i].modes);
        assert_in_range(i, 1, MOST);
    }
}

/* A design that does not count has no lines. */
static void test_no_lines(void **state)
{
    struct star_lockstep *l = star_lockstep_new(&star_rtl_subentry, STAR_RTL_DYNAMIC, 1, 1);
    struct tally t = {.mode = "subentry"};
    (void)state;
    assert_non_null(l);
    assert_true(star_lockstep_lines(l, count, &t));
    assert_int_equal(t.lines, 0);
    star_lockstep_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_star),
        cmocka_unit_test(test_dws),
        cmocka_unit_test(test_reasons_are_needed),
        cmocka_unit_test(test_no_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
