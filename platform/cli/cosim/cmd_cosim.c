/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cosim/cosim.h"
#include "cli/out.h"
#include "rtl/dws/cosim.h"

#define USUAL_TRANSACTIONS 1000000u
#define USUAL_MUTANT       400000u /* transactions of a mutant */
#define USUAL_LATENCY      400u
#define MOST_LATENCY       1000000000u
#define USUAL_EPOCH        200u
#define MOST_EPOCH         255u
#define USUAL_PATIENCE     30u
#define MOST_PATIENCE      86400u
#define MOST_BLOCKS        32u

const char *cosim_block_name(unsigned i)
{
    return cosim_blocks[i] ? cosim_blocks[i]->name : NULL;
}

unsigned cosim_block_slower(unsigned i)
{
    return cosim_blocks[i]->slower ? cosim_blocks[i]->slower : 1;
}

struct values {
    struct cosim_job job;
    uint64_t mutants;
    bool seed_given, transactions_given, all;
};

/* ---- options ---- */

enum {
    KEY_MODE = 'm',
    KEY_TRANSACTIONS = 'n',
    KEY_SEED = 's',
    KEY_ALL = 'a',
    KEY_STRIDE = 0x100,
    KEY_TENANTS,
    KEY_SIZE,
    KEY_OWNERS,
    KEY_EPOCH,
    KEY_DIFF,
    KEY_QUEUE,
    KEY_LATENCY,
    KEY_COVERAGE,
    KEY_MUTANTS,
    KEY_WAVES,
    KEY_WINDOW,
    KEY_TOP,
    KEY_FULL,
    KEY_PATIENCE,
    KEY_LIST
};

static const struct argp_option options[] = {
    {"mode", KEY_MODE, "M", 0, "one of the modes below (default: all in turn)", 0},
    {"all", KEY_ALL, NULL, 0, "every mode for N transactions, one after the other", 0},
    {"transactions", KEY_TRANSACTIONS, "N", 0,
     "number of random transactions (default: 1000000; 400000 per mutant)", 0},
    {"seed", KEY_SEED, "N", 0,
     "seed of random transactions, drawn configurations, and the ports' timing (default: 1)", 0},
    {"stride", KEY_STRIDE, "1|2|4", 0, "stride of STAR's stride layout (default: all in turn)", 0},
    {"tenants", KEY_TENANTS, "2|3|4|8", 0, "tenants of DWS (default: all in turn)", 0},
    {"size", KEY_SIZE, "W/D/T", 0,
     "DWS's walkers, places in each queue, and tenants, as in 16/12/2; "
     "others than those that are drawn are built first (default: drawn)",
     0},
    {"owners", KEY_OWNERS, "interleaved|blocked", 0,
     "initial owners of DWS's walkers (default: drawn); random transactions change them", 0},
    {"epoch", KEY_EPOCH, "N", 0, "arrivals in an epoch of DWS++, 1 to 255 (default: drawn)", 0},
    {"diff-thresholds", KEY_DIFF, "P,P,P,P,P", 0,
     "DIFF_THRES of DWS++ after ratios of at most 1.5, 2, 3, 4, and beyond: percent, "
     "or never (default: the mode's, or drawn)",
     0},
    {"queue-threshold", KEY_QUEUE, "P", 0, "QUEUE_THRES of DWS++, percent (default: the mode's, or drawn)",
     0},
    {"latency", KEY_LATENCY, "CYCLES", 0, "latency of every walk in a FILE for DWS (default: 400)", 0},
    {"coverage", KEY_COVERAGE, NULL, 0,
     "list what was covered and how often, including lines of the RTL; halves the speed", 0},
    {"full", KEY_FULL, NULL, 0, "report all fields of the state, not only those that differ", 0},
    {"patience", KEY_PATIENCE, "SECONDS", 0,
     "seconds after which a transaction counts as a hang (default: 30)", 0},
    {"mutants", KEY_MUTANTS, "N", 0, "count which of N small faults in the RTL are found", 0},
    {"rtl-top", KEY_TOP, "FILE.sv", 0,
     "your block instead of the project's: a module with its file's name and the same ports", 0},
    {"waves", KEY_WAVES, "FILE", 0,
     "write waves of the RTL (FST): of the window, or else of the last 100 transactions before a difference",
     0},
    {"waves-window", KEY_WINDOW, "FIRST:LAST", 0,
     "transactions of the waves: from FIRST, 1 or more, to before LAST, "
     "or to the end of the session with FIRST",
     0},
    {0},
};

