/* SPDX-License-Identifier: Apache-2.0 */
/* STAR's Figure 3: each application of W1 to W11 relative to running alone on the same instance, the harmonic
 * mean of each workload, and their average. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/paper.h"
#include "cli/plot.h"
#include "cli/results.h"

#define WORKLOADS 11u
#define MAX_JOBS  (WORKLOADS * (1 + MP_MAX_TENANTS))
#define MAX_BARS  (WORKLOADS * (MP_MAX_TENANTS + 1) + 1)

static const char *const workload_names[WORKLOADS] = {"W1", "W2", "W3", "W4",  "W5", "W6",
                                                      "W7", "W8", "W9", "W10", "W11"};

struct bar {
    const char *workload, *label;
    double measured;
    const struct mp_db_point *paper; /* NULL: the figure has no such bar */
    uint64_t slices;                 /* 0 for a mean */
    unsigned job;
};

struct fig3 {
    const struct paper_context *c;
    unsigned alone, nbars;
    struct run_job jobs[MAX_JOBS];         /* the workloads, then the alone runs */
    char x[WORKLOADS][MP_MAX_TENANTS][16]; /* the paper's name of each bar: "ST_s", "BFS 2" */
    struct bar bar[MAX_BARS];
};

static unsigned size_rank(const char *size)
{
    unsigned i = 0;
    while (paper_size_names[i + 1] && strcmp(paper_size_names[i], size) != 0)
        i++;
    return i;
}

/* ST_s is ST with a smaller input; where "paper" becomes smaller, so does that. */
static int shrink(struct fig3 *f, unsigned w)
{
    struct mp_config *config = &f->jobs[w].config;
    for (unsigned t = 0; t < config->ntenants; t++) {
        struct mp_tenant_config *tenant = &config->tenant[t];
        unsigned rank = size_rank(tenant->size), less = PAPER_PAPER - f->c->size, same = 1;
        for (unsigned i = 0; i < t; i++)
            same += !strcmp(config->tenant[i].app, tenant->app);
        snprintf(f->x[w][t], sizeof f->x[w][t], "%s%s%s", tenant->app, rank < PAPER_PAPER ? "_s" : "",
                 same > 1 ? " 2" : "");
        free(tenant->size);
        tenant->size = strdup(paper_size_names[rank > less ? rank - less : 0]);
        if (!tenant->size)
            return cli_fail(CLI_FAILED, "out of memory");
    }
    return CLI_DONE;
}

static int load(struct fig3 *f)
{
    struct mp_error err;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        char name[16];
        snprintf(name, sizeof name, "star/w%u", w + 1);
        if (mp_config_load(&f->jobs[w].config, name, 0, NULL, &err))
            return cli_fail(CLI_USAGE, "%s", err.text);
        snprintf(f->jobs[w].label, sizeof f->jobs[w].label, "%s", name);
        if (shrink(f, w))
            return CLI_FAILED;
    }
    for (unsigned w = 0; w < WORKLOADS; w++) {
        for (unsigned t = 0; t < f->jobs[w].config.ntenants; t++) {
            struct run_job *next = &f->jobs[WORKLOADS + f->alone];
            if (results_alone(&f->jobs[w], t, f->jobs + WORKLOADS, f->alone))
                continue;
            if (runs_alone(next, &f->jobs[w].config, t))
                return CLI_FAILED;
            f->alone++;
        }
    }
    return CLI_DONE;
}

static void add(struct fig3 *f, unsigned w, const char *workload, const char *x, uint64_t slices,
                double value)
{
    struct bar *b = &f->bar[f->nbars++];
    *b = (struct bar){.workload = workload, .label = x, .measured = value, .slices = slices, .job = w};
    b->paper = paper_find(paper_star, "fig3", workload, x);
}

static void evaluate(struct fig3 *f)
{
    const struct run_job *alone = f->jobs + WORKLOADS;
    double sum = 0;
    for (unsigned w = 0; w < WORKLOADS; w++) {
        const struct run_job *job = &f->jobs[w];
        const char *name = workload_names[w];
        for (unsigned t = 0; t < job->config.ntenants; t++)
            add(f, w, name, f->x[w][t], job->config.tenant[t].slices,
                results_relative(job, t, alone, f->alone));
        double mean = results_harmonic(job, alone, f->alone);
        add(f, w, name, "mean", 0, mean);
        sum += mean;
    }
    add(f, WORKLOADS, "all", "mean", 0, sum / WORKLOADS);
}

