/* SPDX-License-Identifier: Apache-2.0 */
/* Groups at random: whatever the windows and the threads, each group does the same things in the same order.
 */
#include "engine/groups.h"

#include "fakes.h"

enum { GROUPS = 9, LOOKAHEAD = 7, EVENTS = 4000, THREADS = 16 };

static const uint32_t stages[GROUPS] = {0, 1, 1, 1, 2, 3, 3, 3, 3};

struct node {
    struct machine *machine;
    uint32_t number;
    struct rng rng;
    uint32_t budget; /* of messages and events */
    uint64_t done, hash;
    uint64_t last; /* cycle */
    struct way {
        struct mp_sender sender;
        struct node *from, *to;
        uint64_t sent, came; /* numbers of messages, which stay in order of their cycles */
    } to[GROUPS];
};

struct machine {
    struct mp_groups groups;
    struct node node[GROUPS];
    uint32_t stopper; /* the group that stops the run, or GROUPS */
    uint64_t stop_after;
};

static struct mp_wheel *wheel_of(struct node *n)
{
    return mp_groups_wheel(&n->machine->groups, n->number);
}

static void do_something(struct node *n, uint64_t what);

static void event(void *node, void *what)
{
    do_something(node, (uintptr_t)what);
}

static void arrive(struct mp_sender *sender, void *what)
{
    struct way *w = (struct way *)sender;
    w->came++;
    do_something(w->to, (uintptr_t)what);
}

/* Mostly near, sometimes further than the slots of a wheel or of a group reach. */
static uint64_t random_delay(struct rng *r)
{
    uint32_t kind = rng_below(r, 100);
    return kind < 60 ? rng_below(r, 12) : kind < 95 ? rng_below(r, 300) : rng_below(r, 5000);
}

static void send(struct node *n, uint64_t what)
{
    uint32_t to = rng_below(&n->rng, GROUPS);
    if (to == n->number)
        to = (to + 1) % GROUPS;
    bool later = stages[to] > stages[n->number];
    if (stages[to] == stages[n->number])
        return; /* groups of a stage have no links */
    uint64_t delay = random_delay(&n->rng) + (later ? 0 : LOOKAHEAD);
    n->to[to].sent++;
    mp_send(&n->to[to].sender, wheel_of(n)->now + delay, (void *)(uintptr_t)what);
}

static void do_something(struct node *n, uint64_t what)
{
    uint64_t now = wheel_of(n)->now;
    assert_true(now >= n->last);
    n->last = now;
    n->hash = (n->hash ^ now ^ what << 20) * 0x9e3779b97f4a7c15ull;
    n->hash ^= n->hash >> 29;
    n->done++;
    if (n->number == n->machine->stopper && n->done == n->machine->stop_after)
        mp_groups_stop(&n->machine->groups);
    for (uint32_t k = 1 + rng_below(&n->rng, 3); k && n->budget; k--, n->budget--) {
        if (rng_percent(&n->rng, 50))
            send(n, n->hash >> 40);
        else
            mp_at(wheel_of(n), random_delay(&n->rng), event, n, (void *)(uintptr_t)(n->hash >> 40));
    }
}

static struct machine *machine_new(uint64_t seed)
{
    struct machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->stopper = GROUPS;
    assert_int_equal(mp_groups_init(&m->groups, GROUPS, stages, LOOKAHEAD), 0);
    for (uint32_t i = 0; i < GROUPS; i++) {
        struct node *n = &m->node[i];
        *n = (struct node){.machine = m, .number = i, .rng = {seed + i}, .budget = EVENTS};
        for (uint32_t k = 0; k < GROUPS; k++)
            n->to[k] = (struct way){{.order = (i * 7 + 3) % GROUPS, /* not in the order of groups */
                                     .box = mp_groups_box(&m->groups, i, k),
                                     .arrive = arrive},
                                    n,
                                    &m->node[k],
                                    0,
                                    0};
        mp_at(wheel_of(n), i, event, n, NULL);
    }
    return m;
}

static void machine_delete(struct machine *m)
{
    mp_groups_free(&m->groups);
    free(m);
}

/* window 0: of random lengths. */
static void run(struct machine *m, uint32_t window, unsigned threads)
{
    struct rng lengths = {5};
    assert_int_equal(mp_groups_use_threads(&m->groups, threads), 0);
    for (uint64_t next; !m->groups.stopped && (next = mp_groups_next(&m->groups)) != MP_NEVER;)
        mp_groups_run(&m->groups, next, next + (window ? window : rng_between(&lengths, 1, LOOKAHEAD)));
}

static void expect_same(const struct machine *a, const struct machine *b)
{
    for (uint32_t i = 0; i < GROUPS; i++) {
        assert_int_equal(a->node[i].done, b->node[i].done);
        assert_int_equal(a->node[i].hash, b->node[i].hash);
        assert_int_equal(a->node[i].last, b->node[i].last);
    }
    assert_int_equal(mp_groups_executed(&a->groups), mp_groups_executed(&b->groups));
}

static void expect_all_came(const struct machine *m)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; i < GROUPS; i++)
        for (uint32_t k = 0; k < GROUPS; k++) {
            assert_int_equal(m->node[i].to[k].came, m->node[i].to[k].sent);
            messages += m->node[i].to[k].sent;
        }
    assert_true(messages > EVENTS);
}

