/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/scheduler/scheduler.h"

#include <string.h>

/* The value of a parameter by the last part of its path, or 0, the first choice, if there is none. */
static uint64_t value_of(const struct mp_walk_scheduler *s, const struct mp_design_values *values,
                         const char *name)
{
    int i = mp_design_param_find(&s->design, name, strlen(name));
    return i < 0 ? 0 : values->v[i];
}

struct mp_walk_rules mp_walk_rules_of(const struct mp_walk_scheduler *s,
                                      const struct mp_design_values *values)
{
    struct mp_walk_rules r = {.owners = (enum mp_walk_owners)value_of(s, values, "owners"),
                              .compat = (enum mp_walk_compat)value_of(s, values, "compat"),
                              .epoch = (uint32_t)value_of(s, values, "epoch"),
                              .thresholds = mp_walk_thresholds[value_of(s, values, "thresholds")],
                              .own = *values};
    uint64_t queue = value_of(s, values, "queue_threshold");
    if (queue)
        r.thresholds.queue = (uint8_t)queue;
    return r;
}

static int fail_published(const struct mp_walk_scheduler *s, uint32_t tenants, struct mp_error *err)
{
    char names[256] = "";
    size_t n = 0;
    if (s->published)
        return mp_fail(err, "compat: hpca21 supports %u tenants under %s, not %u; use %u, or compat paper",
                       s->published, s->design.name, tenants, s->published);
    for (unsigned i = 0; mp_walk_schedulers[i] && n < sizeof names; i++)
        if (mp_walk_schedulers[i]->published)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "",
                                  mp_walk_schedulers[i]->design.name);
    return mp_fail(err, "compat: hpca21 does not have %s; use one of %s, or compat paper", s->design.name,
                   names);
}

int mp_walk_check(const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g,
                  const struct mp_walk_rules *r, struct mp_error *err)
{
    const char *name = s->design.name;
    if (s->most_walkers && g->walkers > s->most_walkers)
        return mp_fail(err, "walkers: %u are too many for %s; %u at most", g->walkers, name, s->most_walkers);
    if (s->owner && g->walkers < g->tenants)
        return mp_fail(err, "walkers: %u are too few for %u tenants under %s; %u at least", g->walkers,
                       g->tenants, name, g->tenants);
    if (s->most_queue && g->queue > s->most_queue)
        return mp_fail(err, "queue: %u is too large for %s; %u at most", g->queue, name, s->most_queue);
    if (s->owner && g->queue < g->walkers)
        return mp_fail(err,
                       "queue: %u is too small for %u walkers under %s, which each have a queue; %u at least",
                       g->queue, g->walkers, name, g->walkers);
    if (r->compat == MP_WALK_HPCA21 && (!s->published || g->tenants > s->published))
        return fail_published(s, g->tenants, err);
    if (mp_design_check(&s->design, &r->own, err))
        return -1;
    return s->check ? s->check(g, r, err) : 0;
}
