/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath bench --against REVISION`: this program and another revision's run the same work by turns, because
 * a busy machine changes its speed within seconds. Seconds are those of the host's processors. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cli/bench/bench.h"
#include "cli/folder.h"
#include "cli/revision.h"
#include "cli/spawn.h"
#include "cli/trace/cache.h"
#include "db/db.h"

struct program {
    char path[PATH_MAX], db[PATH_MAX];
    char cache[PATH_MAX]; /* of its traces: two revisions would record those of the other again */
    const char *name;     /* revision */
};

struct once {
    double seconds;
    uint64_t events; /* 0: the program does not report them */
    char digest[33];
};

struct compared {
    unsigned of;
    uint64_t until; /* 0: a whole run with small inputs, because the other revision cannot cut a run */
    unsigned pairs;
    double ratio[BENCH_MAX_PAIRS];    /* seconds of the other by seconds of this one, in ascending order */
    double seconds[2];                /* medians */
    double event_ns[2];               /* without start-up; NAN: not measured */
    double counts[2][COUNTS_FIGURES]; /* per translation; NAN: not measured */
    char digest[2][33];
};

/* Of all processes that this one has waited for. */
static double children_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)u.ru_utime.tv_sec + 1e-6 * (double)u.ru_utime.tv_usec;
}

/* The program's output on stdout, which the caller frees. Returns NULL if the program fails. */
static char *ask(char *const argv[])
{
    int reader, pid = spawn_start(argv, STDOUT_FILENO, &reader);
    FILE *f = pid > 0 ? fdopen(reader, "r") : NULL;
    char *text = NULL;
    size_t room = 0;
    if (!f) {
        cli_fail(CLI_FAILED, "%s: %s", argv[0], strerror(errno));
        return NULL;
    }
    if (getdelim(&text, &room, EOF, f) < 0)
        text = cli_have(strdup(""));
    fclose(f);
    int code = spawn_wait(pid);
    if (!code)
        return text;
    free(text);
    if (!cli_stop)
        cli_fail(CLI_FAILED, "%s: exit code %d", argv[0], code);
    return NULL;
}

static bool can_cut(const struct program *p)
{
    char *argv[] = {(char *)(uintptr_t)p->path, "run", "--help", NULL};
    char *help = ask(argv);
    bool can = help && strstr(help, "--until");
    free(help);
    return can;
}

static bool run_once(const struct program *p, unsigned of, uint64_t until, struct once *once)
{
    struct bench_command run;
    bench_case_command(&run, p->path, of, until, p->db);
    setenv("MEMPATH_CACHE", p->cache, 1);
    double before = children_seconds();
    char *text = ask(run.argv);
    once->seconds = children_seconds() - before;
    const char *events = text ? strstr(text, "\"events\": ") : NULL;
    const char *digest = text ? strstr(text, "\"digest\": \"") : NULL;
    bool good = digest && sscanf(digest + 11, "%32[0-9a-f]", once->digest) == 1;
    once->events = events ? strtoull(events + 10, NULL, 10) : 0;
    if (text && !good)
        cli_fail(CLI_FAILED, "%s: gave no digest", p->path);
    free(text);
    return good;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *value, unsigned n)
{
    qsort(value, n, sizeof *value, ascending);
    return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

enum { STARTS = 3 };

/* The least that a run takes which is cut at its first cycle. */
static bool start_seconds(const struct program *p, unsigned of, double *seconds)
{
    struct once once;
    *seconds = INFINITY;
    for (unsigned i = 0; i < STARTS; i++) {
        if (cli_stop || !run_once(p, of, 1, &once))
            return false;
        *seconds = fmin(*seconds, once.seconds);
    }
    return true;
}

/* Nanoseconds of the medians per event, without the start. */
static bool measure_events(const struct program program[2], const uint64_t events[2], struct compared *c)
{
    for (unsigned side = 0; side < 2; side++) {
        double start;
        if (!c->until || !events[side])
            continue;
        if (!start_seconds(&program[side], c->of, &start))
            return false;
        c->event_ns[side] = 1e9 * (c->seconds[side] - start) / (double)events[side];
    }
    return true;
}

/* What the case takes of each program, under valgrind. */
static bool measure_counts(const struct program program[2], const char *folder, struct compared *c)
{
    char here[PATH_MAX];
    for (unsigned side = 0; side < 2; side++) {
        struct bench_command run;
        struct counts counts;
        struct mp_error err;
        bench_case_command(&run, program[side].path, c->of, c->until, "counts.db");
        setenv("MEMPATH_CACHE", program[side].cache, 1);
        snprintf(here, sizeof here, "%s/%u.%u", folder, c->of, side);
        if (mkdir(here, 0777) || counts_measure(&run, here, &counts, &err)) {
            if (!cli_stop)
                cli_fail(CLI_FAILED, "%s", err.text);
            return false;
        }
        for (unsigned f = 0; f < COUNTS_FIGURES; f++)
            c->counts[side][f] = (double)counts.value[f] / (double)counts.translations;
    }
    return true;
}

/* The first run of each reads files and records traces, and does not count. */
static bool compare(const struct program program[2], bool events, struct compared *c)
{
    double seconds[2][BENCH_MAX_PAIRS];
    uint64_t executed[2];
    struct once once;
    for (unsigned side = 0; side < 2; side++) {
        if (!run_once(&program[side], c->of, c->until, &once))
            return false;
        memcpy(c->digest[side], once.digest, sizeof once.digest);
        executed[side] = once.events;
    }
    for (unsigned i = 0; i < c->pairs; i++) {
        for (unsigned turn = 0; turn < 2; turn++) {
            unsigned side = (i + turn) % 2;
            if (cli_stop || !run_once(&program[side], c->of, c->until, &once))
                return false;
            seconds[side][i] = once.seconds;
        }
        c->ratio[i] = seconds[1][i] / seconds[0][i];
    }
    for (unsigned side = 0; side < 2; side++)
        c->seconds[side] = median(seconds[side], c->pairs);
    median(c->ratio, c->pairs);
    return !events || measure_events(program, executed, c);
}

static bool same(const struct compared *c)
{
    return !strcmp(c->digest[0], c->digest[1]);
}

static void print(const struct program program[2], struct compared *compared, unsigned n)
{
    const char *const heads[] = {"case",  "cycles", "pairs",   program[1].name, "this build",
                                 "ratio", "lowest", "highest", "digest"};
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    unsigned different = 0;
    for (unsigned i = 0; i < n; i++) {
        struct compared *c = &compared[i];
        out_cell(t, "%s", bench_case_name(c->of));
        if (c->until)
            out_count(t, c->until);
        else
            out_cell(t, "all, small");
        out_cell(t, "%u", c->pairs);
        out_cell(t, "%.2f s", c->seconds[1]);
        out_cell(t, "%.2f s", c->seconds[0]);
        out_cell(t, "%.3f", median(c->ratio, c->pairs));
        out_cell(t, "%.3f", c->ratio[0]);
        out_cell(t, "%.3f", c->ratio[c->pairs - 1]);
        out_cell(t, same(c) ? "same" : "DIFFERENT");
        different += !same(c);
    }
    out_table_print(t, stdout);
    puts("Ratio: processor seconds of the other revision, in user mode, by those of this build in a pair of "
         "runs, the median of\nall pairs; above 1, this build is faster.");
    if (different)
        puts("Where digests differ, the two did not do the same work.");
}

static void cell_of_two(struct out_table *t, double theirs, double ours)
{
    const double value[2] = {theirs, ours};
    for (unsigned i = 0; i < 2; i++)
        if (isnan(value[i]))
            out_cell(t, "-");
        else
            out_cell(t, "%.1f", value[i]);
}

/* The time of an event against the size of the machine: fewer instructions show at all sizes, better locality
 * at the large ones. */
static void print_sizes(const struct program program[2], const struct compared *compared, unsigned n)
{
    char ns[64], instructions[64], misses[64];
    const char *const heads[] = {"case", ns, "this build", instructions, "this build", misses, "this build"};
    snprintf(ns, sizeof ns, "ns/event %s", program[1].name);
    snprintf(instructions, sizeof instructions, "instr. %s", program[1].name);
    snprintf(misses, sizeof misses, "L2 misses %s", program[1].name);
    struct out_table *t = out_table_new(sizeof heads / sizeof *heads, heads);
    for (unsigned i = 0; i < n; i++) {
        const struct compared *c = &compared[i];
        out_cell(t, "%s", bench_case_name(c->of));
        cell_of_two(t, c->event_ns[1], c->event_ns[0]);
        cell_of_two(t, c->counts[1][COUNTS_INSTRUCTIONS], c->counts[0][COUNTS_INSTRUCTIONS]);
        cell_of_two(t, c->counts[1][COUNTS_L2_MISSES], c->counts[0][COUNTS_L2_MISSES]);
    }
    out_table_print(t, stdout);
    printf(
        "ns/event: of the medians, without the start of the program. Instructions and misses are those per "
        "translation, in\nsimulated caches: %s.\n",
        counts_caches);
}

static void print_json(const struct program program[2], struct compared *compared, unsigned n)
{
    static const char *const counts_names[COUNTS_FIGURES] = {"instructions", "l1_misses", "l2_misses"};
    struct out_json j = {.f = stdout};
    char name[32];
    json_object(&j, NULL);
    json_text(&j, "against", program[1].name);
    json_text(&j, "this", program[0].name);
    json_array(&j, "cases");
    for (unsigned i = 0; i < n; i++) {
        struct compared *c = &compared[i];
        json_object(&j, NULL);
        json_text(&j, "case", bench_case_name(c->of));
        json_text(&j, "experiment", bench_case_experiment(c->of));
        json_text(&j, "size", c->until ? "medium" : "small");
        if (c->until)
            json_count(&j, "until", c->until);
        json_count(&j, "pairs", c->pairs);
        json_real(&j, "ratio", median(c->ratio, c->pairs));
        json_real(&j, "lowest", c->ratio[0]);
        json_real(&j, "highest", c->ratio[c->pairs - 1]);
        json_real(&j, "seconds_against", c->seconds[1]);
        json_real(&j, "seconds", c->seconds[0]);
        json_flag(&j, "same_digest", same(c));
        json_text(&j, "digest_against", c->digest[1]);
        json_text(&j, "digest", c->digest[0]);
        json_real(&j, "ns_per_event_against", c->event_ns[1]);
        json_real(&j, "ns_per_event", c->event_ns[0]);
        for (unsigned f = 0; f < COUNTS_FIGURES; f++) {
            snprintf(name, sizeof name, "%s_against", counts_names[f]);
            json_real(&j, name, c->counts[1][f]);
            json_real(&j, counts_names[f], c->counts[0][f]);
        }
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static int store(const struct cli *cli, const struct program program[2], struct compared *compared,
                 unsigned n)
{
    struct mp_db *db;
    struct mp_error err;
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int failed = 0;
    for (unsigned i = 0; !failed && i < n; i++) {
        struct compared *c = &compared[i];
        struct mp_db_host_pair pair = {.experiment = bench_case_experiment(c->of),
                                       .what = bench_case_name(c->of),
                                       .cut_at = c->until,
                                       .pairs = c->pairs,
                                       .ratio = median(c->ratio, c->pairs),
                                       .lowest = c->ratio[0],
                                       .highest = c->ratio[c->pairs - 1],
                                       .same_results = same(c)};
        for (unsigned side = 0; side < 2; side++)
            pair.side[side] = (struct mp_db_host_side){.revision = program[side].name,
                                                       .seconds = c->seconds[side],
                                                       .event_ns = c->event_ns[side],
                                                       .instructions = c->counts[side][COUNTS_INSTRUCTIONS],
                                                       .l1_misses = c->counts[side][COUNTS_L1_MISSES],
                                                       .l2_misses = c->counts[side][COUNTS_L2_MISSES]};
        failed = mp_db_host_pair(db, &pair, &err);
    }
    mp_db_close(db);
    return failed ? cli_fail(CLI_FAILED, "%s", err.text) : CLI_DONE;
}

/* counted: also under valgrind, and with the time of an event. */
static bool compare_case(const struct program program[2], bool counted, const char *folder,
                         struct compared *c)
{
    for (unsigned side = 0; side < 2; side++) {
        c->event_ns[side] = NAN;
        for (unsigned f = 0; f < COUNTS_FIGURES; f++)
            c->counts[side][f] = NAN;
    }
    return compare(program, counted, c) &&
           (!counted || !c->until || c->of >= BENCH_CASES || measure_counts(program, folder, c));
}

static int compare_cases(const struct cli *cli, const struct bench_options *o,
                         const struct program program[2], const char *folder)
{
    unsigned n = 0, all = o->sizes ? BENCH_CASES + BENCH_SIZES : BENCH_CASES;
    struct compared *compared = cli_alloc(all, sizeof *compared);
    bool cut = can_cut(&program[1]);
    int code = CLI_DONE;
    for (unsigned of = 0; !code && of < all; of++) {
        if (of < BENCH_CASES && !o->chosen[of])
            continue;
        compared[n] = (struct compared){.of = of, .until = cut ? bench_case_until(of) : 0, .pairs = o->pairs};
        if (!compare_case(program, o->sizes, folder, &compared[n++]))
            code = CLI_FAILED;
    }
    if (cli_stop)
        code = cli_fail(CLI_FAILED, "bench --against: interrupted");
    if (!code)
        code = store(cli, program, compared, n);
    if (!code && cli->json)
        print_json(program, compared, n);
    if (!code && !cli->json)
        print(program, compared, n);
    if (!code && !cli->json && o->sizes)
        print_sizes(program, compared, n);
    free(compared);
    return code;
}

int bench_against(const struct cli *cli, const struct bench_options *o)
{
    char name[48], folder[PATH_MAX - 32], *self = spawn_beside("mempath");
    struct program program[2] = {{.name = MEMPATH_REVISION}, {.name = name}};
    struct mp_error err;
    cli_catch_signals();
    snprintf(program[0].path, sizeof program[0].path, "%s", self);
    free(self);
    if (strcmp(MEMPATH_BUILD_TYPE, "Release") != 0)
        return cli_fail(CLI_USAGE, "bench --against: this build is of type %s; the other would be Release",
                        MEMPATH_BUILD_TYPE);
    char tool[64], traces[CACHE_FOLDER];
    if (o->sizes && counts_tool(tool, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    int code = against_build(cli, o, program[1].path, name);
    if (code)
        return code;
    if (cache_folder(traces, "revisions", &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned side = 0; side < 2; side++)
        snprintf(program[side].cache, sizeof program[side].cache, "%s/%s.cache", traces,
                 side ? name : "this");
    if (folder_temporary(folder, sizeof folder, "bench", &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned side = 0; side < 2; side++)
        snprintf(program[side].db, sizeof program[side].db, "%s/%u.db", folder, side);
    code = compare_cases(cli, o, program, folder);
    folder_remove(folder);
    return code;
}
