/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Somewhere that blocks can be: the machine, an instance, a slice, a TPC or an SM. */
struct place {
    enum mp_per per;
    uint32_t instance, slices, first_sm, sms, tenants;
    char path[48];    /* "gpu.gpc0.tpc1" */
    const char *word; /* of the last part of the path, without its number */
};

struct draft {
    struct mp_plan *plan;
    const struct mp_machine *machine;
    struct mp_error *err;
    uint32_t block_room, link_room;
};

static int out_of_memory(const struct draft *d)
{
    return mp_fail(d->err, "machine: out of memory; a smaller one is needed");
}

/* --- blocks ----------------------------------------------------------------------------------------- */

/* Makes room for one more element. */
static int grow(void **array, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room)
        return 0;
    uint32_t more = *room ? 2 * *room : 64;
    void *grown = realloc(*array, more * bytes);
    if (!grown)
        return -1;
    *array = grown;
    *room = more;
    return 0;
}

static enum mp_per place_of(const struct mp_level *level)
{
    return level->per == MP_PER_TENANT ? level->home : level->per;
}

static void *params_of(const struct draft *d, const struct mp_level *level, uint32_t slices)
{
    const struct mp_block_kind *kind = level->kind;
    void *params = malloc(kind->params_bytes ? kind->params_bytes : 1);
    if (!params)
        return NULL;
    memcpy(params, level->params ? level->params : (const char *)d->machine + level->params_at,
           kind->params_bytes);
    if (kind->scale)
        kind->scale(params, kind->of_memory ? mp_machine_memory_slices(d->machine, slices) : slices);
    return params;
}

/* A block with the name of its place is the place: gpu.gpc0.tpc1.sm0. number: -1 for none. */
static int add_block(struct draft *d, const struct mp_level *level, const struct place *at, uint32_t tenants,
                     int number)
{
    struct mp_plan *plan = d->plan;
    if (grow((void **)&plan->block, plan->blocks, &d->block_room, sizeof *plan->block))
        return out_of_memory(d);
    struct mp_plan_block *b = &plan->block[plan->blocks];
    *b = (struct mp_plan_block){.kind = level->kind,
                                .params = params_of(d, level, at->slices),
                                .tenants = tenants,
                                .hears = tenants,
                                .per = at->per,
                                .instance = at->instance,
                                .slices = at->slices,
                                .first_sm = at->first_sm,
                                .sms = at->sms};
    if (!b->params)
        return out_of_memory(d);
    memcpy(b->level, level->name, sizeof b->level);
    plan->blocks++;
    bool is_place = !strcmp(level->name, at->word);
    char last[12] = "";
    if (number >= 0)
        snprintf(last, sizeof last, "%d", number);
    snprintf(b->path, sizeof b->path, "%s%s%.10s%s", at->path, is_place ? "" : ".",
             is_place ? "" : level->name, last);
    return 0;
}

static int add_blocks(struct draft *d, const struct place *at)
{
    const struct mp_machine *m = d->machine;
    for (unsigned i = 0; i < m->levels; i++) {
        const struct mp_level *level = &m->level[i];
        if (place_of(level) != at->per)
            continue;
        bool apart = level->per == MP_PER_TENANT && __builtin_popcount(at->tenants) > 1;
        int number = 0;
        if (!apart && add_block(d, level, at, at->tenants, -1))
            return -1;
        for (uint32_t t = 0; apart && t < m->tenants; t++)
            if (at->tenants >> t & 1 && add_block(d, level, at, 1u << t, number++))
                return -1;
    }
    return 0;
}

/* Tenants of the mask that have any of these SMs. */
static uint32_t tenants_on(const struct mp_machine *m, uint32_t mask, uint32_t first_sm, uint32_t sms)
{
    for (uint32_t t = 0; t < m->tenants; t++)
        if (m->tenant[t].first_sm >= first_sm + sms || first_sm >= m->tenant[t].first_sm + m->tenant[t].sms)
            mask &= ~(1u << t);
    return mask;
}

/* TPCs and SMs without a tenant are not built. */
static int add_tpc(struct draft *d, const struct place *slice, uint32_t tpc)
{
    const struct mp_machine *m = d->machine;
    struct place at = *slice;
    at.per = MP_PER_TPC;
    at.word = "tpc";
    at.first_sm = slice->first_sm + tpc * m->sms_per_tpc;
    at.sms = m->sms_per_tpc;
    at.tenants = tenants_on(m, slice->tenants, at.first_sm, at.sms);
    snprintf(at.path, sizeof at.path, "%.16s.tpc%u", slice->path, tpc);
    if (!at.tenants)
        return 0;
    if (add_blocks(d, &at))
        return -1;
    for (uint32_t k = 0; k < m->sms_per_tpc; k++) {
        struct place sm = at;
        sm.per = MP_PER_SM;
        sm.word = "sm";
        sm.first_sm = at.first_sm + k;
        sm.sms = 1;
        sm.tenants = tenants_on(m, at.tenants, sm.first_sm, 1);
        snprintf(sm.path, sizeof sm.path, "%.28s.sm%u", at.path, k);
        if (sm.tenants && add_blocks(d, &sm))
            return -1;
    }
    return 0;
}

