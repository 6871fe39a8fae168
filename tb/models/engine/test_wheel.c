/* SPDX-License-Identifier: Apache-2.0 */
#include "fakes.h"

/* --- against a sorted list, at random ----------------------------------------------------------------------
 */

/* An event as it was scheduled. Its members determine when it must run. Events of one cycle run in the order
 * of scheduling, with one exception: events of the coarse wheel come down when time enters their block. They
 * run after events that an earlier block scheduled for the same cycle with a short delay, and before events
 * that are scheduled later. */
struct planned {
    uint64_t when;
    int group; /* 0: short delay from an earlier block, 1: long delay, 2: short delay within the block */
    uint32_t order;
};

#define EVENTS 60000u

struct script {
    struct mp_wheel wheel;
    struct rng rng;
    struct planned planned[EVENTS];
    uint32_t scheduled;
    uint32_t ran[EVENTS], runs;
    uint32_t budget;
};

static uint64_t random_delay(struct rng *r)
{
    enum { SLOTS = MP_WHEEL_SLOTS, SQUARE = SLOTS * SLOTS };
    static const uint64_t edges[] = {0,          1,
                                     2,          SLOTS - 2,
                                     SLOTS - 1,  SLOTS,
                                     SLOTS + 1,  2 * SLOTS - 1,
                                     2 * SLOTS,  SLOTS * (SLOTS - 1),
                                     SQUARE - 1, SQUARE,
                                     SQUARE + 1, SQUARE + SLOTS,
                                     2 * SQUARE, 7 * SQUARE,
                                     5000000000u};
    switch (rng_below(r, 8)) {
    case 0:
        return 0;
    case 1:
        return edges[rng_below(r, sizeof edges / sizeof *edges)];
    case 2:
        return rng_below(r, MP_WHEEL_SLOTS * MP_WHEEL_SLOTS);
    case 3:
        return rng_below(r, 8 * MP_WHEEL_SLOTS * MP_WHEEL_SLOTS);
    case 4:
        return rng_below(r, 4 * MP_WHEEL_SLOTS);
    default:
        return rng_below(r, MP_WHEEL_SLOTS);
    }
}

static void run_scripted(void *object, void *argument);

static void schedule(struct script *s, uint64_t delay)
{
    uint64_t when = s->wheel.now + delay;
    int group = delay >= MP_WHEEL_SLOTS ? 1 : when >> MP_WHEEL_BITS == s->wheel.now >> MP_WHEEL_BITS ? 2 : 0;
    uint32_t id = s->scheduled++;
    s->planned[id] = (struct planned){when, group, id};
    mp_at(&s->wheel, delay, run_scripted, s, (void *)(uintptr_t)id);
}

static void run_scripted(void *object, void *argument)
{
    struct script *s = object;
    uint32_t id = (uint32_t)(uintptr_t)argument;
    assert_int_equal(s->wheel.now, s->planned[id].when);
    s->ran[s->runs++] = id;
    for (uint32_t n = rng_below(&s->rng, 3); n && s->scheduled < s->budget; n--)
        schedule(s, random_delay(&s->rng));
}

static int by_plan(const void *left, const void *right)
{
    const struct planned *a = left, *b = right;
    if (a->when != b->when)
        return a->when < b->when ? -1 : 1;
    if (a->group != b->group)
        return a->group - b->group;
    return a->order < b->order ? -1 : 1;
}

