/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/out.h"
#include "cli/paper/headlines.h"
#include "cli/paper/reproduce.h"
#include "cli/plot/plot.h"
#include "cli/revision.h"
#include "cli/spawn.h"

static const char doc[] =
    "Runs what a paper's table or figure needs, prints the paper's numbers and the measured ones, and draws "
    "figures as SVG and PNG. Without an argument, lists the tables and figures, and the papers' headlines "
    "with what was measured.\vRuns that the database "
    "already has (same configuration, inputs and source revision) are not repeated, so an interrupted "
    "command continues where it stopped, and figures share their runs.\n"
    "\n"
    "STAR runs with the inputs and on the machine that the counts of its Table II imply (--size star), in "
    "about an hour. --size paper runs it on the machine that its Table I describes, with inputs of a "
    "gigabyte, where a figure takes hours. --size medium or small tries the machinery.\n"
    "\n"
    "--set changes a parameter in all runs, except where the figure itself varies it: an "
    "experiment that shows what a result depends on. --only runs a part of the workloads. "
    "Values of both are printed and not stored with the paper's.\n"
    "\n"
    "Performance of an application is its IPC relative to the figure's reference. Performance of a "
    "workload is the harmonic mean over its applications, and that of all workloads the average over them, "
    "as in the STAR paper. The figures of DWS have the sum of IPCs relative to the baseline's, "
    "with the geometric mean. Those of NeiDty have the speed of translation, its paper's measure, "
    "and IPC next to it, with the arithmetic mean; those of MESC have the arithmetic mean over sensitive (S) "
    "and other applications (I). Those of Fractional GPUs have times, and how much longer they "
    "are next to other applications. A figure named ext-... is one that the paper does not have; "
    "it is made only by its name, or with all others by PAPER/ext.\n"
    "\n"
    "The paper's numbers are in db/papers. The measured ones are committed in db/evidence, with the revision "
    "that gave them: --update writes those of the given size and scale. --check compares: it fails if a "
    "value differs by more than 2 %, or if another verdict follows for a statement of the paper.\n"
    "\n"
    "Examples:\n"
    "  mempath reproduce star/table2                 the applications, alone on a 3g instance each\n"
    "  mempath reproduce star --jobs 2               all of that paper\n"
    "  mempath reproduce star/fig10 --size paper     one figure on the machine of Table I\n"
    "  mempath reproduce dws/fig5 --jobs 2           total IPC of 45 pairs under DWS and DWS++\n"
    "  mempath reproduce neidty --jobs 2             all of NeiDty; its inputs are of size neidty\n"
    "  mempath reproduce mesc --jobs 2               all of MESC; its inputs are of size mesc\n"
    "  mempath reproduce neidty/ext-hop              a sweep that the paper does not have; neidty/ext: all\n"
    "  mempath reproduce fgpu --jobs 2               Fractional GPUs; its inputs are of size fgpu\n"
    "  mempath reproduce uvm --jobs 2                unified memory, as published logs of UVMSmart have it\n"
    "  mempath reproduce fgpu/fig8                   a load next to up to 49 other threads, in seconds\n"
    "  mempath reproduce headlines                   the papers' headlines, and which agree; nothing runs\n"
    "  mempath reproduce star/summary                the numbers and statements of the paper's text\n"
    "  mempath reproduce star/fig10 --size small --check    compare with the committed values\n"
    "  mempath reproduce dws/fig14 --size small --update    "
    "after a change of the models: commit these values\n"
    "  mempath reproduce star/fig10 --size small --only W4,W10 --set l3_tlb.mshrs=16    what it depends on\n"
    "  mempath reproduce dws/fig5 -o fig5.png        the picture in one file\n"
    "  mempath query \"SELECT * FROM run\"             the runs behind it";

struct values {
    const char *what, *folder;
    enum paper_size size;
    bool sized;
    uint64_t jobs;
    const char *evidence; /* folder; NULL: the included one */
    bool update, check;
    const char *only;
    const char *set[PAPER_SETS];
    unsigned nset;
};

enum { OPTION_UPDATE = 256, OPTION_CHECK, OPTION_EVIDENCE, OPTION_SET, OPTION_ONLY };

