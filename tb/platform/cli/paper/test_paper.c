/* SPDX-License-Identifier: Apache-2.0 */
/* Compares what a paper prints with what was measured; the machines of its figures exist at every scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/csv.h"
#include "cli/paper/evidence.h"
#include "cli/paper/reproduce.h"

#define E (*reproduce_evaluation("star"))

static void statements(void **state)
{
    (void)state;
    struct paper_points points = {0};
    paper_add(&points, "W1", 1.5, "STAR");
    paper_add(&points, "W1", 1.2, "%s %d", "stride", 2);
    paper_add(&points, "W2", 0.9, "STAR");
    paper_add(&points, "W2", 0.1, "derived")->drawn = false;
    paper_add(&points, "W3", (double)NAN, "STAR");
    paper_add(&points, "all", 3, "STAR");
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
        {{"f", "*", "STAR", CLAIM_MOSTLY_MORE, NULL, NULL, 1.2, ""}, 0}, /* one of two; not the average */
        {{"f", "*", "STAR", CLAIM_MOSTLY_LESS, NULL, NULL, 1.5, ""}, 0},
        {{"f", "*", "STAR", CLAIM_MOSTLY_MORE, NULL, NULL, 0.8, ""}, 1},
        {{"f", "*", "STAR", CLAIM_MORE, "*", "stride 2", 0, ""},
         1}, /* of the same series, which W2 has not */
        {{"f", "*", "stride 2", CLAIM_MORE, "*", "STAR", 0, ""}, 0},
        {{"f", "all", "STAR", CLAIM_MORE, NULL, NULL, 2, ""}, 1},
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
    const struct paper_context paper = {.size = PAPER_PAPER}, medium = {.size = PAPER_MEDIUM},
                               small = {.size = PAPER_SMALL}, star = {.size = PAPER_STAR};
    assert_string_equal(paper_figure_name(&paper, "fig3"), "fig3");
    assert_string_equal(paper_figure_name(&medium, "fig3"), "fig3@medium");
    assert_string_equal(paper_input_size(&paper, "medium"), "medium");
    assert_string_equal(paper_input_size(&medium, "paper"), "medium");
    assert_string_equal(paper_input_size(&medium, "medium"), "small");
    assert_string_equal(paper_input_size(&small, "medium"), "small");
    assert_string_equal(paper_input_size(&star, "paper"), "star");
    assert_string_equal(paper_input_size(&star, "medium"), "star-s");
    assert_string_equal(paper_figure_name(&star, "table2"), "table2@star");
}

static bool has_figure(const char *name)
{
    for (unsigned f = 0; f < E.nfigures; f++)
        if (!strcmp(E.figure[f].name, name))
            return true;
    return !strcmp(name, "table2");
}

static void data_is_of_figures(void **state)
{
    (void)state;
    const struct paper_data *data = paper_data("star");
    for (const struct mp_db_point *p = data->point; p->paper; p++) {
        assert_true(has_figure(p->figure));
        assert_true(p->has_value && p->unit && p->note);
        assert_ptr_equal(paper_find(data->point, p->figure, p->series, p->x), p); /* said once */
    }
    for (const struct paper_claim *c = data->claim; c->figure; c++)
        assert_true(has_figure(c->figure));
}

static void csv_fields(void **state)
{
    (void)state;
    char text[] = "# a comment, with a comma\r\na,b\n\"x, \"\"y\"\"\",1e3\r\n,\nlast,\"\"", name[] = "f";
    struct csv csv;
    struct mp_error err;
    double value;
    assert_int_equal(csv_open(&csv, name, text, "a,b", &err), 0);
    assert_int_equal(csv_row(&csv, &err), 1);
    assert_string_equal(csv.field[0], "x, \"y\"");
    assert_int_equal(csv_number(&csv, 1, &value, &err), 0);
    assert_true(value == 1000);
    assert_int_equal(csv_row(&csv, &err), 1);
    assert_int_equal(csv.nfields, 2);
    assert_string_equal(csv.field[1], "");
    assert_int_equal(csv_number(&csv, 1, &value, &err), -1);
    assert_string_equal(err.text, "f:4: '' is not a value; a number");
    assert_int_equal(csv_row(&csv, &err), 1);
    assert_string_equal(csv.field[0], "last");
    assert_string_equal(csv.field[1], "");
    assert_int_equal(csv_row(&csv, &err), 0);

    static const char *const wrong[] = {"", "a", "a,b,c", "ab", "a,bc", "b,a", "# a,b"};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char copy[16];
        snprintf(copy, sizeof copy, "%s", wrong[i]);
        assert_int_equal(csv_open(&csv, name, copy, "a,b", &err), -1);
    }
    char open_quote[] = "a,b\n\"x,1\n", after_quote[] = "a,b\n\"x\"y,1\n",
         many[] = "a\n1,2,3,4,5,6,7,8,9,10\n";
    assert_int_equal(csv_open(&csv, name, open_quote, "a,b", &err), 0);
    assert_int_equal(csv_row(&csv, &err), -1);
    assert_int_equal(csv_open(&csv, name, after_quote, "a,b", &err), 0);
    assert_int_equal(csv_row(&csv, &err), -1);
    assert_int_equal(csv_open(&csv, name, many, "a", &err), 0);
    assert_int_equal(csv_row(&csv, &err), -1);
    assert_string_equal(err.text, "f:2: too many fields; at most 9");
}

