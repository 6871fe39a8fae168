/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/plugin/plugin.h"

/* The command line for the record of a run, with quotes where a shell needs them. */
static char *join(int argc, char **argv)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    fputs("mempath", f);
    for (int i = 1; i < argc; i++)
        fprintf(f, strpbrk(argv[i], " '\"$*?;&|<>()") || !argv[i][0] ? " '%s'" : " %s", argv[i]);
    fclose(f);
    return text;
}

static int unknown(const char *name)
{
    const char *names[32] = {0};
    struct mp_error err;
    for (unsigned i = 0; cli_commands[i].name; i++)
        names[i] = cli_commands[i].name;
    if (!strcmp(name, "test") || !strcmp(name, "models") || !strcmp(name, "package"))
        return cli_fail(CLI_USAGE, "%s: only the sources' script does this; platform/mempath %s", name, name);
    cli_unknown(&err, name, names, "mempath help lists them", "%s: unknown command", name);
    return cli_fail(CLI_USAGE, "%s", err.text);
}

static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--json"))
            return true;
    return false;
}

/* Plugins are loaded before anything reads the lists of designs. */
static int run(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
    struct mp_error err;
    if (command->designs && plugin_options(argv, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    return cli_run(cli, command, argc, argv);
}

int main(int argc, char **argv)
{
    setenv("ARGP_HELP_FMT", "rmargin=100,no-dup-args-note", 0);
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1); /* stdout is for results */
    const char *db = getenv("MEMPATH_DB");
    char *command_line = join(argc, argv);
    struct cli cli = {.db = db && *db ? db : "mempath.db",
                      .command_line = command_line ? command_line : "mempath",
                      .json = asks_json(argc, argv)};
    int code;
    if (cli.json)
        cli_fail_as_json();
    if (!cli_name_first(argc, argv)) {
        char help[] = "help", *arguments[] = {help, NULL};
        bool asked = argc == 1 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h");
        code = asked ? cmd_help(&cli, 1, arguments)
                     : cli_fail(CLI_USAGE, "%s: no command; mempath help lists them", argv[1]);
    } else {
        const struct cli_command *c = cli_commands;
        while (c->name && strcmp(c->name, argv[1]) != 0)
            c++;
        code = c->name ? run(&cli, c, argc - 1, argv + 1) : unknown(argv[1]);
    }
    free(command_line);
    if (fflush(stdout) && !code)
        code = cli_fail(CLI_FAILED, "stdout: not everything could be written");
    return cli_stop && code ? 128 + (int)cli_stop : code;
}