static const struct argp_option options[] = {
    {"size", 's', "SIZE", 0,
     "largest size of the inputs: small, medium, paper or star (default: star for STAR, else paper)", 0},
    {"set", OPTION_SET, "PATH=VALUE", 0, "change a parameter of the machine (see mempath params) in all runs",
     0},
    {"only", OPTION_ONLY, "NAME,NAME...", 0, "only these workloads of the figures, such as W4,W10 or BLK.3DS",
     0},
    {"jobs", 'j', "N", 0, "parallel runs (default: one per processor); the results are the same", 0},
    {"output", 'o', "FOLDER|FILE", 0,
     "where pictures go: a folder (default: the current one), or FILE.svg or FILE.png for one figure", 0},
    {"update", OPTION_UPDATE, NULL, 0, "write the measured values to db/evidence", 0},
    {"check", OPTION_CHECK, NULL, 0, "compare them with db/evidence; exit code 1 if they differ", 0},
    {"evidence", OPTION_EVIDENCE, "FOLDER", 0, "another folder in place of db/evidence", 0},
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
                v->sized = true;
                return 0;
            }
        }
        return mp_fail(err, "--size: unknown size '%s'; small, medium, paper or star", arg);
    case 'j':
        return cli_number("--jobs", arg, 1, 64, &v->jobs, err);
    case 'o':
        v->folder = arg;
        return 0;
    case OPTION_ONLY:
        v->only = arg;
        return 0;
    case OPTION_SET:
        if (!strchr(arg, '='))
            return mp_fail(err, "--set: '%s' has no value; path=value, as in l3_tlb.mshrs=32", arg);
        if (v->nset == PAPER_SETS)
            return mp_fail(err, "--set: at most %u of them", PAPER_SETS);
        v->set[v->nset++] = arg;
        return 0;
    case OPTION_UPDATE:
        v->update = true;
        return 0;
    case OPTION_CHECK:
        v->check = true;
        return 0;
    case OPTION_EVIDENCE:
        v->evidence = arg;
        return 0;
    default:
        if (v->what)
            return mp_fail(err, "reproduce: '%s' is unexpected; one PAPER or PAPER/FIGURE", arg);
        v->what = arg;
        return 0;
    }
}

/* The parts of a paper are STAR's Table II, the figures, and the summary. */
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
                                 : "The numbers and statements of the text, compared with the figures";
}

static bool exists(const struct evaluation *e, unsigned part)
{
    return part != TABLE2 || e->table2;
}

static bool is_extra(const struct evaluation *e, unsigned part)
{
    return part != TABLE2 && part <= e->nfigures && figure_is_extra(&e->figure[part - FIGURES]);
}

/* The name of a paper is all that the paper has, PAPER/ext all that it has not. */
static bool matches(const struct evaluation *e, unsigned part, const char *what)
{
    size_t n = strlen(e->paper);
    if (!exists(e, part) || strncmp(what, e->paper, n) != 0)
        return false;
    if (!what[n] || !strcmp(what + n, "/ext"))
        return is_extra(e, part) == (what[n] != 0);
    return what[n] == '/' && !strcmp(what + n + 1, part_name(e, part));
}

static int list_figures(const struct cli *cli)
{
    struct out_entry *entries = NULL;
    unsigned n = 0;
    for (unsigned i = 0; reproduce_paper_name(i); i++) {
        const struct evaluation *e = reproduce_evaluation(reproduce_paper_name(i));
        unsigned parts = parts_of(e);
        entries = cli_have(realloc(entries, (n + parts) * sizeof *entries));
        for (unsigned part = 0; part < parts; part++) {
            char *name;
            if (!exists(e, part))
                continue;
            if (asprintf(&name, "%s/%s", e->paper, part_name(e, part)) < 0)
                name = cli_have(NULL);
            entries[n++] = (struct out_entry){name, part_title(e, part)};
        }
    }
    out_list(cli->json, "figure", entries, n);
    for (unsigned i = 0; i < n; i++)
        free((char *)entries[i].name);
    free(entries);
    return CLI_DONE;
}

/* The papers' headlines, judged by the committed measurements. */
static int headlines(const struct cli *cli, const struct values *v)
{
    struct headlines h;
    struct mp_error err;
    char *included = spawn_beside("evidence");
    int code = CLI_DONE;
    if (headlines_read(&h, v->evidence ? v->evidence : included, &err)) {
        code = cli_fail(CLI_USAGE, "%s", err.text);
    } else if (cli->json) {
        struct out_json j = {.f = stdout};
        json_object(&j, NULL);
        headlines_json(&h, &j);
        json_end_object(&j);
    } else {
        headlines_print(&h, stdout);
        puts("Ratio: measured by printed; within 10 % agrees. Causes, and what was tried: "
             "db/evidence/README.md.");
    }
    headlines_free(&h);
    free(included);
    return code;
}

static int list(const struct cli *cli, const struct values *v)
{
    int code = list_figures(cli);
    if (code || cli->json)
        return code;
    putchar('\n');
    return headlines(cli, v);
}

