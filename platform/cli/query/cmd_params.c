/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/out.h"
#include "config/config.h"

static const char doc[] = "Lists every parameter: its path, unit, default, range, the default's source, and "
                          "a description.\vPATTERN is part of a path or of a description.\n"
                          "\n"
                          "Examples:\n"
                          "  mempath params                     all of them\n"
                          "  mempath params l3_tlb              those of the shared L3 TLB\n"
                          "  mempath params latency --json      for a program\n"
                          "  mempath params tlb --machine mine.yaml   with the levels that a file adds\n"
                          "  mempath run star/w2 --set l3_tlb.entries=2048   to change one";

#define MAX_PARAMS 512u

struct values {
    const char *pattern, *machine;
};

static const struct argp_option options[] = {
    {"machine", 'm', "NAME", 0, "a preset, an experiment, or the path of a YAML file, which may add levels",
     0},
    {0},
};

static int argument(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key == 'm')
        v->machine = arg;
    if (key != ARGP_KEY_ARG)
        return 0;
    if (v->pattern)
        return mp_fail(err, "params: '%s' is unexpected; one PATTERN", arg);
    v->pattern = arg;
    return 0;
}

static void range(const struct mp_param *p, char *text, size_t size)
{
    if (p->choices)
        snprintf(text, size, "%s", p->choices);
    else if (!strcmp(p->type, "bool"))
        snprintf(text, size, "false|true");
    else
        snprintf(text, size, "%" PRIu64 " to %" PRIu64, p->min, p->max);
}

static const char *choice(const char *choices, uint64_t position, char *text, size_t size)
{
    for (; position; position--)
        choices = strchr(choices, '|') + 1;
    snprintf(text, size, "%.*s", (int)strcspn(choices, "|"), choices);
    return text;
}

static const char *default_text(const struct mp_param *p, char *text, size_t size)
{
    if (p->choices)
        return choice(p->choices, p->def, text, size);
    if (!strcmp(p->type, "bool"))
        return p->def ? "true" : "false";
    snprintf(text, size, "%" PRIu64, p->def);
    return text;
}

static void print_json(const struct mp_param *list, unsigned n)
{
    struct out_json j = {.f = stdout};
    char text[64];
    json_array(&j, NULL);
    for (unsigned i = 0; i < n; i++) {
        const struct mp_param *p = &list[i];
        json_object(&j, NULL);
        json_text(&j, "path", p->path);
        json_text(&j, "type", p->type);
        json_text(&j, "unit", p->unit);
        json_text(&j, "default", default_text(p, text, sizeof text));
        json_text(&j, "choices", p->choices);
        json_count(&j, "min", p->min);
        json_count(&j, "max", p->max);
        json_text(&j, "source", p->source);
        json_text(&j, "description", p->description);
        json_end_object(&j);
    }
    json_end_array(&j);
}

static void print_table(const struct mp_param *list, unsigned n)
{
    static const char *const heads[] = {"parameter", "default", "unit", "allowed", "from", "what it is"};
    struct out_table *t = out_table_new(6, heads);
    for (unsigned i = 0; i < n; i++) {
        char text[64], allowed[1024];
        range(&list[i], allowed, sizeof allowed);
        out_cell(t, "%s", list[i].path);
        out_cell(t, "%s", default_text(&list[i], text, sizeof text));
        out_cell(t, "%s", list[i].unit ? list[i].unit : "");
        out_cell(t, "%s", allowed);
        out_cell(t, "%s", list[i].source);
        out_cell(t, "%s", list[i].description);
    }
    out_table_print(t, stdout);
}

int cmd_params(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {
        .command = "mempath params", .args = "[PATTERN]", .doc = doc, .options = options, .option = argument};
    struct values v = {0};
    struct mp_param list[MAX_PARAMS];
    struct mp_config config = {0};
    struct mp_error err;
    int code;
    unsigned n = 0;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.machine && mp_config_load(&config, v.machine, 0, NULL, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    const char *pattern = v.pattern;
    for (unsigned i = 0; i < mp_config_nparams(&config) && n < MAX_PARAMS; i++) {
        const struct mp_param p = mp_config_param(&config, i);
        if (!pattern || strcasestr(p.path, pattern) || strcasestr(p.description, pattern))
            list[n++] = p;
    }
    if (!n)
        return cli_fail(CLI_USAGE, "params: no parameter has '%s'; mempath params lists all", pattern);
    if (cli->json)
        print_json(list, n);
    else
        print_table(list, n);
    mp_config_free(&config);
    return CLI_DONE;
}
