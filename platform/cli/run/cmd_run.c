/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "cli/run/checkpoint.h"
#include "cli/run/compare.h"
#include "cli/run/results.h"
#include "cli/run/rtl.h"
#include "cli/run/runs.h"
#include "cli/run/walks.h"
#include "cli/run/watch.h"
#include "cli/run/xray.h"
#include "cli/spawn.h"
#include "engine/crew.h"
#include "image/image.h"

static const char doc[] =
    "Runs experiments: a shipped one by name, or a YAML file (-: standard input). Prints a table and stores "
    "each run as a row of the database. Without an experiment, runs the demonstration.\vExamples:\n"
    "  mempath run                                        the demonstration\n"
    "  mempath run --list                                 the shipped experiments and machines\n"
    "  mempath run star/w2 --alone                        a workload, and its applications alone\n"
    "  mempath run star/w2 --set l3_tlb.entries=2048      with another machine\n"
    "  mempath run star/w2 --compare l3_tlb.policy=subentry,star   under each value, side by side\n"
    "  mempath run star/w10 --set tenants.0.size=medium   with a smaller input\n"
    "  mempath run mine.yaml --epochs 100000              with a snapshot every 100000 cycles\n"
    "  mempath run star/w2 --until 200000                 only the first 200000 cycles\n"
    "  mempath run star/w2 --until 200000 --xray x.svg    and a picture of what waits for what then\n"
    "  mempath run star/w2 --watchdog 20000 --progress    "
    "in detail; ended if nothing moves for 20000 cycles\n"
    "  mempath run star/w2 --threads 4                    in four threads, with the same results\n"
    "  mempath run star/w2 --rtl l3_tlb                   with the L3 TLB's RTL in place of the model\n"
    "  mempath run star/w2 --rtl-shadow l3_tlb            and with both, compared\n"
    "  mempath run star/w2 --rtl-shadow l3_tlb --rtl-top mine.sv --waves w.fst   with your own RTL, "
    "compared, and waves of a difference\n"
    "  mempath run star/w2 --rtl l3_tlb --waves w.fst --waves-window 5000:6000   with waves of these cycles\n"
    "  mempath run star/w10 --observe l3_tlb -o l3.csv    and record the traffic of the L3 TLB's links\n"
    "  mempath run star/w10 --observe 'gpu.mig*.dram' -o dram.csv   or of the links into any other block\n"
    "  mempath run star/w10 --observe l3_tlb_array -o l3.txt   as stimuli; then: mempath cosim star l3.txt\n"
    "  mempath run star/w2 --checkpoint-at 200000 -o w2.checkpoint   "
    "and keep its state at this cycle in a file\n"
    "  mempath run star/w2 --from w2.checkpoint           go on from there, with the same results\n"
    "  mempath run demo --trace-window 9000:11000 -o w.json   "
    "every page walk in these cycles, for Perfetto; then: plot walkers\n"
    "\n"
    "Applications are recorded when they are first needed and kept in ~/.cache/mempath (or MEMPATH_CACHE). "
    "Ctrl-C ends the runs and marks them interrupted; a second one kills them. "
    "The signal SIGUSR1 (kill -USR1 PID) prints an X-ray of each run and changes nothing.";

#define MAX_OVERRIDES   64u /* the last two are internal */
#define MAX_EXPERIMENTS 64u
#define MAX_THREADS     64u

struct values {
    const char *experiment[MAX_EXPERIMENTS];
    const char *override[MAX_OVERRIDES];
    unsigned nexperiments, noverrides;
    bool seeded, alone, force_tlm, check, list;
    uint64_t seed, jobs, threads, epochs, until;
    const char *observe, *output, *xray;
    struct mp_window window;
    uint64_t watchdog;
    double watchdog_seconds;
    uint64_t checkpoint_at;
    const char *from;
    struct run_rtl rtl;
    char epoch_override[48];
    struct compare compare;
    char *input; /* all of standard input, once it has been read */
    size_t input_size;
};

enum {
    KEY_SET = 's',
    KEY_COMPARE = 'c',
    KEY_JOBS = 'j',
    KEY_OUT = 'o',
    KEY_SEED = 0x100,
    KEY_ALONE,
    KEY_TLM,
    KEY_CHECK,
    KEY_EPOCHS,
    KEY_UNTIL,
    KEY_THREADS,
    KEY_OBSERVE,
    KEY_WINDOW,
    KEY_WATCHDOG,
    KEY_XRAY,
    KEY_CHECKPOINT,
    KEY_FROM,
    KEY_LIST
};

