/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/figure.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which runs ---- */

#define SOURCE_SETS (3 * MP_TENANTS + 3u)

int figure_config(struct mp_config *config, const struct paper_context *c, const char *name,
                  const struct variant *variant, unsigned nset, const char *const *set)
{
    const char *all[SOURCE_SETS + PAPER_SETS + VARIANT_SETS];
    struct mp_error err;
    unsigned n = 0;
    for (unsigned i = 0; i < nset; i++)
        all[n++] = set[i];
    for (unsigned i = 0; i < c->nset; i++)
        all[n++] = c->set[i];
    for (unsigned i = 0; i < VARIANT_SETS && variant->set[i]; i++)
        all[n++] = variant->set[i];
    if (mp_config_load(config, name, n, all, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned t = 0; t < config->ntenants; t++) {
        if (!config->tenant[t].size) /* a trace */
            continue;
        char *size = cli_have(strdup(paper_input_size(c, config->tenant[t].size)));
        free(config->tenant[t].size);
        config->tenant[t].size = size;
    }
    return CLI_DONE;
}

/* The source of a workload: an experiment, or a machine and its applications. */
struct source {
    char name[64];
    const char *machine;
    char text[SOURCE_SETS][40];
    const char *set[SOURCE_SETS];
    unsigned nset;
};

static const char *machine_of(const struct figure_runs *r)
{
    if (r->f->machine)
        return r->f->machine;
    return r->c->size == PAPER_STAR ? r->e->recovered : r->e->machine;
}

__attribute__((format(printf, 2, 3))) static void add_set(struct source *s, const char *format, ...)
{
    va_list args;
    char *text = s->text[s->nset];
    va_start(args, format);
    vsnprintf(text, sizeof s->text[0], format, args);
    va_end(args);
    s->set[s->nset++] = text;
}

/* An experiment's applications and their slices on another machine. */
static int move_experiment(struct source *s, const char *machine)
{
    struct mp_config config;
    struct mp_error err;
    if (mp_config_load(&config, s->name, 0, NULL, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    s->machine = machine;
    for (unsigned t = 0; t < config.ntenants; t++) {
        const struct mp_tenant_config *tenant = &config.tenant[t];
        add_set(s, "tenants.%u.app=%s", t, tenant->app);
        add_set(s, "tenants.%u.size=%s", t, tenant->size);
        add_set(s, "tenants.%u.slices=%" PRIu32, t, (uint32_t)tenant->slices);
    }
    mp_config_free(&config);
    return CLI_DONE;
}

static int source_of(struct source *s, const struct figure_runs *r, const struct paper_workload *w)
{
    *s = (struct source){.machine = s->name};
    if (w->experiment) {
        snprintf(s->name, sizeof s->name, "%s", w->experiment);
        return r->c->size == PAPER_STAR ? move_experiment(s, machine_of(r)) : CLI_DONE;
    }
    snprintf(s->name, sizeof s->name, "%s/%s", r->e->paper, w->name);
    s->machine = machine_of(r);
    for (unsigned t = 0; t < PAPER_TENANTS && w->app[t]; t++) {
        add_set(s, "tenants.%u.app=%s", t, w->app[t]);
        add_set(s, "tenants.%u.size=%s", t, r->e->input ? r->e->input : "paper");
    }
    for (unsigned i = 0; i < 2 && w->set[i]; i++)
        s->set[s->nset++] = w->set[i];
    if (r->f->set)
        s->set[s->nset++] = r->f->set;
    return CLI_DONE;
}

/* The configuration is named after the workload, not after the machine. */
static int source_config(struct mp_config *config, const struct figure_runs *r, const struct source *s,
                         unsigned variant)
{
    int code = figure_config(config, r->c, s->machine, &r->e->variant[variant], s->nset, s->set);
    if (code)
        return code;
    free(config->name);
    config->name = cli_have(strdup(s->name));
    return CLI_DONE;
}

/* The paper's names of an experiment's applications. */
static int name_applications(struct figure_workload *w, const char *experiment)
{
    struct mp_config config;
    struct mp_error err;
    if (mp_config_load(&config, experiment, 0, NULL, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    w->ntenants = config.ntenants;
    for (unsigned t = 0; t < config.ntenants; t++) {
        const struct mp_tenant_config *tenant = &config.tenant[t];
        unsigned same = 1;
        for (unsigned i = 0; i < t; i++)
            same += !strcmp(config.tenant[i].app, tenant->app);
        snprintf(w->app[t], sizeof w->app[t], "%.8s%s", tenant->app,
                 strcmp(tenant->size, "paper") ? "_s" : "");
        if (same > 1)
            snprintf(w->app[t] + strlen(w->app[t]), 4, " %u", same % 10);
    }
    mp_config_free(&config);
    return CLI_DONE;
}

/* Names the applications after the parts of the workload's name. */
static void split_name(struct figure_workload *w, const struct paper_workload *of)
{
    const char *s = of->name;
    for (w->ntenants = 0; w->ntenants < PAPER_TENANTS && of->app[w->ntenants]; w->ntenants++) {
        int n = (int)strcspn(s, ".");
        snprintf(w->app[w->ntenants], sizeof w->app[0], "%.*s", n, s);
        s += n + (s[n] == '.');
    }
}

static int plan_variant(const struct figure_runs *r, struct pool *pool, const struct source *s,
                        unsigned variant, unsigned *place)
{
    struct mp_config config;
    char label[64];
    if (source_config(&config, r, s, variant))
        return CLI_USAGE;
    snprintf(label, sizeof label, "%.40s %.20s", s->name, r->e->variant[variant].label);
    *place = pool_add(pool, &config, label);
    return CLI_DONE;
}

/* Plans each tenant alone on its part of the machine, under the baseline. */
static int plan_alone(const struct figure_runs *r, struct pool *pool, struct figure_workload *w,
                      const struct source *s)
{
    struct mp_config config;
    int code = source_config(&config, r, s, 0);
    for (unsigned t = 0; !code && t < w->ntenants; t++) {
        struct run_job job;
        code = runs_alone(&job, &config, t);
        if (!code)
            w->alone[t] = pool_add(pool, &job.config, job.label);
    }
    mp_config_free(&config);
    return code;
}

static int plan_references(const struct figure_runs *r, struct pool *pool, struct figure_workload *w,
                           const struct source *s)
{
    int code = CLI_DONE;
    for (unsigned v = 0; !code && v < r->f->nvariants; v++) {
        unsigned reference = r->f->reference[v];
        if (reference == FIGURE_ALONE)
            w->reference[v] = FIGURE_ALONE;
        else
            code = plan_variant(r, pool, s, reference, &w->reference[v]);
    }
    return code;
}

/* Whether a name is in a list of names with commas between them. */
static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *s = list; s; s = strchr(s, ','), s += s != NULL)
        if (strcspn(s, ",") == n && !strncmp(s, name, n))
            return true;
    return false;
}

static int plan_workload(struct figure_runs *r, struct pool *pool, unsigned number)
{
    const struct figure *f = r->f;
    const struct paper_workload *of = &paper_data(r->e->paper)->workload[number - 1];
    if (r->c->only && !listed(r->c->only, of->name))
        return CLI_DONE;
    struct figure_workload *w = &r->w[r->n++];
    struct source s;
    int code = source_of(&s, r, of);
    snprintf(w->name, sizeof w->name, "%s", of->name);
    w->category = of->category;
    w->of = of;
    if (!code && of->experiment)
        code = name_applications(w, s.name);
    else if (!code)
        split_name(w, of);
    if (figure_is_mapping(f))
        return code;
    for (unsigned v = 0; !code && v < f->nvariants; v++)
        code = plan_variant(r, pool, &s, f->variant[v], &w->job[v]);
    for (unsigned i = 0; !code && i < 2 * f->nover; i++)
        code = plan_variant(r, pool, &s, f->over[i / 2][i % 2], &w->over[i / 2][i % 2]);
    if (!code && !figure_is_curves(f) && (figure_has_parts(f) || figure_metric(f)->reference))
        code = plan_references(r, pool, w, &s);
    if (!code && figure_needs_alone(f))
        code = plan_alone(r, pool, w, &s);
    return code;
}

int figure_mapping_config(struct mp_config *config, const struct figure_runs *r,
                          const struct figure_workload *w, unsigned variant, unsigned seed)
{
    struct source s;
    int code = source_of(&s, r, w->of);
    if (code)
        return code;
    snprintf(s.text[s.nset], sizeof s.text[0], "vm.seed=%u", seed);
    s.set[s.nset] = s.text[s.nset];
    s.nset++;
    return source_config(config, r, &s, variant);
}

static int plan_application(struct figure_runs *r, struct pool *pool, const char *app)
{
    struct figure_workload *w = &r->w[r->n++];
    struct source s = {.machine = machine_of(r)};
    snprintf(s.name, sizeof s.name, "%s", s.machine);
    add_set(&s, "tenants.0.app=%s", app);
    add_set(&s, "tenants.0.size=paper");
    add_set(&s, "tenants.0.slices=3");
    snprintf(w->app[0], sizeof w->app[0], "%s", app);
    w->category = "";
    w->ntenants = 1;
    return plan_alone(r, pool, w, &s);
}

int figure_plan(struct figure_runs *r, const struct paper_context *c, const struct evaluation *e,
                const struct figure *f, struct pool *pool)
{
    int code = CLI_DONE;
    *r = (struct figure_runs){.c = c, .e = e, .f = f, .pool = pool};
    if (f->measure)
        return CLI_DONE;
    if (!strcmp(f->workloads, "alone")) {
        if (c->only)
            return CLI_DONE;
        const struct mp_db_point *p = paper_data(e->paper)->point;
        for (; !code && p->paper; p++)
            if (!strcmp(p->figure, "table2") && !strcmp(p->x, "instructions"))
                code = plan_application(r, pool, p->series);
        return code;
    }
    for (const char *s = f->workloads; !code && *s;) {
        char *end;
        unsigned first = (unsigned)strtoul(s, &end, 10);
        unsigned last = *end == '-' ? (unsigned)strtoul(end + 1, &end, 10) : first;
        for (unsigned w = first; !code && w <= last; w++)
            code = plan_workload(r, pool, w);
        s = end + strspn(end, " ");
    }
    return code;
}

bool figure_is_extra(const struct figure *f)
{
    return !strncmp(f->name, "ext-", 4);
}

const char *figure_suffix(const struct figure_runs *r, unsigned v)
{
    static char text[32];
    snprintf(text, sizeof text, " %.30s", r->e->variant[r->f->variant[v]].label);
    return r->f->nvariants > 1 ? text : "";
}
