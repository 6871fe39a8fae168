/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory: a test per rule of thrashing, worked out by hand. One page goes to and fro every 10 ns,
 * with lapses of 100 ns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "bench.h"

static uint64_t now;

static struct mp_uvm_params params(void)
{
    struct mp_uvm_params p = bench_params();
    p.prefetch = mp_uvm_prefetch_find("none");
    p.lapse = 100;
    p.throttles = 2;
    p.epoch = 10;
    p.pin = 5;
    return p;
}

static void start(struct bench *b, const struct mp_uvm_params *p)
{
    bench_start(b, p, 1);
    now = 1000;
    mp_uvm_at(b->u, now);
}

static void wait(struct bench *b, uint64_t ns)
{
    mp_uvm_at(b->u, now += ns);
}

struct marks {
    bool gpu, remote, thrashing, pinned;
};

static void look(void *context, const struct mp_uvm_state *s)
{
    *(struct marks *)context = (struct marks){mp_uvm_has(&s->gpu, 0), mp_uvm_has(&s->remote, 0),
                                              mp_uvm_has(&s->thrashing, 0), mp_uvm_has(&s->pinned, 0)};
}

static struct marks marks(const struct bench *b)
{
    struct marks m = {0};
    mp_uvm_dump(b->u, 0, look, &m);
    const struct mp_uvm_mask pins = mp_uvm_pins(b->u, 0, BASE);
    assert_int_equal(mp_uvm_has(&pins, 0), m.pinned);
    return m;
}

/* The page is on the host; moves it to the GPU and back, n times. */
static void to_and_fro(struct bench *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        wait(b, 10);
        assert_true(mp_uvm_has(&bench_fault(b, 0, 0, MP_UVM_READ)->copy, 0));
        wait(b, 10);
        assert_int_equal(bench_host(b, 0, 0).what, MP_UVM_MOVED);
    }
}

/* The first copy is an event, the second makes the states of the block, with which the page has its first
 * time; three more make it thrash. */
static void start_thrashing(struct bench *b, const struct mp_uvm_params *p)
{
    start(b, p);
    assert_int_equal(bench_host(b, 0, 0).what, MP_UVM_ZEROED);
    to_and_fro(b, 2);
    assert_false(marks(b).thrashing);
    wait(b, 10);
    assert_true(mp_uvm_has(&bench_fault(b, 0, 0, MP_UVM_READ)->copy, 0));
    assert_true(marks(b).thrashing && marks(b).gpu);
}

static void pages_thrash_after_three_events(void **state)
{
    const struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    start_thrashing(&b, &p);
    bench_end(&b);
}

static void slow_pages_do_not_thrash(void **state)
{
    const struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    start(&b, &p);
    bench_host(&b, 0, 0);
    for (unsigned i = 0; i < 10; i++) {
        wait(&b, 101);
        bench_fault(&b, 0, 0, MP_UVM_READ);
        wait(&b, 101);
        assert_int_equal(bench_host(&b, 0, 0).what, MP_UVM_MOVED);
    }
    assert_false(marks(&b).thrashing);
    bench_end(&b);
}

static void thrashing_can_be_off(void **state)
{
    struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    p.thrashing = false;
    start(&b, &p);
    bench_host(&b, 0, 0);
    to_and_fro(&b, 10);
    assert_false(marks(&b).thrashing);
    bench_end(&b);
}

/* The first that asks is free for one nap, and the other is held; in the next nap the other is free. */
static void holds_take_turns(void **state)
{
    struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    p.throttles = 100;
    start_thrashing(&b, &p);
    wait(&b, 10); /* the host asks: its nap lasts 100 ns */
    assert_int_equal(bench_host(&b, 0, 0).what, MP_UVM_MOVED);
    const uint64_t end = now + 100;
    wait(&b, 10);
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 0, MP_UVM_READ)->held, 0));
    wait(&b, 80);
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 0, MP_UVM_READ)->held, 0));
    mp_uvm_at(
        b.u, now = end); /* not before the end, and not after it: it is let go, and a nap of its own begins */
    assert_true(mp_uvm_has(&bench_fault(&b, 0, 0, MP_UVM_READ)->fault, 0));
    wait(&b, 1);
    const struct mp_uvm_moved m = bench_host(&b, 0, 0);
    assert_int_equal(m.what, MP_UVM_HELD);
    assert_int_equal(m.end, end + 100);
    bench_end(&b);
}

