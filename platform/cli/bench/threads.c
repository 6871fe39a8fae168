/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath bench --threads`: how the work of a run divides among threads, and what threads gain here. */
#include "cli/bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/progress.h"
#include "engine/crew.h"

enum { ROUNDS = 2000, MEASUREMENTS = 15, SHOWN = 5 };

static const unsigned shown[SHOWN] = {1, 2, 4, 8, 16};

struct divided {
    struct mp_result measured; /* with one thread, and its balance */
    double event_seconds;      /* of the processor, of an event in this run */
    double seconds[SHOWN];     /* with shown[i] threads; NAN: not run */
};

static void nothing(void *object, uint32_t number, uint64_t argument)
{
    (void)object, (void)number, (void)argument;
}

/* How many times the work of one thread as many threads do here as there are processors. NAN: there is one.
 */
static double gain_of(long processors)
{
    struct mp_crew *crew = processors > 1 ? mp_crew_new((unsigned)processors) : NULL;
    double gain = crew ? mp_crew_gain(crew) : NAN;
    mp_crew_delete(crew);
    return gain;
}

/* Seconds in which two threads wait for each other, with nothing to do: the least of several measurements,
 * since a host that is busy in one of them makes it a hundred times as long. NAN: there are no two threads.
 */
static double barrier_seconds(void)
{
    struct mp_crew *crew = mp_crew_new(2);
    double least = NAN;
    for (unsigned m = 0; crew && m < MEASUREMENTS; m++) {
        double start = progress_now();
        for (unsigned i = 0; i < ROUNDS; i++)
            mp_crew_run(crew, nothing, NULL, 0, 2, 0);
        least = fmin(least, (progress_now() - start) / ROUNDS);
    }
    mp_crew_delete(crew);
    return least;
}

/* How much faster n threads would be on as many idle processors. */
static double expected(const struct divided *d, unsigned n, double barrier)
{
    const struct mp_balance *b = &d->measured.balance;
    double waits = n > 1 ? (double)b->stages * barrier : 0;
    return (double)b->events[0] / ((double)b->events[n - 1] + waits / d->event_seconds);
}

/* Of this process and those that it has waited for, in user mode, which a busy host makes little longer. */
static double processor_seconds(void)
{
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    double seconds = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct rusage u;
        getrusage(whose[i], &u);
        seconds += (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
    }
    return seconds;
}

static int run_case(const struct cli *cli, unsigned of, unsigned threads, bool balance,
                    struct mp_result *result)
{
    struct run_job *job = cli_alloc(1, sizeof *job);
    int code = bench_case_load(job, of, "medium");
    job->until = bench_case_until(of);
    job->threads = threads;
    job->balance = balance;
    if (!code)
        code = runs_execute(cli, job, 1, 1, false);
    *result = job->result;
    runs_free(job, 1);
    return code;
}

static bool same_digest(const struct mp_result *a, const struct mp_result *b)
{
    return a->digest[0] == b->digest[0] && a->digest[1] == b->digest[1];
}

static int measure(const struct cli *cli, unsigned of, long processors, struct divided *d)
{
    struct mp_result r;
    double before = processor_seconds();
    int code = run_case(cli, of, 1, true, &d->measured);
    d->event_seconds = (processor_seconds() - before) / (double)(d->measured.events ? d->measured.events : 1);
    for (unsigned i = 0; !code && i < SHOWN; i++) {
        d->seconds[i] = NAN;
        if (d->measured.groups == 1 || shown[i] > processors)
            continue;
        code = run_case(cli, of, shown[i], false, &r);
        d->seconds[i] = r.seconds;
        if (!code && !same_digest(&r, &d->measured))
            code = cli_fail(CLI_FAILED, "bench: %s: other results with %u threads; they must be the same",
                            bench_case_name(of), shown[i]);
    }
    return code;
}

/* What all cases have in common. */
struct host {
    long processors;
    double gain, barrier;
};

static void print(const struct divided *d, const bool chosen[BENCH_CASES], const struct host *host)
{
    static const char *const heads[] = {"case",    "groups",   "windows", "barriers",
                                        "threads", "expected", "here"};
    struct out_table *t = out_table_new(7, heads);
    for (unsigned of = 0; of < BENCH_CASES; of++) {
        const struct mp_result *m = &d[of].measured;
        for (unsigned i = 0; chosen[of] && i < (m->groups > 1 ? SHOWN : 1); i++) {
            out_cell(t, "%s", i ? "" : bench_case_name(of));
            out_cell(t, i ? "" : "%u", m->groups);
            out_cell(t, i ? "" : "%llu", (unsigned long long)m->balance.windows);
            out_cell(t, i ? "" : "%llu", (unsigned long long)m->balance.stages);
            out_cell(t, "%u", shown[i]);
            out_cell(t, "%.2f", expected(&d[of], shown[i], host->barrier));
            out_cell(t, isnan(d[of].seconds[i]) ? "-" : "%.2f", d[of].seconds[0] / d[of].seconds[i]);
        }
    }
    out_table_print(t, stdout);
    printf(
        "expected: how much faster than one thread, on that many idle processors: the events of each group "
        "in each window,\ngiven to the thread that is free first, and %.2f us for each barrier, the least "
        "that two threads have taken here.\nhere: measured on this machine. "
        "A machine of one group does not divide.\n",
        1e6 * host->barrier);
    if (!isnan(host->gain))
        printf("%ld busy threads, one for each processor of this host, do %.2f times the work of one.\n",
               host->processors, host->gain);
}

static void print_json(const struct divided *d, const bool chosen[BENCH_CASES], const struct host *host)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_real(&j, "barrier_seconds", host->barrier);
    json_count(&j, "processors", (uint64_t)host->processors);
    json_real(&j, "gain", host->gain);
    json_array(&j, "cases");
    for (unsigned of = 0; of < BENCH_CASES; of++) {
        const struct mp_result *m = &d[of].measured;
        if (!chosen[of])
            continue;
        json_object(&j, NULL);
        json_text(&j, "case", bench_case_name(of));
        json_count(&j, "groups", m->groups);
        json_count(&j, "windows", m->balance.windows);
        json_count(&j, "barriers", m->balance.stages);
        json_array(&j, "threads");
        for (unsigned i = 0; i < (m->groups > 1 ? SHOWN : 1); i++) {
            json_object(&j, NULL);
            json_count(&j, "threads", shown[i]);
            json_real(&j, "expected", expected(&d[of], shown[i], host->barrier));
            json_real(&j, "measured", d[of].seconds[0] / d[of].seconds[i]);
            json_end_object(&j);
        }
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

int bench_threads(const struct cli *cli, const struct bench_options *options)
{
    struct divided d[BENCH_CASES] = {0};
    struct host host = {.processors = sysconf(_SC_NPROCESSORS_ONLN)};
    host.gain = gain_of(host.processors);
    host.barrier = barrier_seconds();
    for (unsigned of = 0; of < BENCH_CASES; of++) {
        int code = options->chosen[of] ? measure(cli, of, host.processors, &d[of]) : CLI_DONE;
        if (code)
            return code;
    }
    (cli->json ? print_json : print)(d, options->chosen, &host);
    return CLI_DONE;
}
