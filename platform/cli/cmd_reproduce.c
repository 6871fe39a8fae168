/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/out.h"
#include "cli/paper.h"

static const char doc[] =
    "Runs what a paper's table or figure needs, then prints paper beside measured, and draws figures as SVG "
    "and PNG. "
    "Without an argument, lists what there is."
    "\vRuns that the database holds already (same configuration, inputs and source revision) are not run "
    "again, so an "
    "interrupted one goes on where it stopped. The default size is that of the paper and takes from minutes "
    "(a "
    "table) to hours (a figure) on two processors; --size medium gives the picture's outline in minutes.\n\n"
    "Examples:\n"
    "  mempath reproduce star/table2                 the applications, alone on a 3g instance each\n"
    "  mempath reproduce star/fig3 --size medium     what sharing the L3 TLB costs, with smaller inputs\n"
    "  mempath reproduce star --jobs 2               everything of that paper\n"
    "  mempath query \"SELECT * FROM run\"             the runs behind it";

struct figure {
    const char *paper, *name, *title;
    int (*make)(const struct paper_context *c);
};

static const struct figure figures[] = {
    {"star", "table2", "instruction counts, L2 TLB misses and class of the ten applications",
     reproduce_star_table2},
    {"star", "fig3", "performance of each application in W1 to W11 relative to running alone",
     reproduce_star_fig3},
};
#define FIGURES (sizeof figures / sizeof *figures)

const char *const paper_size_names[] = {"small", "medium", "paper", NULL};

struct values {
    const char *what, *folder;
    enum paper_size size;
    uint64_t jobs;
};

static const struct argp_option options[] = {
    {"size", 's', "small|medium|paper", 0, "inputs are at most that large (default: paper)", 0},
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

static bool matches(const struct figure *f, const char *what)
{
    size_t n = strlen(f->paper);
    return !strncmp(what, f->paper, n) && (!what[n] || (what[n] == '/' && !strcmp(what + n + 1, f->name)));
}

static int list(const struct cli *cli)
{
    static const char *const heads[] = {"figure", "what it shows"};
    struct out_table *t = cli->json ? NULL : out_table_new(2, heads);
    struct out_json j = {.f = stdout};
    if (cli->json)
        json_array(&j, NULL);
    for (unsigned i = 0; i < FIGURES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s/%s", figures[i].paper, figures[i].name);
        if (cli->json) {
            json_object(&j, NULL);
            json_text(&j, "figure", name);
            json_text(&j, "title", figures[i].title);
            json_end_object(&j);
        } else {
            out_cell(t, "%s", name);
            out_cell(t, "%s", figures[i].title);
        }
    }
    if (cli->json)
        json_end_array(&j);
    else
        out_table_print(t, stdout);
    return CLI_DONE;
}

int cmd_reproduce(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath reproduce",
                                           .args = "[PAPER[/FIGURE]]",
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {.size = PAPER_PAPER, .folder = "."};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.what)
        return list(cli);
    struct paper_context c = {.cli = cli,
                              .size = v.size,
                              .parallel = v.jobs ? (unsigned)v.jobs : runs_default_parallel(),
                              .folder = v.folder};
    unsigned made = 0, wanted = 0;
    for (unsigned i = 0; i < FIGURES; i++)
        wanted += matches(&figures[i], v.what);
    if (!wanted)
        return cli_fail(CLI_USAGE, "reproduce: nothing named '%s'; mempath reproduce lists what there is",
                        v.what);
    if (cli->json && wanted > 1)
        return cli_fail(CLI_USAGE, "reproduce: --json prints one document; one figure, as in %s/%s",
                        figures[0].paper, figures[0].name);
    code = CLI_DONE;
    for (unsigned i = 0; !code && i < FIGURES; i++) {
        if (matches(&figures[i], v.what)) {
            if (made++)
                putchar('\n');
            code = figures[i].make(&c);
        }
    }
    return code;
}
