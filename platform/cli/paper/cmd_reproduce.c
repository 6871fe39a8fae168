/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/out.h"
#include "cli/paper/reproduce.h"
#include "cli/paper/scale.h"

static const char doc[] =
    "Runs what a paper's table or figure needs, then prints paper beside measured, and draws figures as SVG "
    "and PNG. Without an argument, lists what there is."
    "\vRuns that the database holds already (same configuration, inputs and source revision) are not run "
    "again, so an interrupted one goes on where it stopped, and figures share their runs. The default is the "
    "paper's size, where a figure takes hours. --scale 8 is a machine an eighth as wide with an eighth of "
    "the inputs, in about an eighth of the time. --size medium or small tries the machinery.\n\n"
    "Performance of an application is its IPC relative to the figure's reference; that of a workload is the "
    "harmonic mean over its applications, that of all workloads the average over them, as in the paper. DWS "
    "has "
    "the sum of IPCs relative to the baseline's, with the geometric mean.\n\n"
    "Examples:\n"
    "  mempath reproduce star/table2                 the applications, alone on a 3g instance each\n"
    "  mempath reproduce star --scale 8 --jobs 2     everything of that paper, on an eighth of the machine\n"
    "  mempath reproduce star/fig10                  one figure at the paper's size\n"
    "  mempath reproduce dws/fig5 --jobs 2           total IPC of 45 pairs under DWS and DWS++\n"
    "  mempath reproduce star/summary --scale 8      the text's numbers, and what it says without one\n"
    "  mempath query \"SELECT * FROM run\"             the runs behind it";

const char *const paper_size_names[] = {"small", "medium", "paper", NULL};

struct values {
    const char *what, *folder;
    enum paper_size size;
    uint64_t jobs, scale;
};

static const struct argp_option options[] = {
    {"size", 's', "small|medium|paper", 0, "inputs are at most that large (default: paper)", 0},
    {"scale", 'S', "1|8", 0, "a machine and inputs that much smaller (default: 1)", 0},
    {"jobs", 'j', "N", 0, "runs at once (default: one per processor); the results are the same", 0},
    {"output", 'o', "FOLDER", 0, "where pictures go (default: the current folder)", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case 's':
        for (unsigned i = 0; paper_size_names[i]; i++) {
            if (!strcmp(arg, paper_size_names[i])) {
                v->size = (enum paper_size)i;
                return 0;
            }
        }
        return mp_fail(err, "--size: unknown size '%s'; small, medium or paper", arg);
    case 'S':
        if (cli_number("--scale", arg, 1, SCALE_MOST, &v->scale, err))
            return -1;
        return v->scale == 1 || v->scale == SCALE_MOST
                   ? 0
                   : mp_fail(err, "--scale: there are no inputs for %s; 1 or %u", arg, SCALE_MOST);
    case 'j':
        return cli_number("--jobs", arg, 1, 64, &v->jobs, err);
    case 'o':
        v->folder = arg;
        return 0;
    default:
        if (v->what)
            return mp_fail(err, "reproduce: '%s' is too much; one PAPER or PAPER/FIGURE", arg);
        v->what = arg;
        return 0;
    }
}

/* What there is of a paper: STAR's Table II, the figures, and the summary of them all. */
static const struct evaluation *const papers[] = {&reproduce_star, &reproduce_dws};
#define PAPERS (sizeof papers / sizeof *papers)

enum { TABLE2, FIGURES, SUMMARY }; /* figure f is FIGURES + f, the summary comes after the last */

static unsigned parts_of(const struct evaluation *e)
{
    return e->nfigures + 2;
}

static const char *part_name(const struct evaluation *e, unsigned part)
{
    return part == TABLE2 ? "table2" : part <= e->nfigures ? e->figure[part - FIGURES].name : "summary";
}

static const char *part_title(const struct evaluation *e, unsigned part)
{
    return part == TABLE2        ? "Instruction counts, L2 TLB misses and class of the ten applications"
           : part <= e->nfigures ? e->figure[part - FIGURES].title
                                 : "Every number of the text that a figure has, and what it says without one";
}

