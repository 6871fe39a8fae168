/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random events. Each phase draws the share of arrivals, their distribution over tenants, which
 * tenant's walkers complete sooner, and the number of walkers of each owner, so that queues fill up and
 * drain, one tenant's are long while another's are empty, and epochs end with every ratio. Every other phase
 * is directed, as long as points are open (dws_aim.h). */
#include "rtl/dws/lockstep/dws_aim.h"
#include "rtl/lockstep/random.h"

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
    uint32_t rules;  /* changes of epoch and thresholds per 1024 events, if they vary */
    bool rough;      /* manner.h */
    bool directed;
    struct dws_aim aim;
};

/* A percentage; small ones, which are reached sooner, as often as large ones. */
static uint8_t percent(uint64_t *random)
{
    uint32_t n = below(random, 1u << below(random, 8));
    return (uint8_t)(n < 100 ? n : MP_WALK_NEVER);
}

/* If they vary. Thresholds that differ by ratio show which ratio was used. */
static void draw_rules(struct dws_lockstep *l, uint64_t *random)
{
    struct mp_walk_thresholds t = {0};
    bool by_ratio = below(random, 2);
    if (!dws_lockstep_varies(l))
        return;
    for (uint32_t i = 0; i < MP_WALK_RATIOS; i++)
        t.diff[i] = by_ratio ? (uint8_t)(15 * i + below(random, 20)) : percent(random);
    t.queue = (uint8_t)(below(random, 4) ? below(random, 101) : 100 * below(random, 2));
    dws_lockstep_rules(l, below(random, 4) ? 1 + below(random, 1u << below(random, 9)) % 255 : 255, &t);
}

/* Half of the phases keep the previous tenant, and so start with its queues. */
static void begin(struct phase *p, struct dws_lockstep *l, uint64_t *random)
{
    const struct mp_walk_geometry *g = &dws_lockstep_model(l)->g;
    static const uint8_t arrivals[] = {10, 35, 48, 50, 52, 60, 90};
    static const uint8_t more[] = {0, 50, 60, 67, 75, 80, 90, 100};
    static const uint8_t owners[] = {0, 0, 0, 1, 8, 64}, rules[] = {0, 1, 16, 128};
    bool directed = p->directed;
    uint8_t tenant = below(random, 2) ? p->tenant : (uint8_t)below(random, g->tenants);
    *p = (struct phase){.left = 32u << below(random, 6),
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
                        .rules = rules[below(random, sizeof rules)],
                        .rough = !below(random, 3)};
    p->directed = !directed && dws_aim_begin(&p->aim, l, random);
    if (!p->directed && p->rules)
        draw_rules(l, random);
}

/* One of 4096 rough groups of events is interrupted by a reset, and those that an aim ends with. With more
 * resets no queue would fill up. */
static struct rtl_manner manner(const struct phase *p, uint64_t *random)
{
    struct rtl_manner m = {0};
    bool reset = p->directed && p->aim.reset;
    if (!p->rough && !reset)
        return m;
    m.random = draw(random) | 1;
    if (reset || !below(random, 4096))
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

/* Makes events of one clock concern the same walker or tenant. */
static void meet(struct dws_rtl_event *events, unsigned n, const struct mp_partition *model, uint64_t *random)
{
    struct dws_rtl_event *own = &events[events[0].kind != DWS_RTL_OWN];
    struct dws_rtl_event *last = &events[n - 1];
    if (own->kind != DWS_RTL_OWN)
        return;
    if (own > events && below(random, 2))
        own->walker = events[0].walker;
    else if (last->kind == DWS_RTL_ENQ && below(random, 2) && own->tenant < model->g.tenants)
        last->tenant = own->tenant;
    else if (last->kind == DWS_RTL_ENQ && model->t.wtm_tenant[own->walker] < model->g.tenants)
        last->tenant = model->t.wtm_tenant[own->walker];
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
    if (n > 1 && !below(random, 8))
        meet(events, n, model, random);
    return n;
}

/* The events of the next clock. */
static unsigned next(struct phase *p, struct dws_lockstep *l, uint64_t *random,
                     struct dws_rtl_event events[DWS_RTL_KINDS])
{
    if (p->directed && dws_aim_next(&p->aim, events))
        return 1;
    if (p->directed || !p->left--)
        begin(p, l, random);
    if (p->directed && (p->directed = dws_aim_next(&p->aim, events)))
        return 1;
    if (below(random, 1024) < p->rules)
        draw_rules(l, random);
    return make(p, dws_lockstep_model(l), random, events);
}

bool dws_lockstep_random(struct dws_lockstep *l, uint64_t seed, uint64_t events, const volatile int *stop)
{
    uint64_t random = seed, end = dws_lockstep_base(l)->transactions + events;
    struct phase p = {0};
    while (dws_lockstep_base(l)->transactions < end && !(stop && *stop)) {
        struct dws_rtl_event e[DWS_RTL_KINDS];
        unsigned n = next(&p, l, &random, e);
        if (!dws_lockstep_step(l, e, n, manner(&p, &random)))
            return false;
    }
    return true;
}
