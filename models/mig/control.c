/* SPDX-License-Identifier: Apache-2.0 */
/* Invalidation, walk schedulers, TLB policies and counters. */
#include <string.h>

#include "mig/parts.h"

/* --- invalidation ----------------------------------------------------------------------------------- */

/* 1 for the first TLB; 0 if the block is not a TLB of every machine: others have no registers. */
static unsigned tlb_level(const struct mp_plan_block *b)
{
    const struct mp_level *level = mp_machine_usual(b->level);
    return level && level->kind == &mp_tlb_kind ? level->place : 0;
}

/* Returns the next TLB that has been built, from *block on, and its level, or NULL after the last one. */
static struct mp_tlb *next_tlb(const struct mp_mig *g, uint32_t *block, unsigned *level)
{
    while (*block < g->plan.blocks) {
        const struct mp_plan_block *b = &g->plan.block[*block];
        struct mp_tlb *t = g->model[(*block)++];
        *level = tlb_level(b);
        if (t && *level)
            return t;
    }
    return NULL;
}

/* Returns the parameters of a level's TLBs, or NULL if the machine has no such level. */
static const struct mp_tlb_params *params_of(const struct mp_mig *g, unsigned level)
{
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (tlb_level(&g->plan.block[i]) == level)
            return g->plan.block[i].params;
    return NULL;
}

static bool uses_translations(const struct mp_mig *g, const struct mp_mig_instance *i)
{
    const struct mp_scope *scope = &g->invalidation.scope;
    if (!i->runs || scope->translations_stay)
        return false;
    for (unsigned k = 0; k < mp_mig_instance_sms(g, i); k++)
        if (mp_sm_uses_translations_of(mp_mig_instance_sm(g, i, k), scope, g->invalidation.since))
            return true;
    return false;
}

static void confirm(void *gpu, void *unused)
{
    struct mp_mig *g = gpu;
    (void)unused;
    mp_mgmt_invalidated(g->mgmt, g->invalidation.removed);
}

static void confirm_late(struct mp_mig *g, uint64_t cycles)
{
    if (!cycles)
        confirm(g, NULL);
    else if (cycles != MP_NEVER)
        mp_at(g->wheel, cycles, confirm, g, NULL);
}

/* The invalidation has ended when no access that was issued before it still uses a translation. Since its
 * beginning, the TLBs have returned no older translation. Accesses that wait for a replay do not delay its
 * end. */
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
    else if (!g->faults)
        confirm(g, NULL);
    else
        confirm_late(g, g->faults->late(g->faults->self));
}

static bool is_in_use(const struct mp_mig *g, const struct mp_walk *walk)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (g->instance[i].slices && g->instance[i].walk == walk)
            return true;
    return false;
}

/* The blocks that may contain parts of page tables now. Their set changes when instances are created or
 * destroyed, because walkers belong to instances. */
static void find_listeners(struct mp_mig *g)
{
    g->listeners.count = 0;
    for (uint32_t i = 0; i < g->plan.blocks; i++) {
        const struct mp_block_kind *kind = g->plan.block[i].kind;
        void *model = g->model[i];
        if (model && kind->invalidate && (kind != &mp_walk_kind || is_in_use(g, model)))
            mp_listeners_add(&g->listeners,
                             (struct mp_listener){model, kind->invalidate}); /* has room for all of them */
    }
}

/* The page that INV_VA is in, or the pages of the run: of another size than the least, they are more than
 * what blocks ask each other for. */
static struct mp_scope pages_of(const struct mp_mig *g, struct mp_scope s)
{
    const uint64_t page = s.every_page ? 0 : g->space[s.asid].page_bytes;
    if (page <= g->machine.page_bytes && !s.bytes)
        return s;
    const uint64_t last = mp_scope_last(&s);
    s.va &= -page;
    s.bytes = (last & -page) + page - s.va;
    return s;
}

/* The check keeps a note for each page. */
static int note_invalidation(const struct mp_mig *g, struct mp_scope s)
{
    const uint64_t page = s.every_page ? 0 : g->space[s.asid].page_bytes, last = mp_scope_last(&s);
    if (!g->check)
        return 0;
    if (!page)
        return mp_table_writes_invalidate(&g->check->writes, &s);
    for (s.bytes = page; s.va <= last; s.va += page)
        if (mp_table_writes_invalidate(&g->check->writes, &s))
            return -1;
    return 0;
}

/* All levels begin in this cycle. An invalidation takes at least as long as a lookup in each level in turn.
 */
