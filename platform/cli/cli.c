/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/out.h"
#include "engine/number.h"

volatile sig_atomic_t cli_stop, cli_look;
static bool fails_as_json;

void cli_fail_as_json(void)
{
    fails_as_json = true;
}

static void print_failure(const char *text, int code)
{
    if (!fails_as_json) {
        fprintf(stderr, "mempath: %s\n", text);
        return;
    }
    fputs("{\"error\": ", stderr);
    json_quote(stderr, text);
    fprintf(stderr, ", \"code\": %d}\n", code);
}

int cli_fail(enum cli_exit code, const char *format, ...)
{
    char *text;
    va_list args;
    va_start(args, format);
    bool some = vasprintf(&text, format, args) >= 0;
    va_end(args);
    print_failure(some ? text : "out of memory", code);
    if (some)
        free(text);
    return code;
}

void *cli_have(void *pointer)
{
    if (!pointer)
        exit(cli_fail(CLI_FAILED, "out of memory"));
    return pointer;
}

void *cli_alloc(size_t count, size_t size)
{
    return cli_have(calloc(count ? count : 1, size));
}

const char *cli_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    unsigned limit = (unsigned)strlen(word) / 2 + 1; /* a larger distance is another word */
    for (; *names; names++) {
        unsigned d = mp_edit_distance(word, *names);
        if (d < limit) {
            limit = d;
            best = *names;
        }
    }
    return best;
}

int cli_unknown(struct mp_error *err, const char *word, const char *const *names, const char *otherwise,
                const char *format, ...)
{
    const char *near = cli_nearest(word, names);
    char what[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return near ? mp_fail(err, "%s; did you mean '%s'?", what, near)
                : mp_fail(err, "%s; %s", what, otherwise);
}

int cli_number(const char *option, const char *arg, uint64_t min, uint64_t max, uint64_t *out,
               struct mp_error *err)
{
    const char *wrong = mp_number(arg, strlen(arg), min, max, out);
    return wrong ? mp_fail(err, "%s: '%.100s' %s; %" PRIu64 " to %" PRIu64, option, arg, wrong, min, max) : 0;
}

int cli_span(const char *option, const char *arg, const char *what, uint64_t *first, uint64_t *last,
             struct mp_error *err)
{
    char text[32];
    const char *colon = strchr(arg, ':');
    if (!colon || (size_t)(colon - arg) >= sizeof text)
        return mp_fail(err, "%s: '%s' is not a window; FIRST:LAST in %s", option, arg, what);
    snprintf(text, sizeof text, "%.*s", (int)(colon - arg), arg);
    if (cli_number(option, text, 0, INT64_MAX, first, err) ||
        cli_number(option, colon + 1, 0, INT64_MAX, last, err))
        return -1;
    if (*first > *last)
        return mp_fail(err, "%s: '%s' is empty; FIRST:LAST with FIRST not after LAST", option, arg);
    return 0;
}

int cli_runs(const char *arg, uint64_t *first, uint64_t *last, struct mp_error *err)
{
    if (strchr(arg, ':'))
        return cli_span("--runs", arg, "runs, as in 1:12", first, last, err);
    if (cli_number("--runs", arg, 1, INT64_MAX, first, err))
        return -1;
    *last = *first;
    return 0;
}

int cli_window(const char *option, const char *arg, const char *unit, uint64_t *first, uint64_t *last,
               struct mp_error *err)
{
    char what[48];
    snprintf(what, sizeof what, "%s, as in 9000:11000", unit);
    if (cli_span(option, arg, what, first, last, err))
        return -1;
    return *first < *last ? 0
                          : mp_fail(err, "%s: '%s' is empty; FIRST:LAST with FIRST before LAST", option, arg);
}

/* The value of --progress may be left out. */
static bool names_form(const char *next)
{
    return next && !strcmp(next, "json");
}

bool cli_name_first(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-' && argv[i][1]) {
        bool takes_value = !strcmp(argv[i], "--db") || !strcmp(argv[i], "--plugin") ||
                           (!strcmp(argv[i], "--progress") && names_form(argv[i + 1]));
        i += takes_value ? 2 : 1;
    }
    if (i >= argc)
        return false;
    char *name = argv[i];
    memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof *argv);
    argv[1] = name;
    return true;
}