static int add_slice(struct draft *d, uint32_t slice, uint32_t instance, uint32_t tenants)
{
    const struct mp_machine *m = d->machine;
    struct place at = {.per = MP_PER_SLICE,
                       .word = "gpc",
                       .instance = instance,
                       .slices = 1,
                       .first_sm = mp_machine_first_sm(m, slice),
                       .sms = mp_machine_first_sm(m, slice + 1) - mp_machine_first_sm(m, slice),
                       .tenants = tenants};
    snprintf(at.path, sizeof at.path, "gpu.gpc%u", slice);
    if (add_blocks(d, &at))
        return -1;
    for (uint32_t tpc = 0; tpc * m->sms_per_tpc < at.sms; tpc++)
        if (add_tpc(d, &at, tpc))
            return -1;
    return 0;
}

static uint32_t all_tenants(const struct mp_machine *m)
{
    return m->tenants < 32 ? (1u << m->tenants) - 1 : UINT32_MAX;
}

static uint32_t tenants_of(const struct mp_machine *m, uint32_t instance)
{
    uint32_t mask = 0;
    for (uint32_t t = 0; t < m->tenants; t++)
        mask |= (uint32_t)(m->instances_vary || m->tenant[t].instance == instance) << t;
    return mask;
}

static int add_instance(struct draft *d, uint32_t instance)
{
    const struct mp_machine *m = d->machine;
    const struct mp_machine_instance *i = &m->instance[instance];
    const uint32_t first = mp_machine_first_sm(m, i->first_slice);
    struct place at = {.per = MP_PER_INSTANCE,
                       .word = "mig",
                       .instance = instance,
                       .slices = i->slices,
                       .first_sm = first,
                       .sms = mp_machine_first_sm(m, i->first_slice + i->slices) - first,
                       .tenants = tenants_of(m, instance)};
    snprintf(at.path, sizeof at.path, i->name[0] ? "gpu.%s" : "gpu", i->name);
    if (add_blocks(d, &at))
        return -1;
    for (uint32_t s = 0; !m->instances_vary && s < i->slices; s++)
        if (add_slice(d, i->first_slice + s, instance, at.tenants))
            return -1;
    return 0;
}

static int add_machine(struct draft *d)
{
    const struct mp_machine *m = d->machine;
    const struct place at = {.per = MP_PER_MACHINE,
                             .word = "gpu",
                             .instance = m->instances,
                             .slices = m->slices,
                             .sms = mp_machine_sms(m),
                             .tenants = all_tenants(m),
                             .path = "gpu"};
    for (uint32_t s = 0; m->instances_vary && s < m->slices; s++)
        if (add_slice(d, s, m->instances, at.tenants))
            return -1;
    for (uint32_t i = 0; i < m->instances; i++)
        if (add_instance(d, i))
            return -1;
    return add_blocks(d, &at);
}

/* --- links ------------------------------------------------------------------------------------------ */

static bool contains(const struct mp_plan_block *a, const struct mp_plan_block *b)
{
    return a->first_sm <= b->first_sm && b->first_sm + b->sms <= a->first_sm + a->sms;
}

/* One serves SMs that the other serves as well. Instances that vary may overlap and yet are strangers. */
static bool meet(const struct mp_plan_block *a, const struct mp_plan_block *b)
{
    if (a->per == b->per)
        return a->first_sm == b->first_sm && a->sms == b->sms;
    return contains(a, b) || contains(b, a);
}

/* Levels that are not built are passed over. */
static int resolve(const struct draft *d, const char *from, const char **to, enum mp_fan *fan)
{
    const struct mp_machine *m = d->machine;
    for (unsigned hops = 0; **to && hops <= m->levels; hops++) {
        const struct mp_level *level = NULL;
        for (unsigned i = 0; !level && i < m->levels; i++)
            if (!strcmp(m->level[i].name, *to))
                level = &m->level[i];
        if (!level)
            return mp_fail(d->err, "machine: %s leads to %s; the name of a level is needed", from, *to);
        if (level->per != MP_PER_NONE)
            return 0;
        *to = level->out[0].to;
        *fan = level->out[0].fan;
    }
    return **to ? mp_fail(d->err, "machine: %s leads round in a circle of levels without blocks", from) : 0;
}

struct group {                  /* of out links that is being planned */
    uint32_t from, first, next; /* block; out links */
    enum mp_link_kind kind;
};