static bool exists(const struct evaluation *e, unsigned part)
{
    return part != TABLE2 || e->table2;
}

static bool matches(const struct evaluation *e, unsigned part, const char *what)
{
    size_t n = strlen(e->paper);
    return exists(e, part) && !strncmp(what, e->paper, n) &&
           (!what[n] || (what[n] == '/' && !strcmp(what + n + 1, part_name(e, part))));
}

static int list(const struct cli *cli)
{
    struct out_entry *entries = NULL;
    unsigned n = 0;
    for (unsigned i = 0; i < PAPERS; i++) {
        unsigned parts = parts_of(papers[i]);
        entries = realloc(entries, (n + parts) * sizeof *entries);
        if (!entries)
            exit(cli_fail(CLI_FAILED, "out of memory"));
        for (unsigned part = 0; part < parts; part++) {
            char *name;
            if (!exists(papers[i], part))
                continue;
            if (asprintf(&name, "%s/%s", papers[i]->paper, part_name(papers[i], part)) < 0)
                exit(cli_fail(CLI_FAILED, "out of memory"));
            entries[n++] = (struct out_entry){name, part_title(papers[i], part)};
        }
    }
    out_list(cli->json, "figure", entries, n);
    for (unsigned i = 0; i < n; i++)
        free((char *)entries[i].name);
    free(entries);
    return CLI_DONE;
}

/* All that one call makes. */
struct making {
    const struct paper_context *c;
    const struct evaluation *e;
    bool *wanted; /* by part */
    struct pool pool;
    unsigned table2[TABLE2_APPS];
    struct figure_runs *runs;    /* by figure, n == 0: not needed */
    struct paper_points *points; /* likewise */
    struct out_json json;
};

static bool needed(const struct making *m, unsigned figure)
{
    return m->wanted[FIGURES + figure] || m->wanted[m->e->nfigures + 1];
}

static int plan(struct making *m)
{
    int code = m->wanted[TABLE2] ? reproduce_table2_plan(m->c, &m->pool, m->table2) : CLI_DONE;
    for (unsigned f = 0; !code && f < m->e->nfigures; f++)
        if (needed(m, f))
            code = figure_plan(&m->runs[f], m->c, m->e, &m->e->figure[f], &m->pool);
    return code;
}

static void head(const struct making *m, unsigned part)
{
    static bool some;
    printf("%s%s/%s: %s\n\n", some ? "\n" : "", m->e->paper, part_name(m->e, part), part_title(m->e, part));
    some = true;
}

static int show_figure(struct making *m, unsigned f)
{
    const struct figure_runs *r = &m->runs[f];
    if (!m->wanted[FIGURES + f])
        return CLI_DONE;
    if (m->c->cli->json) {
        figure_json(r, &m->points[f], false, &m->json);
    } else {
        head(m, FIGURES + f);
        figure_print(r, &m->points[f]);
    }
    return figure_draw(r, &m->points[f]);
}

static int make_figures(struct making *m)
{
    int code = CLI_DONE;
    for (unsigned f = 0; !code && f < m->e->nfigures; f++) {
        const struct figure *figure = &m->e->figure[f];
        if (!needed(m, f))
            continue;
        code = figure_measure(&m->runs[f], &m->points[f]);
        if (!code)
            code = paper_store(m->c, m->e->points, figure->name, figure->axis, &m->points[f]);
        if (!code)
            code = show_figure(m, f);
    }
    return code;
}

static int make_table2(struct making *m)
{
    if (!m->wanted[TABLE2])
        return CLI_DONE;
    int code = reproduce_table2_store(m->c, &m->pool, m->table2);
    if (!code && m->c->cli->json) {
        reproduce_table2_json(&m->pool, m->table2, &m->json);
    } else if (!code) {
        head(m, TABLE2);
        reproduce_table2_print(&m->pool, m->table2);
    }
    return code;
}

