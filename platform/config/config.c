/* SPDX-License-Identifier: Apache-2.0 */
/* Loading a configuration: the file, the presets below it, the overrides above it, and the check. */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/internal.h"

/* The files being loaded, innermost first. A preset that is already among them forms a cycle. */
struct chain {
    const struct mp_source *source;
    const struct chain *above;
};

/* Copies a string for origins to point to. The copy lives as long as the settings. */
static const char *keep(struct mp_settings *settings, const char *prefix, const char *text)
{
    char *copy = NULL;
    if (asprintf(&copy, "%s%.300s", prefix, text) < 0)
        return "?";
    char **kept = realloc(settings->kept, (settings->nkept + 1) * sizeof *kept);
    if (!kept) {
        free(copy);
        return "?";
    }
    settings->kept = kept;
    settings->kept[settings->nkept++] = copy;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = '?';
    return copy;
}

static struct mp_origin at(const struct mp_origin *file, const struct mp_yaml *node)
{
    return (struct mp_origin){file->where, node->line, file->rank};
}

/* The tree has been checked: every key is one of those below. */
static unsigned field_of(const struct mp_yaml *node)
{
    unsigned f = 0;
    while (strcmp(mp_tenant_field_name[f], node->key) != 0)
        f++;
    return f;
}

static int apply_tenants(struct mp_settings *settings, const struct mp_yaml *list,
                         const struct mp_origin *file, struct mp_error *err)
{
    struct mp_config *config = settings->config;
    for (unsigned i = 0; i < config->ntenants; i++)
        mp_tenant_clear(&config->tenant[i]); /* a file's list replaces the list of its preset */
    config->ntenants = 0;
    for (const struct mp_yaml *tenant = list->first; tenant; tenant = tenant->next) {
        unsigned i = config->ntenants++;
        for (unsigned f = 0; f < MP_TENANT_FIELDS; f++)
            settings->tenant[i][f] = at(file, tenant);
        for (unsigned f = 0; f < MP_TENANT_FIELDS; f++)
            for (const struct mp_yaml *n = tenant->first; n; n = n->next)
                if (field_of(n) == f && mp_set_tenant(settings, i, f, n->text, at(file, n), err))
                    return -1;
    }
    return 0;
}

/* A parameter that replaced another has precedence over it, so those that were replaced are set first. */
static int apply_section(struct mp_settings *settings, const struct mp_yaml *section, bool replaced,
                         const struct mp_origin *file, struct mp_error *err)
{
    char path[128];
    for (const struct mp_yaml *n = section->first; n; n = n->next) {
        mp_yaml_path(n, path, sizeof path);
        struct mp_level_config *added = mp_config_added(settings->config, section->key);
        unsigned i = mp_config_find(settings->config, path);
        bool is_param = i < mp_config_nparams(settings->config);
        if (added && !is_param && !replaced && !strcmp(n->key, "to")) {
            snprintf(added->to, sizeof added->to, "%.*s", (int)sizeof added->to - 1, n->text);
            settings->level[added - settings->config->level] = at(file, n);
        }
        if (is_param == replaced || (added && !is_param))
            continue;
        if (replaced ? mp_set_old(settings, mp_old_find(path), n->text, at(file, n), err)
                     : mp_set_param(settings, i, n->text, at(file, n), err))
            return -1;
    }
    return 0;
}

static const struct mp_yaml *find(const struct mp_yaml *document, const char *key)
{
    const struct mp_yaml *n = document ? document->first : NULL;
    while (n && strcmp(n->key, key) != 0)
        n = n->next;
    return n;
}

static int apply(struct mp_settings *settings, const struct mp_yaml *document, const struct mp_origin *file,
                 struct mp_error *err)
{
    struct mp_config *config = settings->config;
    const struct mp_yaml *description = find(document, "description"), *seed = find(document, "seed"),
                         *tenants = find(document, "tenants");
    if (description &&
        mp_set_string(&config->description, "description", description->text, at(file, description), err))
        return -1;
    if (seed && mp_set_seed(settings, seed->text, at(file, seed), err))
        return -1;
    for (unsigned pass = 0; pass < 2; pass++)
        for (const struct mp_yaml *n = document ? document->first : NULL; n; n = n->next)
            if (n->kind == MP_MAPPING && apply_section(settings, n, pass == 0, file, err))
                return -1;
    return tenants ? apply_tenants(settings, tenants, file, err) : 0;
}

static int load_source(struct mp_settings *settings, const struct mp_source *source,
                       const struct chain *above, struct mp_error *err);

static int load_preset(struct mp_settings *settings, const char *name, unsigned line,
                       const struct chain *chain, struct mp_error *err)
{
    const struct mp_source *from = chain->source;
    struct mp_source source;
    char where[256];
    snprintf(where, sizeof where, "%.200s:%u", from->where, line);
    if (mp_source_open(&source, name, from->where, where, err))
        return -1;
    int status = 0;
    for (const struct chain *c = chain; c && !status; c = c->above)
        if (strcmp(c->source->id, source.id) == 0)
            status = mp_fail(err, "%s: preset %.80s leads back to itself; presets must not form a circle",
                             where, name);
    if (!status)
        status = load_source(settings, &source, chain, err);
    mp_source_close(&source);
    return status;
}

