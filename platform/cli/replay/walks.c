/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/replay/replay.h"
#include "cli/words.h"

#define MOST_WALKERS 4096u
#define MOST_QUEUE   1048576u
#define MOST_LATENCY 1000000000u

#define FORM "CYCLE TENANT ID"
#define FORMATS                                                                                              \
    "  stimulus         response, in order of ID when all stimuli are read\n"                                \
    "  CYCLE TENANT ID  ID TENANT ARRIVE START FINISH WALKER STOLEN      a page walk\n"                      \
    "\n"                                                                                                     \
    "ARRIVE, START and FINISH are cycles; from ARRIVE to START a walk waits, in a queue or for room in "     \
    "one. "                                                                                                  \
    "STOLEN is 1 when the walker belongs to another tenant. Cycles do not go back, walks of one cycle "      \
    "arrive in the order given, and each ID appears once. In a cycle come completions in walker order, "     \
    "then "                                                                                                  \
    "walks that wait for room in a queue, then arrivals. Numbers are decimal or 0x-hex, responses are "      \
    "decimal. Blank lines and what follows a # are passed over. A line that is none of these is refused "    \
    "with its number, and nothing is printed.\n"

/* ---- stimuli ---- */

enum { CYCLE, TENANT, ID, OPERANDS };

int replay_walks_parse(const char *line, size_t length, struct replay_walk *walk, struct mp_error *err)
{
    static const struct cli_operand operands[] = {[CYCLE] = {"CYCLE", REPLAY_MAX_CYCLE},
                                                  [TENANT] = {"TENANT", MP_TENANTS - 1},
                                                  [ID] = {"ID", UINT64_MAX},
                                                  {0}};
    struct cli_words words = cli_words(line, length);
    uint64_t value[OPERANDS];
    *walk = (struct replay_walk){0};
    if (!cli_word(&words))
        return 0;
    if (cli_words_operands(&words, FORM, FORM, operands, value, err))
        return -1;
    *walk = (struct replay_walk){.arrive = value[CYCLE], .tenant = (uint8_t)value[TENANT], .id = value[ID]};
    return 1;
}

struct walks {
    struct replay_walk *walk;
    size_t count, room;
};

static int add(struct walks *all, const struct replay_input *in, uint32_t tenants,
               const struct replay_walk *walk, struct mp_error *err)
{
    const struct replay_walk *last = all->count ? &all->walk[all->count - 1] : NULL;
    if (walk->tenant >= tenants)
        return mp_fail(err, "%s:%" PRIu64 ": there is no tenant %u; 0 to %u", in->name, in->line,
                       walk->tenant, tenants - 1);
    if (last && walk->arrive < last->arrive)
        return mp_fail(err, "%s:%" PRIu64 ": cycle %" PRIu64 " is before the last; %" PRIu64 " or later",
                       in->name, in->line, walk->arrive, last->arrive);
    if (all->count == all->room) {
        size_t room = all->room ? 2 * all->room : 1024;
        all->walk = cli_have(realloc(all->walk, room * sizeof *all->walk));
        all->room = room;
    }
    all->walk[all->count] = *walk;
    all->walk[all->count++].line = in->line;
    return 0;
}

static int read_walks(const char *file, uint32_t tenants, struct walks *all, struct mp_error *err)
{
    struct replay_input in;
    struct replay_walk walk;
    const char *line;
    size_t length;
    int more, failed = 0;
    if (replay_open(&in, file, err))
        return -1;
    while (!failed && (more = replay_line(&in, stdout, &line, &length, err)) > 0) {
        struct mp_error why;
        int found = replay_walks_parse(line, length, &walk, &why);
        if (found < 0)
            failed = mp_fail(err, "%s:%" PRIu64 ": %s", in.name, in.line, why.text);
        else if (found)
            failed = add(all, &in, tenants, &walk, err);
    }
    replay_close(&in);
    return failed || more < 0 ? -1 : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct replay_walk *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->line < y->line ? -1 : 1;
}

/* Reads all walks before anything is printed, so that a refused file prints nothing. */
static int sort(const char *file, struct walks *all, struct mp_error *err)
{
    if (all->count)
        qsort(all->walk, all->count, sizeof *all->walk, by_id);
    for (size_t i = 1; i < all->count; i++)
        if (all->walk[i].id == all->walk[i - 1].id)
            return mp_fail(err, "%s:%" PRIu64 ": ID %" PRIu64 " is also in line %" PRIu64 "; each once",
                           strcmp(file, "-") ? file : "stdin", all->walk[i].line, all->walk[i].id,
                           all->walk[i - 1].line);
    return 0;
}

