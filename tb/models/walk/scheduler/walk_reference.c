/* SPDX-License-Identifier: Apache-2.0 */
#include "walk_reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const struct ref_policy policies[] = {
    {.name = "fcfs", .one_line = true},
    {.name = "static"},
    {.name = "dws", .steals = true},
    {.name = "dws++", .steals = true, .by_threshold = true},
    {.name = "sjf", .one_line = true}, /* all walks here are of one instruction */
    {0},
};

const struct ref_policy *ref_policy_of(const struct mp_walk_scheduler *s)
{
    const struct ref_policy *p = policies;
    while (p->name && strcmp(p->name, s->design.name) != 0)
        p++;
    if (!p->name)
        fail_msg("%s: no row in walk_reference.c; one that says what it does", s->design.name);
    return p;
}

static int take(struct ref_list *l, int at)
{
    int walk = l->walk[at];
    memmove(l->walk + at, l->walk + at + 1, (size_t)(--l->length - at) * sizeof *l->walk);
    return walk;
}

static void append(struct ref_list *l, int walk)
{
    l->walk[l->length++] = walk;
}

void ref_set_tenants(struct reference *r, unsigned mask)
{
    int here[MP_TENANTS] = {0}, n = 0;
    for (int t = 0; t < r->tenants; t++)
        if (mask & 1u << t)
            here[n++] = t;
    assert_in_range(n, 1, MP_TENANTS);
    for (int w = 0; n && w < r->walkers; w++)
        r->owner[w] = here[r->r.owners == MP_WALK_INTERLEAVED ? w % n : w * n / r->walkers];
}

void ref_init(struct reference *r, const struct mp_walk_scheduler *s, const struct mp_walk_geometry *g,
              const struct mp_walk_rules *rules)
{
    memset(r, 0, sizeof *r);
    r->policy = ref_policy_of(s);
    r->g = *g;
    r->r = *rules;
    r->hpca21 = rules->compat == MP_WALK_HPCA21;
    r->walkers = (int)g->walkers;
    r->tenants = (int)g->tenants;
    r->diff = -1;
    for (int w = 0; w < r->walkers; w++) {
        r->serves[w] = -1;
        r->memory[w] = r->hpca21;
    }
    ref_set_tenants(r, (1u << g->tenants) - 1);
}

static int room_of_a_queue(const struct reference *r)
{
    return r->policy->one_line ? (int)r->g.queue : (int)r->g.queue / r->walkers;
}

static bool owns_any(const struct reference *r, int tenant)
{
    for (int w = 0; w < r->walkers; w++)
        if (r->owner[w] == tenant)
            return true;
    return false;
}

/* A tenant without walkers may use all. */
static bool may_use(const struct reference *r, int tenant, int w)
{
    return r->owner[w] == tenant || !owns_any(r, tenant);
}

static int idle_for(const struct reference *r, int tenant)
{
    bool anyone = r->policy->one_line || (r->hpca21 && r->policy->steals);
    for (int w = 0; w < r->walkers; w++)
        if (r->serves[w] < 0 && (anyone || may_use(r, tenant, w)))
            return w;
    for (int w = 0; w < r->walkers; w++)
        if (r->serves[w] < 0 && r->policy->steals)
            return w; /* as a steal */
    return -1;
}

static int shortest_for(const struct reference *r, int tenant)
{
    if (r->policy->one_line)
        return r->queue[0].length < room_of_a_queue(r) ? 0 : -1;
    int best = -1;
    for (int w = r->walkers - 1; w >= 0; w--)
        if (may_use(r, tenant, w) && r->queue[w].length < room_of_a_queue(r) &&
            (best < 0 || r->queue[w].length <= r->queue[best].length))
            best = w;
    return best;
}

static void walk_starts(struct reference *r, int w, int walk)
{
    r->serves[w] = walk;
    if (!r->hpca21)
        r->memory[w] = r->tenant_of[walk] != r->owner[w];
}

/* DIFF by the table, from the larger over the smaller number of arrivals of the tenants that own walkers. */
static void new_threshold(struct reference *r)
{
    static const double most[] = {1.5, 2, 3, 4};
    int large = -1, small = -1;
    for (int t = 0; t < r->tenants; t++) {
        if (owns_any(r, t)) {
            large = large < 0 || r->counted[t] > large ? r->counted[t] : large;
            small = small < 0 || r->counted[t] < small ? r->counted[t] : small;
        }
        r->counted[t] = 0;
    }
    double ratio = (double)large / (small ? small : 1);
    if (r->hpca21 && !small)
        ratio = 200;
    int i = 0;
    while (i < 4 && (r->hpca21 ? ratio >= most[i] : ratio > most[i]))
        i++;
    r->diff = r->r.thresholds.diff[i] == MP_WALK_NEVER ? -1 : r->r.thresholds.diff[i];
    r->epoch = 0;
}

