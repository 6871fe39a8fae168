/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cosim/cosim.h"
#include "cli/evidence/nightly.h"
#include "cli/evidence/parts.h"
#include "cli/hash.h"
#include "cli/out.h"
#include "cli/paper/reproduce.h"
#include "cli/progress.h"
#include "cli/revision.h"
#include "cli/run/runs.h"
#include "cli/spawn.h"
#include "db/host.h"

static const char doc[] =
    "Runs the checks that take long, for as long as it may, and writes how far each is to a table that is "
    "committed. Checks: RTL compared with its models for 10^9 transactions a block (5 x 10^7 of mesc-scan, "
    "which takes 20 times as long), each test of the label "
    "`long` (mutants, proofs, figures), each fuzzer for two hours, and all figures of each paper.\v"
    "Each check is done in parts. The next part belongs to the check that is furthest from its goal; papers "
    "share the time that is left. Locksteps and fuzzers run at the same time, one per processor; tests and "
    "papers use all processors. The table is written after each part, so after Ctrl-C, kill or a reboot the "
    "same command goes on; at most the parts in flight are lost. What the same program has done before "
    "counts: the library of the RTL, the fuzzer, and for tests and papers this revision. A check that fails "
    "is not repeated; its output is in build/evidence/CHECK.log.\n"
    "\n"
    "Examples:\n"
    "  mempath evidence --list                    the checks, and how far each is\n"
    "  mempath evidence --budget 8h               a night's work\n"
    "  mempath evidence fuzz --budget 30m         the fuzzers only\n"
    "  mempath evidence lockstep-star test-golden two checks\n"
    "\n"
    "The exit code is 1 if one of the checks has failed.";

struct values {
    const char *path; /* NULL: the committed one */
    const char **name;
    unsigned nnames;
    uint64_t budget; /* seconds */
    uint64_t jobs;
    bool list;
};

enum { KEY_BUDGET = 0x100, KEY_LIST };

static const struct argp_option options[] = {
    {"budget", KEY_BUDGET, "TIME", 0, "stop after this time: 90s, 30m, 8h (default: 1h)", 0},
    {"jobs", 'j', "N", 0, "checks at the same time (default: one per processor)", 0},
    {"list", KEY_LIST, NULL, 0, "run nothing", 0},
    {"output", 'o', "FILE", 0, "another table in place of db/evidence/nightly.csv", 0},
    {0},
};

static int parse_budget(const char *text, uint64_t *seconds, struct mp_error *err)
{
    static const struct {
        char letter;
        unsigned seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    char *end;
    unsigned long long n = strtoull(text, &end, 10);
    for (unsigned i = 0; i < sizeof units / sizeof *units; i++) {
        if (*text >= '1' && *text <= '9' && *end == units[i].letter && !end[1] && n <= 1000000) {
            *seconds = n * units[i].seconds;
            return 0;
        }
    }
    return mp_fail(err, "--budget: '%.40s' is not a time; a number with s, m or h, as in 30m", text);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_BUDGET:
        return parse_budget(arg, &v->budget, err);
    case 'j':
        return cli_number("--jobs", arg, 1, PROGRESS_LINES, &v->jobs, err);
    case KEY_LIST:
        v->list = true;
        return 0;
    case 'o':
        v->path = arg;
        return 0;
    default:
        v->name = cli_have(realloc(v->name, (v->nnames + 1) * sizeof *v->name));
        v->name[v->nnames++] = arg;
        return 0;
    }
}

/* ---- other programs ---- */

/* Runs argv and copies what it prints to f. Returns its exit code, or -1 with errno set. */
static int run_tool(char *const argv[], FILE *f)
{
    char text[4096];
    int reader, pid = spawn_tool(argv, NULL, &reader);
    if (pid < 0)
        return -1;
    for (ssize_t n; (n = read(reader, text, sizeof text)) > 0 || (n < 0 && errno == EINTR && !cli_stop);)
        if (n > 0)
            fwrite(text, 1, (size_t)n, f);
    close(reader);
    return spawn_wait(pid);
}

/* The first digits of the file's hash. A file that is not there is no program, and its parts fail. */
static void identify(const char *path, char program[NIGHTLY_PROGRAM])
{
    struct mp_db_file file;
    struct mp_error err;
    bool is_there = !hash_file(path, "a program", &file, &err);
    snprintf(program, NIGHTLY_PROGRAM, "%012" PRIx64, is_there ? file.hash[1] >> 16 : UINT64_C(0));
}

/* Adds the tests with a label in a folder that CMake configured. */
static int add_tests(struct nightly *n, enum nightly_kind kind, const char *build, const char *label,
                     nightly_identify *identify_program, struct mp_error *err)
{
    char *const argv[] = {"ctest", "--test-dir", (char *)build, "-N", "-V", "-L", (char *)label, NULL};
    char *listing = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&listing, &size));
    int code = run_tool(argv, f);
    fclose(f);
    unsigned before = n->n;
    if (code == 0)
        nightly_add_tests(n, kind, listing, identify_program);
    free(listing);
    return n->n > before ? 0
                         : mp_fail(err, "%s: no tests of label %s; platform/mempath evidence builds them",
                                   build, label);
}

/* ---- the folders ---- */

static char *joined(const char *folder, const char *name)
{
    char *path;
    return cli_have(asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path);
}

static struct places places_new(void)
{
    struct places at = {.self = spawn_beside("mempath")};
    char *up = spawn_beside("../..");
    at.build = cli_have(realpath(up, NULL));
    at.fuzz = spawn_beside("source/build-fuzz");
    at.table = spawn_beside("source/db/evidence/nightly.csv");
    at.state = joined(at.build, "evidence");
    free(up);
    mkdir(at.state, 0777);
    return at;
}

