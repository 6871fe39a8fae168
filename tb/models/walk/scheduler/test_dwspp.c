/* SPDX-License-Identifier: Apache-2.0 */
/* The additions of DWS++ to DWS, by hand: epochs and stealing by threshold. */
#include "by_hand.h"

/* Walker w belongs to tenant w. Ten walks of tenant 1 wait, and `few` of tenant 0. Epochs have four arrivals.
 */
static void uneven(const struct mp_walk_thresholds *t, enum mp_walk_compat compat, uint32_t few)
{
    struct mp_walk_rules r = drive_rules(compat);
    r.epoch = 4;
    r.thresholds = *t;
    begin(&mp_walk_dwspp, 2, 10, 2, &r);
    arrive(0, 1, 0);
    arrive(1, 1, 1);
    arrive(0, few, QUEUED);
    arrive(1, 10, QUEUED);
}

static void arrivals_set_the_threshold(void **state)
{
    static const struct {
        uint32_t arrivals[2], diff, diff_hpca21;
    } cases[] = {
        {{10, 10}, 40, 40},
        {{12, 8}, 40, 60}, /* 1.5 */
        {{8, 12}, 40, 60},
        {{13, 8}, 60, 60},
        {{12, 6}, 60, 80},            /* 2 */
        {{15, 5}, 80, 90},            /* 3 */
        {{4, 16}, 90, MP_WALK_NEVER}, /* 4 */
        {{17, 4}, MP_WALK_NEVER, MP_WALK_NEVER},
        {{1, 0}, 40, MP_WALK_NEVER}, /* no arrival counts as one, or makes the ratio 200 */
        {{0, 4}, 90, MP_WALK_NEVER},
    };
    for (unsigned i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct mp_walk_rules r = drive_rules(i % 2 ? MP_WALK_HPCA21 : MP_WALK_PAPER);
        r.epoch = cases[i / 2].arrivals[0] + cases[i / 2].arrivals[1];
        begin(&mp_walk_dwspp, 2, 30, 2, &r);
        assert_int_equal(tables()->diff_thres, MP_WALK_NEVER); /* before the first epoch ends */
        for (uint8_t t = 0; t < 2; t++)
            for (uint32_t n = 0; n < cases[i / 2].arrivals[t]; n++) {
                assert_int_equal(tables()->diff_thres, MP_WALK_NEVER);
                drive_arrive(&d, t);
            }
        assert_int_equal(tables()->diff_thres, i % 2 ? cases[i / 2].diff_hpca21 : cases[i / 2].diff);
        assert_int_equal(tables()->epoch, 0);
        assert_int_equal(tables()->twm_enq_epoch[0] + tables()->twm_enq_epoch[1], 0);
        tear_down(state);
    }
    begin_plain(&mp_walk_dwspp, 2, 1, 2);
}

static void a_rejected_walk_counts_when_it_is_kept(void **state)
{
    for (int published = 0; published < 2; published++) {
        const struct mp_walk_rules r = drive_rules(published ? MP_WALK_HPCA21 : MP_WALK_PAPER);
        begin(&mp_walk_dwspp, 2, 1, 2, &r);
        arrive(0, 1, 0);
        arrive(1, 1, 1);
        arrive(0, 1, QUEUED);
        arrive(0, 2, OUTSIDE);
        assert_int_equal(tables()->twm_enq_epoch[0], published ? 4 : 2); /* every attempt, or those kept */
        takes(0, 2);
        drive_retry(&d);
        assert_int_equal(tables()->twm_enq_epoch[0], published ? 5 : 3);
        assert_int_equal(tables()->epoch, published ? 6 : 4);
        if (!published)
            tear_down(state);
    }
}

static void dwspp_steals_by_threshold(void **state)
{
    (void)state;
    const struct mp_walk_thresholds t = {"test", {40, 40, 40, 40, 40}, 10};
    uneven(&t, MP_WALK_PAPER, 1); /* ten and one of twenty places: 0.45 */
    takes(0, 3);                  /* the first of tenant 1, although walk 2 waits for walker 0 */
    assert_int_equal(tables()->fwa_is_stolen, 1);
    takes(0, 2); /* not twice in a row; now nine and none */
    takes(0, 4); /* as DWS: no walk of its owner waits */
    takes(0, 5);
    arrive(0, 1, QUEUED);
    takes(0, 13);
    arrive(0, 1, QUEUED);
    takes(0, 14); /* seven and one: 0.3 */
    assert_int_equal(d.steals_by_threshold, 1);
}