static void make_summary(struct making *m)
{
    if (!m->wanted[m->e->nfigures + 1])
        return;
    if (m->c->cli->json) {
        json_object(&m->json, NULL);
        char name[64];
        snprintf(name, sizeof name, "%s/summary", m->e->paper);
        json_text(&m->json, "figure", name);
        json_array(&m->json, "figures");
        for (unsigned f = 0; f < m->e->nfigures; f++)
            figure_json(&m->runs[f], &m->points[f], true, &m->json);
        json_end_array(&m->json);
        json_end_object(&m->json);
        return;
    }
    head(m, m->e->nfigures + 1);
    struct out_table *numbers = figure_numbers_table(), *claims = figure_claims_table();
    for (unsigned f = 0; f < m->e->nfigures; f++) {
        figure_numbers(&m->runs[f], &m->points[f], numbers);
        figure_claims(&m->runs[f], &m->points[f], claims);
    }
    out_table_print(numbers, stdout);
    putchar('\n');
    out_table_print(claims, stdout);
}

static int make(struct making *m)
{
    bool json = m->c->cli->json, several = false;
    unsigned wanted = 0;
    for (unsigned part = 0; part < parts_of(m->e); part++)
        wanted += m->wanted[part];
    several = wanted > 1;
    int code = plan(m);
    if (!code && !json) {
        printf("%s at size %s%s: %u runs\n\n", m->e->title, paper_size_names[m->c->size],
               m->c->scale > 1 ? ", a machine and inputs of an eighth" : "", m->pool.n);
        fflush(stdout);
    }
    if (!code)
        code = runs_execute(m->c->cli, m->pool.job, m->pool.n, m->c->parallel, true);
    m->json.f = stdout;
    if (!code && json && several)
        json_array(&m->json, NULL);
    if (!code)
        code = make_table2(m);
    if (!code)
        code = make_figures(m);
    if (!code)
        make_summary(m);
    if (!code && json && several)
        json_end_array(&m->json);
    return code;
}

static int reproduce(const struct paper_context *c, const struct evaluation *e, const char *what)
{
    struct making m = {.c = c, .e = e};
    unsigned wanted = 0;
    m.wanted = cli_alloc(parts_of(e), sizeof *m.wanted);
    m.runs = cli_alloc(e->nfigures, sizeof *m.runs);
    m.points = cli_alloc(e->nfigures, sizeof *m.points);
    for (unsigned part = 0; part < parts_of(e); part++)
        wanted += m.wanted[part] = matches(e, part, what);
    int code = wanted
                   ? make(&m)
                   : cli_fail(CLI_USAGE,
                              "reproduce: nothing named '%s'; mempath reproduce lists what there is", what);
    for (unsigned f = 0; f < e->nfigures; f++)
        free(m.points[f].point);
    pool_free(&m.pool);
    free(m.wanted);
    free(m.runs);
    free(m.points);
    return code;
}

static const struct evaluation *find(const char *what)
{
    for (unsigned i = 0; i < PAPERS; i++)
        if (strlen(papers[i]->paper) == strcspn(what, "/") &&
            !strncmp(what, papers[i]->paper, strlen(papers[i]->paper)))
            return papers[i];
    return NULL;
}

int cmd_reproduce(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath reproduce",
                                           .args = "[PAPER[/FIGURE]]",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.size = PAPER_PAPER, .folder = ".", .scale = 1};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.what)
        return list(cli);
    const struct evaluation *e = find(v.what);
    if (!e)
        return cli_fail(CLI_USAGE, "reproduce: nothing named '%s'; mempath reproduce lists what there is",
                        v.what);
    if (v.scale > 1 && !e->eighth)
        return cli_fail(CLI_USAGE, "--scale: %s has no inputs of an eighth; 1", e->paper);
    if (v.scale > 1 && v.size != PAPER_PAPER)
        return cli_fail(CLI_USAGE, "--scale: %u is for --size paper; one of the two", SCALE_MOST);
    struct paper_context c = {.cli = cli,
                              .size = v.size,
                              .scale = (unsigned)v.scale,
                              .parallel = v.jobs ? (unsigned)v.jobs : runs_default_parallel(),
                              .folder = v.folder};
    return reproduce(&c, e, v.what);
}
