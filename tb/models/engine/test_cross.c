/* SPDX-License-Identifier: Apache-2.0 */
/* A link between two groups: when requests and answers arrive, and what happens while the target's port is
 * held. */
#include "engine/cross.h"

#include "fakes.h"

enum { LOOKAHEAD = 10, TARGET = 0, INITIATOR = 1, REQUESTS = 64 };

struct bench {
    struct mp_groups groups;
    struct mp_cross cross;
    struct mp_req req[REQUESTS];
    /* the target */
    enum mp_answer answer;
    uint32_t delay;
    uint64_t came[REQUESTS];
    uint32_t order[REQUESTS], requests;
    /* the initiator */
    uint64_t answered[REQUESTS];
    uint8_t source[REQUESTS]; /* of the first answer */
    uint32_t answers;
};

static uint64_t now(const struct bench *b, uint32_t group)
{
    return mp_groups_wheel(&b->groups, group)->now;
}

static enum mp_answer request(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    struct bench *b = self;
    uint32_t i = (uint32_t)(req - b->req);
    assert_int_equal(port, 3);
    assert_int_equal(req->sent, now(b, TARGET));
    b->came[i] = now(b, TARGET);
    b->order[b->requests++] = i;
    *delay = b->delay;
    return b->answer;
}

static void response(void *self, struct mp_req *req)
{
    struct bench *b = self;
    uint32_t i = (uint32_t)(uintptr_t)req->owner;
    if (!b->answered[i])
        b->source[i] = req->source;
    b->answered[i] = now(b, INITIATOR);
    b->answers++;
}

static struct bench *bench_new(void)
{
    static const uint32_t stage[] = {0, 1};
    struct bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    assert_int_equal(mp_groups_init(&b->groups, 2, stage, LOOKAHEAD), 0);
    mp_cross_init(&b->cross, &b->groups, INITIATOR, TARGET, 1,
                  (struct mp_initiator){.response = response, .self = b});
    mp_cross_join(&b->cross, mp_target_of(request, b, 3));
    for (uint32_t i = 0; i < REQUESTS; i++)
        b->req[i].owner = (void *)(uintptr_t)i;
    return b;
}

static void bench_delete(struct bench *b)
{
    mp_cross_free(&b->cross);
    mp_groups_free(&b->groups);
    free(b);
}

static void run_to(struct bench *b, uint64_t end)
{
    for (uint64_t next; (next = mp_groups_next(&b->groups)) < end;)
        mp_groups_run(&b->groups, next, next + LOOKAHEAD < end ? next + LOOKAHEAD : end);
    mp_groups_advance(&b->groups, end);
}

static void send_in(struct bench *b, uint32_t i, uint32_t cycles)
{
    struct mp_out out = {.target = mp_cross_target(&b->cross),
                         .wheel = mp_groups_wheel(&b->groups, INITIATOR)};
    mp_out_send_in(&out, &b->req[i], cycles);
}

static void an_answer_in_the_call_comes_after_its_delay(void **state)
{
    struct bench *b = bench_new();
    (void)state;
    b->answer = MP_DONE;
    b->delay = 40;
    run_to(b, 100);
    send_in(b, 0, 10);
    send_in(b, 1, 300); /* further than the groups' slots reach */
    run_to(b, 1000);
    assert_int_equal(b->came[0], 110);
    assert_int_equal(b->answered[0], 150);
    assert_int_equal(b->came[1], 400);
    assert_int_equal(b->answered[1], 440);
    bench_delete(b);
}

static void a_late_answer_comes_in_its_cycle(void **state)
{
    struct bench *b = bench_new();
    (void)state;
    b->answer = MP_TAKEN;
    send_in(b, 0, 10);
    run_to(b, 77);
    assert_int_equal(b->answers, 0);
    struct mp_initiator up = mp_cross_initiator(&b->cross);
    mp_respond(&up, &b->req[0]);
    run_to(b, 100);
    assert_int_equal(b->answered[0], 77);
    bench_delete(b);
}