static void dwspp_asks_for_more_than_the_threshold(void **state)
{
    static const struct {
        uint8_t diff, queue;
        uint32_t few;
        bool steals;
    } cases[] = {
        {45, 10, 1, false},
        {44, 10, 1, true},
        {44, 9, 1, false},
        {39, 20, 2, true},
        {40, 20, 2, false},
        {39, 19, 2, false},
        {MP_WALK_NEVER, 100, 1, false},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t diff = cases[i].diff;
        const struct mp_walk_thresholds t = {"test", {diff, diff, diff, diff, diff}, cases[i].queue};
        uneven(&t, MP_WALK_PAPER, cases[i].few);
        takes(0, cases[i].steals ? (int)cases[i].few + 2 : 2);
        tear_down(state);
    }
    uneven(mp_walk_thresholds_find("aggressive"), MP_WALK_PAPER, 5);
    takes(0, 2); /* 0.25 */
}

static void dwspp_looks_at_the_tenant_with_most(void **state)
{
    (void)state;
    struct mp_walk_rules r = drive_rules(MP_WALK_PAPER);
    r.epoch = 1;
    r.thresholds = (struct mp_walk_thresholds){"test", {10, 10, 10, 10, 10}, 100};
    begin(&mp_walk_dwspp, 3, 10, 3, &r);
    for (uint8_t t = 0; t < 3; t++)
        arrive(t, 1, t);
    arrive(0, 1, QUEUED); /* 3 */
    arrive(1, 4, QUEUED); /* 4 to 7 */
    arrive(2, 5, QUEUED); /* 8 to 12 */
    takes(0, 8);
    takes(1, 4); /* tenants 1 and 2 have four each now */
}

static void thresholds_of_the_paper(void **state)
{
    (void)state;
    assert_int_equal(mp_walk_thresholds_find("default")->queue, 51);
    assert_int_equal(mp_walk_thresholds_find("conservative")->queue, 17);
    assert_int_equal(mp_walk_thresholds_find("conservative")->diff[4], MP_WALK_NEVER);
    assert_int_equal(mp_walk_thresholds_find("aggressive")->queue, 51);
    assert_int_equal(mp_walk_thresholds_find("aggressive")->diff[4], 30);
    assert_null(mp_walk_thresholds_find("bold"));
}

static void published_threshold(void **state)
{
    (void)state;
    const struct mp_walk_thresholds t = {"test", {80, 80, 80, 80, 80}, 51};
    uneven(&t, MP_WALK_HPCA21, 1); /* 10/10 and 1/10: 0.9 */
    takes(0, 2);                   /* a walker's first choice is never a threshold steal */
    arrive(0, 1, QUEUED);
    takes(0, 3); /* the next one is */
    assert_int_equal(tables()->fwa_is_stolen & 1, 1);
    takes(0, 13); /* not twice in a row */
    takes(0, 4);  /* by threshold, although no walk of its owner waits: 0.9 */
    assert_int_equal(tables()->fwa_is_stolen & 1, 1);
    takes(0, 5); /* a steal because its owner has no walks clears the memory ... */
    assert_int_equal(tables()->fwa_is_stolen & 1, 0);
    arrive(1, 3, QUEUED);
    arrive(0, 1, QUEUED);
    takes(0, 6); /* ... so that this one may be by threshold */
}

int main(void)
{
#define TEST(f) cmocka_unit_test_teardown(f, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(arrivals_set_the_threshold),
        TEST(a_rejected_walk_counts_when_it_is_kept),
        TEST(dwspp_steals_by_threshold),
        TEST(dwspp_asks_for_more_than_the_threshold),
        TEST(dwspp_looks_at_the_tenant_with_most),
        cmocka_unit_test(thresholds_of_the_paper),
        TEST(published_threshold),
    };
    return cmocka_run_group_tests_name("dws++", tests, NULL, NULL);
}
