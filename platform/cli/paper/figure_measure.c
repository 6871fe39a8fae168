/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the points of a figure from its runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/figure.h"

/* ---- bars ---- */

static double of_application(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                             unsigned base, unsigned t)
{
    return figure_metric(r->f)->application(r, w, job, base, t);
}

static double of_workload(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                          unsigned base)
{
    return figure_metric(r->f)->workload(r, w, job, base);
}

/* The name of a bar for one workload or several: "mean", the variant's name, or both. */
static const char *mean_name(const struct figure_runs *r, unsigned v)
{
    static char text[40];
    bool plain = r->f->nvariants > 1 && !r->f->applications;
    snprintf(text, sizeof text, "%s%s", plain ? "" : "mean", figure_suffix(r, v) + plain);
    return text;
}

static const char *over_name(const struct figure_runs *r, unsigned i)
{
    static char text[64];
    const unsigned *over = r->f->over[i];
    snprintf(text, sizeof text, "%.24s over %.24s", r->e->variant[over[0]].label,
             r->e->variant[over[1]].label);
    return text;
}

static void add_job(const struct figure_runs *r, struct paper_measured *m, unsigned job)
{
    paper_add_run(m, r->pool->job[job].run_id);
}

/* Adds the runs behind a value of the workload, or of one of its tenants (t < ntenants). */
static void add_runs(const struct figure_runs *r, const struct figure_workload *w, struct paper_measured *m,
                     unsigned job, unsigned base, unsigned t)
{
    add_job(r, m, job);
    if (figure_metric(r->f)->reference && base != FIGURE_ALONE)
        add_job(r, m, base);
    for (unsigned i = 0; figure_needs_alone(r->f) && i < w->ntenants; i++)
        if (t == i || t == w->ntenants)
            add_job(r, m, w->alone[i]);
    for (unsigned i = 0; figure_metric(r->f)->largest && i < r->f->nover; i++)
        if (w->over[i][1] == job)
            add_job(r, m, w->over[i][0]);
}

static void bars_of_workload(const struct figure_runs *r, const struct figure_workload *w,
                             struct paper_points *points)
{
    unsigned n = w->ntenants, first = points->n;
    for (unsigned t = 0; r->f->applications && t < n; t++) {
        for (unsigned v = 0; v < r->f->nvariants; v++) {
            double value = of_application(r, w, w->job[v], w->reference[v], t);
            add_runs(r, w, paper_add(points, w->name, value, "%s%s", w->app[t], figure_suffix(r, v)),
                     w->job[v], w->reference[v], t);
        }
    }
    for (unsigned v = 0; v < r->f->nvariants; v++) {
        double value = of_workload(r, w, w->job[v], w->reference[v]);
        add_runs(r, w, paper_add(points, w->name, value, "%s", mean_name(r, v)), w->job[v], w->reference[v],
                 n);
    }
    for (unsigned i = first; r->f->groups_only && i < points->n; i++)
        points->point[i].drawn = false;
}

/* The value under the first of two variants relative to that under the second. If the metric is relative, the
 * second variant is the reference. t == ntenants: the value of the whole workload. */
static double over(const struct figure_runs *r, const struct figure_workload *w, const unsigned pair[2],
                   unsigned t)
{
    if (figure_metric(r->f)->reference)
        return t < w->ntenants ? of_application(r, w, pair[0], pair[1], t)
                               : of_workload(r, w, pair[0], pair[1]);
    double value[2];
    for (unsigned i = 0; i < 2; i++)
        value[i] = t < w->ntenants ? of_application(r, w, pair[i], FIGURE_ALONE, t)
                                   : of_workload(r, w, pair[i], FIGURE_ALONE);
    return value[0] / value[1];
}

static void over_of_workload(const struct figure_runs *r, const struct figure_workload *w,
                             struct paper_points *points)
{
    for (unsigned i = 0; !figure_metric(r->f)->largest && i < r->f->nover; i++) {
        for (unsigned t = figure_metric(r->f)->application ? 0 : w->ntenants; t <= w->ntenants; t++) {
            struct paper_measured *m =
                paper_add(points, w->name, over(r, w, w->over[i], t), "%s%s%s",
                          t < w->ntenants ? w->app[t] : "", t < w->ntenants ? " " : "", over_name(r, i));
            m->drawn = false;
            add_job(r, m, w->over[i][0]);
            add_job(r, m, w->over[i][1]);
        }
    }
}

