/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cosim.h"
#include "cli/out.h"
#include "cli/replay.h"
#include "cli/revision.h"
#include "db/db.h"

#define USUAL_TRANSACTIONS 1000000u
#define USUAL_MUTANT       50000u /* transactions of a mutant in a mode */
#define USUAL_LATENCY      400u
#define MOST_LATENCY       1000000000u
#define WAVES_BEFORE       100u /* transactions up to a difference */

static const struct cosim_block *const blocks[] = {&cosim_star, &cosim_dws};
#define BLOCKS (sizeof blocks / sizeof *blocks)

struct values {
    const struct cosim_block *block;
    const char *file; /* NULL: random */
    const char *top;  /* somebody else's RTL, or NULL */
    struct cosim_setup setup;
    uint64_t transactions, seed, stride, mutants;
    bool random_given, transactions_given, stride_given, latency_given, window_given, coverage;
};

/* What came of it. */
struct outcome {
    enum mp_db_cosim_status status;
    double seconds;
    uint64_t transactions, clocks;
    const char *tools, *difference;
    char *report, *replay;
    unsigned npoints, taken;
    struct mp_db_cosim_point *point;
    char (*names)[COSIM_POINT_NAME];
    struct cosim_lines lines;
    bool waves; /* were written */
};

/* ---- options ---- */

enum {
    KEY_MODE = 'm',
    KEY_TRANSACTIONS = 'n',
    KEY_SEED = 's',
    KEY_STRIDE = 0x100,
    KEY_LATENCY,
    KEY_COVERAGE,
    KEY_MUTANTS,
    KEY_WAVES,
    KEY_WINDOW,
    KEY_TOP
};

static const struct argp_option options[] = {
    {"mode", KEY_MODE, "M", 0, "one of the list below", 0},
    {"transactions", KEY_TRANSACTIONS, "N", 0, "random ones (default: 1000000; 50000 of a mutant in a mode)",
     0},
    {"seed", KEY_SEED, "N", 0, "of the random ones (default: 1)", 0},
    {"stride", KEY_STRIDE, "1|2|4", 0, "of STAR's stride layout (default: 1)", 0},
    {"latency", KEY_LATENCY, "CYCLES", 0, "of every walk in a FILE for DWS (default: 400)", 0},
    {"coverage", KEY_COVERAGE, NULL, 0,
     "list what was covered, and how often; lines of the RTL too, at half the speed", 0},
    {"mutants", KEY_MUTANTS, "N", 0, "count which of N small faults in the RTL are found", 0},
    {"rtl-top", KEY_TOP, "FILE.sv", 0,
     "your own block in the place of ours: a module named as its file, with the same ports", 0},
    {"waves", KEY_WAVES, "FILE", 0,
     "waves of the RTL as FST: of the window or, without one, of the last 100 transactions up to a "
     "difference",
     0},
    {"waves-window", KEY_WINDOW, "FIRST:LAST", 0, "of the transactions from FIRST, 1 or more, to before LAST",
     0},
    {0},
};

static int set_mode(struct values *v, const char *name, struct mp_error *err)
{
    const char *names[16] = {0};
    for (unsigned i = 0; v->block->modes[i].name && i < 15; i++) {
        names[i] = v->block->modes[i].name;
        if (!strcmp(name, names[i])) {
            v->setup.mode = i;
            return 0;
        }
    }
    return cli_unknown(err, name, names, "mempath cosim BLOCK --help lists them", "--mode: no mode '%s'",
                       name);
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case KEY_MODE:
        return set_mode(v, arg, err);
    case KEY_TRANSACTIONS:
        v->random_given = v->transactions_given = true;
        return cli_number("--transactions", arg, 1, UINT64_C(1000000000000), &v->transactions, err);
    case KEY_SEED:
        v->random_given = true;
        return cli_number("--seed", arg, 0, UINT64_MAX, &v->seed, err);
    case KEY_STRIDE:
        v->stride_given = true;
        if (cli_number("--stride", arg, 1, 4, &v->stride, err))
            return -1;
        return v->stride == 3 ? mp_fail(err, "--stride: 3 is not a power of two; 1, 2 or 4") : 0;
    case KEY_LATENCY:
        v->latency_given = true;
        return cli_number("--latency", arg, 1, MOST_LATENCY, &v->setup.latency, err);
    case KEY_TOP:
        v->top = arg;
        return 0;
    case KEY_WAVES:
        v->setup.waves.file = arg;
        return 0;
    case KEY_WINDOW:
        v->window_given = true;
        return cli_window("--waves-window", arg, "transactions", &v->setup.waves.first, &v->setup.waves.last,
                          err);
    case KEY_COVERAGE:
        v->coverage = v->setup.lines = true;
        return 0;
    case KEY_MUTANTS:
        return cli_number("--mutants", arg, 1, UINT32_MAX, &v->mutants, err);
    default:
        if (v->file)
            return mp_fail(err, "cosim: '%s' is too much; one FILE, or - for stdin", arg);
        v->file = arg;
        return 0;
    }
}

