/* SPDX-License-Identifier: Apache-2.0 */
/* mempath-record: runs an application of the project, or a user's kernel, and writes its warp trace. */
#include "launch.h"
#include "modules.h"
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char help[] =
    "mempath-record APP [--size SIZE] [--seed N] [--input FILE] -o F                record an application\n"
    "mempath-record --list [--json]                                                 the applications\n"
    "mempath-record --key APP [--size SIZE] [--seed N] [--input FILE]               its trace's content key\n"
    "mempath-record --cl FILE.cl [-D NAME[=VALUE]]... [-I FOLDER]...\n"
    "               {--kernel NAME --global X[,Y[,Z]] --local X[,Y[,Z]] {--arg SPEC}}... -o F\n"
    "                                                                               your own kernels\n"
    "mempath-record --cu FILE.cu [-D NAME[=VALUE]]... [-I FOLDER]...\n"
    "               {--kernel NAME --grid X[,Y[,Z]] --block X[,Y[,Z]] [--shared BYTES] {--arg SPEC}}... -o "
    "F\n"
    "                                                                               of CUDA C++\n"
    "  SIZE: small, medium, paper; star and star-s for the STAR paper's own inputs; "
    "mesc, neidty, fgpu for the\n"
    "        machines of these papers; uvm. --list shows an application's sizes\n"
    "  SPEC: buf:[NAME:]TYPE:COUNT[=zero|iota|random[:LOW:HIGH]|FILE], buf:NAME, local:BYTES,\n"
    "        TYPE:VALUE[,VALUE...]; a structure: bytes:FILE or struct:TYPE:VALUE/TYPE:VALUE...\n"
    "  TYPE: char uchar short ushort int uint long ulong size_t ptrdiff_t half bfloat float double, "
    "with 2, 3, 4,\n"
    "        8 or 16 for vectors; an enum's is int or uint\n"
    "  --lanes 32|64: lanes of a warp (32; 64 for the STAR paper's inputs)\n"
    "  --limit N: fail when a warp issues more than N instructions in one launch\n"
    "  --symbol NAME:TYPE=zero|iota|random[:LOW:HIGH]|NUMBER[,NUMBER...]|FILE: of a launch: sets a variable "
    "in\n"
    "        device memory before it, as cudaMemcpyToSymbol does\n"
    "  --inline-limit N: inline no functions that a kernel calls twice if it would have more than N "
    "instructions\n"
    "        (20000, before optimisation), but keep the calls; it compiles faster\n"
    "  --early-exits: work-items that have ended need not reach a barrier\n"
    "F ends in .gwt, or .gwt.zst to be compressed. --progress json: progress lines for machines; "
    "--quiet: none.\n";

static const struct record_module *module_of(const struct app *app)
{
    for (unsigned i = 0; record_modules[i]; i++)
        if (!strcasecmp(record_modules[i]->name, app->name))
            return record_modules[i];
    return NULL;
}

static int list(bool json)
{
    if (json)
        fputs("[", stdout);
    for (unsigned i = 0; apps[i]; i++) {
        const struct app *a = apps[i];
        if (json)
            printf("%s\n {\"name\": \"%s\", \"title\": \"%s\", \"suite\": \"%s\", \"takes_input\": %s",
                   i ? "," : "", a->name, a->title, a->suite, a->takes_input ? "true" : "false");
        else
            printf("%-6s %s (%s)%s\n", a->name, a->title, a->suite, a->takes_input ? "; takes --input" : "");
        for (unsigned s = 0; s < APP_SCALES; s++)
            if (a->size[s])
                printf(json ? ", \"%s\": \"%s\"" : "       %-8s %s\n", scale_names[s], a->size[s]);
        if (json)
            fputs("}", stdout);
    }
    if (json)
        fputs("\n]\n", stdout);
    return 0;
}

