/* SPDX-License-Identifier: Apache-2.0 */
/* The NeiDty evaluation: the paper's numbers agree with each other, and every machine of every figure is
 * valid. */
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

#define E (*reproduce_evaluation("neidty"))

static const char *const applications[] = {"LUD", "MIS", "PAGERANK", "COLOR", "SRAD", "ATAX", "BC", "ADI"};
#define APPS (sizeof applications / sizeof *applications)

static bool is_application(const char *name)
{
    for (unsigned a = 0; a < APPS; a++)
        if (!strcmp(applications[a], name))
            return true;
    return false;
}

/* The eight alone; then each once in a pair. */
static void workloads_are_the_papers(void **state)
{
    (void)state;
    const struct paper_data *data = paper_data("neidty");
    unsigned paired[APPS] = {0};
    for (unsigned i = 0; i < data->nworkloads; i++) {
        const struct paper_workload *w = &data->workload[i];
        if (i < APPS) {
            assert_string_equal(w->name, applications[i]);
            assert_string_equal(w->app[0], applications[i]);
            assert_null(w->app[1]);
            continue;
        }
        char name[40];
        snprintf(name, sizeof name, "%s.%s", w->app[0], w->app[1]);
        assert_string_equal(w->name, name);
        for (unsigned a = 0; a < APPS; a++)
            paired[a] += !strcmp(applications[a], w->app[0]) || !strcmp(applications[a], w->app[1]);
    }
    for (unsigned a = 0; a < APPS; a++)
        assert_int_equal(paired[a], 1);
}

static const struct figure *figure_named(const char *name)
{
    for (unsigned f = 0; f < E.nfigures; f++)
        if (!strcmp(E.figure[f].name, name))
            return &E.figure[f];
    return NULL;
}

static void data_is_of_figures(void **state)
{
    (void)state;
    const struct mp_db_point *points = paper_data("neidty")->point;
    for (const struct mp_db_point *p = points; p->paper; p++) {
        assert_non_null(figure_named(p->figure));
        assert_true(is_application(p->series) || !strcmp(p->series, "all"));
        assert_true(p->has_value && *p->unit && *p->note);
        assert_ptr_equal(paper_find(points, p->figure, p->series, p->x), p); /* once */
    }
    for (const struct paper_claim *c = paper_data("neidty")->claim; c->figure; c++) {
        assert_non_null(figure_named(c->figure));
        assert_false(figure_is_extra(figure_named(c->figure)));
        assert_true(is_application(c->series) || !strcmp(c->series, "all") || !strcmp(c->series, "*"));
    }
}

/* Table II's averages are those of the sixteen shares, as far as two digits say. */
static void averages_are_those_of_the_tables(void **state)
{
    (void)state;
    const struct mp_db_point *points = paper_data("neidty")->point;
    for (unsigned a = 0; a < APPS; a++) {
        double sum = 0;
        for (unsigned t = 0; t < 16; t++) {
            char name[8];
            snprintf(name, sizeof name, "TLB%u", t);
            const struct mp_db_point *p = paper_find(points, "table1", applications[a], name);
            assert_non_null(p);
            sum += p->value;
        }
        const struct mp_db_point *average = paper_find(points, "table1", applications[a], "average");
        assert_non_null(average);
        assert_true(fabs(sum / 16 - average->value) < 0.01);
    }
}

/* Every number that the text gives of a result, apart from the tables. */
static void numbers_of_the_text(void **state)
{
    static const struct {
        const char *figure, *series, *x;
        double value;
    } text[] = {
        {"fig2", "ATAX", "L1", 0.15},
        {"fig2", "SRAD", "L1", 0.25},
        {"fig2", "SRAD", "L2", 0.98},
        {"fig2-high", "all", "L2", 0.80},
        {"table1", "all", "average", 0.20},
        {"table1", "BC", "average", 0.36},
        {"table1", "ADI", "TLB1", 0.63},
        {"table1", "ADI", "TLB10", 0.01},
        {"fig8", "all", "remote NeiDty", 0.10},
        {"fig8", "LUD", "remote NeiDty", 0.29},
        {"fig9", "all", "translation NeiDty", 1.05},
        {"fig9", "LUD", "translation NeiDty", 1.21},
        {"fig10", "BC", "L1 twice", 0.60},
        {"fig10", "BC", "local twice", 0.50},
        {"fig10", "all", "L1 gain twice", 0.14},
        {"fig11", "all", "translation twice", 1.10},
        {"fig11", "SRAD", "translation twice", 1.20},
        {"fig11", "LUD", "translation twice", 1.20},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof text / sizeof *text; i++) {
        const struct mp_db_point *p =
            paper_find(paper_data("neidty")->point, text[i].figure, text[i].series, text[i].x);
        assert_non_null(p);
        assert_true(fabs(p->value - text[i].value) < 1e-9);
    }
    unsigned forty = 0; /* "less than 40 %" has no number to compare with; it is a statement */
    for (const struct paper_claim *c = paper_data("neidty")->claim; c->figure; c++)
        forty += !strcmp(c->figure, "fig2") && !strcmp(c->series, "all") && !strcmp(c->x, "L1");
    assert_int_equal(forty, 1);
}

/* All figures of the paper need five runs of each application. */
static void every_machine_is_valid(void **state)
{
    (void)state;
    const struct paper_context c = {.size = PAPER_PAPER};
    struct pool pool = {0};
    for (unsigned extra = 0; extra < 2; extra++) {
        for (unsigned f = 0; f < E.nfigures; f++) {
            struct figure_runs r;
            const struct figure *figure = &E.figure[f];
            if (figure_is_extra(figure) != extra)
                continue;
            assert_int_equal(figure_has_parts(figure), figure->metric != METRIC_PERFORMANCE);
            assert_int_equal(figure_plan(&r, &c, &E, figure, &pool), 0);
        }
        if (!extra)
            assert_int_equal(pool.n, APPS * 5);
    }
    for (unsigned i = 0; i < pool.n; i++) {
        const struct mp_config *config = &pool.job[i].config;
        assert_string_equal(config->tenant[0].size, "neidty");
        assert_int_equal(config->machine.tpcs_per_slice, 16);
        assert_int_equal(config->ntenants, strchr(config->name, '.') ? 2 : 1);
    }
    pool_free(&pool);
}

/* Smaller inputs are those of every paper. */
static void sizes_of_inputs(void **state)
{
    (void)state;
    const struct paper_context paper = {.size = PAPER_PAPER}, medium = {.size = PAPER_MEDIUM},
                               small = {.size = PAPER_SMALL};
    assert_string_equal(paper_input_size(&paper, "neidty"), "neidty");
    assert_string_equal(paper_input_size(&medium, "neidty"), "medium");
    assert_string_equal(paper_input_size(&small, "neidty"), "small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workloads_are_the_papers),         cmocka_unit_test(data_is_of_figures),
        cmocka_unit_test(averages_are_those_of_the_tables), cmocka_unit_test(numbers_of_the_text),
        cmocka_unit_test(every_machine_is_valid),           cmocka_unit_test(sizes_of_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
