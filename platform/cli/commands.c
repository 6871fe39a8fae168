/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

const struct cli_command cli_commands[] = {
    {"run", "run experiments; without a name, the demonstration", cmd_run},
    {"sweep", "run experiments under all combinations of values, here or on a cluster", cmd_sweep},
    {"merge", "bring the runs of several databases into one", cmd_merge},
    {"query", "query the result database", cmd_query},
    {"plot", "draw what a run recorded", cmd_plot},
    {"params", "list every parameter of the machine", cmd_params},
    {"machine", "show the blocks and links of a machine, and draw them", cmd_machine},
    {"replay", "run a reference model alone on a stimulus file", cmd_replay},
    {"reveal", "find a GPU's address functions by time alone", cmd_reveal},
    {"cosim", "compare RTL with its reference model", cmd_cosim},
    {"rtl", "area and period of the RTL, equivalence of its netlist", cmd_rtl},
    {"reproduce", "compare a paper's tables and figures with measurements", cmd_reproduce},
    {"evidence", "run the checks that take long, within a time", cmd_evidence},
    {"firmware", "run firmware on the management core, list its registers", cmd_firmware},
    {"bench", "measure simulation speed", cmd_bench},
    {"record", "record a program's warp trace", cmd_record},
    {"import", "turn Accel-Sim / NVBit traces into a warp trace", cmd_import},
    {"trace", "show what a warp trace contains", cmd_trace},
    {"help", "this list, or one command's help", cmd_help},
    {0},
};

static void overview(void)
{
    puts("mempath: a virtual platform of a GPU's memory path\n"
         "\n"
         "Usage: mempath COMMAND [ARGUMENT...]\n");
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        printf("  %-10s %s\n", c->name, c->summary);
        if (!strcmp(c->name, "run"))
            printf("  %-10s %s\n", "test", "build and run the test suite (platform/mempath test)");
        if (!strcmp(c->name, "cosim"))
            printf("  %-10s %s\n", "models", "the models as a library for benches in C or SystemVerilog");
    }
    puts("\n"
         "Start with:\n"
         "  mempath run                     the demonstration, about half a minute\n"
         "  mempath run star/w2             a workload of the STAR paper\n"
         "  mempath query                   the queries of the database\n"
         "  mempath COMMAND --help          a command's options, with examples\n"
         "\n"
         "Exit code: 0 done, 1 a run or check failed, 2 bad usage or input (one line says where and what is\n"
         "allowed). Results go to mempath.db in the current folder, or to --db FILE or MEMPATH_DB.");
}

static int help_argument(void *values, int key, const char *arg, struct mp_error *err)
{
    const char **name = values;
    if (key != ARGP_KEY_ARG)
        return 0;
    if (*name)
        return mp_fail(err, "help: '%s' is unexpected; one COMMAND", arg);
    *name = arg;
    return 0;
}

int cmd_help(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath help",
                                           .args = "[COMMAND]",
                                           .doc = "Lists the commands, or explains one.",
                                           .option = help_argument};
    const char *name = NULL;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &name, &code))
        return code;
    if (!name) {
        overview();
        return CLI_DONE;
    }
    for (const struct cli_command *c = cli_commands; c->name; c++) {
        char help[] = "--help", *arguments[] = {(char *)(uintptr_t)name, help, NULL};
        if (!strcmp(c->name, name))
            return c->run(cli, 2, arguments);
    }
    return cli_fail(CLI_USAGE, "help: unknown command '%s'; mempath help lists them", name);
}
