/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/cosim/cosim.h"
#include "cli/evidence/nightly.h"
#include "cli/out.h"
#include "cli/paper/reproduce.h"
#include "cli/progress.h"
#include "cli/revision.h"
#include "cli/spawn.h"
#include "db/host.h"

static const char doc[] =
    "Runs the checks that take long, for as long as it may, and writes how far each is to a table that is "
    "committed. Checks: RTL compared with its models for 10^9 transactions a block (5 x 10^7 of mesc-scan, "
    "which takes 20 times as long), each test of the label "
    "`long` (mutants, proofs, figures), each fuzzer for two hours, and all figures of each paper.\v"
    "Each check is done in parts. The next part belongs to the check that is furthest from its goal; papers "
    "share the time that is left. The table is written after each part, so after Ctrl-C, kill or a reboot "
    "the "
    "same command goes on; at most the part in flight is lost. What counts is this revision on this "
    "processor. A check that fails is not repeated; its output is in build/evidence/CHECK.log.\n"
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
    bool list;
};

enum { KEY_BUDGET = 0x100, KEY_LIST };

static const struct argp_option options[] = {
    {"budget", KEY_BUDGET, "TIME", 0, "stop after this time: 90s, 30m, 8h (default: 1h)", 0},
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

/* Runs argv and copies what it prints to f; with a progress line, until the time `end`. Returns its exit
 * code, or -1 with errno set. */
static int run_tool(char *const argv[], FILE *f, struct progress *p, unsigned line, uint64_t begin,
                    uint64_t budget)
{
    char text[4096];
    bool asked = false;
    int reader, pid = spawn_tool(argv, NULL, &reader);
    if (pid < 0)
        return -1;
    for (ssize_t n = 1; n != 0;) {
        struct pollfd output = {.fd = reader, .events = POLLIN};
        int ready = poll(&output, 1, 200);
        if (cli_stop && !asked)
            asked = kill(pid, SIGTERM) == 0;
        if (p)
            progress_update(p, line, (uint64_t)progress_now() - begin, budget);
        n = ready > 0 ? read(reader, text, sizeof text) : 1;
        if (ready > 0 && n > 0)
            fwrite(text, 1, (size_t)n, f);
        else if (ready > 0 && n < 0 && errno != EINTR)
            break;
    }
    close(reader);
    return spawn_wait(pid);
}

/* Adds the tests with a label in a folder that CMake configured. */
static int add_tests(struct nightly *n, enum nightly_kind kind, const char *build, const char *label,
                     struct mp_error *err)
{
    char *const argv[] = {"ctest", "--test-dir", (char *)build, "-N", "-L", (char *)label, NULL};
    char *listing = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&listing, &size));
    int code = run_tool(argv, f, NULL, 0, 0, 0);
    fclose(f);
    unsigned before = n->n;
    if (code == 0)
        nightly_add_tests(n, kind, listing);
    free(listing);
    return n->n > before ? 0
                         : mp_fail(err, "%s: no tests of label %s; platform/mempath evidence builds them",
                                   build, label);
}

/* ---- the folders ---- */

struct places {
    char *self, *build, *fuzz, *state, *table;
};

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

/* ---- a part ---- */

enum { ARGUMENTS = 24 };