/* Three texts of a paper of the test's own, and each way in which one of them can be wrong. */
static void is_variant(const struct evaluation *e, unsigned i, const char *label, const char *last)
{
    unsigned n = 0;
    while (e->variant[i].set[n])
        n++;
    assert_string_equal(e->variant[i].label, label);
    assert_string_equal(n ? e->variant[i].set[n - 1] : "", last);
}

static void is_read(const struct evaluation *e)
{
    static const char *const labels[] = {"base Y", "base", "X Y", "X", "X"}, *const last[] = {
                                                                                 "p.r=2", "p.s=3", "p.r=2",
                                                                                 "p.s=3", "p.q=1"};
    const struct figure *f = e->figure;
    assert_int_equal(e->nfigures, 2);
    assert_int_equal(f->nvariants, 5);
    for (unsigned v = 0; v < 5; v++)
        is_variant(e, f->variant[v], labels[v], last[v]);
    assert_int_equal(e->variant[f->variant[2]].divisor, 4);
    assert_int_equal(f->nover, 3);
    is_variant(e, f->over[1][0], "X", "p.s=3");
    is_variant(e, f->over[1][1], "base", "");
    is_variant(e, f->over[2][1], "X", "p.q=1");
    assert_true(f->alone && !f->applications && f->histories == 3 && f->metric == METRIC_TOTAL_IPC);
    assert_string_equal(f->machine, "m");
    assert_string_equal(f->set, "v=w");
    assert_string_equal(f->workloads, "1-3 5");
    assert_int_equal(f[1].reference[0], FIGURE_ALONE);
    assert_non_null(f[1].measure);
}

/* Variants and figures of a paper: composed ones, and rows that are refused. */
static void figures_are_read_or_refused(void **state)
{
    (void)state;
    static const char *const heads[] = {
        "name,label,set\n", "figure,title,axis,metric,workloads,variants,reference,over,options\n"};
    static const char good[] = "b,base,\nx,X,p.q=1 divisor=4\ny,Y,x p.r=2\nz,,p.s=3\n";
    static const char long_name[] = "b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b|b";
    static const struct {
        const char *variants, *figure, *error;
    } table[] = {
        {"b,base\n", "", "db/papers/mine_variants.csv:2: 2 fields; 3 are needed"},
        {"b,B,\nb,B,\n", "",
         "db/papers/mine_variants.csv:3: 'b' is not a new name; one without '+', '|', '/' and blanks"},
        {"b+c,B,\n", "",
         "db/papers/mine_variants.csv:2: 'b+c' is not a new name; one without '+', '|', '/' and blanks"},
        {"b,B,c\nc,C,\n", "",
         "db/papers/mine_variants.csv:2: unknown variant 'c'; a row of mine_variants.csv, before its use"},
        {"b,B,a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1 a=1\n", "",
         "db/papers/mine_variants.csv:2: too many overrides; at most 12"},
        {"b,0123456789012345678901234567890123456789,\n", "",
         "db/papers/mine_variants.csv:2: the label '012345678901234567890123456789012345678...' is too long; "
         "up "
         "to 39 characters"},
        {good, "f,t,a,time,1,b", "db/papers/mine_figures.csv:2: 6 fields; 9 are needed"},
        {good, "f,t,a,speed,1,b,,,",
         "db/papers/mine_figures.csv:2: unknown metric 'speed'; speedup, total-ipc or another of "
         "paper/evaluation.c"},
        {good, "f,t,a,time,one,b,,,",
         "db/papers/mine_figures.csv:2: 'one' are no workloads; alone, or numbers as in 1-11 14"},
        {good, "f,t,a,time,1,b x+q,,,",
         "db/papers/mine_figures.csv:2: unknown variant 'q'; a row of mine_variants.csv, before its use"},
        {good, NULL, "db/papers/mine_figures.csv:2: too many variants; at most 32"},
        {good, "f,t,a,time,1,b x y,b x,,",
         "db/papers/mine_figures.csv:2: 2 references of 3 variants; one for each, or for as many"},
        {good, "f,t,a,time,1,b,,x,", "db/papers/mine_figures.csv:2: 'x' has no '/'; VARIANT/VARIANT"},
        {good, "f,t,a,time,1,b,,x/b|y,", "db/papers/mine_figures.csv:2: too many variants; at most 1"},
        {good, "f,t,a,time,1,b,,,wide",
         "db/papers/mine_figures.csv:2: unknown option 'wide'; applications, alone, groups-only, machine=M, "
         "set=PATH=VALUE or histories=N"},
        {good,
         "f,t,a,total-ipc,1-3 5,b|x+y|z x,b|x|y+z b x,x+y|z/b y/x,alone machine=m set=v=w histories=3\n"
         "g,t,a,noise,,b,alone,,",
         NULL},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct evaluation e = {.paper = "mine"};
        struct mp_error err;
        char variants[256], figures[256], many[128];
        snprintf(many, sizeof many, "f,t,a,time,1,%s,,,", long_name);
        snprintf(variants, sizeof variants, "%s%s", heads[0], table[i].variants);
        snprintf(figures, sizeof figures, "%s%s", heads[1], table[i].figure ? table[i].figure : many);
        int failed = evaluation_read(&e, variants, figures, &err);
        assert_int_equal(failed, table[i].error ? -1 : 0);
        if (failed)
            assert_string_equal(err.text, table[i].error);
        else
            is_read(&e);
        evaluation_free(&e);
    }
}