/* A link, or as many as the target has lanes, from out link `out` on. */
static int add_link(struct draft *d, struct group *g, uint32_t out, uint32_t to, uint32_t tenants)
{
    struct mp_plan *plan = d->plan;
    struct mp_plan_block *target = &plan->block[to];
    uint32_t lanes = target->kind->lanes ? target->kind->lanes(target->params) : 1;
    for (uint32_t k = 0; k < lanes; k++) {
        if (grow((void **)&plan->link, plan->links, &d->link_room, sizeof *plan->link))
            return out_of_memory(d);
        plan->link[plan->links++] =
            (struct mp_plan_link){g->from, out + k, to, target->ins++, tenants, g->kind};
    }
    if (out + lanes > g->next)
        g->next = out + lanes;
    return 0;
}

/* Whether the block is one of several that an out link may lead to, one at a time: a place is in one instance
 * at a time, and so is a tenant. */
static bool alternative(const struct draft *d, const struct mp_plan_block *from,
                        const struct mp_plan_block *to, uint32_t tenants)
{
    bool once = from->per != MP_PER_MACHINE || !(tenants & (tenants - 1));
    return d->machine->instances_vary && to->per == MP_PER_INSTANCE && from->per != MP_PER_INSTANCE && once;
}

static int ambiguous(const struct draft *d, const struct group *g, const char *to)
{
    return mp_fail(d->err, "machine: %s: several blocks %s answer the same tenant; one is needed",
                   d->plan->block[g->from].path, to);
}

/* Adds all links of the group to a level, for the tenants of the mask. */
static int add_links(struct draft *d, struct group *g, const char *to, uint32_t tenants)
{
    uint32_t answered = 0, alternatives = MP_PLAN_NONE;
    for (uint32_t i = 0; i < d->plan->blocks; i++) {
        const struct mp_plan_block *from = &d->plan->block[g->from], *target = &d->plan->block[i];
        uint32_t both = tenants & target->tenants, out = g->next;
        if (strcmp(target->level, to) != 0 || !both || !meet(from, target))
            continue;
        bool one_of_several = alternative(d, from, target, tenants);
        if (!one_of_several && answered & both)
            return ambiguous(d, g, to);
        if (!one_of_several && answered && !from->kind->route)
            return mp_fail(
                d->err,
                "machine: %s: several blocks %s, and this kind of block cannot choose one; one is needed",
                from->path, to);
        if (one_of_several && alternatives != MP_PLAN_NONE)
            out = alternatives;
        else if (one_of_several)
            alternatives = out;
        if (add_link(d, g, out, i, both))
            return -1;
        answered |= both;
    }
    if (answered != tenants)
        return mp_fail(d->err, "machine: %s: no block %s answers all its tenants; one is needed",
                       d->plan->block[g->from].path, to);
    return 0;
}

/* Whether two blocks of a level are in the same ring. */
static bool in_ring(const struct draft *d, const struct mp_plan_block *a, const struct mp_plan_block *b)
{
    const struct mp_machine *m = d->machine;
    return !strcmp(a->level, b->level) &&
           (m->ring == MP_PER_MACHINE ||
            mp_machine_slice_of(m, a->first_sm) == mp_machine_slice_of(m, b->first_sm));
}

/* Adds a link to each of the block's peers. ring and list have room for all blocks. */
static int add_links_to(struct draft *d, struct group *g, uint32_t *ring, uint32_t *list)
{
    struct mp_plan_block *from = &d->plan->block[g->from];
    for (uint32_t i = 0; i < d->plan->blocks; i++)
        if (in_ring(d, from, &d->plan->block[i])) {
            if (i == g->from)
                from->ring_place = from->ring;
            ring[from->ring++] = i;
        }
    uint32_t peers = from->kind->peers(from->params, from->ring_place, from->ring, list);
    if (peers == UINT32_MAX)
        return mp_fail(d->err, "machine: %s: a ring of %u blocks %s; more are needed", from->path, from->ring,
                       from->level);
    for (uint32_t k = 0; k < peers; k++) {
        d->plan->block[ring[list[k]]].hears |= from->tenants;
        if (k < MP_BLOCK_PEERS)
            from->peer_sm[k] = d->plan->block[ring[list[k]]].first_sm;
        if (add_link(d, g, g->next, ring[list[k]], from->tenants))
            return -1;
    }
    return 0;
}

static int add_peers(struct draft *d, struct group *g)
{
    uint32_t *ring = calloc(2 * (size_t)d->plan->blocks, sizeof *ring);
    int status = ring ? add_links_to(d, g, ring, ring + d->plan->blocks) : out_of_memory(d);
    free(ring);
    return status;
}

