/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration as YAML: every parameter, in the order of params.def, so that equal
 * configurations give equal bytes. */
#include <stdlib.h>
#include <string.h>

#include "config/internal.h"
#include "gpu/machine.h"

static void put_string(FILE *f, const char *before, const char *text)
{
    if (!text)
        return;
    fprintf(f, "%s\"", before);
    for (; *text; text++)
        switch (*text) {
        case '\n':
            fputs("\\n", f);
            break;
        case '\t':
            fputs("\\t", f);
            break;
        case '"':
        case '\\':
            fputc('\\', f);
            /* fall through */
        default:
            fputc(*text, f);
        }
    fputs("\"\n", f);
}

static const char *text_of(const struct mp_config *config, unsigned i)
{
    uint64_t value = mp_param_get(config, i);
    unsigned row = mp_param_row(config, i);
    switch (mp_param_kind(row)) {
    case MP_BOOL:
        return value ? "true" : "false";
    case MP_CHOICE:
        return mp_param_choice(row, value);
    default:
        return NULL;
    }
}

static void put_value(FILE *f, const struct mp_config *config, unsigned i)
{
    const char *text = text_of(config, i);
    if (text)
        fputs(text, f);
    else
        fprintf(f, "%ju", (uintmax_t)mp_param_get(config, i));
}

/* Only a level that the configuration adds has a kind and a level below to write. */
static void put_level(FILE *f, const struct mp_config *config, const char *path, size_t length)
{
    char name[MP_LEVEL_NAME + 1];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    const struct mp_level_config *added = mp_config_added(config, name);
    if (added)
        fprintf(f, "  kind: %s\n  to: %s\n", mp_machine_more[added->kind].name, added->to);
}

static void put_params(FILE *f, const struct mp_config *config)
{
    const char *section = "";
    size_t length = 0;
    for (unsigned i = 0; i < mp_config_nparams(config); i++) {
        const char *path = mp_config_param(config, i).path;
        if (length == 0 || strncmp(path, section, length + 1) != 0) {
            section = path;
            length = strcspn(path, ".");
            fprintf(f, "%.*s:\n", (int)length, path);
            put_level(f, config, path, length);
        }
        fprintf(f, "  %s: ", path + length + 1);
        put_value(f, config, i);
        putc('\n', f);
    }
}

static void put_tenant_changes(FILE *f, const struct mp_settings *s, unsigned files, const char **space)
{
    for (unsigned i = 0; i < s->config->ntenants; i++) {
        const struct mp_tenant_config *t = &s->config->tenant[i];
        const char *const text[] = {t->app, t->size, t->input, t->trace, t->page_bytes};
        const uint64_t number[] = {t->slices, t->sms, t->colours};
        for (unsigned k = 0; k < MP_TENANT_FIELDS; k++) {
            if (s->tenant[i][k].rank <= files || (k < MP_TENANT_SLICES && !text[k]))
                continue;
            fprintf(f, "%stenants.%u.%s=", *space, i, mp_tenant_field_name[k]);
            *space = " ";
            if (k < MP_TENANT_SLICES)
                fputs(text[k], f);
            else if (k == MP_TENANT_MANAGED)
                fputs(t->managed ? "true" : "false", f);
            else
                fprintf(f, "%ju", (uintmax_t)number[k - MP_TENANT_SLICES]);
        }
    }
}

int mp_config_changes(const struct mp_settings *settings, unsigned files)
{
    size_t size = 0;
    const char *space = "";
    struct mp_config *config = settings->config;
    FILE *f = open_memstream(&config->changes, &size);
    if (!f)
        return -1;
    for (unsigned i = 0; i < mp_config_nparams(config); i++) {
        bool overridden = settings->param[i].rank > files;
        if (!overridden && mp_param_get(config, i) == settings->shipped[i])
            continue;
        fprintf(f, "%s%s=", space, mp_config_param(config, i).path);
        space = " ";
        put_value(f, config, i);
    }
    for (unsigned k = settings->shipped_levels; k < config->nlevels; k++, space = " ")
        fprintf(f, "%s%s.kind=%s", space, config->level[k].name, mp_machine_more[config->level[k].kind].name);
    put_tenant_changes(f, settings, files, &space);
    bool failed = ferror(f);
    return fclose(f) || failed ? -1 : 0;
}

#define LONGEST_CHANGES 100u /* characters in a title */

