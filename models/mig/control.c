/* SPDX-License-Identifier: Apache-2.0 */
/* Invalidation, walk schedulers, TLB policies and counters. */
#include <stdio.h>
#include <string.h>

#include "mig/parts.h"

/* --- invalidation ----------------------------------------------------------------------------------- */

/* Every TLB, with its level; `next` starts as zero. NULL after the last. */
struct tlb_walk {
    unsigned slice, index;
    bool last_done;
};

static struct mp_tlb *next_tlb(struct mp_mig *g, struct tlb_walk *next, unsigned *level)
{
    for (; next->slice < g->p.slices; next->slice++, next->index = 0) {
        struct mp_mig_slice *s = &g->slice[next->slice];
        if (!s->built || next->index > g->p.tpcs)
            continue;
        unsigned k = next->index++;
        *level = k < g->p.tpcs ? 1 : 2;
        return k < g->p.tpcs ? &s->l1_tlb[k] : &s->l2_tlb;
    }
    if (next->last_done || g->p.tlb_levels < 3)
        return NULL;
    next->last_done = true;
    *level = 3;
    return &g->l3_tlb;
}

static bool uses_translations(const struct mp_mig *g, const struct mp_mig_instance *i)
{
    const struct mp_scope *scope = &g->invalidation.scope;
    unsigned sms = mp_mig_slice_sms(g);
    if (!i->runs || (!scope->every_asid && i->launch.asid != scope->asid))
        return false;
    for (unsigned k = 0; k < i->slices * sms; k++)
        if (mp_sm_uses_translations_of(&g->slice[i->first + k / sms].sm[k % sms], g->invalidation.since))
            return true;
    return false;
}

/* It has ended when no access that was issued before goes on with a translation; the TLBs have given none out
 * from before since it began. Accesses that wait for a replay hold up nothing. */
static void check_end(void *gpu, void *unused)
{
    enum { LOOK_AGAIN = 64 };
    struct mp_mig *g = gpu;
    bool busy = false;
    (void)unused;
    for (unsigned i = 0; !busy && i < MP_MGMT_INSTANCES; i++)
        busy = uses_translations(g, &g->instance[i]);
    if (busy)
        mp_at(g->wheel, LOOK_AGAIN, check_end, g, NULL);
    else
        mp_mgmt_invalidated(g->mgmt, g->invalidation.removed);
}

/* All levels begin in this cycle; how long a lookup of each takes is how long it takes at least. */
enum mp_mgmt_status mp_mig_invalidate(void *gpu, const struct mp_mgmt_invalidation *what)
{
    struct mp_mig *g = gpu;
    const struct mp_scope scope = {.every_asid = what->scope == MP_MGMT_ALL,
                                   .every_page = what->scope != MP_MGMT_PAGE,
                                   .asid = (uint16_t)what->asid,
                                   .va = what->va};
    struct tlb_walk at = {0};
    struct mp_tlb *t;
    unsigned level;
    uint64_t removed = 0;
    while ((t = next_tlb(g, &at, &level)))
        removed += mp_tlb_invalidate(t, &scope);
    for (unsigned i = 0; what->walk_cache && i < MP_MGMT_INSTANCES; i++)
        if (g->instance[i].slices)
            removed += mp_walk_invalidate(&g->instance[i].backend->walk, &scope);
    g->invalidation.scope = scope;
    g->invalidation.removed = removed;
    g->invalidation.since = g->wheel->now + 1;
    mp_at(g->wheel,
          g->p.l1_tlb.geometry.latency + g->p.l2_tlb.geometry.latency +
              (g->p.tlb_levels == 3 ? g->p.l3_tlb.geometry.latency : 0),
          check_end, g, NULL);
    return MP_MGMT_OK;
}

/* --- walk schedulers -------------------------------------------------------------------------------- */

/* All walkers have an owner, or none has and they are divided evenly. */
static enum mp_mgmt_status check_owners(const struct mp_mgmt_walk *w, unsigned walkers, bool *given)
{
    uint64_t owned = 0, all = ~0ull >> (64 - (walkers < 64 ? walkers : 64));
    for (unsigned a = 0; a < MP_MIG_SPACES; a++)
        owned |= w->owned[a];
    *given = owned;
    return !owned || (owned == all && walkers <= 64) ? MP_MGMT_OK : MP_MGMT_BAD_VALUE;
}

static enum mp_mgmt_status check_scheduler(const struct mp_walk_scheduler *s,
                                           const struct mp_walk_geometry *geometry,
                                           const struct mp_mgmt_walk *w)
{
    if (!s || (s == &mp_walk_dwspp && !w->epoch))
        return MP_MGMT_BAD_VALUE;
    if ((s->most_walkers && geometry->walkers > s->most_walkers) ||
        (s->most_queue && geometry->queue > s->most_queue) ||
        (s->owner && geometry->queue < geometry->walkers))
        return MP_MGMT_UNSUPPORTED;
    return MP_MGMT_OK;
}

