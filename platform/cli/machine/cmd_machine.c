/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/machine/machine.h"

static const char doc[] =
    "Shows the machine that a preset, an experiment or a YAML file describes: its blocks (SMs, TLBs, page "
    "walkers, caches, DRAM) and the links between them. Without a name, shows the demonstration's machine.\v"
    "In the table, a row is a group of blocks that differ only in the numbers of their paths. --json lists "
    "every block and every link.\n"
    "\n"
    "Examples:\n"
    "  mempath machine                                    the demonstration's machine\n"
    "  mempath machine star-a100-mig                      a preset\n"
    "  mempath machine star/w2 -o machine.svg             an experiment's, and a picture of it\n"
    "  mempath machine star/w2 --set l2_tlb.per=tenant    with another machine (mempath params .per)\n"
    "  mempath machine dws-30sm --all                     every block and every link\n"
    "  mempath machine demo --json                        the same for a program\n"
    "  mempath run --list                                 the presets and experiments";

#define MAX_OVERRIDES 64u

struct values {
    const char *name, *output;
    const char *override[MAX_OVERRIDES];
    unsigned noverrides;
    bool all;
};

static const struct argp_option options[] = {
    {"set", 's', "PATH=VALUE", 0,
     "change a parameter (see mempath params) or tenants.N.app, .size, .slices, .trace", 0},
    {"all", 'a', NULL, 0, "print a row for each block and for each link", 0},
    {"output", 'o', "FILE", 0,
     "also draw the machine: FILE.svg, .png, .pdf or, as a graph for Graphviz, .dot", 0},
    {0},
};

static int option(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    switch (key) {
    case 's':
        if (!strchr(arg, '='))
            return mp_fail(err, "--set: '%s' has no value; path=value, as in l3_tlb.per=none", arg);
        if (v->noverrides == MAX_OVERRIDES)
            return mp_fail(err, "machine: more than %u --set; at most %u", MAX_OVERRIDES, MAX_OVERRIDES);
        v->override[v->noverrides++] = arg;
        return 0;
    case 'a':
        v->all = true;
        return 0;
    case 'o':
        v->output = arg;
        return machine_picture_check(arg, err);
    default:
        if (v->name)
            return mp_fail(err, "machine: '%s' is unexpected; one PRESET or EXPERIMENT", arg);
        v->name = arg;
        return 0;
    }
}

static int show(const struct cli *cli, const struct values *v, const struct machine *m)
{
    int code = v->output ? machine_picture(m, v->output) : CLI_DONE;
    if (code)
        return code;
    if (cli->json)
        machine_print_json(m);
    else if (v->all)
        machine_print_all(m);
    else
        machine_print(m);
    if (v->output && !cli->json)
        puts(v->output);
    return CLI_DONE;
}

int cmd_machine(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath machine",
                                           .args = "[PRESET|EXPERIMENT]",
                                           .word = mp_config_name,
                                           .doc = doc,
                                           .options = options,
                                           .option = option};
    struct values v = {0};
    struct machine m;
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (machine_load(&m, v.name ? v.name : "demo", v.noverrides, v.override, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    code = show(cli, &v, &m);
    machine_free(&m);
    return code;
}
