/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a sweep's file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/sweep/plan.h"
#include "engine/number.h"

#define MOST_EXCLUSIONS 256u

struct reader {
    struct sweep *s;
    struct mp_error *err;
};

#define fail(r, ...) mp_fail_line((r)->err, (r)->s->where, __VA_ARGS__)

static char *copy(const char *text)
{
    return cli_have(strdup(text));
}

/* ---- values ---- */

/* A list of scalars, or one scalar. The list is malloc'ed. */
static int read_values(const struct reader *r, const struct mp_yaml *n, const char *path, char ***values,
                       unsigned *count)
{
    bool list = n->kind == MP_SEQUENCE;
    unsigned length = list ? n->n : 1;
    if (!list && n->kind != MP_SCALAR)
        return fail(r, n->value_line, "%.60s: a mapping; a value or a list of values", path);
    if (!length || length > SWEEP_MOST_VALUES)
        return fail(r, n->value_line, "%.60s: %u values; 1 to %u", path, length, SWEEP_MOST_VALUES);
    *values = cli_alloc(length, sizeof **values);
    *count = 0;
    for (const struct mp_yaml *v = list ? n->first : n; v; v = list ? v->next : NULL) {
        if (v->kind != MP_SCALAR)
            return fail(r, v->value_line, "%.60s: a list in a list; a value or a list of values", path);
        (*values)[(*count)++] = copy(v->text);
    }
    return 0;
}

struct range {
    uint64_t from, to, step, times;
    bool has_from, has_to;
};

static int read_range_key(const struct reader *r, const struct mp_yaml *v, struct range *range)
{
    static const char *const names[] = {"from", "to", "step", "times", NULL};
    uint64_t *const to[] = {&range->from, &range->to, &range->step, &range->times};
    static const uint64_t least[] = {0, 0, 1, 2};
    const char *name = v->key;
    unsigned which = 0;
    while (names[which] && strcmp(names[which], name) != 0)
        which++;
    if (!names[which])
        return fail(r, v->value_line, "'%.40s' in a range; from, to, step and times", name);
    const char *text = v->kind == MP_SCALAR ? v->text : "";
    const char *wrong = mp_number(text, strlen(text), least[which], INT64_MAX, to[which]);
    if (wrong)
        return fail(r, v->value_line, "%s: '%.40s' %s; a number from %d on, without a unit", name, text,
                    wrong, (int)least[which]);
    range->has_from |= which == 0;
    range->has_to |= which == 1;
    return 0;
}

/* {from: 512, to: 4096, times: 2}, or with step, which is 1 if neither is given. */
static int read_range(const struct reader *r, const struct mp_yaml *n, const char *path, char ***values,
                      unsigned *count)
{
    struct range range = {0};
    for (const struct mp_yaml *v = n->first; v; v = v->next)
        if (read_range_key(r, v, &range))
            return -1;
    if (!range.has_from || !range.has_to || range.from > range.to || (range.step && range.times) ||
        (range.times && !range.from))
        return fail(r, n->value_line,
                    "%.60s: no range; from and a higher or equal to, with step, or times and from above 0",
                    path);
    uint64_t step = range.step ? range.step : 1;
    *values = cli_alloc(SWEEP_MOST_VALUES, sizeof **values);
    for (uint64_t v = range.from;; v = range.times ? v * range.times : v + step) {
        if (*count == SWEEP_MOST_VALUES)
            return fail(r, n->value_line, "%.60s: a range of more than %u values; a larger step", path,
                        SWEEP_MOST_VALUES);
        cli_have(asprintf(&(*values)[*count], "%llu", (unsigned long long)v) < 0 ? NULL : (*values)[*count]);
        ++*count;
        if (range.times ? v > range.to / range.times : range.to - v < step)
            return 0;
    }
}

/* ---- dimensions ---- */

static struct sweep_dimension *add_dimension(const struct reader *r, unsigned line, unsigned npaths)
{
    struct sweep *s = r->s;
    if (s->ndimensions == SWEEP_MOST_DIMENSIONS) {
        fail(r, line, "more than %u parameters and zips; at most %u", SWEEP_MOST_DIMENSIONS - 1,
             SWEEP_MOST_DIMENSIONS - 1);
        return NULL;
    }
    struct sweep_dimension *d = &s->dimension[s->ndimensions++];
    d->line = line;
    d->path = cli_alloc(npaths, sizeof *d->path);
    return d;
}

