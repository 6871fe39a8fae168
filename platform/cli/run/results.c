/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/results.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
double results_relative_to(const struct run_job *job, unsigned t, const struct run_job *alone)
{
    const struct mp_tenant_result *r = &job->result.tenant[t], *alone_r = &alone->result.tenant[0];
    return part(alone_r->cycles, r->cycles) * part(r->instructions, alone_r->instructions);
}

double results_relative(const struct run_job *job, unsigned t, const struct run_job *alone, unsigned n)
{
    const struct run_job *a = results_alone(job, t, alone, n);
    return a ? results_relative_to(job, t, a) : (double)NAN;
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

const struct mp_tlb_result *results_tlb(const struct run_job *job, unsigned t, const char *level)
{
    static const struct mp_tlb_result none;
    int at = mp_config_tlb(&job->config, level);
    return at < 0 ? &none : &job->result.tenant[t].tlb[at];
}

/* The first level looks up what the SMs ask for, except requests that are on their way when a tenant's
 * counters are read. */
double results_hits(const struct run_job *job, unsigned t, const char *level)
{
    const struct mp_tenant_result *r = &job->result.tenant[t];
    const struct mp_tlb_result *tlb = results_tlb(job, t, level);
    const bool again = job->config.tenant[t].managed; /* pages that faulted are asked for once more */
    return tlb == r->tlb && !again ? 1 - part(tlb->misses, r->translations)
                                   : part(tlb->lookups - tlb->misses, tlb->lookups);
}

void results_json_hits(struct out_json *j, const struct run_job *job, unsigned t, const char *level)
{
    char name[MP_LEVEL_NAME + 16];
    snprintf(name, sizeof name, "%s_hit_rate", level);
    json_real(j, name, results_hits(job, t, level));
}

static double mpki(const struct run_job *job, unsigned t)
{
    return 1000 * part(results_tlb(job, t, "l2_tlb")->misses, job->result.tenant[t].instructions);
}

/* "L3 hit %" of l3_tlb. */
static void hits_head(const char *level, char head[MP_LEVEL_NAME + 8])
{
    const char *tlb = strstr(level, "_tlb");
    snprintf(head, MP_LEVEL_NAME + 8, "%c%.*s hit %%", toupper((unsigned char)*level),
             (int)(tlb ? tlb - level : (ptrdiff_t)strlen(level)) - 1, level + 1);
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
    char hits[MP_TLB_LEVELS][MP_LEVEL_NAME + 8];
    const char *heads[7 + MP_TLB_LEVELS] = {"tenant", mps ? "SMs" : "slices", "IPC", "cycles"};
    const char *tlb[MP_TLB_LEVELS], *const after[] = {"MPKI", "walks", "vs alone"};
    unsigned tlbs = mp_config_tlbs(&job->config, tlb);
    for (unsigned k = 0; k < tlbs; k++) {
        hits_head(tlb[k], hits[k]);
        heads[4 + k] = hits[k];
    }
    memcpy(&heads[4 + tlbs], after, sizeof after);
    struct out_table *t = out_table_new(tlbs + (n ? 7 : 6), heads);
    for (unsigned i = 0; i < job->config.ntenants; i++) {
        const struct mp_tenant_result *r = &job->result.tenant[i];
        char name[64];
        out_cell(t, "%s", runs_tenant_name(&job->config.tenant[i], name, sizeof name));
        out_cell(t, "%" PRIu64, mps ? job->config.tenant[i].sms : job->config.tenant[i].slices);
        results_cell(t, results_ipc(r), 3);
        out_count(t, r->cycles);
        for (unsigned k = 0; k < tlbs; k++)
            results_cell(t, 100 * results_hits(job, i, tlb[k]), 1);
        results_cell(t, mpki(job, i), 2);
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
    const char *tlb[MP_TLB_LEVELS];
    unsigned tlbs = mp_config_tlbs(&job->config, tlb);
    json_object(j, NULL);
    json_text(j, "app", c->app);
    json_text(j, "size", c->app ? c->size : NULL);
    json_text(j, "trace", job->trace[t]);
    json_count(j, c->sms ? "sms" : "slices", c->sms ? c->sms : c->slices);
    if (c->colours)
        json_count(j, "colours", c->colours);
    if (c->page_bytes)
        json_text(j, "page_bytes", c->page_bytes);
    json_count(j, "cycles", r->cycles);
    json_count(j, "instructions", r->instructions);
    json_count(j, "thread_instructions", r->thread_instructions);
    if (r->recorded_instructions)
        json_count(j, "recorded_instructions", r->recorded_instructions);
    json_count(j, "accesses", r->accesses);
    json_count(j, "translations", r->translations);
    json_count(j, "completions", r->completions);
    json_real(j, "ipc", results_ipc(r));
    for (unsigned k = 0; k < tlbs; k++)
        results_json_hits(j, job, t, tlb[k]);
    json_real(j, "l2_tlb_mpki", mpki(job, t));
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