/* The first is held; the others wait for it on the target's side, in the order in which they arrive. */
static void requests_wait_while_the_port_is_held(void **state)
{
    struct bench *b = bench_new();
    struct mp_initiator up = mp_cross_initiator(&b->cross);
    (void)state;
    b->answer = MP_HELD;
    send_in(b, 0, 10);
    send_in(b, 1, 30);
    send_in(b, 2, 20);
    run_to(b, 50);
    assert_int_equal(b->requests, 1);
    b->answer = MP_DONE;
    b->delay = 5;
    up.resume(up.self, up.port);
    assert_int_equal(b->requests, 3);
    assert_int_equal(b->order[1], 2);
    assert_int_equal(b->order[2], 1);
    run_to(b, 60);
    assert_int_equal(b->answered[1], 55);
    assert_int_equal(b->answered[2], 55);
    assert_int_equal(b->answered[0], 0); /* was held, so its answer is to come */
    bench_delete(b);
}

/* A hint does not wait with the others, and gets its answer in the cycle in which it arrives. */
static void a_hint_gets_nothing_while_the_port_is_held(void **state)
{
    struct bench *b = bench_new();
    struct mp_initiator up = mp_cross_initiator(&b->cross);
    (void)state;
    b->answer = MP_HELD;
    b->req[1].op = MP_HINT;
    b->req[1].source = MP_FROM_FOREIGN;
    b->req[1].fault = MP_FAULT_NOT_VALID;
    send_in(b, 0, 10);
    send_in(b, 1, 20);
    send_in(b, 2, 20);
    run_to(b, 50);
    assert_int_equal(b->requests, 1);
    assert_int_equal(b->answers, 1);
    assert_int_equal(b->answered[1], 20);
    assert_int_equal(b->source[1], MP_FROM_NOTHING);
    assert_int_equal(b->req[1].fault, MP_FAULT_NONE);
    b->answer = MP_DONE;
    up.resume(up.self, up.port);
    assert_int_equal(b->requests, 2); /* not the hint */
    assert_int_equal(b->order[1], 2);
    bench_delete(b);
}

static void a_held_port_may_hold_again(void **state)
{
    struct bench *b = bench_new();
    struct mp_initiator up = mp_cross_initiator(&b->cross);
    (void)state;
    b->answer = MP_HELD;
    for (uint32_t i = 0; i < 3; i++)
        send_in(b, i, 10);
    run_to(b, 20);
    for (uint32_t n = 1; n <= 3; n++) {
        assert_int_equal(b->requests, n);
        up.resume(up.self, up.port);
    }
    assert_int_equal(b->requests, 3);
    bench_delete(b);
}

/* Of two answers in the same window, the first has the contents that it had then. */
static void an_early_answer_is_a_copy(void **state)
{
    struct bench *b = bench_new();
    struct mp_initiator up = mp_cross_initiator(&b->cross);
    (void)state;
    b->answer = MP_TAKEN;
    send_in(b, 0, 10);
    run_to(b, 20);
    b->req[0].source = MP_FROM_WALK_EARLY;
    mp_respond(&up, &b->req[0]);
    b->req[0].source = MP_FROM_WALK;
    mp_respond(&up, &b->req[0]);
    run_to(b, 30);
    assert_int_equal(b->answers, 2);
    assert_int_equal(b->source[0], MP_FROM_WALK_EARLY);
    bench_delete(b);
}

/* A request that no look-up precedes takes as many cycles as the lookahead. */
static void a_request_at_once_takes_the_lookahead(void **state)
{
    struct bench *b = bench_new();
    struct mp_out out = {.target = mp_cross_target(&b->cross),
                         .wheel = mp_groups_wheel(&b->groups, INITIATOR)};
    (void)state;
    b->answer = MP_DONE;
    run_to(b, 5);
    mp_out_send(&out, &b->req[0]);
    run_to(b, 50);
    assert_int_equal(b->came[0], 5 + LOOKAHEAD);
    bench_delete(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_in_the_call_comes_after_its_delay),
        cmocka_unit_test(a_late_answer_comes_in_its_cycle),
        cmocka_unit_test(requests_wait_while_the_port_is_held),
        cmocka_unit_test(a_hint_gets_nothing_while_the_port_is_held),
        cmocka_unit_test(a_held_port_may_hold_again),
        cmocka_unit_test(an_early_answer_is_a_copy),
        cmocka_unit_test(a_request_at_once_takes_the_lookahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
