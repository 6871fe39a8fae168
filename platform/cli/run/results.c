/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/run/rtl.h"

const struct run_job *results_alone(const struct run_job *job, unsigned t, const struct run_job *alone,
                                    unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (alone[i].config.ntenants == 1 &&
            runs_same_tenant(&alone[i].config.tenant[0], &job->config.tenant[t]))
            return &alone[i];
    return NULL;
}

static double part(uint64_t numerator, uint64_t denominator)
{
    return denominator ? (double)numerator / (double)denominator : (double)NAN;
}

/* By cycles, and by instructions, because one of them may have run more often. */
double results_relative(const struct run_job *job, unsigned t, const struct run_job *alone, unsigned n)
{
    const struct run_job *a = results_alone(job, t, alone, n);
    if (!a)
        return (double)NAN;
    const struct mp_tenant_result *r = &job->result.tenant[t], *alone_r = &a->result.tenant[0];
    return part(alone_r->cycles, r->cycles) * part(r->instructions, alone_r->instructions);
}

double results_harmonic(const struct run_job *job, const struct run_job *alone, unsigned n)
{
    double sum = 0;
    for (unsigned t = 0; t < job->config.ntenants; t++)
        sum += 1 / results_relative(job, t, alone, n);
    return job->config.ntenants ? job->config.ntenants / sum : (double)NAN;
}

double results_ipc(const struct mp_tenant_result *r)
{
    return part(r->instructions, r->cycles);
}
static double l1_hits(const struct mp_tenant_result *r)
{
    return 1 - part(r->l1_tlb_misses, r->translations);
}
static double l2_hits(const struct mp_tenant_result *r)
{
    return 1 - part(r->l2_tlb_misses, r->l2_tlb_lookups);
}
double results_l3_hits(const struct mp_tenant_result *r)
{
    return part(r->l3_tlb_hits, r->l3_tlb_lookups);
}
static double mpki(const struct mp_tenant_result *r)
{
    return 1000 * part(r->l2_tlb_misses, r->instructions);
}

void results_cell(struct out_table *table, double value, int digits)
{
    if (isfinite(value))
        out_cell(table, "%.*f", digits, value);
    else
        out_cell(table, "-");
}

static void print_job(const struct run_job *job, const struct run_job *alone, unsigned n)
{
    bool mps = mp_config_is_mps(&job->config);
    const char *const heads[] = {"tenant",   mps ? "SMs" : "slices",
                                 "IPC",      "cycles",
                                 "L1 hit %", "L2 hit %",
                                 "L3 hit %", "MPKI",
                                 "walks",    "vs alone"};
    struct out_table *t = out_table_new(n ? 10 : 9, heads);
    for (unsigned i = 0; i < job->config.ntenants; i++) {
        const struct mp_tenant_result *r = &job->result.tenant[i];
        char name[64];
        out_cell(t, "%s", runs_tenant_name(&job->config.tenant[i], name, sizeof name));
        out_cell(t, "%" PRIu64, mps ? job->config.tenant[i].sms : job->config.tenant[i].slices);
        results_cell(t, results_ipc(r), 3);
        out_count(t, r->cycles);
        results_cell(t, 100 * l1_hits(r), 1);
        results_cell(t, 100 * l2_hits(r), 1);
        results_cell(t, 100 * results_l3_hits(r), 1);
        results_cell(t, mpki(r), 2);
        out_count(t, r->walks);
        if (n)
            results_cell(t, results_relative(job, i, alone, n), 3);
    }
    out_table_print(t, stdout);
}

static void print_head(const struct run_job *job)
{
    const struct mp_result *r = &job->result;
    char *title = cli_have(mp_config_title(&job->config));
    printf("%s%s%s", job->config.name, *title ? ": " : "", title);
    free(title);
    printf("\nrun %" PRId64, job->run_id);
    if (job->outcome == RUN_CUT)
        printf(", cut at cycle %" PRIu64, r->cycles);
    printf(", %.1f s", r->seconds);
    if (r->seconds > 0)
        printf(", %.2f M accesses/s", (double)r->accesses / r->seconds / 1e6);
    printf(", digest %016" PRIx64 "%016" PRIx64 "\n", r->digest[1], r->digest[0]);
}