static void stop_handler(int signal_number)
{
    if (cli_stop) { /* a second signal: end at once */
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    cli_stop = signal_number;
}

static void look_handler(int signal_number)
{
    (void)signal_number;
    cli_look = cli_look + 1;
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = stop_handler};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action = (struct sigaction){.sa_handler = look_handler, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
}

int cli_run(struct cli *cli, const struct cli_command *command, int argc, char **argv)
{
    cli->designs = command->designs;
    return command->run(cli, argc, argv);
}

enum { KEY_DB = 0x1000, KEY_JSON, KEY_PROGRESS, KEY_QUIET, KEY_HELP, KEY_PLUGIN };

const struct argp_option cli_global_options[] = {
    {NULL, 0, NULL, 0, "Everywhere:", 100},
    {"db", KEY_DB, "FILE", 0, "the result database (default: MEMPATH_DB, or mempath.db)", 100},
    {"json", KEY_JSON, NULL, 0, "print one JSON document instead of tables", 100},
    {"progress", KEY_PROGRESS, "json", OPTION_ARG_OPTIONAL,
     "progress on stderr in detail: cycles, rate, percent of each tenant, time left; "
     "json: as JSON lines, for machines",
     100},
    {"quiet", KEY_QUIET, NULL, 0, "no progress", 100},
    {"help", KEY_HELP, NULL, 0, "this text", 100},
    {0},
};

static const struct argp_option plugin_option = {
    "plugin", KEY_PLUGIN, "FILE.so", 0, "add the designs and modules of a shared object; repeatable", 99};

struct parse {
    struct cli *cli;
    const struct cli_usage *usage;
    void *values;
    const struct argp *argp;
    bool over;
    int code;
};

#define HELP_WIDTH 100u

/* Prints the part of a help text after the options. Prose is wrapped; examples, which begin with a blank,
 * stay as they are, so that they can be copied. */
static void print_examples(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), shown = length;
        if (*text != ' ' && length > HELP_WIDTH) {
            for (shown = HELP_WIDTH; shown && text[shown] != ' ';)
                shown--;
            shown = shown ? shown : length; /* the word is longer than the line */
        }
        printf("%.*s\n", (int)shown, text);
        text += shown + (text[shown] != 0);
    }
}

static void json_options(struct out_json *j, const struct argp_option *options)
{
    json_array(j, "options");
    for (const struct argp_option *o = options; o->name || o->doc; o++) {
        if (!o->name)
            continue;
        json_object(j, NULL);
        json_text(j, "name", o->name);
        json_text(j, "value", o->arg);
        json_flag(j, "value_optional", o->flags & OPTION_ARG_OPTIONAL);
        json_text(j, "title", o->doc);
        json_end_object(j);
    }
    json_end_array(j);
}

static void print_json_help(const struct parse *p)
{
    struct out_json j = {.f = stdout};
    int about = (int)strcspn(p->usage->doc, "\v");
    char text[4096];
    snprintf(text, sizeof text, "%.*s", about, p->usage->doc);
    json_object(&j, NULL);
    json_text(&j, "command", p->usage->command);
    json_text(&j, "arguments", p->usage->args);
    json_text(&j, "about", text);
    json_text(&j, "more", p->usage->doc[about] ? p->usage->doc + about + 1 : NULL);
    json_options(&j, p->argp->options);
    json_end_object(&j);
}

static void print_help(const struct parse *p)
{
    const char *examples = strchr(p->usage->doc, '\v');
    if (p->cli->help) {
        p->cli->help(p->cli, p->usage);
        return;
    }
    if (p->cli->json) {
        print_json_help(p);
        return;
    }
    argp_help(p->argp, stdout, ARGP_HELP_SHORT_USAGE | ARGP_HELP_PRE_DOC | ARGP_HELP_LONG,
              (char *)(uintptr_t)p->usage->command);
    if (!examples)
        return;
    putchar('\n');
    print_examples(examples + 1);
}

static error_t refuse(struct parse *p, const char *text)
{
    p->over = true;
    p->code = cli_fail(CLI_USAGE, "%s", text);
    return EINVAL;
}