enum mp_mgmt_status mp_mig_invalidate(void *gpu, const struct mp_mgmt_invalidation *what)
{
    struct mp_mig *g = gpu;
    const struct mp_scope scope =
        pages_of(g, (struct mp_scope){.every_asid = what->scope == MP_MGMT_ALL,
                                      .every_page = what->scope != MP_MGMT_PAGE,
                                      .tables = what->walk_cache,
                                      .translations_stay = what->tlbs_stay,
                                      .asid = (uint16_t)what->asid,
                                      .va = what->va,
                                      .bytes = what->scope == MP_MGMT_PAGE ? what->bytes : 0});
    uint64_t lookups = 0;
    for (unsigned i = 0; i < g->machine.levels; i++) {
        const struct mp_level *level = &g->machine.level[i];
        const struct mp_tlb_params *params = mp_machine_params(&g->machine, level);
        if (level->kind == &mp_tlb_kind && level->per != MP_PER_NONE)
            lookups += params->geometry.latency;
    }
    if (note_invalidation(g, scope))
        return MP_MGMT_UNSUPPORTED;
    find_listeners(g);
    g->invalidation.scope = scope;
    g->invalidation.removed = mp_shoot_down(&g->listeners, &scope);
    g->invalidation.since = g->wheel->now + 1;
    mp_at(g->wheel, lookups, check_end, g, NULL);
    return MP_MGMT_OK;
}

/* --- designs by number ------------------------------------------------------------------------------ */

static void refuse(const struct mp_mig *g, const char *reg, const char *design, const struct mp_error *why)
{
    struct mp_error line;
    mp_fail(&line, "%s: %s: %s", reg, design, why->text);
    g->host.refused(g->host.self, line.text);
}

/* No design has this number. designs: those that have one. */
static enum mp_mgmt_status refuse_number(const struct mp_mig *g, const char *reg, unsigned number,
                                         const struct mp_design *const designs[MP_MACHINE_DESIGNS])
{
    struct mp_error line;
    size_t n = (size_t)snprintf(line.text, sizeof line.text, "%s: number %u selects no design;", reg, number);
    const char *between = "";
    for (unsigned i = 0; i < MP_MACHINE_DESIGNS && n < sizeof line.text; i++) {
        if (!designs[i])
            continue;
        n += (size_t)snprintf(line.text + n, sizeof line.text - n, "%s %u %s", between, i, designs[i]->name);
        between = ",";
    }
    g->host.refused(g->host.self, line.text);
    return MP_MGMT_BAD_VALUE;
}

static enum mp_mgmt_status refuse_scheduler(const struct mp_mig *g, unsigned number)
{
    const struct mp_design *designs[MP_MACHINE_DESIGNS] = {NULL};
    for (unsigned i = 0; i < MP_MACHINE_DESIGNS; i++)
        if (g->machine.walk_scheduler[i].scheduler)
            designs[i] = &g->machine.walk_scheduler[i].scheduler->design;
    return refuse_number(g, "WALK_POLICY", number, designs);
}

static enum mp_mgmt_status refuse_policy(const struct mp_mig *g, unsigned level, unsigned number)
{
    const struct mp_design *designs[MP_MACHINE_DESIGNS] = {NULL};
    char reg[32];
    for (unsigned i = 0; i < MP_MACHINE_DESIGNS; i++) {
        const struct mp_tlb_policy *policy = g->machine.tlb_policy[i].policy;
        if (policy && mp_design_fits(&policy->design, level))
            designs[i] = &policy->design;
    }
    snprintf(reg, sizeof reg, "TLB_POLICY of level %u", level);
    return refuse_number(g, reg, number, designs);
}

/* --- walk schedulers -------------------------------------------------------------------------------- */

/* Either every walker has an owner, or none has one and the walkers are divided evenly. */
static enum mp_mgmt_status check_owners(const struct mp_mgmt_walk *w, unsigned walkers, bool *given)
{
    uint64_t owned = 0, all = ~0ull >> (64 - (walkers < 64 ? walkers : 64));
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        owned |= w->owned[a];
    *given = owned;
    return !owned || (owned == all && walkers <= 64) ? MP_MGMT_OK : MP_MGMT_BAD_VALUE;
}

static struct mp_walk_rules rules_of(const struct mp_mig *g, const struct mp_walk_scheduler *s,
                                     const struct mp_mgmt_walk *w)
{
    struct mp_walk_rules r = mp_walk_rules_of(s, &g->machine.walk_scheduler[w->policy].own);
    if (s->published < MP_TENANTS) /* address spaces come and go */
        r.compat = MP_WALK_PAPER;
    r.epoch = w->epoch;
    r.thresholds.queue = (uint8_t)w->queue;
    memcpy(r.thresholds.diff, w->diff, sizeof r.thresholds.diff);
    return r;
}

