/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/out.h"
#include "cli/plot/chart.h"
#include "cli/plot/plot.h"

static const char doc[] =
    "Draws a METRIC of many runs against what they differ in, or a PICTURE of what one run recorded, as SVG, "
    "PNG or PDF. "
    "Without an argument, lists the pictures. The runs are those of the latest study (mempath sweep), or all "
    "if there is "
    "none.\vMETRIC is a name of mempath query results, such as ipc, slowdown, weighted_speedup, "
    "l3_tlb.hit_rate, walk.p99 or "
    "dram.bandwidth; KIND.COUNTER, any of mempath query counters; energy, which is stacked by structure; or "
    "a "
    "distribution, such as walk_latency, whose cumulative distribution is drawn without --against. Against "
    "cycle, a "
    "counter of runs with --epochs is drawn over time; against launch, a column of mempath query kernels.\n"
    "\n"
    "PATH is a parameter (mempath params), or app, apps, tenant, run. Numbers make curves, other values "
    "bars; two PATHs make "
    "a heat map. Of runs that differ in their seed only, the mean is drawn with its 95 % interval, or boxes "
    "where bars "
    "would be. Runs of one place in the picture that differ in something else are refused, with its name.\n"
    "\n"
    "A run takes snapshots with --epochs CYCLES, and stores walks, and what moves in managed memory, with "
    "--trace-window FIRST:LAST. mempath reveal stores "
    "the times of its pairs.\n"
    "\n"
    "Examples:\n"
    "  mempath run star/w2 --epochs 10000\n"
    "  mempath plot occupancy                 of that run\n"
    "  mempath plot occupancy 12 -o pictures  of run 12, into a folder, which is created\n"
    "  mempath plot l3_tlb.misses --against cycle --runs latest        in each epoch\n"
    "  mempath plot cycles --against launch --runs latest              of each kernel\n"
    "  mempath run dws-30sm --set tenants.0.app=GUPS --set tenants.1.app=MM --set tenants.size=medium \\\n"
    "      --trace-window 15000:17000\n"
    "  mempath plot walkers                   walks and waiting tenants in those cycles\n"
    "  mempath run uvm/mt --set tenants.size=small --set uvm.oversubscription=125 --trace-window 0:9999999\n"
    "  mempath plot faults                    batches, copies and victims in those cycles\n"
    "  mempath plot residency                 which 2 MB were on the GPU, a heat map\n"
    "  mempath reveal --machine v100\n"
    "  mempath plot pairs                     how long its pairs of loads took\n"
    "  mempath sweep l3.yaml                  a study, of latencies and policies of the L3 TLB\n"
    "  mempath plot ipc --against l3_tlb.latency --by l3_tlb.policy\n"
    "  mempath plot ipc_sum --against l3_tlb.latency,l3_tlb.policy     a heat map\n"
    "  mempath plot walk.p99 --against l3_tlb.policy --where l3_tlb.latency=40        bars\n"
    "  mempath plot cycles --against l3_tlb.latency --by l3_tlb.policy --relative-to l3_tlb.policy=subentry\n"
    "  mempath plot energy --against l3_tlb.policy --where l3_tlb.latency=40 -o energy.pdf\n"
    "  mempath plot dram.bandwidth --against l3_tlb.latency --by l3_tlb.policy        and the roof\n"
    "  mempath plot walk_latency --by l3_tlb.policy --where l3_tlb.latency=40";

static const struct picture {
    const char *name, *title;
    int (*draw)(const struct cli *cli, struct mp_db *db, int64_t run, const char *output);
} pictures[] = {
    {"faults", "batches, victims, copies and waiting faults of managed memory, in a window of cycles",
     plot_faults},
    {"occupancy", "valid translations in the L3 TLB by tenant, over cycles", plot_occupancy},
    {"pairs", "how long pairs of loads took when address functions were found, and the limit", plot_pairs},
    {"residency", "pages of managed memory that the GPU has, by address, over a window of cycles",
     plot_residency},
    {"walkers", "what each page walker serves, its owner, and waiting walks, in a window of cycles",
     plot_walkers},
};
#define PICTURES (sizeof pictures / sizeof *pictures)

struct values {
    const struct picture *picture;
    const char *output;
    uint64_t run;
    struct chart_request chart;
    char text[2][256]; /* of --against and --by, split at commas */
};

enum { OPTION_AGAINST = 256, OPTION_BY, OPTION_WHERE, OPTION_RELATIVE, OPTION_STUDY, OPTION_RUNS };

static const struct argp_option options[] = {
    {"against", OPTION_AGAINST, "PATH[,PATH]", 0,
     "what the metric depends on: the axis, or both axes of a heat map", 0},
    {"by", OPTION_BY, "PATH[,PATH]", 0,
     "a curve, or bar, for each of its values (default: none); applications are kept apart", 0},
    {"where", OPTION_WHERE, "PATH=VALUE[,VALUE...]", 0,
     "only runs and tenants with these values; may be repeated", 0},
    {"relative-to", OPTION_RELATIVE, "PATH=VALUE", 0,
     "divide by the value of the run that has this, and is alike otherwise", 0},
    {"study", OPTION_STUDY, "NUMBER|NAME", 0,
     "the runs of this study (mempath query studies; default: the latest)", 0},
    {"runs", OPTION_RUNS, "RUN, FIRST:LAST or latest", 0, "runs by their numbers in place of a study", 0},
    {"output", 'o', "FOLDER|FILE", 0,
     "where the picture goes: a folder (default: the current one), or FILE.svg, FILE.png or FILE.pdf", 0},
    {0},
};

