/* SPDX-License-Identifier: Apache-2.0 */
/* STAR's Table II: each application alone on an instance of three slices with the L3 TLB to itself. The paper
 * does not say on which instance it measured; three slices is the larger of the two that its workloads use.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/paper/reproduce.h"
#include "cli/run/results.h"

#define APPS TABLE2_APPS

/* The i-th application of the table. */
static const char *app_name(unsigned i)
{
    const struct mp_db_point *p = paper_data("star")->point;
    while (strcmp(p->figure, "table2") != 0 || strcmp(p->x, "instructions") != 0 || i--)
        p++;
    return p->series;
}

static char class_of(double mpki)
{
    return mpki > 100 ? 'H' : mpki > 1 ? 'M' : 'L'; /* the paper's limits */
}

static double mpki_of(const struct run_job *job)
{
    const struct mp_tenant_result *r = &job->result.tenant[0];
    const double misses = (double)results_tlb(job, 0, "l2_tlb")->misses;
    return r->instructions ? 1000.0 * misses / (double)r->instructions : (double)NAN;
}

static double paper_value(const char *app, const char *x)
{
    const struct mp_db_point *p = paper_find(paper_data("star")->point, "table2", app, x);
    return p && p->has_value ? p->value : (double)NAN;
}

/* At the recovered inputs: what the paper counted in all runs, and what one run here comes to in as many. A
 * miss that finds its page pending is none, as in akita, whose TLB the paper's is; the others are the
 * requests to the next level. */
struct recovered {
    double runs, wavefronts; /* NAN: not known */
    double paper, misses;
    double instructions, recorded; /* of as many runs, in millions, likewise the paper's */
    double paper_instructions;
    double paper_mpki, mpki; /* per 1000 of the paper's instructions */
};

static struct recovered recovered_of(const char *app, const struct run_job *job)
{
    const double instructions = paper_value(app, "instructions"), mpki = paper_value(app, "l2_tlb_mpki");
    struct recovered r = {.runs = paper_value(app, "runs"),
                          .wavefronts = paper_value(app, "wavefronts"),
                          .paper = mpki * instructions / 1000,
                          .paper_mpki = mpki,
                          .paper_instructions = instructions / 1e6};
    const double runs = isnan(r.runs) ? 1 : r.runs;
    r.instructions = (double)job->result.tenant[0].instructions * runs / 1e6;
    r.recorded = (double)job->result.tenant[0].recorded_instructions * runs / 1e6;
    r.misses = (double)results_tlb(job, 0, "l3_tlb")->lookups * runs;
    r.mpki = 1000 * r.misses / instructions;
    return r;
}

/* Within a tenth of the paper's misses; the last digit of its MPKI leaves some room. */
static bool is_close(const struct recovered *r)
{
    return fabs(r->misses / r->paper - 1) <= 0.1;
}

static void cell_or_dash(struct out_table *t, double value, const char *format)
{
    if (isnan(value))
        out_cell(t, "-");
    else
        out_cell(t, format, value); /* NOLINT(clang-diagnostic-format-nonliteral): a literal of this file */
}

static void print_recovered(const struct pool *pool, const unsigned place[APPS])
{
    static const char *const heads[] = {
        "app",    "runs",       "M instructions (paper)", "M instructions", "M recorded",   "misses (paper)",
        "misses", "of paper's", "per wavefront (paper)",  "per wavefront",  "MPKI (paper)", "MPKI",
        "class"};
    struct out_table *t = out_table_new(13, heads);
    unsigned close = 0, same = 0;
    for (unsigned i = 0; i < APPS; i++) {
        const char *app = app_name(i);
        const struct recovered r = recovered_of(app, &pool->job[place[i]]);
        out_cell(t, "%s", app);
        cell_or_dash(t, r.runs, "%.0f");
        out_cell(t, "%.2f", r.paper_instructions);
        out_cell(t, "%.2f", r.instructions);
        out_cell(t, "%.2f", r.recorded);
        out_count(t, (uint64_t)r.paper);
        out_count(t, (uint64_t)r.misses);
        out_cell(t, "%.3f", r.misses / r.paper);
        cell_or_dash(t, r.paper / r.wavefronts, "%.3f");
        cell_or_dash(t, r.misses / r.wavefronts, "%.3f");
        out_cell(t, "%.2f", r.paper_mpki);
        out_cell(t, "%.2f", r.mpki);
        out_cell(t, "%c", class_of(r.mpki));
        close += is_close(&r);
        same += class_of(r.mpki) == class_of(r.paper_mpki);
    }
    out_table_print(t, stdout);
    printf("%u of %u applications are within 10 %% of the paper's misses, %u in its class. "
           "Misses and instructions of one\nrun times the runs that the paper's counts imply; misses without "
           "those that "
           "merge with a pending one; MPKI per 1000 of the paper's instructions.\n",
           close, APPS, same);
}