static void data_is_read_or_refused(void **state)
{
    (void)state;
    static const char *const heads[] = {"figure,series,x,value,unit,note\n",
                                        "figure,series,x,relation,than_series,than_x,than,text\n",
                                        "name,category,experiment,app_1,app_2,app_3,app_4,set\n"};
    static const struct {
        const char *row[3], *error; /* NULL: fine */
    } table[] = {
        {{"f,s,x,1.5,u,\"n, m\"", "f,s,x,less,,,2,t\nf,s,x,more,s2,x2,,t", "W,HL,,A,B,,,a=1 b=2"}, NULL},
        {{"f,s,x,1.5,u", "", ""}, "db/papers/mine.csv:2: 5 fields; 6 are needed"},
        {{"f,s,x,,u,n", "", ""}, "db/papers/mine.csv:2: '' is not a value; a number"},
        {{"", "f,s,x,equal,,,2,t", ""},
         "db/papers/mine_claims.csv:2: unknown relation 'equal'; less, more, mostly-less or mostly-more"},
        {{"", "f,s,x,less,,,,t", ""}, "db/papers/mine_claims.csv:2: '' is not a value; a number"},
        {{"", "", "W,HL"}, "db/papers/mine_workloads.csv:2: 2 fields; 8 are needed"},
    };
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        struct paper_data data;
        struct mp_error err;
        char text[3][256];
        for (unsigned k = 0; k < 3; k++)
            snprintf(text[k], sizeof text[k], "%s%s", heads[k], table[i].row[k]);
        int failed = paper_data_read(&data, "mine", text[0], text[1], text[2], &err);
        assert_int_equal(failed, table[i].error ? -1 : 0);
        if (failed) {
            assert_string_equal(err.text, table[i].error);
        } else {
            assert_true(data.point[0].value == 1.5 && data.point[0].has_value && !data.point[1].paper);
            assert_string_equal(data.point[0].note, "n, m");
            assert_true(data.claim[0].than == 2 && !data.claim[0].than_x && !data.claim[2].figure);
            assert_string_equal(data.claim[1].than_series, "s2");
            assert_int_equal(data.nworkloads, 1);
            assert_null(data.workload[0].experiment);
            assert_string_equal(data.workload[0].app[1], "B");
            assert_null(data.workload[0].app[2]);
            assert_string_equal(data.workload[0].set[1], "b=2");
        }
        paper_data_free(&data);
    }
}

