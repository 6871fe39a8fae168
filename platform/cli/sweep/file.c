/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a sweep's file. Its keys are paths of parameters, which no schema of libcyaml can list, so libyaml
 * loads it as a tree of nodes with their lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yaml.h>

#include "cli/cli.h"
#include "cli/sweep/plan.h"
#include "engine/number.h"

#define MOST_EXCLUSIONS 256u

struct reader {
    struct sweep *s;
    yaml_document_t *document;
    struct mp_error *err;
};

/* ---- nodes ---- */

static yaml_node_t *node(const struct reader *r, int id)
{
    return yaml_document_get_node(r->document, id);
}

static const char *text_of(const yaml_node_t *n)
{
    return (const char *)n->data.scalar.value;
}

static unsigned line_of(const yaml_node_t *n)
{
    return (unsigned)n->start_mark.line + 1;
}

static unsigned length_of(const yaml_node_t *list)
{
    return (unsigned)(list->data.sequence.items.top - list->data.sequence.items.start);
}

static unsigned pairs_of(const yaml_node_t *mapping)
{
    return (unsigned)(mapping->data.mapping.pairs.top - mapping->data.mapping.pairs.start);
}

static yaml_node_t *item(const struct reader *r, const yaml_node_t *list, unsigned i)
{
    return node(r, list->data.sequence.items.start[i]);
}

static yaml_node_t *key(const struct reader *r, const yaml_node_t *mapping, unsigned i)
{
    return node(r, mapping->data.mapping.pairs.start[i].key);
}

static yaml_node_t *value(const struct reader *r, const yaml_node_t *mapping, unsigned i)
{
    return node(r, mapping->data.mapping.pairs.start[i].value);
}

__attribute__((format(printf, 3, 4))) static int fail(const struct reader *r, unsigned line,
                                                      const char *format, ...)
{
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return mp_fail(r->err, "%.100s:%u: %s", r->s->where, line, what);
}

static char *copy(const char *text)
{
    return cli_have(strdup(text));
}

/* ---- values ---- */

/* A list of scalars, or one scalar. The list is malloc'ed. */
static int read_values(const struct reader *r, const yaml_node_t *n, const char *path, char ***values,
                       unsigned *count)
{
    bool list = n->type == YAML_SEQUENCE_NODE;
    unsigned length = list ? length_of(n) : 1;
    if (!list && n->type != YAML_SCALAR_NODE)
        return fail(r, line_of(n), "%.60s: a mapping; a value or a list of values", path);
    if (!length || length > SWEEP_MOST_VALUES)
        return fail(r, line_of(n), "%.60s: %u values; 1 to %u", path, length, SWEEP_MOST_VALUES);
    *values = cli_alloc(length, sizeof **values);
    *count = 0;
    for (unsigned i = 0; i < length; i++) {
        const yaml_node_t *v = list ? item(r, n, i) : n;
        if (v->type != YAML_SCALAR_NODE)
            return fail(r, line_of(v), "%.60s: a list in a list; a value or a list of values", path);
        (*values)[(*count)++] = copy(text_of(v));
    }
    return 0;
}

struct range {
    uint64_t from, to, step, times;
    bool has_from, has_to;
};

static int read_range_key(const struct reader *r, const yaml_node_t *n, unsigned i, struct range *range)
{
    static const char *const names[] = {"from", "to", "step", "times", NULL};
    uint64_t *const to[] = {&range->from, &range->to, &range->step, &range->times};
    static const uint64_t least[] = {0, 0, 1, 2};
    const char *name = text_of(key(r, n, i));
    const yaml_node_t *v = value(r, n, i);
    unsigned which = 0;
    while (names[which] && strcmp(names[which], name) != 0)
        which++;
    if (!names[which])
        return fail(r, line_of(v), "'%.40s' in a range; from, to, step and times", name);
    const char *text = v->type == YAML_SCALAR_NODE ? text_of(v) : "";
    const char *wrong = mp_number(text, strlen(text), least[which], INT64_MAX, to[which]);
    if (wrong)
        return fail(r, line_of(v), "%s: '%.40s' %s; a number from %d on, without a unit", name, text, wrong,
                    (int)least[which]);
    range->has_from |= which == 0;
    range->has_to |= which == 1;
    return 0;
}

