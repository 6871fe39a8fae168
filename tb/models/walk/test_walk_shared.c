/* SPDX-License-Identifier: Apache-2.0 */
/* A page-walk system that tenants share: which tenants back-pressure stops, which walks wait for which,
 * tenants that come and go, and the published simulator's page walk cache. Tenant t sends to port t. */
#include "walk_bench.h"

#define WALK (4 * LEVEL)

static struct mp_walk_params shared(const struct mp_walk_scheduler *s, uint32_t walkers, uint32_t queue)
{
    struct mp_walk_params p = base();
    p.scheduler = s;
    p.geometry.walkers = walkers;
    p.geometry.queue = queue;
    p.pwc_entries = 0; /* every walk takes WALK */
    return p;
}

static void begin(const struct mp_walk_params *p)
{
    set_up(p);
    map(0, 0x10000);
    map(1, 0x10000);
}

static struct fake_request *tenant(uint16_t t)
{
    return ask(t, t, 0x10000);
}

static void answered(const struct fake_request *r, uint64_t when)
{
    assert_int_equal(r->answered, when);
}

static void a_full_queue_stops_its_tenant_alone(void **state)
{
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        struct mp_walk_params p = shared(mp_walk_schedulers[i], 2, 2);
        bool everybody = mp_walk_schedulers[i]->one_line;
        begin(&p);
        for (uint16_t t = 0; t < 2; t++)
            tenant(t); /* both walkers */
        struct fake_request *r[4];
        for (uint32_t k = 0; k < (everybody ? 3 : 2); k++)
            r[k] = tenant(0);
        r[3] = tenant(1);
        assert_true(b.port[0].out.held);
        assert_int_equal(b.port[1].out.held, everybody);
        assert_int_equal(b.walk.stats[0].stalls, 1);
        assert_int_equal(b.walk.stats[1].stalls, everybody);
        run_dry(&b.wheel);
        answered(r[0], 2 * WALK);
        answered(r[3], (everybody ? 3 : 2) * WALK);
        assert_int_equal(b.port[0].resumes, 1);
        if (mp_walk_schedulers[i + 1])
            tear_down(state);
    }
}

static void a_shared_port_stops_all_on_it(void **state)
{
    (void)state;
    struct mp_walk_params p = shared(&mp_walk_static, 2, 2);
    begin(&p);
    for (uint32_t k = 0; k < 3; k++)
        ask(0, 0, 0x10000);
    struct fake_request *other = ask(0, 1, 0x10000);
    assert_true(b.port[0].out.held);
    run_dry(&b.wheel);
    answered(other, 2 * WALK);
}

/* The completions of a cycle leave room: all requests outside get it at once, or as published one per cycle.
 */
static void room_is_given_back(void **state)
{
    for (int published = 0; published < 2; published++) {
        struct mp_walk_params p = shared(&mp_walk_dws, 2, 2);
        p.rules.compat = published ? MP_WALK_HPCA21 : MP_WALK_PAPER;
        begin(&p);
        for (uint16_t k = 0; k < 6; k++)
            tenant(k % 2);
        assert_int_equal(b.walk.intake.outside.length, 2);
        run_until(&b.wheel, WALK);
        assert_false(b.port[0].out.held); /* it came first */
        assert_int_equal(b.walk.intake.outside.length, published);
        run_until(&b.wheel, WALK + 1);
        assert_int_equal(b.walk.intake.outside.length, 0);
        run_dry(&b.wheel);
        assert_int_equal(b.wheel.now, 3 * WALK);
        if (!published)
            tear_down(state);
    }
}

static void interleaving_in_one_line(void **state)
{
    (void)state;
    struct mp_walk_params p = shared(&mp_walk_fcfs, 1, 9);
    begin(&p);
    tenant(0);
    tenant(1); /* follows one that was in flight */
    tenant(0); /* follows one */
    tenant(1); /* follows one */
    tenant(1); /* one began while it waited */
    tenant(0); /* three began */
    run_dry(&b.wheel);
    assert_int_equal(b.walk.stats[0].waited_for, 1 + 3);
    assert_int_equal(b.walk.stats[1].waited_for, 1 + 1 + 1);
    assert_int_equal(b.walk.stats[0].stolen + b.walk.stats[1].stolen, 0);
    tenant(0); /* to an idle walker */
    run_dry(&b.wheel);
    assert_int_equal(b.walk.stats[0].waited_for, 1 + 3);
}

static void interleaving_under_dws(void **state)
{
    (void)state;
    struct mp_walk_params p = shared(&mp_walk_dws, 2, 8);
    begin(&p);
    tenant(0);
    tenant(0); /* stolen by walker 1 */
    tenant(0);
    tenant(0);
    at_cycle(5);
    tenant(1); /* waits for the stolen one */
    tenant(1); /* does not wait for another tenant's */
    run_dry(&b.wheel);
    assert_int_equal(b.walk.stats[1].waited_for, 1);
    assert_int_equal(b.walk.stats[0].waited_for, 0);
    assert_int_equal(b.walk.stats[0].stolen, 1);
    assert_int_equal(b.walk.stats[1].stolen, 0);
}