int reproduce_table2_plan(const struct paper_context *c, struct pool *pool, unsigned place[APPS])
{
    const struct evaluation *star = reproduce_evaluation("star");
    for (unsigned i = 0; i < APPS; i++) {
        char app[48];
        const char *const set[] = {app, "tenants.0.size=paper", "tenants.0.slices=3"};
        struct mp_config config;
        snprintf(app, sizeof app, "tenants.0.app=%s", app_name(i));
        const char *machine = c->size == PAPER_STAR ? star->recovered : star->machine;
        int code = figure_config(&config, c, machine, &star->variant[0], 3, set);
        struct run_job job;
        if (code || (code = runs_alone(&job, &config, 0)))
            return code;
        mp_config_free(&config);
        place[i] = pool_add(pool, &job.config, job.label);
    }
    return CLI_DONE;
}

void reproduce_table2_print(const struct paper_context *c, const struct pool *pool,
                            const unsigned place[APPS])
{
    if (c->size == PAPER_STAR) {
        print_recovered(pool, place);
        return;
    }
    static const char *const heads[] = {
        "app",  "instructions (paper)", "of warps", "of threads", "MPKI (paper)",
        "MPKI", "class (paper)",        "class"};
    struct out_table *t = out_table_new(8, heads);
    unsigned same = 0;
    for (unsigned i = 0; i < APPS; i++) {
        const struct run_job *job = &pool->job[place[i]];
        const struct mp_tenant_result *r = &job->result.tenant[0];
        const char *app = app_name(i);
        double paper = paper_value(app, "l2_tlb_mpki"), mpki = mpki_of(job);
        out_cell(t, "%s", app);
        out_count(t, (uint64_t)paper_value(app, "instructions"));
        out_count(t, r->instructions);
        out_count(t, r->thread_instructions);
        out_cell(t, "%.2f", paper);
        out_cell(t, "%.2f", mpki);
        out_cell(t, "%c", class_of(paper));
        out_cell(t, "%c", class_of(mpki));
        same += class_of(paper) == class_of(mpki);
    }
    out_table_print(t, stdout);
    printf("%u of %u applications are in the paper's class. MPKI: L2 TLB misses per 1000 warp instructions;\n"
           "H above 100, M above 1, L below. The paper does not say which instructions it counts.\n",
           same, APPS);
}

void reproduce_table2_json(const struct paper_context *c, const struct pool *pool, const unsigned place[APPS],
                           struct out_json *j)
{
    json_object(j, NULL);
    json_text(j, "figure", "star/table2");
    json_array(j, "applications");
    for (unsigned i = 0; i < APPS; i++) {
        const struct run_job *job = &pool->job[place[i]];
        const struct mp_tenant_result *r = &job->result.tenant[0];
        const char *app = app_name(i);
        double paper = paper_value(app, "l2_tlb_mpki"), mpki = mpki_of(job);
        char class[2] = {class_of(mpki), 0}, paper_class[2] = {class_of(paper), 0};
        json_object(j, NULL);
        json_text(j, "app", app);
        json_count(j, "run", (uint64_t)job->run_id);
        json_count(j, "paper_instructions", (uint64_t)paper_value(app, "instructions"));
        json_count(j, "warp_instructions", r->instructions);
        json_count(j, "thread_instructions", r->thread_instructions);
        json_real(j, "paper_l2_tlb_mpki", paper);
        json_real(j, "l2_tlb_mpki", mpki);
        json_text(j, "paper_class", paper_class);
        json_text(j, "class", class);
        if (c->size == PAPER_STAR) {
            const struct recovered s = recovered_of(app, job);
            json_real(j, "runs", s.runs);
            json_real(j, "instructions_of_all_runs", s.instructions * 1e6);
            json_real(j, "recorded_instructions_of_all_runs", s.recorded * 1e6);
            json_real(j, "paper_misses", s.paper);
            json_real(j, "misses", s.misses);
            json_real(j, "paper_misses_per_wavefront", s.paper / s.wavefronts);
            json_real(j, "misses_per_wavefront", s.misses / s.wavefronts);
        }
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

void reproduce_table2_measure(const struct paper_context *c, const struct pool *pool,
                              const unsigned place[APPS], struct paper_points *points)
{
    for (unsigned i = 0; i < APPS; i++) {
        const struct run_job *job = &pool->job[place[i]];
        const struct mp_tenant_result *r = &job->result.tenant[0];
        const struct {
            const char *x;
            double value;
        } values[] = {{"warp_instructions", (double)r->instructions},
                      {"thread_instructions", (double)r->thread_instructions},
                      {"l2_tlb_mpki", mpki_of(job)},
                      {"l2_tlb_misses", (double)results_tlb(job, 0, "l2_tlb")->misses}};
        for (unsigned k = 0; k < sizeof values / sizeof *values; k++) {
            struct paper_measured *m = paper_add(points, app_name(i), values[k].value, "%s", values[k].x);
            m->drawn = false;
            paper_add_run(m, job->run_id);
        }
        if (c->size == PAPER_STAR) {
            const struct recovered s = recovered_of(app_name(i), job);
            struct paper_measured *m = paper_add(points, app_name(i), s.misses, "misses_of_all_runs");
            m->drawn = false;
            paper_add_run(m, job->run_id);
            m = paper_add(points, app_name(i), s.recorded * 1e6, "recorded_instructions_of_all_runs");
            m->drawn = false;
            paper_add_run(m, job->run_id);
        }
    }
}
