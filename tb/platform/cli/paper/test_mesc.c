/* SPDX-License-Identifier: Apache-2.0 */
/* The MESC evaluation: every machine is valid, every number and statement of the paper has a measured one,
 * and means are arithmetic over the applications of a class. */
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

#define E (*reproduce_evaluation("mesc"))

static const struct cli cli = {.db = "no-such.db"};
static const struct paper_context context = {.cli = &cli, .size = PAPER_PAPER};

static const struct figure *figure_named(const char *name)
{
    for (unsigned f = 0; f < E.nfigures; f++)
        if (!strcmp(E.figure[f].name, name))
            return &E.figure[f];
    fail_msg("there is no figure %s", name);
    return NULL;
}

/* Results that differ by application and machine. */
static void give_results(struct pool *pool)
{
    for (unsigned i = 0; i < pool->n; i++)
        pool->job[i].result.tenant[0] = (struct mp_tenant_result){.cycles = 1000 + 10 * i,
                                                                  .instructions = 5000,
                                                                  .translations = 400 + i,
                                                                  .tlb = {{0, 100}, {0}, {100, 50 - i % 50}}};
}

static void every_number_is_measured(void **state)
{
    const struct paper_data *data = paper_data("mesc");
    struct pool pool = {0};
    (void)state;
    for (const struct mp_db_point *p = data->point; p->paper; p++) {
        figure_named(p->figure);
        assert_true(p->has_value && p->unit && p->note);
        assert_ptr_equal(paper_find(data->point, p->figure, p->series, p->x), p); /* said once */
    }
    for (unsigned f = 0; f < E.nfigures; f++) {
        struct figure_runs r;
        struct paper_points points = {0};
        assert_int_equal(figure_plan(&r, &context, &E, &E.figure[f], &pool), 0);
        assert_int_equal(r.n, data->nworkloads); /* all of them */
        if (figure_has_parts(r.f)) /* they need traces or a database, as test cli_reproduce_mesc has them */
            continue;
        give_results(&pool);
        assert_int_equal(figure_measure(&r, &points), 0);
        for (const struct mp_db_point *p = data->point; p->paper; p++)
            if (!strcmp(p->figure, r.f->name) && !paper_measured(&points, p->series, p->x))
                fail_msg("%s: nothing measured for %s, %s", p->figure, p->series, p->x);
        for (const struct paper_claim *k = data->claim; k->figure; k++)
            if (!strcmp(k->figure, r.f->name) && paper_holds(k, &points) < 0)
                fail_msg("%s: %s: of something that is not measured", k->figure, k->text);
        free(points.point);
    }
    for (const struct paper_claim *k = data->claim; k->figure; k++)
        figure_named(k->figure);
    pool_free(&pool);
}

/* Mean over the class of 5000 / cycles relative to that of the reference, from the pool. */
static void means_are_arithmetic(void **state)
{
    const struct paper_workload *w = paper_data("mesc")->workload;
    struct pool pool = {0};
    struct figure_runs r;
    struct paper_points points = {0};
    double sum = 0, hits = 0;
    unsigned n = 0;
    (void)state;
    assert_int_equal(figure_plan(&r, &context, &E, figure_named("fig2"), &pool), 0);
    give_results(&pool);
    for (unsigned i = 0; i < r.n; i++) {
        if (strcmp(w[i].category, "S") != 0)
            continue;
        const struct mp_tenant_result *thp = pool.job[r.w[i].job[0]].result.tenant;
        const struct mp_tenant_result *base = pool.job[r.w[i].reference[0]].result.tenant;
        assert_true(thp->cycles != base->cycles);
        sum += (double)base->cycles / (double)thp->cycles;
        hits += 1 - (double)base->tlb[0].misses / (double)base->translations;
        n++;
    }
    assert_int_equal(figure_measure(&r, &points), 0);
    assert_true(fabs(paper_measured(&points, "S", "mean")->value - sum / n) < 1e-9);
    free(points.point);
    points = (struct paper_points){0};
    assert_int_equal(figure_plan(&r, &context, &E, figure_named("fig3a"), &pool), 0);
    assert_int_equal(figure_measure(&r, &points), 0);
    assert_true(fabs(paper_measured(&points, "S", "mean")->value - hits / n) < 1e-9);
    free(points.point);
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_measured),
        cmocka_unit_test(means_are_arithmetic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
