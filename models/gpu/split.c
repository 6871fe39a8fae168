/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/split.h"

#include <stdlib.h>
#include <string.h>

/* The least lookahead of a link between groups. Shorter windows cost more than they give. */
enum { LEAST = 4 };

struct draft {
    const struct mp_plan *plan;
    const struct mp_machine *machine;
    uint32_t *root;  /* of each block: another block of the same group, or itself; the first block is the last
                        root */
    uint32_t *stage; /* of each block */
};

static uint32_t root_of(const struct draft *d, uint32_t block)
{
    while (d->root[block] != block)
        block = d->root[block];
    return block;
}

static void unite(struct draft *d, uint32_t a, uint32_t b)
{
    uint32_t x = root_of(d, a), y = root_of(d, b);
    d->root[x < y ? y : x] = x < y ? x : y;
}

static uint32_t lookahead_of(const struct mp_plan *plan, const struct mp_plan_link *link)
{
    const struct mp_plan_block *from = &plan->block[link->from];
    return from->kind->lookahead ? from->kind->lookahead(from->params, link->kind) : 0;
}

static bool is_shared(const struct mp_plan_block *b)
{
    return b->per == MP_PER_INSTANCE || b->per == MP_PER_MACHINE;
}

static void unite_slices(struct draft *d)
{
    for (uint32_t i = 0; i < d->plan->blocks; i++) {
        const struct mp_plan_block *b = &d->plan->block[i];
        if (is_shared(b))
            continue;
        const uint32_t slice = mp_machine_slice_of(d->machine, b->first_sm);
        uint32_t first = 0;
        while (is_shared(&d->plan->block[first]) ||
               mp_machine_slice_of(d->machine, d->plan->block[first].first_sm) != slice)
            first++;
        unite(d, first, i);
    }
}

/* Links without lookahead; and those from shared TLBs to page-walk systems, which have little to do. */
static void unite_links(struct draft *d)
{
    for (uint32_t i = 0; i < d->plan->links; i++) {
        const struct mp_plan_link *link = &d->plan->link[i];
        bool walks = d->plan->block[link->to].kind == &mp_walk_kind && is_shared(&d->plan->block[link->from]);
        if (walks || lookahead_of(d->plan, link) < LEAST)
            unite(d, link->from, link->to);
    }
}

/* A group runs after those that its links lead to, since their answers may come at once. false: links lead in
 * a circle. */
static bool set_stages(struct draft *d)
{
    bool changed = true;
    for (uint32_t i = 0; i < d->plan->blocks; i++)
        d->stage[i] = 1;
    for (uint32_t round = 0; changed && round <= d->plan->blocks; round++) {
        changed = false;
        for (uint32_t i = 0; i < d->plan->links; i++) {
            uint32_t from = root_of(d, d->plan->link[i].from), to = root_of(d, d->plan->link[i].to);
            if (from != to && d->stage[from] <= d->stage[to]) {
                d->stage[from] = d->stage[to] + 1;
                changed = true;
            }
        }
    }
    return !changed;
}

/* Numbers the groups by stage, then by their first blocks. false: there is only one group with SMs. */
static bool number(struct draft *d, struct mp_split *s)
{
    bool several = false;
    uint32_t last = 0;
    for (uint32_t i = 0; i < d->plan->blocks; i++)
        if (root_of(d, i) == i && d->stage[i] > last)
            last = d->stage[i];
    s->stage[MP_SPLIT_APPS] = 0;
    s->groups = 1;
    for (uint32_t stage = 1; stage <= last; stage++) {
        uint32_t first = s->groups;
        for (uint32_t i = 0; i < d->plan->blocks; i++)
            if (root_of(d, i) == i && d->stage[i] == stage) {
                s->stage[s->groups] = stage;
                s->group[i] = s->groups++;
            }
        several = s->groups - first > 1; /* SMs are in the last stage */
    }
    for (uint32_t i = 0; i < d->plan->blocks; i++)
        s->group[i] = s->group[root_of(d, i)];
    return several;
}

static void set_lookahead(struct mp_split *s, const struct mp_plan *plan, uint32_t dispatch_latency)
{
    s->lookahead = dispatch_latency;
    for (uint32_t i = 0; i < plan->links; i++) {
        uint32_t lookahead = lookahead_of(plan, &plan->link[i]);
        if (s->group[plan->link[i].from] != s->group[plan->link[i].to] && lookahead < s->lookahead)
            s->lookahead = lookahead;
    }
}

/* Owners of work-groups keep pages that fault. */
static bool is_managed(const struct mp_machine *m)
{
    for (unsigned t = 0; t < m->tenants; t++)
        if (m->tenant[t].managed)
            return true;
    return false;
}

static bool owners_decide_late(const struct mp_machine *m)
{
    return is_managed(m) || m->sm.dispatch_latency < LEAST ||
           (m->dispatch.policy && m->dispatch.policy->access_done);
}

static void make_whole(struct mp_split *s, const struct mp_plan *plan)
{
    s->groups = 1;
    s->stage[0] = s->lookahead = 0;
    memset(s->group, 0, plan->blocks * sizeof *s->group);
}

static int init_whole(struct mp_split *s, const struct mp_plan *plan)
{
    *s = (struct mp_split){.group = calloc(plan->blocks + 1, sizeof *s->group),
                           .stage = calloc(plan->blocks + 1, sizeof *s->stage)};
    if (!s->group || !s->stage) {
        mp_split_free(s);
        return -1;
    }
    make_whole(s, plan);
    return 0;
}

int mp_split_init(struct mp_split *s, const struct mp_plan *plan, const struct mp_machine *machine)
{
    struct draft d = {plan, machine, calloc(plan->blocks + 1, sizeof *d.root),
                      calloc(plan->blocks + 1, sizeof *d.stage)};
    int status = !d.root || !d.stage || init_whole(s, plan) ? -1 : 0;
    for (uint32_t i = 0; !status && i < plan->blocks; i++)
        d.root[i] = i;
    if (!status && !owners_decide_late(machine)) {
        unite_slices(&d);
        unite_links(&d);
        if (set_stages(&d) && number(&d, s))
            set_lookahead(s, plan, machine->sm.dispatch_latency);
        else
            make_whole(s, plan);
    }
    free(d.root);
    free(d.stage);
    return status;
}

void mp_split_free(struct mp_split *s)
{
    free(s->group);
    free(s->stage);
    *s = (struct mp_split){0};
}
