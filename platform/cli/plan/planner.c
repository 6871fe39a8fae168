/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plan/plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "map/colours.h"
#include "map/map.h"

enum { PARTS = 4, SETS = 16, TEXT = 96, PAGE_4K = 4096 };

#define HOG "VA"

const char *const plan_schemes[] = {[PLAN_CP] = "CP", [PLAN_CP_4K] = "CP 4 KB", [PLAN_CMP] = "CMP"};

/* --- configurations ------------------------------------------------------------------------------- */

struct sets {
    char text[SETS][TEXT];
    const char *set[SETS];
    unsigned n;
};

__attribute__((format(printf, 2, 3))) static void set(struct sets *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->text[s->n], TEXT, format, args);
    va_end(args);
    s->set[s->n] = s->text[s->n];
    s->n++;
}

static void set_tenant(struct sets *s, const struct plan *p, unsigned at, unsigned tenant)
{
    set(s, "tenants.%u.app=%s", at, p->app[tenant]);
    set(s, "tenants.%u.size=%s", at, p->size[tenant]);
}

static void set_scheme(struct sets *s, const struct plan *p, const struct plan_candidate *c)
{
    set(s, "machine.dispatch=persistent");
    if (c->scheme != PLAN_CP)
        set(s, "machine.page_bytes=%d", PAGE_4K);
    if (c->scheme != PLAN_CMP)
        return;
    set(s, "vm.frames=coloured");
    set(s, "vm.colours=%u", p->colours);
}

/* Tenant `tenant` has the candidate's share; it is number `at` of the run. */
static void set_share(struct sets *s, const struct plan *p, const struct plan_candidate *c, unsigned at,
                      unsigned tenant)
{
    set_tenant(s, p, at, tenant);
    set(s, "tenants.%u.sms=%u", at, c->sms[tenant]);
    if (c->colours[tenant])
        set(s, "tenants.%u.colours=%u", at, c->colours[tenant]);
}

static int add(struct plan *p, const struct sets *s, const char *label, unsigned *job, struct mp_error *err)
{
    struct mp_config config;
    if (mp_config_load(&config, p->machine, s->n, s->set, err))
        return -1;
    *job = pool_add(&p->pool, &config, label);
    return 0;
}

/* --- candidates ----------------------------------------------------------------------------------- */

/* The colours that pages of 4 KB can have; 1 if the machine's address map has none. */
static int count_colours(const struct mp_config *config, unsigned *colours, struct mp_error *err)
{
    const struct mp_address_map *kind =
        mp_address_map_find(mp_choice("machine.hash", (uint32_t)config->machine.hash));
    const struct mp_design_values own = mp_config_values(config, &kind->design);
    struct mp_map map;
    if (mp_map_init(&map, kind, &own))
        return mp_fail(err, "out of memory");
    *colours = mp_map_hash(&map) ? mp_colours_most(mp_map_hash(&map), PAGE_4K) : 1;
    mp_map_free(&map);
    return 0;
}

static void add_candidate(struct plan *p, enum plan_scheme scheme, unsigned sms, unsigned all,
                          unsigned colours)
{
    p->candidate[p->n++] = (struct plan_candidate){
        .scheme = scheme, .sms = {sms, all - sms}, .colours = {colours, colours ? p->colours - colours : 0}};
}

/* SMs and colours in quarters, as far as they can be divided. */
static void list(struct plan *p, unsigned all, unsigned per_tpc)
{
    for (unsigned part = 1; part < PARTS; part++) {
        const unsigned sms = all * part / PARTS / per_tpc * per_tpc;
        if (!sms || sms == all)
            continue;
        add_candidate(p, PLAN_CP, sms, all, 0);
        add_candidate(p, PLAN_CP_4K, sms, all, 0);
        for (unsigned c = 1; c < PARTS; c++)
            if (p->colours > 1 && p->colours * c % PARTS == 0)
                add_candidate(p, PLAN_CMP, sms, all, p->colours * c / PARTS);
    }
}

static int add_alone(struct plan *p, struct plan_candidate *c, unsigned tenant, struct mp_error *err)
{
    struct sets s = {.n = 0};
    char label[64];
    set_share(&s, p, c, 0, tenant);
    set_scheme(&s, p, c);
    snprintf(label, sizeof label, "%s alone, %u SMs, %s", p->app[tenant], c->sms[tenant],
             plan_schemes[c->scheme]);
    return add(p, &s, label, &c->alone[tenant], err);
}

static int add_hogged(struct plan *p, struct plan_candidate *c, unsigned tenant, struct mp_error *err)
{
    struct sets s = {.n = 0};
    char label[64];
    set_share(&s, p, c, 0, tenant);
    set(&s, "tenants.1.app=" HOG);
    set(&s, "tenants.1.size=%s", p->size[tenant]);
    set(&s, "tenants.1.sms=%u", c->sms[1 - tenant]);
    set_scheme(&s, p, c);
    snprintf(label, sizeof label, "%s next to " HOG ", %u SMs, %s", p->app[tenant], c->sms[tenant],
             plan_schemes[c->scheme]);
    return add(p, &s, label, &c->hogged[tenant], err);
}