/* ---- responses ---- */

static void print(const struct walks *all)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct replay_walk *w = &all->walk[i];
        printf("%" PRIu64 " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %d\n", w->id, w->tenant, w->arrive,
               w->start, w->finish, w->walker, w->stolen);
    }
}

/* ---- the command ---- */

struct values {
    const char *file;
    struct replay_walk_system system;
    int queue_threshold; /* percent; -1: as the policy's parameters have it */
    struct replay_own own;
};

static void print_json(const struct values *v, const struct walks *all)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_text(&j, "policy", v->system.scheduler->design.name);
    json_count(&j, "walkers", v->system.geometry.walkers);
    json_count(&j, "queue", v->system.geometry.queue);
    json_count(&j, "tenants", v->system.geometry.tenants);
    json_count(&j, "latency", v->system.latency);
    json_array(&j, "responses");
    for (size_t i = 0; i < all->count; i++) {
        const struct replay_walk *w = &all->walk[i];
        json_object(&j, NULL);
        json_count(&j, "id", w->id);
        json_count(&j, "tenant", w->tenant);
        json_count(&j, "arrive", w->arrive);
        json_count(&j, "start", w->start);
        json_count(&j, "finish", w->finish);
        json_count(&j, "walker", w->walker);
        json_flag(&j, "stolen", w->stolen);
        json_end_object(&j);
    }
    json_end_array(&j);
    json_end_object(&j);
}

enum {
    KEY_POLICY = 'p',
    KEY_WALKERS = 0x100,
    KEY_QUEUE,
    KEY_TENANTS,
    KEY_LATENCY,
    KEY_OWNERS,
    KEY_COMPAT,
    KEY_THRESHOLDS,
    KEY_QUEUE_THRESHOLD,
    KEY_EPOCH,
    KEY_SET
};

static const struct argp_option options[] = {
    {"policy", KEY_POLICY, "P", 0, "one of the policies below", 0},
    {"walkers", KEY_WALKERS, "N", 0, "page table walkers (default: 16)", 0},
    {"queue", KEY_QUEUE, "N", 0,
     "walks that may wait; divided among the walkers, except for fcfs (default: 192)", 0},
    {"tenants", KEY_TENANTS, "N", 0, "1 to 8, numbered from 0 (default: 2)", 0},
    {"latency", KEY_LATENCY, "CYCLES", 0, "latency of every walk (default: 400)", 0},
    {"owners", KEY_OWNERS, "HOW", 0,
     "a tenant's walkers: interleaved or blocked (default: interleaved); not for fcfs", 0},
    {"compat", KEY_COMPAT, "HOW", 0,
     "paper, or hpca21: as in the simulator that DWS's authors published (default: paper)", 0},
    {"thresholds", KEY_THRESHOLDS, "NAME", 0, "dws++: default, conservative or aggressive (default: default)",
     0},
    {"queue-threshold", KEY_QUEUE_THRESHOLD, "X", 0,
     "dws++: QUEUE_THRES, 0 to 1 in steps of 0.01 (default: that of the thresholds, 0.51)", 0},
    {"epoch", KEY_EPOCH, "WALKS", 0, "dws++: arrivals per epoch (default: 200)", 0},
    {"set", KEY_SET, "NAME=VALUE", 0, "a parameter of the policy, listed below; may be given for each", 0},
    {0},
};

static int set_policy(struct values *v, const char *name, struct mp_error *err)
{
    const char *names[16] = {0};
    for (unsigned i = 0; mp_walk_schedulers[i] && i < 15; i++)
        names[i] = mp_walk_schedulers[i]->design.name;
    v->system.scheduler = mp_walk_scheduler_find(name);
    if (v->system.scheduler)
        return 0;
    return cli_unknown(err, name, names, "mempath replay walks --help lists them", "--policy: no policy '%s'",
                       name);
}

