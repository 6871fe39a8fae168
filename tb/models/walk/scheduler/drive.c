/* SPDX-License-Identifier: Apache-2.0 */
#include "drive.h"

struct mp_walk_rules drive_rules(enum mp_walk_compat compat)
{
    return (struct mp_walk_rules){.compat = compat, .epoch = 200, .thresholds = mp_walk_thresholds[0]};
}

static bool partitioned(const struct drive *d)
{
    return d->intake.scheduler->owner;
}

static const struct mp_partition *partition(const struct drive *d)
{
    return d->intake.state;
}

void drive_init(struct drive *d, const struct mp_walk_scheduler *scheduler, const struct mp_walk_geometry *g,
                const struct mp_walk_rules *r, struct reference *reference)
{
    memset(d, 0, offsetof(struct drive, walk));
    d->g = *g;
    d->r = *r;
    d->policy = ref_policy_of(scheduler);
    d->reference = reference;
    for (uint32_t w = 0; w < MP_DWS_WALKERS; w++)
        d->serves[w] = -1;
    assert_int_equal(mp_intake_init(&d->intake, scheduler, g, r, NULL), 0);
    if (reference)
        ref_init(reference, scheduler, g, r);
}

void drive_free(struct drive *d)
{
    mp_intake_free(&d->intake);
}

/* ---- invariants ---- */

static uint32_t tell(const struct drive *d, const struct mp_req *req)
{
    uint32_t i = (uint32_t)((const struct driven *)(const void *)req - d->walk);
    assert_true(i < d->arrived);
    return i;
}

/* The tables agree with the queues. */
static uint32_t check_tables(const struct drive *d)
{
    const struct mp_partition *p = partition(d);
    const struct mp_dws_state *t = mp_dws_state(p);
    uint32_t pending[MP_TENANTS] = {0}, all = 0;
    uint64_t owned = 0;
    for (uint32_t w = 0; w < d->g.walkers; w++) {
        uint32_t n = 0;
        for (const struct mp_req *req = p->queue[w].head; req; req = req->next, n++) {
            assert_int_equal(d->walk[tell(d, req)].where, DRIVEN_WAITS);
            pending[req->tenant]++;
        }
        assert_int_equal(p->queue[w].length, n);
        assert_int_equal(t->fwa_free[w] + n, d->g.queue / d->g.walkers);
        assert_int_equal(t->idle >> w & 1, d->serves[w] < 0);
        assert_true(t->twm_walkers[t->wtm_tenant[w]] >> w & 1);
        all += n;
    }
    for (uint32_t i = 0; i < d->g.tenants; i++) {
        assert_int_equal(t->twm_pend_walks[i], pending[i]);
        assert_int_equal(t->twm_walkers[i] & owned, 0); /* one owner each */
        owned |= t->twm_walkers[i];
    }
    return all;
}

/* No walker is idle that could serve a walk that waits. */
static void check_idle(const struct drive *d, uint32_t queued)
{
    for (uint32_t w = 0; w < d->g.walkers; w++) {
        if (d->serves[w] >= 0)
            continue;
        if (d->policy->steals || d->policy->one_line)
            assert_int_equal(queued, 0);
        else
            assert_int_equal(mp_partition_own(partition(d), w), MP_NO_WALKER);
    }
}

static void check(const struct drive *d)
{
    uint32_t in[DRIVEN_DONE + 1] = {0}, waiting = 0, queued;
    for (uint32_t i = 0; i < d->arrived; i++)
        in[d->walk[i].where]++;
    for (uint32_t w = 0; w < d->g.walkers; w++)
        if (d->serves[w] >= 0) {
            assert_int_equal(d->walk[d->serves[w]].where, DRIVEN_SERVED);
            assert_int_equal(d->walk[d->serves[w]].walker, w);
            waiting++;
        }
    assert_int_equal(in[DRIVEN_SERVED], waiting);
    assert_int_equal(in[DRIVEN_DONE], d->done);
    assert_int_equal(in[DRIVEN_OUTSIDE], d->intake.outside.length);
    queued = partitioned(d) ? check_tables(d) : in[DRIVEN_WAITS];
    assert_int_equal(in[DRIVEN_WAITS], queued);
    check_idle(d, queued);
}

/* ---- events ---- */

static uint8_t owner(const struct drive *d, int walker)
{
    return d->intake.scheduler->owner(d->intake.state, (uint32_t)walker);
}

static bool pends(const struct drive *d, uint8_t tenant)
{
    return mp_partition_longest(partition(d), mp_dws_state(partition(d))->twm_walkers[tenant]) >= 0;
}

/* A walker takes a walk of another tenant; called before it does. */
static void check_steal(struct drive *d, int walker, bool owner_pends)
{
    assert_true(d->policy->steals || d->reconfigured);
    assert_true(!owner_pends || d->policy->by_threshold || d->reconfigured);
    d->steals++;
    d->steals_by_threshold += owner_pends;
    for (uint32_t i = 0; i < d->arrived; i++)
        if (d->walk[i].where == DRIVEN_WAITS && d->walk[i].req.tenant == owner(d, walker))
            d->walk[i].behind++;
}