/* The state of one command. */
struct making {
    const struct paper_context *c;
    const struct evaluation *e;
    bool *wanted; /* by part */
    struct pool pool;
    unsigned table2[TABLE2_APPS];
    struct figure_runs *runs;    /* by figure; n == 0: not needed */
    struct paper_points *points; /* by part */
    struct out_json json;
    struct evidence evidence;
    bool update, check;
    unsigned differences;
};

static bool needed(const struct making *m, unsigned figure)
{
    bool summary = m->wanted[m->e->nfigures + 1] && !is_extra(m->e, FIGURES + figure);
    return m->wanted[FIGURES + figure] || summary;
}

/* Whether the figure is made: it has some of the workloads, or none are asked for and it needs none. */
static bool has_points(const struct making *m, unsigned figure)
{
    const struct figure *f = m->runs[figure].f;
    return f && (f->measure ? !m->c->only : m->runs[figure].n > 0);
}

static int plan(struct making *m)
{
    bool some = m->wanted[TABLE2] = m->wanted[TABLE2] && !m->c->only;
    int code = m->wanted[TABLE2] ? reproduce_table2_plan(m->c, &m->pool, m->table2) : CLI_DONE;
    for (unsigned f = 0; !code && f < m->e->nfigures; f++)
        if (needed(m, f)) {
            code = figure_plan(&m->runs[f], m->c, m->e, &m->e->figure[f], &m->pool);
            some |= has_points(m, f);
        }
    return code || some ? code
                        : cli_fail(CLI_USAGE, "--only: nothing of that has the workloads %s", m->c->only);
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
        figure_json(r, &m->points[FIGURES + f], false, &m->json);
    } else {
        head(m, FIGURES + f);
        figure_print(r, &m->points[FIGURES + f]);
    }
    return figure_draw(r, &m->points[FIGURES + f]);
}

/* Stores a part's points in the database, unless the machine is changed or workloads are missing, and in the
 * evidence or compares them with it. */
static int keep(struct making *m, unsigned part, const char *unit)
{
    const struct paper_data *data = paper_data(m->e->paper);
    const struct paper_points *points = &m->points[part];
    const char *name = part_name(m->e, part), *kept = paper_figure_name(m->c, name);
    int code = m->c->nset || m->c->only ? CLI_DONE : paper_store(m->c, data->point, name, unit, points);
    if (!code && m->update)
        evidence_replace(&m->evidence, kept, points, MEMPATH_REVISION);
    if (!code && m->check)
        m->differences += evidence_check(&m->evidence, kept, name, data->claim, points);
    return code;
}

static int make_figures(struct making *m)
{
    int code = CLI_DONE;
    for (unsigned f = 0; !code && f < m->e->nfigures; f++) {
        if (!has_points(m, f))
            continue;
        code = figure_measure(&m->runs[f], &m->points[FIGURES + f]);
        if (!code)
            code = keep(m, FIGURES + f, m->e->figure[f].axis);
        if (!code)
            code = show_figure(m, f);
    }
    return code;
}

