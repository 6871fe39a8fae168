/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of copies. A failed random test is repeated with the seed that it prints. */
#include "../engine/fakes.h"

#include "host/copy.h"

enum { LINE = 128, WAITS = 64 };

static struct {
    struct mp_wheel wheel;
    struct mp_copies copies;
    struct mp_host_link link;
    struct fake_target memory;
    uint64_t ended[WAITS]; /* cycles, by wait */
    struct mp_copy_wait wait[WAITS];
} b;

static void set_up(struct rng *rng, uint32_t least, uint32_t most)
{
    const struct mp_copies_params p = {.line_shift = 7, .tenants = 2, .links = 1};
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_copies_kind.init(&b.copies, &b.wheel, &p), 0);
    mp_copies_share(&b.copies, &b.link);
    b.memory = fake_target_make(&b.wheel, rng, least, most);
    b.memory.up = mp_copies_kind.initiator(&b.copies, 0);
    mp_copies_kind.join(&b.copies, 0, fake_target_end(&b.memory));
}

static int tear_down(void **state)
{
    (void)state;
    mp_copies_kind.free(&b.copies);
    free(b.memory.log);
    mp_wheel_free(&b.wheel);
    return 0;
}

static void note_end(void *unused, void *ended)
{
    (void)unused;
    assert_int_equal(*(uint64_t *)ended, 0);
    *(uint64_t *)ended = b.wheel.now;
}

/* Adds a copy and waits for its end. */
static uint64_t add(uint32_t wait, enum mp_copy_kind kind, struct mp_copy copy)
{
    const uint64_t number = mp_copies_add(&b.copies, kind, &copy);
    b.wait[wait] = (struct mp_copy_wait){.number = number, .fn = note_end, .argument = &b.ended[wait]};
    assert_false(mp_copies_ended(&b.copies, kind, number));
    mp_copies_await(&b.copies, kind, &b.wait[wait]);
    return number;
}

static void saw(uint32_t i, uint64_t when, uint64_t pa, enum mp_op op)
{
    assert_true(i < b.memory.seen);
    assert_int_equal(b.memory.log[i].when, when);
    assert_int_equal(b.memory.log[i].pa, pa);
    assert_int_equal(b.memory.log[i].op, op);
}

static void lines_are_at_equal_distances(void **state)
{
    (void)state;
    set_up(NULL, 25, 25);
    assert_true(mp_copies_ended(&b.copies, MP_COPY_IN, 0));
    assert_int_equal(add(0, MP_COPY_IN, (struct mp_copy){.pa = 4096, .bytes = 512, .from = 100, .to = 140}),
                     1);
    assert_int_equal(
        add(1, MP_COPY_OUT, (struct mp_copy){.pa = 8192, .bytes = 256, .from = 7, .to = 12, .tenant = 1}), 1);
    run_dry(&b.wheel);
    saw(0, 7, 8192, MP_LOAD);
    saw(1, 9, 8192 + LINE, MP_LOAD);
    for (uint32_t i = 0; i < 4; i++)
        saw(2 + i, 100 + 10 * i, 4096 + i * LINE, MP_STORE);
    assert_int_equal(b.ended[0], 130 + 25);
    assert_int_equal(b.ended[1], 9 + 25);
    assert_int_equal(b.copies.stats[0].written, 4);
    assert_int_equal(b.copies.stats[0].late, 15);
    assert_int_equal(b.copies.stats[1].read, 2);
    assert_int_equal(b.copies.stats[1].late, 22);
}

/* Bytes that are no whole lines have the lines of which they are a part. */
static void parts_of_lines_are_lines(void **state)
{
    (void)state;
    set_up(NULL, 1, 1);
    add(0, MP_COPY_ZERO, (struct mp_copy){.pa = 4096 + 120, .bytes = 16, .from = 10, .to = 30});
    run_dry(&b.wheel);
    saw(0, 10, 4096, MP_STORE);
    saw(1, 20, 4096 + LINE, MP_STORE);
    assert_int_equal(b.memory.seen, 2);
}

/* Copies of a kind follow each other, even if the second one is due before the first. */
static void copies_of_a_kind_are_in_order(void **state)
{
    (void)state;
    set_up(NULL, 5, 5);
    assert_int_equal(add(0, MP_COPY_IN, (struct mp_copy){.pa = 0, .bytes = 2 * LINE, .from = 100, .to = 200}),
                     1);
    assert_int_equal(add(1, MP_COPY_IN, (struct mp_copy){.pa = 4096, .bytes = LINE, .from = 20, .to = 40}),
                     2);
    run_dry(&b.wheel);
    saw(0, 100, 0, MP_STORE);
    saw(1, 150, LINE, MP_STORE);
    saw(2, 150, 4096, MP_STORE);
    assert_int_equal(b.ended[0], 155);
    assert_int_equal(b.ended[1], 155);
}