static int set_mode(struct cosim_job *job, const char *name, struct mp_error *err)
{
    const char *names[16] = {0};
    for (unsigned i = 0; job->block->modes[i].name && i < 15; i++) {
        names[i] = job->block->modes[i].name;
        if (!strcmp(name, names[i])) {
            job->setup.mode = i;
            return 0;
        }
    }
    return cli_unknown(err, name, names, "mempath cosim BLOCK --help lists them", "--mode: no mode '%s'",
                       name);
}

static int set_owners(struct cosim_job *job, const char *name, struct mp_error *err)
{
    static const char *const names[] = {
        [MP_WALK_INTERLEAVED] = "interleaved", [MP_WALK_BLOCKED] = "blocked", NULL};
    for (unsigned i = 0; names[i]; i++)
        if (!strcmp(name, names[i])) {
            job->setup.rules.owners = (enum mp_walk_owners)i;
            return 0;
        }
    return cli_unknown(err, name, names, "interleaved or blocked", "--owners: no division '%s'", name);
}

/* Five percentages, each possibly "never". */
static int set_diff(struct cosim_job *job, const char *text, struct mp_error *err)
{
    char copy[64], *at = copy, *part;
    uint64_t percent = 0;
    unsigned n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    while ((part = strsep(&at, ","))) {
        if (n == MP_WALK_RATIOS)
            break;
        bool never = !strcmp(part, "never");
        if (!never && cli_number("--diff-thresholds", part, 0, 100, &percent, err))
            return -1;
        job->setup.rules.thresholds.diff[n++] = never ? MP_WALK_NEVER : (uint8_t)percent;
    }
    return n == MP_WALK_RATIOS && !part
               ? 0
               : mp_fail(err, "--diff-thresholds: '%s' is not five of them; as in 40,60,80,90,never", text);
}

/* One of a few numbers, in words. */
static int set_one_of(const char *option, const char *arg, unsigned numbers, const char *words, unsigned *to,
                      struct mp_error *err)
{
    uint64_t n;
    if (cli_number(option, arg, 1, 8, &n, err))
        return -1;
    *to = (unsigned)n;
    if (numbers >> n & 1)
        return 0;
    return mp_fail(err, "%s: %s is not one of %s", option, arg, words);
}

/* WALKERS/DEPTH/TENANTS */
static int set_size(struct cosim_setup *s, const char *text, struct mp_error *err)
{
    static const struct {
        const char *option;
        unsigned least, most;
    } of[] = {{"--size: walkers", 2, COSIM_DWS_MOST_WALKERS},
              {"--size: places", 1, COSIM_DWS_MOST_DEPTH},
              {"--size: tenants", 2, MP_TENANTS}};
    unsigned *const to[] = {&s->walkers, &s->depth, &s->tenants};
    char copy[32], *at = copy, *part;
    unsigned n = 0;
    uint64_t number;
    snprintf(copy, sizeof copy, "%s", text);
    for (; n < 3 && (part = strsep(&at, "/")); n++) {
        if (cli_number(of[n].option, part, of[n].least, of[n].most, &number, err))
            return -1;
        *to[n] = (unsigned)number;
    }
    return n == 3 && !at ? 0
                         : mp_fail(err, "--size: '%s' is not WALKERS/PLACES/TENANTS; as in 16/12/2", text);
}

static int set_number(const char *option, const char *arg, uint64_t min, uint64_t max, uint32_t *to,
                      struct mp_error *err)
{
    uint64_t n;
    if (cli_number(option, arg, min, max, &n, err))
        return -1;
    *to = (uint32_t)n;
    return 0;
}