static int check(struct values *v, struct mp_error *err)
{
    const char *mode = v->block->modes[v->setup.mode].name;
    if (v->file && v->random_given)
        return mp_fail(err, "cosim: the stimuli are those of '%s'; a FILE, or --transactions and --seed",
                       v->file);
    if (v->stride_given && v->stride != 1 && !v->block->modes[v->setup.mode].strides)
        return mp_fail(
            err, "--stride: %s has a stride of 1; it is for modes with a stride layout of two bases", mode);
    if (v->latency_given && !(v->block->latencies && v->file))
        return mp_fail(err, "--latency: nothing here takes it; it is of the walks in a FILE for dws");
    if (v->mutants && (v->file || v->stride_given || v->coverage))
        return mp_fail(
            err, "--mutants: the transactions are random, in every mode and stride of the RTL; without a "
                 "FILE, --stride and --coverage");
    if (v->window_given && !v->setup.waves.file)
        return mp_fail(err, "--waves-window: no waves are written; --waves FILE");
    if (v->setup.waves.file && !v->window_given && v->file && !strcmp(v->file, "-"))
        return mp_fail(err,
                       "--waves: stdin cannot be read again up to a difference; --waves-window, or a FILE");
    const char *own = v->top ? "--rtl-top" : v->setup.waves.file ? "--waves" : NULL;
    if (own && (v->coverage || v->mutants))
        return mp_fail(
            err, "%s: this RTL counts no lines and has no mutants; without --coverage and --mutants", own);
    v->setup.stride = (unsigned)v->stride;
    return v->setup.waves.file ? cosim_waves_begin(v->setup.waves.file, err) : 0;
}

/* ---- running ---- */