/* Memory is not written before the copy out of it has been read, even if that takes longer than the link. */
static void a_copy_waits_for_the_copy_out_of_its_memory(void **state)
{
    (void)state;
    set_up(NULL, 1000, 1000);
    const uint64_t out =
        add(0, MP_COPY_OUT, (struct mp_copy){.pa = 0, .bytes = 2 * LINE, .from = 10, .to = 30});
    add(1, MP_COPY_IN, (struct mp_copy){.pa = 0, .bytes = 2 * LINE, .from = 50, .to = 70, .after = out});
    run_dry(&b.wheel);
    saw(1, 20, LINE, MP_LOAD);
    saw(2, 1020, 0, MP_STORE);
    saw(3, 1020, LINE, MP_STORE);
    assert_int_equal(b.ended[0], 1020);
    assert_int_equal(b.ended[1], 2020);
}

/* Lines that the GPU accesses on the host delay the copy by 40 cycles when half of it has passed. */
static void lines_of_the_host_delay_copies(void **state)
{
    (void)state;
    set_up(NULL, 5, 5);
    add(0, MP_COPY_IN, (struct mp_copy){.pa = 0, .bytes = 4 * LINE, .from = 100, .to = 200});
    run_until(&b.wheel, 125);
    b.link.in.delay += 40 * MP_HOST_CYCLE;
    run_dry(&b.wheel);
    saw(1, 125, LINE, MP_STORE);
    saw(2, 190, 2 * LINE, MP_STORE);
    saw(3, 215, 3 * LINE, MP_STORE);
    assert_int_equal(b.copies.stats[0].late, 0); /* it ends in cycle 240 */
}

static void lines_wait_while_the_memory_has_no_room(void **state)
{
    (void)state;
    set_up(NULL, 5, 5);
    b.memory.stop = true;
    add(0, MP_COPY_IN, (struct mp_copy){.pa = 0, .bytes = 3 * LINE, .from = 0, .to = 30});
    run_until(&b.wheel, 500);
    assert_int_equal(b.memory.seen, 1);
    b.memory.stop = false;
    mp_at(&b.wheel, 100, fake_target_go, &b.memory, NULL);
    run_dry(&b.wheel);
    assert_int_equal(b.memory.seen, 3);
    assert_true(b.ended[0] > 100);
}

/* Each line once, in the order of its kind, and not before it is due; copies end in their order, with their
 * last lines. */
static void random_copies(void **state)
{
    struct rng rng = rng_start("random_copies", 1);
    (void)state;
    for (uint32_t round = 0; round < 200; round++) {
        struct mp_copy copy[WAITS];
        enum mp_copy_kind kind[WAITS];
        uint64_t number[WAITS], all = 0;
        const uint32_t n = rng_between(&rng, 1, WAITS);
        set_up(&rng, 1, 200);
        b.memory.hold = rng_below(&rng, 30);
        b.memory.done = rng_below(&rng, 30);
        for (uint32_t i = 0; i < n; i++) {
            kind[i] = rng_below(&rng, MP_COPY_KINDS);
            copy[i] = (struct mp_copy){.pa = (uint64_t)i << 20,
                                       .bytes = rng_between(&rng, 1, 20) * LINE,
                                       .from = b.wheel.now + rng_below(&rng, 300)};
            copy[i].to = copy[i].from + rng_below(&rng, 500);
            if (kind[i] != MP_COPY_OUT && rng_percent(&rng, 30))
                copy[i].after = b.copies.queue[MP_COPY_OUT].numbers;
            number[i] = add(i, kind[i], copy[i]);
            all += copy[i].bytes / LINE;
            if (rng_percent(&rng, 50))
                run_until(&b.wheel, b.wheel.now + rng_below(&rng, 400));
        }
        run_dry(&b.wheel);
        assert_int_equal(b.memory.seen, all);
        assert_int_equal(b.copies.in_flight, 0);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(b.ended[i] >= copy[i].from);
            assert_true(mp_copies_ended(&b.copies, kind[i], number[i]));
            for (uint32_t k = 0; k < i; k++)
                if (kind[k] == kind[i])
                    assert_true(b.ended[k] <= b.ended[i]);
        }
        uint64_t last[MP_COPY_KINDS] = {0};
        for (uint32_t k = 0; k < b.memory.seen; k++) {
            const struct fake_seen *s = &b.memory.log[k];
            const uint32_t i = (uint32_t)(s->pa >> 20);
            const struct mp_copy *c = &copy[i];
            assert_true(s->pa > last[kind[i]] || !s->pa); /* each kind ascends */
            last[kind[i]] = s->pa;
            assert_int_equal(s->op, kind[i] == MP_COPY_OUT ? MP_LOAD : MP_STORE);
            assert_true(s->when >= c->from + (c->to - c->from) * (s->pa - c->pa) / c->bytes);
            for (uint32_t o = 0; o < n; o++)
                if (kind[o] == MP_COPY_OUT && number[o] == c->after)
                    assert_true(s->when >= b.ended[o]);
        }
        tear_down(NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines_are_at_equal_distances, tear_down),
        cmocka_unit_test_teardown(parts_of_lines_are_lines, tear_down),
        cmocka_unit_test_teardown(copies_of_a_kind_are_in_order, tear_down),
        cmocka_unit_test_teardown(a_copy_waits_for_the_copy_out_of_its_memory, tear_down),
        cmocka_unit_test_teardown(lines_of_the_host_delay_copies, tear_down),
        cmocka_unit_test_teardown(lines_wait_while_the_memory_has_no_room, tear_down),
        cmocka_unit_test(random_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