/* The other tenant gets the walkers of one that leaves in the same cycle; walks that wait or are in flight
 * stay. */
static void a_tenant_leaves(void **state)
{
    (void)state;
    struct mp_walk_params p = shared(&mp_walk_static, 2, 4);
    begin(&p);
    tenant(0);
    struct fake_request *waits[3];
    for (uint32_t k = 0; k < 3; k++)
        waits[k] = tenant(0);
    struct fake_request *late = tenant(1);
    assert_true(b.port[0].out.held);
    at_cycle(10);
    mp_walk_set_tenants(&b.walk, 1);
    run_dry(&b.wheel);
    answered(late, WALK);
    answered(waits[0], 2 * WALK); /* walker 0 */
    answered(waits[2], 2 * WALK); /* went to the queue of walker 1, which its tenant owns now */
    answered(waits[1], 3 * WALK);
    mp_walk_set_tenants(&b.walk, 3);
    tenant(0);
    tenant(0);
    struct fake_request *back = tenant(1);
    run_dry(&b.wheel);
    answered(back, 4 * WALK);
}

static void an_idle_walker_starts_when_its_owner_changes(void **state)
{
    (void)state;
    struct mp_walk_params p = shared(&mp_walk_static, 2, 4);
    begin(&p);
    tenant(0);
    struct fake_request *waits = tenant(0);
    at_cycle(10);
    mp_walk_set_tenants(&b.walk, 1);
    run_dry(&b.wheel);
    answered(waits, 10 + WALK);
    assert_int_equal(b.walk.stats[0].queue_cycles, 10);
}

/* ---- the page walk cache as published ---- */

static void each_level_is_looked_up_when_the_walk_starts(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.method = &mp_walk_hpca21;
    p.geometry.walkers = 4;
    set_up(&p);
    const uint64_t va = 0x123456780000ull, near = va ^ 1ull << 30; /* shares only the root's entry */
    map(0, va);
    map(0, near);
    struct fake_request *first = ask(0, 0, va), *same = ask(1, 0, va), *other = ask(2, 0, near);
    run_dry(&b.wheel);
    answered(first, 4 * LEVEL);      /* reads do not wait for the lookup */
    answered(same, PWC + 1 + LEVEL); /* filled before anything was read; three hits in a row */
    answered(other, PWC + 1 + 3 * LEVEL);
    const struct mp_walk_stats *s = &b.walk.stats[0];
    assert_int_equal(s->pwc_lookups, 9);
    assert_int_equal(s->pwc_hits, 4);
    assert_int_equal(s->levels_read, 4 + 1 + 3);
}

static void a_hit_below_a_miss_is_free(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.method = &mp_walk_hpca21;
    p.pwc_entries = p.pwc_ways = 2;
    set_up(&p);
    map(0, 0x10000);
    ask(0, 0, 0x10000); /* levels 1 and 2 remain, level 0 had to go */
    run_dry(&b.wheel);
    uint64_t start = b.wheel.now;
    mp_pwc_fill(&b.walk.pwc, 0, 1, 0x10000, 0); /* used last, so that level 2 gives way to level 0 */
    struct fake_request *r = ask(0, 0, 0x10000);
    run_dry(&b.wheel);
    answered(r, start + 3 * LEVEL);
}

static void a_missing_entry_is_not_filled_in(void **state)
{
    (void)state;
    struct mp_walk_params p = base();
    p.method = &mp_walk_hpca21;
    set_up(&p);
    map(0, 0x10000);
    struct fake_request *r = ask(0, 0, 1ull << 40);
    run_dry(&b.wheel);
    answered(r, LEVEL);
    assert_int_equal(r->req.fault, 1);
    assert_int_equal(b.walk.stats[0].pwc_lookups, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_full_queue_stops_its_tenant_alone, tear_down),
        cmocka_unit_test_teardown(a_shared_port_stops_all_on_it, tear_down),
        cmocka_unit_test_teardown(room_is_given_back, tear_down),
        cmocka_unit_test_teardown(interleaving_in_one_line, tear_down),
        cmocka_unit_test_teardown(interleaving_under_dws, tear_down),
        cmocka_unit_test_teardown(a_tenant_leaves, tear_down),
        cmocka_unit_test_teardown(an_idle_walker_starts_when_its_owner_changes, tear_down),
        cmocka_unit_test_teardown(each_level_is_looked_up_when_the_walk_starts, tear_down),
        cmocka_unit_test_teardown(a_hit_below_a_miss_is_free, tear_down),
        cmocka_unit_test_teardown(a_missing_entry_is_not_filled_in, tear_down),
    };
    return cmocka_run_group_tests_name("shared page walks", tests, NULL, NULL);
}
