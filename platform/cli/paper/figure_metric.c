/* SPDX-License-Identifier: Apache-2.0 */
/* The metrics of bars, computed from the results of runs. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/figure.h"
#include "cli/run/results.h"

static const struct mp_tenant_result *result(const struct figure_runs *r, unsigned job, unsigned t)
{
    return &r->pool->job[job].result.tenant[t];
}

static double part(uint64_t numerator, uint64_t denominator)
{
    return denominator ? (double)numerator / (double)denominator : (double)NAN;
}

/* IPC relative to a reference's: by cycles, and by instructions, because one of them may have run more often.
 */
static double relative(const struct mp_tenant_result *run, const struct mp_tenant_result *reference)
{
    return part(reference->cycles, run->cycles) * part(run->instructions, reference->instructions);
}

static double to_alone(const struct figure_runs *r, const struct figure_workload *w, unsigned job, unsigned t)
{
    return relative(result(r, job, t), result(r, w->alone[t], 0));
}

/* Arithmetic mean over a workload's applications; those without a value (no lookup at all) do not count. */
static double arithmetic(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                         unsigned base)
{
    double sum = 0;
    unsigned n = 0;
    for (unsigned t = 0; t < w->ntenants; t++) {
        double value = figure_metric(r->f)->application(r, w, job, base, t);
        if (isfinite(value)) {
            sum += value;
            n++;
        }
    }
    return n ? sum / n : (double)NAN;
}

static double sum(const struct figure_runs *r, const struct figure_workload *w, unsigned job, unsigned base)
{
    double all = 0;
    for (unsigned t = 0; t < w->ntenants; t++)
        all += figure_metric(r->f)->application(r, w, job, base, t);
    return all;
}

static double speedup(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                      unsigned base, unsigned t)
{
    return base == FIGURE_ALONE ? to_alone(r, w, job, t) : relative(result(r, job, t), result(r, base, t));
}

static double harmonic(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                       unsigned base)
{
    double all = 0;
    unsigned n = 0;
    for (unsigned t = 0; t < w->ntenants; t++) {
        double value = speedup(r, w, job, base, t);
        if (isfinite(value)) {
            all += 1 / value;
            n++;
        }
    }
    return n ? n / all : (double)NAN;
}

static double l3_hits(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                      unsigned base, unsigned t)
{
    (void)w;
    (void)base;
    return results_hits(&r->pool->job[job], t, "l3_tlb");
}

static double l1_hits(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                      unsigned base, unsigned t)
{
    (void)w;
    (void)base;
    return results_hits(&r->pool->job[job], t, "l1_tlb");
}

/* ---- DWS, Sections IV and VII ---- */

static double ipc(const struct figure_runs *r, unsigned job, unsigned ntenants)
{
    double all = 0;
    for (unsigned t = 0; t < ntenants; t++)
        all += results_ipc(result(r, job, t));
    return all;
}

static double total_ipc(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                        unsigned base)
{
    return ipc(r, job, w->ntenants) / ipc(r, base, w->ntenants);
}

static double weighted_ipc(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                           unsigned base)
{
    double all = 0;
    (void)base;
    for (unsigned t = 0; t < w->ntenants; t++)
        all += to_alone(r, w, job, t);
    return all;
}

static double fairness(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                       unsigned base)
{
    double least = INFINITY, most = 0;
    (void)base;
    for (unsigned t = 0; t < w->ntenants; t++) {
        double value = to_alone(r, w, job, t);
        least = value < least ? value : least;
        most = value > most ? value : most;
    }
    return least / most;
}

static double interleaving(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                           unsigned base, unsigned t)
{
    (void)w;
    (void)base;
    return part(result(r, job, t)->waited_for, result(r, job, t)->walks);
}

static double stolen(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                     unsigned base, unsigned t)
{
    (void)w;
    (void)base;
    return 100 * part(result(r, job, t)->stolen, result(r, job, t)->walks);
}

static double latency(const struct mp_tenant_result *t)
{
    return part(t->queue_cycles + t->walk_cycles, t->walks);
}

static double walk_latency(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                           unsigned base, unsigned t)
{
    (void)base;
    return latency(result(r, job, t)) / latency(result(r, w->alone[t], 0));
}

static double walkers(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                      unsigned base, unsigned t)
{
    const struct mp_tenant_result *run = result(r, job, t);
    const struct mp_config *c = &r->pool->job[job].config;
    (void)w;
    (void)base;
    return part(run->walk_cycles, run->cycles) /
           (double)(mp_config_value(c, "walk.walkers_per_slice") * c->machine.slices);
}

/* A number of the last line that a query returns, of a run or of several, as in "3,7": field 0 is its first.
 * NAN if there is none. */
static double asked(const struct figure_runs *r, const char *runs, const char *sql, unsigned field)
{
    const struct mp_db_parameter parameter = {.name = "run", .value = runs};
    struct mp_db *db;
    struct mp_error err;
    double value = (double)NAN;
    char *text = NULL, *rest = NULL;
    size_t size = 0;
    if (mp_db_open(&db, r->c->cli->db, MP_DB_READ, &err))
        return value;
    FILE *f = cli_have(open_memstream(&text, &size));
    int failed = mp_db_query(db, sql, 1, &parameter, MP_DB_CSV, f, &err);
    fclose(f);
    const char *last = NULL, *line = strtok_r(text, "\r\n", &rest); /* the header */
    while (!failed && line && (line = strtok_r(NULL, "\r\n", &rest)))
        last = line;
    for (; last && field; field--)
        last = (last = strchr(last, ',')) ? last + 1 : NULL;
    if (last && *last && *last != ',')
        value = strtod(last, NULL);
    free(text);
    mp_db_close(db);
    return value;
}