/* The options that a run does not draw. */
static int choice(struct cosim_job *job, int key, const char *arg, struct mp_error *err)
{
    struct cosim_setup *s = &job->setup;
    uint32_t percent = 0;
    int failed;
    switch (key) {
    case KEY_MODE:
        job->fixed |= COSIM_MODE;
        return set_mode(job, arg, err);
    case KEY_STRIDE:
        job->fixed |= COSIM_STRIDE;
        return set_one_of("--stride", arg, 1u << 1 | 1u << 2 | 1u << 4, "1, 2 and 4", &s->stride, err);
    case KEY_TENANTS:
        job->fixed |= COSIM_TENANTS;
        return set_one_of("--tenants", arg, 1u << 2 | 1u << 3 | 1u << 4 | 1u << 8, "2, 3, 4 and 8",
                          &s->tenants, err);
    case KEY_SIZE:
        job->fixed |= COSIM_SIZE;
        return set_size(s, arg, err);
    case KEY_OWNERS:
        job->fixed |= COSIM_OWNERS;
        return set_owners(job, arg, err);
    case KEY_EPOCH:
        job->fixed |= COSIM_EPOCH;
        return set_number("--epoch", arg, 1, MOST_EPOCH, &s->rules.epoch, err);
    case KEY_DIFF:
        job->fixed |= COSIM_THRESHOLDS;
        return set_diff(job, arg, err);
    default:
        job->fixed |= COSIM_QUEUE_THRESHOLD;
        failed = set_number("--queue-threshold", arg, 0, 100, &percent, err);
        s->rules.thresholds.queue = (uint8_t)percent;
        return failed;
    }
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    struct cosim_job *job = &v->job;
    switch (key) {
    case KEY_ALL:
        v->all = true;
        return 0;
    case KEY_TRANSACTIONS:
        v->transactions_given = true;
        return cli_number("--transactions", arg, 1, UINT64_C(1000000000000), &job->transactions, err);
    case KEY_SEED:
        v->seed_given = true;
        return cli_number("--seed", arg, 0, UINT64_MAX, &job->seed, err);
    case KEY_LATENCY:
        job->latency_given = true;
        return cli_number("--latency", arg, 1, MOST_LATENCY, &job->setup.latency, err);
    case KEY_TOP:
        job->top = arg;
        return 0;
    case KEY_WAVES:
        job->setup.waves.file = arg;
        return 0;
    case KEY_WINDOW:
        job->window_given = true;
        return cli_window("--waves-window", arg, "transactions", &job->setup.waves.first,
                          &job->setup.waves.last, err);
    case KEY_COVERAGE:
        job->coverage = job->setup.lines = true;
        return 0;
    case KEY_FULL:
        job->full = true;
        return 0;
    case KEY_PATIENCE:
        return set_number("--patience", arg, 1, MOST_PATIENCE, &job->patience, err);
    case KEY_MUTANTS:
        return cli_number("--mutants", arg, 1, UINT32_MAX, &v->mutants, err);
    case ARGP_KEY_ARG:
        if (job->file)
            return mp_fail(err, "cosim: '%s' is unexpected; one FILE, or - for stdin", arg);
        job->file = arg;
        return 0;
    default:
        return choice(job, key, arg, err);
    }
}

static const struct {
    unsigned choice;
    const char *option;
} choices[] = {{COSIM_STRIDE, "--stride"},
               {COSIM_TENANTS, "--tenants"},
               {COSIM_SIZE, "--size"},
               {COSIM_OWNERS, "--owners"},
               {COSIM_EPOCH, "--epoch"},
               {COSIM_THRESHOLDS, "--diff-thresholds"},
               {COSIM_QUEUE_THRESHOLD, "--queue-threshold"},
               {0}};

static int check_choices(const struct cosim_job *job, struct mp_error *err)
{
    const char *mode = job->block->modes[job->setup.mode].name;
    for (unsigned i = 0; choices[i].option; i++)
        if (job->fixed & choices[i].choice & ~job->block->choices)
            return mp_fail(err, "%s: %s does not have this option; see mempath cosim %s --help",
                           choices[i].option, job->block->name, job->block->name);
    if (job->fixed & COSIM_MODE && job->fixed & COSIM_STRIDE && job->setup.stride != 1 &&
        !job->block->modes[job->setup.mode].strides)
        return mp_fail(
            err, "--stride: %s has a stride of 1; it applies to modes with a stride layout of two bases",
            mode);
    if (job->fixed & COSIM_MODE && !strcmp(mode, "dws") &&
        job->fixed & (COSIM_EPOCH | COSIM_THRESHOLDS | COSIM_QUEUE_THRESHOLD))
        return mp_fail(err, "--mode: dws has no epochs and thresholds; choose a mode of DWS++");
    return 0;
}

