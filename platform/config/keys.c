/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that a file may have, and of which kind each is. */
#include <stdlib.h>
#include <string.h>

#include "config/internal.h"
#include "gpu/machine.h"

static const char *const texts[] = {"name", "description", "preset", "seed"};

static bool is_section(const struct mp_config *c, const char *name)
{
    size_t length = strlen(name);
    if (mp_config_added(c, name))
        return true;
    for (unsigned i = 0; i < mp_nparams(); i++)
        if (!strncmp(mp_param(i)->path, name, length) && mp_param(i)->path[length] == '.')
            return true;
    return false;
}

static bool is_tenant_field(const char *name)
{
    for (unsigned f = 0; f < MP_TENANT_FIELDS; f++)
        if (!strcmp(mp_tenant_field_name[f], name))
            return true;
    return false;
}

/* Returns whether the node may be in a file, and its kind there. */
static bool find_kind(const struct mp_config *c, const struct mp_yaml *n, const char *path, unsigned depth,
                      enum mp_node *kind)
{
    *kind = depth == 0 || (depth == 2 && n->above->kind == MP_SEQUENCE) ? MP_MAPPING : MP_SCALAR;
    if (strchr(n->key, '.') || (depth && !*n->key))
        return false;
    if (depth == 2 && *kind == MP_SCALAR)
        return mp_config_find(c, path) < mp_config_nparams(c) || mp_old_find(path) < MP_OLD_PARAMS ||
               (mp_config_added(c, n->above->key) && (!strcmp(n->key, "kind") || !strcmp(n->key, "to")));
    if (depth == 3)
        return is_tenant_field(n->key);
    if (depth != 1)
        return true;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(texts[i], n->key))
            return true;
    *kind = strcmp(n->key, "tenants") ? MP_MAPPING : MP_SEQUENCE;
    return *kind == MP_SEQUENCE || is_section(c, n->key);
}

static void nearer(const char **best, const char *wrong, const char *name)
{
    if (!*best || mp_edit_distance(wrong, name) < mp_edit_distance(wrong, *best))
        *best = name;
}

static int fail_section(const char *where, const struct mp_yaml *n, struct mp_error *err)
{
    const char *best = NULL;
    char section[64], nearest[64] = "";
    for (unsigned i = 0; i < mp_nparams(); i++) {
        snprintf(section, sizeof section, "%.*s", (int)strcspn(mp_param(i)->path, "."), mp_param(i)->path);
        if (!best || mp_edit_distance(n->key, section) < mp_edit_distance(n->key, nearest)) {
            memcpy(nearest, section, sizeof nearest);
            best = nearest;
        }
    }
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        nearer(&best, n->key, texts[i]);
    nearer(&best, n->key, "tenants");
    return mp_fail(err, "%s:%u: unknown section %.80s; nearest is %s", where, n->line, n->key, best);
}

static int fail_kind(const struct mp_config *c, const char *where, const struct mp_yaml *n, const char *path,
                     enum mp_node wanted, struct mp_error *err)
{
    if (wanted == MP_SEQUENCE)
        return mp_fail(
            err, "%s:%u: tenants is not a list; a list with '- {app: NAME, size: NAME, slices: N}' for each",
            where, n->line);
    if (wanted == MP_SCALAR) {
        char allowed[256] = "text";
        unsigned i = mp_config_find(c, path);
        if (i < mp_config_nparams(c))
            mp_param_allowed(mp_param_row(c, i), allowed, sizeof allowed);
        return mp_fail(err, "%s:%u: %s is a %s; a single value, %s", where, n->line, path,
                       n->kind == MP_SEQUENCE ? "list" : "mapping", allowed);
    }
    if (!*path)
        return mp_fail(err, "%s:%u: the file is not a mapping; 'key: value' lines", where, n->line);
    if (n->above->kind == MP_SEQUENCE)
        return mp_fail(err,
                       "%s:%u: %s is not a mapping; app, size, input, trace, page_bytes, slices, sms and "
                       "colours",
                       where, n->line, path);
    return mp_fail(err, "%s:%u: %s is not a mapping; a section with its parameters below it, indented", where,
                   n->line, path);
}