static void places_free(struct places *at)
{
    free(at->self);
    free(at->build);
    free(at->fuzz);
    free(at->state);
    free(at->table);
}

/* ---- results ---- */

static void print(const struct cli *cli, const struct nightly *n)
{
    static const char *const heads[] = {"check", "done", "goal", "unit", "seconds", "verdict"};
    struct out_table *t = cli->json ? NULL : out_table_new(6, heads);
    struct out_json j = {.f = stdout};
    if (cli->json)
        json_array(&j, NULL);
    for (unsigned i = 0; i < n->n; i++) {
        const struct nightly_check *c = &n->check[i];
        const struct nightly_rule *rule = &nightly_rules[c->kind];
        const char *verdict = c->done || c->failed ? nightly_verdict(c) : "not begun";
        if (t) {
            out_cell(t, "%s", c->name);
            out_count(t, c->done);
            out_count(t, c->goal);
            out_cell(t, "%s", rule->unit);
            out_cell(t, "%.1f", c->seconds);
            out_cell(t, "%s", verdict);
            continue;
        }
        json_object(&j, NULL);
        json_text(&j, "check", c->name);
        json_text(&j, "about", rule->title);
        json_count(&j, "done", c->done);
        json_count(&j, "goal", c->goal);
        json_text(&j, "unit", rule->unit);
        json_real(&j, "seconds", c->seconds);
        json_text(&j, "verdict", verdict);
        json_end_object(&j);
    }
    if (cli->json)
        json_end_array(&j);
    else
        out_table_print(t, stdout);
}

/* Keeps the checks that were asked for. */
static int choose(struct nightly *n, const struct values *v, struct mp_error *err)
{
    unsigned kept = 0;
    const char **names = cli_alloc(n->n + 1, sizeof *names);
    int failed = 0;
    for (unsigned i = 0; i < n->n; i++)
        names[i] = n->check[i].name;
    for (unsigned a = 0; a < v->nnames && !failed; a++) {
        unsigned i = 0;
        while (i < n->n && !nightly_matches(&n->check[i], v->name[a]))
            i++;
        if (i == n->n)
            failed = cli_unknown(err, v->name[a], names, "mempath evidence --list shows the checks",
                                 "evidence: no check '%.60s'", v->name[a]);
    }
    free(names);
    for (unsigned i = 0; i < n->n && !failed && v->nnames; i++) {
        unsigned a = 0;
        while (a < v->nnames && !nightly_matches(&n->check[i], v->name[a]))
            a++;
        if (a < v->nnames)
            n->check[kept++] = n->check[i];
    }
    n->n = v->nnames && !failed ? kept : n->n;
    return failed;
}

static bool has_fuzzers(const struct places *at)
{
    char *tests = joined(at->fuzz, "CTestTestfile.cmake");
    bool has = !access(tests, F_OK);
    free(tests);
    return has;
}

static int list_checks(struct nightly *n, const struct places *at, struct mp_error *err)
{
    char library[NIGHTLY_PROGRAM];
    char *path = spawn_beside(COSIM_LIBRARY);
    identify(path, library);
    free(path);
    for (unsigned i = 0; cosim_block_name(i); i++)
        nightly_add(n, NIGHTLY_LOCKSTEP, cosim_block_name(i), library, cosim_block_slower(i));
    if (add_tests(n, NIGHTLY_TEST, at->build, "long", NULL, err) ||
        (has_fuzzers(at) && add_tests(n, NIGHTLY_FUZZ, at->fuzz, "fuzz", identify, err)))
        return -1;
    for (unsigned i = 0; reproduce_paper_name(i); i++)
        nightly_add(n, NIGHTLY_PAPER, reproduce_paper_name(i), NULL, 1);
    return 0;
}

int cmd_evidence(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath evidence",
                                           .args = "[CHECK...]",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.budget = 3600, .jobs = runs_default_parallel()};
    struct mp_db_host host;
    struct nightly n = {.revision = MEMPATH_REVISION, .machine = host.cpu};
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    char *sources = spawn_beside("source");
    bool is_checkout = !access(sources, F_OK);
    free(sources);
    if (!is_checkout)
        return cli_fail(
            CLI_USAGE,
            "evidence: this program has no sources to check; in the sources, platform/mempath evidence");
    mp_db_host(&host);
    cli_catch_signals();
    struct places at = places_new();
    if (list_checks(&n, &at, &err) || choose(&n, &v, &err) ||
        nightly_load(&n, v.path ? v.path : at.table, &err)) {
        code = cli_fail(CLI_USAGE, "%s", err.text);
    } else {
        code = v.list ? CLI_DONE : parts_run(cli, &n, &at, v.budget, (unsigned)v.jobs);
        for (unsigned i = 0; i < n.n; i++)
            code = n.check[i].failed ? CLI_FAILED : code;
        print(cli, &n);
        char *library = spawn_beside(COSIM_LIBRARY);
        if (v.list && access(library, F_OK))
            fputs("mempath: the RTL is not built, so locksteps count as not begun; "
                  "platform/mempath evidence builds it\n",
                  stderr);
        free(library);
        if (!has_fuzzers(&at))
            fprintf(stderr,
                    "mempath: no fuzzers, because %s is not built; platform/mempath evidence builds it\n",
                    at.fuzz);
    }
    nightly_free(&n);
    places_free(&at);
    free(v.name);
    return code;
}