static struct mp_walk_rules rules_of(const struct mp_mig *g, const struct mp_walk_scheduler *s,
                                     const struct mp_mgmt_walk *w)
{
    struct mp_walk_rules r = g->p.walk.rules;
    if (!s->published || s == &mp_walk_dwspp) /* of which the published simulator knows two tenants only */
        r.compat = MP_WALK_PAPER;
    r.epoch = w->epoch;
    r.thresholds.queue = (uint8_t)w->queue;
    memcpy(r.thresholds.diff, w->diff, sizeof r.thresholds.diff);
    return r;
}

static bool same_rules(const struct mp_walk_rules *a, const struct mp_walk_rules *b)
{
    return a->owners == b->owners && a->compat == b->compat && a->epoch == b->epoch &&
           a->thresholds.queue == b->thresholds.queue &&
           !memcmp(a->thresholds.diff, b->thresholds.diff, sizeof a->thresholds.diff);
}

/* Owners alone may change while walks are under way, as tenants come and go. */
enum mp_mgmt_status mp_mig_set_walk(void *gpu, const struct mp_mgmt_walk *w)
{
    struct mp_mig *g = gpu;
    struct mp_mig_instance *i = &g->instance[w->instance];
    struct mp_walk *walk = &i->backend->walk;
    const struct mp_walk_scheduler *scheduler = g->p.walk_scheduler(w->policy);
    bool given;
    enum mp_mgmt_status status = check_owners(w, walk->p.geometry.walkers, &given);
    if (!status)
        status = check_scheduler(scheduler, &walk->p.geometry, w);
    if (status)
        return status;
    const struct mp_walk_rules rules = rules_of(g, scheduler, w);
    if (given && scheduler == walk->p.scheduler && same_rules(&rules, &walk->p.rules)) {
        i->owners_given = true;
        mp_walk_set_owners(walk, w->owned);
        return MP_MGMT_OK;
    }
    if (!mp_walk_idle(walk))
        return MP_MGMT_BUSY;
    if (mp_walk_configure(walk, scheduler, &rules, given ? w->owned : NULL))
        return MP_MGMT_UNSUPPORTED;
    i->owners_given = given;
    mp_mig_divide_walkers(g, i);
    return MP_MGMT_OK;
}

/* --- TLB policies ----------------------------------------------------------------------------------- */

static bool suits(const struct mp_tlb_policy *policy, const struct mp_tlb_geometry *g)
{
    return g->sub_entries >= policy->least_sub_entries &&
           (!policy->most_ways || g->ways <= policy->most_ways) &&
           (!policy->most_stride || g->stride <= policy->most_stride) &&
           (!policy->divides_ways || g->ways >= MP_MIG_SPACES);
}

/* Ways go to all address spaces, by the slices that each has at this moment. */
static void divide_ways(const struct mp_mig *g, struct mp_tlb_geometry *geometry)
{
    uint32_t slices[MP_MIG_SPACES], sum = 0;
    for (unsigned a = 0; a < MP_MIG_SPACES; a++) {
        slices[a] = g->space[a].valid ? g->instance[g->space[a].instance].slices : 0;
        sum += slices[a];
    }
    for (unsigned a = 0; !sum && a < MP_MIG_SPACES; a++)
        slices[a] = 1;
    mp_tlb_divide_ways(geometry->ways, MP_MIG_SPACES, slices, geometry->tenant_ways);
}

enum mp_mgmt_status mp_mig_set_tlb(void *gpu, unsigned level, unsigned number)
{
    struct mp_mig *g = gpu;
    struct mp_tlb_params *const params[] = {&g->p.l1_tlb, &g->p.l2_tlb, &g->p.l3_tlb};
    if (level > g->p.tlb_levels)
        return MP_MGMT_UNSUPPORTED;
    const struct mp_tlb_policy *policy = g->p.tlb_policy(level, number);
    struct mp_tlb_geometry geometry = params[level - 1]->geometry;
    struct tlb_walk at = {0};
    struct mp_tlb *t;
    unsigned of;
    if (!policy)
        return MP_MGMT_BAD_VALUE;
    if (!suits(policy, &geometry))
        return MP_MGMT_UNSUPPORTED;
    geometry.tenants = MP_MIG_SPACES;
    if (policy->divides_ways)
        divide_ways(g, &geometry);
    while ((t = next_tlb(g, &at, &of)))
        if (of == level && mp_tlb_set_policy(t, policy, &geometry))
            return MP_MGMT_UNSUPPORTED;
    params[level - 1]->policy = policy; /* of slices that are built later, too */
    return MP_MGMT_OK;
}

/* --- counters --------------------------------------------------------------------------------------- */

