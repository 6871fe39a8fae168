/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "trace/gwt_info.h"

/* A function of the C++ runtime library, whose header C cannot include. SystemC links it. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

static const char doc[] = "Checks a whole warp trace and prints its contents: kernels, work-groups, warps, "
                          "accesses, lines and pages per access, footprint. C++ names are shortened in the "
                          "table; --json has them in full, mangled and not.\vExamples:\n"
                          "  mempath trace info mt.gwt.zst\n"
                          "  mempath trace info mt.gwt.zst --json";

/* Kernels of CUDA programs have mangled names. */
static char *demangle(const char *name)
{
    enum { LONGEST = 16384 };
    int status;
    return strncmp(name, "_Z", 2) || strlen(name) > LONGEST ? NULL
                                                            : __cxa_demangle(name, NULL, NULL, &status);
}

struct values {
    const char *action, *file;
};

static int argument(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key != ARGP_KEY_ARG)
        return 0;
    if (!v->action)
        v->action = arg;
    else if (!v->file)
        v->file = arg;
    else
        return mp_fail(err, "trace: '%s' is unexpected; trace info FILE", arg);
    return 0;
}

static const char *action_name(unsigned i)
{
    return i ? NULL : "info";
}

int cmd_trace(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath trace", .args = "info FILE", .doc = doc, .option = argument, .word = action_name};
    struct values v = {0};
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.action || strcmp(v.action, "info") != 0)
        return cli_fail(CLI_USAGE, "trace: unknown action '%s'; trace info FILE", v.action ? v.action : "");
    if (!v.file)
        return cli_fail(CLI_USAGE, "trace info: no file; trace info FILE, as record or import write them");
    if (gwt_info(v.file, cli->json, demangle, stdout, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    return CLI_DONE;
}