/* Whether arrivals are counted in epochs, which need a length. */
static bool has_epochs(const struct mp_walk_scheduler *s)
{
    return mp_design_param_find(&s->design, "epoch", strlen("epoch")) >= 0;
}

static bool same_rules(const struct mp_walk_rules *a, const struct mp_walk_rules *b)
{
    return a->owners == b->owners && a->compat == b->compat && a->epoch == b->epoch &&
           a->thresholds.queue == b->thresholds.queue &&
           !memcmp(a->thresholds.diff, b->thresholds.diff, sizeof a->thresholds.diff) &&
           !memcmp(&a->own, &b->own, sizeof a->own);
}

int mp_mig_set_scheduler(struct mp_mig *g, struct mp_mig_instance *i,
                         const struct mp_walk_scheduler *scheduler, const struct mp_walk_rules *rules,
                         const uint64_t *owned)
{
    struct mp_walk_params p = *(const struct mp_walk_params *)g->plan.block[i->walk_block].params;
    p.scheduler = scheduler;
    p.rules = *rules;
    if (g->assembly.change(g->assembly.self, i->walk_block, &p) ||
        mp_walk_configure(i->walk, p.scheduler, &p.rules, NULL))
        return -1;
    g->assembly.changed(g->assembly.self, i->walk_block);
    i->scheduler = scheduler;
    if (owned)
        mp_walk_set_owners(i->walk, owned);
    return 0;
}

/* Owners may change while walks are in progress, because tenants come and go. The scheduler may not
 * change. */
enum mp_mgmt_status mp_mig_set_walk(void *gpu, const struct mp_mgmt_walk *w)
{
    struct mp_mig *g = gpu;
    struct mp_mig_instance *i = &g->instance[w->instance];
    struct mp_walk *walk = i->walk;
    const struct mp_walk_scheduler *scheduler =
        w->policy < MP_MACHINE_DESIGNS ? g->machine.walk_scheduler[w->policy].scheduler : NULL;
    struct mp_walk_geometry geometry = walk->p.geometry;
    struct mp_error why;
    bool given;
    enum mp_mgmt_status status = check_owners(w, walk->p.geometry.walkers, &given);
    if (status)
        return status;
    if (!scheduler)
        return refuse_scheduler(g, w->policy);
    if (has_epochs(scheduler) && !w->epoch)
        return MP_MGMT_BAD_VALUE;
    const struct mp_walk_rules rules = rules_of(g, scheduler, w);
    geometry.tenants = 1; /* address spaces come and go, and a walker may serve several */
    if (mp_walk_check(scheduler, &geometry, &rules, &why)) {
        refuse(g, "WALK_POLICY", scheduler->design.name, &why);
        return MP_MGMT_UNSUPPORTED;
    }
    if (given && scheduler == i->scheduler && same_rules(&rules, &walk->p.rules)) {
        i->owners_given = true;
        mp_walk_set_owners(walk, w->owned);
        return MP_MGMT_OK;
    }
    if (!mp_walk_idle(walk))
        return MP_MGMT_BUSY;
    if (mp_mig_set_scheduler(g, i, scheduler, &rules, given ? w->owned : NULL))
        return MP_MGMT_UNSUPPORTED;
    i->owners_given = given;
    mp_mig_divide_walkers(g, i);
    return MP_MGMT_OK;
}

/* --- TLB policies ----------------------------------------------------------------------------------- */

/* Divides the ways among all address spaces, by the number of slices that each has now. */
static void divide_ways(const struct mp_mig *g, struct mp_tlb_geometry *geometry)
{
    uint32_t slices[MP_MGMT_SPACES], sum = 0;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        slices[a] = g->space[a].valid ? g->instance[g->space[a].instance].slices : 0;
        sum += slices[a];
    }
    for (unsigned a = 0; !sum && a < MP_MGMT_SPACES; a++)
        slices[a] = 1;
    mp_tlb_divide_ways(geometry->ways, MP_MGMT_SPACES, slices, geometry->tenant_ways);
}