static void an_update_replaces_one_figure(void **state)
{
    (void)state;
    struct paper_points points = {0};
    struct evidence e;
    struct mp_error err;
    assert_int_equal(evidence_load(&e, ".", "no-such-paper", &err), 0); /* no file: no rows */
    assert_false(evidence_has(&e, "f"));
    paper_add(&points, "W1", 1, "mean");
    paper_add(&points, "W2", (double)NAN, "mean");
    paper_add(&points, "W3", 3, "a, b");
    evidence_replace(&e, "f", &points, "r1");
    evidence_replace(&e, "g", &points, "r1");
    points.n = 1;
    points.point[0].value = 2;
    evidence_replace(&e, "f", &points, "r2");
    assert_int_equal(e.n, 3); /* what has no value has no row */
    assert_string_equal(e.row[0].figure, "f");
    assert_true(e.row[0].value == 2);
    assert_string_equal(e.row[0].revision, "r2");
    assert_string_equal(e.row[2].x, "a, b");
    snprintf(e.path, sizeof e.path, "./an-update.csv");
    assert_int_equal(evidence_save(&e, &err), 0);
    evidence_free(&e);
    assert_int_equal(evidence_load(&e, ".", "an-update", &err), 0);
    assert_int_equal(e.n, 3);
    assert_string_equal(e.row[2].x, "a, b");

    static const struct paper_claim claims[] = {{"f", "W1", "mean", CLAIM_MORE, NULL, NULL, 1.99, "more"},
                                                {"g", "W1", "mean", CLAIM_LESS, NULL, NULL, 0, ""},
                                                {0}};
    static const struct {
        double value;
        unsigned differences;
    } table[] = {{2, 0}, {2.03, 0}, {1.97, 1}, {2.05, 1}, {1.9, 2}, {(double)NAN, 2}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        points.point[0].value = table[i].value;
        assert_int_equal(evidence_check(&e, "f", "f", claims, &points), table[i].differences);
    }
    points.n = 0;
    assert_int_equal(evidence_check(&e, "f", "f", claims, &points), 2); /* not measured */
    evidence_free(&e);
    free(points.point);
    remove("an-update.csv");
}

/* Each workload under each variant, at paper size and with the recovered inputs. */
static void all_machines_are_valid(void **state)
{
    (void)state;
    static const struct paper_context contexts[] = {{.size = PAPER_PAPER}, {.size = PAPER_STAR}};
    for (unsigned s = 0; s < sizeof contexts / sizeof *contexts; s++) {
        const struct paper_context c = contexts[s];
        struct pool pool = {0};
        for (unsigned f = 0; f < E.nfigures; f++) {
            struct figure_runs r;
            assert_int_equal(figure_plan(&r, &c, &E, &E.figure[f], &pool), 0);
        }
        unsigned table2[TABLE2_APPS], before = pool.n;
        assert_int_equal(reproduce_table2_plan(&c, &pool, table2), 0);
        assert_int_equal(pool.n, before); /* those of Figure 5 */
        /* 11 workloads under 17 machines, 7 under 2, 5 under 3, and each application alone on what it has */
        assert_in_range(pool.n, 11 * 17 + 7 * 2 + 5 * 3 + 10, 11 * 17 + 7 * 2 + 5 * 3 + 33 + 10);
        pool_free(&pool);
    }
}

/* The applications and slices of an experiment are those of the other machine. */
static void the_recovered_machine(void **state)
{
    static const struct figure w4 = {.name = "f", .metric = METRIC_L3_HITS, .workloads = "4", .nvariants = 1};
    const struct paper_context c = {.size = PAPER_STAR};
    struct pool pool = {0};
    struct figure_runs r;
    (void)state;
    assert_int_equal(figure_plan(&r, &c, &E, &w4, &pool), 0);
    assert_int_equal(pool.n, 1);
    const struct mp_config *config = &pool.job[0].config;
    assert_string_equal(config->name, "star/w4");
    assert_int_equal(config->machine.page_bytes, 4096);
    assert_int_equal(config->machine.line_bytes, 64);
    assert_int_equal(config->ntenants, 3);
    assert_string_equal(config->tenant[0].app, "MT");
    assert_string_equal(config->tenant[0].size, "star-s");
    assert_string_equal(config->tenant[2].size, "star");
    assert_int_equal(config->tenant[0].slices, 3);
    assert_int_equal(config->tenant[2].slices, 2);
    assert_string_equal(r.w[0].app[0], "MT_s");
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements),
        cmocka_unit_test(runs_of_a_point_stand_once),
        cmocka_unit_test(names_and_sizes),
        cmocka_unit_test(data_is_of_figures),
        cmocka_unit_test(csv_fields),
        cmocka_unit_test(data_is_read_or_refused),
        cmocka_unit_test(figures_are_read_or_refused),
        cmocka_unit_test(an_update_replaces_one_figure),
        cmocka_unit_test(all_machines_are_valid),
        cmocka_unit_test(the_recovered_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
