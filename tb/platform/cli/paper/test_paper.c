/* SPDX-License-Identifier: Apache-2.0 */
/* What a paper says beside what was measured; that its figures' machines exist at every scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/reproduce.h"
#include "cli/paper/scale.h"

static void statements(void **state)
{
    (void)state;
    struct paper_points points = {0};
    paper_add(&points, "W1", 1.5, "STAR");
    paper_add(&points, "W1", 1.2, "%s %d", "stride", 2);
    paper_add(&points, "W2", 0.9, "STAR");
    paper_add(&points, "W2", 0.1, "derived")->drawn = false;
    paper_add(&points, "W3", (double)NAN, "STAR");
    static const struct {
        struct paper_claim claim;
        int holds;
    } table[] = {
        {{"f", "W1", "STAR", CLAIM_MORE, "W1", "stride 2", 0, ""}, 1},
        {{"f", "W1", "STAR", CLAIM_LESS, "W1", "stride 2", 0, ""}, 0},
        {{"f", "W1", "STAR", CLAIM_MORE, "W1", "STAR", 0, ""}, 0},
        {{"f", "W1", "STAR", CLAIM_LESS, "W1", "STAR", 0, ""}, 0},
        {{"f", "W2", "STAR", CLAIM_LESS, NULL, NULL, 1, ""}, 1},
        {{"f", "W2", "STAR", CLAIM_MORE, NULL, NULL, 1, ""}, 0},
        {{"f", "*", "STAR", CLAIM_MORE, NULL, NULL, 0.8, ""}, 1},
        {{"f", "*", "STAR", CLAIM_MORE, NULL, NULL, 1, ""}, 0},
        {{"f", "*", "*", CLAIM_MORE, NULL, NULL, 0.8, ""}, 1}, /* what is not drawn is not one of all */
        {{"f", "W2", "derived", CLAIM_LESS, NULL, NULL, 0.8, ""}, 1},
        {{"f", "W3", "STAR", CLAIM_LESS, NULL, NULL, 1, ""}, -1},
        {{"f", "W4", "STAR", CLAIM_LESS, NULL, NULL, 1, ""}, -1},
        {{"f", "W1", "STAR", CLAIM_LESS, "W3", "STAR", 0, ""}, -1},
        {{"f", "W1", "STAR", CLAIM_LESS, "W4", "STAR", 0, ""}, -1},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (paper_holds(&table[i].claim, &points) != table[i].holds)
            fail_msg("statement %u: %d, not %d", i, paper_holds(&table[i].claim, &points), table[i].holds);
    assert_string_equal(paper_verdict(0), "does not hold");
    free(points.point);
}

static void runs_of_a_point_stand_once(void **state)
{
    (void)state;
    struct paper_measured m = {.nruns = 0};
    paper_add_run(&m, 3);
    paper_add_run(&m, 5);
    paper_add_run(&m, 3);
    assert_int_equal(m.nruns, 2);
    assert_int_equal(m.runs[1], 5);
}

static void names_and_sizes(void **state)
{
    (void)state;
    const struct paper_context paper = {.size = PAPER_PAPER, .scale = 1},
                               eighth = {.size = PAPER_PAPER, .scale = 8},
                               medium = {.size = PAPER_MEDIUM, .scale = 1}, small = {.scale = 1};
    assert_string_equal(paper_figure_name(&paper, "fig3"), "fig3");
    assert_string_equal(paper_figure_name(&eighth, "fig3"), "fig3@scale8");
    assert_string_equal(paper_figure_name(&medium, "fig3"), "fig3@medium");
    assert_string_equal(paper_input_size(&paper, "medium"), "medium");
    assert_string_equal(paper_input_size(&medium, "paper"), "medium");
    assert_string_equal(paper_input_size(&medium, "medium"), "small");
    assert_string_equal(paper_input_size(&small, "medium"), "small");
}

static bool has_figure(const char *name)
{
    for (unsigned f = 0; f < reproduce_star.nfigures; f++)
        if (!strcmp(reproduce_star.figure[f].name, name))
            return true;
    return !strcmp(name, "table2");
}

static void data_is_of_figures(void **state)
{
    (void)state;
    for (const struct mp_db_point *p = paper_star; p->paper; p++) {
        assert_true(has_figure(p->figure));
        assert_true(p->has_value && p->unit && p->note);
        assert_ptr_equal(paper_find(paper_star, p->figure, p->series, p->x), p); /* said once */
    }
    for (const struct paper_claim *c = paper_star_claims; c->figure; c++)
        assert_true(has_figure(c->figure));
}

/* Each workload under each variant, at each scale. */
static void all_machines_are_valid(void **state)
{
    (void)state;
    static const unsigned scales[] = {1, 8};
    for (unsigned s = 0; s < 2; s++) {
        const struct paper_context c = {.size = PAPER_PAPER, .scale = scales[s]};
        struct pool pool = {0};
        for (unsigned f = 0; f < reproduce_star.nfigures; f++) {
            struct figure_runs r;
            assert_int_equal(figure_plan(&r, &c, &reproduce_star, &reproduce_star.figure[f], &pool), 0);
        }
        unsigned table2[TABLE2_APPS], before = pool.n;
        assert_int_equal(reproduce_table2_plan(&c, &pool, table2), 0);
        assert_int_equal(pool.n, before); /* those of Figure 5 */
        /* 11 workloads under 15 machines, 7 under 2, and each application alone on what it has */
        assert_in_range(pool.n, 11 * 15 + 7 * 2 + 10, 11 * 15 + 7 * 2 + 33 + 10);
        pool_free(&pool);
    }
}

static void an_eighth(void **state)
{
    (void)state;
    struct mp_config config;
    struct mp_error err;
    assert_int_equal(mp_config_load(&config, "star/w4", 0, NULL, &err), 0);
    assert_int_equal(scale_config(&config, 1, &err), 0);
    assert_string_equal(config.tenant[0].size, "medium");
    assert_int_equal(scale_config(&config, 8, &err), 0);
    assert_string_equal(config.name, "star/w4");
    assert_string_equal(config.tenant[0].size, "medium/8");
    assert_string_equal(config.tenant[2].size, "paper/8");
    assert_int_equal(config.machine.slices, 7);
    assert_int_equal(config.machine.tpcs_per_slice, 1); /* 7 / 8, but there is one */
    assert_int_equal(config.machine.page_bytes, 65536);
    assert_int_equal(config.l1_tlb.entries, 16);
    assert_int_equal(config.l2_tlb.entries, 16);
    assert_int_equal(config.l2_tlb.ways, 8);
    assert_int_equal(config.l3_tlb.entries, 128);
    assert_int_equal(config.l3_tlb.latency, 40);
    assert_int_equal(config.walk.walkers_per_slice, 1);
    assert_int_equal(config.l1d.bytes, 65536);
    assert_int_equal(config.l2d.bytes_per_slice, 262144);
    assert_int_equal(config.dram.channels_per_slice, 1);
    mp_config_free(&config);

    /* what an eighth is no machine of is refused: 8 entries cannot have 16 ways */
    assert_int_equal(
        mp_config_load(&config, "star/w4", 2, (const char *[]){"l2_tlb.entries=64", "l2_tlb.ways=16"}, &err),
        0);
    assert_int_equal(scale_config(&config, 8, &err), -1);
    assert_non_null(strstr(err.text, "l2_tlb"));
    assert_null(config.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(runs_of_a_point_stand_once),
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(data_is_of_figures),
        cmocka_unit_test(all_machines_are_valid),
        cmocka_unit_test(an_eighth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