/* After two holds the next one that is free gets the page for 5 lapses. */
static void held_pages_are_pinned(struct bench *b)
{
    const struct mp_uvm_params p = params();
    start_thrashing(b, &p);
    wait(b, 10);
    assert_int_equal(bench_host(b, 0, 0).what, MP_UVM_MOVED);
    wait(b, 90);
    assert_true(mp_uvm_has(&bench_fault(b, 0, 0, MP_UVM_READ)->held, 0));
    wait(b, 10); /* the nap is over */
    assert_true(mp_uvm_has(&bench_fault(b, 0, 0, MP_UVM_READ)->fault, 0));
    wait(b, 1);
    assert_int_equal(bench_host(b, 0, 0).what, MP_UVM_HELD);
    wait(b, 99); /* one later its last migration would be too long ago */
    const struct mp_uvm_moved m = bench_host(b, 0, 0);
    assert_int_equal(m.what, MP_UVM_MOVED);
    assert_true(m.pinned);
    assert_true(marks(b).pinned && marks(b).remote && !marks(b).gpu);
}

static void pins_end_at_their_deadline(void **state)
{
    struct bench b;
    (void)state;
    held_pages_are_pinned(&b);
    assert_int_equal(mp_uvm_deadline(b.u), now + 500);
    wait(&b, 499);
    assert_true(marks(&b).pinned);
    assert_int_equal(bench_gpu(&b, 0, 0, MP_UVM_WRITE).what, MP_UVM_REMOTE); /* also stores */
    wait(&b, 1);
    assert_false(marks(&b).pinned || marks(&b).remote || marks(&b).thrashing);
    assert_int_equal(mp_uvm_deadline(b.u), 0);
    assert_int_equal(bench_gpu(&b, 0, 0, MP_UVM_READ).what, MP_UVM_FAULTS);
    bench_end(&b);
}

static void pins_end_with_their_range(void **state)
{
    struct bench b;
    struct mp_uvm_freed freed;
    (void)state;
    held_pages_are_pinned(&b);
    assert_int_equal(mp_uvm_close(b.u, 0, BASE, &freed, NULL), 0);
    assert_int_equal(mp_uvm_deadline(b.u), 0);
    assert_int_equal(mp_uvm_open(b.u, 0, BASE, BLOCK, false, NULL), 1);
    bench_host(&b, 0, 0);
    to_and_fro(&b, 2); /* all is forgotten */
    wait(&b, 600);
    assert_int_equal(bench_host(&b, 0, 0).what, MP_UVM_HOST);
    bench_end(&b);
}

/* On a coherent link the host maps the page where it is. */
static void coherent_links_pin_where_the_page_is(void **state)
{
    struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    p.c2c = true;
    start_thrashing(&b, &p);
    wait(&b, 10);
    assert_int_equal(bench_host(&b, 0, 0).what, MP_UVM_MAPPED);
    assert_true(marks(&b).pinned && marks(&b).gpu);
    bench_end(&b);
}

/* 10 lapses after the last thrashing the block begins again, up to `resets` times, unless it has been pinned.
 */
static void blocks_begin_again_after_an_epoch(void **state)
{
    struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    p.resets = 1;
    start_thrashing(&b, &p);
    wait(&b, 1001);
    assert_int_equal(bench_host(&b, 0, 0).what, MP_UVM_MOVED);
    assert_false(marks(&b).thrashing);
    to_and_fro(&b, 2);
    wait(&b, 10);
    bench_fault(&b, 0, 0, MP_UVM_READ);
    assert_true(marks(&b).thrashing);
    wait(&b, 1001);
    assert_int_equal(bench_host(&b, 0, 0).what,
                     MP_UVM_MOVED); /* no second reset: long ago, so it is forgotten */
    assert_false(marks(&b).thrashing);
    bench_end(&b);
}

static void a_full_store_means_no_thrashing(void **state)
{
    struct mp_uvm_params p = params();
    struct bench b;
    (void)state;
    p.thrash = 1;
    start(&b, &p);
    for (unsigned i = 0; i < 2; i++) /* pages of two big pages: the second has no room */
        bench_host(&b, 0, 16 * i);
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < 2; i++) {
            wait(&b, 5);
            bench_fault(&b, 0, 16 * i, MP_UVM_READ);
            wait(&b, 5);
            bench_host(&b, 0, 16 * i);
        }
    assert_true(marks(&b).thrashing);
    assert_true(mp_uvm_untracked(b.u) > 0);
    bench_end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_thrash_after_three_events),
        cmocka_unit_test(slow_pages_do_not_thrash),
        cmocka_unit_test(thrashing_can_be_off),
        cmocka_unit_test(holds_take_turns),
        cmocka_unit_test(pins_end_at_their_deadline),
        cmocka_unit_test(pins_end_with_their_range),
        cmocka_unit_test(coherent_links_pin_where_the_page_is),
        cmocka_unit_test(blocks_begin_again_after_an_epoch),
        cmocka_unit_test(a_full_store_means_no_thrashing),
    };
    return cmocka_run_group_tests_name("unified memory: thrashing", tests, NULL, NULL);
}
