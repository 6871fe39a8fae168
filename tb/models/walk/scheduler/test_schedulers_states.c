/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every state that a small walk system can reach, and every event in each of them: a walk of either tenant
 * arrives (while fewer than two wait outside), a walker completes, requests outside are tried again, the
 * tenants change. drive.c checks the invariants. A state is all that future events depend on, and the number
 * of other tenants' walks that each walk has waited for.
 */
#include "drive.h"

#define TABLE  (1u << 20)
#define NODES  (TABLE / 2)
#define EVENTS 64u

struct node {
    uint32_t parent;
    uint8_t event;
};

static struct drive d, saved;
static unsigned char saved_state[sizeof(struct mp_partition)];
static size_t state_bytes;
static struct node node[NODES];
static uint32_t nodes;
static uint64_t table[TABLE]; /* keys, 0 vacant */

/* ---- a state as a number ---- */

struct key {
    uint64_t bits;
    unsigned used;
};

static void put(struct key *k, uint64_t value, unsigned bits)
{
    assert_true(value < 1ull << bits);
    k->bits |= value << k->used;
    k->used += bits;
    assert_true(k->used < 64);
}

static void put_walk(struct key *k, const struct mp_req *req)
{
    const struct driven *x = (const void *)req;
    put(k, req ? 1u + req->tenant : 0, 2);
    if (!req || !d.policy->steals || d.policy->by_threshold)
        return; /* other schedulers do not limit it */
    put(k, x->behind > 0, 1);
    for (uint32_t w = 0; w < d.g.walkers; w++)
        put(k, (uint32_t)(x - d.walk) >= d.began[w], 1);
}

static uint64_t key_of(void)
{
    const struct mp_partition *p = d.intake.state;
    struct key k = {1, 1};
    for (uint32_t w = 0; w < d.g.walkers; w++) {
        const struct mp_req *req = p->queue[w].head;
        put(&k, d.serves[w] < 0 ? 0 : 1u + d.walk[d.serves[w]].req.tenant, 2);
        for (uint32_t i = 0; i < d.g.queue / d.g.walkers; i++, req = req ? req->next : NULL)
            put_walk(&k, req);
    }
    const struct mp_req *req = d.intake.outside.head;
    for (uint32_t i = 0; i < 2; i++, req = req ? req->next : NULL)
        put(&k, req ? 1u + req->tenant : 0, 2);
    put(&k, p->t.twm_walkers[0], d.g.walkers);
    if (!d.policy->by_threshold)
        return k.bits;
    put(&k, p->t.fwa_is_stolen, d.g.walkers);
    put(&k, p->t.twm_enq_epoch[0], 2);
    put(&k, p->t.twm_enq_epoch[1], 2);
    put(&k, p->t.diff_thres == MP_WALK_NEVER, 1);
    return k.bits;
}

static void learn(uint64_t key, uint32_t parent, uint8_t event)
{
    uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 44) % TABLE;
    for (; table[i]; i = (i + 1) % TABLE)
        if (table[i] == key)
            return;
    assert_true(nodes < NODES);
    table[i] = key;
    node[nodes++] = (struct node){parent, event};
}

/* ---- events ---- */

enum { ARRIVE = 0, RETRY = 2, TENANTS = 2 /* and 3, 4, 5: masks 1, 2, 3 */, COMPLETE = 8 };

static bool possible(uint8_t event, bool come_and_go)
{
    if (event < RETRY)
        return d.intake.outside.length < 2;
    if (event == RETRY)
        return d.intake.outside.length;
    if (event < COMPLETE)
        return come_and_go && event - TENANTS <= 3;
    return event - COMPLETE < (int)d.g.walkers && d.serves[event - COMPLETE] >= 0;
}

static void happen(uint8_t event)
{
    if (event < RETRY)
        drive_arrive(&d, event);
    else if (event == RETRY)
        drive_retry(&d);
    else if (event < COMPLETE)
        drive_set_tenants(&d, event - TENANTS);
    else
        drive_complete(&d, event - COMPLETE);
}

/* Copies the scheduler's state, which must stay at its address, since walks are linked by address. */
static void save(void)
{
    memcpy(&saved, &d, offsetof(struct drive, walk) + d.arrived * sizeof *d.walk);
    memcpy(saved_state, d.intake.state, state_bytes);
}

static void restore(void)
{
    memcpy(&d, &saved, offsetof(struct drive, walk) + saved.arrived * sizeof *d.walk);
    memcpy(d.intake.state, saved_state, state_bytes);
}

static void go_to(uint32_t n)
{
    uint8_t event[EVENTS];
    uint32_t events = 0;
    for (; n; n = node[n].parent) {
        assert_true(events < EVENTS);
        event[events++] = node[n].event;
    }
    while (events)
        happen(event[--events]);
}

static uint32_t explore(const struct mp_walk_scheduler *s, uint32_t walkers, uint32_t places,
                        enum mp_walk_compat compat, bool come_and_go)
{
    const struct mp_walk_geometry g = {.walkers = walkers, .queue = walkers * places, .tenants = 2};
    struct mp_walk_rules r = drive_rules(compat);
    uint32_t steals = 0, by_threshold = 0;
    r.epoch = 3;
    r.thresholds = (struct mp_walk_thresholds){"test", {10, MP_WALK_NEVER, 10, 10, 10}, 100};
    state_bytes = s->bytes(&g);
    assert_true(state_bytes <= sizeof saved_state);
    nodes = 0;
    memset(table, 0, sizeof table);
    drive_init(&d, s, &g, &r, NULL);
    learn(key_of(), 0, 0);
    drive_free(&d);
    for (uint32_t n = 0; n < nodes; n++) {
        drive_init(&d, s, &g, &r, NULL);
        go_to(n);
        save();
        for (uint8_t event = 0; event < COMPLETE + walkers; event++) {
            restore();
            if (!possible(event, come_and_go))
                continue;
            happen(event);
            learn(key_of(), n, event);
            steals += d.steals > saved.steals;
            by_threshold += d.steals_by_threshold > saved.steals_by_threshold;
        }
        drive_free(&d);
    }
    assert_int_equal(steals > 0, come_and_go || ref_policy_of(s)->steals);
    assert_int_equal(by_threshold > 0, come_and_go || ref_policy_of(s)->by_threshold);
    print_message("%s, %u walkers with %u places, %s%s: %u states\n", s->design.name, walkers, places,
                  compat == MP_WALK_PAPER ? "paper" : "hpca21", come_and_go ? ", tenants come and go" : "",
                  nodes);
    return nodes;
}

/* Explores all schedulers whose walkers belong to tenants. */
static void explore_all(uint32_t walkers, uint32_t places, enum mp_walk_compat compat, bool come_and_go)
{
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        const struct mp_walk_scheduler *s = mp_walk_schedulers[i];
        if (s->owner && (compat == MP_WALK_PAPER || s->published))
            assert_true(explore(s, walkers, places, compat, come_and_go) > 100);
    }
}

static void every_state(void **state)
{
    (void)state;
    explore_all(2, 2, MP_WALK_PAPER, false);
    explore_all(3, 2, MP_WALK_PAPER, false);
}

static void every_state_as_published(void **state)
{
    (void)state;
    explore_all(2, 2, MP_WALK_HPCA21, false);
}

static void every_state_with_tenants_that_come_and_go(void **state)
{
    (void)state;
    explore_all(2, 1, MP_WALK_PAPER, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state),
        cmocka_unit_test(every_state_as_published),
        cmocka_unit_test(every_state_with_tenants_that_come_and_go),
    };
    return cmocka_run_group_tests_name("schedulers, state by state", tests, NULL, NULL);
}