static const struct app *find_app(const char *name)
{
    for (unsigned i = 0; apps[i]; i++)
        if (!strcasecmp(apps[i]->name, name))
            return apps[i];
    char names[512] = "";
    for (unsigned i = 0; apps[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", apps[i]->name);
    usage_error("%s: no such application; there are%s", name, names);
    return NULL;
}

static int record_to(const char *output, const struct app *app, const struct record_module *module,
                     const struct options *o)
{
    struct device *d;
    struct mp_error err;
    const double begun = seconds_now();
    if (device_open(&d, app->name, module, output, o->progress, &err))
        return usage_error("%s", err.text);
    device_rules(d, &o->rules);
    device_warp_lanes(d, warp_lanes(o));
    const enum app_result result = app->run(d, o->scale, o->seed, o->input);
    if (result != APP_RIGHT)
        device_abandon(d);
    if (result == APP_BAD_INPUT)
        return EXIT_USAGE;
    if (result == APP_WRONG) {
        fprintf(stderr, "mempath: record: %s: the check of its results failed; no trace was written\n",
                app->name);
        return EXIT_WRONG;
    }
    return finish_recording(d, o, begun);
}

/* Records to another file in the same folder, and scales the gaps on the way to the output. */
static int record_scaled(const struct app *app, const struct record_module *module, const struct options *o)
{
    char *unscaled;
    struct mp_error err;
    if (asprintf(&unscaled, "%s.%ld.unscaled.gwt.zst", o->output, (long)getpid()) < 0)
        return usage_error("out of memory");
    int code = record_to(unscaled, app, module, o);
    if (!code && gwt_scale(unscaled, o->output, app->instructions, &err)) {
        usage_error("%s", err.text);
        code = EXIT_WRONG;
    }
    unlink(unscaled);
    free(unscaled);
    return code;
}

static int record_app(const struct app *app, const struct record_module *module, const struct options *o)
{
    const bool scaled = app->instructions && is_of_star(o->scale) && !o->input;
    return scaled ? record_scaled(app, module, o) : record_to(o->output, app, module, o);
}

static int run_app(const struct options *o)
{
    const struct app *app = find_app(o->app);
    if (!app)
        return EXIT_USAGE;
    const struct record_module *module = module_of(app);
    if (!module)
        return usage_error("%s: has no compiled kernels; apps/ needs a folder of that name", app->name);
    if (!app->size[o->scale])
        return usage_error("--size %s: %s has no such size; --list shows its sizes", scale_names[o->scale],
                           app->name);
    if (o->input && !app->takes_input)
        return usage_error("--input: %s makes its own input; only applications on graphs take a file",
                           app->name);
    if (o->input && access(o->input, R_OK))
        return usage_error("%s: %s; a graph file that can be read", o->input, strerror(errno));
    if (!o->key)
        return o->output ? record_app(app, module, o)
                         : usage_error("-o: missing; it names the trace file to write");
    char key[33];
    struct mp_error err;
    if (trace_key(key, module, o, &err))
        return usage_error("%s", err.text);
    puts(key);
    return 0;
}

static bool parse_scale(const char *text, enum app_scale *scale)
{
    for (unsigned i = 0; i < APP_SCALES; i++)
        if (!strcmp(text, scale_names[i])) {
            *scale = (enum app_scale)i;
            return true;
        }
    return false;
}

/* -D and -I, in the order of the command line. */
static int add_flag(struct options *o, const char *option, const char *value)
{
    if (!*value)
        return usage_error("%s: no value; -D NAME[=VALUE] or -I FOLDER is needed", option);
    return asprintf(&o->flag[o->nflags++], "%.2s%s", option, value) < 0 ? EXIT_WRONG : 0;
}

/* Template arguments in a kernel's name may have blanks. */
static void remove_blanks(char *text)
{
    char *to = text;
    for (; *text; text++)
        if (*text != ' ')
            *to++ = *text;
    *to = 0;
}

static int take_inline_limit(struct options *o, const char *value)
{
    uint64_t limit;
    if (!parse_number(value, &limit))
        return usage_error("--inline-limit %s: not a limit; a number of instructions, 0 or more", value);
    o->inline_limit = value;
    return 0;
}

/* Handles an option with a value. Returns 0 or an exit code. */
static int take(struct options *o, const char *name, char *value)
{
    static const char *const launch[] = {"--kernel", "--global", "--local", "--grid",
                                         "--block",  "--shared", "--arg",   "--symbol"};
    for (unsigned i = 0; i < sizeof launch / sizeof *launch; i++)
        if (!strcmp(name, launch[i])) {
            if (!strcmp(name, "--kernel"))
                remove_blanks(value);
            o->command[o->ncommands++] = name;
            o->command[o->ncommands++] = value;
            return 0;
        }
    if (!strcmp(name, "-D") || !strcmp(name, "-I"))
        return add_flag(o, name, value);
    if (!strcmp(name, "-o"))
        o->output = value;
    else if (!strcmp(name, "--input"))
        o->input = value;
    else if (!strcmp(name, "--cl"))
        o->source = value;
    else if (!strcmp(name, "--cu")) {
        o->source = value;
        o->cuda = o->rules.early_exits = true;
    } else if (!strcmp(name, "--size"))
        return parse_scale(value, &o->scale) ? 0
                                             : usage_error("--size %s: no such size; small, medium, paper, "
                                                           "star, star-s, mesc, neidty, fgpu or uvm",
                                                           value);
    else if (!strcmp(name, "--seed"))
        return parse_number(value, &o->seed)
                   ? 0
                   : usage_error("--seed %s: not a seed; a number from 0 to 2^64 - 1", value);
    else if (!strcmp(name, "--lanes"))
        return parse_number(value, &o->lanes) && (o->lanes == 32 || o->lanes == 64)
                   ? 0
                   : usage_error("--lanes %s: not a warp's number of lanes; 32 or 64", value);
    else if (!strcmp(name, "--limit"))
        return parse_number(value, &o->rules.limit) && o->rules.limit
                   ? 0
                   : usage_error("--limit %s: not a limit; a number of instructions, at least 1", value);
    else if (!strcmp(name, "--inline-limit"))
        return take_inline_limit(o, value);
    else if (!strcmp(name, "--progress")) {
        if (strcmp(value, "json"))
            return usage_error("--progress %s: no such format; json", value);
        o->progress = PROGRESS_JSON;
    } else
        return usage_error("%s: no such option; see --help", name);
    return 0;
}

static int parse(struct options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (!strcmp(a, "--key"))
            o->key = true;
        else if (!strcmp(a, "--list"))
            o->list = true;
        else if (!strcmp(a, "--json"))
            o->json = true;
        else if (!strcmp(a, "--quiet"))
            o->quiet = true;
        else if (!strcmp(a, "--early-exits"))
            o->rules.early_exits = true;
        else if ((!strncmp(a, "-D", 2) || !strncmp(a, "-I", 2)) && a[2]) {
            const int wrong = add_flag(o, a, a + 2);
            if (wrong)
                return wrong;
        } else if (a[0] != '-' && !o->app)
            o->app = a;
        else if (a[0] != '-')
            return usage_error("%s: a second application; one at a time", a);
        else if (i + 1 == argc)
            return usage_error("%s: no value, or no such option; see --help", a);
        else {
            const int wrong = take(o, a, argv[++i]);
            if (wrong)
                return wrong;
        }
    }
    if (o->quiet)
        o->progress = PROGRESS_NONE;
    return 0;
}

static void interrupt(int signal)
{
    (void)signal;
    record_interrupted = 1;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !strcmp(argv[1], "--help")) {
        fputs(help, argc < 2 ? stderr : stdout);
        return argc < 2 ? EXIT_USAGE : 0;
    }
    struct options o = {.seed = 1,
                        .progress = isatty(STDERR_FILENO) ? PROGRESS_TERMINAL : PROGRESS_NONE,
                        .rules = RECORD_RULES};
    o.command = calloc((size_t)argc, sizeof *o.command);
    o.flag = calloc((size_t)argc, sizeof *o.flag);
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    int code = o.command && o.flag ? parse(&o, argc, argv) : EXIT_WRONG;
    if (code == 0) {
        if (o.list)
            code = list(o.json);
        else if (o.source && o.app)
            code = usage_error("%s: records your own kernels; %s is an application", o.cuda ? "--cu" : "--cl",
                               o.app);
        else if (o.nflags && !o.source)
            code = usage_error("%s: only with --cl FILE.cl or --cu FILE.cu", o.flag[0]);
        else if (o.source)
            code = record_user_kernels(&o);
        else
            code = o.app ? run_app(&o) : usage_error("no application named; see --list, --help");
    }
    for (unsigned i = 0; i < o.nflags; i++)
        free(o.flag[i]);
    free(o.flag);
    free(o.command);
    return code;
}
