/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct fake_target target;
    struct fake_initiator initiator;
};

static void set_up(struct bench *b, uint32_t least, uint32_t most)
{
    mp_wheel_init(&b->wheel);
    b->target = fake_target_make(&b->wheel, NULL, least, most);
    fake_initiator_join(&b->initiator, &b->wheel, fake_target_end(&b->target), &b->target.up);
}

static void tear_down(struct bench *b)
{
    fake_initiator_free(&b->initiator);
    free(b->target.log);
    mp_wheel_free(&b->wheel);
}

static void a_taken_request_is_answered_by_the_target(void **state)
{
    (void)state;
    static struct bench b;
    set_up(&b, 7, 7);
    mp_wheel_advance(&b.wheel, 10);
    struct fake_request *r = fake_initiator_send(&b.initiator, (struct mp_req){.va = 1});
    assert_int_equal(r->req.sent, 10);
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 17);
    tear_down(&b);
}

static void an_answer_in_the_call_arrives_when_its_delay_is_over(void **state)
{
    (void)state;
    static struct bench b;
    b.rng = (struct rng){1};
    set_up(&b, 5, 5);
    b.target.rng = &b.rng;
    b.target.done = 100;
    struct fake_request *r = fake_initiator_send(&b.initiator, (struct mp_req){.va = 1});
    assert_int_equal(r->answered, MP_NEVER); /* never within the sender's own call */
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 5);
    tear_down(&b);
}

static void send_one(void *bench, void *number)
{
    struct bench *b = bench;
    fake_initiator_send(&b->initiator, (struct mp_req){.va = (uintptr_t)number});
}

static void what_follows_a_held_request_waits_in_order(void **state)
{
    (void)state;
    static struct bench b;
    set_up(&b, 3, 3);
    b.target.stop = true;
    for (uintptr_t i = 0; i < 5; i++)
        mp_at(&b.wheel, i, send_one, &b, (void *)i);
    run_dry(&b.wheel);
    assert_int_equal(b.target.seen, 1);
    assert_true(b.initiator.out.held);
    assert_int_equal(b.initiator.out.waiting.length, 4);
    assert_int_equal(b.initiator.answered, 0);
    mp_wheel_advance(&b.wheel, 20);
    fake_target_go(&b.target, NULL); /* the second is sent at once, and held in its turn */
    assert_int_equal(b.target.seen, 2);
    assert_int_equal(b.target.log[1].when, 20);
    assert_true(b.initiator.out.held);
    b.target.stop = false;
    mp_wheel_advance(&b.wheel, 21);
    fake_target_go(&b.target, NULL); /* now the rest passes in one go */
    assert_int_equal(b.target.seen, 5);
    assert_false(b.initiator.out.held);
    assert_int_equal(b.initiator.out.waiting.length, 0);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(b.target.log[i].va, i);
    run_dry(&b.wheel);
    assert_int_equal(b.initiator.answered, 5);
    uint32_t index = 4;
    static const uint64_t sent[] = {0, 20, 21, 21, 21}, answered[] = {23, 24, 24, 24, 24};
    for (struct fake_request *r = b.initiator.all; r; r = r->chain, index--) {
        assert_int_equal(r->req.sent, sent[index]); /* when the target got it, not when it was asked for */
        assert_int_equal(r->answered, answered[index]);
    }
    tear_down(&b);
}

static void a_hint_does_not_wait(void **state)
{
    (void)state;
    static struct bench b;
    set_up(&b, 3, 3);
    struct fake_request *r =
        fake_initiator_send(&b.initiator, (struct mp_req){.op = MP_HINT}); /* the link is free */
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 3);
    b.target.stop = true;
    mp_wheel_advance(&b.wheel, 10);
    fake_initiator_send(&b.initiator, (struct mp_req){.va = 1});
    r = fake_initiator_send(
        &b.initiator, (struct mp_req){.op = MP_HINT, .source = MP_FROM_FOREIGN, .fault = MP_FAULT_NOT_VALID});
    assert_int_equal(r->answered, MP_NEVER); /* never within the sender's own call */
    run_dry(&b.wheel);
    assert_int_equal(r->answered, 10);
    assert_int_equal(r->req.source, MP_FROM_NOTHING);
    assert_int_equal(r->req.fault, MP_FAULT_NONE);
    assert_int_equal(b.target.seen, 2);
    fake_target_go(&b.target, NULL);
    run_dry(&b.wheel);
    assert_int_equal(b.target.seen, 2);
    tear_down(&b);
}