/* getopt reports only that the option is wrong; this finds out why. */
static error_t bad_option(struct parse *p, const char *token)
{
    const char *names[64] = {0};
    unsigned n = 0;
    size_t length = strcspn(token, "=");
    for (const struct argp_option *o = p->argp->options; o->name || o->doc; o++) {
        if (!o->name)
            continue;
        bool same = token[0] == '-' && token[1] == '-'
                        ? length == strlen(o->name) + 2 && !strncmp(token + 2, o->name, length - 2)
                        : token[0] == '-' && token[1] == o->key && !token[2];
        struct mp_error err;
        if (same) {
            mp_fail(&err, "%.*s: %s; %s --help has examples", (int)length, token,
                    o->arg ? "needs a value" : "takes no value", p->usage->command);
            return refuse(p, err.text);
        }
        if (n + 1 < sizeof names / sizeof *names)
            names[n++] = o->name;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, token);
    const char *near = cli_nearest(word + strspn(word, "-"), names);
    struct mp_error err;
    if (near)
        mp_fail(&err, "%s: unknown option; did you mean --%s?", word, near);
    else
        mp_fail(&err, "%s: unknown option; %s --help lists the options", word, p->usage->command);
    return refuse(p, err.text);
}

/* Whether the option --plugin that was read last is not written in full, so that main() did not see it. */
static bool is_abbreviated(const struct argp_state *state)
{
    char **last = state->argv + state->next;
    return strncmp(last[-1], "--plugin=", strlen("--plugin=")) != 0 && strcmp(last[-2], "--plugin") != 0;
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
    struct parse *p = state->input;
    struct mp_error err;
    switch (key) {
    case KEY_DB:
        p->cli->db = arg;
        return 0;
    case KEY_JSON:
        p->cli->json = true;
        return 0;
    case KEY_QUIET:
        p->cli->progress = CLI_PROGRESS_NONE;
        return 0;
    case KEY_PROGRESS:
        if (!arg && names_form(state->argv[state->next]))
            arg = state->argv[state->next++];
        if (arg && !names_form(arg)) {
            mp_fail(&err, "--progress: unknown form '%s'; json, or no value", arg);
            return refuse(p, err.text);
        }
        p->cli->progress = arg ? CLI_PROGRESS_JSON : CLI_PROGRESS_DETAIL;
        return 0;
    case KEY_HELP:
        print_help(p);
        p->over = true;
        p->code = CLI_DONE;
        state->next = state->argc;
        return 0;
    case KEY_PLUGIN:
        if (!is_abbreviated(state))
            return 0; /* main() has loaded it */
        mp_fail(&err, "--plugin: the option is abbreviated; --plugin FILE.so");
        return refuse(p, err.text);
    case ARGP_KEY_ERROR:
        return p->over ? 0 : bad_option(p, state->argv[state->next - 1]);
    case ARGP_KEY_INIT:
    case ARGP_KEY_FINI:
    case ARGP_KEY_END:
    case ARGP_KEY_NO_ARGS:
    case ARGP_KEY_SUCCESS:
        return 0;
    case ARGP_KEY_ARGS:
        return ARGP_ERR_UNKNOWN;
    default:
        break;
    }
    if (p->over)
        return 0;
    return p->usage->option(p->values, key, arg, &err) ? refuse(p, err.text) : 0;
}

unsigned cli_own_options(const struct cli *cli, const struct cli_usage *usage,
                         struct argp_option options[CLI_OPTIONS])
{
    unsigned n = 0;
    for (const struct argp_option *o = usage->options; o && (o->name || o->doc); o++)
        options[n++] = *o;
    if (cli->designs)
        options[n++] = plugin_option;
    options[n] = (struct argp_option){0};
    return n;
}

bool cli_parse(struct cli *cli, const struct cli_usage *usage, int argc, char **argv, void *values, int *code)
{
    struct argp_option options[CLI_OPTIONS] = {0};
    unsigned n = cli_own_options(cli, usage, options);
    for (const struct argp_option *o = cli_global_options; o->name || o->doc; o++)
        if (!usage->foreign || o->key == KEY_HELP)
            options[n++] = *o;
    struct argp argp = {.options = options, .parser = parse_key, .args_doc = usage->args, .doc = usage->doc};
    struct parse p = {.cli = cli, .usage = usage, .values = values, .argp = &argp};
    unsigned flags = ARGP_NO_HELP | ARGP_NO_ERRS | ARGP_NO_EXIT | (usage->in_order ? ARGP_IN_ORDER : 0);
    error_t failed = argp_parse(&argp, argc, argv, flags, NULL, &p);
    if (failed && !p.over)
        refuse(&p, "arguments: cannot be read; see mempath help");
    *code = p.code;
    return !p.over;
}