static bool find_path(const struct sweep *s, const char *path, unsigned *dimension, unsigned *at)
{
    for (unsigned d = 0; d < s->ndimensions; d++) {
        for (unsigned p = 0; p < s->dimension[d].npaths; p++) {
            if (!strcmp(s->dimension[d].path[p], path)) {
                *dimension = d;
                *at = p;
                return true;
            }
        }
    }
    return false;
}

/* Tenants and added levels depend on the experiment, so paths in sections that not every machine has are
 * checked with the configuration. */
static int check_path(const struct reader *r, const char *path, unsigned line)
{
    unsigned dimension, at, n = mp_nparams();
    bool known = !strchr(path, '.');
    struct mp_error why;
    if (find_path(r->s, path, &dimension, &at))
        return fail(r, line, "%.60s is given twice; each path once", path);
    for (unsigned i = 0; i < n; i++)
        known |= !strncmp(mp_param(i)->path, path, strcspn(path, ".") + 1);
    if (!strcmp(path, "seed") || !known || mp_param_was(path))
        return 0;
    const char **names = cli_alloc(n + 2, sizeof *names);
    unsigned i = 0;
    for (; i < n; i++)
        names[i] = mp_param(i)->path;
    names[n] = "seed";
    i = 0;
    while (i < n && strcmp(names[i], path) != 0)
        i++;
    if (i == n)
        cli_unknown(&why, path, names, "mempath params lists all", "unknown parameter %.60s", path);
    free(names);
    return i < n ? 0 : fail(r, line, "%s", why.text);
}

static int check_different(const struct reader *r, const struct sweep_dimension *d)
{
    for (unsigned i = 0; i < d->nvalues; i++) {
        for (unsigned k = 0; k < i; k++) {
            unsigned same = 0;
            while (same < d->npaths &&
                   !strcmp(d->value[same * d->nvalues + i], d->value[same * d->nvalues + k]))
                same++;
            if (same == d->npaths)
                return fail(r, d->line, "%.60s: %.60s is given twice; all values must differ", d->path[0],
                            d->value[i]);
        }
    }
    return 0;
}

/* Reads the values of one more path. All paths of a dimension have the same number of values. */
static int add_path(const struct reader *r, struct sweep_dimension *d, const char *path,
                    const struct mp_yaml *n, bool range)
{
    char **values = NULL;
    unsigned count = 0;
    int failed = range && n->kind == MP_MAPPING ? read_range(r, n, path, &values, &count)
                                                : read_values(r, n, path, &values, &count);
    if (!failed && d->npaths && count != d->nvalues)
        failed = fail(r, n->value_line, "%.60s: %u values, but %.60s has %u; lists of equal length in a zip",
                      path, count, d->path[0], d->nvalues);
    if (failed || !values) { /* without values, it failed: the analyser cannot see that */
        for (unsigned i = 0; values && i < count; i++)
            free(values[i]);
        free(values);
        return -1;
    }
    d->nvalues = count;
    d->value = cli_have(realloc(d->value, (size_t)(d->npaths + 1) * count * sizeof *d->value));
    memcpy(d->value + (size_t)d->npaths * count, values, count * sizeof *values);
    free(values);
    d->path[d->npaths++] = copy(path);
    return 0;
}

static int read_experiments(const struct reader *r, const struct mp_yaml *n)
{
    struct sweep_dimension *d = add_dimension(r, n->value_line, 1);
    return !d || add_path(r, d, "experiment", n, false) || check_different(r, d) ? -1 : 0;
}

static int read_parameters(const struct reader *r, const struct mp_yaml *n)
{
    if (n->kind != MP_MAPPING)
        return fail(r, n->value_line, "parameters: not a mapping; 'path: values' lines");
    for (const struct mp_yaml *v = n->first; v; v = v->next) {
        struct sweep_dimension *d = check_path(r, v->key, v->line) ? NULL : add_dimension(r, v->line, 1);
        if (!d || add_path(r, d, v->key, v, true) || check_different(r, d))
            return -1;
    }
    return 0;
}

