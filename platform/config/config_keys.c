/* SPDX-License-Identifier: Apache-2.0 */
/* The keys that a file may have, and of which kind each is. */
#include <stdlib.h>
#include <string.h>

#include "config/config_internal.h"

static const char *const texts[] = {"name", "description", "preset", "seed"};

/* Whether a parameter, or one that has been replaced, is in this section. */
static bool is_section(const char *name)
{
    size_t length = strlen(name);
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
static bool find_kind(const struct mp_yaml *n, const char *path, unsigned depth, enum mp_node *kind)
{
    *kind = depth == 0 || (depth == 2 && n->above->kind == MP_SEQUENCE) ? MP_MAPPING : MP_SCALAR;
    if (strchr(n->key, '.') || (depth && !*n->key))
        return false;
    if (depth == 2 && *kind == MP_SCALAR)
        return mp_param_find(path) < mp_nparams() || mp_old_find(path) < MP_OLD_PARAMS;
    if (depth == 3)
        return is_tenant_field(n->key);
    if (depth != 1)
        return true;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!strcmp(texts[i], n->key))
            return true;
    *kind = strcmp(n->key, "tenants") ? MP_MAPPING : MP_SEQUENCE;
    return *kind == MP_SEQUENCE || is_section(n->key);
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

static int fail_kind(const char *where, const struct mp_yaml *n, const char *path, enum mp_node wanted,
                     struct mp_error *err)
{
    if (wanted == MP_SEQUENCE)
        return mp_fail(
            err, "%s:%u: tenants is not a list; a list with '- {app: NAME, size: NAME, slices: N}' for each",
            where, n->line);
    if (wanted == MP_SCALAR) {
        char allowed[256] = "text";
        if (mp_param_find(path) < mp_nparams())
            mp_param_allowed(mp_param_find(path), allowed, sizeof allowed);
        return mp_fail(err, "%s:%u: %s is a %s; a single value, %s", where, n->line, path,
                       n->kind == MP_SEQUENCE ? "list" : "mapping", allowed);
    }
    if (!*path)
        return mp_fail(err, "%s:%u: the file is not a mapping; 'key: value' lines", where, n->line);
    if (n->above->kind == MP_SEQUENCE)
        return mp_fail(err, "%s:%u: %s is not a mapping; app, size, input, trace, slices, sms and colours",
                       where, n->line, path);
    return mp_fail(err, "%s:%u: %s is not a mapping; a section with its parameters below it, indented", where,
                   n->line, path);
}

static int check(const char *where, const struct mp_yaml *n, unsigned depth, struct mp_error *err)
{
    char path[128];
    enum mp_node wanted;
    mp_yaml_path(n, path, sizeof path);
    bool known = find_kind(n, path, depth, &wanted), dotted = strchr(n->key, '.');
    if (!known && dotted && mp_param_find(path) < mp_nparams())
        return mp_fail(err,
                       "%s:%u: %s is not a key of a file; write its section as a mapping, with the "
                       "parameter indented below",
                       where, n->line, path);
    if (!known && depth == 1 && n->kind == MP_MAPPING)
        return fail_section(where, n, err);
    if (!known)
        return mp_fail(err, "%s:%u: unknown key %.80s; nearest is %s", where, n->line, path,
                       mp_param_nearest(path));
    if (n->kind != wanted)
        return fail_kind(where, n, path, wanted, err);
    if (depth == 2 && wanted == MP_MAPPING && strtoul(n->key, NULL, 10) >= MP_TENANTS)
        return mp_fail(err, "%s:%u: more than %u tenants; 1 to %u", where, n->line, MP_TENANTS, MP_TENANTS);
    for (const struct mp_yaml *c = n->first; c; c = c->next)
        if (check(where, c, depth + 1, err))
            return -1;
    return 0;
}

int mp_keys_check(const struct mp_yaml *document, const char *where, struct mp_error *err)
{
    return document ? check(where, document, 0, err) : 0;
}