/* An initiator that has a pipeline sees the answer and its delay, and stops while the link is held. */
static void an_initiator_may_issue_and_wait_by_itself(void **state)
{
    (void)state;
    static struct bench b;
    struct mp_out *out = &b.initiator.out;
    struct fake_request r[3] = {0};
    uint32_t delay = 0;
    b.rng = (struct rng){1};
    set_up(&b, 5, 5);
    b.target.rng = &b.rng;
    b.target.done = 100;
    for (unsigned i = 0; i < 3; i++)
        r[i] = (struct fake_request){.req.owner = &r[i], .answered = MP_NEVER};
    mp_wheel_advance(&b.wheel, 10);
    assert_int_equal(mp_out_issue(out, &r[0].req, &delay), MP_DONE);
    assert_int_equal(delay, 5);
    assert_int_equal(r[0].req.sent, 10);
    run_dry(&b.wheel);
    assert_int_equal(b.initiator.answered, 0); /* the initiator knows it already */
    b.target.done = 0;
    assert_int_equal(mp_out_issue(out, &r[1].req, &delay), MP_TAKEN);
    assert_false(out->held);
    b.target.stop = true;
    assert_int_equal(mp_out_issue(out, &r[2].req, &delay), MP_HELD);
    assert_true(out->held);
    fake_target_go(&b.target, NULL);
    assert_false(out->held);
    run_dry(&b.wheel);
    assert_int_equal(r[1].answered, 15);
    assert_int_equal(r[2].answered, 15);
    tear_down(&b);
}

static void random_traffic_is_in_order_and_answered_once(void **state)
{
    (void)state;
    static struct bench b;
    b.rng = rng_start("link", 21);
    set_up(&b, 0, 90);
    b.target.rng = &b.rng;
    b.target.done = 30;
    b.target.hold = 30;
    for (uintptr_t i = 0, when = 0; i < 20000; i++, when += rng_below(&b.rng, 12))
        mp_at(&b.wheel, when, send_one, &b, (void *)i);
    run_dry(&b.wheel);
    assert_int_equal(b.initiator.answered, 20000);
    assert_int_equal(b.target.seen, 20000);
    assert_int_equal(b.initiator.out.waiting.length, 0);
    assert_true(b.initiator.resumes > 4000);
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(b.target.log[i].va, i);
    tear_down(&b);
}

static void ports_keep_held_requests_in_the_order_they_came(void **state)
{
    (void)state;
    struct mp_ports ports;
    struct mp_req req[3] = {0};
    assert_int_equal(mp_ports_init(&ports, 3), 0);
    assert_int_equal(ports.count, 3);
    static const unsigned order[] = {2, 0, 1};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(mp_ports_hold(&ports, &req[order[i]]), MP_HELD);
    for (unsigned i = 0; i < 3; i++)
        assert_ptr_equal(mp_queue_pop(&ports.held), &req[order[i]]);
    assert_null(mp_queue_pop(&ports.held));
    assert_int_equal(ports.held.length, 0);
    mp_ports_hold(&ports, &req[1]); /* the queue works on after it has been empty */
    assert_ptr_equal(mp_queue_pop(&ports.held), &req[1]);
    mp_ports_free(&ports);
}

static void a_pool_never_hands_a_request_out_twice(void **state)
{
    (void)state;
    enum { MOST = 1500 };
    struct mp_req_pool pool = {0};
    struct mp_req **out = calloc(MOST, sizeof *out);
    struct rng r = rng_start("pool", 3);
    uint32_t count = 0;
    assert_non_null(out);
    for (uint32_t step = 0; step < 30000; step++) {
        if (count < MOST && rng_percent(&r, step < 15000 ? 60 : 40)) {
            struct mp_req *req = mp_pool_get(&pool);
            assert_int_equal((uintptr_t)req % 64, 0);
            req->owner = &out[count]; /* a request handed out twice would lose its mark */
            req->va = count;
            out[count++] = req;
        } else if (count) {
            struct mp_req *req = out[--count];
            assert_ptr_equal(req->owner, &out[count]);
            assert_int_equal(req->va, count);
            mp_pool_put(&pool, req);
            assert_ptr_equal(pool.spare, req); /* last in, first out */
        }
    }
    mp_pool_free(&pool);
    assert_null(pool.spare);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_request_is_answered_by_the_target),
        cmocka_unit_test(an_answer_in_the_call_arrives_when_its_delay_is_over),
        cmocka_unit_test(what_follows_a_held_request_waits_in_order),
        cmocka_unit_test(a_hint_does_not_wait),
        cmocka_unit_test(an_initiator_may_issue_and_wait_by_itself),
        cmocka_unit_test(random_traffic_is_in_order_and_answered_once),
        cmocka_unit_test(ports_keep_held_requests_in_the_order_they_came),
        cmocka_unit_test(a_pool_never_hands_a_request_out_twice),
    };
    return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
