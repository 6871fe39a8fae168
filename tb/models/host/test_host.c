/* SPDX-License-Identifier: Apache-2.0 */
/* The host's memory behind its link. */
#include "../engine/fakes.h"

#include "host/host.h"

#define LATENCY 1400u
#define PORTS   2u

struct bench {
    struct mp_wheel wheel;
    struct mp_host host;
    struct fake_initiator port[PORTS];
};

static struct bench b;

static void set_up(uint32_t line)
{
    const struct mp_host_params p = {.latency = LATENCY, .line = line, .tenants = 2, .ports = PORTS};
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_host_kind.init(&b.host, &b.wheel, &p), 0);
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_join(&b.port[i], &b.wheel, mp_host_kind.target(&b.host, i),
                            mp_host_kind.up(&b.host, i));
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_free(&b.port[i]);
    mp_host_kind.free(&b.host);
    mp_wheel_free(&b.wheel);
    return 0;
}

static struct fake_request *ask(uint32_t port, enum mp_op op, uint8_t tenant)
{
    return fake_initiator_send(&b.port[port],
                               (struct mp_req){.pa = MP_HOST_MEMORY, .op = (uint8_t)op, .tenant = tenant});
}

/* A line of 10.5 cycles: the second one has passed after 21. */
static void lines_of_a_direction_follow_each_other(void **state)
{
    (void)state;
    set_up(21 * 32768);
    struct fake_request *load[3], *store, *walk;
    for (uint32_t i = 0; i < 3; i++)
        load[i] = ask(i % PORTS, MP_LOAD, 0);
    store = ask(0, MP_STORE, 1); /* the other direction */
    walk = ask(1, MP_WRITEBACK, 1);
    run_dry(&b.wheel);
    assert_int_equal(load[0]->answered, LATENCY + 11);
    assert_int_equal(load[1]->answered, LATENCY + 21);
    assert_int_equal(load[2]->answered, LATENCY + 32);
    assert_int_equal(store->answered, LATENCY + 11);
    assert_int_equal(walk->answered, LATENCY + 21);
    assert_int_equal(b.host.stats[0].reads, 3);
    assert_int_equal(b.host.stats[0].writes, 0);
    assert_int_equal(b.host.stats[1].writes, 2);
    assert_int_equal(b.host.stats[0].busy_in, 31);
    assert_int_equal(b.host.stats[0].wait_in, 10 + 21);
    assert_int_equal(b.host.stats[1].busy_out, 21);
    assert_int_equal(b.host.stats[1].busy_in, 0);
}

static void an_atomic_takes_both_directions(void **state)
{
    (void)state;
    set_up(10 << 16);
    struct fake_request *atomic = ask(0, MP_ATOMIC, 0), *load = ask(0, MP_LOAD, 0);
    run_dry(&b.wheel);
    assert_int_equal(atomic->answered, LATENCY + 20);
    assert_int_equal(load->answered, LATENCY + 10); /* before the atomic's line */
    assert_int_equal(b.host.stats[0].reads, 2);
    assert_int_equal(b.host.stats[0].writes, 1);
}

/* Lines in that pass while an atomic's line goes out do not delay it twice, and lines that are asked for
 * after that wait for its line in. */
static void an_atomic_comes_in_when_it_has_gone_out(void **state)
{
    (void)state;
    set_up(10 << 16);
    ask(0, MP_STORE, 0);
    struct fake_request *load[2], *atomic;
    for (uint32_t i = 0; i < 2; i++)
        load[i] = ask(0, MP_LOAD, 0);
    atomic = ask(0, MP_ATOMIC, 0);
    run_until(&b.wheel, 25);
    struct fake_request *late = ask(1, MP_LOAD, 0);
    run_dry(&b.wheel);
    assert_int_equal(load[1]->answered, LATENCY + 20);
    assert_int_equal(atomic->answered, LATENCY + 30);
    assert_int_equal(late->answered, LATENCY + 40);
}

/* In cycles: a line at `now`, and when it has passed. */
static uint64_t line(struct mp_host_way *w, uint64_t now)
{
    return mp_host_send_line(w, now * MP_HOST_CYCLE, 10 * MP_HOST_CYCLE) / MP_HOST_CYCLE;
}