static int add_whole(struct plan *p, unsigned tenant, struct mp_error *err)
{
    struct sets s = {.n = 0};
    char label[64];
    set_tenant(&s, p, 0, tenant);
    snprintf(label, sizeof label, "%s alone, all SMs", p->app[tenant]);
    return add(p, &s, label, &p->whole[tenant], err);
}

static int add_hog(struct plan *p, struct mp_error *err)
{
    struct sets s = {.n = 0};
    set(&s, "tenants.0.app=" HOG);
    set(&s, "tenants.0.size=%s", p->size[0]);
    return add(p, &s, HOG " alone, all SMs", &p->hog, err);
}

int plan_prepare(struct plan *p, struct mp_error *err)
{
    struct mp_config config;
    if (mp_config_load(&config, p->machine, 0, NULL, err))
        return -1;
    const unsigned all = (unsigned)mp_config_sms(&config), per_tpc = (unsigned)config.machine.sms_per_tpc;
    int failed = 0;
    if (strcmp(mp_choice("machine.sharing", (uint32_t)config.machine.sharing), "mps") != 0)
        failed = mp_fail(err, "%s: machine.sharing = %s; plan divides SMs, so it must be mps", p->machine,
                         mp_choice("machine.sharing", (uint32_t)config.machine.sharing));
    else if (config.ntenants)
        failed = mp_fail(err, "%s: it has tenants; a machine without, such as fgpu-gtx1080", p->machine);
    else
        failed = count_colours(&config, &p->colours, err);
    mp_config_free(&config);
    if (failed)
        return -1;
    list(p, all, per_tpc);
    if (!p->n)
        return mp_fail(err, "%s: %u SMs cannot be divided", p->machine, all);
    for (unsigned t = 0; t < PLAN_TENANTS; t++) {
        if (add_whole(p, t, err))
            return -1;
        for (unsigned i = 0; i < p->n; i++) {
            struct plan_candidate *c = &p->candidate[i];
            if (add_alone(p, c, t, err) || (c->scheme != PLAN_CMP && add_hogged(p, c, t, err)))
                return -1;
        }
    }
    return add_hog(p, err);
}

/* The one that ends first runs again, so that the other one is never alone; first runs are measured. */
int plan_add_pairs(struct plan *p, struct mp_error *err)
{
    for (unsigned i = 0; i < p->n; i++) {
        struct plan_candidate *c = &p->candidate[i];
        struct sets s = {.n = 0};
        char label[64];
        for (unsigned t = 0; t < PLAN_TENANTS; t++)
            set_share(&s, p, c, t, t);
        set_scheme(&s, p, c);
        snprintf(label, sizeof label, "%s and %s, %u and %u SMs, %s", p->app[0], p->app[1], c->sms[0],
                 c->sms[1], plan_schemes[c->scheme]);
        if (add(p, &s, label, &c->pair, err))
            return -1;
    }
    return 0;
}

/* --- predictions ---------------------------------------------------------------------------------- */

/* Instructions per cycle of the first run. */
static double speed(const struct plan *p, unsigned job, unsigned tenant)
{
    const struct mp_tenant_result *r = &p->pool.job[job].result.tenant[tenant];
    return r->cycles ? (double)r->instructions / (double)r->cycles : (double)NAN;
}

/* Tenants that share no module are as fast as alone. Others take the longer, the more lines of DRAM the other
 * one wants: next to the hog, what was measured; next to one that wants part of what the hog moves, that part
 * of the difference. */
static void predict(struct plan *p, unsigned i)
{
    struct plan_candidate *c = &p->candidate[i];
    for (unsigned t = 0; t < PLAN_TENANTS; t++) {
        const double alone = 1 / speed(p, c->alone[t], 0), pressure = fmin(1, p->lines[1 - t][i] / p->most),
                     more = c->scheme == PLAN_CMP ? 0 : 1 / speed(p, c->hogged[t], 0) - alone;
        c->predicted[t] = 1 / (alone + pressure * more) / speed(p, p->whole[t], 0);
    }
}

double plan_value(const struct plan *p, const double speed[PLAN_TENANTS])
{
    return p->worst ? fmin(speed[0], speed[1]) : speed[0] + speed[1];
}

void plan_choose(struct plan *p)
{
    p->best = 0;
    for (unsigned i = 0; i < p->n; i++) {
        predict(p, i);
        if (plan_value(p, p->candidate[i].predicted) > plan_value(p, p->candidate[p->best].predicted))
            p->best = i;
    }
}

void plan_measure(struct plan *p)
{
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned t = 0; t < PLAN_TENANTS; t++)
            p->candidate[i].measured[t] = speed(p, p->candidate[i].pair, t) / speed(p, p->whole[t], 0);
}

unsigned plan_best_measured(const struct plan *p)
{
    unsigned best = 0;
    for (unsigned i = 1; i < p->n; i++)
        if (plan_value(p, p->candidate[i].measured) > plan_value(p, p->candidate[best].measured))
            best = i;
    return best;
}