static const struct argp_option options[] = {
    {"set", KEY_SET, "PATH=VALUE", 0,
     "change a parameter (see mempath params) or tenants.N.app, .size, .slices, .trace, .page_bytes, "
     ".managed",
     0},
    {"compare", KEY_COMPARE, "PATH=VALUE,VALUE...", 0,
     "run under each value and compare with the first; with --alone, with alone under the first", 0},
    {"seed", KEY_SEED, "N", 0, "seed of the applications' inputs", 0},
    {"jobs", KEY_JOBS, "N", 0, "parallel runs (default: one per processor); the results are the same", 0},
    {"threads", KEY_THREADS, "N", 0,
     "simulate each run in N threads, which pays for long runs of machines with several GPC slices, "
     "on a host with idle processors; the results are the same",
     0},
    {"alone", KEY_ALONE, NULL, 0, "also run each application alone on its instance, and compare", 0},
    {"epochs", KEY_EPOCHS, "CYCLES", 0, "take a snapshot of all counters every N cycles", 0},
    {"until", KEY_UNTIL, "CYCLE", 0,
     "end the run at this cycle, with the results up to there, and mark it as cut", 0},
    {"observe", KEY_OBSERVE, "LINK", 0,
     "write to the file given by -o: for the path of a block, such as gpu.l3_tlb or 'gpu.gpc*.l2_tlb', the "
     "traffic of the links into it (CSV); a level of TLBs, such as l3_tlb, is short for 'gpu*.l3_tlb'. "
     "l3_tlb_array: the accesses to the array of the level's TLB; walks: the arriving page walks, faults: "
     "those of managed memory (stimuli of replay and cosim); a block of `mempath cosim`, such as mesc-tlb, "
     "or, of many, with a path, such as "
     "neidty:gpu.gpc0.sm3.l1_tlb: its stimuli",
     0},
    {"trace-window", KEY_WINDOW, "FIRST:LAST", 0,
     "keep every page walk, and what moves in managed memory, in the cycles from FIRST to before LAST, for "
     "mempath plot walkers, faults and residency; with -o as trace events (JSON), which Perfetto and "
     "chrome://tracing show",
     0},
    {"checkpoint-at", KEY_CHECKPOINT, "CYCLE", 0,
     "write the whole state of the run before the events of this cycle to the file given by -o, and go on; "
     "not with what writes or runs elsewhere: --threads, --rtl, --observe, --epochs, --trace-window",
     0},
    {"from", KEY_FROM, "FILE", 0,
     "go on from a checkpoint, with the same configuration and program; the results are those of the "
     "run that was not interrupted. The file is as a program: use only those that you made",
     0},
    {"output", KEY_OUT, "FILE", 0, "where --observe writes, --trace-window or --checkpoint-at", 0},
    RUN_RTL_OPTIONS,
    {"force-tlm", KEY_TLM, NULL, 0, "every link through TLM-2.0 transport; slower, with the same results", 0},
    {"check", KEY_CHECK, NULL, 0,
     "compare every translation with the page table, and stop at the first that differs; "
     "slower, with the same results",
     0},
    {"watchdog", KEY_WATCHDOG, "CYCLES", 0,
     "end a run, with exit code 1 and an X-ray, if all warps of a tenant wait and it has neither issued an "
     "instruction nor finished an access for this many simulated cycles (default: 1000000); Ns: if no tenant "
     "has for N seconds of the host, too; off: never",
     0},
    {"xray", KEY_XRAY, "FILE", 0,
     "write an X-ray when the run is stuck, at the cycle of --until, and at each "
     "signal SIGUSR1: every request that waits, where, and for what, as .txt, .json, "
     "or a picture of which block waits for which (.svg, .png, .pdf, .dot)",
     0},
    {"list", KEY_LIST, NULL, 0, "lists the shipped experiments and machines", 0},
    {0},
};

