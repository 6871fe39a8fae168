/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of fcfs, static and dws by hand, and tenants that come and go. */
#include "by_hand.h"

/* ---- tables ---- */

static void tables_take_192_bits(void **state)
{
    (void)state;
    const struct mp_walk_geometry table1 = {.walkers = 16, .queue = 192, .tenants = 2};
    struct mp_dws_bits b = mp_dws_bits(&table1);
    assert_int_equal(b.fwa, 80);
    assert_int_equal(b.twm, 80);
    assert_int_equal(b.wtm, 32);
    assert_int_equal(b.fwa + b.twm + b.wtm, 192);
    const struct mp_walk_geometry four = {.walkers = 16, .queue = 192, .tenants = 4};
    b = mp_dws_bits(&four);
    assert_int_equal(b.fwa, 80); /* depends on the walkers only */
    assert_int_equal(b.twm, 160);
    assert_int_equal(b.wtm, 48);
}

static void owners(void **state)
{
    static const struct {
        enum mp_walk_owners how;
        uint32_t tenants;
        const char *owner;
    } cases[] = {
        {MP_WALK_INTERLEAVED, 2, "010101010101"}, {MP_WALK_BLOCKED, 2, "000000111111"},
        {MP_WALK_INTERLEAVED, 3, "012012012012"}, {MP_WALK_BLOCKED, 3, "000011112222"},
        {MP_WALK_BLOCKED, 8, "001223445667"}, /* as equal as possible */
        {MP_WALK_INTERLEAVED, 1, "000000000000"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_walk_rules r = drive_rules(MP_WALK_PAPER);
        r.owners = cases[i].how;
        begin(&mp_walk_dws, 12, 1, cases[i].tenants, &r);
        for (uint32_t w = 0; w < 12; w++)
            assert_int_equal('0' + tables()->wtm_tenant[w], cases[i].owner[w]);
        if (i + 1 < sizeof cases / sizeof *cases)
            tear_down(state);
    }
}

static void tables_follow_the_queues(void **state)
{
    (void)state;
    begin_plain(&mp_walk_dws, 4, 3, 2);
    assert_int_equal(tables()->twm_walkers[0], 5);
    assert_int_equal(tables()->twm_walkers[1], 10);
    arrive(0, 1, 0);
    arrive(0, 1, 2);
    arrive(0, 1, 1); /* stolen */
    arrive(0, 1, 3);
    assert_int_equal(tables()->fwa_is_stolen, 10);
    arrive(0, 3, QUEUED); /* to walkers 0, 2, 0 */
    assert_int_equal(tables()->fwa_free[0], 1);
    assert_int_equal(tables()->fwa_free[2], 2);
    assert_int_equal(tables()->twm_pend_walks[0], 3);
    arrive(1, 1, QUEUED); /* to walker 1, behind the stolen one */
    takes(1, 7);
    assert_int_equal(tables()->fwa_is_stolen, 8);
    assert_int_equal(tables()->fwa_free[1], 3);
    assert_int_equal(tables()->twm_pend_walks[1], 0);
}

/* ---- fcfs ---- */

static void fcfs(void **state)
{
    (void)state;
    begin_plain(&mp_walk_fcfs, 2, 1, 2);
    arrive(0, 1, 0);
    arrive(1, 1, 1);
    arrive(1, 1, QUEUED);
    arrive(0, 1, QUEUED);
    arrive(0, 1, OUTSIDE);
    arrive(1, 1, OUTSIDE); /* behind a walk of another tenant */
    takes(1, 2);
    arrive(1, 1, OUTSIDE); /* there is room, but it is not its turn */
    drive_retry(&d);
    assert_int_equal(d.walk[4].where, DRIVEN_WAITS);
    assert_int_equal(d.intake.outside.length, 2);
    takes(0, 3);
    takes(0, 4);
    takes(1, IDLE);
    drive_retry(&d);
    assert_int_equal(d.walk[5].walker, 1); /* the idle one */
    assert_int_equal(d.walk[6].where, DRIVEN_WAITS);
}

/* ---- static ---- */

static void static_never_lends(void **state)
{
    (void)state;
    begin_plain(&mp_walk_static, 4, 2, 2);
    arrive(1, 1, 1);
    arrive(1, 1, 3);
    arrive(1, 4, QUEUED); /* 1, 3, 1, 3: the shortest, or the lowest of equal ones */
    arrive(1, 1, OUTSIDE);
    arrive(0, 1, 0); /* not held back */
    arrive(1, 1, OUTSIDE);
    takes(0, IDLE);
    takes(3, 3);
    drive_retry(&d);
    assert_int_equal(d.walk[6].where, DRIVEN_WAITS);
    assert_int_equal(d.walk[8].where, DRIVEN_OUTSIDE);
}

static void static_helps_its_owner(void **state)
{
    (void)state;
    begin_plain(&mp_walk_static, 6, 3, 2);
    for (int w = 0; w < 6; w += 2)
        arrive(0, 1, w);
    arrive(0, 7, QUEUED); /* 3 6 9, 4 7, 5 8 */
    takes(2, 4);
    takes(2, 7);
    takes(2, 3); /* its own is empty: the longest, which is walker 0's with three */
    takes(2, 6); /* walkers 0 and 4 have two each: the lowest */
    takes(2, 5); /* of walker 4 */
}

/* ---- dws ---- */

static void dws_takes_idle_walkers_of_others(void **state)
{
    (void)state;
    begin_plain(&mp_walk_dws, 4, 2, 2);
    arrive(1, 1, 1); /* owned ones first */
    arrive(1, 1, 3);
    arrive(1, 1, 0); /* then steals, the lowest */
    arrive(0, 1, 2);
    arrive(1, 1, QUEUED);
    assert_true(d.walk[2].stolen);
    assert_false(d.walk[3].stolen);
    assert_int_equal(tables()->fwa_free[1], 1);
}

static void dws_steals_when_its_owner_has_nothing(void **state)
{
    (void)state;
    begin_plain(&mp_walk_dws, 4, 3, 2);
    arrive(0, 1, 0);
    arrive(0, 1, 2);
    arrive(1, 1, 1);
    arrive(1, 1, 3);
    arrive(1, 3, QUEUED); /* 4: walker 1, 5: walker 3, 6: walker 1 */
    arrive(0, 1, QUEUED); /* 7: walker 0 */
    takes(2, 7);          /* its owner's before any steal */
    takes(2, 4);          /* the longest queue of the others */
    assert_true(d.walk[4].stolen);
    takes(0, 6); /* both have one: the lowest */
    takes(1, 5); /* its owner's other queue */
    assert_false(d.walk[5].stolen);
    takes(3, IDLE);
}

static void a_walk_waits_for_one_of_others_at_most(void **state)
{
    (void)state;
    begin_plain(&mp_walk_dws, 2, 4, 2);
    arrive(0, 1, 0);
    arrive(0, 1, 1);
    arrive(0, 4, QUEUED);
    arrive(1, 2, QUEUED); /* 6, 7 */
    takes(1, 6);
    takes(1, 7);
    assert_int_equal(d.walk[6].behind, 1);
    assert_int_equal(d.walk[7].behind, 0); /* it waited for walk 6 only */
    takes(1, 2);                           /* a steal again */
}

/* ---- the published simulator ---- */

static void published_takes_the_lowest_idle(void **state)
{
    (void)state;
    const struct mp_walk_rules r = drive_rules(MP_WALK_HPCA21);
    begin(&mp_walk_dws, 4, 1, 2, &r);
    arrive(1, 1, 0);
    arrive(1, 1, 1);
    arrive(0, 1, 2);
    assert_true(d.walk[0].stolen);
    assert_false(d.walk[1].stolen);
}

static void published_takes_one_back_a_cycle(void **state)
{
    (void)state;
    const struct mp_walk_rules r = drive_rules(MP_WALK_HPCA21);
    begin(&mp_walk_dws, 2, 1, 2, &r);
    arrive(0, 1, 0);
    arrive(1, 1, 1);
    arrive(0, 1, QUEUED);
    arrive(1, 1, QUEUED);
    arrive(1, 1, OUTSIDE); /* 4 */
    arrive(0, 1, OUTSIDE); /* 5 */
    takes(0, 2);
    takes(1, 3);
    drive_retry(&d);
    assert_int_equal(d.walk[4].where, DRIVEN_WAITS);
    assert_int_equal(d.walk[5].where, DRIVEN_OUTSIDE);
    drive_retry(&d);
    assert_int_equal(d.walk[5].where, DRIVEN_WAITS);
}

/* A new arrival takes free room although an earlier walk of its tenant waits outside; by the paper it has to
 * wait its turn. */
static void published_lets_arrivals_overtake(void **state)
{
    for (int published = 0; published < 2; published++) {
        const struct mp_walk_rules r = drive_rules(published ? MP_WALK_HPCA21 : MP_WALK_PAPER);
        begin(&mp_walk_dws, 2, 1, 2, &r);
        arrive(0, 1, 0);
        arrive(1, 1, 1);
        arrive(0, 1, QUEUED);
        arrive(1, 1, QUEUED);
        arrive(0, 1, OUTSIDE); /* 4 */
        takes(0, 2);
        arrive(0, 1, published ? QUEUED : OUTSIDE); /* 5 */
        drive_retry(&d);
        assert_int_equal(d.walk[4].where, published ? DRIVEN_OUTSIDE : DRIVEN_WAITS);
        takes(0, published ? 5 : 4);
        drive_retry(&d);
        takes(0, published ? 4 : 5);
        if (!published)
            tear_down(state);
    }
}

/* An idle walker is room as well. */
static void published_arrivals_overtake_to_an_idle_walker(void **state)
{
    (void)state;
    const struct mp_walk_rules r = drive_rules(MP_WALK_HPCA21);
    begin(&mp_walk_dws, 2, 1, 2, &r);
    for (uint8_t t = 0; t < 2; t++)
        arrive(t, 1, t);
    arrive(0, 1, QUEUED);  /* 2 */
    arrive(0, 1, OUTSIDE); /* 3 */
    takes(0, 2);
    takes(1, IDLE);
    arrive(0, 1, 1); /* 4 */
    assert_int_equal(d.walk[3].where, DRIVEN_OUTSIDE);
    drive_retry(&d);
    assert_int_equal(d.walk[3].where, DRIVEN_WAITS);
}

/* Under fcfs the rejected walk stays at the head of all arrivals. */
static void published_fcfs_keeps_the_order(void **state)
{
    (void)state;
    const struct mp_walk_rules r = drive_rules(MP_WALK_HPCA21);
    begin(&mp_walk_fcfs, 1, 1, 2, &r);
    arrive(0, 1, 0);
    arrive(0, 1, QUEUED);
    arrive(0, 1, OUTSIDE); /* 2 */
    takes(0, 1);
    arrive(1, 1, OUTSIDE); /* 3 */
    arrive(0, 1, OUTSIDE); /* 4 */
    drive_retry(&d);
    takes(0, 2);
    drive_retry(&d);
    takes(0, 3);
}

/* ---- tenants come and go ---- */

static void walks_stay_where_they_wait(void **state)
{
    (void)state;
    begin_plain(&mp_walk_dws, 4, 2, 2);
    for (int w = 1; w < 4; w += 2)
        arrive(1, 1, w);
    arrive(0, 1, 0);
    arrive(0, 1, 2);
    arrive(1, 3, QUEUED); /* 4: walker 1, 5: walker 3, 6: walker 1 */
    drive_set_tenants(&d, 1);
    assert_int_equal(tables()->twm_walkers[0], 15);
    assert_int_equal(tables()->twm_walkers[1], 0);
    assert_int_equal(tables()->twm_pend_walks[1], 3);
    takes(1, 4); /* from its own queue, whichever tenant's walk it is */
    assert_true(d.walk[4].stolen);
    arrive(0, 1, QUEUED); /* 7: walker 0 */
    takes(0, 7);
    arrive(1, 1, QUEUED); /* a late walk of the tenant that left: walker 0 */
    assert_int_equal(tables()->fwa_free[0], 1);
    drive_set_tenants(&d, 3);
    assert_int_equal(tables()->twm_walkers[1], 10);
}

static void idle_walkers_start_for_a_new_owner(void **state)
{
    (void)state;
    begin_plain(&mp_walk_static, 2, 2, 2);
    arrive(0, 1, 0);
    arrive(0, 2, QUEUED);
    arrive(0, 1, OUTSIDE);
    drive_set_tenants(&d, 1);
    assert_int_equal(d.walk[1].walker, 1);
    drive_retry(&d);
    assert_int_equal(d.walk[3].where, DRIVEN_WAITS);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_take_192_bits),
        TEST(owners),
        TEST(tables_follow_the_queues),
        TEST(fcfs),
        TEST(static_never_lends),
        TEST(static_helps_its_owner),
        TEST(dws_takes_idle_walkers_of_others),
        TEST(dws_steals_when_its_owner_has_nothing),
        TEST(a_walk_waits_for_one_of_others_at_most),
        TEST(published_takes_the_lowest_idle),
        TEST(published_takes_one_back_a_cycle),
        TEST(published_lets_arrivals_overtake),
        TEST(published_arrivals_overtake_to_an_idle_walker),
        TEST(published_fcfs_keeps_the_order),
        TEST(walks_stay_where_they_wait),
        TEST(idle_walkers_start_for_a_new_owner),
    };
    return cmocka_run_group_tests_name("schedulers", tests, NULL, NULL);
}