/* ---- averages over groups of workloads ---- */

struct average {
    double sum;
    unsigned n;
};

static void take(struct average *a, double value)
{
    if (isfinite(value)) {
        a->sum += value;
        a->n++;
    }
}

static double average(const struct average *a)
{
    return a->n ? a->sum / a->n : (double)NAN;
}

/* Averages as the figure's metric defines. */
static void take_bar(const struct figure_runs *r, struct average *a, double value)
{
    take(a, figure_metric(r->f)->geometric ? log(value) : value);
}

static double average_bar(const struct figure_runs *r, const struct average *a)
{
    return figure_metric(r->f)->geometric ? exp(average(a)) : average(a);
}

struct members {
    const char *series;
    unsigned n, most; /* number of workloads, and the largest number of applications in one */
    const struct figure_workload *w[FIGURE_WORKLOADS];
};

static double average_over(const struct figure_runs *r, const struct members *of, unsigned i)
{
    struct average a[2] = {{0, 0}, {0, 0}};
    bool reference = figure_metric(r->f)->reference;
    for (unsigned k = 0; k < of->n; k++) {
        const struct figure_workload *w = of->w[k];
        for (unsigned j = 0; j < (reference ? 1 : 2); j++)
            take_bar(r, &a[j],
                     reference ? over(r, w, w->over[i], w->ntenants)
                               : of_workload(r, w, w->over[i][j], FIGURE_ALONE));
    }
    return reference ? average_bar(r, &a[0]) : average_bar(r, &a[0]) / average_bar(r, &a[1]);
}

/* The average over each workload's t-th application, or over the workloads. */
static void average_of(const struct figure_runs *r, const struct members *of, bool applications, unsigned t,
                       unsigned v, struct paper_points *points)
{
    struct average a = {0, 0};
    struct paper_measured *m =
        applications ? paper_add(points, of->series, 0, "tenant %u%s", t + 1, figure_suffix(r, v))
                     : paper_add(points, of->series, 0, "%s", mean_name(r, v));
    for (unsigned i = 0; i < of->n; i++) {
        const struct figure_workload *w = of->w[i];
        if (applications && t >= w->ntenants)
            continue;
        take_bar(r, &a,
                 applications ? of_application(r, w, w->job[v], w->reference[v], t)
                              : of_workload(r, w, w->job[v], w->reference[v]));
        add_runs(r, w, m, w->job[v], w->reference[v], applications ? t : w->ntenants);
    }
    m->value = average_bar(r, &a);
}

/* Adds the workload with the most. */
static void largest_of(const struct figure_runs *r, const struct members *of, unsigned v,
                       struct paper_points *points)
{
    struct paper_measured *m = paper_add(points, "largest", (double)NAN, "%s", mean_name(r, v));
    for (unsigned i = 0; i < of->n; i++) {
        const struct figure_workload *w = of->w[i];
        m->value = fmax(m->value, of_workload(r, w, w->job[v], w->reference[v]));
        add_runs(r, w, m, w->job[v], w->reference[v], w->ntenants);
    }
}

static void averages(const struct figure_runs *r, const struct members *of, struct paper_points *points)
{
    for (unsigned t = 0; r->e->group && r->f->applications && t < of->most; t++)
        for (unsigned v = 0; v < r->f->nvariants; v++)
            average_of(r, of, true, t, v, points);
    for (unsigned v = 0; v < r->f->nvariants; v++)
        average_of(r, of, false, 0, v, points);
    for (unsigned v = 0; figure_metric(r->f)->largest && v < r->f->nvariants; v++)
        largest_of(r, of, v, points);
    for (unsigned i = 0; !figure_metric(r->f)->largest && i < r->f->nover; i++) {
        struct paper_measured *m =
            paper_add(points, of->series, average_over(r, of, i), "%s", over_name(r, i));
        m->drawn = false;
        for (unsigned k = 0; k < 2 * of->n; k++)
            add_job(r, m, of->w[k / 2]->over[i][k % 2]);
    }
}

static void join(struct members *m, const struct figure_workload *w)
{
    m->w[m->n++] = w;
    m->most = w->ntenants > m->most ? w->ntenants : m->most;
}