static double asked_of(const struct figure_runs *r, unsigned job, const char *sql)
{
    char run[24];
    snprintf(run, sizeof run, "%" PRId64, r->pool->job[job].run_id);
    return asked(r, run, sql, 0);
}

/* For an L2 TLB that all tenants share. */
static double tlb_share(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                        unsigned base, unsigned t)
{
    char sql[200];
    (void)w;
    (void)base;
    snprintf(sql, sizeof sql,
             "SELECT avg(value) FROM epochs "
             "WHERE run = :run AND kind = 'l2_tlb' AND metric = 'held' AND tenant = %u",
             t);
    return asked_of(r, job, sql) / (double)mp_config_value(&r->pool->job[job].config, "l2_tlb.entries");
}

/* ---- MESC, Sections II and VI-D ---- */

/* Every entry of the page table that a walk reads is a line of its own. */
static double walk_lines(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                         unsigned base)
{
    (void)w;
    (void)base;
    return asked_of(
        r, job,
        "SELECT 1.0 * sum(value) FILTER (WHERE metric = 'levels_read') / sum(value) FILTER (WHERE "
        "metric IN ('reads', 'writes') AND kind = 'dram') FROM metrics WHERE run = :run");
}

static double energy(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                     unsigned base)
{
    static const char translation[] =
        "SELECT sum(count * nanojoules) FROM energy WHERE run = :run AND part = 'translation'";
    (void)w;
    return asked_of(r, job, translation) / asked_of(r, base, translation);
}

/* ---- Fractional GPUs, Section V ---- */

/* Cycles of a run of the first tenant's application, on average. */
static double time_of(const struct figure_runs *r, unsigned job)
{
    return part(result(r, job, 0)->cycles, result(r, job, 0)->completions);
}

static double normalised(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                         unsigned base)
{
    const struct run_job *run = &r->pool->job[job], *reference = &r->pool->job[base];
    (void)w;
    return time_of(r, job) / time_of(r, base) *
           part(run->config.tenant[0].sms, reference->config.tenant[0].sms);
}

static double relative_time(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                            unsigned base)
{
    (void)w;
    return time_of(r, job) / time_of(r, base);
}

static double variation(const struct figure_runs *r, const struct figure_workload *w, unsigned job,
                        unsigned base)
{
    double most = (double)NAN;
    (void)base;
    for (unsigned i = 0; i < r->f->nover; i++)
        if (w->over[i][1] == job)
            most = fmax(most, 100 * (time_of(r, w->over[i][0]) / time_of(r, job) - 1));
    return most;
}

static const struct metric_rule rules[] = {
    [METRIC_SPEEDUP] = {.application = speedup, .workload = harmonic, .reference = true},
    [METRIC_PERFORMANCE] = {.application = NULL, .workload = total_ipc, .reference = true},
    [METRIC_L1_HITS] = {.application = l1_hits, .workload = arithmetic},
    [METRIC_L3_HITS] = {.application = l3_hits, .workload = arithmetic},
    [METRIC_TOTAL_IPC] = {.application = NULL, .workload = total_ipc, .reference = true, .geometric = true},
    [METRIC_WEIGHTED_IPC] = {.application = NULL, .workload = weighted_ipc, .alone = true},
    [METRIC_FAIRNESS] = {.application = NULL, .workload = fairness, .alone = true},
    [METRIC_INTERLEAVING] = {.application = interleaving, .workload = arithmetic},
    [METRIC_STOLEN] = {.application = stolen, .workload = arithmetic},
    [METRIC_WALK_LATENCY] = {.application = walk_latency,
                             .workload = arithmetic,
                             .alone = true,
                             .geometric = true},
    [METRIC_WALKERS] = {.application = walkers, .workload = sum},
    [METRIC_TLB_SHARE] = {.application = tlb_share, .workload = sum},
    [METRIC_NORMALISED] = {.application = NULL, .workload = normalised, .reference = true},
    [METRIC_TIME] = {.application = NULL, .workload = relative_time, .reference = true},
    [METRIC_VARIATION] = {.application = NULL, .workload = variation, .largest = true},
    [METRIC_WALK_LINES] = {.application = NULL, .workload = walk_lines},
    [METRIC_ENERGY] = {.application = NULL, .workload = energy, .reference = true},
};

const struct metric_rule *figure_metric(const struct figure *f)
{
    return &rules[f->metric];
}

bool figure_is_curves(const struct figure *f)
{
    return !f->measure && (f->metric == METRIC_SUB_ENTRIES || f->metric == METRIC_REUSE);
}

bool figure_needs_alone(const struct figure *f)
{
    if (f->alone || figure_is_curves(f) || figure_has_parts(f))
        return f->alone;
    const struct metric_rule *m = figure_metric(f);
    return m->alone || (m->reference && f->reference[0] == FIGURE_ALONE);
}
