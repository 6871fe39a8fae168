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
    return r->instructions ? 1000.0 * (double)r->l2_tlb_misses / (double)r->instructions : (double)NAN;
}

static double paper_value(const char *app, const char *x)
{
    const struct mp_db_point *p = paper_find(paper_data("star")->point, "table2", app, x);
    return p && p->has_value ? p->value : (double)NAN;
}

int reproduce_table2_plan(const struct paper_context *c, struct pool *pool, unsigned place[APPS])
{
    for (unsigned i = 0; i < APPS; i++) {
        char app[48];
        const char *const set[] = {app, "tenants.0.size=paper", "tenants.0.slices=3"};
        struct mp_config config;
        snprintf(app, sizeof app, "tenants.0.app=%s", app_name(i));
        int code = figure_config(&config, c, reproduce_star.machine, &reproduce_star.variant[0], 3, set);
        struct run_job job;
        if (code || (code = runs_alone(&job, &config, 0)))
            return code;
        mp_config_free(&config);
        place[i] = pool_add(pool, &job.config, job.label);
    }
    return CLI_DONE;
}

void reproduce_table2_print(const struct pool *pool, const unsigned place[APPS])
{
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

void reproduce_table2_json(const struct pool *pool, const unsigned place[APPS], struct out_json *j)
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
        json_end_object(j);
    }
    json_end_array(j);
    json_end_object(j);
}

void reproduce_table2_measure(const struct pool *pool, const unsigned place[APPS],
                              struct paper_points *points)
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
                      {"l2_tlb_misses", (double)r->l2_tlb_misses}};
        for (unsigned k = 0; k < sizeof values / sizeof *values; k++) {
            struct paper_measured *m = paper_add(points, app_name(i), values[k].value, "%s", values[k].x);
            m->drawn = false;
            paper_add_run(m, job->run_id);
        }
    }
}
