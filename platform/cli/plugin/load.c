/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/hash.h"
#include "cli/plugin/plugin.h"
#include "cli/revision.h"
#include "config/config.h"
#include "engine/plugin.h"

#define PART "up to 31 of a to z, 0 to 9 and _"

static struct mp_db_plugin loaded[PLUGIN_MOST];
static const struct mp_plugin *contents[PLUGIN_MOST + 1]; /* of these */
static unsigned nloaded, nvalues;

const struct mp_db_plugin *plugin_list(unsigned *count)
{
    *count = nloaded;
    return loaded;
}

const struct mp_plugin *const *plugin_contents(void)
{
    return contents;
}

const char *plugin_modules_only(void)
{
    unsigned i = 0;
    while (contents[i] && contents[i]->designs && contents[i]->designs->kind)
        i++;
    return contents[i] ? contents[i]->name : NULL;
}

static bool is_word(const char *text)
{
    return text && *text && strlen(text) < PLUGIN_WORD &&
           !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static const struct mp_design_kind *kind_named(const char *name)
{
    unsigned i = 0;
    while (plugin_kinds[i] && strcmp(plugin_kinds[i]->name, name) != 0)
        i++;
    return plugin_kinds[i];
}

static const struct mp_design *design_of(const struct mp_plugin_design *d)
{
    return (const struct mp_design *)(const void *)((const char *)d->design + kind_named(d->kind)->offset);
}

static int unknown_kind(const char *kind, struct mp_error *err)
{
    char names[256];
    size_t n = 0;
    for (unsigned i = 0; plugin_kinds[i]; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", plugin_kinds[i]->name);
    return mp_fail(err, "'%.40s' is no kind of design; %s", kind, names);
}

/* The kind of the design that has this name, or NULL. */
static const char *taken_by(const char *name)
{
    for (unsigned i = 0; plugin_kinds[i]; i++)
        if (mp_design_find(plugin_kinds[i]->designs, name) >= 0)
            return plugin_kinds[i]->name;
    return NULL;
}

int plugin_check_name(const char *name, struct mp_error *err)
{
    const char *taken = taken_by(name);
    if (!is_word(name))
        return mp_fail(err, "'%.40s' is no name of a design; " PART, name);
    if (taken)
        return mp_fail(err, "%s: there is a %s of this name; another name", name, taken);
    if (mp_config_has_key(name))
        return mp_fail(err, "%s: a configuration has this key already; another name", name);
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return !a || !b ? a == b : !strcmp(a, b);
}

static bool same_param(const struct mp_design_param *a, const struct mp_design_param *b)
{
    return same_text(a->name, b->name) && same_text(a->unit, b->unit) && same_text(a->choices, b->choices) &&
           a->usual == b->usual && a->least == b->least && a->most == b->most &&
           same_text(a->source, b->source) && same_text(a->text, b->text) && a->flags == b->flags;
}

/* Whether a design of the kind has the parameter already: its row is then that of both. */
static bool is_shared(const struct mp_design_kind *kind, const struct mp_design_param *param)
{
    for (const struct mp_design **d = kind->designs; *d; d++)
        for (const struct mp_design_param *p = (*d)->params; p && p->name; p++)
            if (same_param(p, param))
                return true;
    return false;
}

static int check_param(const struct mp_design_kind *kind, const struct mp_design_param *p,
                       struct mp_error *err)
{
    if (strchr(p->name, '.'))
        return is_shared(kind, p) ? 0
                                  : mp_fail(err,
                                            "%s: no design of the kind has this parameter; NAME without a "
                                            "dot, or the row of another design",
                                            p->name);
    if (!is_word(p->name))
        return mp_fail(err, "parameter '%.40s': not a name; " PART, p->name);
    if (!p->source || !p->text)
        return mp_fail(err, "parameter %s: no source or no text; both", p->name);
    return 0;
}

static int check_design(const struct mp_plugin_design *given, struct mp_error *err)
{
    const struct mp_design_kind *kind = kind_named(given->kind);
    if (!kind)
        return unknown_kind(given->kind, err);
    if (!given->design)
        return mp_fail(err, "a %s is NULL; a struct mp_%s", given->kind, given->kind);
    const struct mp_design *d = design_of(given);
    if (plugin_check_name(d->name ? d->name : "", err))
        return -1;
    if (!d->title)
        return mp_fail(err, "%s: no title; a line for lists of designs", d->name);
    const struct mp_design_need *need = mp_design_lacks(kind, given->design);
    if (need)
        return mp_fail(err, "%s: its function %s is NULL; a %s%s%s has one", d->name, need->name, kind->name,
                       need->with ? " with " : "", need->with ? need->with : "");
    struct mp_error why;
    unsigned n = mp_design_nparams(d);
    if (n > MP_DESIGN_VALUES)
        return mp_fail(err, "%s: %u parameters; at most %u", d->name, n, MP_DESIGN_VALUES);
    for (unsigned i = 0; i < n; i++)
        if (check_param(kind, &d->params[i], &why))
            return mp_fail(err, "%s: %s", d->name, why.text);
    struct mp_design_values usual = mp_design_defaults(d);
    return mp_design_check(d, &usual, &why) ? mp_fail(err, "%s: its default: %s", d->name, why.text) : 0;
}

static int add_designs(const struct mp_plugin *p, struct mp_error *err)
{
    unsigned values = nvalues;
    for (const struct mp_plugin_design *d = p->designs; d && d->kind; d++) {
        if (check_design(d, err))
            return -1;
        values += mp_design_nparams(design_of(d));
        if (values > PLUGIN_MOST_VALUES)
            return mp_fail(err, "%s: no room for its parameters; plugins have %u at most", design_of(d)->name,
                           PLUGIN_MOST_VALUES);
        if (!kind_named(d->kind)->add(d->design))
            return mp_fail(err, "%s: no room; plugins add %u designs of a kind at most", design_of(d)->name,
                           MP_DESIGN_ROOM);
    }
    nvalues = values;
    return 0;
}

static int check_plugin(const struct mp_plugin *p, struct mp_error *err)
{
    if (!p->interface || strcmp(p->interface, MP_PLUGIN_INTERFACE) != 0)
        return mp_fail(err, "it was built for another mempath; rebuild it with the headers of this one, "
                            "revision " MEMPATH_REVISION);
    if (!is_word(p->name))
        return mp_fail(err, "the plugin is named '%.40s'; " PART, p->name ? p->name : "");
    for (unsigned i = 0; i < nloaded; i++)
        if (!strcmp(loaded[i].name, p->name))
            return mp_fail(err, "there is a plugin %s already, %s; another name", p->name, loaded[i].path);
    if (nloaded == PLUGIN_MOST)
        return mp_fail(err, "no room; %u plugins at most", PLUGIN_MOST);
    if (p->modules || (p->designs && p->designs->kind))
        return 0;
    return mp_fail(err, "it has neither designs nor modules; one of them");
}

/* The linker maps what the head of a file promises, and dies by SIGBUS if the file is shorter. Other files it
 * refuses itself. */
static bool is_cut_off(const char *path, uint64_t bytes)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    bool cut = false;
    FILE *f = fopen(path, "rb");
    if (f && fread(&head, sizeof head, 1, f) == 1 && !memcmp(head.e_ident, ELFMAG, SELFMAG))
        for (unsigned i = 0; i < head.e_phnum && !cut; i++)
            cut =
                fseek(f, (long)(head.e_phoff + i * sizeof part), SEEK_SET) ||
                fread(&part, sizeof part, 1, f) != 1 ||
                (part.p_type == PT_LOAD && (part.p_offset > bytes || part.p_filesz > bytes - part.p_offset));
    if (f)
        fclose(f);
    return cut;
}

/* NULL with err. The linker's message begins with the path, which is known. */
static const struct mp_plugin *open_plugin(const char *path, struct mp_error *err)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct mp_plugin *p = object ? dlsym(object, "mempath_plugin") : NULL;
    if (!object) {
        const char *text = dlerror();
        size_t n = strlen(path);
        bool known = !strncmp(text, path, n) && !strncmp(text + n, ": ", 2);
        mp_fail(err, "%s; a shared object with designs", text + (known ? n + 2 : 0));
    } else if (!p) {
        mp_fail(err, "it has no symbol mempath_plugin; engine/plugin.h says what that is");
    }
    return p;
}

