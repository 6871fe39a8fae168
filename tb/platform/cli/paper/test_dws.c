/* SPDX-License-Identifier: Apache-2.0 */
/* The DWS evaluation: who shares the machine, that every machine is valid, what the metrics make of results.
 */
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

#define E (*reproduce_evaluation("dws"))

/* Table II, in its order; FFT256 is its FFT. */
static const struct {
    const char *app;
    char class;
} table2[] = {{"MM", 'L'},   {"HS", 'L'},  {"RAY", 'L'},  {"FFT256", 'L'}, {"LPS", 'M'},
              {"JPEG", 'M'}, {"LIB", 'M'}, {"SRAD", 'M'}, {"3DS", 'M'},    {"BLK", 'H'},
              {"QTC", 'H'},  {"SAD", 'H'}, {"GUPS", 'H'}};
#define APPS  (sizeof table2 / sizeof *table2)
#define PAIRS 45u

static char class_of(const char *app)
{
    for (unsigned a = 0; a < APPS; a++)
        if (!strcmp(table2[a].app, app))
            return table2[a].class;
    fail_msg("%s is not in Table II", app);
    return 0;
}

/* Ends with a NULL name. */
static const struct paper_workload *workloads(void)
{
    return paper_data("dws")->workload;
}

static void pairs_have_the_papers_mix(void **state)
{
    (void)state;
    unsigned n = 0, light = 0, heavy = 0;
    for (const struct paper_workload *m = workloads(); n < PAIRS; m++, n++) {
        char class[3] = {class_of(m->app[0]), class_of(m->app[1]), 0};
        assert_string_equal(m->category, class);
        assert_null(m->app[2]);
        assert_string_not_equal(m->app[0], m->app[1]);
        light += class[0] != 'H';
        heavy += class[0] == 'H';
        for (const struct paper_workload *k = workloads(); k < m; k++) /* in neither order twice */
            assert_false((!strcmp(k->app[0], m->app[0]) && !strcmp(k->app[1], m->app[1])) ||
                         (!strcmp(k->app[0], m->app[1]) && !strcmp(k->app[1], m->app[0])));
    }
    assert_int_equal(light, 13);
    assert_int_equal(heavy, 32);
}

static const struct paper_workload *mix_named(const char *name)
{
    for (const struct paper_workload *m = workloads(); m->name; m++)
        if (!strcmp(m->name, name))
            return m;
    return NULL;
}

static void names_say_who_it_is(void **state)
{
    (void)state;
    for (const struct paper_workload *m = workloads(); m->name; m++) {
        char name[64] = "";
        unsigned n = 0;
        for (; n < PAPER_TENANTS && m->app[n]; n++)
            snprintf(name + strlen(name), 12, "%s%s", n ? "." : "",
                     strcmp(m->app[n], "FFT256") ? m->app[n] : "FFT");
        assert_string_equal(m->name, name);
        assert_ptr_equal(mix_named(name), m);
        assert_true(n == 2 || *m->category == (char)('0' + n));
    }
    static const char *const named[] = {"HS.MM",   "FFT.HS",  "3DS.FFT",  "LIB.MM",  "3DS.SRAD",  "LIB.JPEG",
                                        "BLK.HS",  "GUPS.MM", "SAD.MM",   "BLK.3DS", "GUPS.JPEG", "GUPS.3DS",
                                        "SAD.3DS", "BLK.LIB", "GUPS.SAD", "QTC.BLK", "SAD.QTC"};
    for (unsigned i = 0; i < sizeof named / sizeof *named; i++)
        assert_non_null(mix_named(named[i]));
}

static void all_78_pairs_are_valid(void **state)
{
    (void)state;
    unsigned n = 0;
    for (unsigned a = 0; a < APPS; a++) {
        for (unsigned b = a + 1; b < APPS; b++, n++) {
            char app[2][32];
            const char *const set[] = {app[0], app[1], "tenants.0.size=paper", "tenants.1.size=paper"};
            struct mp_config config;
            struct mp_error err;
            snprintf(app[0], sizeof app[0], "tenants.0.app=%s", table2[a].app);
            snprintf(app[1], sizeof app[1], "tenants.1.app=%s", table2[b].app);
            if (mp_config_load(&config, "dws-30sm", 4, set, &err))
                fail_msg("%s", err.text);
            assert_int_equal(config.tenant[0].sms, 15);
            assert_int_equal(config.tenant[1].sms, 15);
            mp_config_free(&config);
        }
    }
    assert_int_equal(n, 78);
}

static const struct figure *figure_named(const char *name)
{
    for (unsigned f = 0; f < E.nfigures; f++)
        if (!strcmp(E.figure[f].name, name))
            return &E.figure[f];
    return NULL;
}