static int check(struct values *v, struct mp_error *err)
{
    struct cosim_job *job = &v->job;
    if (check_choices(job, err))
        return -1;
    if (job->fixed & COSIM_SIZE && job->fixed & COSIM_TENANTS)
        return mp_fail(err, "--tenants: --size gives the tenants; use either --size or --tenants");
    if (job->file && v->transactions_given)
        return mp_fail(err, "cosim: the stimuli come from '%s'; use either a FILE or --transactions",
                       job->file);
    if (v->all && job->fixed & COSIM_MODE)
        return mp_fail(err, "--all: --mode chooses one mode; use either --all or --mode");
    if (job->latency_given && !(job->block->latencies && job->file))
        return mp_fail(err, "--latency: no effect here; it applies to the walks of a FILE for dws");
    if (v->mutants && (job->file || job->coverage || v->all || job->fixed))
        return mp_fail(err, "--mutants: runs random transactions in every configuration of the RTL; omit "
                            "FILE, --all, --coverage and options of a configuration");
    if (v->mutants && !job->block->mutants)
        return mp_fail(err, "--mutants: %s has none; the --help of a block that has them shows it",
                       job->block->name);
    if (job->window_given && !job->setup.waves.file)
        return mp_fail(err, "--waves-window: no waves are written; add --waves FILE");
    if (job->setup.waves.file && v->all)
        return mp_fail(err, "--waves: each mode would write the same file; choose one --mode");
    if (job->setup.waves.file && !job->window_given && job->file && !strcmp(job->file, "-"))
        return mp_fail(
            err, "--waves: stdin cannot be read again up to a difference; use --waves-window, or a FILE");
    if (v->all && job->file && !strcmp(job->file, "-"))
        return mp_fail(err, "--all: stdin cannot be read again for every mode; use a FILE");
    const char *own = job->top ? "--rtl-top" : job->setup.waves.file ? "--waves" : NULL;
    if (own && (job->coverage || v->mutants))
        return mp_fail(err, "%s: this RTL counts no lines and has no mutants; omit --coverage and --mutants",
                       own);
    if (job->file) /* in one configuration */
        job->fixed |= job->block->choices & (COSIM_OWNERS | COSIM_EPOCH);
    if (job->coverage &&
        job->block->choices & COSIM_TENANTS) { /* the RTL that counts lines has two tenants */
        if (job->fixed & COSIM_SIZE || (job->fixed & COSIM_TENANTS && job->setup.tenants != 2))
            return mp_fail(err, "--coverage: only the RTL of two tenants counts lines; use --tenants 2");
        job->fixed |= COSIM_TENANTS;
        job->setup.tenants = 2;
    }
    return job->setup.waves.file ? cosim_waves_begin(job->setup.waves.file, err) : 0;
}

/* ---- running ---- */

static int run_once(const struct cli *cli, const struct cosim_job *job)
{
    struct cosim_outcome o = {0};
    struct mp_error err;
    int failed = cosim_run(job, &o, &err);
    o.waves = job->setup.waves.file && cosim_waves_end(job->setup.waves.file);
    int code = failed ? cli_fail(CLI_USAGE, "cosim: %s", err.text) : cosim_finish(cli, job, &o);
    cosim_outcome_free(&o);
    return code;
}

/* Runs every mode; returns the worst exit code. */
static int run_all(const struct cli *cli, const struct cosim_job *job)
{
    int worst = CLI_DONE;
    for (unsigned i = 0; job->block->modes[i].name && !cli_stop && worst != CLI_USAGE; i++) {
        if (cli->json)
            puts(i ? "," : "[");
        struct cosim_job one = *job;
        one.setup.mode = i;
        one.fixed |= COSIM_MODE;
        if (!job->block->modes[i].strides)
            one.fixed &= ~(unsigned)COSIM_STRIDE;
        int code = cosim_guarded(cli, &one, run_once);
        cosim_load_warned();
        worst = code > worst ? code : worst;
    }
    if (cli->json)
        puts("]");
    return worst;
}

/* ---- the command ---- */

static char *help(const struct cosim_block *b)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    fprintf(f,
            "Runs RTL and its reference model in lockstep: %s. Responses, cycles and the whole state that "
            "was touched must be equal after each transaction. The bench drives the ports as silicon does: "
            "requests appear and disappear while the block is not ready, payloads change until they are "
            "accepted, responses wait, resets interrupt transactions, and registers and memories start with "
            "random values. The first difference, a broken rule of the ports, a failed assertion, $finish, a "
            "hang or a crash ends the run with exit code 1. It is reported with what differs, and stored in "
            "the database with the command that repeats it. Transactions are random, or those of FILE (- is "
            "stdin). A random run draws its configurations from the seed; options fix parameters, and the "
            "last line lists configurations that were not run. --mutants inserts small faults into the RTL, "
            "one at a time, and counts those that the comparison finds.\vA FILE has a line per transaction:\n"
            "%s\n"
            "Modes:\n",
            b->summary, b->formats);
    for (unsigned i = 0; b->modes[i].name; i++)
        fprintf(f, "  %-20s %s%s\n", b->modes[i].name, b->modes[i].title,
                i == b->usual ? " (of a FILE)" : "");
    fprintf(f,
            "\nExamples:\n"
            "  mempath cosim %s\n"
            "  mempath cosim %s --mode %s --transactions 100000000 --seed 7\n"
            "  mempath cosim %s --all                 every mode, and a line for each\n"
            "  mempath cosim %s --coverage stimuli.txt\n",
            b->name, b->name, b->modes[b->usual].name, b->name, b->name);
    if (b->mutants)
        fprintf(f, "  mempath cosim %s --mutants 100\n", b->name);
    fprintf(f,
            "  mempath cosim %s --waves w.fst --waves-window 1:50   waves of the RTL; gtkwave w.fst\n"
            "  mempath cosim %s --rtl-top mine.sv --waves w.fst   your block, and waves of a difference\n"
            "  mempath query cosim                    what was compared, and whether it was equal\n"
            "  mempath query coverage cosim=3\n"
            "  mempath query lines                    lines of the RTL that were executed, by file",
            b->name, b->name);
    fclose(f);
    return text;
}