static int read_zip(const struct reader *r, const struct mp_yaml *n)
{
    for (const struct mp_yaml *group = n->kind == MP_SEQUENCE ? n->first : NULL; group; group = group->next) {
        if (group->kind != MP_MAPPING || group->n < 2)
            return fail(r, group->value_line, "zip: less than two parameters; 'path: list' lines");
        struct sweep_dimension *d = add_dimension(r, group->value_line, group->n);
        for (const struct mp_yaml *v = group->first; d && v; v = v->next)
            if (check_path(r, v->key, v->line) || add_path(r, d, v->key, v, true))
                return -1;
        if (!d || check_different(r, d))
            return -1;
    }
    return n->kind == MP_SEQUENCE
               ? 0
               : fail(r, n->value_line, "zip: not a list; '- path: list' with the others below it");
}

/* ---- workloads ---- */

/* A field of a tenant, as an override. Files begin in the folder of the sweep. */
static char *tenant_field(const struct reader *r, unsigned tenant, const char *field, const char *text)
{
    bool file = (!strcmp(field, "trace") || !strcmp(field, "input")) && text[0] != '/' && r->s->folder;
    char *override;
    int n = asprintf(&override, "tenants.%u.%s=%s%s%s", tenant, field, file ? r->s->folder : "",
                     file ? "/" : "", text);
    return cli_have(n < 0 ? NULL : override);
}

static int read_tenants(const struct reader *r, const struct mp_yaml *n, struct sweep_workload *w)
{
    if (n->kind != MP_SEQUENCE || !n->n || n->n > MP_TENANTS)
        return fail(r, n->value_line,
                    "a workload without a list of tenants; 1 to %u of them, as in an experiment", MP_TENANTS);
    unsigned t = 0;
    for (const struct mp_yaml *tenant = n->first; tenant; tenant = tenant->next, t++) {
        if (tenant->kind != MP_MAPPING)
            return fail(r, tenant->value_line,
                        "a tenant that is no mapping; {app: MT, size: small, slices: 3}");
        w->override = cli_have(realloc(w->override, (w->noverrides + tenant->n + 1) * sizeof *w->override));
        for (const struct mp_yaml *v = tenant->first; v; v = v->next) {
            if (v->kind != MP_SCALAR)
                return fail(r, v->value_line, "a tenant's field is a list; a single value, app: MT");
            w->override[w->noverrides++] = tenant_field(r, t, v->key, v->text);
        }
    }
    return 0;
}

static int read_workloads(const struct reader *r, const struct mp_yaml *n)
{
    struct sweep *s = r->s;
    if (n->kind != MP_MAPPING || !n->n || n->n > SWEEP_MOST_VALUES)
        return fail(r, n->value_line, "workloads: not a mapping; 'name: list of tenants' lines, 1 to %u",
                    SWEEP_MOST_VALUES);
    struct sweep_dimension *d = add_dimension(r, n->value_line, 1);
    if (!d)
        return -1;
    d->path[d->npaths++] = copy("workload");
    d->value = cli_alloc(n->n, sizeof *d->value);
    s->workload = cli_alloc(n->n, sizeof *s->workload);
    for (const struct mp_yaml *v = n->first; v; v = v->next) {
        d->value[d->nvalues++] = copy(v->key);
        if (read_tenants(r, v, &s->workload[s->nworkloads++]))
            return -1;
    }
    return check_different(r, d);
}

/* ---- exclusions ---- */

/* A value that no run has would exclude nothing: most likely a wrong word. */
static int check_term(const struct reader *r, const struct sweep_term *t, unsigned line)
{
    const struct sweep_dimension *d = &r->s->dimension[t->dimension];
    for (unsigned i = 0; i < t->nvalues; i++) {
        unsigned v = 0;
        while (v < d->nvalues && strcmp(d->value[t->path * d->nvalues + v], t->value[i]) != 0)
            v++;
        if (v == d->nvalues)
            return fail(r, line, "exclude: %.60s is never %.60s; a value as it is written above",
                        d->path[t->path], t->value[i]);
    }
    return 0;
}

static int read_exclusion(const struct reader *r, const struct mp_yaml *n, struct sweep_exclusion *x)
{
    if (n->kind != MP_MAPPING || !n->n)
        return fail(r, n->value_line, "exclude: not a mapping; '- {path: value, path: value}'");
    x->term = cli_alloc(n->n, sizeof *x->term);
    for (const struct mp_yaml *v = n->first; v; v = v->next) {
        struct sweep_term *t = &x->term[x->nterms];
        if (!find_path(r->s, v->key, &t->dimension, &t->path))
            return fail(r, v->line, "exclude: %.60s does not vary; a path of this file, or experiment",
                        v->key);
        x->nterms++;
        if (read_values(r, v, v->key, &t->value, &t->nvalues) || check_term(r, t, v->line))
            return -1;
    }
    return 0;
}

