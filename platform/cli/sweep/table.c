/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a sweep's runs: a row when a run has ended, so the widths of the columns are set before. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/run/results.h"
#include "cli/sweep/study.h"
#include "gpu/machine.h"

/* The columns: one for each path that varies, then these. */
static const struct {
    const char *head;
    unsigned width;
} measured[] = {{"run", 6},      {"IPC", 8},      {"L3 hit %", 8},      {"cycles", 13},  {"seconds", 8},
                {"weighted", 8}, {"harmonic", 8}, {"max slowdown", 12}, {"fairness", 8}, {"result", 0}};
enum { RUN, IPC, L3_HITS, CYCLES, SECONDS, WEIGHTED, HARMONIC, SLOWDOWN, FAIRNESS, RESULT, MEASURED };

/* Those of a comparison with runs alone are there only with one. */
static bool has_column(const struct sweep_jobs *j, unsigned m)
{
    return j->alone || m < WEIGHTED || m > FAIRNESS;
}

static bool varies(const struct sweep_dimension *d)
{
    return d->nvalues > 1;
}

static void set_widths(struct sweep_jobs *j)
{
    unsigned column = 0;
    j->width = cli_alloc(SWEEP_MOST_DIMENSIONS * 64, sizeof *j->width);
    for (unsigned i = 0; i < j->sweep->ndimensions; i++) {
        const struct sweep_dimension *d = &j->sweep->dimension[i];
        for (unsigned p = 0; varies(d) && p < d->npaths; p++, column++) {
            size_t width = strlen(d->path[p]);
            for (unsigned v = 0; v < d->nvalues; v++)
                if (strlen(d->value[p * d->nvalues + v]) > width)
                    width = strlen(d->value[p * d->nvalues + v]);
            j->width[column] = width < 60 ? (unsigned)width : 60;
        }
    }
}

static void print_heads(struct sweep_jobs *j)
{
    unsigned column = 0;
    set_widths(j);
    if (j->sweep->description)
        puts(j->sweep->description);
    if (j->alone)
        printf("Compared with each tenant alone on %s%s\n",
               *j->alone->settings ? "the run's machine with " : "the same machine", j->alone->settings);
    for (unsigned i = 0; i < j->sweep->ndimensions; i++)
        for (unsigned p = 0; varies(&j->sweep->dimension[i]) && p < j->sweep->dimension[i].npaths; p++)
            printf("%-*s  ", (int)j->width[column++], j->sweep->dimension[i].path[p]);
    for (unsigned m = 0; m < MEASURED; m++)
        if (has_column(j, m))
            printf("%*s%s", (int)measured[m].width, measured[m].head, m + 1 < MEASURED ? "  " : "\n");
}

static bool has_result(const struct run_job *job)
{
    return job->outcome == RUN_DONE || job->outcome == RUN_FOUND;
}

/* Of all tenants together; NAN if there is no result. */
static void sums(const struct run_job *job, double *ipc, double *l3_hits, uint64_t *cycles)
{
    uint64_t lookups = 0, misses = 0;
    *ipc = 0;
    *cycles = 0;
    for (unsigned t = 0; t < job->config.ntenants; t++) {
        const struct mp_tenant_result *r = &job->result.tenant[t];
        const struct mp_tlb_result *tlb = results_tlb(job, t, mp_machine_last_tlb()->name);
        *ipc += results_ipc(r);
        lookups += tlb->lookups;
        misses += tlb->misses;
        *cycles = r->cycles > *cycles ? r->cycles : *cycles;
    }
    *l3_hits = lookups ? 100 * (double)(lookups - misses) / (double)lookups : (double)NAN;
}

static void print_number(unsigned column, double value, int digits)
{
    if (isfinite(value))
        printf("%*.*f  ", (int)measured[column].width, digits, value);
    else
        printf("%*s  ", (int)measured[column].width, "-");
}

static const char *result_name(const struct run_job *job)
{
    static const char *const names[] = {[RUN_NOT_STARTED] = "not begun",
                                        [RUN_DONE] = "done",
                                        [RUN_FOUND] = "was there",
                                        [RUN_FAILED] = "failed",
                                        [RUN_INTERRUPTED] = "interrupted",
                                        [RUN_DIED] = "died",
                                        [RUN_STUCK] = "stuck"};
    return job->outcome < sizeof names / sizeof *names && names[job->outcome] ? names[job->outcome] : "-";
}