/* Transactions if no option gives them. */
static uint64_t usual(const struct cosim_block *block, uint64_t transactions)
{
    return block->slower ? transactions / block->slower : transactions;
}

static int run_block(struct cli *cli, const struct cosim_block *block, int argc, char **argv)
{
    char *doc = help(block), name[48];
    snprintf(name, sizeof name, "mempath cosim %s", block->name);
    const struct cli_usage usage = {
        .command = name, .args = "[FILE]", .doc = doc, .options = options, .option = option};
    struct values v = {.job = {.block = block,
                               .setup = {.mode = block->usual,
                                         .stride = 1,
                                         .walkers = COSIM_DWS_WALKERS,
                                         .depth = COSIM_DWS_DEPTH,
                                         .tenants = 2,
                                         .rules = {.epoch = USUAL_EPOCH},
                                         .latency = USUAL_LATENCY},
                               .transactions = usual(block, USUAL_TRANSACTIONS),
                               .seed = 1,
                               .patience = USUAL_PATIENCE}};
    struct mp_error err;
    int code;
    bool go = cli_parse(cli, &usage, argc, argv, &v, &code);
    free(doc);
    if (!go)
        return code;
    if (check(&v, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (v.mutants) {
        const struct cosim_mutation what = {
            .mutants = v.mutants,
            .transactions = v.transactions_given ? v.job.transactions : usual(block, USUAL_MUTANT)};
        return cosim_mutants(cli, &v.job, &what);
    }
    return v.all ? run_all(cli, &v.job) : cosim_guarded(cli, &v.job, run_once);
}

static int list(const struct cli *cli)
{
    struct out_entry entries[MOST_BLOCKS];
    unsigned n = 0;
    for (; cosim_blocks[n]; n++)
        entries[n] = (struct out_entry){cosim_blocks[n]->name, cosim_blocks[n]->summary};
    out_list(cli->json, "block", entries, n);
    return CLI_DONE;
}

static int refuse_argument(void *values, int key, const char *arg, struct mp_error *err)
{
    (void)values;
    return key == ARGP_KEY_ARG ? mp_fail(err, "cosim: '%s' is unexpected; mempath cosim --help", arg) : 0;
}

static const struct argp_option list_option[] = {{"list", KEY_LIST, NULL, 0, "list the blocks", 0}, {0}};

int cmd_cosim(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath cosim",
        .args = "[BLOCK] [FILE]",
        .doc = "Runs RTL and its reference model in lockstep. Without a block, lists the blocks.\vExamples:\n"
               "  mempath cosim star --help\n"
               "  mempath cosim star --mode star4\n"
               "  mempath cosim dws --transactions 100000000",
        .options = list_option,
        .option = refuse_argument,
        .word = cosim_block_name,
        .blocks = true};
    const char *names[MOST_BLOCKS + 1] = {0};
    struct mp_error err;
    int code;
    if (!cli_name_first(argc, argv))
        return cli_parse(cli, &usage, argc, argv, NULL, &code) ? list(cli) : code;
    for (unsigned i = 0; cosim_blocks[i]; i++) {
        names[i] = cosim_blocks[i]->name;
        if (!strcmp(argv[1], names[i]))
            return run_block(cli, cosim_blocks[i], argc - 1, argv + 1);
    }
    cli_unknown(&err, argv[1], names, "mempath cosim lists them", "cosim: no block '%s'", argv[1]);
    return cli_fail(CLI_USAGE, "%s", err.text);
}