static void starts(struct drive *d, int walker, uint32_t walk, bool owner_pends)
{
    struct driven *x = &d->walk[walk];
    assert_int_equal(d->serves[walker], -1);
    assert_true(x->where == DRIVEN_WAITS || x->where == DRIVEN_OUTSIDE);
    x->where = DRIVEN_SERVED;
    x->walker = walker;
    d->serves[walker] = (int)walk;
    d->began[walker] = d->arrived;
    x->stolen = partitioned(d) && owner(d, walker) != x->req.tenant;
    if (x->stolen)
        check_steal(d, walker, owner_pends);
}

static void goes(struct drive *d, uint32_t walk, int where)
{
    struct driven *x = &d->walk[walk];
    x->where = where == MP_WALK_NO_ROOM ? DRIVEN_OUTSIDE : DRIVEN_WAITS;
    if (where >= 0)
        starts(d, where, walk, false);
}

int drive_arrive(struct drive *d, uint8_t tenant)
{
    uint32_t i = d->arrived++;
    assert_true(i < REF_WALKS);
    d->walk[i] = (struct driven){.req = {.tenant = tenant}};
    int where = mp_intake_arrive(&d->intake, &d->walk[i].req);
    if (d->reference)
        assert_int_equal(ref_arrive(d->reference, (int)i, tenant), where);
    goes(d, i, where);
    check(d);
    return where;
}

int drive_complete(struct drive *d, uint32_t walker)
{
    int ended = d->serves[walker];
    uint8_t o = partitioned(d) ? owner(d, (int)walker) : 0;
    bool owner_pends = partitioned(d) && pends(d, o);
    assert_true(ended >= 0);
    d->serves[walker] = -1;
    d->walk[ended].where = DRIVEN_DONE;
    d->done++;
    struct mp_req *next = d->intake.scheduler->complete(d->intake.state, walker);
    int walk = next ? (int)tell(d, next) : -1;
    if (d->reference)
        assert_int_equal(ref_complete(d->reference, (int)walker), walk);
    if (next) {
        struct driven *x = &d->walk[walk];
        x->behind += partitioned(d) && o == x->req.tenant && d->walk[ended].req.tenant != o &&
                     (uint32_t)walk >= d->began[walker];
        starts(d, (int)walker, (uint32_t)walk, owner_pends);
        if (partitioned(d) && !d->policy->by_threshold && !d->reconfigured)
            assert_true(x->behind <= 1);
    }
    check(d);
    return walk;
}

void drive_retry(struct drive *d)
{
    struct mp_req *req;
    int where, expected = 0;
    do {
        req = mp_intake_retry(&d->intake, &where);
        if (d->reference) {
            assert_int_equal(ref_retry(d->reference, &expected), req ? (int)tell(d, req) : -1);
            assert_true(!req || where == expected);
        }
        if (req) {
            assert_int_not_equal(where, MP_WALK_NO_ROOM);
            goes(d, tell(d, req), where);
        }
        check(d);
    } while (req && !d->intake.published);
    for (const struct mp_req *left = d->intake.published ? NULL : d->intake.outside.head; left;
         left = d->intake.scheduler->one_line ? NULL : left->next)
        assert_false(d->intake.scheduler->room(d->intake.state, left->tenant));
}

void drive_take(struct drive *d, uint32_t queue, uint32_t at)
{
    const struct mp_walk_scheduler *s = d->intake.scheduler;
    uint32_t length = s->queue(d->intake.state, queue)->length;
    const struct mp_req *req = s->take(d->intake.state, queue, at);
    uint32_t walk = tell(d, req);
    assert_int_equal(d->walk[walk].where, DRIVEN_WAITS);
    assert_int_equal(s->queue(d->intake.state, queue)->length, length - 1);
    assert_true(s->room(d->intake.state, req->tenant) || d->reconfigured);
    if (d->reference)
        assert_int_equal(ref_take(d->reference, (int)queue, (int)at), (int)walk);
    d->walk[walk].where = DRIVEN_DONE;
    d->done++;
    check(d);
}

void drive_set_tenants(struct drive *d, uint32_t mask)
{
    const struct mp_walk_scheduler *s = d->intake.scheduler;
    d->reconfigured = true;
    s->set_tenants(d->intake.state, mask);
    if (d->reference)
        ref_set_tenants(d->reference, mask);
    for (uint32_t w = 0; s->wake && w < d->g.walkers; w++) {
        if (d->serves[w] >= 0)
            continue;
        struct mp_req *next = s->wake(d->intake.state, w);
        if (d->reference)
            assert_int_equal(ref_complete(d->reference, (int)w), next ? (int)tell(d, next) : -1);
        if (next)
            starts(d, (int)w, tell(d, next), true);
    }
    check(d);
}