static void count(struct reference *r, int tenant)
{
    r->counted[tenant]++;
    if (++r->epoch == (int)r->r.epoch)
        new_threshold(r);
}

static int try(struct reference *r, int walk)
{
    int tenant = r->tenant_of[walk], where = idle_for(r, tenant);
    if (where >= 0) {
        walk_starts(r, where, walk);
    } else {
        int q = shortest_for(r, tenant);
        where = q < 0 ? MP_WALK_NO_ROOM : MP_WALK_QUEUED;
        if (q >= 0)
            append(&r->queue[q], walk);
    }
    if (r->policy->by_threshold && (r->hpca21 || where != MP_WALK_NO_ROOM))
        count(r, tenant);
    return where;
}

int ref_arrive(struct reference *r, int walk, int tenant)
{
    int where = 0;
    r->tenant_of[walk] = tenant;
    for (int i = 0; i < r->outside.length; i++)
        if (r->policy->one_line || (!r->hpca21 && r->tenant_of[r->outside.walk[i]] == tenant))
            where = MP_WALK_NO_ROOM; /* it is not its turn */
    if (!where)
        where = try(r, walk);
    if (where == MP_WALK_NO_ROOM)
        append(&r->outside, walk);
    return where;
}

int ref_retry(struct reference *r, int *where)
{
    for (int i = 0; i < r->outside.length; i++) {
        int walk = r->outside.walk[i], tenant = r->tenant_of[walk];
        if (idle_for(r, tenant) >= 0 || shortest_for(r, tenant) >= 0) {
            *where = try(r, take(&r->outside, i));
            return walk;
        }
        if (r->policy->one_line)
            break;
    }
    return -1;
}

int ref_take(struct reference *r, int queue, int at)
{
    return take(&r->queue[queue], at);
}

static int pending(const struct reference *r, int tenant)
{
    int n = 0;
    for (int w = 0; w < r->walkers; w++)
        for (int i = 0; i < r->queue[w].length; i++)
            n += r->tenant_of[r->queue[w].walk[i]] == tenant;
    return n;
}

/* The longest queue of walkers that this tenant owns, or does not own. */
static int longest(const struct reference *r, int tenant, bool owned)
{
    int best = -1;
    for (int w = r->walkers - 1; w >= 0; w--)
        if ((r->owner[w] == tenant) == owned && r->queue[w].length &&
            (best < 0 || r->queue[w].length >= r->queue[best].length))
            best = w;
    return best;
}

static bool far_apart(const struct reference *r, int other, int owner)
{
    long long a = pending(r, other), b = pending(r, owner), room[2] = {0};
    if (r->diff < 0)
        return false;
    if (!r->hpca21)
        return 100 * (a - b) > (long long)r->diff * r->g.queue;
    for (int w = 0; w < r->walkers; w++) {
        room[0] += r->owner[w] == other ? room_of_a_queue(r) : 0;
        room[1] += r->owner[w] == owner ? room_of_a_queue(r) : 0;
    }
    return 100 * (a * room[1] - b * room[0]) > r->diff * room[0] * room[1];
}

static int threshold_steal(const struct reference *r, int w)
{
    int other = -1;
    for (int t = 0; t < r->tenants; t++)
        if (t != r->owner[w] && (other < 0 || pending(r, t) > pending(r, other)))
            other = t;
    if (other < 0 || r->memory[w] || 100 * r->queue[w].length > r->r.thresholds.queue * room_of_a_queue(r) ||
        !far_apart(r, other, r->owner[w]))
        return -1;
    return longest(r, other, true);
}

int ref_complete(struct reference *r, int w)
{
    int from = -1;
    r->serves[w] = -1;
    if (r->policy->one_line) {
        from = r->queue[0].length ? 0 : -1;
    } else {
        if (r->policy->by_threshold)
            from = threshold_steal(r, w);
        if (r->hpca21)
            r->memory[w] = from >= 0;
        if (from < 0 && r->queue[w].length)
            from = w;
        if (from < 0)
            from = longest(r, r->owner[w], true);
        if (from < 0 && r->policy->steals)
            from = longest(r, r->owner[w], false);
    }
    if (from < 0)
        return -1;
    walk_starts(r, w, take(&r->queue[from], 0));
    return r->serves[w];
}
