/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/manual.h"
#include "cli/out.h"

const struct cli_command cli_commands[] = {
    {"run", "run experiments; without a name, the demonstration", cmd_run, true},
    {"sweep", "run experiments under all combinations of values, here or on a cluster", cmd_sweep, true},
    {"merge", "bring the runs of several databases into one", cmd_merge, false},
    {"query", "query the result database", cmd_query, false},
    {"plot", "draw metrics of many runs, or what a run recorded", cmd_plot, false},
    {"report", "write a page about the database", cmd_report, false},
    {"serve", "show that page over the database as it changes, with SQL", cmd_serve, false},
    {"params", "list every parameter of the machine", cmd_params, true},
    {"machine", "show the blocks and links of a machine, and draw them", cmd_machine, true},
    {"plugin", "begin a design of your own, outside of the sources", cmd_plugin, false},
    {"replay", "run a reference model alone on a stimulus file", cmd_replay, true},
    {"reveal", "find a GPU's address functions by time alone", cmd_reveal, false},
    {"chase", "measure latencies and reaches by pointer chases", cmd_chase, true},
    {"plan", "plan how two applications share a GPU", cmd_plan, true},
    {"cosim", "compare RTL with its reference model", cmd_cosim, false},
    {"rtl", "area and period of the RTL, equivalence of its netlist", cmd_rtl, false},
    {"reproduce", "compare a paper's tables and figures with measurements", cmd_reproduce, false},
    {"evidence", "run the checks that take long, within a time", cmd_evidence, false},
    {"firmware", "run firmware on the management core, list its registers", cmd_firmware, true},
    {"bench", "measure simulation speed", cmd_bench, false},
    {"record", "record a program's warp trace", cmd_record, false},
    {"import", "turn Accel-Sim / NVBit traces into a warp trace", cmd_import, false},
    {"trace", "show what a warp trace contains", cmd_trace, false},
    {"help", "this list, or one command's help", cmd_help, false},
    {0},
};

/* Commands that only the script of the source tree has, for the overview. */
static const struct {
    const char *after, *name, *summary;
} of_script[] = {
    {"run", "test", "build and run the test suite (platform/mempath test)"},
    {"cosim", "models", "the models as a library for benches in C or SystemVerilog"},
    {"trace", "package", "make a Debian package of mempath (platform/mempath package)"},
};

static void overview_json(void)
{
    struct out_entry list[64];
    unsigned n = 0;
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        list[n++] = (struct out_entry){c->name, c->summary};
        for (unsigned i = 0; i < sizeof of_script / sizeof *of_script; i++)
            if (!strcmp(c->name, of_script[i].after))
                list[n++] = (struct out_entry){of_script[i].name, of_script[i].summary};
    }
    out_list(true, "command", list, n);
}

static void overview(FILE *f)
{
    fputs("mempath: a virtual platform of a GPU's memory path\n"
          "\n"
          "Usage: mempath COMMAND [ARGUMENT...]\n"
          "\n",
          f);
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        fprintf(f, "  %-10s %s\n", c->name, c->summary);
        for (unsigned i = 0; i < sizeof of_script / sizeof *of_script; i++)
            if (!strcmp(c->name, of_script[i].after))
                fprintf(f, "  %-10s %s\n", of_script[i].name, of_script[i].summary);
    }
    fputs(
        "\n"
        "Start with:\n"
        "  mempath run                     the demonstration, about half a minute\n"
        "  mempath run star/w2             a workload of the STAR paper\n"
        "  mempath query                   the queries of the database\n"
        "  mempath COMMAND --help          a command's options, with examples\n"
        "\n"
        "Exit code: 0 done, 1 a run or check failed, 2 bad usage or input (one line says where and what is\n"
        "allowed), 130 after Ctrl-C. With --json, the line on stderr is "
        "{\"error\": TEXT, \"code\": 1 or 2}.\n"
        "Results go to mempath.db in the current folder, or to --db FILE or MEMPATH_DB. Recorded traces and\n"
        "compiled RTL are kept in ~/.cache/mempath, XDG_CACHE_HOME/mempath or MEMPATH_CACHE.\n",
        f);
}

enum { KEY_MAN = 0x100, KEY_BASH };

struct help_values {
    const char *name;
    int form; /* 0: text */
};

static const struct argp_option help_options[] = {
    {"man", KEY_MAN, NULL, 0, "print the manual page of all commands (mdoc)", 0},
    {"bash", KEY_BASH, NULL, 0, "print the completion of command lines for bash", 0},
    {0},
};

static int help_option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct help_values *v = values;
    if (key == KEY_MAN || key == KEY_BASH)
        v->form = key;
    if (key != ARGP_KEY_ARG)
        return 0;
    if (v->name)
        return mp_fail(err, "help: '%s' is unexpected; one COMMAND", arg);
    v->name = arg;
    return 0;
}

static const char *command_name(unsigned i)
{
    return cli_commands[i].name;
}

static void print_manual(struct cli *cli)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = cli_have(open_memstream(&text, &size));
    overview(f);
    fclose(f);
    manual_page(cli, cli_have(text));
    free(text);
}

int cmd_help(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath help",
        .args = "[COMMAND]",
        .doc = "Lists the commands, or explains one.\vExamples:\n"
               "  mempath help run\n"
               "  mempath help --man > mempath.1 && man -l mempath.1\n"
               "  mempath help --bash > mempath.bash      to be sourced by bash; a package has it installed",
        .options = help_options,
        .option = help_option,
        .word = command_name};
    struct help_values v = {0};
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.form && v.name)
        return cli_fail(CLI_USAGE, "help: --man and --bash are of all commands; without '%s'", v.name);
    if (v.form == KEY_MAN)
        print_manual(cli);
    else if (v.form)
        manual_completion(cli);
    else if (!v.name && cli->json)
        overview_json();
    else if (!v.name)
        overview(stdout);
    if (!v.name)
        return CLI_DONE;
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        char help[] = "--help", *arguments[] = {(char *)(uintptr_t)v.name, help, NULL};
        if (!strcmp(c->name, v.name))
            return cli_run(cli, c, 2, arguments);
    }
    return cli_fail(CLI_USAGE, "help: unknown command '%s'; mempath help lists them", v.name);
}
