/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sweep/plan.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "engine/number.h"

static unsigned position(const struct sweep *s, uint32_t point, unsigned dimension)
{
    for (unsigned d = s->ndimensions - 1; d > dimension; d--)
        point /= s->dimension[d].nvalues;
    return point % s->dimension[dimension].nvalues;
}

static const char *value_at(const struct sweep *s, uint32_t point, unsigned dimension, unsigned path)
{
    const struct sweep_dimension *d = &s->dimension[dimension];
    return d->value[path * d->nvalues + position(s, point, dimension)];
}

const char *sweep_value(const struct sweep *s, unsigned run, unsigned dimension, unsigned path)
{
    return value_at(s, s->point[run], dimension, path);
}

static bool term_matches(const struct sweep *s, const struct sweep_term *t, uint32_t point)
{
    const char *value = value_at(s, point, t->dimension, t->path);
    for (unsigned i = 0; i < t->nvalues; i++)
        if (!strcmp(value, t->value[i]))
            return true;
    return false;
}

static bool excluded(const struct sweep *s, uint32_t point)
{
    for (unsigned e = 0; e < s->nexclusions; e++) {
        const struct sweep_exclusion *x = &s->exclusion[e];
        unsigned matches = 0;
        while (matches < x->nterms && term_matches(s, &x->term[matches], point))
            matches++;
        if (matches == x->nterms)
            return true;
    }
    return false;
}

int sweep_enumerate(struct sweep *s, struct mp_error *err)
{
    uint64_t points = 1;
    for (unsigned d = 0; d < s->ndimensions; d++) {
        points *= s->dimension[d].nvalues;
        if (points > SWEEP_MOST_RUNS)
            return mp_fail(err, "%s: more than %u runs; fewer values, or several files", s->where,
                           SWEEP_MOST_RUNS);
    }
    s->point = cli_alloc(points, sizeof *s->point);
    for (uint32_t p = 0; p < points; p++)
        if (!excluded(s, p))
            s->point[s->nruns++] = p;
    return s->nruns ? 0 : mp_fail(err, "%s: every run is excluded; fewer exclusions", s->where);
}

/* ---- a run's configuration ---- */

static char *override_of(const char *path, const char *value)
{
    char *text;
    return cli_have(asprintf(&text, "%s=%s", path, value) < 0 ? NULL : text);
}

int sweep_config(const struct sweep *s, unsigned run, struct mp_config *config, struct mp_error *err)
{
    return sweep_config_with(s, run, 0, NULL, config, err);
}

int sweep_config_with(const struct sweep *s, unsigned run, unsigned nsettings, const char *const *setting,
                      struct mp_config *config, struct mp_error *err)
{
    const char *experiment = sweep_value(s, run, 0, 0);
    unsigned n = 0, room = 1 + nsettings;
    const struct sweep_workload *w = s->nworkloads ? &s->workload[position(s, s->point[run], 1)] : NULL;
    for (unsigned d = 1; d < s->ndimensions; d++)
        room += s->dimension[d].npaths;
    char **override = cli_alloc(room + (w ? w->noverrides : 0), sizeof *override);
    char *file = NULL;
    const char *suffix = strrchr(experiment, '.');
    if (experiment[0] != '/' && s->folder && suffix && (!strcmp(suffix, ".yaml") || !strcmp(suffix, ".yml")))
        cli_have(asprintf(&file, "%s/%s", s->folder, experiment) < 0 ? NULL : file);
    for (unsigned i = 0; w && i < w->noverrides; i++)
        override[n++] = cli_have(strdup(w->override[i]));
    for (unsigned d = 1; d < s->ndimensions; d++) {
        for (unsigned p = 0; p < s->dimension[d].npaths; p++) {
            const char *path = s->dimension[d].path[p], *value = sweep_value(s, run, d, p);
            if (w && d == 1) { /* the workload's name distinguishes the runs of a machine */
                char *name;
                cli_have(asprintf(&name, "%s %s", experiment, value) < 0 ? NULL : name);
                override[n++] = override_of("name", name);
                free(name);
            } else {
                override[n++] = override_of(path, value);
            }
        }
    }
    for (unsigned i = 0; i < nsettings; i++)
        override[n++] = cli_have(strdup(setting[i]));
    struct mp_error why;
    int failed = mp_config_load(config, file ? file : experiment, n, (const char *const *) override, &why);
    if (failed)
        mp_fail(err, "%s: run %u: %.400s", s->where, run + 1, why.text);
    if (!failed && !config->ntenants) {
        mp_config_free(config);
        failed = mp_fail(err, "%s: run %u: %s has no tenants; an experiment, or workloads", s->where, run + 1,
                         experiment);
    }
    for (unsigned i = 0; i < n; i++)
        free(override[i]);
    free(override);
    free(file);
    return failed;
}

/* ---- selected runs ---- */

static int select_range(const struct sweep *s, const char *text, size_t length, bool *selected,
                        struct mp_error *err)
{
    const char *dash = memchr(text, '-', length);
    size_t first = dash ? (size_t)(dash - text) : length;
    uint64_t from = 0, to = 0;
    const char *wrong = mp_number(text, first, 1, s->nruns, &from);
    to = from;
    if (!wrong && dash)
        wrong = mp_number(dash + 1, length - first - 1, from, s->nruns, &to);
    if (wrong)
        return mp_fail(err, "--only: '%.*s' %s; numbers of runs, 1 to %u, as in 1,5-7", (int)length, text,
                       wrong, s->nruns);
    for (uint64_t i = from; i <= to; i++)
        selected[i - 1] = true;
    return 0;
}

int sweep_select(const struct sweep *s, const char *list, bool **selected, struct mp_error *err)
{
    *selected = cli_alloc(s->nruns, sizeof **selected);
    for (const char *at = list; at;) {
        const char *comma = strchr(at, ',');
        if (select_range(s, at, comma ? (size_t)(comma - at) : strlen(at), *selected, err)) {
            free(*selected);
            *selected = NULL;
            return -1;
        }
        at = comma ? comma + 1 : NULL;
    }
    return 0;
}

/* ---- end ---- */

static void free_texts(char **text, unsigned n)
{
    for (unsigned i = 0; text && i < n; i++)
        free(text[i]);
    free(text);
}

void sweep_free(struct sweep *s)
{
    free(s->where);
    free(s->folder);
    free(s->description);
    free(s->point);
    for (unsigned d = 0; d < s->ndimensions; d++) {
        free_texts(s->dimension[d].path, s->dimension[d].npaths);
        free_texts(s->dimension[d].value, s->dimension[d].npaths * s->dimension[d].nvalues);
    }
    for (unsigned w = 0; w < s->nworkloads; w++)
        free_texts(s->workload[w].override, s->workload[w].noverrides);
    free(s->workload);
    for (unsigned e = 0; e < s->nexclusions; e++) {
        for (unsigned t = 0; t < s->exclusion[e].nterms; t++)
            free_texts(s->exclusion[e].term[t].value, s->exclusion[e].term[t].nvalues);
        free(s->exclusion[e].term);
    }
    free(s->exclusion);
    *s = (struct sweep){0};
}
