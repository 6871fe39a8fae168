/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest job first: its rules by hand, and random traffic compared with a model that keeps a history of all
 * walks and works out everything from it for each choice. */
#include "../../engine/fakes.h"

#include "walk/intake.h"

#define MOST 600

static struct {
    struct mp_intake intake;
    struct mp_walk_view view;
    struct mp_req req[MOST];
    uint32_t work[MOST]; /* that the view reports */
    int asked[MOST];     /* how often */
    int walks;
} b;

static uint32_t work(const void *self, const struct mp_req *walk)
{
    (void)self;
    b.asked[walk - b.req]++;
    return b.work[walk - b.req];
}

static void begin(uint32_t walkers, uint32_t queue, uint64_t patience, bool batch, bool sees)
{
    const struct mp_walk_geometry g = {.walkers = walkers, .queue = queue, .tenants = 2};
    const struct mp_walk_rules r = {.own = {{patience, batch}}};
    memset(&b, 0, sizeof b);
    b.view.work = work;
    assert_int_equal(mp_walk_check(&mp_walk_sjf, &g, &r, NULL), 0);
    assert_int_equal(mp_intake_init(&b.intake, &mp_walk_sjf, &g, &r, sees ? &b.view : NULL), 0);
}

static int end(void **state)
{
    (void)state;
    mp_intake_free(&b.intake);
    return 0;
}

static int arrive(uint16_t sm, uint8_t warp, uint8_t instruction, uint32_t reads)
{
    struct mp_req *req = &b.req[b.walks];
    *req = (struct mp_req){.sm = sm, .warp = warp, .instruction = instruction & 15, .tenant = sm & 1};
    b.work[b.walks++] = reads;
    return mp_intake_arrive(&b.intake, req);
}

static int complete(uint32_t walker)
{
    const struct mp_req *req = mp_walk_sjf.complete(b.intake.state, walker);
    return req ? (int)(req - b.req) : -1;
}

static uint64_t counted(const char *name)
{
    const struct mp_metric_table *t = mp_walk_sjf.design.counters;
    const char *stats = mp_walk_sjf.counters(b.intake.state);
    uint64_t sum = 0;
    for (unsigned i = 0; i < t->count; i++)
        for (unsigned tenant = 0; tenant < 2 && !strcmp(t->metric[i].name, name); tenant++) {
            uint64_t value;
            memcpy(&value, stats + tenant * t->bytes + t->metric[i].offset, sizeof value);
            sum += value;
        }
    return sum;
}

/* ---- by hand ---- */

static void the_instruction_with_the_fewest_reads_is_first(void **state)
{
    (void)state;
    begin(1, 8, 100, true, true);
    assert_int_equal(arrive(0, 0, 0, 4), 0);
    assert_int_equal(arrive(1, 0, 0, 4), MP_WALK_QUEUED); /* 1: score 4 */
    assert_int_equal(arrive(2, 0, 0, 2), MP_WALK_QUEUED); /* 2, 3: score 3 */
    assert_int_equal(arrive(2, 0, 0, 1), MP_WALK_QUEUED);
    assert_int_equal(arrive(3, 0, 0, 3), MP_WALK_QUEUED); /* 4: score 3, but later */
    assert_int_equal(arrive(2, 0, 1, 1), MP_WALK_QUEUED); /* 5: another instruction of the warp */
    assert_int_equal(b.asked[0], 0);                      /* started at once */
    assert_int_equal(complete(0), 5);
    assert_int_equal(complete(0), 2);
    assert_int_equal(complete(0), 3);
    assert_int_equal(complete(0), 4);
    assert_int_equal(complete(0), 1);
    assert_int_equal(complete(0), -1);
    assert_int_equal(counted("shortest"), 4);
    assert_int_equal(counted("batched"), 1);
    assert_int_equal(counted("aged"), 0);
}