void results_print(const struct run_job *jobs, unsigned count, const struct run_job *alone, unsigned n)
{
    for (unsigned i = 0; i < count; i++) {
        if (jobs[i].report)
            fputs(jobs[i].report, stdout);
        if (jobs[i].outcome != RUN_DONE && jobs[i].outcome != RUN_CUT)
            continue;
        if (i)
            putchar('\n');
        print_head(&jobs[i]);
        print_job(&jobs[i], alone, n);
        run_rtl_print(stdout, jobs[i].result.rtl, jobs[i].result.nrtl);
        double mean = results_harmonic(&jobs[i], alone, n);
        if (isfinite(mean))
            printf("performance relative to running alone, harmonic mean: %.3f\n", mean);
    }
}

static const char *const outcome_names[] = {[RUN_NOT_STARTED] = "not started",
                                            [RUN_DONE] = "done",
                                            [RUN_CUT] = "cut",
                                            [RUN_FOUND] = "found",
                                            [RUN_FAILED] = "failed",
                                            [RUN_INTERRUPTED] = "interrupted",
                                            [RUN_DIED] = "died",
                                            [RUN_DIFFERENT] = "different",
                                            [RUN_STUCK] = "stuck"};

static void json_tenant(struct out_json *j, const struct run_job *job, unsigned t,
                        const struct run_job *alone, unsigned n)
{
    const struct mp_tenant_config *c = &job->config.tenant[t];
    const struct mp_tenant_result *r = &job->result.tenant[t];
    json_object(j, NULL);
    json_text(j, "app", c->app);
    json_text(j, "size", c->app ? c->size : NULL);
    json_text(j, "trace", job->trace[t]);
    json_count(j, c->sms ? "sms" : "slices", c->sms ? c->sms : c->slices);
    if (c->colours)
        json_count(j, "colours", c->colours);
    json_count(j, "cycles", r->cycles);
    json_count(j, "instructions", r->instructions);
    json_count(j, "thread_instructions", r->thread_instructions);
    json_count(j, "accesses", r->accesses);
    json_count(j, "translations", r->translations);
    json_count(j, "completions", r->completions);
    json_real(j, "ipc", results_ipc(r));
    json_real(j, "l1_tlb_hit_rate", l1_hits(r));
    json_real(j, "l2_tlb_hit_rate", l2_hits(r));
    json_real(j, "l3_tlb_hit_rate", results_l3_hits(r));
    json_real(j, "l2_tlb_mpki", mpki(r));
    json_count(j, "walks", r->walks);
    if (n)
        json_real(j, "relative_to_alone", results_relative(job, t, alone, n));
    json_end_object(j);
}

/* Printed only if a run has one. */
static void json_rtl(struct out_json *j, const struct run_job *job)
{
    const struct mp_result *r = &job->result;
    if (!r->nrtl)
        return;
    run_rtl_json(j, r->rtl, NULL, r->nrtl);
    json_text(j, "report", job->report);
}

static void json_jobs(struct out_json *j, const char *name, const struct run_job *jobs, unsigned count,
                      const struct run_job *alone, unsigned n)
{
    char digest[40];
    json_array(j, name);
    for (unsigned i = 0; i < count; i++) {
        const struct mp_result *r = &jobs[i].result;
        json_object(j, NULL);
        json_text(j, "experiment", jobs[i].config.name);
        json_text(j, "status", outcome_names[jobs[i].outcome]);
        json_count(j, "run", jobs[i].run_id > 0 ? (uint64_t)jobs[i].run_id : 0);
        json_count(j, "cycles", r->cycles);
        if (jobs[i].outcome == RUN_CUT)
            json_count(j, "until", jobs[i].until);
        json_count(j, "accesses", r->accesses);
        json_count(j, "translations", r->translations);
        json_count(j, "events", r->events);
        if (jobs[i].threads)
            json_count(j, "threads", jobs[i].threads);
        json_real(j, "seconds", r->seconds);
        snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, r->digest[1], r->digest[0]);
        json_text(j, "digest", digest);
        json_array(j, "tenants");
        for (unsigned t = 0; t < jobs[i].config.ntenants; t++)
            json_tenant(j, &jobs[i], t, alone, n);
        json_end_array(j);
        json_rtl(j, &jobs[i]);
        if (n)
            json_real(j, "harmonic_mean", results_harmonic(&jobs[i], alone, n));
        json_end_object(j);
    }
    json_end_array(j);
}

void results_json(struct out_json *j, const struct run_job *jobs, unsigned count, const struct run_job *alone,
                  unsigned n)
{
    json_jobs(j, "runs", jobs, count, alone, n);
    if (n)
        json_jobs(j, "alone", alone, n, NULL, 0);
}

void results_print_json(const struct run_job *jobs, unsigned count, const struct run_job *alone, unsigned n)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    results_json(&j, jobs, count, alone, n);
    json_end_object(&j);
}
