/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/trace/cache.h"
#include "trace/gwt_dump.h"
#include "trace/gwt_info.h"

/* A function of the C++ runtime library, whose header C cannot include. SystemC links it. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

static const char doc[] =
    "Checks a whole warp trace and prints its contents. info: kernels, work-groups, warps, "
    "accesses, lines and pages per access, footprint. C++ names are shortened in the table; "
    "--json has them in full, mangled and not. dump: buffers, launches and each warp's events, one in "
    "a line, with the number of instructions that the warp has issued, the source line, bytes per lane, "
    "the mask of active lanes, and addresses. Work-groups and warps are in the order of the file. "
    "--json is an array with an object for each line; --csv has rows that import reads.\vExamples:\n"
    "  mempath trace info mt.gwt.zst\n"
    "  mempath trace info mt.gwt.zst --json\n"
    "  mempath trace dump mt.gwt.zst | head -n 20\n"
    "  mempath trace dump mt.gwt.zst --launch 1 --group 7 --warp 0\n"
    "  mempath trace dump mt.gwt.zst --events 0:4 --json | head -n 20\n"
    "  mempath trace dump mt.gwt.zst --csv >mt.csv      then: mempath import mt.csv -o again.gwt.zst";

/* Kernels of CUDA programs have mangled names. */
static char *demangle(const char *name)
{
    enum { LONGEST = 16384 };
    int status;
    return strncmp(name, "_Z", 2) || strlen(name) > LONGEST ? NULL
                                                            : __cxa_demangle(name, NULL, NULL, &status);
}

struct values {
    const char *action, *file, *selects; /* selects: the last option that only dump has */
    struct gwt_dump dump;
};

enum { OPTION_KERNEL = 256, OPTION_LAUNCH, OPTION_GROUP, OPTION_WARP, OPTION_EVENTS, OPTION_CSV };

static const struct argp_option options[] = {
    {"kernel", OPTION_KERNEL, "NAME", 0, "dump: only launches of this kernel", 0},
    {"launch", OPTION_LAUNCH, "N", 0, "dump: only the N-th launch, from 1", 0},
    {"group", OPTION_GROUP, "N", 0, "dump: only the work-group with this number, from 0 (x fastest)", 0},
    {"warp", OPTION_WARP, "N", 0, "dump: only this warp of each work-group, from 0", 0},
    {"events", OPTION_EVENTS, "A:B", 0, "dump: only events A to B - 1 of each warp, from 0; B may be missing",
     0},
    {"csv", OPTION_CSV, NULL, 0, "dump: launches and events as comma-separated values", 0},
    {0},
};

static int read_events(const char *arg, struct gwt_dump *d, struct mp_error *err)
{
    char first[24];
    const size_t length = strcspn(arg, ":");
    if (arg[length] != ':' || length == 0 || length >= sizeof first)
        return mp_fail(err, "--events: '%s' is not A:B; two numbers, as in 0:100", arg);
    snprintf(first, sizeof first, "%.*s", (int)length, arg);
    if (cli_number("--events", first, 0, GWT_DUMP_ALL - 1, &d->first, err))
        return -1;
    return arg[length + 1]
               ? cli_number("--events", arg + length + 1, d->first + 1, GWT_DUMP_ALL - 1, &d->end, err)
               : 0;
}

static int select_part(struct values *v, int key, const char *arg, struct mp_error *err)
{
    struct gwt_dump *d = &v->dump;
    for (const struct argp_option *o = options; o->name; o++)
        if (o->key == key)
            v->selects = o->name;
    switch (key) {
    case OPTION_KERNEL:
        d->kernel = arg;
        return 0;
    case OPTION_LAUNCH:
        return cli_number("--launch", arg, 1, GWT_DUMP_ALL - 1, &d->launch, err);
    case OPTION_GROUP:
        return cli_number("--group", arg, 0, GWT_DUMP_ALL - 1, &d->group, err);
    case OPTION_WARP:
        return cli_number("--warp", arg, 0, GWT_DUMP_ALL - 1, &d->warp, err);
    case OPTION_CSV:
        d->csv = true;
        return 0;
    default:
        return read_events(arg, d, err);
    }
}

static int argument(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key >= OPTION_KERNEL && key <= OPTION_CSV)
        return select_part(v, key, arg, err);
    if (key != ARGP_KEY_ARG)
        return 0;
    if (!v->action)
        v->action = arg;
    else if (!v->file)
        v->file = arg;
    else
        return mp_fail(err, "trace: '%s' is unexpected; trace info FILE or trace dump FILE", arg);
    return 0;
}

static const char *action_name(unsigned i)
{
    static const char *const names[] = {"info", "dump"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static int dump(struct values *v, bool json)
{
    struct mp_error err;
    char checked[CACHE_FOLDER];
    if (json && v->dump.csv)
        return cli_fail(CLI_USAGE, "trace dump: --csv and --json are two forms; one of them");
    v->dump.known = cache_folder(checked, "checked", &err) ? NULL : checked;
    v->dump.json = json;
    const int failed = gwt_dump(v->file, &v->dump, stdout, &err);
    v->dump.known = NULL;
    return failed ? cli_fail(CLI_USAGE, "%s", err.text) : CLI_DONE;
}

int cmd_trace(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath trace",
                                           .args = "info|dump FILE",
                                           .doc = doc,
                                           .options = options,
                                           .option = argument,
                                           .word = action_name};
    struct values v = {
        .dump = {.launch = GWT_DUMP_ALL, .group = GWT_DUMP_ALL, .warp = GWT_DUMP_ALL, .end = GWT_DUMP_ALL}};
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (!v.action || (strcmp(v.action, "info") != 0 && strcmp(v.action, "dump") != 0))
        return cli_fail(CLI_USAGE, "trace: unknown action '%s'; trace info FILE or trace dump FILE",
                        v.action ? v.action : "");
    if (!v.file)
        return cli_fail(CLI_USAGE, "trace %s: no file; trace %s FILE, as record or import write them",
                        v.action, v.action);
    if (!strcmp(v.action, "dump"))
        return dump(&v, cli->json);
    if (v.selects)
        return cli_fail(CLI_USAGE, "trace info: --%s is for trace dump", v.selects);
    if (gwt_info(v.file, cli->json, demangle, stdout, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    return CLI_DONE;
}
