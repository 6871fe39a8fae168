/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath bench`: simulation speed of one core on a coalesced and a divergent workload, with all blocks, all
 * counters and the database, as in a run. Times depend on the machine and its load; --counts and --against do
 * not, or less. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/cli.h"
#include "cli/out.h"
#include "cli/progress.h"
#include "cli/run/runs.h"
#include "cli/spawn.h"
#include "trace/gwt.h"

static const char doc[] =
    "Measures how fast the platform simulates, on one core: the STAR workloads W10 (coalesced: ST_s, FIR, "
    "FFT) and W2 (divergent: MT, ATAX, ST) with all inputs at medium size, each a row in the database. "
    "Also how fast traces are read, and the management core's instructions and register accesses, with the "
    "GPU idle (`core`: only this). --counts counts host instructions and misses in simulated caches instead. "
    "They are the same at every run, and are compared with committed bounds: exit code 1 if one is exceeded. "
    "--against runs this build and another revision's alternately, and compares their processor seconds; "
    "each "
    "case is a row of the table host_pair. Both have the same cases, "
    "with medium inputs and cut at a cycle: w10, w2, dws, which is GUPS and MM under DWS, and W2's "
    "applications on MESC's machine with its baseline (mesc-base) and MESC (mesc). --threads measures "
    "how the work of a run divides among threads, and what threads gain on this machine.\vExamples:\n"
    "  mempath bench                 one run each, about a minute\n"
    "  mempath bench --repeat 5      medians of five\n"
    "  mempath bench --json          for a program\n"
    "  mempath bench core            the management core alone, seconds\n"
    "  mempath bench --counts --short            host instructions and cache misses, about a minute\n"
    "  mempath bench --counts --cases w2         of one case, with the longer run, too\n"
    "  mempath bench --against HEAD~1            seven pairs with the commit before\n"
    "  mempath bench --against HEAD~1 --sizes    also counts, and on machines of 2 to 98 SMs\n"
    "  mempath bench --threads                   how the work divides among threads\n"
    "  mempath bench --size small    seconds; too short to mean much";

#define BENCHES    2u
#define MAX_REPEAT BENCH_MAX_PAIRS

static const struct {
    const char *experiment, *what, *unit;
    double floor, goal; /* M per second */
    bool translations;
} benches[BENCHES] = {
    {"star/w10", "coalesced", "M warp memory instructions/s", 1.0, 2.5, false},
    {"star/w2", "divergent", "M translations/s", 4.0, 10.0, true},
};

struct values {
    const char *size;
    uint64_t repeat;
    bool core; /* the core only */
    bool counts, threads;
    const char *cases;
    struct bench_options more; /* of counts and against */
};

enum {
    KEY_COUNTS = 0x100,
    KEY_SHORT,
    KEY_UPDATE,
    KEY_BOUNDS,
    KEY_AGAINST,
    KEY_CHECKOUT,
    KEY_CASES,
    KEY_THREADS,
    KEY_SIZES
};

static const struct argp_option options[] = {
    {"size", 's', "small|medium|paper", 0, "size of all inputs (default: medium)", 0},
    {"repeat", 'n', "N", 0, "runs of each workload, or pairs; the median counts (default: 1, or 7 pairs)", 0},
    {"counts", KEY_COUNTS, NULL, 0,
     "count host instructions and cache misses per translation, under valgrind", 0},
    {"short", KEY_SHORT, NULL, 0, "with --counts: of each case only the run that is cut first", 0},
    {"update", KEY_UPDATE, NULL, 0, "with --counts: write the figures as the new bounds", 0},
    {"bounds", KEY_BOUNDS, "FILE", 0, "with --counts: other bounds than those of tb/bench/counts.csv", 0},
    {"threads", KEY_THREADS, NULL, 0, "measure how the work divides among 1, 2, 4, 8 and 16 threads", 0},
    {"against", KEY_AGAINST, "REVISION", 0, "build this commit in the cache, and time pairs of runs", 0},
    {"sizes", KEY_SIZES, NULL, 0,
     "with --against: also host instructions and cache misses, and the time of an event, of the cases and of "
     "one application on machines of 2, 14, 42 and 98 SMs",
     0},
    {"checkout", KEY_CHECKOUT, "FOLDER", 0, "with --against: other sources than those of this program", 0},
    {"cases", KEY_CASES, "CASE,CASE...", 0,
     "with --counts, --threads or --against: " BENCH_CASES_ARE " (default: all)", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case 's':
        if (strcmp(arg, "small") != 0 && strcmp(arg, "medium") != 0 && strcmp(arg, "paper") != 0)
            return mp_fail(err, "--size: unknown size '%s'; small, medium or paper", arg);
        v->size = arg;
        return 0;
    case 'n':
        return cli_number("--repeat", arg, 1, MAX_REPEAT, &v->repeat, err);
    case KEY_COUNTS:
        v->counts = true;
        return 0;
    case KEY_THREADS:
        v->threads = true;
        return 0;
    case KEY_SHORT:
        v->more.brief = true;
        return 0;
    case KEY_UPDATE:
        v->more.update = true;
        return 0;
    case KEY_BOUNDS:
        v->more.bounds = arg;
        return 0;
    case KEY_AGAINST:
        v->more.against = arg;
        return 0;
    case KEY_SIZES:
        v->more.sizes = true;
        return 0;
    case KEY_CHECKOUT:
        v->more.checkout = arg;
        return 0;
    case KEY_CASES:
        v->cases = arg;
        return bench_cases_choose(arg, v->more.chosen, err);
    case ARGP_KEY_ARG:
        if (v->core || strcmp(arg, "core") != 0)
            return mp_fail(err, "bench: '%s' is unexpected; core or nothing", arg);
        v->core = true;
        return 0;
    default:
        return 0;
    }
}

static int load(struct run_job *job, const char *experiment, const char *size)
{
    char set[MP_TENANTS][48];
    const char *override[MP_TENANTS];
    struct mp_error err;
    if (mp_config_load(&job->config, experiment, 0, NULL, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    unsigned n = job->config.ntenants;
    mp_config_free(&job->config);
    for (unsigned t = 0; t < n; t++) {
        snprintf(set[t], sizeof set[t], "tenants.%u.size=%s", t, size);
        override[t] = set[t];
    }
    if (mp_config_load(&job->config, experiment, n, override, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    snprintf(job->label, sizeof job->label, "%s %s", experiment, size);
    return CLI_DONE;
}

struct speed {
    double seconds, accesses, translations; /* the latter two in millions per second */
    uint64_t peak_bytes;
};

static int by_accesses(const void *a, const void *b)
{
    double x = ((const struct speed *)a)->accesses, y = ((const struct speed *)b)->accesses;
    return (x > y) - (x < y);
}

/* The run with the median speed. All figures are of this one run. */
static struct speed median(const struct run_job *jobs, unsigned n)
{
    struct speed speed[MAX_REPEAT];
    for (unsigned i = 0; i < n; i++) {
        const struct mp_result *r = &jobs[i].result;
        double seconds = r->seconds > 0 ? r->seconds : (double)NAN;
        speed[i] = (struct speed){.seconds = r->seconds,
                                  .accesses = (double)r->accesses / seconds / 1e6,
                                  .translations = (double)r->translations / seconds / 1e6,
                                  .peak_bytes = jobs[i].peak_bytes};
    }
    qsort(speed, n, sizeof *speed, by_accesses);
    return speed[n / 2];
}

/* Seconds to read and check the trace, and the trace's contents. */
static double read_trace(const char *path, struct gwt_totals *totals)
{
    struct gwt_reader *reader;
    struct mp_error err;
    double start = progress_now();
    if (gwt_open(&reader, path, &err))
        return NAN;
    *totals = *gwt_totals(reader);
    gwt_close(reader);
    return progress_now() - start;
}

static void print(const struct speed *speed, double decode_rate, const char *trace)
{
    static const char *const heads[] = {"workload", "traffic",  "M accesses/s", "M translations/s",
                                        "seconds",  "peak MiB", "at least",     "goal"};
    struct out_table *t = out_table_new(8, heads);
    for (unsigned i = 0; i < BENCHES; i++) {
        out_cell(t, "%s", benches[i].experiment);
        out_cell(t, "%s", benches[i].what);
        out_cell(t, "%.2f", speed[i].accesses);
        out_cell(t, "%.2f", speed[i].translations);
        out_cell(t, "%.1f", speed[i].seconds);
        out_cell(t, "%.0f", (double)speed[i].peak_bytes / 1048576.0);
        out_cell(t, "%.1f %s", benches[i].floor, benches[i].unit);
        out_cell(t, "%.1f", benches[i].goal);
    }
    out_table_print(t, stdout);
    printf("An access is a warp memory instruction, a translation a page-level request to an L1 TLB.\n"
           "Reading traces: %.0f M lane accesses/s (%s).\n",
           decode_rate, trace);
}

static void print_json(const struct speed *speed, const struct run_job *jobs, unsigned repeat,
                       double decode_rate, const double *core)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    bench_core_json(&j, core);
    json_array(&j, "workloads");
    for (unsigned i = 0; i < BENCHES; i++) {
        double reached = benches[i].translations ? speed[i].translations : speed[i].accesses;
        json_object(&j, NULL);
        json_text(&j, "experiment", benches[i].experiment);
        json_real(&j, "accesses_per_second", 1e6 * speed[i].accesses);
        json_real(&j, "translations_per_second", 1e6 * speed[i].translations);
        json_real(&j, "seconds", speed[i].seconds);
        json_count(&j, "peak_bytes", speed[i].peak_bytes);
        json_text(&j, "target", benches[i].unit);
        json_real(&j, "at_least", benches[i].floor);
        json_real(&j, "goal", benches[i].goal);
        json_flag(&j, "met", reached >= benches[i].floor);
        json_array(&j, "runs");
        for (unsigned k = 0; k < repeat; k++)
            json_count(&j, NULL, (uint64_t)jobs[i * repeat + k].run_id);
        json_end_array(&j);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_real(&j, "trace_lane_accesses_per_second", 1e6 * decode_rate);
    json_end_object(&j);
}

static int core_alone(const struct cli *cli, unsigned repeat)
{
    double core[BENCH_CORE_RATES];
    struct out_json j = {.f = stdout};
    int code = bench_core(cli, repeat, core);
    if (code)
        return code;
    if (!cli->json) {
        bench_core_print(core);
        return CLI_DONE;
    }
    json_object(&j, NULL);
    bench_core_json(&j, core);
    json_end_object(&j);
    return CLI_DONE;
}

/* Options that another one does not need. */
static int check(const struct values *v)
{
    const struct bench_options *m = &v->more;
    if (v->counts + v->threads + (m->against != NULL) > 1)
        return cli_fail(CLI_USAGE,
                        "bench: --counts, --threads and --against are separate measurements; one of them");
    if ((v->counts || v->threads || m->against) && (v->core || v->size))
        return cli_fail(
            CLI_USAGE,
            "bench: --counts, --threads and --against have inputs of their cases; no core, no --size");
    if (v->threads && v->repeat)
        return cli_fail(CLI_USAGE,
                        "--repeat: --threads runs each case once with each number of threads; without it");
    if (v->counts && v->repeat)
        return cli_fail(CLI_USAGE, "--repeat: counts are the same at every run; without it");
    if (!v->counts && (m->brief || m->update || m->bounds))
        return cli_fail(CLI_USAGE, "bench: --short, --update and --bounds need --counts");
    if (m->brief && m->update)
        return cli_fail(CLI_USAGE, "--update: the bounds of the longer runs would stay those of another "
                                   "revision; without --short");
    if (!m->against && m->sizes)
        return cli_fail(CLI_USAGE, "--sizes: compares with another revision; --against REVISION");
    if (!m->against && m->checkout)
        return cli_fail(CLI_USAGE, "--checkout: nothing to build; --against REVISION");
    if (v->cases && !v->counts && !v->threads && !m->against)
        return cli_fail(CLI_USAGE, "--cases: of --counts, --threads or --against");
    return CLI_DONE;
}

static int more(const struct cli *cli, struct values *v)
{
    struct bench_options *m = &v->more;
    for (unsigned i = 0; !v->cases && i < BENCH_CASES; i++)
        m->chosen[i] = true;
    char *bounds = spawn_beside("source/tb/bench/counts.csv"), *checkout = spawn_beside("source");
    m->bounds = m->bounds ? m->bounds : bounds;
    m->checkout = m->checkout ? m->checkout : checkout;
    m->pairs = v->repeat ? (unsigned)v->repeat : 7;
    int code = v->counts ? bench_counts(cli, m) : v->threads ? bench_threads(cli, m) : bench_against(cli, m);
    free(bounds);
    free(checkout);
    return code;
}

static const char *what_name(unsigned i)
{
    return i ? NULL : "core";
}

int cmd_bench(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath bench",
                                           .args = "[core]",
                                           .doc = doc,
                                           .options = options,
                                           .option = option,
                                           .word = what_name};
    struct values v = {0};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    code = check(&v);
    if (code)
        return code;
    if (v.counts || v.threads || v.more.against)
        return more(cli, &v);
    double core[BENCH_CORE_RATES];
    unsigned repeat = v.repeat ? (unsigned)v.repeat : 1, count = BENCHES * repeat;
    const char *size = v.size ? v.size : "medium";
    if (v.core)
        return core_alone(cli, repeat);
    struct run_job *jobs = cli_alloc(count, sizeof *jobs);
    for (unsigned i = 0; !code && i < count; i++)
        code = load(&jobs[i], benches[i / repeat].experiment, size);
    if (!code)
        code = runs_execute(cli, jobs, count, 1, false);
    if (!code)
        code = bench_core(cli, repeat, core);
    if (!code) {
        struct speed speed[BENCHES];
        struct gwt_totals totals = {0};
        for (unsigned i = 0; i < BENCHES; i++)
            speed[i] = median(jobs + i * repeat, repeat);
        double seconds = read_trace(jobs[repeat].trace[0], &totals);
        double decode_rate = (double)totals.lane_accesses / seconds / 1e6;
        char name[64];
        if (cli->json)
            print_json(speed, jobs, repeat, decode_rate, core);
        else
            print(speed, decode_rate, runs_tenant_name(&jobs[repeat].config.tenant[0], name, sizeof name));
        if (!cli->json)
            bench_core_print(core);
    }
    runs_free(jobs, count);
    return code;
}