static int add_group(struct draft *d, const struct mp_level *level, unsigned number, struct group *g)
{
    const char *to = level->out[number].to;
    enum mp_fan fan = level->out[number].fan;
    uint32_t tenants = d->plan->block[g->from].tenants;
    if (resolve(d, level->name, &to, &fan))
        return -1;
    g->kind = level->kind->out[number].kind;
    g->first = g->next;
    if (!*to || (level->kind->needs && !level->kind->needs(d->plan->block[g->from].params, number)))
        return 0;
    if (fan == MP_FAN_PEERS)
        return add_peers(d, g);
    if (fan != MP_FAN_TENANT && add_links(d, g, to, tenants))
        return -1;
    for (uint32_t t = 0; fan == MP_FAN_TENANT && t < d->machine->tenants; t++)
        if (tenants >> t & 1 && add_links(d, g, to, 1u << t))
            return -1;
    if (g->next - g->first > 1 && !level->kind->out[number].many)
        return mp_fail(d->err, "machine: %s: %s go to several links; this kind of block has one",
                       d->plan->block[g->from].path, level->kind->out[number].name);
    return 0;
}

/* Blocks that others lead to must know the number of their ports before they are fitted, so that the number
 * of out links in each group is kept until then. */
static int add_all_links(struct draft *d, uint32_t (*outs)[MP_BLOCK_GROUPS])
{
    const struct mp_machine *m = d->machine;
    for (uint32_t i = 0; i < d->plan->blocks; i++) {
        struct group g = {.from = i};
        uint32_t first = d->plan->links;
        const struct mp_level *level = m->level;
        while (strcmp(level->name, d->plan->block[i].level) != 0)
            level++;
        for (unsigned k = 0; k < level->kind->groups; k++) {
            if (add_group(d, level, k, &g))
                return -1;
            outs[i][k] = g.next - g.first;
        }
        d->plan->block[i].outs = g.next;
        d->plan->block[i].first_link = first;
        d->plan->block[i].links = d->plan->links - first;
    }
    return 0;
}

static void fit_all(struct draft *d, uint32_t (*outs)[MP_BLOCK_GROUPS])
{
    const struct mp_machine *m = d->machine;
    uint32_t tenant_slices[MP_TENANTS];
    for (uint32_t t = 0; t < m->tenants; t++)
        tenant_slices[t] = m->instance[m->tenant[t].instance].slices;
    for (uint32_t i = 0; i < d->plan->blocks; i++) {
        struct mp_plan_block *b = &d->plan->block[i];
        struct mp_block_place place = {.first_sm = b->first_sm,
                                       .slices = b->slices,
                                       .tenants = b->tenants,
                                       .tenant_numbers = m->tenants,
                                       .tenant_slices = m->instances_vary ? NULL : tenant_slices,
                                       .ins = b->ins,
                                       .ring_place = b->ring_place,
                                       .ring = b->ring};
        memcpy(place.peer_sm, b->peer_sm, sizeof place.peer_sm);
        memcpy(place.outs, outs[i], sizeof place.outs);
        b->kind->fit(b->params, &place);
    }
}

/* --- all -------------------------------------------------------------------------------------------- */

int mp_plan_init(struct mp_plan *plan, const struct mp_machine *machine, struct mp_error *err)
{
    struct draft d = {.plan = plan, .machine = machine, .err = err};
    uint32_t(*outs)[MP_BLOCK_GROUPS] = NULL;
    *plan = (struct mp_plan){0};
    int status = add_machine(&d);
    if (!status) {
        outs = calloc(plan->blocks + 1, sizeof *outs);
        status = outs ? add_all_links(&d, outs) : out_of_memory(&d);
    }
    if (!status)
        fit_all(&d, outs);
    free(outs);
    if (status)
        mp_plan_free(plan);
    return status;
}

void mp_plan_free(struct mp_plan *plan)
{
    for (uint32_t i = 0; i < plan->blocks; i++)
        free(plan->block[i].params);
    free(plan->block);
    free(plan->link);
    *plan = (struct mp_plan){0};
}

uint32_t mp_plan_find(const struct mp_plan *plan, const char *path)
{
    for (uint32_t i = 0; i < plan->blocks; i++)
        if (!strcmp(plan->block[i].path, path))
            return i;
    return MP_PLAN_NONE;
}

uint32_t mp_plan_find_kind(const struct mp_plan *plan, const struct mp_block_kind *kind, uint32_t instance)
{
    for (uint32_t i = 0; i < plan->blocks; i++)
        if (plan->block[i].kind == kind && plan->block[i].instance == instance)
            return i;
    return MP_PLAN_NONE;
}

uint32_t mp_plan_find_level(const struct mp_plan *plan, const char *level, uint32_t sm, uint32_t from)
{
    for (uint32_t i = from; i < plan->blocks; i++) {
        const struct mp_plan_block *b = &plan->block[i];
        if (sm - b->first_sm < b->sms && !strcmp(b->level, level))
            return i;
    }
    return MP_PLAN_NONE;
}