static uint64_t copy(struct mp_host_way *w, uint64_t now, uint64_t from, uint64_t takes, uint64_t wire)
{
    return mp_host_send_copy(w, now * MP_HOST_CYCLE, from * MP_HOST_CYCLE, takes * MP_HOST_CYCLE,
                             wire * MP_HOST_CYCLE) /
           MP_HOST_CYCLE;
}

/* Lines of 10 cycles, and a copy of 1000 that fills the link. */
static void lines_and_a_copy_take_turns(void **state)
{
    (void)state;
    struct mp_host_way w = {0};
    assert_int_equal(copy(&w, 0, 100, 1000, 1000), 1100);
    assert_int_equal(line(&w, 0), 10); /* before the copy */
    assert_int_equal(line(&w, 200), 220);
    assert_int_equal(line(&w, 200), 240);
    assert_int_equal(w.copies / MP_HOST_CYCLE, 1120); /* two lines later */
    assert_int_equal(w.delay / MP_HOST_CYCLE, 20);
    assert_int_equal(copy(&w, 300, 0, 500, 500), 1620); /* after the first */
    for (uint64_t i = 1; i <= 60; i++)
        assert_int_equal(line(&w, 400), 400 + 20 * i);
    assert_int_equal(w.copies / MP_HOST_CYCLE, 1620 + 600); /* half of 1200 cycles */
    assert_int_equal(line(&w, 2220), 2230);                 /* after all copies */
    assert_int_equal(w.delay / MP_HOST_CYCLE, 20 + 600);
}

/* A copy of 1000 cycles whose bytes take 700. */
static void lines_take_first_what_a_copy_leaves(void **state)
{
    (void)state;
    struct mp_host_way w = {0};
    assert_int_equal(copy(&w, 0, 0, 1000, 700), 1000);
    for (uint64_t i = 1; i <= 30; i++)
        assert_int_equal(line(&w, 0), 10 * i);
    assert_int_equal(w.copies / MP_HOST_CYCLE, 1000);
    assert_int_equal(line(&w, 0), 320);
    assert_int_equal(w.copies / MP_HOST_CYCLE, 1010);
    assert_int_equal(w.delay / MP_HOST_CYCLE, 10);
}

/* Lines that were accepted before are not delayed by a copy. */
static void a_copy_waits_for_accepted_lines(void **state)
{
    (void)state;
    struct mp_host_way full = {0}, gaps = {0};
    for (unsigned i = 0; i < 5; i++) {
        line(&full, 0);
        line(&gaps, 0);
    }
    assert_int_equal(copy(&full, 0, 0, 100, 100), 150);
    assert_int_equal(copy(&gaps, 0, 0, 100, 70), 120);
    assert_int_equal(line(&gaps, 60), 80); /* it has no gap any more */
}

static unsigned seen;

static void note(void *self, const struct mp_req *req)
{
    assert_ptr_equal(self, &seen);
    assert_int_equal(req->tenant, 1);
    seen++;
}

static void a_counter_sees_the_accesses_of_its_tenant(void **state)
{
    (void)state;
    set_up(0);
    mp_host_watch(&b.host, 1, (struct mp_host_watch){note, &seen});
    ask(0, MP_LOAD, 0);
    ask(0, MP_LOAD, 1);
    struct fake_request *last = ask(1, MP_STORE, 1);
    run_dry(&b.wheel);
    assert_int_equal(seen, 2);
    assert_int_equal(last->answered, LATENCY); /* a link without an end to its bandwidth */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines_of_a_direction_follow_each_other, tear_down),
        cmocka_unit_test_teardown(an_atomic_takes_both_directions, tear_down),
        cmocka_unit_test_teardown(an_atomic_comes_in_when_it_has_gone_out, tear_down),
        cmocka_unit_test(lines_and_a_copy_take_turns),
        cmocka_unit_test(lines_take_first_what_a_copy_leaves),
        cmocka_unit_test(a_copy_waits_for_accepted_lines),
        cmocka_unit_test_teardown(a_counter_sees_the_accesses_of_its_tenant, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