/* 0, or -1 with err when the file cannot be used; *equal tells how it went. */
static int run_file(const struct values *v, const struct cosim_rtl *rtl, void *cosim, bool *equal,
                    struct mp_error *err)
{
    struct replay_input in;
    const char *line;
    size_t length;
    int more = 0, found = 0;
    _Alignas(max_align_t) char stimulus[COSIM_STIMULUS_BYTES] = {0};
    struct mp_error why;
    if (replay_open(&in, v->file, err))
        return -1;
    *equal = true;
    while (*equal && !cli_stop && (more = replay_line(&in, stdout, &line, &length, err)) > 0) {
        found = v->block->parse(line, length, stimulus, &why);
        if (found < 0) {
            mp_fail(err, "%s:%" PRIu64 ": %s", in.name, in.line, why.text);
            break;
        }
        *equal = !found || rtl->step(cosim, stimulus);
    }
    replay_close(&in);
    if (*equal && !cli_stop && found >= 0 && more == 0 && rtl->finish)
        *equal = rtl->finish(cosim);
    return found < 0 || more < 0 ? -1 : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The command that does it again; random transactions need not go beyond the difference. */
static char *replay_command(const struct values *v, const struct outcome *o)
{
    char *text = NULL, chosen[40] = "";
    int n;
    const char *mode = v->block->modes[v->setup.mode].name;
    if (v->setup.stride != 1)
        snprintf(chosen, sizeof chosen, " --stride %u", v->setup.stride);
    if (v->latency_given)
        snprintf(chosen, sizeof chosen, " --latency %" PRIu64, v->setup.latency);
    const char *top = v->top ? v->top : "", *option = v->top ? " --rtl-top " : "";
    if (v->file)
        n = asprintf(&text, "mempath cosim %s --mode %s%s%s%s %s", v->block->name, mode, chosen, option, top,
                     v->file);
    else
        n = asprintf(&text, "mempath cosim %s --mode %s%s%s%s --seed %" PRIu64 " --transactions %" PRIu64,
                     v->block->name, mode, chosen, option, top, v->seed, o->transactions);
    if (n < 0)
        exit(cli_fail(CLI_FAILED, "out of memory"));
    return text;
}

static void take_coverage(struct outcome *o, const struct cosim_rtl *rtl, const void *cosim)
{
    char name[COSIM_POINT_NAME];
    uint64_t taken;
    while (rtl->point(cosim, o->npoints, name, &taken))
        o->npoints++;
    o->point = cli_alloc(o->npoints + 1, sizeof *o->point);
    o->names = cli_alloc(o->npoints + 1, sizeof *o->names);
    for (unsigned i = 0; i < o->npoints; i++) {
        rtl->point(cosim, i, o->names[i], &o->point[i].taken);
        o->point[i].name = o->names[i];
        o->taken += o->point[i].taken != 0;
    }
}

static int drive(const struct values *v, const struct cosim_rtl *rtl, void *cosim, bool *equal,
                 struct mp_error *err)
{
    if (v->file)
        return run_file(v, rtl, cosim, equal, err);
    *equal = rtl->random(cosim, v->seed, v->transactions, &cli_stop);
    return 0;
}

/* The same again up to the difference, with waves of what led there. */
static int write_waves(const struct values *v, const struct cosim_rtl *rtl, uint64_t transactions,
                       struct mp_error *err)
{
    struct cosim_setup setup = v->setup;
    bool equal;
    setup.waves.first = transactions > WAVES_BEFORE ? transactions - WAVES_BEFORE + 1 : 1;
    setup.waves.last = transactions + 1;
    void *again = rtl->open(&setup);
    if (!again)
        return mp_fail(err, "out of memory");
    int status = drive(v, rtl, again, &equal, err);
    rtl->close(again);
    return status;
}

static int run(const struct values *v, const struct cosim_rtl *rtl, void *cosim, struct outcome *o,
               struct mp_error *err)
{
    bool equal = true;
    double start = now();
    if (drive(v, rtl, cosim, &equal, err))
        return -1;
    o->seconds = now() - start;
    o->status = !equal ? MP_DB_DIFFERENT : cli_stop ? MP_DB_COSIM_INTERRUPTED : MP_DB_EQUAL;
    o->transactions = rtl->transactions(cosim);
    o->clocks = rtl->clocks(cosim);
    o->tools = rtl->tools;
    o->replay = replay_command(v, o);
    take_coverage(o, rtl, cosim);
    if (v->coverage)
        cosim_lines_take(&o->lines, rtl, cosim);
    if (!equal) {
        size_t size;
        o->difference = rtl->difference(cosim);
        FILE *f = open_memstream(&o->report, &size);
        if (!f)
            return mp_fail(err, "out of memory");
        rtl->report(cosim, f);
        fclose(f);
    }
    bool again = !equal && v->setup.waves.file && !v->window_given;
    return again ? write_waves(v, rtl, o->transactions, err) : 0;
}

/* ---- results ---- */

static int64_t store(const struct cli *cli, const struct values *v, const struct outcome *o,
                     struct mp_error *err)
{
    char chosen[40] = "";
    struct mp_db *db;
    if (v->block->modes[v->setup.mode].strides)
        snprintf(chosen, sizeof chosen, "stride=%u", v->setup.stride);
    if (v->block->latencies && v->file)
        snprintf(chosen, sizeof chosen, "latency=%" PRIu64, v->setup.latency);
    const struct mp_db_cosim row = {.block = v->block->name,
                                    .mode = v->block->modes[v->setup.mode].name,
                                    .options = chosen,
                                    .seed = v->seed,
                                    .stimuli = v->file,
                                    .status = o->status,
                                    .transactions = o->transactions,
                                    .clocks = o->clocks,
                                    .seconds = o->seconds,
                                    .difference = o->difference,
                                    .report = o->report,
                                    .replay = o->replay,
                                    .tools = o->tools,
                                    .revision = MEMPATH_REVISION,
                                    .npoints = o->npoints,
                                    .point = o->point,
                                    .nlines = o->lines.count,
                                    .line = o->lines.line};
    if (mp_db_open(&db, cli->db, MP_DB_WRITE, err))
        return -1;
    int64_t id = mp_db_cosim(db, &row, err);
    mp_db_close(db);
    return id;
}

static const char *const status_names[] = {
    [MP_DB_EQUAL] = "equal", [MP_DB_DIFFERENT] = "different", [MP_DB_COSIM_INTERRUPTED] = "interrupted"};

static void print_json(const struct values *v, const struct outcome *o, int64_t id)
{
    struct out_json j = {.f = stdout};
    json_object(&j, NULL);
    json_count(&j, "id", (uint64_t)id);
    json_text(&j, "block", v->block->name);
    json_text(&j, "mode", v->block->modes[v->setup.mode].name);
    if (v->block->modes[v->setup.mode].strides)
        json_count(&j, "stride", v->setup.stride);
    if (v->block->latencies && v->file)
        json_count(&j, "latency", v->setup.latency);
    json_text(&j, "stimuli", v->file);
    if (!v->file)
        json_count(&j, "seed", v->seed);
    json_text(&j, "status", status_names[o->status]);
    json_count(&j, "transactions", o->transactions);
    json_count(&j, "clocks", o->clocks);
    json_real(&j, "seconds", o->seconds);
    json_text(&j, "difference", o->difference);
    json_text(&j, "report", o->report);
    json_text(&j, "replay", o->replay);
    json_text(&j, "tools", o->tools);
    if (v->setup.waves.file)
        json_text(&j, "waves", o->waves ? v->setup.waves.file : NULL);
    json_array(&j, "coverage");
    for (unsigned i = 0; i < o->npoints; i++) {
        json_object(&j, NULL);
        json_text(&j, "name", o->point[i].name);
        json_count(&j, "taken", o->point[i].taken);
        json_end_object(&j);
    }
    json_end_array(&j);
    if (v->coverage)
        cosim_lines_json(&o->lines, &j);
    json_end_object(&j);
}

static void print_coverage(const struct outcome *o)
{
    static const char *const heads[] = {"taken", "point"};
    struct out_table *t = out_table_new(2, heads);
    for (unsigned i = 0; i < o->npoints; i++) {
        out_count(t, o->point[i].taken);
        out_cell(t, "%s", o->point[i].name);
    }
    out_table_print(t, stdout);
}

static void print_text(const struct values *v, const struct outcome *o, int64_t id)
{
    if (v->coverage) {
        print_coverage(o);
        cosim_lines_print(&o->lines);
    }
    if (o->report)
        printf("%sagain: %s\n", o->report, o->replay);
    printf("%s %s, cosim %" PRId64 ": %s after %" PRIu64 " transactions, %" PRIu64
           " clocks; %.1f million a minute; %u of %u points covered\n",
           v->block->name, v->block->modes[v->setup.mode].name, id, status_names[o->status], o->transactions,
           o->clocks, o->seconds > 0 ? 60e-6 * (double)o->transactions / o->seconds : 0, o->taken,
           o->npoints);
    if (v->setup.waves.file)
        printf("waves: %s\n", o->waves          ? v->setup.waves.file
                              : v->window_given ? "none, for the window was not reached"
                                                : "none, for nothing differs");
}

static int finish(const struct cli *cli, const struct values *v, const struct outcome *o)
{
    struct mp_error err;
    int64_t id = store(cli, v, o, &err);
    if (id < 0)
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (cli->json)
        print_json(v, o, id);
    else
        print_text(v, o, id);
    if (o->status == MP_DB_DIFFERENT)
        return cli_fail(CLI_FAILED,
                        "cosim %s: %s differs between RTL and model after transaction %" PRIu64 "; %s",
                        v->block->name, o->difference, o->transactions, o->replay);
    if (o->status == MP_DB_COSIM_INTERRUPTED)
        return cli_fail(CLI_FAILED, "cosim %s: interrupted", v->block->name);
    return CLI_DONE;
}

static int cosim(struct cli *cli, struct values *v)
{
    struct outcome o = {0};
    struct mp_error err;
    const struct cosim_library which = {.block = v->block->name,
                                        .design = v->block->modes[v->setup.mode].design,
                                        .mutants = v->mutants,
                                        .waves = v->setup.waves.file,
                                        .top = v->top};
    const struct cosim_rtl *rtl = cosim_load(v->block->symbol, &which, &err);
    if (!rtl && which.waves)
        cosim_waves_end(v->setup.waves.file);
    if (!rtl)
        return cli_fail(CLI_USAGE, "cosim: %s", err.text);
    if (v->mutants) {
        const struct cosim_mutation what = {.mode = v->setup.mode,
                                            .mutants = v->mutants,
                                            .transactions =
                                                v->transactions_given ? v->transactions : USUAL_MUTANT,
                                            .seed = v->seed};
        return cosim_mutants(cli, v->block, rtl, &what);
    }
    struct cosim_setup setup = v->setup;
    if (!v->window_given)
        setup.waves.file = NULL; /* a difference is looked for first */
    void *cosim = rtl->open(&setup);
    if (!cosim)
        return cli_fail(CLI_FAILED, "out of memory");
    cli_catch_signals();
    int failed = run(v, rtl, cosim, &o, &err);
    o.waves = v->setup.waves.file && cosim_waves_end(v->setup.waves.file);
    int code = failed ? cli_fail(CLI_USAGE, "%s", err.text) : finish(cli, v, &o);
    rtl->close(cosim);
    free(o.report);
    free(o.replay);
    free(o.point);
    free(o.names);
    cosim_lines_free(&o.lines);
    return code;
}

/* ---- the command ---- */

static char *help(const struct cosim_block *b)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        exit(cli_fail(CLI_FAILED, "out of memory"));
    fprintf(
        f,
        "Runs RTL and its reference model side by side, one transaction at a time: %s. Responses, cycles and "
        "the whole state that was touched must be equal after each; the first difference ends it, is shown "
        "field by field, and is kept in the database with the command that does it again (exit code 1). "
        "Stimuli are random, or those of FILE (- is stdin). With --mutants the RTL gets small faults, one at "
        "a "
        "time, to see whether that finds them.\vA FILE has a line per "
        "transaction:\n%s\nModes:\n",
        b->summary, b->formats);
    for (unsigned i = 0; b->modes[i].name; i++)
        fprintf(f, "  %-20s %s%s\n", b->modes[i].name, b->modes[i].title, i == b->usual ? " (default)" : "");
    fprintf(f,
            "\nExamples:\n"
            "  mempath cosim %s\n"
            "  mempath cosim %s --mode %s --transactions 100000000 --seed 7\n"
            "  mempath cosim %s --coverage stimuli.txt\n"
            "  mempath cosim %s --mutants 100\n"
            "  mempath cosim %s --waves w.fst --waves-window 1:50   waves of the RTL; gtkwave w.fst\n"
            "  mempath cosim %s --rtl-top mine.sv --waves w.fst   your own block, and waves of what differs\n"
            "  mempath query cosim                    what was compared, and whether it was equal\n"
            "  mempath query coverage cosim=3\n"
            "  mempath query lines                    lines of the RTL that were taken, by file",
            b->name, b->name, b->modes[b->usual].name, b->name, b->name, b->name, b->name);
    fclose(f);
    return text;
}

