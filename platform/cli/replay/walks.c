/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/block.h"
#include "cli/words.h"

#define MOST_WALKERS 4096u
#define MOST_QUEUE   1048576u
#define MOST_LATENCY 1000000000u
#define MOST_LINE    512u /* entries of a table */

#define FORM "CYCLE TENANT ID"
#define LONG FORM " SM WARP INSTRUCTION READS"
#define FULL LONG " PAGE"
#define FORMATS                                                                                              \
    "  stimulus         response, in order of ID when all stimuli are read\n"                                \
    "  CYCLE TENANT ID  ID TENANT ARRIVE START FINISH WALKER STOLEN      a page walk\n"                      \
    "  " LONG "                  the same\n"                                                                 \
    "  " FULL "             the same, and with --line BY\n"                                                  \
    "\n"                                                                                                     \
    "SM, WARP and INSTRUCTION name the memory instruction whose walk it is, and READS is the number of "     \
    "page table reads that the walk has before it (default: 0, 0, 0 and 1); a policy may look at them, and " \
    "a walk's latency does not depend on them. "                                                             \
    "ARRIVE, START and FINISH are cycles; from ARRIVE to START a walk waits, in a queue or for room in "     \
    "one. "                                                                                                  \
    "STOLEN is 1 when the walker belongs to another tenant. "                                                \
    "With --line a walk that ends answers the walks of its tenant that wait for a PAGE of its line, and a "  \
    "walk to a line in flight does not start (walk.method neighborhood, at the leaves): BY is the ID of "    \
    "the walk that answered, WALKER its walker, and START is FINISH for the walks that another answered. "   \
    "Cycles do not go back, walks of one cycle "                                                             \
    "arrive in the order given, and each ID appears once. In a cycle come completions in walker order, "     \
    "then walks that wait for room in a queue, then arrivals. Numbers are decimal or 0x-hex, responses "     \
    "are decimal. Blank lines and what follows a # are passed over. A line that is none of these is "        \
    "refused with its number, and nothing is printed.\n"

/* ---- stimuli ---- */

enum { CYCLE, TENANT, ID, SM, WARP, INSTRUCTION, READS, PAGE, OPERANDS };

/* The shortest form with as many words as the line. */
static const char *form_of(struct cli_words words)
{
    size_t length;
    unsigned n = 0;
    for (; (length = cli_word(&words)); n++)
        words.at += length;
    return n <= SM ? FORM : n <= PAGE ? LONG : FULL;
}

int replay_walks_parse(const char *line, size_t length, struct replay_walk *walk, struct mp_error *err)
{
    static const struct cli_operand operands[] = {[CYCLE] = {"CYCLE", REPLAY_MAX_CYCLE},
                                                  [TENANT] = {"TENANT", MP_TENANTS - 1},
                                                  [ID] = {"ID", UINT64_MAX},
                                                  [SM] = {"SM", UINT16_MAX},
                                                  [WARP] = {"WARP", UINT8_MAX},
                                                  [INSTRUCTION] = {"INSTRUCTION", 15},
                                                  [READS] = {"READS", UINT8_MAX},
                                                  [PAGE] = {"PAGE", REPLAY_MAX_PAGE},
                                                  {0}};
    struct cli_words words = cli_words(line, length);
    uint64_t value[OPERANDS] = {[READS] = 1, [PAGE] = REPLAY_NO_PAGE};
    *walk = (struct replay_walk){0};
    if (!cli_word(&words))
        return 0;
    const char *form = form_of(words);
    if (cli_words_operands(&words, form, form, operands, value, err))
        return -1;
    if (!value[READS])
        return mp_fail(err, "READS '0' is too small; %s, READS from 1 to 0xff", form);
    *walk = (struct replay_walk){.arrive = value[CYCLE],
                                 .tenant = (uint8_t)value[TENANT],
                                 .id = value[ID],
                                 .sm = (uint16_t)value[SM],
                                 .warp = (uint8_t)value[WARP],
                                 .instruction = (uint8_t)value[INSTRUCTION],
                                 .reads = (uint8_t)value[READS],
                                 .page = value[PAGE]};
    return 1;
}

/* ---- the command ---- */

struct values {
    struct replay_values of;
    struct replay_walk_system system;
    int queue_threshold; /* percent; -1: as the policy's parameters have it */
    struct replay_walk *walk;
    size_t count, room;
};

