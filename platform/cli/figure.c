/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scale.h"

/* ---- which runs ---- */

int figure_config(struct mp_config *config, const struct paper_context *c, const char *name,
                  const struct variant *variant, unsigned nset, const char *const *set)
{
    const char *all[8];
    struct mp_error err;
    unsigned n = 0;
    for (unsigned i = 0; i < nset; i++)
        all[n++] = set[i];
    for (unsigned i = 0; i < 2 && variant->set[i]; i++)
        all[n++] = variant->set[i];
    if (mp_config_load(config, name, n, all, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    for (unsigned t = 0; t < config->ntenants; t++) {
        char *size = strdup(paper_input_size(c, config->tenant[t].size));
        if (!size)
            return cli_fail(CLI_FAILED, "out of memory");
        free(config->tenant[t].size);
        config->tenant[t].size = size;
    }
    return scale_config(config, c->scale, &err) ? cli_fail(CLI_USAGE, "%s: %s", name, err.text) : CLI_DONE;
}

/* The paper's names of a workload's applications. */
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

static int plan_variant(const struct figure_runs *r, struct pool *pool, const char *experiment,
                        unsigned variant, unsigned *place)
{
    const struct variant *v = &r->e->variant[variant];
    struct mp_config config;
    char label[64];
    if (figure_config(&config, r->c, experiment, v, 0, NULL))
        return CLI_USAGE;
    snprintf(label, sizeof label, "%.40s %.20s", experiment, v->label);
    *place = pool_add(pool, &config, label);
    return CLI_DONE;
}

/* Each tenant of an experiment (or of a machine and overrides) alone on its instance of the baseline. */
static int plan_alone(const struct figure_runs *r, struct pool *pool, struct figure_workload *w,
                      const char *experiment, unsigned nset, const char *const *set)
{
    struct mp_config config;
    int code = figure_config(&config, r->c, experiment, &r->e->variant[0], nset, set);
    for (unsigned t = 0; !code && t < w->ntenants; t++) {
        struct run_job job;
        code = runs_alone(&job, &config, t);
        if (!code)
            w->alone[t] = pool_add(pool, &job.config, job.label);
    }
    mp_config_free(&config);
    return code;
}

static int plan_workload(struct figure_runs *r, struct pool *pool, unsigned number)
{
    const struct figure *f = r->f;
    struct figure_workload *w = &r->w[r->n++];
    char experiment[64];
    snprintf(experiment, sizeof experiment, "%s%u", r->e->experiments, number);
    snprintf(w->name, sizeof w->name, "W%u", number);
    w->category = r->e->category[number - 1];
    int code = name_applications(w, experiment);
    for (unsigned v = 0; !code && v < f->nvariants; v++)
        code = plan_variant(r, pool, experiment, f->variant[v], &w->job[v]);
    for (unsigned i = 0; !code && i < 2 * f->nover; i++)
        code = plan_variant(r, pool, experiment, f->over[i / 2][i % 2], &w->over[i / 2][i % 2]);
    bool speedup = f->metric == METRIC_SPEEDUP;
    if (!code && speedup && f->reference != FIGURE_ALONE)
        code = plan_variant(r, pool, experiment, f->reference, &w->reference);
    if (!code && (f->alone || (speedup && f->reference == FIGURE_ALONE)))
        code = plan_alone(r, pool, w, experiment, 0, NULL);
    return code;
}

static int plan_application(struct figure_runs *r, struct pool *pool, const char *app)
{
    struct figure_workload *w = &r->w[r->n++];
    char name[48];
    const char *const set[] = {name, "tenants.0.size=paper", "tenants.0.slices=3"};
    snprintf(name, sizeof name, "tenants.0.app=%s", app);
    snprintf(w->app[0], sizeof w->app[0], "%s", app);
    w->category = "";
    w->ntenants = 1;
    return plan_alone(r, pool, w, r->e->machine, 3, set);
}

int figure_plan(struct figure_runs *r, const struct paper_context *c, const struct evaluation *e,
                const struct figure *f, struct pool *pool)
{
    int code = CLI_DONE;
    *r = (struct figure_runs){.c = c, .e = e, .f = f, .pool = pool};
    if (!strcmp(f->workloads, "alone")) {
        for (unsigned a = 0; !code && e->apps[a]; a++)
            code = plan_application(r, pool, e->apps[a]);
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

bool figure_is_curves(const struct figure *f)
{
    return f->metric == METRIC_SUB_ENTRIES || f->metric == METRIC_REUSE;
}

const char *figure_suffix(const struct figure_runs *r, unsigned v)
{
    static char text[32];
    snprintf(text, sizeof text, " %.30s", r->e->variant[r->f->variant[v]].label);
    return r->f->nvariants > 1 ? text : "";
}