/* Models that no instance has needed yet get the policy, too. */
static int set_policy(struct mp_mig *g, uint32_t block, const struct mp_tlb_policy *policy,
                      const struct mp_tlb_geometry *geometry)
{
    struct mp_tlb_params *own = g->plan.block[block].params, p = *own;
    struct mp_tlb *tlb = g->assembly.model(g->assembly.self, block);
    own->policy = policy; /* if it is built later */
    own->geometry.own = geometry->own;
    if (!tlb)
        return 0;
    p.policy = policy;
    p.geometry = *geometry;
    if (g->assembly.change(g->assembly.self, block, &p) || mp_tlb_set_policy(tlb, p.policy, &p.geometry))
        return -1;
    g->assembly.changed(g->assembly.self, block);
    return 0;
}

enum mp_mgmt_status mp_mig_set_tlb(void *gpu, unsigned level, unsigned number)
{
    struct mp_mig *g = gpu;
    const struct mp_tlb_params *params = params_of(g, level);
    if (!params)
        return MP_MGMT_UNSUPPORTED;
    const struct mp_tlb_policy *policy =
        number < MP_MACHINE_DESIGNS ? g->machine.tlb_policy[number].policy : NULL;
    struct mp_tlb_geometry geometry = params->geometry;
    struct mp_error why;
    if (!policy || !mp_design_fits(&policy->design, level))
        return refuse_policy(g, level, number);
    geometry.own = g->machine.tlb_policy[number].own;
    geometry.tenants = MP_MGMT_SPACES;
    if (mp_tlb_check(policy, &geometry, &why)) {
        refuse(g, "TLB_POLICY", policy->design.name, &why);
        return MP_MGMT_UNSUPPORTED;
    }
    if (policy->divides_ways)
        divide_ways(g, &geometry);
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (tlb_level(&g->plan.block[i]) == level && set_policy(g, i, policy, &geometry))
            return MP_MGMT_UNSUPPORTED;
    return MP_MGMT_OK;
}

/* --- counters --------------------------------------------------------------------------------------- */

struct mp_app_stats mp_mig_runs(const struct mp_mig *g, unsigned asid)
{
    struct mp_app_stats s = g->runs[asid];
    for (const struct mp_mig_context *c = g->context; c < END(g->context); c++) {
        const bool runs = g->instance[c->launch.instance].runs == c;
        if (!c->used || c->launch.asid != asid)
            continue;
        s.cycles += runs ? g->wheel->now - c->app.started : c->app.stats.cycles;
        s.accesses += runs ? mp_app_accesses(&c->app) : c->app.stats.accesses;
        s.kernels += c->app.stats.kernels;
    }
    for (unsigned k = 0; k < mp_machine_sms(&g->machine); k++)
        s.instructions += mp_mig_sm(g, k) ? mp_mig_sm(g, k)->stats[asid].issued : 0;
    return s;
}

enum mp_mgmt_status mp_mig_count(void *gpu, unsigned asid, uint64_t v[MP_MGMT_COUNTERS])
{
    struct mp_mig *g = gpu;
    struct mp_app_stats runs = mp_mig_runs(g, asid);
    uint32_t at = 0;
    const struct mp_tlb *t;
    unsigned level;
    v[MP_MGMT_CYCLES] = runs.cycles;
    v[MP_MGMT_INSTRUCTIONS] = runs.instructions;
    v[MP_MGMT_ACCESSES] = runs.accesses;
    v[MP_MGMT_IDLE_CYCLES] = 0;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (g->instance[i].runs && g->instance[i].runs->launch.asid == asid)
            v[MP_MGMT_IDLE_CYCLES] += mp_app_idle(&g->instance[i].runs->app);
    while ((t = next_tlb(g, &at, &level))) {
        v[MP_MGMT_L1_TLB_LOOKUPS + 2 * (level - 1)] += t->stats[asid].lookups;
        v[MP_MGMT_L1_TLB_MISSES + 2 * (level - 1)] += t->stats[asid].misses;
    }
    for (uint32_t i = 0; i < g->plan.blocks; i++) {
        const struct mp_walk *walk = g->model[i];
        if (!walk || g->plan.block[i].kind != &mp_walk_kind)
            continue;
        v[MP_MGMT_WALKS] += walk->stats[asid].walks;
        v[MP_MGMT_WALK_CYCLES] += walk->stats[asid].walk_cycles;
        v[MP_MGMT_WALK_FAULTS] += walk->stats[asid].faults;
    }
    return MP_MGMT_OK;
}

void mp_mig_visit(const struct mp_mig *g, const struct mp_mig_visitor *v)
{
    for (uint32_t i = 0; i < g->plan.blocks; i++)
        if (g->model[i])
            v->block(v->self, &g->plan.block[i], g->model[i]);
}