/* Whether a category is one of the words, which are separated by blanks. */
static bool among(const char *words, const char *category)
{
    size_t n = strlen(category);
    for (const char *s = words; (s = strstr(s, category)); s += n)
        if ((s == words || s[-1] == ' ') && (!s[n] || s[n] == ' '))
            return true;
    return false;
}

static void averages_by_group(const struct figure_runs *r, struct paper_points *points)
{
    for (const struct group *g = r->e->group; g->name; g++) {
        struct members of = {.series = g->name};
        for (unsigned i = 0; i < r->n; i++)
            if (!g->categories || among(g->categories, r->w[i].category))
                join(&of, &r->w[i]);
        if (of.n)
            averages(r, &of, points);
    }
}

static void averages_by_tenants(const struct figure_runs *r, struct paper_points *points)
{
    struct members of[MP_TENANTS + 1];
    unsigned kinds = 0;
    memset(of, 0, sizeof of);
    for (unsigned i = 0; i < r->n; i++) {
        kinds += !of[r->w[i].ntenants].n;
        join(&of[r->w[i].ntenants], &r->w[i]);
    }
    for (unsigned n = 1; n <= MP_TENANTS; n++) {
        char series[16] = "all";
        if (kinds > 1)
            snprintf(series, sizeof series, "all of %u", n % 10);
        of[n].series = series;
        if (of[n].n)
            averages(r, &of[n], points);
    }
}

static void measure_bars(const struct figure_runs *r, struct paper_points *points)
{
    for (unsigned i = 0; i < r->n; i++) {
        bars_of_workload(r, &r->w[i], points);
        over_of_workload(r, &r->w[i], points);
    }
    (r->e->group ? averages_by_group : averages_by_tenants)(r, points);
}

/* ---- curves ---- */

#define BINS 64u

/* Counts by bin: by sub-entries, or by powers of two of pages (bin k: below 2^k). */
struct counts {
    uint64_t bin[BINS];
};

static int read_counts(struct mp_db *db, const struct figure_runs *r, unsigned job,
                       struct counts tenant[MP_TENANTS], struct mp_error *err)
{
    static const char *const sql[] = {
        [METRIC_SUB_ENTRIES] =
            ("SELECT tenant, sub_entries, evictions FROM sub_entry_use WHERE run = :run AND "
             "level = 'l3_tlb' AND tenant IS NOT NULL"),
        [METRIC_REUSE] = ("SELECT tenant, from_pages, reuses FROM reuse_distance "
                          "WHERE run = :run AND tenant IS NOT NULL")};
    memset(tenant, 0, MP_TENANTS * sizeof *tenant);
    char *text = runs_ask(db, sql[r->f->metric], r->pool->job[job].run_id, MP_DB_CSV, err), *rest = NULL;
    if (!text)
        return -1;
    for (char *line = strtok_r(text, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        unsigned t, bin = 0;
        uint64_t low, count;
        if (sscanf(line, "%u,%" SCNu64 ",%" SCNu64, &t, &low, &count) != 3 || t >= MP_TENANTS)
            continue; /* the header */
        if (r->f->metric == METRIC_SUB_ENTRIES)
            bin = (unsigned)low;
        else
            while (low >> bin)
                bin++;
        tenant[t].bin[bin < BINS ? bin : BINS - 1] += count;
    }
    free(text);
    return 0;
}

static void add_counts(struct counts *to, const struct counts *from)
{
    for (unsigned i = 0; i < BINS; i++)
        to->bin[i] += from->bin[i];
}

static uint64_t total(const struct counts *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < BINS; i++)
        sum += c->bin[i];
    return sum;
}

static double mean(const struct counts *c)
{
    double sum = 0;
    for (unsigned i = 0; i < BINS; i++)
        sum += (double)i * (double)c->bin[i];
    return sum / (double)total(c);
}