static void random_events_run_in_order(void **state)
{
    (void)state;
    struct script *s = calloc(1, sizeof *s);
    struct mp_wheel *before = malloc(sizeof *before);
    assert_non_null(s);
    assert_non_null(before);
    s->rng = rng_start("wheel", 11);
    s->budget = EVENTS;
    mp_wheel_init(&s->wheel);
    uint32_t steps = 0;
    while (s->runs < EVENTS) {
        uint64_t next = mp_wheel_next(&s->wheel);
        if (steps++ % 64 == 0) {
            *before = s->wheel;
            assert_int_equal(mp_wheel_next(&s->wheel), next);
            assert_memory_equal(before, &s->wheel, sizeof *before);
        }
        if (next == MP_NEVER || (s->scheduled < EVENTS && rng_percent(&s->rng, 20))) {
            /* Stop anywhere before the next event and schedule from outside. */
            uint64_t room = next == MP_NEVER ? 3000000 : next - s->wheel.now;
            mp_wheel_advance(&s->wheel, s->wheel.now + (room ? rng_next(&s->rng) % room : 0));
            for (uint32_t n = rng_between(&s->rng, 1, 40); n && s->scheduled < EVENTS; n--)
                schedule(s, random_delay(&s->rng));
            continue;
        }
        mp_wheel_advance(&s->wheel, next);
        uint32_t runs = s->runs;
        mp_wheel_run_cycle(&s->wheel);
        assert_true(s->runs > runs); /* what next announced was there */
    }
    assert_int_equal(mp_wheel_next(&s->wheel), MP_NEVER);
    assert_int_equal(s->wheel.executed, EVENTS);
    qsort(s->planned, EVENTS, sizeof *s->planned, by_plan);
    for (uint32_t i = 0; i < EVENTS; i++)
        assert_int_equal(s->ran[i], s->planned[i].order);
    mp_wheel_free(&s->wheel);
    free(before);
    free(s);
}

/* --- by hand ----------------------------------------------------------------------------------------------
 */

struct note {
    struct mp_wheel wheel;
    char text[64];
    size_t length;
};

static void note_letter(void *object, void *argument)
{
    struct note *n = object;
    n->text[n->length++] = *(const char *)argument;
}

static void note_and_add(void *object, void *argument)
{
    struct note *n = object;
    note_letter(n, argument);
    mp_at(&n->wheel, 0, note_letter, n, "x");
}

static struct note *new_note(void)
{
    struct note *n = calloc(1, sizeof *n);
    assert_non_null(n);
    mp_wheel_init(&n->wheel);
    return n;
}

static void end_note(struct note *n, const char *expected)
{
    assert_string_equal(n->text, expected);
    mp_wheel_free(&n->wheel);
    free(n);
}

static void one_cycle_is_first_in_first_out(void **state)
{
    (void)state;
    struct note *n = new_note();
    mp_at(&n->wheel, 5, note_letter, n, "a");
    mp_at(&n->wheel, 5, note_and_add, n, "b"); /* its event runs in the same cycle, behind all others */
    mp_at(&n->wheel, 5, note_letter, n, "c");
    mp_at(&n->wheel, 4, note_letter, n, "0");
    run_dry(&n->wheel);
    assert_int_equal(n->wheel.now, 5);
    end_note(n, "0abcx");
}

static void an_empty_wheel_never_ends(void **state)
{
    (void)state;
    struct note *n = new_note();
    assert_int_equal(mp_wheel_next(&n->wheel), MP_NEVER);
    mp_wheel_advance(&n->wheel, 123456789);
    assert_int_equal(mp_wheel_next(&n->wheel), MP_NEVER);
    mp_wheel_run_cycle(&n->wheel);
    end_note(n, "");
}

/* Time may stop in blocks without events; an event far away must neither be lost nor come early. */
static void advancing_over_empty_blocks(void **state)
{
    (void)state;
    struct note *n = new_note();
    const uint64_t far = 3 * MP_WHEEL_SLOTS * MP_WHEEL_SLOTS + 5, coarse = 70 * MP_WHEEL_SLOTS + 3;
    mp_at(&n->wheel, far, note_letter, n, "f");
    mp_at(&n->wheel, coarse, note_letter, n, "c");
    for (uint64_t at = 0; at < coarse; at += 511) {
        mp_wheel_advance(&n->wheel, at);
        assert_int_equal(mp_wheel_next(&n->wheel), coarse);
        mp_wheel_run_cycle(&n->wheel);
    }
    assert_int_equal(n->length, 0);
    run_until(&n->wheel, coarse);
    assert_int_equal(n->length, 1);
    for (uint64_t at = coarse; at < far; at += 100003) {
        mp_wheel_advance(&n->wheel, at);
        assert_int_equal(mp_wheel_next(&n->wheel), far);
    }
    mp_wheel_advance(&n->wheel, far - 1);
    mp_at(&n->wheel, 1, note_letter, n, "n"); /* same block, after the far event came down */
    run_dry(&n->wheel);
    assert_int_equal(n->wheel.now, far);
    end_note(n, "cfn");
}

