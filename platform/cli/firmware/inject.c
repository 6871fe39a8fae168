/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/firmware/inject.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
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
    else if ((r->end != MP_SOC_FINISHED && !r->host_refused) || crashed)
        in->outcome = outcomes[UNDETECTED];
    else if (r->exit_code || r->host_refused || r->failed > in->without.failed)
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
    if (fault->happened == MP_NEVER && fault->event)
        fprintf(f, " of %" PRIu64, in->there.number[fault->kind][fault->place]);
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

struct process {
    pid_t pid;
    int from; /* its answer */
};

/* Calls work() in another process, which answers. -1 with err if there is none. */
static int start(void (*work)(const struct job *job, struct answer *a), const struct job *job,
                 struct answer *a, struct process *p, struct mp_error *err)
{
    int end[2];
    fflush(NULL);
    if (pipe(end)) {
        mp_fail(err, "--inject: no pipe: %s; fewer open files are needed", strerror(errno));
        return -1;
    }
    p->pid = fork();
    if (!p->pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive a parent that is killed */
        close(end[0]);
        work(job, a);
        _exit(write_all(end[1], a, sizeof *a) ? 0 : 1);
    }
    close(end[1]);
    p->from = end[0];
    if (p->pid > 0)
        return 0;
    close(p->from);
    return mp_fail(err, "--inject: no process: %s; fewer processes are needed", strerror(errno));
}

/* Fills in *a. -1 with err if the process has ended without an answer. */
static int finish(const struct process *p, struct answer *a, struct mp_error *err)
{
    bool whole = read_all(p->from, a, sizeof *a);
    close(p->from);
    int code = spawn_wait(p->pid);
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

/* A run of a campaign. */
struct seed {
    struct process process;
    struct answer answer;
};

static int start_seed(const struct job *job, const struct answer *without, uint64_t seed, struct seed *s,
                      struct mp_error *err)
{
    s->answer = (struct answer){.in = without->in};
    s->answer.in.plan.seed = seed;
    return mp_inject_draw(&s->answer.in.plan, &without->in.there, err) ||
                   start(run_with, job, &s->answer, &s->process, err)
               ? -1
               : 0;
}

static int finish_seed(struct seed *s, struct mp_error *err)
{
    if (finish(&s->process, &s->answer, err))
        return -1;
    if (!s->answer.done)
        return mp_fail(err, "%s", *s->answer.why.text ? s->answer.why.text : "interrupted");
    s->answer.in.outcome = outcomes[s->answer.outcome];
    return 0;
}

/* Begins runs while fewer than `jobs` are in progress, and ends the oldest: the order is that of the seeds.
 */
static int run_seeds(const struct firmware_values *v, const struct job *job, const struct answer *without,
                     void (*ended)(void *self, const struct answer *a), void *self, struct mp_error *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const uint64_t jobs = v->jobs ? v->jobs : processors > 0 ? (uint64_t)processors : 1;
    struct seed *ring = cli_alloc(jobs, sizeof *ring);
    uint64_t next = v->first_seed, done = v->first_seed;
    int failed = 0;
    while (done <= v->last_seed && !failed) {
        for (; !failed && next <= v->last_seed && next - done < jobs; next += !failed)
            failed = start_seed(job, without, next, &ring[next % jobs], err);
        if (failed)
            break;
        struct seed *oldest = &ring[done++ % jobs];
        failed = finish_seed(oldest, err);
        if (!failed)
            ended(self, &oldest->answer);
    }
    for (; done < next; done++) { /* after a failure */
        const struct process *p = &ring[done % jobs].process;
        close(p->from);
        kill(p->pid, SIGTERM);
        spawn_wait(p->pid);
    }
    free(ring);
    return failed;
}

struct campaign {
    const struct cli *cli;
    struct out_json *json;
    struct progress progress;
    tally tally;
};

static void ended(void *campaign, const struct answer *a)
{
    struct campaign *c = campaign;
    const unsigned line = progress_start(&c->progress, "faults", 0);
    progress_finish(&c->progress, line);
    progress_draw(&c->progress);
    count(c->tally, &a->in);
    if (c->cli->json)
        json_run(c->json, a);
    else
        print_bad(a);
}

static int run_campaign(const struct cli *cli, const struct firmware_values *v, const struct job *job,
                        const struct answer *without)
{
    struct out_json j = {.f = stdout};
    struct campaign c = {.cli = cli, .json = &j};
    struct mp_error err;
    if (cli->json) {
        json_object(&j, NULL);
        json_array(&j, "runs");
    }
    progress_begin(&c.progress, cli, "runs", (unsigned)(v->last_seed - v->first_seed + 1), 0);
    int failed = run_seeds(v, job, without, ended, &c, &err);
    progress_end(&c.progress);
    if (cli->json) {
        json_end_array(&j);
        json_tally(&j, c.tally);
        json_end_object(&j);
    } else
        print_tally(c.tally);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* The plan keeps its faults while the events are counted without them. */
static int prepare(const struct firmware_values *v, const struct job *job, struct answer *without)
{
    struct mp_error err;
    struct mp_inject plan;
    struct process process;
    if (mp_inject_load(&plan, v->inject, (double)job->run.machine->machine.clock_mhz, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v->seeds && !plan.random)
        return cli_fail(CLI_USAGE, "--seeds: %s draws no faults; it needs random: {faults: N}", v->inject);
    if (start(run_without, job, without, &process, &err) || finish(&process, without, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    if (without->failed)
        return cli_fail(without->done ? CLI_FAILED : CLI_USAGE, "--inject: without faults: %s",
                        without->why.text);
    without->in.there = without->in.plan.events;
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
    if (mp_inject_draw(&in.plan, &in.there, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    run->inject = &in.plan;
    return firmware_run_recorded(cli, run, &v->rtl, program, &in);
}
