/* SPDX-License-Identifier: Apache-2.0 */
/* STAR's Table II: each application alone on an instance of three slices with the L3 TLB to itself. The paper
 * does not say on which instance it measured; three slices is the larger of the two that its workloads use.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/paper.h"

#define APPS   10u
#define POINTS (3 * APPS)

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
    const struct mp_db_point *p = paper_find(paper_star, "table2", app, x);
    return p && p->has_value ? p->value : (double)NAN;
}

static int load(struct run_job *job, const struct paper_context *c, const char *app)
{
    char tenant[48], size[48];
    const char *const set[] = {tenant, size, "tenants.0.slices=3"};
    struct mp_config config;
    struct mp_error err;
    snprintf(tenant, sizeof tenant, "tenants.0.app=%s", app);
    snprintf(size, sizeof size, "tenants.0.size=%s", paper_size_names[c->size]);
    if (mp_config_load(&config, "star-a100-mig", 3, set, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = runs_alone(job, &config, 0);
    mp_config_free(&config);
    return code;
}

static void print(const struct run_job *jobs)
{
    static const char *const heads[] = {
        "app",  "instructions (paper)", "of warps", "of threads", "MPKI (paper)",
        "MPKI", "class (paper)",        "class"};
    struct out_table *t = out_table_new(8, heads);
    unsigned same = 0;
    for (unsigned i = 0; i < APPS; i++) {
        const struct mp_tenant_result *r = &jobs[i].result.tenant[0];
        const char *app = paper_star_apps[i];
        double paper = paper_value(app, "l2_tlb_mpki"), mpki = mpki_of(&jobs[i]);
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
           "H above 100, M above 1, L below. The paper does not say whose instructions it counts.\n",
           same, APPS);
}

static void print_json(const struct run_job *jobs)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "figure", "star/table2");
    json_array(&j, "applications");
    for (unsigned i = 0; i < APPS; i++) {
        const struct mp_tenant_result *r = &jobs[i].result.tenant[0];
        const char *app = paper_star_apps[i];
        double paper = paper_value(app, "l2_tlb_mpki"), mpki = mpki_of(&jobs[i]);
        char class[2] = {class_of(mpki), 0}, paper_class[2] = {class_of(paper), 0};
        json_object(&j, NULL);
        json_text(&j, "app", app);
        json_count(&j, "run", (uint64_t)jobs[i].run_id);
        json_count(&j, "paper_instructions", (uint64_t)paper_value(app, "instructions"));
        json_count(&j, "warp_instructions", r->instructions);
        json_count(&j, "thread_instructions", r->thread_instructions);
        json_real(&j, "paper_l2_tlb_mpki", paper);
        json_real(&j, "l2_tlb_mpki", mpki);
        json_text(&j, "paper_class", paper_class);
        json_text(&j, "class", class);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static int store(const struct paper_context *c, const struct run_job *jobs)
{
    struct paper_measured measured[POINTS];
    for (unsigned i = 0; i < APPS; i++) {
        const struct mp_tenant_result *r = &jobs[i].result.tenant[0];
        static const char *const x[] = {"warp_instructions", "thread_instructions", "l2_tlb_mpki"};
        const double value[] = {(double)r->instructions, (double)r->thread_instructions, mpki_of(&jobs[i])};
        for (unsigned k = 0; k < 3; k++)
            measured[3 * i + k] = (struct paper_measured){.series = paper_star_apps[i],
                                                          .x = x[k],
                                                          .value = value[k],
                                                          .nruns = 1,
                                                          .runs = {jobs[i].run_id}};
    }
    return paper_store(c, paper_star, "table2", measured, POINTS);
}

int reproduce_star_table2(const struct paper_context *c)
{
    struct run_job *jobs = cli_alloc(APPS, sizeof *jobs);
    int code = CLI_DONE;
    for (unsigned i = 0; !code && i < APPS; i++)
        code = load(&jobs[i], c, paper_star_apps[i]);
    if (!code && !c->cli->json) {
        printf("STAR, Table II: ten applications at size %s, each alone on a 3g instance\n\n",
               paper_size_names[c->size]);
        fflush(stdout);
    }
    if (!code)
        code = runs_execute(c->cli, jobs, APPS, c->parallel, true);
    if (!code)
        code = store(c, jobs);
    if (!code)
        (c->cli->json ? print_json : print)(jobs);
    runs_free(jobs, APPS);
    return code;
}
