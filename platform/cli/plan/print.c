/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "cli/out.h"
#include "cli/plan/plan.h"

/* Candidates in the order of their predicted values, the best first. */
static void order(const struct plan *p, unsigned by[PLAN_MOST])
{
    for (unsigned i = 0; i < p->n; i++) {
        const double value = plan_value(p, p->candidate[i].predicted);
        unsigned at = i;
        for (; at && plan_value(p, p->candidate[by[at - 1]].predicted) < value; at--)
            by[at] = by[at - 1];
        by[at] = i;
    }
}

static double percent_lost(const struct plan *p)
{
    const double best = plan_value(p, p->candidate[plan_best_measured(p)].measured);
    return 100 * (1 - plan_value(p, p->candidate[p->best].measured) / best);
}

/* 1: no candidate is measured better than the planned one. */
static unsigned rank(const struct plan *p)
{
    unsigned better = 0;
    for (unsigned i = 0; i < p->n; i++)
        better += plan_value(p, p->candidate[i].measured) > plan_value(p, p->candidate[p->best].measured);
    return better + 1;
}

static void describe(const struct plan *p, const struct plan_candidate *c, char text[96])
{
    int n = snprintf(text, 96, "%s, %u SMs for %s and %u for %s", plan_schemes[c->scheme], c->sms[0],
                     p->app[0], c->sms[1], p->app[1]);
    if (c->colours[0])
        snprintf(text + n, 96 - (size_t)n, ", %u and %u colours", c->colours[0], c->colours[1]);
}

void plan_print(const struct plan *p)
{
    static const char *const heads[] = {"scheme",   "SMs",        "colours",    "predicted 0", "predicted 1",
                                        "together", "measured 0", "measured 1", "together"};
    struct out_table *t = out_table_new(p->check ? 9 : 6, heads);
    unsigned by[PLAN_MOST];
    char text[96];
    order(p, by);
    for (unsigned i = 0; i < p->n; i++) {
        const struct plan_candidate *c = &p->candidate[by[i]];
        out_cell(t, "%s", plan_schemes[c->scheme]);
        out_cell(t, "%u + %u", c->sms[0], c->sms[1]);
        if (c->colours[0])
            out_cell(t, "%u + %u", c->colours[0], c->colours[1]);
        else
            out_cell(t, "-");
        out_cell(t, "%.3f", c->predicted[0]);
        out_cell(t, "%.3f", c->predicted[1]);
        out_cell(t, "%.3f", plan_value(p, c->predicted));
        if (!p->check)
            continue;
        out_cell(t, "%.3f", c->measured[0]);
        out_cell(t, "%.3f", c->measured[1]);
        out_cell(t, "%.3f", plan_value(p, c->measured));
    }
    printf("Speed relative to the whole GPU alone; 0: %s, 1: %s; together: %s\n\n", p->app[0], p->app[1],
           p->worst ? "the slower one's" : "the sum");
    out_table_print(t, stdout);
    describe(p, &p->candidate[p->best], text);
    printf("\nplan: %s\n", text);
    if (!p->check)
        return;
    describe(p, &p->candidate[plan_best_measured(p)], text);
    printf("best of all, measured: %s\nthe plan is number %u of %u, and %.1f %% below the best\n", text,
           rank(p), p->n, percent_lost(p));
}

static void pair(struct out_json *j, const char *name, const double value[PLAN_TENANTS])
{
    json_array(j, name);
    for (unsigned t = 0; t < PLAN_TENANTS; t++)
        json_real(j, NULL, value[t]);
    json_end_array(j);
}

static void counts(struct out_json *j, const char *name, const unsigned value[PLAN_TENANTS])
{
    json_array(j, name);
    for (unsigned t = 0; t < PLAN_TENANTS; t++)
        json_count(j, NULL, value[t]);
    json_end_array(j);
}

static void candidate(struct out_json *j, const char *name, const struct plan *p, unsigned i)
{
    const struct plan_candidate *c = &p->candidate[i];
    json_object(j, name);
    json_text(j, "scheme", plan_schemes[c->scheme]);
    json_count(j, "page_bytes", c->scheme == PLAN_CP ? 2097152 : 4096);
    counts(j, "sms", c->sms);
    counts(j, "colours", c->colours);
    pair(j, "predicted", c->predicted);
    json_real(j, "predicted_value", plan_value(p, c->predicted));
    if (p->check) {
        pair(j, "measured", c->measured);
        json_real(j, "measured_value", plan_value(p, c->measured));
        json_count(j, "run", (uint64_t)p->pool.job[c->pair].run_id);
    }
    json_end_object(j);
}

void plan_print_json(const struct plan *p)
{
    struct out_json j = {.f = stdout};
    unsigned by[PLAN_MOST];
    order(p, by);
    json_object(&j, NULL);
    json_text(&j, "machine", p->machine);
    json_text(&j, "goal", p->worst ? "worst" : "sum");
    json_array(&j, "apps");
    for (unsigned t = 0; t < PLAN_TENANTS; t++)
        json_text(&j, NULL, p->app[t]);
    json_end_array(&j);
    candidate(&j, "plan", p, p->best);
    if (p->check) {
        candidate(&j, "best", p, plan_best_measured(p));
        json_count(&j, "rank", rank(p));
        json_real(&j, "percent_below_best", percent_lost(p));
    }
    json_array(&j, "candidates");
    for (unsigned i = 0; i < p->n; i++)
        candidate(&j, NULL, p, by[i]);
    json_end_array(&j);
    json_end_object(&j);
}