static int load(const char *path, struct mp_error *err)
{
    struct mp_db_file f;
    struct mp_error why;
    if (hash_file(path, "a shared object with designs", &f, &why)) /* which begins with the path, too */
        return mp_fail(err, "%s", why.text + strlen(path) + 2);
    if (is_cut_off(path, f.bytes))
        return mp_fail(err, "the file is cut off; a whole shared object with designs");
    const struct mp_plugin *p = open_plugin(path, err);
    if (!p || check_plugin(p, err) || add_designs(p, err))
        return -1;
    contents[nloaded] = p;
    loaded[nloaded++] = (struct mp_db_plugin){p->name, path, {f.hash[0], f.hash[1]}};
    return 0;
}

static bool is_loaded(const char *path)
{
    for (unsigned i = 0; i < nloaded; i++)
        if (!strcmp(loaded[i].path, path))
            return true;
    return false;
}

int plugin_load(const char *file, struct mp_error *err)
{
    struct mp_error why;
    char *path = realpath(file, NULL); /* with a slash, without which dlopen() searches elsewhere */
    if (!path)
        return mp_fail(err, "--plugin %s: %s; a shared object with designs", file, strerror(errno));
    bool again = is_loaded(path);
    if (!again && !load(path, &why))
        return 0; /* the list of plugins has the path */
    free(path);
    return again ? 0 : mp_fail(err, "--plugin %s: %s", file, why.text);
}

/* The value of the option at argv[i]; NULL if it is another argument. */
static const char *value_at(char **argv, int i)
{
    static const char option[] = "--plugin";
    size_t n = strlen(option);
    if (strncmp(argv[i], option, n) != 0)
        return NULL;
    return argv[i][n] == '=' ? argv[i] + n + 1 : argv[i][n] ? NULL : argv[i + 1];
}

int plugin_options(char **argv, struct mp_error *err)
{
    for (int i = 0; argv[i] && strcmp(argv[i], "--") != 0; i++) {
        const char *file = value_at(argv, i);
        if (file && plugin_load(file, err))
            return -1;
    }
    return 0;
}