/* Adds the share up to each abscissa, the number, and the mean. */
static void add_curve(const struct figure_runs *r, const char *series, const char *name,
                      const struct counts *c, const unsigned *jobs, unsigned njobs,
                      struct paper_points *points)
{
    bool sub_entries = r->f->metric == METRIC_SUB_ENTRIES;
    uint64_t all = total(c), below = 0;
    unsigned first = points->n;
    for (unsigned i = 0; i <= (sub_entries ? 16 : 20); i++) {
        uint64_t edge = sub_entries ? i : UINT64_C(1) << i;
        below += c->bin[i];
        if (all && (i || !sub_entries))
            paper_add(points, series, (double)below / (double)all, "%s %" PRIu64, name, edge);
    }
    if (sub_entries) {
        paper_add(points, series, (double)all, "%s evictions", name)->drawn = false;
        paper_add(points, series, mean(c), "%s mean", name)->drawn = false;
    }
    for (unsigned i = first; i < points->n; i++)
        for (unsigned k = 0; k < njobs; k++)
            add_job(r, &points->point[i], jobs[k]);
}

static int curves_of_workload(struct mp_db *db, const struct figure_runs *r, const struct figure_workload *w,
                              struct average mean_of[], struct paper_points *points, struct mp_error *err)
{
    struct counts tenant[MP_TENANTS], whole;
    char name[56];
    for (unsigned v = 0; v < r->f->nvariants; v++) {
        if (read_counts(db, r, w->job[v], tenant, err))
            return -1;
        memset(&whole, 0, sizeof whole);
        for (unsigned t = 0; t < w->ntenants; t++) {
            add_counts(&whole, &tenant[t]);
            snprintf(name, sizeof name, "%s%s", w->app[t], figure_suffix(r, v));
            if (r->f->applications)
                add_curve(r, w->name, name, &tenant[t], &w->job[v], 1, points);
        }
        if (!r->f->applications)
            add_curve(r, w->name, mean_name(r, v), &whole, &w->job[v], 1, points);
        take(&mean_of[v], mean(&whole));
    }
    snprintf(name, sizeof name, "%s%salone", w->name, *w->name ? " " : "");
    for (unsigned t = 0; r->f->alone && t < w->ntenants; t++) {
        if (read_counts(db, r, w->alone[t], tenant, err))
            return -1;
        add_curve(r, name, w->app[t], &tenant[0], &w->alone[t], 1, points);
    }
    return 0;
}

/* Adds the mean sub-entry use, averaged over the workloads. */
static void average_use(const struct figure_runs *r, const struct average mean_of[],
                        struct paper_points *points)
{
    for (unsigned v = 0; v < r->f->nvariants; v++)
        paper_add(points, "all", average(&mean_of[v]), "%s mean", mean_name(r, v))->drawn = false;
    for (unsigned i = 0; i < r->f->nover; i++) {
        double value[2] = {(double)NAN, (double)NAN};
        for (unsigned v = 0; v < 2 * r->f->nvariants; v++)
            if (r->f->over[i][v % 2] == r->f->variant[v / 2])
                value[v % 2] = average(&mean_of[v / 2]);
        paper_add(points, "all", value[0] / value[1], "%s", over_name(r, i))->drawn = false;
    }
    for (unsigned k = points->n - r->f->nvariants - r->f->nover; k < points->n; k++)
        for (unsigned i = 0; i < r->n * r->f->nvariants; i++)
            add_job(r, &points->point[k], r->w[i / r->f->nvariants].job[i % r->f->nvariants]);
}

static int measure_curves(const struct figure_runs *r, struct paper_points *points)
{
    struct average mean_of[FIGURE_VARIANTS] = {{0, 0}};
    struct mp_error err;
    struct mp_db *db;
    if (mp_db_open(&db, r->c->cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    int failed = 0;
    for (unsigned i = 0; !failed && i < r->n; i++)
        failed = curves_of_workload(db, r, &r->w[i], mean_of, points, &err);
    mp_db_close(db);
    if (failed)
        return cli_fail(CLI_FAILED, "%s", err.text);
    if (r->f->metric == METRIC_SUB_ENTRIES && r->f->nvariants)
        average_use(r, mean_of, points);
    return CLI_DONE;
}

int figure_measure(const struct figure_runs *r, struct paper_points *points)
{
    if (r->f->measure)
        return r->f->measure(r, points);
    if (figure_is_curves(r->f))
        return measure_curves(r, points);
    if (figure_has_parts(r->f))
        return figure_measure_parts(r, points);
    measure_bars(r, points);
    return CLI_DONE;
}