/* Fills argv with the command of the check's next part; texts are for what is not constant. */
static void command_of(const struct nightly_check *c, const struct places *at, char *argv[ARGUMENTS],
                       char text[4][PATH_MAX])
{
    const uint64_t part = c->part;
    char **a = argv;
    snprintf(text[0], PATH_MAX, "^%s$", c->subject);
    snprintf(text[1], PATH_MAX, "%llu", (unsigned long long)part);
    snprintf(text[2], PATH_MAX, "%llu", 1 + (unsigned long long)c->done / part); /* seeds differ */
    snprintf(text[3], PATH_MAX, "%s/evidence.db", at->state);
    switch (c->kind) {
    case NIGHTLY_LOCKSTEP:
        *a++ = at->self, *a++ = "cosim", *a++ = (char *)c->subject;
        *a++ = "--transactions", *a++ = text[1], *a++ = "--seed", *a++ = text[2];
        *a++ = "--db", *a++ = text[3], *a++ = "--quiet";
        break;
    case NIGHTLY_PAPER:
        *a++ = at->self, *a++ = "reproduce", *a++ = (char *)c->subject, *a++ = "--check";
        *a++ = "--output", *a++ = at->state, *a++ = "--db", *a++ = text[3], *a++ = "--quiet";
        break;
    default:
        *a++ = "ctest", *a++ = "--test-dir", *a++ = c->kind == NIGHTLY_FUZZ ? at->fuzz : at->build;
        *a++ = "-R", *a++ = text[0], *a++ = "--output-on-failure";
        break;
    }
    *a = NULL;
}

/* Does a part of the check, in at most `seconds`. Prints a line if it fails. */
static int do_part(struct nightly_check *c, const struct places *at, double seconds, struct progress *p,
                   uint64_t begin, uint64_t budget)
{
    char text[4][PATH_MAX], limit[32], log[PATH_MAX];
    char *argv[ARGUMENTS + 3] = {"timeout", "--signal=INT", limit};
    snprintf(limit, sizeof limit, "%.0f", seconds < 1 ? 1 : seconds);
    snprintf(log, sizeof log, "%s/%s.log", at->state, c->name);
    command_of(c, at, argv + 3, text);
    FILE *f = fopen(log, "we");
    if (!f)
        return cli_fail(CLI_FAILED, "%s: %s; a writable folder is needed", log, strerror(errno));
    double start = progress_now();
    unsigned line = progress_start(p, c->name, 0);
    int code = run_tool(argv, f, p, line, begin, budget);
    progress_finish(p, line);
    fclose(f);
    if (cli_stop)
        return CLI_FAILED;
    c->seconds += progress_now() - start;
    c->rests = code == 124; /* the time was over */
    if (code == 0)
        c->done += c->part;
    else if (!c->rests)
        c->failed = true;
    if (c->failed)
        fprintf(stderr, "mempath: %s failed with exit code %d; its output is in %s\n", c->name, code, log);
    return CLI_DONE;
}

/* Does parts until the budget is used up. */
static int work(struct cli *cli, struct nightly *n, const struct places *at, uint64_t budget)
{
    struct progress p;
    struct mp_error err;
    struct nightly_check *c;
    int code = CLI_DONE;
    const double begin = progress_now();
    progress_begin(&p, cli, "s", 1, (double)budget);
    while (!code && !cli_stop && (c = nightly_next(n))) {
        double left = (double)budget - (progress_now() - begin);
        if (left < 1)
            break;
        code = do_part(c, at, nightly_share(n, c, left), &p, (uint64_t)begin, budget);
        if (!code && nightly_save(n, c, &err))
            code = cli_fail(CLI_FAILED, "%s", err.text);
    }
    progress_end(&p);
    return cli_stop ? CLI_FAILED : code;
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
    for (unsigned i = 0; cosim_block_name(i); i++)
        nightly_add(n, NIGHTLY_LOCKSTEP, cosim_block_name(i), cosim_block_slower(i));
    if (add_tests(n, NIGHTLY_TEST, at->build, "long", err) ||
        (has_fuzzers(at) && add_tests(n, NIGHTLY_FUZZ, at->fuzz, "fuzz", err)))
        return -1;
    for (unsigned i = 0; reproduce_paper_name(i); i++)
        nightly_add(n, NIGHTLY_PAPER, reproduce_paper_name(i), 1);
    return 0;
}

int cmd_evidence(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath evidence",
                                           .args = "[CHECK...]",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.budget = 3600};
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
        code = v.list ? CLI_DONE : work(cli, &n, &at, v.budget);
        for (unsigned i = 0; i < n.n; i++)
            code = n.check[i].failed ? CLI_FAILED : code;
        print(cli, &n);
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
