/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/firmware/inject.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/out.h"
#include "cli/progress.h"
#include "cli/spawn.h"
#include "engine/wheel.h"

/* --- outcomes ------------------------------------------------------------------------------------- */

enum { RECOVERED, DETECTED, UNDETECTED, WRONG_RESULT, NOT_REACHED, OUTCOMES };
static const char *const outcomes[OUTCOMES] = {"recovered", "detected", "undetected", "wrong result",
                                               "not reached"};

static bool same_spaces(const struct mp_soc_result *a, const struct mp_soc_result *b)
{
    for (unsigned i = 0; i < MP_SOC_SPACES; i++) {
        const struct mp_soc_space *s = &a->space[i], *t = &b->space[i];
        if (s->used != t->used || s->instructions != t->instructions || s->accesses != t->accesses ||
            s->completions != t->completions)
            return false;
    }
    return true;
}

void firmware_judge(struct firmware_injection *in, const struct mp_soc_result *r)
{
    const bool crashed = r->exception[0] && !r->returned;
    if (r->end == MP_SOC_INTERRUPTED)
        in->outcome = NULL;
    else if (r->end != MP_SOC_FINISHED || crashed)
        in->outcome = outcomes[UNDETECTED];
    else if (r->exit_code || r->failed > in->without.failed)
        in->outcome = outcomes[DETECTED];
    else
        in->outcome = outcomes[same_spaces(r, &in->without) ? RECOVERED : WRONG_RESULT];
}

const char *firmware_outcome(const struct firmware_injection *in, unsigned i)
{
    return in->plan.fault[i].happened == MP_NEVER ? outcomes[NOT_REACHED] : in->outcome;
}

struct texts {
    char where[64], when[40];
};

static struct texts describe(const struct firmware_injection *in, unsigned i)
{
    struct texts t;
    mp_inject_where(&in->plan, &in->plan.fault[i], t.where, sizeof t.where);
    mp_inject_when(&in->plan.fault[i], t.when, sizeof t.when);
    return t;
}

int firmware_record_injection(struct mp_db *db, const struct firmware_injection *in, struct mp_error *err)
{
    struct mp_db_injection row[MP_INJECT_FAULTS];
    struct texts text[MP_INJECT_FAULTS];
    for (unsigned i = 0; i < in->plan.faults; i++) {
        const struct mp_injected *f = &in->plan.fault[i];
        text[i] = describe(in, i);
        row[i] = (struct mp_db_injection){.fault = mp_inject_name(f->kind),
                                          .place = text[i].where,
                                          .planned = text[i].when,
                                          .outcome = firmware_outcome(in, i),
                                          .drawn = !f->line,
                                          .happened = f->happened != MP_NEVER,
                                          .seed = in->plan.seed,
                                          .cycle = f->happened};
    }
    return mp_db_injections(db, row, in->plan.faults, err);
}

/* "seed 7: walker-stuck for ever, event 3, in cycle 423000123: recovered" */
static void print_fault(const struct firmware_injection *in, unsigned i, FILE *f)
{
    const struct mp_injected *fault = &in->plan.fault[i];
    const struct texts t = describe(in, i);
    fprintf(f, "%s%s%s, %s", mp_inject_name(fault->kind), *t.where ? " " : "", t.where, t.when);
    if (fault->happened != MP_NEVER)
        fprintf(f, ", in cycle %" PRIu64, fault->happened);
    fprintf(f, ": %s\n", firmware_outcome(in, i));
}

void firmware_print_injection(const struct firmware_injection *in)
{
    for (unsigned i = 0; i < in->plan.faults; i++) {
        fprintf(stderr, "mempath: fault %u: ", i + 1);
        print_fault(in, i, stderr);
    }
}

void firmware_json_injection(struct out_json *j, const struct firmware_injection *in)
{
    json_array(j, "injections");
    for (unsigned i = 0; i < in->plan.faults; i++) {
        const struct mp_injected *f = &in->plan.fault[i];
        const struct texts t = describe(in, i);
        json_object(j, NULL);
        json_text(j, "fault", mp_inject_name(f->kind));
        json_text(j, "place", t.where);
        json_text(j, "planned", t.when);
        if (!f->line)
            json_count(j, "seed", in->plan.seed);
        if (f->happened != MP_NEVER)
            json_count(j, "cycle", f->happened);
        json_text(j, "outcome", firmware_outcome(in, i));
        json_end_object(j);
    }
    json_end_array(j);
}

