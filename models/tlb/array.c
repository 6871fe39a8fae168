/* SPDX-License-Identifier: Apache-2.0 */
/* The array of a TLB as it begins, and as it changes its policy. */
#include <stdlib.h>

#include "tlb/tlb.h"

void mp_tlb_watch(struct mp_tlb *t)
{
    t->misses_repeat = t->policy->misses_repeat && !t->prefetch;
    t->watched = t->reuse || t->lines || t->prefetch || t->size.used > 1 || t->policy->asked ||
                 t->policy->answered || (t->hooks && (t->hooks->asked || t->hooks->answered));
}

int mp_tlb_new_array(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                     const struct mp_tlb_geometry *geometry)
{
    void *state = mp_tlb_state(policy, geometry);
    if (!state)
        return -1;
    t->state = state;
    t->policy = policy;
    mp_tlb_watch(t);
    t->miss_latency = geometry->latency;
    for (uint32_t p = 0; p < t->ports.count; p++)
        t->starved[p] = MP_TLB_NO_KEY;
    return 0;
}

static const struct mp_scope everything = {.every_asid = true, .every_page = true};

static int replace(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                   const struct mp_tlb_geometry *geometry)
{
    if (mp_tlb_new_array(t, policy, geometry))
        return -1;
    if (t->hooks && t->hooks->invalidates)
        t->hooks->invalidates(t->hooks->self, &everything);
    return 0;
}

int mp_tlb_set_policy(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                      const struct mp_tlb_geometry *geometry)
{
    void *old = t->state;
    if (replace(t, policy, geometry))
        return -1;
    if (t->prefetch)
        mp_prefetch_invalidate(t->prefetch, &everything);
    free(old);
    return 0;
}

struct move { /* of the translations of the ways that have this rank in their set */
    struct mp_tlb *to;
    const struct mp_tlb_policy *policy;
    const void *from;
    uint32_t set, rank;
};

static void enter(void *move, const struct mp_tlb_entry *e)
{
    const struct move *m = move;
    const struct mp_tlb_hooks *hooks = m->to->hooks;
    struct mp_tlb_left left;
    if (m->policy->rank(m->from, m->set, e->way) != m->rank)
        return;
    left.count = left.pages = 0;
    if (hooks && hooks->changes)
        hooks->changes(hooks->self);
    m->to->policy->insert(m->to->state, e->asid, e->vpn, e->to, &left);
    if (hooks && hooks->filled)
        hooks->filled(hooks->self, e->asid, e->vpn, e->to, &left);
}

int mp_tlb_change_policy(struct mp_tlb *t, const struct mp_tlb_policy *policy,
                         const struct mp_tlb_geometry *geometry)
{
    struct move m = {.to = t, .policy = t->policy, .from = t->state};
    void *old = t->state;
    uint32_t ways = 0, sets = 0;
    for (uint32_t n; (n = m.policy->ways(old, sets)); sets++)
        ways = n > ways ? n : ways;
    if (replace(t, policy, geometry))
        return -1;
    for (m.rank = ways; m.rank-- > 0;)
        for (m.set = 0; m.set < sets; m.set++)
            m.policy->each_entry(old, m.set, enter, &m);
    free(old);
    return 0;
}