/* 0, 1, 0.5, 0.51, ... */
static int set_queue_threshold(struct values *v, const char *arg, struct mp_error *err)
{
    size_t n = strlen(arg), digits = n > 2 ? strspn(arg + 2, "0123456789") : 0;
    bool whole = n == 1, fraction = n > 2 && n <= 4 && arg[1] == '.' && digits == n - 2;
    int percent = (arg[0] - '0') * 100;
    if (fraction)
        percent += (arg[2] - '0') * 10 + (n == 4 ? arg[3] - '0' : 0);
    if ((!whole && !fraction) || percent < 0 || percent > 100 || arg[0] < '0' || arg[0] > '1')
        return mp_fail(
            err, "--queue-threshold: '%s' is not a threshold; 0 to 1 in steps of 0.01, such as 0.51", arg);
    v->queue_threshold = percent;
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    struct mp_walk_geometry *g = &v->system.geometry;
    switch (key) {
    case KEY_POLICY:
        return set_policy(v, arg, err);
    case KEY_WALKERS:
        return replay_option("--walkers", arg, 1, MOST_WALKERS, &g->walkers, err);
    case KEY_QUEUE:
        return replay_option("--queue", arg, 0, MOST_QUEUE, &g->queue, err);
    case KEY_TENANTS:
        return replay_option("--tenants", arg, 1, MP_TENANTS, &g->tenants, err);
    case KEY_LATENCY:
        return cli_number("--latency", arg, 1, MOST_LATENCY, &v->system.latency, err);
    case KEY_OWNERS:
        return replay_own_add(&v->own, "owners", strlen("owners"), arg, err);
    case KEY_COMPAT:
        return replay_own_add(&v->own, "compat", strlen("compat"), arg, err);
    case KEY_THRESHOLDS:
        return replay_own_add(&v->own, "thresholds", strlen("thresholds"), arg, err);
    case KEY_QUEUE_THRESHOLD:
        return set_queue_threshold(v, arg, err);
    case KEY_SET:
        return replay_own_set(&v->own, arg, err);
    case KEY_EPOCH:
        return replay_own_add(&v->own, "epoch", strlen("epoch"), arg, err);
    default:
        if (v->file)
            return mp_fail(err, "replay walks: '%s' is unexpected; one FILE, or - for stdin", arg);
        v->file = arg;
        return 0;
    }
}

static int check(struct values *v, struct mp_error *err)
{
    struct mp_error why;
    const struct mp_walk_scheduler *s = v->system.scheduler;
    if (!s)
        return mp_fail(err, "replay walks: no policy; --policy P, mempath replay walks --help lists them");
    if (!v->file)
        return mp_fail(err, "replay walks: no stimuli; a FILE, or - for stdin");
    struct mp_design_values own;
    if (replay_own_values(&v->own, options, &s->design, &own, err))
        return -1;
    v->system.rules = mp_walk_rules_of(s, &own);
    if (v->queue_threshold >= 0)
        v->system.rules.thresholds.queue = (uint8_t)v->queue_threshold;
    return mp_walk_check(s, &v->system.geometry, &v->system.rules, &why)
               ? replay_fail_design(options, &why, err)
               : 0;
}

static char *help(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fputs("Drives a page-walk scheduler alone; all walks have the same latency. Prints one response line per "
          "stimulus line of FILE (- is stdin).\v" FORMATS "\nPolicies:\n",
          f);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++)
        replay_print_design(f, &mp_walk_schedulers[i]->design);
    fputs("\nExamples:\n"
          "  printf '0 0 1\\n0 0 2\\n5 1 3\\n' | mempath replay walks --policy dws --walkers 2 --queue 8 "
          "--latency 100 -\n"
          "    1 0 0 0 100 0 0\n"
          "    2 0 0 0 100 1 1\n"
          "    3 1 5 100 200 1 0\n"
          "  mempath replay walks --policy dws++ --compat hpca21 --queue-threshold 0.17 events.txt\n"
          "  mempath replay walks --policy static --tenants 4 --owners blocked --json events.txt",
          f);
    fclose(f);
    return text;
}

static int replay(const struct cli *cli, const struct values *v, struct walks *all)
{
    struct mp_error err;
    if (read_walks(v->file, v->system.geometry.tenants, all, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (replay_walks_run(&v->system, all->walk, all->count))
        cli_have(NULL);
    if (sort(v->file, all, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (cli->json)
        print_json(v, all);
    else
        print(all);
    return ferror(stdout) ? cli_fail(CLI_FAILED, "stdout: not everything could be written") : CLI_DONE;
}

static int run(struct cli *cli, int argc, char **argv)
{
    char *doc = help();
    const struct cli_usage usage = {
        .command = "mempath replay walks", .args = "FILE", .doc = doc, .options = options, .option = option};
    struct values v = {.queue_threshold = -1,
                       .system = {.geometry = {.walkers = 16, .queue = 192, .tenants = 2}, .latency = 400}};
    struct walks all = {0};
    struct mp_error err;
    int code;
    bool go = cli_parse(cli, &usage, argc, argv, &v, &code);
    free(doc);
    if (!go)
        return code;
    if (check(&v, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    code = replay(cli, &v, &all);
    free(all.walk);
    return code;
}

const struct replay_block replay_walks = {
    .name = "walks", .summary = "a page-walk scheduler", .formats = FORMATS, .run = run};