enum {
    KEY_WALKERS = 0x100,
    KEY_QUEUE,
    KEY_TENANTS,
    KEY_LATENCY,
    KEY_LINE,
    KEY_OWNERS,
    KEY_COMPAT,
    KEY_THRESHOLDS,
    KEY_QUEUE_THRESHOLD,
    KEY_EPOCH
};

static const struct argp_option options[] = {
    {"policy", REPLAY_KEY_POLICY, "P", 0, "one of the policies below", 0},
    {"walkers", KEY_WALKERS, "N", 0, "page table walkers (default: 16)", 0},
    {"queue", KEY_QUEUE, "N", 0,
     "walks that may wait; divided among the walkers if these belong to tenants (default: 192)", 0},
    {"tenants", KEY_TENANTS, "N", 0, "1 to 8, numbered from 0 (default: 2)", 0},
    {"latency", KEY_LATENCY, "CYCLES", 0, "latency of every walk (default: 400)", 0},
    {"line", KEY_LINE, "PAGES", 0,
     "number of pages whose entries are in one line, and whose walks answer each other; 0: none do "
     "(default: 0)",
     0},
    {"owners", KEY_OWNERS, "HOW", 0,
     "a tenant's walkers, if they belong to tenants: interleaved or blocked (default: interleaved)", 0},
    {"compat", KEY_COMPAT, "HOW", 0,
     "paper, or hpca21: as in the simulator that DWS's authors published (default: paper)", 0},
    {"thresholds", KEY_THRESHOLDS, "NAME", 0,
     "as the policy's parameter: default, conservative or aggressive (default: default)", 0},
    {"queue-threshold", KEY_QUEUE_THRESHOLD, "X", 0,
     "QUEUE_THRES of these, 0 to 1 in steps of 0.01 (default: that of the thresholds, 0.51)", 0},
    {"epoch", KEY_EPOCH, "WALKS", 0, "as the policy's parameter: arrivals per epoch (default: 200)", 0},
    {"set", REPLAY_KEY_SET, "NAME=VALUE", 0, "a parameter of the policy, listed below; may be given for each",
     0},
    {0},
};

static const char *policy(unsigned i, void *values)
{
    struct values *v = values;
    const struct mp_walk_scheduler *s = mp_walk_schedulers[i];
    if (v)
        v->system.scheduler = s;
    return s ? s->design.name : NULL;
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
    case KEY_WALKERS:
        return replay_option("--walkers", arg, 1, MOST_WALKERS, &g->walkers, err);
    case KEY_QUEUE:
        return replay_option("--queue", arg, 0, MOST_QUEUE, &g->queue, err);
    case KEY_TENANTS:
        return replay_option("--tenants", arg, 1, MP_TENANTS, &g->tenants, err);
    case KEY_LATENCY:
        return cli_number("--latency", arg, 1, MOST_LATENCY, &v->system.latency, err);
    case KEY_LINE:
        return replay_option("--line", arg, 0, MOST_LINE, &v->system.line, err);
    case KEY_OWNERS:
        return replay_own_add(&v->of.own, "owners", strlen("owners"), arg, err);
    case KEY_COMPAT:
        return replay_own_add(&v->of.own, "compat", strlen("compat"), arg, err);
    case KEY_THRESHOLDS:
        return replay_own_add(&v->of.own, "thresholds", strlen("thresholds"), arg, err);
    case KEY_QUEUE_THRESHOLD:
        return set_queue_threshold(v, arg, err);
    default:
        return replay_own_add(&v->of.own, "epoch", strlen("epoch"), arg, err);
    }
}

static int start(void *values, struct mp_error *err)
{
    struct values *v = values;
    const struct mp_walk_scheduler *s = v->system.scheduler;
    struct mp_design_values own;
    struct mp_error why;
    if (replay_own_values(&v->of.own, options, &s->design, &own, err))
        return -1;
    v->system.rules = mp_walk_rules_of(s, &own);
    if (v->queue_threshold >= 0)
        v->system.rules.thresholds.queue = (uint8_t)v->queue_threshold;
    return mp_walk_check(s, &v->system.geometry, &v->system.rules, &why)
               ? replay_fail_design(options, &why, err)
               : 0;
}

static void end(void *values)
{
    struct values *v = values;
    free(v->walk);
}

/* ---- stimuli: all are read before anything is printed, so that a refused file prints nothing ---- */