static int read_exclude(const struct reader *r, const struct mp_yaml *n)
{
    struct sweep *s = r->s;
    if (n->kind != MP_SEQUENCE || n->n > MOST_EXCLUSIONS)
        return fail(r, n->value_line, "exclude: not a list; '- {path: value, path: value}' lines, at most %u",
                    MOST_EXCLUSIONS);
    s->exclusion = cli_alloc(n->n, sizeof *s->exclusion);
    for (const struct mp_yaml *v = n->first; v; v = v->next)
        if (read_exclusion(r, v, &s->exclusion[s->nexclusions++]))
            return -1;
    return 0;
}

/* ---- the file ---- */

static int read_description(const struct reader *r, const struct mp_yaml *n)
{
    if (n->kind != MP_SCALAR)
        return fail(r, n->value_line, "description: not a text; one line");
    r->s->description = copy(n->text);
    return 0;
}

/* In this order, whatever the order in the file: exclusions name what is read before them. */
static const struct {
    const char *name;
    int (*read)(const struct reader *r, const struct mp_yaml *n);
} parts[] = {{"description", read_description},
             {"experiments", read_experiments},
             {"workloads", read_workloads},
             {"parameters", read_parameters},
             {"zip", read_zip},
             {"exclude", read_exclude}};
#define PARTS (sizeof parts / sizeof *parts)

static int check_keys(const struct reader *r, const struct mp_yaml *root)
{
    const char *names[PARTS + 1] = {0};
    struct mp_error why;
    for (unsigned p = 0; p < PARTS; p++)
        names[p] = parts[p].name;
    for (const struct mp_yaml *n = root->first; n; n = n->next) {
        unsigned p = 0;
        while (p < PARTS && strcmp(names[p], n->key) != 0)
            p++;
        if (p == PARTS) {
            cli_unknown(&why, n->key, names,
                        "experiments, workloads, parameters, zip, exclude and description",
                        "unknown key %.60s of a sweep", n->key);
            return fail(r, n->line, "%s", why.text);
        }
    }
    return 0;
}

static int read_root(const struct reader *r, const struct mp_yaml *root)
{
    if (!root || root->kind != MP_MAPPING)
        return fail(r, 1, "no sweep; experiments, and parameters with their values");
    if (check_keys(r, root))
        return -1;
    for (unsigned p = 0; p < PARTS; p++) {
        for (const struct mp_yaml *n = root->first; n; n = n->next)
            if (!strcmp(parts[p].name, n->key) && parts[p].read(r, n))
                return -1;
        if (!strcmp(parts[p].name, "experiments") && !r->s->ndimensions)
            return fail(r, root->value_line,
                        "no experiments; a list of names (mempath run --list) and files");
    }
    return sweep_enumerate(r->s, r->err);
}

static int load(struct sweep *s, const struct mp_source *source, struct mp_error *err)
{
    struct mp_yaml *document;
    *s = (struct sweep){0};
    if (mp_yaml_read(&document, source, err))
        return -1;
    s->where = copy(source->where);
    s->folder = mp_source_folder(source);
    const struct reader r = {s, err};
    int failed = read_root(&r, document);
    mp_yaml_free(document);
    return failed;
}

static int finish(struct sweep *s, int failed)
{
    if (failed)
        sweep_free(s);
    return failed ? -1 : 0;
}

int sweep_load(struct sweep *s, const char *path, struct mp_error *err)
{
    struct mp_source source;
    if (access(path, R_OK))
        return mp_fail(err, "%s: %s; a sweep in YAML, see mempath sweep --help", path, strerror(errno));
    if (mp_source_open(&source, path, NULL, NULL, err))
        return -1;
    int failed = load(s, &source, err);
    mp_source_close(&source);
    return finish(s, failed);
}

int sweep_load_text(struct sweep *s, const char *name, const char *text, size_t size, struct mp_error *err)
{
    char *copied = copy(name);
    const struct mp_source source = {
        .text = text, .size = size, .name = copied, .where = copied, .id = copied};
    int failed = load(s, &source, err);
    free(copied);
    return finish(s, failed);
}