static bool has_series(const char *name)
{
    for (const struct group *g = E.group; g->name; g++)
        if (!strcmp(g->name, name))
            return true;
    return mix_named(name) || !strcmp(name, "*");
}

static void data_is_of_figures(void **state)
{
    (void)state;
    for (const struct mp_db_point *p = paper_data("dws")->point; p->paper; p++) {
        assert_non_null(figure_named(p->figure));
        assert_true(has_series(p->series));
        assert_true(p->has_value && p->unit && p->note);
        assert_ptr_equal(paper_find(paper_data("dws")->point, p->figure, p->series, p->x), p); /* said once */
    }
    for (const struct paper_claim *c = paper_data("dws")->claim; c->figure; c++) {
        assert_non_null(figure_named(c->figure));
        assert_true(has_series(c->series));
    }
    /* Table III's last column is Table V's first. */
    for (const struct mp_db_point *p = paper_data("dws")->point; p->paper; p++) {
        if (strcmp(p->figure, "table3") != 0 || strcmp(p->x, "mean") != 0)
            continue;
        const struct mp_db_point *same =
            paper_find(paper_data("dws")->point, "table5", p->series, "baseline");
        assert_non_null(same);
        assert_true(same->value == p->value);
    }
}

/* Every workload under every variant; then every number of the paper has a measured one. */
static void every_figure_is_measured(void **state)
{
    (void)state;
    const struct cli cli = {.db = "no-such.db"};
    const struct paper_context c = {.cli = &cli, .size = PAPER_PAPER};
    struct pool pool = {0};
    struct figure_runs *r = calloc(E.nfigures, sizeof *r);
    assert_non_null(r);
    for (unsigned f = 0; f < E.nfigures; f++)
        assert_int_equal(figure_plan(&r[f], &c, &E, &E.figure[f], &pool), 0);
    /* 45 pairs under 11 machines, 37 under 10 more, 14 mixes under 3, 8 pairs under 2, 2 under 2, 13 alone */
    assert_int_equal(pool.n, 45 * 11 + 37 * 10 + 14 * 3 + 8 * 2 + 2 * 2 + 13);
    for (unsigned i = 0; i < pool.n; i++)
        for (unsigned t = 0; t < pool.job[i].config.ntenants; t++)
            pool.job[i].result.tenant[t] = (struct mp_tenant_result){.cycles = 1000 + 10 * i,
                                                                     .instructions = 5000,
                                                                     .walks = 10,
                                                                     .queue_cycles = 100,
                                                                     .walk_cycles = 500,
                                                                     .stolen = 1,
                                                                     .waited_for = 20};
    for (unsigned f = 0; f < E.nfigures; f++) {
        struct paper_points points = {0};
        assert_int_equal(figure_measure(&r[f], &points), 0);
        for (const struct mp_db_point *p = paper_data("dws")->point; p->paper; p++)
            if (!strcmp(p->figure, r[f].f->name) && !paper_measured(&points, p->series, p->x))
                fail_msg("%s: nothing measured for %s, %s", p->figure, p->series, p->x);
        for (const struct paper_claim *k = paper_data("dws")->claim; k->figure; k++)
            if (!strcmp(k->figure, r[f].f->name) && strcmp(k->figure, "fig9b") != 0 &&
                paper_holds(k, &points) < 0)
                fail_msg("%s: %s: of something that is not measured", k->figure, k->text);
        free(points.point);
    }
    free(r);
    pool_free(&pool);
}

/* ---- values by hand ---- */

enum { BASE, OTHER, ALONE_1, ALONE_2, JOBS };
static struct run_job job[JOBS];
static const struct pool by_hand = {.job = job, .n = JOBS};
static const struct variant variant[] = {{.label = "base"}, {.label = "other"}};
static const struct group group[] = {{"HL", "HL"}, {"all", NULL}, {0}};
static const struct evaluation evaluation = {.group = group, .variant = variant};

static double value(enum metric metric, const char *series, const char *x)
{
    const struct figure f = {.metric = metric,
                             .nvariants = 2,
                             .variant = {0, 1},
                             .nover = 1,
                             .over = {{1, 0}},
                             .applications = metric == METRIC_INTERLEAVING || metric == METRIC_STOLEN ||
                                             metric == METRIC_WALK_LATENCY || metric == METRIC_WALKERS};
    const struct figure_workload a = {.name = "A.B",
                                      .category = "HL",
                                      .ntenants = 2,
                                      .app = {"A", "B"},
                                      .job = {BASE, OTHER},
                                      .reference = {BASE, BASE},
                                      .over = {{OTHER, BASE}},
                                      .alone = {ALONE_1, ALONE_2}};
    struct figure_runs r = {.e = &evaluation, .f = &f, .pool = &by_hand, .n = 2, .w = {a, a}};
    struct paper_points points = {0};
    snprintf(r.w[1].name, sizeof r.w[1].name, "B.A"); /* the same the other way round in time */
    r.w[1].category = "LL";
    r.w[1].job[1] = BASE;
    r.w[1].over[0][0] = BASE;
    assert_int_equal(figure_measure(&r, &points), 0);
    const struct paper_measured *m = paper_measured(&points, series, x);
    assert_non_null(m);
    double found = m->value;
    free(points.point);
    return found;
}

