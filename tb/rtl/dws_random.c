/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random events. Each phase draws the share of arrivals, their distribution over tenants, which
 * tenant's walkers complete sooner, and the number of walkers of each owner, so that queues fill up and
 * drain, one tenant's are long while another's are empty, and epochs end with every ratio. */
#include "rtl/dws_lockstep.h"
#include "rtl/random.h"

struct phase {
    uint64_t left;
    uint32_t arrivals; /* percent of the events; the rest are completions */
    uint32_t together; /* percent of the clocks that have both */
    uint8_t tenant;
    uint32_t more;  /* percent of the arrivals that are the tenant's */
    uint32_t quick; /* percent of the completions that are of other tenants' walkers */
    uint32_t deal;  /* walkers that get owners: `others` any tenant or none, the rest the tenant */
    uint32_t others, first;
    bool no_owner;   /* no tenant owns the others */
    uint32_t owners; /* additional changes of owners per 1024 events */
    bool rough;      /* manner.h */
};

/* Half of the phases keep the previous tenant, and so start with its queues. */
static void begin(struct phase *p, const struct mp_walk_geometry *g, uint64_t *random)
{
    static const uint8_t arrivals[] = {10, 35, 48, 50, 52, 60, 90};
    static const uint8_t more[] = {0, 50, 60, 67, 75, 80, 90, 100};
    static const uint8_t owners[] = {0, 0, 0, 1, 8, 64};
    uint8_t tenant = below(random, 2) ? p->tenant : (uint8_t)below(random, g->tenants);
    *p = (struct phase){.left = 64u << below(random, 6),
                        .arrivals = arrivals[below(random, sizeof arrivals)],
                        .together = below(random, 40),
                        .tenant = tenant,
                        .more = more[below(random, sizeof more)],
                        .quick = below(random, 2) * below(random, 80),
                        .deal = below(random, 3) ? 0 : g->walkers,
                        .others = below(random, 2) ? below(random, 4) : below(random, g->walkers + 1),
                        .first = below(random, g->walkers),
                        .no_owner = !below(random, 3),
                        .owners = owners[below(random, sizeof owners)],
                        .rough = !below(random, 3)};
}

/* One of 4096 rough groups of events is interrupted by a reset. With more resets no queue would fill up. */
static struct rtl_manner manner(const struct phase *p, uint64_t *random)
{
    struct rtl_manner m = {0};
    if (!p->rough)
        return m;
    m.random = draw(random) | 1;
    if (!below(random, 4096))
        m.reset = 1 + below(random, 6);
    return m;
}

/* With a spare code, two codes mean "no owner". */
static uint8_t anybody(const struct mp_walk_geometry *g, uint64_t *random)
{
    uint32_t numbers = 2;
    while (numbers <= g->tenants)
        numbers *= 2;
    return (uint8_t)below(random, below(random, 2) ? g->tenants : numbers);
}

static struct dws_rtl_event owner(struct phase *p, const struct mp_walk_geometry *g, uint64_t *random)
{
    struct dws_rtl_event e = {.kind = DWS_RTL_OWN};
    if (p->deal) {
        p->deal--;
        e.walker = (uint8_t)((p->first + p->deal) % g->walkers);
        e.tenant = p->deal >= p->others ? p->tenant : p->no_owner ? (uint8_t)g->tenants : anybody(g, random);
    } else {
        e.walker = (uint8_t)below(random, g->walkers);
        e.tenant = anybody(g, random);
    }
    return e;
}

/* Draws one of the walkers that are not idle. */
static uint8_t busy(const struct phase *p, const struct mp_partition *model, uint64_t walkers,
                    uint64_t *random)
{
    uint64_t others = walkers & ~model->t.twm_walkers[p->tenant];
    if (others && below(random, 100) < p->quick)
        walkers = others;
    uint32_t skip = below(random, (uint32_t)__builtin_popcountll(walkers));
    while (skip--)
        walkers &= walkers - 1;
    return (uint8_t)__builtin_ctzll(walkers);
}

static unsigned make(struct phase *p, const struct mp_partition *model, uint64_t *random,
                     struct dws_rtl_event events[DWS_RTL_KINDS])
{
    const struct mp_walk_geometry *g = &model->g;
    uint64_t walkers = ~model->t.idle & ~0ull >> (MP_DWS_WALKERS - g->walkers);
    bool together = below(random, 100) < p->together;
    bool enq = below(random, 100) < p->arrivals || !walkers;
    unsigned n = 0;
    if (walkers && (!enq || together))
        events[n++] = (struct dws_rtl_event){.kind = DWS_RTL_DONE, .walker = busy(p, model, walkers, random)};
    if (p->deal || below(random, 1024) < p->owners)
        events[n++] = owner(p, g, random);
    if (enq || together) {
        bool its = below(random, 100) < p->more;
        events[n++] = (struct dws_rtl_event){.kind = DWS_RTL_ENQ,
                                             .tenant = its ? p->tenant : (uint8_t)below(random, g->tenants)};
    }
    return n;
}

bool dws_lockstep_random(struct dws_lockstep *l, uint64_t seed, uint64_t events, const volatile int *stop)
{
    const struct mp_partition *model = dws_lockstep_model(l);
    uint64_t random = seed, end = dws_lockstep_base(l)->transactions + events;
    struct phase p = {0};
    while (dws_lockstep_base(l)->transactions < end && !(stop && *stop)) {
        struct dws_rtl_event e[DWS_RTL_KINDS];
        if (!p.left--)
            begin(&p, &model->g, &random);
        unsigned n = make(&p, model, &random, e);
        if (!dws_lockstep_step(l, e, n, manner(&p, &random)))
            return false;
    }
    return true;
}