static void an_instruction_goes_on_unless_batches_are_off(void **state)
{
    for (int batch = 0; batch < 2; batch++) {
        begin(1, 8, 100, batch, true);
        arrive(0, 5, 0, 4);
        arrive(1, 5, 0, 1);
        arrive(0, 5, 0, 4); /* the instruction that runs */
        assert_int_equal(complete(0), batch ? 2 : 1);
        if (!batch)
            end(state);
    }
}

static void a_walk_waits_for_a_limited_number_of_others(void **state)
{
    (void)state;
    begin(1, 8, 2, true, true);
    arrive(0, 0, 0, 1);
    arrive(1, 0, 0, 4);
    for (int i = 0; i < 4; i++)
        arrive(0, 0, 0, 1);
    assert_int_equal(complete(0), 2);
    assert_int_equal(complete(0), 3);
    assert_int_equal(complete(0), 1);
    assert_int_equal(counted("aged"), 1);
    assert_int_equal(complete(0), 4);
}

static void without_a_view_walks_count_the_same(void **state)
{
    (void)state;
    begin(1, 8, 100, true, false);
    arrive(0, 0, 0, 1);
    arrive(1, 0, 0, 1);
    arrive(1, 0, 0, 1);
    arrive(2, 0, 0, 4);
    assert_int_equal(complete(0), 3); /* one walk against two */
    assert_int_equal(b.asked[3], 0);
}

static void a_walk_that_another_answers_leaves_its_instruction(void **state)
{
    (void)state;
    begin(1, 8, 2, true, true);
    arrive(0, 0, 0, 1);
    arrive(1, 0, 0, 3); /* 1, 2: score 5 */
    arrive(1, 0, 0, 2);
    arrive(2, 0, 0, 4); /* 3: score 4 */
    arrive(2, 0, 1, 9);
    assert_ptr_equal(mp_walk_sjf.take(b.intake.state, 0, 3), &b.req[4]); /* does not overtake the others */
    assert_ptr_equal(mp_walk_sjf.take(b.intake.state, 0, 1), &b.req[2]); /* now 1 has score 3 */
    assert_int_equal(complete(0), 1);
    assert_int_equal(complete(0), 3);
    assert_int_equal(complete(0), -1);
    assert_int_equal(counted("aged"), 0);
}

/* ---- against a history ---- */

struct history {
    int begun[MOST]; /* number of the start, from 1; 0: has not started */
    int starts, taken, last;
};

#define TAKEN (-1) /* as `begun`: another walk has answered it */

static bool same(int a, int c)
{
    return b.req[a].asid == b.req[c].asid && b.req[a].sm == b.req[c].sm && b.req[a].warp == b.req[c].warp &&
           b.req[a].instruction == b.req[c].instruction;
}

/* How many walks that came later have started. A walk outside the queue has not joined it: none that is
 * behind it has started. */
static uint64_t overtaken(const struct history *h, int walk)
{
    uint64_t n = 0;
    for (int i = walk + 1; i < b.walks; i++)
        n += h->begun[i] > 0;
    return n;
}

static uint64_t score(const struct history *h, int walk, int inside)
{
    uint64_t sum = 0;
    for (int i = 0; i < inside; i++)
        sum += !h->begun[i] && same(i, walk) ? b.work[i] : 0;
    return sum;
}

/* The walk that has to start now among the first `inside` that came, or -1. */
static int should_start(const struct history *h, int inside, uint64_t patience, bool batch)
{
    int best = -1;
    for (int i = 0; i < inside; i++)
        if (!h->begun[i] && overtaken(h, i) >= patience)
            return i;
    for (int i = 0; batch && i < inside; i++)
        if (!h->begun[i] && same(i, h->last))
            return i;
    for (int i = inside - 1; i >= 0; i--)
        if (!h->begun[i] && (best < 0 || score(h, i, inside) <= score(h, best, inside)))
            best = i;
    return best;
}

static void starts(struct history *h, int walk)
{
    assert_int_equal(h->begun[walk], 0);
    h->begun[walk] = ++h->starts;
    h->last = walk;
}

