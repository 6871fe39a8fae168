/* SPDX-License-Identifier: Apache-2.0 */
/* What a scheduler sees of walks: a scheduler of the test's own asks for the work of each walk in the moment
 * in which it starts it, and the walk then reads exactly this number of entries. */
#include "walk_bench.h"

static struct {
    const struct mp_walk_view *view;
    uint32_t expected[8], read[8];         /* by walker; reads of its walk */
    uint32_t asked, of[MP_MAX_LEVELS + 1]; /* walks, by their work */
    const struct mp_req *seen;
} o;

static void expect(int walker, const struct mp_req *walk)
{
    if (walker < 0 || !walk)
        return;
    o.seen = walk;
    o.expected[walker] = o.view->work(o.view->self, walk);
    assert_int_equal(o.view->work(o.view->self, walk), o.expected[walker]); /* asking changes nothing */
    assert_in_range(o.expected[walker], 1, MP_MAX_LEVELS);
    o.of[o.expected[walker]]++;
    o.asked++;
}

static void watch(void *state, const struct mp_walk_view *view)
{
    (void)state;
    o.view = view;
}

static int arrive(void *state, struct mp_req *walk)
{
    int walker = mp_walk_fcfs.arrive(state, walk);
    expect(walker, walk);
    return walker;
}

static struct mp_req *complete(void *state, uint32_t walker)
{
    struct mp_req *walk = mp_walk_fcfs.complete(state, walker);
    expect((int)walker, walk);
    return walk;
}

/* ---- observer: counts what is read ---- */

static void waits(void *self, uint8_t tenant, int change)
{
    (void)self;
    (void)tenant;
    (void)change;
}

static void starts(void *self, uint32_t walker, const struct mp_req *walk)
{
    (void)self;
    (void)walk;
    o.read[walker] = 0;
}

static void reads(void *self, uint32_t walker)
{
    (void)self;
    o.read[walker]++;
}

static void ends(void *self, uint32_t walker)
{
    (void)self;
    assert_int_equal(o.read[walker], o.expected[walker]);
}

static void divided(void *self)
{
    (void)self;
}

static const struct mp_walk_observer observer = {NULL, waits, starts, reads, ends, divided};

static struct mp_walk_params with(const struct mp_walk_scheduler *s, const struct mp_walk_method *m,
                                  uint32_t pwc_entries)
{
    struct mp_walk_params p = base();
    p.scheduler = s;
    p.method = m;
    p.format = mp_page_format(4096);
    p.geometry.queue = 20;
    p.pwc_entries = pwc_entries;
    p.pwc_ways = 2;
    return p;
}

/* Pages far enough apart that walks share none, one, two or three upper levels. */
static uint64_t some_page(struct rng *r)
{
    return (uint64_t)rng_below(r, 2) << 39 | (uint64_t)rng_below(r, 3) << 30 |
           (uint64_t)rng_below(r, 4) << 21 | (uint64_t)rng_below(r, 8) << 12;
}

static void work_is_what_the_walk_reads(void **state)
{
    static const struct mp_walk_method *const methods[] = {&mp_walk_radix, &mp_walk_hpca21, &mp_walk_colt};
    struct mp_walk_scheduler s = mp_walk_fcfs;
    struct rng r = rng_start("work", 41);
    s.watch = watch;
    s.arrive = arrive;
    s.complete = complete;
    for (unsigned i = 0; i < 12; i++) {
        struct mp_walk_params p = with(&s, methods[i % 3], i < 3 ? 0 : 2u << i / 3);
        if (i > 2 && p.method == &mp_walk_hpca21) { /* its fills must not evict what it looks up next */
            p.pwc_entries = 256;
            p.pwc_ways = 16;
        }
        memset(&o, 0, sizeof o);
        set_up(&p);
        b.walk.observer = &observer;
        for (unsigned n = 0; n < 200; n++) {
            uint64_t va = some_page(&r), pa;
            if (!mp_page_table_find(&b.table[n % 2], va, &pa))
                map(n % 2, va);
            ask(0, n % 2, va);
            if (n % 16 == 15)
                run_dry(&b.wheel);
        }
        run_dry(&b.wheel);
        assert_int_equal(o.asked, 200);
        if (i < 3) /* no page walk cache: all levels */
            assert_int_equal(o.of[4], 200);
        else
            assert_true(o.of[4] && o.of[1] + o.of[2] + o.of[3]);
        if (i < 11)
            tear_down(state);
    }
}

static void a_changed_scheduler_sees_the_system_too(void **state)
{
    struct mp_walk_scheduler s = mp_walk_fcfs;
    const struct mp_walk_params p = with(&mp_walk_fcfs, &mp_walk_radix, 16);
    const struct mp_walk_rules rules = {0};
    (void)state;
    s.watch = watch;
    memset(&o, 0, sizeof o);
    set_up(&p);
    assert_null(o.view);
    assert_int_equal(mp_walk_configure(&b.walk, &s, &rules, NULL), 0);
    assert_non_null(o.view);
    assert_int_equal(o.view->work(o.view->self, &(struct mp_req){.va = 0}), 4);
}

static void a_request_names_its_instruction(void **state)
{
    struct mp_walk_scheduler s = mp_walk_fcfs;
    (void)state;
    s.watch = watch;
    s.arrive = arrive;
    const struct mp_walk_params p = with(&s, &mp_walk_radix, 16);
    set_up(&p);
    map(0, 0);
    fake_initiator_send(&b.port[0],
                        (struct mp_req){.sm = 7, .warp = 33, .instruction = 13, .op = MP_TRANSLATE});
    assert_int_equal(o.seen->sm, 7);
    assert_int_equal(o.seen->warp, 33);
    assert_int_equal(o.seen->instruction, 13);
    run_dry(&b.wheel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(work_is_what_the_walk_reads, tear_down),
        cmocka_unit_test_teardown(a_changed_scheduler_sees_the_system_too, tear_down),
        cmocka_unit_test_teardown(a_request_names_its_instruction, tear_down),
    };
    return cmocka_run_group_tests_name("walk view", tests, NULL, NULL);
}