static int add(void *values, const char *line, size_t length, const struct replay_to *to,
               struct mp_error *err)
{
    struct values *v = values;
    struct replay_walk walk;
    if (replay_walks_parse(line, length, &walk, err) < 0)
        return -1;
    if (walk.tenant >= v->system.geometry.tenants)
        return mp_fail(err, "there is no tenant %u; 0 to %u", walk.tenant, v->system.geometry.tenants - 1);
    if (v->system.line && walk.page == REPLAY_NO_PAGE)
        return mp_fail(err, "no PAGE, which --line asks for; " FULL);
    if (v->count && walk.arrive < v->walk[v->count - 1].arrive)
        return mp_fail(err, "cycle %" PRIu64 " is before the last; %" PRIu64 " or later", walk.arrive,
                       v->walk[v->count - 1].arrive);
    if (v->count == v->room) {
        v->room = v->room ? 2 * v->room : 1024;
        v->walk = cli_have(realloc(v->walk, v->room * sizeof *v->walk));
    }
    v->walk[v->count] = walk;
    v->walk[v->count++].line = to->line;
    return 0;
}

/* ---- responses ---- */

static int by_id(const void *a, const void *b)
{
    const struct replay_walk *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->line < y->line ? -1 : 1;
}

static int sort(struct values *v, struct mp_error *err)
{
    if (v->count)
        qsort(v->walk, v->count, sizeof *v->walk, by_id);
    for (size_t i = 1; i < v->count; i++)
        if (v->walk[i].id == v->walk[i - 1].id)
            return mp_fail(err, "%s:%" PRIu64 ": ID %" PRIu64 " is also in line %" PRIu64 "; each once",
                           strcmp(v->of.file, "-") ? v->of.file : "stdin", v->walk[i].line, v->walk[i].id,
                           v->walk[i - 1].line);
    return 0;
}

static void print(const struct replay_walk *w, bool line, const struct replay_to *to)
{
    if (!to->j) {
        fprintf(to->f, "%" PRIu64 " %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %d", w->id, w->tenant,
                w->arrive, w->start, w->finish, w->walker, w->stolen);
        if (line)
            replay_put_number(to->f, " ", w->by);
        putc('\n', to->f);
        return;
    }
    json_object(to->j, NULL);
    json_count(to->j, "id", w->id);
    json_count(to->j, "tenant", w->tenant);
    json_count(to->j, "arrive", w->arrive);
    json_count(to->j, "start", w->start);
    json_count(to->j, "finish", w->finish);
    json_count(to->j, "walker", w->walker);
    json_flag(to->j, "stolen", w->stolen);
    if (line)
        json_count(to->j, "by", w->by);
    json_end_object(to->j);
}

static int respond(void *values, const struct replay_to *to, struct mp_error *err)
{
    struct values *v = values;
    if (replay_walks_run(&v->system, v->walk, v->count))
        cli_have(NULL);
    if (sort(v, err))
        return -1;
    for (size_t i = 0; i < v->count; i++)
        print(&v->walk[i], v->system.line, to);
    return 0;
}

static void head(const void *values, struct out_json *j)
{
    const struct replay_walk_system *s = &((const struct values *)values)->system;
    json_text(j, "policy", s->scheduler->design.name);
    json_count(j, "walkers", s->geometry.walkers);
    json_count(j, "queue", s->geometry.queue);
    json_count(j, "tenants", s->geometry.tenants);
    json_count(j, "latency", s->latency);
    json_count(j, "line", s->line);
}

static void choices(FILE *f)
{
    fputs("\nPolicies:\n", f);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++)
        replay_print_design(f, &mp_walk_schedulers[i]->design);
}

static const struct values usual = {
    .queue_threshold = -1,
    .system = {.geometry = {.walkers = 16, .queue = 192, .tenants = 2}, .latency = 400}};

const struct replay_block replay_walks = {
    .name = "walks",
    .summary = "a page-walk scheduler",
    .about = "Drives a page-walk scheduler alone; all walks have the same latency.",
    .formats = FORMATS,
    .choices = choices,
    .examples = "  printf '0 0 1\\n0 0 2\\n5 1 3\\n' | mempath replay walks --policy dws "
                "--walkers 2 --queue 8 --latency 100 -\n"
                "    1 0 0 0 100 0 0\n"
                "    2 0 0 0 100 1 1\n"
                "    3 1 5 100 200 1 0\n"
                "  mempath replay walks --policy dws++ --compat hpca21 --queue-threshold 0.17 events.txt\n"
                "  mempath replay walks --policy static --tenants 4 --owners blocked --json events.txt",
    .options = options,
    .usual = &usual,
    .bytes = sizeof usual,
    .policy = policy,
    .option = option,
    .start = start,
    .free = end,
    .head = head,
    .respond = add,
    .end = respond,
};