/* {from: 512, to: 4096, times: 2}, or with step, which is 1 if neither is given. */
static int read_range(const struct reader *r, const yaml_node_t *n, const char *path, char ***values,
                      unsigned *count)
{
    struct range range = {0};
    for (unsigned i = 0; i < pairs_of(n); i++)
        if (read_range_key(r, n, i, &range))
            return -1;
    if (!range.has_from || !range.has_to || range.from > range.to || (range.step && range.times) ||
        (range.times && !range.from))
        return fail(r, line_of(n),
                    "%.60s: no range; from and a higher or equal to, with step, or times and from above 0",
                    path);
    uint64_t step = range.step ? range.step : 1;
    *values = cli_alloc(SWEEP_MOST_VALUES, sizeof **values);
    for (uint64_t v = range.from;; v = range.times ? v * range.times : v + step) {
        if (*count == SWEEP_MOST_VALUES)
            return fail(r, line_of(n), "%.60s: a range of more than %u values; a larger step", path,
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

/* Which tenants there are depends on the experiment, so their paths are checked with the configuration. */
static int check_path(const struct reader *r, const char *path, unsigned line)
{
    unsigned dimension, at, n = mp_nparams();
    struct mp_error why;
    if (find_path(r->s, path, &dimension, &at))
        return fail(r, line, "%.60s is given twice; each path once", path);
    if (!strcmp(path, "seed") || !strncmp(path, "tenants.", 8))
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
static int add_path(const struct reader *r, struct sweep_dimension *d, const char *path, const yaml_node_t *n,
                    bool range)
{
    char **values = NULL;
    unsigned count = 0;
    int failed = range && n->type == YAML_MAPPING_NODE ? read_range(r, n, path, &values, &count)
                                                       : read_values(r, n, path, &values, &count);
    if (!failed && d->npaths && count != d->nvalues)
        failed = fail(r, line_of(n), "%.60s: %u values, but %.60s has %u; lists of equal length in a zip",
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

static int read_experiments(const struct reader *r, const yaml_node_t *n)
{
    struct sweep_dimension *d = add_dimension(r, line_of(n), 1);
    return !d || add_path(r, d, "experiment", n, false) || check_different(r, d) ? -1 : 0;
}

static int read_parameters(const struct reader *r, const yaml_node_t *n)
{
    if (n->type != YAML_MAPPING_NODE)
        return fail(r, line_of(n), "parameters: not a mapping; 'path: values' lines");
    for (unsigned i = 0; i < pairs_of(n); i++) {
        const char *path = text_of(key(r, n, i));
        unsigned line = line_of(key(r, n, i));
        struct sweep_dimension *d = check_path(r, path, line) ? NULL : add_dimension(r, line, 1);
        if (!d || add_path(r, d, path, value(r, n, i), true) || check_different(r, d))
            return -1;
    }
    return 0;
}

static int read_zip(const struct reader *r, const yaml_node_t *n)
{
    for (unsigned g = 0; n->type == YAML_SEQUENCE_NODE && g < length_of(n); g++) {
        const yaml_node_t *group = item(r, n, g);
        if (group->type != YAML_MAPPING_NODE || pairs_of(group) < 2)
            return fail(r, line_of(group), "zip: less than two parameters; 'path: list' lines");
        struct sweep_dimension *d = add_dimension(r, line_of(group), pairs_of(group));
        for (unsigned i = 0; d && i < pairs_of(group); i++) {
            const char *path = text_of(key(r, group, i));
            if (check_path(r, path, line_of(key(r, group, i))) ||
                add_path(r, d, path, value(r, group, i), true))
                return -1;
        }
        if (!d || check_different(r, d))
            return -1;
    }
    return n->type == YAML_SEQUENCE_NODE
               ? 0
               : fail(r, line_of(n), "zip: not a list; '- path: list' with the others below it");
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

static int read_tenants(const struct reader *r, const yaml_node_t *n, struct sweep_workload *w)
{
    if (n->type != YAML_SEQUENCE_NODE || !length_of(n) || length_of(n) > MP_TENANTS)
        return fail(r, line_of(n),
                    "a workload without a list of tenants; 1 to %u of them, as in an experiment", MP_TENANTS);
    for (unsigned t = 0; t < length_of(n); t++) {
        const yaml_node_t *tenant = item(r, n, t);
        if (tenant->type != YAML_MAPPING_NODE)
            return fail(r, line_of(tenant), "a tenant that is no mapping; {app: MT, size: small, slices: 3}");
        unsigned pairs = pairs_of(tenant);
        w->override = cli_have(realloc(w->override, (w->noverrides + pairs + 1) * sizeof *w->override));
        for (unsigned i = 0; i < pairs; i++) {
            const yaml_node_t *v = value(r, tenant, i);
            if (v->type != YAML_SCALAR_NODE)
                return fail(r, line_of(v), "a tenant's field is a list; a single value, app: MT");
            w->override[w->noverrides++] = tenant_field(r, t, text_of(key(r, tenant, i)), text_of(v));
        }
    }
    return 0;
}

static int read_workloads(const struct reader *r, const yaml_node_t *n)
{
    struct sweep *s = r->s;
    if (n->type != YAML_MAPPING_NODE || !pairs_of(n) || pairs_of(n) > SWEEP_MOST_VALUES)
        return fail(r, line_of(n), "workloads: not a mapping; 'name: list of tenants' lines, 1 to %u",
                    SWEEP_MOST_VALUES);
    struct sweep_dimension *d = add_dimension(r, line_of(n), 1);
    if (!d)
        return -1;
    d->path[d->npaths++] = copy("workload");
    d->value = cli_alloc(pairs_of(n), sizeof *d->value);
    s->workload = cli_alloc(pairs_of(n), sizeof *s->workload);
    for (unsigned i = 0; i < pairs_of(n); i++) {
        d->value[d->nvalues++] = copy(text_of(key(r, n, i)));
        if (read_tenants(r, value(r, n, i), &s->workload[s->nworkloads++]))
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

static int read_exclusion(const struct reader *r, const yaml_node_t *n, struct sweep_exclusion *x)
{
    if (n->type != YAML_MAPPING_NODE || !pairs_of(n))
        return fail(r, line_of(n), "exclude: not a mapping; '- {path: value, path: value}'");
    x->term = cli_alloc(pairs_of(n), sizeof *x->term);
    for (unsigned i = 0; i < pairs_of(n); i++) {
        struct sweep_term *t = &x->term[x->nterms];
        const char *path = text_of(key(r, n, i));
        unsigned line = line_of(key(r, n, i));
        if (!find_path(r->s, path, &t->dimension, &t->path))
            return fail(r, line, "exclude: %.60s does not vary; a path of this file, or experiment", path);
        x->nterms++;
        if (read_values(r, value(r, n, i), path, &t->value, &t->nvalues) || check_term(r, t, line))
            return -1;
    }
    return 0;
}

static int read_exclude(const struct reader *r, const yaml_node_t *n)
{
    struct sweep *s = r->s;
    if (n->type != YAML_SEQUENCE_NODE || length_of(n) > MOST_EXCLUSIONS)
        return fail(r, line_of(n), "exclude: not a list; '- {path: value, path: value}' lines, at most %u",
                    MOST_EXCLUSIONS);
    s->exclusion = cli_alloc(length_of(n), sizeof *s->exclusion);
    for (unsigned i = 0; i < length_of(n); i++)
        if (read_exclusion(r, item(r, n, i), &s->exclusion[s->nexclusions++]))
            return -1;
    return 0;
}

/* ---- the file ---- */

static int read_description(const struct reader *r, const yaml_node_t *n)
{
    if (n->type != YAML_SCALAR_NODE)
        return fail(r, line_of(n), "description: not a text; one line");
    r->s->description = copy(text_of(n));
    return 0;
}

/* In this order, whatever the order in the file: exclusions name what is read before them. */
static const struct {
    const char *name;
    int (*read)(const struct reader *r, const yaml_node_t *n);
} parts[] = {{"description", read_description},
             {"experiments", read_experiments},
             {"workloads", read_workloads},
             {"parameters", read_parameters},
             {"zip", read_zip},
             {"exclude", read_exclude}};
#define PARTS (sizeof parts / sizeof *parts)

static int check_keys(const struct reader *r, const yaml_node_t *root)
{
    const char *names[PARTS + 1] = {0};
    struct mp_error why;
    for (unsigned p = 0; p < PARTS; p++)
        names[p] = parts[p].name;
    for (unsigned i = 0; i < pairs_of(root); i++) {
        const char *name = text_of(key(r, root, i));
        unsigned p = 0;
        while (p < PARTS && strcmp(names[p], name) != 0)
            p++;
        if (p == PARTS) {
            cli_unknown(&why, name, names, "experiments, workloads, parameters, zip, exclude and description",
                        "unknown key %.60s of a sweep", name);
            return fail(r, line_of(key(r, root, i)), "%s", why.text);
        }
    }
    return 0;
}

static int read_root(const struct reader *r, const yaml_node_t *root)
{
    if (!root || root->type != YAML_MAPPING_NODE)
        return fail(r, 1, "no sweep; experiments, and parameters with their values");
    if (check_keys(r, root))
        return -1;
    for (unsigned p = 0; p < PARTS; p++) {
        for (unsigned i = 0; i < pairs_of(root); i++)
            if (!strcmp(parts[p].name, text_of(key(r, root, i))) && parts[p].read(r, value(r, root, i)))
                return -1;
        if (!strcmp(parts[p].name, "experiments") && !r->s->ndimensions)
            return fail(r, line_of(root), "no experiments; a list of names (mempath run --list) and files");
    }
    return sweep_enumerate(r->s, r->err);
}

static int load(struct sweep *s, const struct mp_source *source, struct mp_error *err)
{
    struct mp_yaml_index index;
    *s = (struct sweep){0};
    if (mp_yaml_read(&index, source, err)) /* refuses aliases, repeated keys, and what is not YAML */
        return -1;
    mp_yaml_free(&index);
    s->where = copy(source->where);
    s->folder = mp_source_folder(source);
    yaml_parser_t parser;
    yaml_document_t document;
    cli_have(yaml_parser_initialize(&parser) ? &parser : NULL);
    yaml_parser_set_input_string(&parser, (const unsigned char *)source->text, source->size);
    int failed = !yaml_parser_load(&parser, &document);
    if (failed) {
        mp_fail(err, "%s: not YAML; 'key: value' lines, sections indented", source->where);
    } else {
        struct reader r = {s, &document, err};
        failed = read_root(&r, yaml_document_get_root_node(&document));
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
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