static void far_events_of_one_cycle_keep_their_order(void **state)
{
    (void)state;
    struct note *n = new_note();
    const uint64_t when = 5 * 1048576 + 77;
    mp_at(&n->wheel, when, note_letter, n, "a");
    mp_wheel_advance(&n->wheel, 1048576);
    mp_at(&n->wheel, when - 1048576, note_letter, n, "b");
    mp_wheel_advance(&n->wheel, when - 5000);
    mp_at(&n->wheel, 5000, note_letter, n, "c");
    run_dry(&n->wheel);
    end_note(n, "abc");
}

static void note_and_add_next(void *object, void *argument)
{
    struct note *n = object;
    note_letter(n, argument);
    mp_at(&n->wheel, 1, note_letter, n, "s");
    mp_at(&n->wheel, 0, note_letter, n, "x");
    assert_int_equal(mp_wheel_next(&n->wheel), n->wheel.now);
}

/* The first cycle of a block: what the cycle before has scheduled runs before what comes from the coarse
 * wheel, and that before what is scheduled in the block. */
static void the_next_cycle_may_be_in_another_block(void **state)
{
    (void)state;
    struct note *n = new_note();
    mp_at(&n->wheel, 2 * MP_WHEEL_SLOTS, note_letter, n, "c");
    mp_wheel_advance(&n->wheel, 2 * MP_WHEEL_SLOTS - 2);
    mp_at(&n->wheel, 1, note_and_add_next, n, "a");
    mp_at(&n->wheel, 2, note_letter, n, "b");
    run_until(&n->wheel, 2 * MP_WHEEL_SLOTS - 1);
    assert_int_equal(mp_wheel_next(&n->wheel), 2 * MP_WHEEL_SLOTS);
    mp_wheel_advance(&n->wheel, 2 * MP_WHEEL_SLOTS);
    mp_at(&n->wheel, 0, note_letter, n, "d");
    assert_int_equal(mp_wheel_next(&n->wheel), 2 * MP_WHEEL_SLOTS);
    run_dry(&n->wheel);
    end_note(n, "axbscd");
}

static void count_one(void *object, void *argument)
{
    (void)argument;
    ++*(uint32_t *)object;
}

static void more_events_than_a_slab(void **state)
{
    (void)state;
    struct note *n = new_note();
    uint32_t ran[7] = {0};
    for (uint32_t i = 0; i < 5000; i++)
        mp_at(&n->wheel, i % 7, count_one, &ran[i % 7], NULL);
    for (uint32_t cycle = 0; cycle < 7; cycle++) {
        assert_int_equal(mp_wheel_next(&n->wheel), cycle);
        mp_wheel_advance(&n->wheel, cycle);
        mp_wheel_run_cycle(&n->wheel);
        assert_int_equal(ran[cycle], (5000 - cycle + 6) / 7);
        assert_int_equal(cycle < 6 ? ran[cycle + 1] : 0, 0);
    }
    assert_int_equal(n->wheel.executed, 5000);
    end_note(n, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events_run_in_order),
        cmocka_unit_test(one_cycle_is_first_in_first_out),
        cmocka_unit_test(an_empty_wheel_never_ends),
        cmocka_unit_test(advancing_over_empty_blocks),
        cmocka_unit_test(far_events_of_one_cycle_keep_their_order),
        cmocka_unit_test(the_next_cycle_may_be_in_another_block),
        cmocka_unit_test(more_events_than_a_slab),
    };
    return cmocka_run_group_tests_name("wheel", tests, NULL, NULL);
}
