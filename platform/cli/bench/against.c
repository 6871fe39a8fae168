/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath bench --against REVISION`: this program and another revision's run the same work by turns, because
 * a busy machine changes its speed within seconds. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/folder.h"
#include "cli/revision.h"
#include "cli/spawn.h"

struct program {
    char path[PATH_MAX], db[PATH_MAX];
    const char *name; /* revision */
};

struct once {
    double seconds;
    char digest[33];
};

struct compared {
    unsigned of;
    uint64_t until; /* 0: a whole run with small inputs, because the other revision cannot cut a run */
    unsigned pairs;
    double ratio[BENCH_MAX_PAIRS]; /* seconds of the other by seconds of this one, in ascending order */
    double seconds[2];             /* medians */
    char digest[2][33];
};

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
    char set[BENCH_SETS][48], cycle[24], *argv[2 * BENCH_SETS + 12];
    unsigned n = 0, sets = bench_case_sets(of, until ? "medium" : "small", set);
    argv[n++] = (char *)(uintptr_t)p->path;
    argv[n++] = "run";
    argv[n++] = (char *)(uintptr_t)bench_case_experiment(of);
    for (unsigned i = 0; i < sets; i++) {
        argv[n++] = "--set";
        argv[n++] = set[i];
    }
    snprintf(cycle, sizeof cycle, "%" PRIu64, until);
    if (until) {
        argv[n++] = "--until";
        argv[n++] = cycle;
    }
    argv[n++] = "--json";
    argv[n++] = "--quiet";
    argv[n++] = "--db";
    argv[n++] = (char *)(uintptr_t)p->db;
    argv[n] = NULL;
    char *text = ask(argv);
    const char *seconds = text ? strstr(text, "\"seconds\": ") : NULL;
    const char *digest = text ? strstr(text, "\"digest\": \"") : NULL;
    bool good = seconds && digest && sscanf(digest + 11, "%32[0-9a-f]", once->digest) == 1;
    once->seconds = good ? strtod(seconds + 11, NULL) : 0;
    if (text && !(once->seconds > 0))
        good = cli_fail(CLI_FAILED, "%s: gave no time", p->path) == CLI_DONE;
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

/* The first run of each reads files and records traces, and does not count. */
static bool compare(const struct program program[2], struct compared *c)
{
    double seconds[2][BENCH_MAX_PAIRS];
    struct once once;
    for (unsigned side = 0; side < 2; side++) {
        if (!run_once(&program[side], c->of, c->until, &once))
            return false;
        memcpy(c->digest[side], once.digest, sizeof once.digest);
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
    return true;
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
    puts("Ratio: seconds of the other revision by seconds of this build in a pair of runs, "
         "the median of all pairs; above 1,\n"
         "this build is faster.");
    if (different)
        puts("Where digests differ, the two did not do the same work.");
}

static void print_json(const struct program program[2], struct compared *compared, unsigned n)
{
    struct out_json j = {.f = stdout};
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
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

static int compare_cases(const struct cli *cli, const struct bench_options *o,
                         const struct program program[2])
{
    struct compared *compared = cli_alloc(BENCH_CASES, sizeof *compared);
    bool cut = can_cut(&program[1]);
    unsigned n = 0;
    int code = CLI_DONE;
    for (unsigned of = 0; !code && of < BENCH_CASES; of++) {
        if (!o->chosen[of])
            continue;
        compared[n] = (struct compared){.of = of, .until = cut ? bench_case_until(of) : 0, .pairs = o->pairs};
        if (!compare(program, &compared[n++]))
            code = CLI_FAILED;
    }
    if (cli_stop)
        code = cli_fail(CLI_FAILED, "bench --against: interrupted");
    if (!code)
        (cli->json ? print_json : print)(program, compared, n);
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
    int code = against_build(cli, o, program[1].path, name);
    if (code)
        return code;
    if (folder_temporary(folder, sizeof folder, "bench", &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned side = 0; side < 2; side++)
        snprintf(program[side].db, sizeof program[side].db, "%s/%u.db", folder, side);
    code = compare_cases(cli, o, program);
    folder_remove(folder);
    return code;
}