static void close_to(double a, double b)
{
    if (fabs(a - b) > 1e-9)
        fail_msg("%.12f, not %.12f", a, b);
}

static void metrics(void **state)
{
    (void)state;
    for (unsigned i = 0; i < JOBS; i++) {
        job[i].run_id = (int64_t)i + 1;
        mp_config_put(&job[i].config, "walk.walkers_per_slice", 10);
        job[i].config.machine.slices = 1;
    }
    /* A ran twice in the baseline; IPC 1 and 2, then 1 and 8; alone 2 and 10. */
    job[BASE].result.tenant[0] = (struct mp_tenant_result){.instructions = 200,
                                                           .cycles = 200,
                                                           .walks = 10,
                                                           .queue_cycles = 300,
                                                           .walk_cycles = 100,
                                                           .waited_for = 5};
    job[BASE].result.tenant[1] = (struct mp_tenant_result){.instructions = 400,
                                                           .cycles = 200,
                                                           .walks = 4,
                                                           .queue_cycles = 60,
                                                           .walk_cycles = 20,
                                                           .waited_for = 80};
    job[OTHER].result.tenant[0] = (struct mp_tenant_result){.instructions = 100,
                                                            .cycles = 100,
                                                            .walks = 10,
                                                            .queue_cycles = 100,
                                                            .walk_cycles = 100,
                                                            .stolen = 3};
    job[OTHER].result.tenant[1] = (struct mp_tenant_result){
        .instructions = 400, .cycles = 50, .walks = 8, .walk_cycles = 40, .waited_for = 2};
    job[ALONE_1].result.tenant[0] =
        (struct mp_tenant_result){.instructions = 100, .cycles = 50, .walks = 10, .walk_cycles = 100};
    job[ALONE_2].result.tenant[0] =
        (struct mp_tenant_result){.instructions = 400, .cycles = 40, .walks = 2, .walk_cycles = 10};

    close_to(value(METRIC_TOTAL_IPC, "A.B", "other"), 9.0 / 3);
    close_to(value(METRIC_TOTAL_IPC, "HL", "other"), 3);
    close_to(value(METRIC_TOTAL_IPC, "all", "other"), sqrt(3)); /* geometric, of 3 and 1 */
    close_to(value(METRIC_TOTAL_IPC, "all", "other over base"), sqrt(3));
    close_to(value(METRIC_WEIGHTED_IPC, "A.B", "base"), 0.5 + 0.2);
    close_to(value(METRIC_WEIGHTED_IPC, "A.B", "other"), 0.5 + 0.8);
    close_to(value(METRIC_WEIGHTED_IPC, "all", "other over base"), 1.0 / 0.7); /* of 1.3 and 0.7 on average */
    close_to(value(METRIC_FAIRNESS, "A.B", "base"), 0.4);
    close_to(value(METRIC_FAIRNESS, "all", "other"), (0.625 + 0.4) / 2);
    close_to(value(METRIC_INTERLEAVING, "A.B", "A base"), 0.5);
    close_to(value(METRIC_INTERLEAVING, "A.B", "B base"), 20);
    close_to(value(METRIC_INTERLEAVING, "A.B", "mean base"), 10.25);
    close_to(value(METRIC_INTERLEAVING, "all", "tenant 2 other"), (0.25 + 20) / 2);
    close_to(value(METRIC_STOLEN, "A.B", "A other"), 30);
    close_to(value(METRIC_STOLEN, "HL", "tenant 1 other"), 30);
    close_to(value(METRIC_WALK_LATENCY, "A.B", "A base"), 4);
    close_to(value(METRIC_WALK_LATENCY, "A.B", "B other"), 1);
    close_to(value(METRIC_WALK_LATENCY, "all", "tenant 1 other"), sqrt(2 * 4));
    close_to(value(METRIC_WALKERS, "A.B", "A other"), 0.1);
    close_to(value(METRIC_WALKERS, "A.B", "mean other"), 0.1 + 0.08);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_have_the_papers_mix), cmocka_unit_test(names_say_who_it_is),
        cmocka_unit_test(all_78_pairs_are_valid),    cmocka_unit_test(data_is_of_figures),
        cmocka_unit_test(every_figure_is_measured),  cmocka_unit_test(metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