static int run_block(struct cli *cli, const struct cosim_block *block, int argc, char **argv)
{
    char *doc = help(block), name[48];
    snprintf(name, sizeof name, "mempath cosim %s", block->name);
    const struct cli_usage usage = {
        .command = name, .args = "[FILE]", .doc = doc, .options = options, .option = option};
    struct values v = {.block = block,
                       .setup = {.mode = block->usual, .latency = USUAL_LATENCY},
                       .transactions = USUAL_TRANSACTIONS,
                       .seed = 1,
                       .stride = 1};
    struct mp_error err;
    int code;
    bool go = cli_parse(cli, &usage, argc, argv, &v, &code);
    free(doc);
    if (!go)
        return code;
    if (check(&v, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    return cosim(cli, &v);
}

static int list(const struct cli *cli)
{
    struct out_entry entries[BLOCKS];
    for (unsigned i = 0; i < BLOCKS; i++)
        entries[i] = (struct out_entry){blocks[i]->name, blocks[i]->summary};
    out_list(cli->json, "block", entries, BLOCKS);
    return CLI_DONE;
}

static int refuse_argument(void *values, int key, const char *arg, struct mp_error *err)
{
    (void)values;
    return key == ARGP_KEY_ARG ? mp_fail(err, "cosim: '%s' is too much; mempath cosim --help", arg) : 0;
}

int cmd_cosim(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath cosim",
        .args = "[BLOCK] [FILE]",
        .doc = "Runs RTL and its reference model side by side. Without a block, "
               "lists what there is.\vExamples:\n"
               "  mempath cosim star --help\n"
               "  mempath cosim star --mode star4\n"
               "  mempath cosim dws --transactions 100000000",
        .option = refuse_argument};
    const char *names[BLOCKS + 1] = {0};
    struct mp_error err;
    int code;
    if (!cli_name_first(argc, argv))
        return cli_parse(cli, &usage, argc, argv, NULL, &code) ? list(cli) : code;
    for (unsigned i = 0; i < BLOCKS; i++) {
        names[i] = blocks[i]->name;
        if (!strcmp(argv[1], blocks[i]->name))
            return run_block(cli, blocks[i], argc - 1, argv + 1);
    }
    cli_unknown(&err, argv[1], names, "mempath cosim lists them", "cosim: no block '%s'", argv[1]);
    return cli_fail(CLI_USAGE, "%s", err.text);
}