static int check(const struct mp_config *c, const char *where, const struct mp_yaml *n, unsigned depth,
                 struct mp_error *err)
{
    char path[128];
    enum mp_node wanted;
    mp_yaml_path(n, path, sizeof path);
    bool known = find_kind(c, n, path, depth, &wanted), dotted = strchr(n->key, '.');
    if (!known && dotted && mp_param_find(path) < mp_nparams())
        return mp_fail(err,
                       "%s:%u: %s is not a key of a file; write its section as a mapping, with the "
                       "parameter indented below",
                       where, n->line, path);
    if (!known && depth == 1 && n->kind == MP_MAPPING)
        return fail_section(where, n, err);
    if (!known)
        return mp_fail(err, "%s:%u: unknown key %.80s; nearest is %s", where, n->line, path,
                       mp_param_nearest(c, path));
    if (n->kind != wanted)
        return fail_kind(c, where, n, path, wanted, err);
    if (depth == 2 && wanted == MP_MAPPING && strtoul(n->key, NULL, 10) >= MP_TENANTS)
        return mp_fail(err, "%s:%u: more than %u tenants; 1 to %u", where, n->line, MP_TENANTS, MP_TENANTS);
    for (const struct mp_yaml *below = n->first; below; below = below->next)
        if (check(c, where, below, depth + 1, err))
            return -1;
    return 0;
}

/* ---- levels that the file adds ---- */

static const struct mp_yaml *find(const struct mp_yaml *mapping, const char *key)
{
    const struct mp_yaml *n = mapping->first;
    while (n && strcmp(n->key, key) != 0)
        n = n->next;
    return n && n->kind == MP_SCALAR ? n : NULL;
}

static int read_level_kind(const char *where, const struct mp_yaml *kind, unsigned *found,
                           struct mp_error *err)
{
    for (*found = 0; *mp_machine_more[*found].name; ++*found)
        if (!strcmp(mp_machine_more[*found].name, kind->text))
            return 0;
    return mp_fail(err, "%s:%u: %.30s.kind = '%.60s' is no choice; tlb or cache", where, kind->line,
                   kind->above->key, kind->text);
}

/* Names are part of paths, of parameters and of blocks, in which other words are places. */
static bool is_good_name(const char *name)
{
    static const char *const places[] = {"gpu", "gpc", "mig", "tpc", "tenant", "host"};
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
        if (!strcmp(name, places[i]))
            return false;
    return name[0] >= 'a' && name[0] <= 'z' && strlen(name) < MP_LEVEL_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static int add_level(struct mp_settings *s, const char *where, const struct mp_yaml *section,
                     const struct mp_yaml *kind, struct mp_error *err)
{
    struct mp_config *c = s->config;
    struct mp_level_config *added = mp_config_added(c, section->key);
    unsigned found;
    if (read_level_kind(where, kind, &found, err))
        return -1;
    if (added && added->kind == found)
        return 0;
    if (added)
        return mp_fail(err, "%s:%u: %s.kind = %s above a preset in which it is %s; another name", where,
                       kind->line, added->name, kind->text, mp_machine_more[added->kind].name);
    if (!is_good_name(section->key))
        return mp_fail(
            err, "%s:%u: a level cannot be called %.60s; at most %u of a to z, 0 to 9 and _, and no place",
            where, section->line, section->key, MP_LEVEL_NAME - 1);
    if (c->nlevels == MP_MORE_LEVELS)
        return mp_fail(err, "%s:%u: more than %u levels are added; at most %u", where, section->line,
                       MP_MORE_LEVELS, MP_MORE_LEVELS);
    unsigned first = mp_config_nparams(c);
    added = &c->level[c->nlevels];
    *added = (struct mp_level_config){.kind = found};
    snprintf(added->name, sizeof added->name, "%s", section->key);
    s->level[c->nlevels++] = (struct mp_origin){s->whole.where, section->line, s->whole.rank};
    for (unsigned i = first; i < mp_config_nparams(c); i++) {
        const char *name = strchr(mp_row_path(c, i), '.');
        snprintf(added->path[i - first], sizeof added->path[0], "%s%s", added->name, name);
        mp_param_put(c, i, mp_config_param(c, i).def);
        s->shipped[i] = mp_config_param(c, i).def;
    }
    return 0;
}

static int add_levels(struct mp_settings *s, const char *where, const struct mp_yaml *document,
                      struct mp_error *err)
{
    for (const struct mp_yaml *n = document->first; n; n = n->next) {
        const struct mp_yaml *kind = n->kind == MP_MAPPING ? find(n, "kind") : NULL;
        bool is_new = mp_config_added(s->config, n->key) || !is_section(s->config, n->key);
        if (kind && is_new && add_level(s, where, n, kind, err))
            return -1;
    }
    return 0;
}

int mp_keys_check(struct mp_settings *settings, const struct mp_yaml *document, const char *where,
                  struct mp_error *err)
{
    if (!document)
        return 0;
    return add_levels(settings, where, document, err) || check(settings->config, where, document, 0, err) ? -1
                                                                                                          : 0;
}