char *mp_config_title(const struct mp_config *config)
{
    const char *about = config->description ? config->description : "", *changes = config->changes;
    char *title;
    unsigned n = 1;
    if (!changes || !*changes)
        return strdup(about);
    for (const char *c = changes; *c; c++)
        n += *c == ' ';
    about = *about ? about : config->name;
    int length = strlen(changes) <= LONGEST_CHANGES ? asprintf(&title, "%s (changed: %s)", about, changes)
                                                    : asprintf(&title, "%s (changed in %u values)", about, n);
    return length < 0 ? NULL : title;
}

static unsigned tenant_settings(const struct mp_tenant_config *t, unsigned tenant, struct mp_setting *to)
{
    const char *const text[] = {t->app, t->size, t->input, t->trace, t->page_bytes};
    const uint64_t number[] = {t->slices, t->sms, t->colours};
    unsigned n = 0;
    for (unsigned k = 0; k < MP_TENANT_FIELDS; k++) {
        bool said = k < MP_TENANT_SLICES     ? text[k] != NULL
                    : k == MP_TENANT_COLOURS ? t->colours != 0
                    : k == MP_TENANT_MANAGED ? t->managed
                                             : (k == MP_TENANT_SMS) == (t->sms != 0);
        if (!said)
            continue;
        struct mp_setting *s = &to[n++];
        snprintf(s->path, sizeof s->path, "tenants.%u.%s", tenant, mp_tenant_field_name[k]);
        if (k < MP_TENANT_SLICES)
            s->text = text[k];
        else if (k == MP_TENANT_MANAGED)
            s->text = "true";
        else
            s->number = number[k - MP_TENANT_SLICES];
    }
    return n;
}

struct mp_setting *mp_config_settings(const struct mp_config *config, unsigned *n)
{
    struct mp_setting *all =
        calloc(1 + mp_config_nparams(config) + 2 * MP_MORE_LEVELS + config->ntenants * MP_TENANT_FIELDS,
               sizeof *all);
    if (!all)
        return NULL;
    all[0] = (struct mp_setting){.path = "seed", .number = config->seed};
    *n = 1;
    for (unsigned i = 0; i < mp_config_nparams(config); i++) {
        struct mp_setting *s = &all[(*n)++];
        const struct mp_param p = mp_config_param(config, i);
        snprintf(s->path, sizeof s->path, "%s", p.path);
        s->unit = p.unit;
        s->text = text_of(config, i);
        s->number = mp_param_get(config, i);
    }
    for (unsigned k = 0; k < config->nlevels; k++) {
        const struct mp_level_config *l = &config->level[k];
        struct mp_setting *kind = &all[(*n)++], *to = &all[(*n)++];
        snprintf(kind->path, sizeof kind->path, "%s.kind", l->name);
        kind->text = mp_machine_more[l->kind].name;
        snprintf(to->path, sizeof to->path, "%s.to", l->name);
        to->text = l->to;
    }
    for (unsigned i = 0; i < config->ntenants; i++)
        *n += tenant_settings(&config->tenant[i], i, &all[*n]);
    return all;
}

char *mp_config_text(const struct mp_config *config)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    put_string(f, "name: ", config->name);
    put_string(f, "description: ", config->description);
    fprintf(f, "seed: %ju\n", (uintmax_t)config->seed);
    put_params(f, config);
    fputs(config->ntenants ? "tenants:\n" : "tenants: []\n", f);
    for (unsigned i = 0; i < config->ntenants; i++) {
        const struct mp_tenant_config *t = &config->tenant[i];
        if (t->sms)
            fprintf(f, "  - sms: %ju\n", (uintmax_t)t->sms);
        else
            fprintf(f, "  - slices: %ju\n", (uintmax_t)t->slices);
        if (t->colours)
            fprintf(f, "    colours: %ju\n", (uintmax_t)t->colours);
        if (t->managed)
            fputs("    managed: true\n", f);
        put_string(f, "    app: ", t->app);
        put_string(f, "    size: ", t->size);
        put_string(f, "    input: ", t->input);
        put_string(f, "    trace: ", t->trace);
        put_string(f, "    page_bytes: ", t->page_bytes);
    }
    bool failed = ferror(f);
    if (fclose(f) || failed) {
        free(text);
        return NULL;
    }
    return text;
}

char *mp_config_machine_text(const struct mp_config *config)
{
    struct mp_config machine;
    char *text = NULL;
    if (mp_config_copy(&machine, config))
        return NULL;
    while (machine.ntenants)
        mp_tenant_clear(&machine.tenant[--machine.ntenants]);
    free(machine.description);
    machine.description = NULL;
    free(machine.name);
    machine.name = strdup("machine");
    if (machine.name)
        text = mp_config_text(&machine);
    mp_config_free(&machine);
    return text;
}