/* A walk of the queue is answered without a walker. */
static void take_one(struct history *h, struct rng *r)
{
    uint32_t length = mp_walk_sjf.queue(b.intake.state, 0)->length, at = length ? rng_below(r, length) : 0;
    int walk = 0;
    if (!length)
        return;
    for (uint32_t left = at; h->begun[walk] || left--;)
        walk++;
    assert_ptr_equal(mp_walk_sjf.take(b.intake.state, 0, at), &b.req[walk]);
    h->begun[walk] = TAKEN;
    h->taken++;
}

static uint64_t kinds[3]; /* of choices, over all runs */

static void random_run(struct rng *r)
{
    uint32_t walkers = rng_between(r, 1, 70), queue = rng_below(r, 40), busy = 0;
    uint64_t patience = rng_between(r, 1, rng_percent(r, 50) ? 6 : 200);
    bool batch = rng_percent(r, 70), serves[70] = {false};
    struct history h = {.last = 0};
    begin(walkers, queue, patience, batch, true);
    for (uint32_t ended = 0; ended < MOST;) {
        while (b.walks < MOST && rng_percent(r, 60)) {
            int where = arrive((uint16_t)rng_below(r, 3), (uint8_t)rng_below(r, 3), (uint8_t)rng_below(r, 2),
                               rng_between(r, 1, 4));
            uint32_t lowest = 0;
            while (lowest < walkers && serves[lowest])
                lowest++;
            uint32_t waiting = (uint32_t)(b.walks - 1 - h.starts - h.taken);
            if (lowest < walkers) {
                assert_int_equal(where, lowest);
                serves[lowest] = true;
                starts(&h, b.walks - 1);
                busy++;
            } else {
                assert_int_equal(where, waiting < queue ? MP_WALK_QUEUED : MP_WALK_NO_ROOM);
            }
        }
        uint32_t walker = rng_below(r, walkers);
        if (!serves[walker])
            continue;
        int taken = h.taken;
        if (rng_percent(r, 20))
            take_one(&h, r);
        ended += (uint32_t)(h.taken - taken);
        int inside = b.walks - (int)b.intake.outside.length, outside;
        int should = should_start(&h, inside, patience, batch), is = complete(walker);
        assert_int_equal(is, should);
        ended++;
        if (is >= 0)
            starts(&h, is);
        serves[walker] = is >= 0;
        busy -= is < 0;
        for (const struct mp_req *in; (in = mp_intake_retry(&b.intake, &outside));) {
            assert_true(outside == MP_WALK_QUEUED || !queue || h.taken > taken);
            if (outside >= 0) { /* there is no queue, or its only walk was taken */
                serves[outside] = true;
                starts(&h, (int)(in - b.req));
                busy++;
            }
        }
        assert_int_equal(mp_walk_sjf.queue(b.intake.state, 0)->length,
                         b.walks - (int)b.intake.outside.length - h.starts - h.taken);
    }
    assert_int_equal(busy, 0);
    static const char *const names[] = {"batched", "shortest", "aged"};
    for (unsigned i = 0; i < 3; i++)
        kinds[i] += counted(names[i]);
    mp_intake_free(&b.intake);
}

static void against_a_history(void **state)
{
    struct rng r = rng_start("sjf", 111);
    (void)state;
    for (int i = 0; i < 100; i++)
        random_run(&r);
    for (unsigned i = 0; i < 3; i++)
        assert_true(kinds[i] > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_instruction_with_the_fewest_reads_is_first, end),
        cmocka_unit_test_teardown(an_instruction_goes_on_unless_batches_are_off, end),
        cmocka_unit_test_teardown(a_walk_waits_for_a_limited_number_of_others, end),
        cmocka_unit_test_teardown(without_a_view_walks_count_the_same, end),
        cmocka_unit_test_teardown(a_walk_that_another_answers_leaves_its_instruction, end),
        cmocka_unit_test(against_a_history),
    };
    return cmocka_run_group_tests_name("sjf", tests, NULL, NULL);
}