static int store(const struct fig3 *f)
{
    struct paper_measured *measured = cli_alloc(MAX_BARS, sizeof *measured);
    unsigned n = 0;
    for (unsigned i = 0; i < f->nbars; i++) {
        const struct bar *b = &f->bar[i];
        struct paper_measured *m = &measured[n];
        if (!b->paper)
            continue;
        n++;
        m->series = b->workload;
        m->x = b->label;
        m->value = b->measured;
        for (unsigned w = 0; w < WORKLOADS; w++)
            if (w == b->job || b->job == WORKLOADS)
                m->runs[m->nruns++] = f->jobs[w].run_id;
        for (unsigned t = 0; b->job < WORKLOADS && t < f->jobs[b->job].config.ntenants; t++)
            if (!b->slices || !strcmp(f->x[b->job][t], b->label))
                m->runs[m->nruns++] =
                    results_alone(&f->jobs[b->job], t, f->jobs + WORKLOADS, f->alone)->run_id;
    }
    int code = paper_store(f->c, paper_star, "fig3", measured, n);
    free(measured);
    return code;
}

static void print(const struct fig3 *f)
{
    static const char *const heads[] = {"workload", "category", "application", "slices", "paper", "measured"};
    struct out_table *t = out_table_new(6, heads);
    for (unsigned i = 0; i < f->nbars; i++) {
        const struct bar *b = &f->bar[i];
        bool first = !i || strcmp(b->workload, f->bar[i - 1].workload) != 0;
        out_cell(t, "%s", first ? b->workload : "");
        out_cell(t, "%s", first && b->job < WORKLOADS ? paper_star_category[b->job] : "");
        out_cell(t, "%s",
                 b->slices            ? b->label
                 : b->job < WORKLOADS ? "harmonic mean"
                                      : "average of the means");
        out_cell(t, b->slices ? "%" PRIu64 : "%.0" PRIu64, b->slices);
        if (b->paper && b->paper->has_value)
            out_cell(t, "%.3f", b->paper->value);
        else
            out_cell(t, "-");
        out_cell(t, "%.3f", b->measured);
    }
    out_table_print(t, stdout);
    puts("\nPerformance relative to running alone on the same instance. \"-\": the paper draws a bar and "
         "prints no\n"
         "number (of W11 it says that the overhead is negligible).");
}

static void print_json(const struct fig3 *f)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "figure", "star/fig3");
    json_array(&j, "bars");
    for (unsigned i = 0; i < f->nbars; i++) {
        const struct bar *b = &f->bar[i];
        json_object(&j, NULL);
        json_text(&j, "workload", b->workload);
        json_text(&j, "application", b->label);
        json_real(&j, "paper", b->paper && b->paper->has_value ? b->paper->value : (double)NAN);
        json_real(&j, "measured", b->measured);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static int draw(const struct fig3 *f)
{
    struct plot_bar bars[MAX_BARS];
    char name[64];
    for (unsigned i = 0; i < f->nbars; i++) {
        const struct bar *b = &f->bar[i];
        bars[i] = (struct plot_bar){.group = b->workload,
                                    .label = b->label,
                                    .value = b->measured,
                                    .paper = b->paper && b->paper->has_value ? b->paper->value : (double)NAN};
    }
    snprintf(name, sizeof name, "star-%s", paper_figure_name(f->c, "fig3"));
    return plot_bars(f->c->cli, f->c->folder, name, "What sharing the L3 TLB costs (STAR, Figure 3)",
                     "performance relative to alone", bars, f->nbars);
}

int reproduce_star_fig3(const struct paper_context *c)
{
    struct fig3 *f = cli_alloc(1, sizeof *f);
    f->c = c;
    int code = load(f);
    if (!code && !c->cli->json) {
        printf("STAR, Figure 3: eleven workloads at size %s, and %u applications alone\n\n",
               paper_size_names[c->size], f->alone);
        fflush(stdout);
    }
    if (!code)
        code = runs_execute(c->cli, f->jobs, WORKLOADS + f->alone, c->parallel, true);
    if (!code) {
        evaluate(f);
        code = store(f);
    }
    if (!code)
        (c->cli->json ? print_json : print)(f);
    if (!code)
        code = draw(f);
    for (unsigned i = 0; i < MAX_JOBS; i++) {
        for (unsigned t = 0; t < MP_MAX_TENANTS; t++)
            free(f->jobs[i].trace[t]);
        mp_config_free(&f->jobs[i].config);
    }
    free(f);
    return code;
}