static void set_first(struct values *v, const char *name)
{
    for (unsigned i = 0; i < PICTURES; i++)
        if (!strcmp(pictures[i].name, name))
            v->picture = &pictures[i];
    if (!v->picture)
        v->chart.metric = name;
}

/* Splits "a,b" into keys. */
static int keys(const char *option, const char *arg, char text[256], const char *key[CHART_KEYS], unsigned *n,
                struct mp_error *err)
{
    char *rest = NULL;
    *n = 0;
    if (strlen(arg) >= 256 || !*arg)
        return mp_fail(err, "%s: '%s' is no PATH", option, arg);
    snprintf(text, 256, "%s", arg);
    for (char *part = strtok_r(text, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
        if (*n == CHART_KEYS)
            return mp_fail(err, "%s: '%s' are too many; %u PATHs at most", option, arg, CHART_KEYS);
        key[(*n)++] = part;
    }
    return 0;
}

/* Splits PATH=VALUE[,VALUE...]. */
static int condition(const char *option, const char *arg, struct chart_condition *c, struct mp_error *err)
{
    size_t length = strcspn(arg, "=");
    if (!arg[length] || !length || length >= sizeof c->path)
        return mp_fail(err, "%s: '%s' is not PATH=VALUE", option, arg);
    snprintf(c->path, sizeof c->path, "%.*s", (int)length, arg);
    c->values = arg + length + 1;
    return 0;
}

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    struct chart_request *q = &v->chart;
    switch (key) {
    case 'o':
        v->output = arg;
        return 0;
    case OPTION_AGAINST:
        return keys("--against", arg, v->text[0], q->against, &q->nagainst, err);
    case OPTION_BY:
        return keys("--by", arg, v->text[1], q->by, &q->nby, err);
    case OPTION_WHERE:
        if (q->nwhere == CHART_WHERE)
            return mp_fail(err, "--where: %u at most", CHART_WHERE);
        return condition("--where", arg, &q->where[q->nwhere++], err);
    case OPTION_RELATIVE:
        return condition("--relative-to", arg, &q->relative, err);
    case OPTION_STUDY:
        q->study = arg;
        return 0;
    case OPTION_RUNS:
        q->latest = !strcmp(arg, "latest");
        return q->latest ? 0 : cli_runs(arg, &q->first, &q->last, err);
    case ARGP_KEY_ARG:
        break;
    default:
        return 0;
    }
    if (!v->picture && !q->metric)
        set_first(v, arg);
    else if (q->metric || v->run)
        return mp_fail(err, "plot: '%s' is unexpected; %s", arg, q->metric ? "one METRIC" : "one RUN");
    else
        return cli_number("RUN", arg, 1, INT64_MAX, &v->run, err);
    return 0;
}

static int list(const struct cli *cli)
{
    struct out_entry entries[PICTURES];
    for (unsigned i = 0; i < PICTURES; i++)
        entries[i] = (struct out_entry){pictures[i].name, pictures[i].title};
    out_list(cli->json, "picture", entries, PICTURES);
    if (!cli->json)
        puts("\nOr a metric of many runs, as in: mempath plot ipc --against l3_tlb.entries --by "
             "l3_tlb.policy");
    return CLI_DONE;
}

static const char *picture_name(unsigned i)
{
    return i < PICTURES ? pictures[i].name : NULL;
}

static int draw_metric(const struct cli *cli, struct mp_db *db, const struct values *v)
{
    struct chart chart;
    struct mp_error err;
    int code = chart_collect(&chart, db, &v->chart, &err) ? cli_fail(CLI_USAGE, "%s", err.text)
                                                          : chart_draw(cli, &chart, v->output);
    chart_free(&chart);
    return code;
}

static bool chosen(const struct chart_request *q)
{
    return q->nagainst || q->nby || q->nwhere || q->relative.values || q->study || q->last || q->latest;
}

int cmd_plot(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath plot",
                                           .args = "[METRIC | PICTURE [RUN]]",
                                           .word = picture_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.output = "."};
    struct mp_error err;
    struct mp_db *db;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.picture && !v.chart.metric && !chosen(&v.chart))
        return list(cli);
    if (!v.chart.metric && chosen(&v.chart))
        return cli_fail(
            CLI_USAGE,
            "plot: %s; only a METRIC has --against, --by, --where, --relative-to, --study and --runs",
            v.picture ? "a picture of one run" : "no METRIC");
    if (mp_db_open(&db, cli->db, MP_DB_READ, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    code = v.picture ? v.picture->draw(cli, db, (int64_t)v.run, v.output) : draw_metric(cli, db, &v);
    mp_db_close(db);
    return code;
}
