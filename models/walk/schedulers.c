/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "walk/scheduler.h"

int mp_walk_check(const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g,
                  const struct mp_walk_rules *r, const char *prefix, struct mp_error *err)
{
    if (s->most_walkers && g->walkers > s->most_walkers)
        return mp_fail(err, "%swalkers: %u are too many for %s; %u at most", prefix, g->walkers,
                       s->design.name, s->most_walkers);
    if (s->owner && g->walkers < g->tenants)
        return mp_fail(err, "%swalkers: %u are too few for %u tenants under %s; %u at least", prefix,
                       g->walkers, g->tenants, s->design.name, g->tenants);
    if (s->most_queue && g->queue > s->most_queue)
        return mp_fail(err, "%squeue: %u is too much for %s; %u at most", prefix, g->queue, s->design.name,
                       s->most_queue);
    if (r->compat == MP_WALK_PAPER)
        return 0;
    if (!s->published)
        return mp_fail(err, "%scompat: hpca21 has no policy %s; fcfs, dws or dws++", prefix, s->design.name);
    if (s == &mp_walk_dwspp && g->tenants > 2)
        return mp_fail(err, "%scompat: hpca21 knows two tenants under dws++, not %u; 2", prefix, g->tenants);
    return 0;
}