void sweep_table_row(void *jobs, const struct run_job *job)
{
    struct sweep_jobs *j = jobs;
    unsigned column = 0, at = (unsigned)(job - j->job);
    double ipc, hits;
    uint64_t cycles;
    if (j->cli->json)
        return;
    if (!j->shown++)
        print_heads(j);
    for (unsigned i = 0; i < j->sweep->ndimensions; i++)
        for (unsigned p = 0; varies(&j->sweep->dimension[i]) && p < j->sweep->dimension[i].npaths; p++)
            printf("%-*s  ", (int)j->width[column++], sweep_value(j->sweep, j->number[at] - 1, i, p));
    sums(job, &ipc, &hits, &cycles);
    bool there = has_result(job);
    printf("%*" PRId64 "  ", (int)measured[RUN].width, job->run_id > 0 ? job->run_id : 0);
    print_number(IPC, there ? ipc : (double)NAN, 3);
    print_number(L3_HITS, there ? hits : (double)NAN, 1);
    print_number(CYCLES, there ? (double)cycles : (double)NAN, 0);
    print_number(SECONDS, job->outcome == RUN_DONE ? job->result.seconds : (double)NAN, 1);
    if (j->alone) {
        const struct study_speed s = there ? study_speed(j->alone, job) : study_no_speed;
        print_number(WEIGHTED, s.weighted, 3);
        print_number(HARMONIC, s.harmonic, 3);
        print_number(SLOWDOWN, s.slowdown, 3);
        print_number(FAIRNESS, s.fairness, 3);
    }
    puts(result_name(job));
    fflush(stdout);
}

static unsigned count(const struct sweep_jobs *j, enum run_outcome outcome)
{
    unsigned n = 0;
    for (unsigned i = 0; i < j->n; i++)
        n += j->job[i].outcome == outcome;
    return n;
}

void sweep_table_end(struct sweep_jobs *j)
{
    unsigned done = count(j, RUN_DONE), found = count(j, RUN_FOUND);
    if (j->cli->json)
        return;
    printf("%u runs: %u done, %u were in %s", j->n, done, found, j->cli->db);
    if (done + found < j->n)
        printf(", %u missing; the same command goes on", j->n - done - found);
    putchar('\n');
}

void sweep_json_values(struct out_json *json, const struct sweep_jobs *j, unsigned job)
{
    for (unsigned i = 0; i < j->sweep->ndimensions; i++)
        for (unsigned p = 0; p < j->sweep->dimension[i].npaths; p++)
            json_text(json, j->sweep->dimension[i].path[p], sweep_value(j->sweep, j->number[job] - 1, i, p));
}

static void json_speed(struct out_json *json, const struct sweep_jobs *j, const struct run_job *job)
{
    const struct study_speed s = has_result(job) ? study_speed(j->alone, job) : study_no_speed;
    json_real(json, "weighted_speedup", s.weighted);
    json_real(json, "harmonic_mean", s.harmonic);
    json_real(json, "max_slowdown", s.slowdown);
    json_real(json, "fairness", s.fairness);
}

void sweep_print_json(struct sweep_jobs *j)
{
    struct out_json json = {.f = stdout};
    json_object(&json, NULL);
    json_text(&json, "sweep", j->file);
    json_count(&json, "done", count(j, RUN_DONE));
    json_count(&json, "found", count(j, RUN_FOUND));
    json_array(&json, "points");
    for (unsigned i = 0; i < j->n; i++) {
        json_object(&json, NULL);
        json_count(&json, "number", j->number[i]);
        sweep_json_values(&json, j, i);
        json_count(&json, "run", j->job[i].run_id > 0 ? (uint64_t)j->job[i].run_id : 0);
        if (j->alone)
            json_speed(&json, j, &j->job[i]);
        json_end_object(&json);
    }
    json_end_array(&json);
    results_json(&json, j->job, j->n, NULL, 0);
    json_end_object(&json);
}