static int add(const char **list, unsigned *n, unsigned max, const char *what, const char *arg,
               struct mp_error *err)
{
    if (*n == max)
        return mp_fail(err, "run: more than %u %s; at most %u", max, what, max);
    list[(*n)++] = arg;
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    int rtl = run_rtl_option(&v->rtl, key, arg, err);
    if (rtl)
        return rtl < 0 ? -1 : 0;
    switch (key) {
    case KEY_SET:
        if (!strchr(arg, '='))
            return mp_fail(err, "--set: '%s' has no value; path=value, as in l3_tlb.entries=2048", arg);
        return add(v->override, &v->noverrides, MAX_OVERRIDES - 2, "--set", arg, err);
    case KEY_COMPARE:
        return compare_parse(&v->compare, arg, err);
    case KEY_SEED:
        v->seeded = true;
        return cli_number("--seed", arg, 0, UINT64_MAX, &v->seed, err);
    case KEY_JOBS:
        return cli_number("--jobs", arg, 1, 64, &v->jobs, err);
    case KEY_THREADS:
        return cli_number("--threads", arg, 1, MAX_THREADS, &v->threads, err);
    case KEY_EPOCHS:
        return cli_number("--epochs", arg, 1, UINT64_MAX, &v->epochs, err);
    case KEY_UNTIL:
        return cli_number("--until", arg, 1, UINT64_MAX - 1, &v->until, err);
    case KEY_ALONE:
        v->alone = true;
        return 0;
    case KEY_TLM:
        v->force_tlm = true;
        return 0;
    case KEY_CHECK:
        v->check = true;
        return 0;
    case KEY_LIST:
        v->list = true;
        return 0;
    case KEY_OBSERVE:
        v->observe = arg;
        return 0;
    case KEY_OUT:
        v->output = arg;
        return 0;
    case KEY_WATCHDOG:
        return run_watch_limit(arg, &v->watchdog, &v->watchdog_seconds, err);
    case KEY_XRAY:
        v->xray = arg;
        return xray_check(arg, err);
    case KEY_CHECKPOINT:
        return cli_number("--checkpoint-at", arg, 1, UINT64_MAX / 4, &v->checkpoint_at, err);
    case KEY_FROM:
        v->from = arg;
        return 0;
    case KEY_WINDOW:
        return cli_window("--trace-window", arg, "cycles", &v->window.first, &v->window.last, err);
    default:
        return add(v->experiment, &v->nexperiments, MAX_EXPERIMENTS, "experiments", arg, err);
    }
}

static int list_names(const struct cli *cli)
{
    struct out_json j = {.f = stdout};
    static const char *const heads[] = {"name", "what it is"};
    struct out_table *t = cli->json ? NULL : out_table_new(2, heads);
    if (cli->json)
        json_array(&j, NULL);
    for (unsigned i = 0; mp_config_name(i); i++) {
        struct mp_config c;
        struct mp_error err;
        bool loaded = mp_config_load(&c, mp_config_name(i), 0, NULL, &err) == 0;
        const char *description = loaded ? c.description : err.text;
        if (cli->json) {
            json_object(&j, NULL);
            json_text(&j, "name", mp_config_name(i));
            json_text(&j, "description", description);
            json_count(&j, "tenants", loaded ? c.ntenants : 0);
            json_end_object(&j);
        } else {
            out_cell(t, "%s", mp_config_name(i));
            out_cell(t, "%s%s", loaded && !c.ntenants ? "(machine) " : "", description ? description : "");
        }
        if (loaded)
            mp_config_free(&c);
    }
    if (cli->json)
        json_end_array(&j);
    else
        out_table_print(t, stdout);
    return CLI_DONE;
}

/* Reads all of standard input, once: several runs may load it. */
static int read_input(struct values *v, struct mp_error *err)
{
    FILE *text = open_memstream(&v->input, &v->input_size);
    cli_have(text);
    for (int c; (c = getchar()) != EOF;)
        putc(c, text);
    cli_have(!fclose(text) ? v->input : NULL);
    return ferror(stdin) ? mp_fail(err, "standard input: cannot be read; an experiment in YAML is needed")
                         : 0;
}

/* name: of an experiment, a file, or "-" for standard input. */
static int load_config(struct values *v, struct mp_config *config, const char *name, unsigned overrides,
                       struct mp_error *err)
{
    if (strcmp(name, "-") != 0)
        return mp_config_load(config, name, overrides, v->override, err);
    if (!v->input && read_input(v, err))
        return -1;
    return mp_config_load_text(config, "standard input", v->input, v->input_size, overrides, v->override,
                               err);
}

