/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of DWS and DWS++ against their models on random events and on a stream of walks. Every decision and
 * boundary occurs; faults are found. */
#include <inttypes.h>

#include "../../models/engine/fakes.h"
#include "rtl/dws/lockstep/dws_lockstep.h"
#include "rtl/dws/lockstep/dws_walks.h"

extern const struct dws_rtl dws_rtl_16_12_2, dws_rtl_4_2_2, dws_rtl_5_3_3, dws_rtl_8_3_3;
extern const struct dws_rtl dws_rtl_fault_threshold, dws_rtl_fault_queues, dws_rtl_fault_stolen;

static struct mp_walk_rules rules(const char *thresholds, uint32_t epoch, enum mp_walk_owners owners)
{
    return (struct mp_walk_rules){
        .owners = owners, .epoch = epoch, .thresholds = *mp_walk_thresholds_find(thresholds)};
}

static const struct variant {
    const char *name;
    const struct dws_rtl *rtl;
    bool plus;
    const char *thresholds;
    uint32_t epoch;
    enum mp_walk_owners owners;
    uint64_t events;
    bool all_points; /* not all sizes and thresholds can reach all points */
    bool varies;     /* epoch and thresholds change */
} variants[] = {
    {"dws", &dws_rtl_16_12_2, false, "default", 200, MP_WALK_INTERLEAVED, 300000, .all_points = true},
    {"dws++", &dws_rtl_16_12_2, true, "default", 240, MP_WALK_INTERLEAVED, 5000000, .all_points = true},
    {"dws++ conservative, blocked", &dws_rtl_16_12_2, true, "conservative", 200, MP_WALK_BLOCKED,
     .events = 100000},
    {"dws++ aggressive", &dws_rtl_16_12_2, true, "aggressive", 255, MP_WALK_INTERLEAVED, .events = 100000},
    {"dws, 4 x 2", &dws_rtl_4_2_2, false, "default", 200, MP_WALK_BLOCKED, 100000, .all_points = true},
    {"dws++, 4 x 2, epochs of 1", &dws_rtl_4_2_2, true, "aggressive", 1, MP_WALK_INTERLEAVED,
     .events = 50000},
    {"dws, three tenants", &dws_rtl_8_3_3, false, "default", 200, MP_WALK_INTERLEAVED, 100000,
     .all_points = true},
    {"dws++, three tenants", &dws_rtl_8_3_3, true, "aggressive", 50, MP_WALK_BLOCKED, 4000000,
     .all_points = true},
    {"dws++, changing", &dws_rtl_16_12_2, true, "default", 200, MP_WALK_INTERLEAVED, 400000,
     .all_points = true, .varies = true},
    {"dws++, 5 x 3, changing", &dws_rtl_5_3_3, true, "default", 200, MP_WALK_INTERLEAVED, 200000,
     .all_points = true, .varies = true},
};

static unsigned never_met(const struct dws_cover *c, bool say)
{
    char name[DWS_POINT_NAME];
    struct mp_rtl_point p;
    unsigned never = 0;
    for (unsigned i = 0; dws_cover_point(c, i, name, &p); i++)
        if (!p.taken) {
            if (say)
                print_message("never met: %s\n", name);
            never++;
        }
    return never;
}

static void test_random_events(void **state)
{
    struct rng seed = rng_start("dws lockstep", 20241121);
    (void)state;
    for (unsigned i = 0; i < sizeof variants / sizeof *variants; i++) {
        const struct variant *v = &variants[i];
        const struct mp_walk_rules r = rules(v->thresholds, v->epoch, v->owners);
        struct dws_lockstep *l = dws_lockstep_new(v->rtl, v->plus, &r, seed.state);
        assert_non_null(l);
        if (v->varies)
            dws_lockstep_vary(l);
        bool equal = dws_lockstep_random(l, seed.state, v->events, NULL);
        if (!equal) {
            print_message("%s:\n", v->name);
            dws_lockstep_report(l, stdout, false);
        }
        assert_true(equal);
        assert_null(rtl_lockstep_difference(dws_lockstep_base(l)));
        assert_true(dws_lockstep_base(l)->transactions >= v->events);
        if (v->all_points && never_met(dws_lockstep_cover(l), true)) {
            print_message("%s does not meet all\n", v->name);
            fail();
        }
        dws_lockstep_free(l);
    }
}