struct mp_app_stats mp_mig_runs(const struct mp_mig *g, unsigned asid)
{
    struct mp_app_stats s = g->runs[asid];
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++) {
        const struct mp_mig_instance *in = &g->instance[i];
        if (!in->runs || in->launch.asid != asid)
            continue;
        s.cycles += g->wheel->now - in->app.started;
        s.accesses += in->app.stats.accesses;
        s.kernels += in->app.stats.kernels;
    }
    for (unsigned n = 0; n < g->p.slices; n++)
        for (unsigned k = 0; g->slice[n].built && k < mp_mig_slice_sms(g); k++)
            s.instructions += g->slice[n].sm[k].stats[asid].issued;
    return s;
}

enum mp_mgmt_status mp_mig_count(void *gpu, unsigned asid, uint64_t v[MP_MGMT_COUNTERS])
{
    struct mp_mig *g = gpu;
    struct mp_app_stats runs = mp_mig_runs(g, asid);
    struct tlb_walk at = {0};
    const struct mp_tlb *t;
    unsigned level;
    v[MP_MGMT_CYCLES] = runs.cycles;
    v[MP_MGMT_INSTRUCTIONS] = runs.instructions;
    v[MP_MGMT_ACCESSES] = runs.accesses;
    while ((t = next_tlb(g, &at, &level))) {
        v[MP_MGMT_L1_TLB_LOOKUPS + 2 * (level - 1)] += t->stats[asid].lookups;
        v[MP_MGMT_L1_TLB_MISSES + 2 * (level - 1)] += t->stats[asid].misses;
    }
    for (unsigned f = 0; f < g->p.slices; f++)
        for (unsigned n = 0; n < g->p.slices - f; n++) {
            const struct mp_mig_backend *b = &g->backend[f][n];
            v[MP_MGMT_WALKS] += b->built ? b->walk.stats[asid].walks : 0;
            v[MP_MGMT_WALK_CYCLES] += b->built ? b->walk.stats[asid].walk_cycles : 0;
            v[MP_MGMT_WALK_FAULTS] += b->built ? b->walk.stats[asid].faults : 0;
        }
    return MP_MGMT_OK;
}

static void visit_slice(const struct mp_mig *g, unsigned number, const struct mp_mig_visitor *v)
{
    const struct mp_mig_slice *s = &g->slice[number];
    char path[64];
    snprintf(path, sizeof path, "gpu.gpc%u.l2_tlb", number);
    v->block(v->self, path, "l2_tlb", &mp_tlb_metrics, s->l2_tlb.stats, &s->l2_tlb);
    for (unsigned t = 0; t < g->p.tpcs; t++) {
        snprintf(path, sizeof path, "gpu.gpc%u.tpc%u.l1_tlb", number, t);
        v->block(v->self, path, "l1_tlb", &mp_tlb_metrics, s->l1_tlb[t].stats, &s->l1_tlb[t]);
        for (unsigned k = 0; k < g->p.sms_per_tpc; k++) {
            unsigned sm = t * g->p.sms_per_tpc + k;
            snprintf(path, sizeof path, "gpu.gpc%u.tpc%u.sm%u", number, t, k);
            v->block(v->self, path, "sm", &mp_sm_metrics, s->sm[sm].stats, NULL);
            snprintf(path, sizeof path, "gpu.gpc%u.tpc%u.sm%u.l1d", number, t, k);
            v->block(v->self, path, "l1d", &mp_cache_metrics, s->l1d[sm].stats, NULL);
        }
    }
}

/* A backend is called after its slices: gpc0, or gpc0to2. */
static void visit_backend(const struct mp_mig *g, unsigned first, unsigned slices,
                          const struct mp_mig_visitor *v)
{
    const struct mp_mig_backend *b = &g->backend[first][slices - 1];
    const struct {
        const char *kind;
        const struct mp_metric_table *table;
        void *stats;
    } blocks[] = {{"walk", &mp_walk_metrics, b->walk.stats},
                  {"l2d", &mp_cache_metrics, b->l2d.stats},
                  {"dram", &mp_dram_metrics, b->dram.stats}};
    char path[64], last[16] = "";
    if (slices > 1)
        snprintf(last, sizeof last, "to%u", first + slices - 1);
    for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        snprintf(path, sizeof path, "gpu.gpc%u%s.%s", first, last, blocks[i].kind);
        v->block(v->self, path, blocks[i].kind, blocks[i].table, blocks[i].stats, NULL);
    }
}

void mp_mig_visit(const struct mp_mig *g, const struct mp_mig_visitor *v)
{
    for (unsigned s = 0; s < g->p.slices; s++)
        if (g->slice[s].built)
            visit_slice(g, s, v);
    for (unsigned f = 0; f < g->p.slices; f++)
        for (unsigned n = 1; n <= g->p.slices - f; n++)
            if (g->backend[f][n - 1].built)
                visit_backend(g, f, n, v);
    if (g->p.tlb_levels == 3)
        v->block(v->self, "gpu.l3_tlb", "l3_tlb", &mp_tlb_metrics, g->l3_tlb.stats, &g->l3_tlb);
}