static void note_shipped(struct mp_settings *settings)
{
    settings->shipped_levels = settings->config->nlevels;
    for (unsigned i = 0; i < mp_config_nparams(settings->config); i++)
        settings->shipped[i] = mp_param_get(settings->config, i);
}

static int load_source(struct mp_settings *settings, const struct mp_source *source,
                       const struct chain *above, struct mp_error *err)
{
    struct mp_yaml *document;
    if (mp_yaml_read(&document, source, err))
        return -1;
    int status = 0;
    struct chain chain = {source, above};
    const struct mp_yaml *preset = find(document, "preset"), *name = find(document, "name");
    if (preset && preset->kind == MP_SCALAR)
        status = load_preset(settings, preset->text, preset->line, &chain, err);
    struct mp_origin file = {keep(settings, "", source->where), 0, ++settings->rank};
    settings->whole = file;
    if (!status)
        status = mp_keys_check(settings, document, source->where, err);
    if (!status && !above && name)
        status = mp_set_string(&settings->config->name, "name", name->text, at(&file, name), err);
    char *folder = mp_source_folder(source);
    settings->folder = folder;
    if (!status)
        status = apply(settings, document, &file, err);
    settings->folder = NULL;
    free(folder);
    if (!source->read)
        note_shipped(settings);
    mp_yaml_free(document);
    return status;
}

static int load(struct mp_config *config, const struct mp_source *source, unsigned noverrides,
                const char *const *overrides, struct mp_error *err)
{
    struct mp_settings settings = {.config = config};
    *config = (struct mp_config){.seed = 1};
    for (unsigned i = 0; i < mp_nparams(); i++)
        mp_param_put(config, i, mp_param(i)->def);
    note_shipped(&settings);
    int status = load_source(&settings, source, NULL, err);
    unsigned files = settings.rank;
    char *folder = getcwd(NULL, 0);
    settings.folder = folder;
    for (unsigned i = 0; i < noverrides && !status; i++) {
        struct mp_origin origin = {keep(&settings, "--set ", overrides[i]), 0, ++settings.rank};
        status = mp_set_override(&settings, overrides[i], origin, err);
    }
    if (!status && !config->name) { /* a name was not given, or is empty */
        struct mp_origin origin = {keep(&settings, "", source->where), 0, settings.rank};
        status = mp_set_string(&config->name, "name", source->name, origin, err);
    }
    free(folder);
    mp_config_share_sms(config);
    if (!status)
        status = mp_config_check(&settings, err);
    if (!status && mp_config_changes(&settings, files))
        status = mp_fail(err, "%s: out of memory; a smaller file is needed", source->where);
    for (unsigned i = 0; i < settings.nkept; i++)
        free(settings.kept[i]);
    free(settings.kept);
    if (status)
        mp_config_free(config);
    return status;
}

int mp_config_load(struct mp_config *config, const char *name_or_path, unsigned noverrides,
                   const char *const *overrides, struct mp_error *err)
{
    struct mp_source source;
    *config = (struct mp_config){0};
    if (mp_source_open(&source, name_or_path, NULL, NULL, err))
        return -1;
    int status = load(config, &source, noverrides, overrides, err);
    mp_source_close(&source);
    return status;
}

int mp_config_load_text(struct mp_config *config, const char *name, const char *text, size_t size,
                        unsigned noverrides, const char *const *overrides, struct mp_error *err)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", name);
    struct mp_source source = {.text = text, .size = size, .name = copy, .where = copy, .id = copy};
    return load(config, &source, noverrides, overrides, err);
}

void mp_config_free(struct mp_config *config)
{
    free(config->name);
    free(config->description);
    free(config->changes);
    for (unsigned i = 0; i < MP_TENANTS; i++)
        mp_tenant_clear(&config->tenant[i]);
    *config = (struct mp_config){0};
}

static bool copy_string(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

int mp_config_copy(struct mp_config *to, const struct mp_config *from)
{
    *to = *from;
    bool good = copy_string(&to->name, from->name);
    good &= copy_string(&to->description, from->description);
    good &= copy_string(&to->changes, from->changes);
    for (unsigned i = 0; i < MP_TENANTS; i++) {
        const struct mp_tenant_config *t = &from->tenant[i];
        good &= copy_string(&to->tenant[i].app, t->app);
        good &= copy_string(&to->tenant[i].size, t->size);
        good &= copy_string(&to->tenant[i].input, t->input);
        good &= copy_string(&to->tenant[i].trace, t->trace);
        good &= copy_string(&to->tenant[i].page_bytes, t->page_bytes);
    }
    if (good)
        return 0;
    mp_config_free(to);
    return -1;
}