/* variant: index of the compared value; without a comparison, 0. */
static int load(struct run_job *job, struct values *v, const char *name, unsigned variant)
{
    struct mp_error err;
    unsigned compared = v->compare.n ? 1 : 0;
    if (compared)
        v->override[v->noverrides] = v->compare.override[variant];
    if (load_config(v, &job->config, name, v->noverrides + compared, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (!job->config.ntenants)
        return cli_fail(CLI_USAGE,
                        "%s: has no tenants; name an experiment (mempath run --list), "
                        "or add tenants, as in --set tenants.0.app=MT",
                        name);
    if (v->seeded)
        job->config.seed = v->seed;
    job->force_tlm = v->force_tlm;
    job->check = v->check;
    job->observe = v->observe;
    job->observe_file = v->observe ? v->output : NULL;
    if (v->observe && run_rtl_observed(&job->config, v->observe, &job->observed, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    job->window = v->window;
    job->until = v->until;
    job->threads = (unsigned)v->threads;
    job->watchdog = v->watchdog;
    job->watchdog_seconds = v->watchdog_seconds;
    job->xray = v->xray;
    job->checkpoint_at = v->checkpoint_at;
    job->checkpoint = v->checkpoint_at ? v->output : NULL;
    job->from = v->from;
    if ((v->checkpoint_at || v->from) && job->config.stats.epoch)
        return cli_fail(CLI_USAGE,
                        "%s: stats.epoch = %" PRIu64 "; a run with checkpoints takes no snapshots, so 0",
                        name, job->config.stats.epoch);
    if (run_rtl_load(&v->rtl, &job->config, &job->rtl, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    snprintf(job->label, sizeof job->label, "%s%s%s", job->config.name, compared ? " " : "",
             compared ? v->compare.override[variant] : "");
    return CLI_DONE;
}

/* Appends the alone runs that the jobs need, each once, to the list of jobs. Returns their number, or -1. */
static int add_alone(struct run_job *jobs, unsigned count, bool force_tlm)
{
    unsigned n = 0;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned t = 0; t < jobs[i].config.ntenants; t++) {
            if (results_alone(&jobs[i], t, jobs + count, n))
                continue;
            if (runs_alone(&jobs[count + n], &jobs[i].config, t))
                return -1;
            jobs[count + n].threads = jobs[i].threads;
            jobs[count + n].watchdog = jobs[i].watchdog;
            jobs[count + n].watchdog_seconds = jobs[i].watchdog_seconds;
            jobs[count + n++].force_tlm = force_tlm;
        }
    }
    return (int)n;
}

/* A checkpoint contains the memory of one process with one thread. It cannot restore a run that writes output
 * before its end, or that has other threads or programs. Returns the first such option given, or NULL. */
static const char *unfit(const struct values *v)
{
    const char *rtl = v->rtl.n && v->rtl.block[0].shadow ? "--rtl-shadow" : "--rtl";
    const struct {
        bool given;
        const char *option;
    } options[] = {{v->alone, "--alone"},
                   {v->compare.n, "--compare"},
                   {v->epochs, "--epochs"},
                   {v->observe, "--observe"},
                   {v->window.last, "--trace-window"},
                   {v->rtl.n, rtl},
                   {v->threads > 1, "--threads"},
                   {v->check, "--check"}};
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return options[i].option;
    return NULL;
}

static int check_checkpoint(const struct values *v)
{
    const struct checkpoint_wish wish = {v->checkpoint_at, v->until,        "--until", v->output,
                                         v->from,          v->nexperiments, unfit(v)};
    struct mp_error err;
    return (v->checkpoint_at || v->from) && checkpoint_check(&wish, &err)
               ? cli_fail(CLI_USAGE, "%s", err.text)
               : CLI_DONE;
}

static int check(const struct values *v)
{
    const char *writes = v->observe ? "--observe" : "--trace-window";
    bool window = v->window.last > 0;
    if (v->observe && !v->output)
        return cli_fail(CLI_USAGE, "--observe: no file to write to; add -o FILE");
    if (v->output && !v->observe && !window && !v->checkpoint_at)
        return cli_fail(CLI_USAGE,
                        "-o: nothing is observed; add --observe LINK, such as l3_tlb, or --trace-window");
    if (v->observe && window)
        return cli_fail(CLI_USAGE,
                        "-o: --observe and --trace-window would write the same file; use one of them");
    if (v->output && v->nexperiments > 1)
        return cli_fail(CLI_USAGE, "%s: %u experiments would write the same file; name one experiment%s",
                        writes, v->nexperiments, window ? ", or no -o" : "");
    if (v->output && v->compare.n)
        return cli_fail(CLI_USAGE, "%s: every compared value would write the same file; use --set%s", writes,
                        window ? ", or no -o" : "");
    if (v->xray && (v->nexperiments > 1 || v->compare.n))
        return cli_fail(CLI_USAGE,
                        "--xray: several runs would write the same file; one experiment, without --compare");
    if (v->threads > 1 && v->observe)
        return cli_fail(CLI_USAGE, "--observe: the file is written by one thread; omit --threads");
    if (v->until && v->alone)
        return cli_fail(CLI_USAGE, "--until: a run that is cut is not compared; omit --alone");
    if (v->until && window && v->window.first >= v->until)
        return cli_fail(CLI_USAGE,
                        "--trace-window: cycle %" PRIu64 " is not before --until %" PRIu64
                        "; choose an earlier one",
                        v->window.first, v->until);
    /* Alone runs are compared by instance and input, so all jobs must have the same machine. */
    if (v->alone && v->nexperiments > 1)
        return cli_fail(CLI_USAGE, "--alone: %u experiments may have different machines; name one experiment",
                        v->nexperiments);
    return check_checkpoint(v);
}

static void introduce(void)
{
    puts("mempath is a virtual platform of a GPU's memory path. "
         "In this demonstration applications share one GPU:\n"
         "each has a separate instance (SMs, caches, walkers, memory), but all share the last-level TLB.\n"
         "Each runs alone first, then all run together: the difference is the cost of sharing.\n");
    fflush(stdout);
}

/* The command as it can be typed in this folder: the sources' script, or that of an installation, which is in
 * PATH. */
static char *command_here(void)
{
    static const char in_sources[] = "platform/mempath";
    char *link = spawn_beside("source/platform/mempath"), *script = realpath(link, NULL),
         *here = realpath(in_sources, NULL);
    const char *command = !script ? "mempath" : here && !strcmp(here, script) ? in_sources : script;
    char *text = cli_have(strdup(command));
    free(link);
    free(script);
    free(here);
    return text;
}

static void what_next(const struct cli *cli)
{
    const char *db = strcmp(cli->db, "mempath.db") ? " --db FILE" : "";
    char *by = command_here();
    printf("\n"
           "Every number is in %s. Try next:\n"
           "  %s query%s                  the named queries; then: query runs%s\n"
           "  %s run demo --alone --set l3_tlb.entries=1024   with the whole shared TLB\n"
           "  %s params l3_tlb            other parameters\n"
           "  %s run star/w2 --alone      a workload of the STAR paper, some minutes\n"
           "  %s reproduce star/table2    the paper's table and our measurements\n",
           cli->db, by, db, db, by, by, by, by);
    free(by);
}

static void print(const struct cli *cli, const struct values *v, const struct run_job *jobs, unsigned alone)
{
    unsigned count = v->nexperiments;
    if (v->compare.n)
        (cli->json ? compare_print_json : compare_print)(&v->compare, jobs, count,
                                                         jobs + count * v->compare.n, alone);
    else
        (cli->json ? results_print_json : results_print)(jobs, count, jobs + count, alone);
}

/* Writes the run's window as trace events from the database to the file that was opened for it. */
static int write_events(const struct cli *cli, int64_t run, FILE *f)
{
    struct mp_db *db;
    struct mp_error err;
    struct walks w = {0};
    struct managed m = {0};
    int failed = mp_db_open(&db, cli->db, MP_DB_READ, &err);
    if (!failed) {
        failed = walks_load(db, run, &w, &err) || managed_load(db, run, &m, &err) ? -1 : 0;
        mp_db_close(db);
    }
    if (!failed)
        walks_write_events(&w, &m, f);
    walks_free(&w);
    managed_free(&m);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* Says if threads take time here in place of saving it. The results are the same. */
static void check_processors(const struct cli *cli, unsigned threads)
{
    struct mp_crew *crew =
        threads > 1 && cli->progress == CLI_PROGRESS_TERMINAL ? mp_crew_new(threads) : NULL;
    if (!crew)
        return;
    double gain = mp_crew_gain(crew);
    mp_crew_delete(crew);
    if (gain < MP_CREW_ENOUGH * threads)
        fprintf(
            stderr,
            "mempath: --threads %u: at the moment, the processors of this host do %.1f times the work of one "
            "for %u threads; they are busy or share a core\n",
            threads, gain, threads);
}

/* Stores what each tenant is compared with: under --compare, alone under the first value. */
static int refer(const struct cli *cli, const struct values *v, const struct run_job *jobs, unsigned count,
                 unsigned alone)
{
    struct run_reference reference[MP_TENANTS];
    int code = CLI_DONE;
    for (unsigned i = 0; !code && alone && i < count; i++) {
        const bool other = v->compare.n && i % v->compare.n;
        unsigned n = 0;
        for (unsigned t = 0; t < jobs[i].config.ntenants; t++) {
            const struct run_job *a = results_alone(&jobs[i], t, jobs + count, alone);
            if (a && jobs[i].config.ntenants > 1)
                reference[n++] = (struct run_reference){.job = &jobs[i],
                                                        .tenant = t,
                                                        .alone = a,
                                                        .settings = other ? v->compare.override[0] : ""};
        }
        code = runs_refer(cli, reference, n);
    }
    return code;
}

static int run_all(const struct cli *cli, struct values *v, struct run_job *jobs)
{
    unsigned variants = v->compare.n ? v->compare.n : 1, count = v->nexperiments * variants;
    int code = CLI_DONE, alone = 0;
    for (unsigned i = 0; !code && i < count; i++)
        code = load(&jobs[i], v, v->experiment[i / variants], i % variants);
    if (code)
        return code;
    struct mp_error err;
    if (v->from && checkpoint_fits(v->from, jobs, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v->alone) {
        alone = add_alone(jobs, count, v->force_tlm);
        if (alone < 0)
            return CLI_FAILED;
    }
    check_processors(cli, (unsigned)v->threads);
    unsigned parallel = v->jobs ? (unsigned)v->jobs : runs_default_parallel();
    if (!v->jobs && v->threads > 1)
        parallel = parallel > v->threads ? parallel / (unsigned)v->threads : 1;
    code = runs_execute(cli, jobs, count + (unsigned)alone, parallel, false);
    if (code && code != CLI_FAILED)
        return code;
    print(cli, v, jobs, (unsigned)alone);
    const int referred = refer(cli, v, jobs, count, (unsigned)alone);
    return code ? code : referred;
}

/* As run_all, with the window's file, which is opened before hours of simulation and kept if all went well.
 */
static int run_to_file(const struct cli *cli, struct values *v, struct run_job *jobs)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s.part", v->output);
    FILE *f = fopen(part, "w");
    if (!f)
        return cli_fail(CLI_USAGE, "%s: %s; a writable file is needed", part, strerror(errno));
    int code = run_all(cli, v, jobs);
    if (!code)
        code = write_events(cli, jobs->run_id, f);
    bool written = !ferror(f);
    written = !fclose(f) && written;
    if (!code && (!written || rename(part, v->output)))
        code = cli_fail(CLI_FAILED, "%s: %s; a writable file is needed", v->output, strerror(errno));
    if (code)
        unlink(part);
    else if (!cli->json)
        puts(v->output);
    return code;
}

int cmd_run(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath run",
                                           .args = "[EXPERIMENT...]",
                                           .word = mp_config_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {0};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.list)
        return list_names(cli);
    bool demonstration = v.nexperiments == 0;
    if (demonstration) {
        v.experiment[v.nexperiments++] = "demo";
        v.alone = !v.observe && !v.window.last && !v.until && !v.checkpoint_at && !v.from;
    }
    struct mp_error err;
    code = check(&v);
    if (code)
        return code;
    if ((v.checkpoint_at || v.from) && !image_is_fixed() && image_fix(argv - 1, &err))
        return cli_fail(CLI_FAILED, "%s", err.text);
    if (v.epochs) {
        snprintf(v.epoch_override, sizeof v.epoch_override, "stats.epoch=%" PRIu64, v.epochs);
        v.override[v.noverrides++] = v.epoch_override;
    }
    unsigned variants = v.compare.n ? v.compare.n : 1;
    unsigned room = v.nexperiments * variants * (1 + MP_TENANTS);
    if (run_rtl_check(&v.rtl, v.nexperiments * variants, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v.threads > 1 && v.rtl.n)
        return cli_fail(CLI_USAGE, "--threads: Verilated RTL runs in one thread; omit --threads or --rtl");
    struct run_job *jobs = cli_alloc(room, sizeof *jobs);
    if (demonstration && !cli->json)
        introduce();
    code = v.window.last && v.output ? run_to_file(cli, &v, jobs) : run_all(cli, &v, jobs);
    run_rtl_finish(&v.rtl, cli->json || code == CLI_USAGE ? NULL : stdout);
    if (code != CLI_USAGE)
        run_rtl_unchecked(&v.rtl);
    if (demonstration && !cli->json && !code)
        what_next(cli);
    runs_free(jobs, room);
    free(v.input);
    return code;
}