/* ---- a stream of walks ---- */

/* Tenant 0 has more walks than its walkers can serve, tenant 1 a walk from time to time. Then arrivals stop.
 */
static void test_a_stream(void **state)
{
    const struct mp_walk_rules r = rules("default", 200, MP_WALK_INTERLEAVED);
    (void)state;
    for (int plus = 0; plus < 2; plus++) {
        struct dws_lockstep *l = dws_lockstep_new(&dws_rtl_16_12_2, plus, &r, 1);
        struct dws_walks *w = dws_walks_new(l, 400, rtl_manner_of(plus));
        assert_non_null(w);
        for (uint64_t cycle = 0; cycle < 60000; cycle += 20) {
            assert_true(dws_walks_arrive(w, cycle, 0));
            if (cycle % 300 == 0)
                assert_true(dws_walks_arrive(w, cycle, 1));
        }
        assert_true(dws_walks_finish(w));
        const struct mp_partition *model = dws_lockstep_model(l);
        assert_int_equal(__builtin_popcountll(model->t.idle), 16);
        assert_int_equal(model->t.twm_pend_walks[0] + model->t.twm_pend_walks[1], 0);
        /* 3200 walks of 400 cycles on 16 walkers: no walker is idle while a walk waits. */
        assert_in_range(dws_walks_cycle(w), 3200 * 400 / 16, 3200 * 400 / 16 + 400);
        assert_true(dws_lockstep_cover(l)->point[DWS_ENQ_NO_ROOM].taken > 0);
        dws_walks_free(w);
        dws_lockstep_free(l);
    }
}

/* ---- faults ---- */

static void faulty(const struct dws_rtl *rtl, const char *const *said)
{
    const struct mp_walk_rules r = rules("default", 200, MP_WALK_INTERLEAVED);
    struct dws_lockstep *l = dws_lockstep_new(rtl, true, &r, 1);
    char *text = NULL;
    size_t size;
    assert_non_null(l);
    assert_false(dws_lockstep_random(l, 1, 1000000, NULL));
    assert_non_null(rtl_lockstep_difference(dws_lockstep_base(l)));
    FILE *f = open_memstream(&text, &size);
    dws_lockstep_report(l, f, false);
    fclose(f);
    for (; *said; said++)
        if (!strstr(text, *said)) {
            print_message("no '%s' in:\n%s", *said, text);
            fail();
        }
    free(text);
    dws_lockstep_free(l);
}

static void test_faults_are_found(void **state)
{
    static const char *const threshold[] = {
        "first difference: ", "\nevent ",  "clock ",  "completion walker=",
        "\n* FWA free[",      "\n* walk ", "before ", NULL};
    static const char *const queues[] = {"first difference: walk of a completion", "\n* walk ", NULL};
    static const char *const stolen[] = {"state after the response of a", "\n* FWA is_stolen", NULL};
    (void)state;
    faulty(&dws_rtl_fault_threshold, threshold);
    faulty(&dws_rtl_fault_queues, queues);
    faulty(&dws_rtl_fault_stolen, stolen);
}

/* The same seed makes the same events. */
static void test_a_seed_is_a_run(void **state)
{
    const struct mp_walk_rules r = rules("default", 200, MP_WALK_INTERLEAVED);
    uint64_t clocks[3];
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct dws_lockstep *l = dws_lockstep_new(&dws_rtl_16_12_2, true, &r, 1);
        assert_non_null(l);
        assert_true(dws_lockstep_random(l, 5 + i / 2, 5000, NULL));
        clocks[i] = rtl_lockstep_clocks(dws_lockstep_base(l));
        dws_lockstep_free(l);
    }
    assert_true(clocks[0] == clocks[1]);
    assert_true(clocks[0] != clocks[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_events),
        cmocka_unit_test(test_a_stream),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_a_seed_is_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