/* --- processes ------------------------------------------------------------------------------------ */

/* SystemC simulates once in a process, so each run has one. */
struct job {
    const struct cli *cli;
    struct mp_soc_run run;
    const struct mp_tenant_config *program;
};

struct answer {
    bool done;           /* the simulation has ended by itself */
    struct mp_error why; /* else; and that the run failed */
    bool failed;
    struct firmware_injection in;
    int outcome; /* of the run; the pointer is the child's */
    int64_t row;
};

static bool read_all(int from, void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = read(from, (char *)to + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool write_all(int to, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = write(to, (const char *)from + done, bytes - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Calls work() in another process, which fills in *a. -1 with err if that process has ended without it. */
static int in_process(void (*work)(const struct job *job, struct answer *a), const struct job *job,
                      struct answer *a, struct mp_error *err)
{
    int end[2];
    fflush(NULL);
    if (pipe(end))
        return mp_fail(err, "--inject: no pipe: %s; fewer open files are needed", strerror(errno));
    pid_t pid = fork();
    if (!pid) {
        close(end[0]);
        work(job, a);
        _exit(write_all(end[1], a, sizeof *a) ? 0 : 1);
    }
    close(end[1]);
    bool whole = pid > 0 && read_all(end[0], a, sizeof *a);
    close(end[0]);
    int code = pid > 0 ? spawn_wait(pid) : -1;
    return whole ? 0
                 : mp_fail(err,
                           "--inject: the process of a run ended with code %d; it must not, so please "
                           "report that",
                           code);
}

/* Counts the events of each kind. */
static void run_without(const struct job *job, struct answer *a)
{
    struct mp_soc_run run = job->run;
    a->in.plan.faults = 0;
    run.inject = &a->in.plan;
    a->done = !mp_soc_simulate(&run, &a->in.without, &a->why);
    a->failed = !a->done || firmware_failed(run.image, &a->in.without, &a->why);
    a->in.without.console = NULL;
}

static void run_with(const struct job *job, struct answer *a)
{
    struct mp_soc_run run = job->run;
    struct firmware_end end;
    run.inject = &a->in.plan;
    a->done = !firmware_run_one(job->cli, &run, job->program, &a->in, &end) && a->in.outcome;
    a->why = end.why;
    a->row = end.row;
    while (a->done && a->in.outcome != outcomes[a->outcome])
        a->outcome++;
}

/* The run is quiet, and nothing else of it is kept. */
static struct job job_of(const struct cli *cli, const struct mp_soc_run *run,
                         const struct mp_tenant_config *program)
{
    struct job job = {cli, *run, program};
    job.run.console_out = -1;
    job.run.trace = job.run.coverage = job.run.diagnosis = NULL;
    job.run.trace_bus = false;
    job.run.trace_first = 0;
    job.run.observe = NULL;
    return job;
}

/* --- campaigns ------------------------------------------------------------------------------------ */

typedef uint64_t tally[MP_INJECT_KINDS][OUTCOMES];

static void count(tally t, const struct firmware_injection *in)
{
    for (unsigned i = 0; i < in->plan.faults; i++) {
        unsigned o = 0;
        while (strcmp(outcomes[o], firmware_outcome(in, i)) != 0)
            o++;
        t[in->plan.fault[i].kind][o]++;
    }
}

static uint64_t sum(const uint64_t number[OUTCOMES])
{
    uint64_t all = 0;
    for (unsigned o = 0; o < OUTCOMES; o++)
        all += number[o];
    return all;
}

static void print_tally(tally t)
{
    const char *heads[2 + OUTCOMES] = {"fault", "faults"};
    memcpy(heads + 2, outcomes, sizeof outcomes);
    struct out_table *table = out_table_new(2 + OUTCOMES, heads);
    for (unsigned k = 0; k < MP_INJECT_KINDS; k++) {
        if (!sum(t[k]))
            continue;
        out_cell(table, "%s", mp_inject_name((enum mp_inject_kind)k));
        out_count(table, sum(t[k]));
        for (unsigned o = 0; o < OUTCOMES; o++)
            out_count(table, t[k][o]);
    }
    out_table_print(table, stdout);
}

static void json_tally(struct out_json *j, tally t)
{
    json_array(j, "recovery");
    for (unsigned k = 0; k < MP_INJECT_KINDS; k++) {
        if (!sum(t[k]))
            continue;
        json_object(j, NULL);
        json_text(j, "fault", mp_inject_name((enum mp_inject_kind)k));
        json_count(j, "faults", sum(t[k]));
        for (unsigned o = 0; o < OUTCOMES; o++)
            json_count(j, outcomes[o], t[k][o]);
        json_end_object(j);
    }
    json_end_array(j);
}

static void json_run(struct out_json *j, const struct answer *a)
{
    json_object(j, NULL);
    json_count(j, "run", (uint64_t)a->row);
    json_count(j, "seed", a->in.plan.seed);
    json_text(j, "outcome", a->in.outcome);
    firmware_json_injection(j, &a->in);
    json_end_object(j);
}

/* What the firmware should have survived, or noticed. */
static void print_bad(const struct answer *a)
{
    if (a->outcome != UNDETECTED && a->outcome != WRONG_RESULT)
        return;
    for (unsigned i = 0; i < a->in.plan.faults; i++) {
        printf("seed %" PRIu64 ": ", a->in.plan.seed);
        print_fault(&a->in, i, stdout);
    }
}

static int run_seed(const struct job *job, const struct answer *without, uint64_t seed, struct answer *a,
                    struct mp_error *err)
{
    *a = (struct answer){.in = without->in};
    a->in.plan.seed = seed;
    if (mp_inject_draw(&a->in.plan, &without->in.plan.events, err))
        return -1;
    a->in.plan.events = (struct mp_inject_events){0};
    if (in_process(run_with, job, a, err))
        return -1;
    if (!a->done)
        return mp_fail(err, "%s", *a->why.text ? a->why.text : "interrupted");
    a->in.outcome = outcomes[a->outcome];
    return 0;
}

static int run_campaign(const struct cli *cli, const struct firmware_values *v, const struct job *job,
                        const struct answer *without)
{
    struct out_json j = {.f = stdout};
    struct progress progress;
    struct mp_error err;
    struct answer a;
    tally t = {0};
    int failed = 0;
    if (cli->json) {
        json_object(&j, NULL);
        json_array(&j, "runs");
    }
    progress_begin(&progress, cli, "runs", (unsigned)(v->last_seed - v->first_seed + 1), 0);
    for (uint64_t seed = v->first_seed; !failed && seed <= v->last_seed; seed++) {
        const unsigned line = progress_start(&progress, "faults", 0);
        failed = run_seed(job, without, seed, &a, &err);
        progress_finish(&progress, line);
        progress_draw(&progress);
        if (failed)
            break;
        count(t, &a.in);
        if (cli->json)
            json_run(&j, &a);
        else
            print_bad(&a);
    }
    progress_end(&progress);
    if (cli->json) {
        json_end_array(&j);
        json_tally(&j, t);
        json_end_object(&j);
    } else
        print_tally(t);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* The plan keeps its faults while the events are counted without them. */
static int prepare(const struct firmware_values *v, const struct job *job, struct answer *without)
{
    struct mp_error err;
    struct mp_inject plan;
    if (mp_inject_load(&plan, v->inject, (double)job->run.machine->machine.clock_mhz, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v->seeds && !plan.random)
        return cli_fail(CLI_USAGE, "--seeds: %s draws no faults; it needs random: {faults: N}", v->inject);
    if (in_process(run_without, job, without, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    if (without->failed)
        return cli_fail(without->done ? CLI_FAILED : CLI_USAGE, "--inject: without faults: %s",
                        without->why.text);
    plan.events = without->in.plan.events;
    without->in.plan = plan;
    return CLI_DONE;
}

int firmware_inject(const struct cli *cli, const struct firmware_values *v, struct mp_soc_run *run,
                    const struct mp_tenant_config *program)
{
    const struct job job = job_of(cli, run, program);
    struct answer without = {.in = {.plan = {.clock_mhz = (double)run->machine->machine.clock_mhz}}};
    struct mp_error err;
    int code = prepare(v, &job, &without);
    if (code)
        return code;
    if (v->seeds && v->first_seed != v->last_seed)
        return run_campaign(cli, v, &job, &without);
    struct firmware_injection in = without.in;
    in.plan.seed = v->seeds ? v->first_seed : in.plan.seed;
    if (mp_inject_draw(&in.plan, &without.in.plan.events, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    in.plan.events = (struct mp_inject_events){0};
    run->inject = &in.plan;
    return firmware_run_recorded(cli, run, &v->rtl, program, &in);
}