static void windows_do_not_matter(void **state)
{
    struct rng seeds = rng_start("groups", 31);
    (void)state;
    for (int k = 0; k < 4; k++) {
        uint64_t seed = rng_next(&seeds);
        struct machine *cycles = machine_new(seed);
        run(cycles, 1, 1);
        expect_all_came(cycles);
        for (uint32_t window = 0; window <= LOOKAHEAD; window += window ? 3 : 2) {
            struct machine *m = machine_new(seed);
            run(m, window, 1);
            expect_same(m, cycles);
            machine_delete(m);
        }
        machine_delete(cycles);
    }
}

static void threads_do_not_matter(void **state)
{
    struct rng seeds = rng_start("groups", 32);
    uint64_t seed = rng_next(&seeds);
    struct machine *one = machine_new(seed);
    (void)state;
    run(one, LOOKAHEAD, 1);
    for (unsigned threads = 2; threads <= THREADS; threads++) {
        struct machine *m = machine_new(seed);
        run(m, threads % 2 ? LOOKAHEAD : 0, threads);
        expect_same(m, one);
        machine_delete(m);
    }
    machine_delete(one);
}

/* The only group of its stage stops the run: later stages finish that cycle and do nothing after it. */
static void a_stop_is_at_a_cycle(void **state)
{
    (void)state;
    struct machine *reference = NULL;
    for (uint32_t window = 1; window <= LOOKAHEAD; window += 3) {
        struct machine *m = machine_new(77);
        m->stopper = 0;
        m->stop_after = 500;
        run(m, window, 1);
        assert_true(m->groups.stopped);
        for (uint32_t i = 0; i < GROUPS; i++)
            assert_true(m->node[i].last <= m->node[0].last);
        if (reference)
            expect_same(m, reference);
        if (reference)
            machine_delete(m);
        else
            reference = m;
    }
    machine_delete(reference);
}

/* Time may be moved up to the next event, as modules from outside do. */
static void time_advances_between_events(void **state)
{
    (void)state;
    struct machine *a = machine_new(99), *b = machine_new(99);
    run(a, 1, 1);
    for (uint64_t next; (next = mp_groups_next(&b->groups)) != MP_NEVER;) {
        mp_groups_advance(&b->groups, next);
        for (uint32_t i = 0; i < GROUPS; i++)
            assert_int_equal(mp_groups_wheel(&b->groups, i)->now, next);
        mp_groups_run(&b->groups, next, next + 1);
        assert_int_equal(mp_groups_now(&b->groups), next);
    }
    expect_same(a, b);
    machine_delete(a);
    machine_delete(b);
}

static void the_balance_counts_all_work(void **state)
{
    struct machine *m = machine_new(3);
    struct mp_balance balance = {0};
    (void)state;
    m->groups.balance = &balance;
    run(m, LOOKAHEAD, 1);
    assert_true(balance.windows > 100 && balance.stages > 100);
    for (uint32_t n = 1; n < MP_BALANCE_THREADS; n++) /* more threads take no longer */
        assert_true(balance.events[n] <= balance.events[n - 1]);
    assert_true(balance.events[MP_BALANCE_THREADS - 1] > 0);
    assert_int_equal(balance.events[0], mp_groups_executed(&m->groups));
    machine_delete(m);
}

/* In a cycle of 600,000 messages of three senders in turn, each arrives behind those with smaller numbers and
 * in its order. A walk past all earlier ones would take many minutes. */
enum { BURST = 200000, SENDERS = 3 };

static uintptr_t came[SENDERS * BURST];
static uint32_t arrivals;

static void note(struct mp_sender *sender, void *argument)
{
    assert_int_equal(sender->order, arrivals / BURST);
    came[arrivals++] = (uintptr_t)argument;
}

static void many_messages_of_a_cycle(void **state)
{
    static const uint32_t stage[] = {0, 1};
    struct mp_groups g;
    struct mp_sender sender[SENDERS];
    (void)state;
    assert_int_equal(mp_groups_init(&g, 2, stage, 1), 0);
    for (uint32_t k = 0; k < SENDERS; k++)
        sender[k] = (struct mp_sender){.order = k, .box = mp_groups_box(&g, 0, 1), .arrive = note};
    for (uint64_t cycle = 5; cycle < 7; cycle++) { /* nothing of a cycle is left for the next one */
        arrivals = 0;
        mp_groups_advance(&g, cycle);
        for (uintptr_t i = 0; i < BURST; i++)
            for (uint32_t k = SENDERS; k-- > 0;)
                mp_send(&sender[k], cycle, (void *)i);
        mp_groups_run(&g, cycle, cycle + 1);
        assert_int_equal(arrivals, SENDERS * BURST);
        for (uint32_t i = 0; i < arrivals; i++)
            assert_int_equal(came[i], i % BURST);
    }
    mp_groups_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_do_not_matter),       cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_stop_is_at_a_cycle),        cmocka_unit_test(time_advances_between_events),
        cmocka_unit_test(the_balance_counts_all_work), cmocka_unit_test(many_messages_of_a_cycle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