static int make_table2(struct making *m)
{
    if (!m->wanted[TABLE2])
        return CLI_DONE;
    reproduce_table2_measure(m->c, &m->pool, m->table2, &m->points[TABLE2]);
    int code = keep(m, TABLE2, "instructions");
    if (!code && m->c->cli->json) {
        reproduce_table2_json(m->c, &m->pool, m->table2, &m->json);
    } else if (!code) {
        head(m, TABLE2);
        reproduce_table2_print(m->c, &m->pool, m->table2);
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
            if (needed(m, f))
                figure_json(&m->runs[f], &m->points[FIGURES + f], true, &m->json);
        json_end_array(&m->json);
        json_end_object(&m->json);
        return;
    }
    head(m, m->e->nfigures + 1);
    struct out_table *numbers = figure_numbers_table(), *claims = figure_claims_table();
    for (unsigned f = 0; f < m->e->nfigures; f++) {
        if (!needed(m, f))
            continue;
        figure_numbers(&m->runs[f], &m->points[FIGURES + f], numbers);
        figure_claims(&m->runs[f], &m->points[FIGURES + f], claims);
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
        printf("%s at size %s: %u runs\n\n", m->e->title, paper_size_names[m->c->size], m->pool.n);
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
    struct mp_error err;
    if (!code && m->update && evidence_save(&m->evidence, &err))
        code = cli_fail(CLI_FAILED, "%s", err.text);
    return code ? code : m->differences ? CLI_FAILED : CLI_DONE;
}

/* Refuses what could not be compared or written, before hours of runs. */
static int check_evidence(struct making *m, const char *folder)
{
    struct mp_error err;
    if (!m->update && !m->check)
        return CLI_DONE;
    if (m->update && access(folder, W_OK))
        return cli_fail(CLI_USAGE, "%s: %s; a writable folder is needed", folder, strerror(errno));
    if (evidence_load(&m->evidence, folder, m->e->paper, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned part = 0; m->check && part < parts_of(m->e); part++) {
        const char *name = paper_figure_name(m->c, part_name(m->e, part));
        if (m->wanted[part] && part <= m->e->nfigures && !evidence_has(&m->evidence, name))
            return cli_fail(CLI_USAGE, "--check: %s has nothing of %s; --update writes it", m->evidence.path,
                            name);
    }
    return CLI_DONE;
}

/* A file has room for one figure. */
static int check_output(const struct making *m)
{
    unsigned figures = 0;
    for (unsigned f = 0; f < m->e->nfigures; f++)
        figures += m->wanted[FIGURES + f];
    return figures == 1 || !plot_is_file(m->c->folder)
               ? CLI_DONE
               : cli_fail(CLI_USAGE,
                          "-o: %s is a file for one figure, and this draws %u; name a folder, or one figure",
                          m->c->folder, figures);
}

static int reproduce(const struct paper_context *c, const struct evaluation *e, const struct values *v)
{
    struct making m = {.c = c, .e = e, .update = v->update, .check = v->check};
    unsigned wanted = 0;
    int code = CLI_DONE;
    m.wanted = cli_alloc(parts_of(e), sizeof *m.wanted);
    m.runs = cli_alloc(e->nfigures, sizeof *m.runs);
    m.points = cli_alloc(parts_of(e), sizeof *m.points);
    for (unsigned part = 0; part < parts_of(e); part++)
        wanted += m.wanted[part] = matches(e, part, v->what);
    if (!wanted)
        code = cli_fail(CLI_USAGE,
                        "reproduce: nothing named '%s'; mempath reproduce lists the tables and figures",
                        v->what);
    char *included = spawn_beside("evidence");
    if (!code)
        code = check_output(&m);
    if (!code)
        code = check_evidence(&m, v->evidence ? v->evidence : included);
    free(included);
    if (!code)
        code = make(&m);
    for (unsigned part = 0; part < parts_of(e); part++)
        free(m.points[part].point);
    evidence_free(&m.evidence);
    pool_free(&m.pool);
    free(m.wanted);
    free(m.runs);
    free(m.points);
    return code;
}

static const struct evaluation *find(const char *what)
{
    char paper[16];
    snprintf(paper, sizeof paper, "%.*s", (int)strcspn(what, "/"), what);
    return reproduce_evaluation(paper);
}

/* Refuses names that are no workloads. */
static int check_names(const struct evaluation *e, const char *list)
{
    const struct paper_data *data = paper_data(e->paper);
    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ",");
        unsigned w = 0;
        while (w < data->nworkloads &&
               (strlen(data->workload[w].name) != n || strncmp(data->workload[w].name, s, n)))
            w++;
        if (w == data->nworkloads)
            return cli_fail(
                CLI_USAGE, "--only: %s has no workload '%.*s'; %s to %s, as in db/papers/%s_workloads.csv",
                e->paper, (int)n, s, data->workload[0].name, data->workload[w - 1].name, e->paper);
        s += n;
        if (!*s)
            return CLI_DONE;
    }
}

int cmd_reproduce(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath reproduce",
                                           .args = "[PAPER[/FIGURE]]",
                                           .word = reproduce_paper_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.folder = "."};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.what)
        return list(cli, &v);
    if (!strcmp(v.what, "headlines"))
        return headlines(cli, &v);
    const struct evaluation *e = find(v.what);
    if (!e)
        return cli_fail(CLI_USAGE, "reproduce: nothing named '%s'; mempath reproduce lists all", v.what);
    if (!v.sized)
        v.size = e->recovered ? PAPER_STAR : PAPER_PAPER;
    if (v.size == PAPER_STAR && !e->recovered)
        return cli_fail(CLI_USAGE, "--size star: %s has no such inputs; small, medium or paper", e->paper);
    if (v.update && v.check)
        return cli_fail(CLI_USAGE,
                        "--check: excludes --update, which writes the measurements; use one of the two");
    if (v.nset && (v.update || v.check))
        return cli_fail(CLI_USAGE,
                        "--set: a changed machine has no evidence; leave out --update and --check");
    if (v.only && (v.update || v.check))
        return cli_fail(CLI_USAGE, "--only: evidence is of whole figures; leave out --update and --check");
    if (v.only && (code = check_names(e, v.only)))
        return code;
    struct paper_context c = {.cli = cli,
                              .size = v.size,
                              .parallel = v.jobs ? (unsigned)v.jobs : runs_default_parallel(),
                              .folder = v.folder,
                              .set = v.set,
                              .nset = v.nset,
                              .only = v.only};
    return reproduce(&c, e, &v);
}
