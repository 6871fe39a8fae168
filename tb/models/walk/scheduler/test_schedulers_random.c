/* SPDX-License-Identifier: Apache-2.0 */
/* Random traffic for every scheduler, compared event by event with the reference; also with tenants that come
 * and go. */
#include "drive.h"

static struct drive d;
static struct reference ref;
static struct rng rng;

struct totals {
    uint64_t steals, by_threshold, outside, taken, walks;
};
static struct totals totals;
static uint32_t takes_percent; /* walks that are taken out of a queue, per cycle */

/* One of the walks that wait in a queue is answered without a walker. */
static void take_one(void)
{
    const struct mp_walk_scheduler *s = d.intake.scheduler;
    uint32_t queue = s->one_line ? 0 : rng_below(&rng, d.g.walkers);
    uint32_t length = s->queue(d.intake.state, queue)->length;
    if (!length)
        return;
    drive_take(&d, queue, rng_below(&rng, length));
    totals.taken++;
}

/* A cycle: walks that others answer, completions in walker order, requests from outside, arrivals. */
static void cycle(const uint32_t *ends_percent, const uint32_t *burst)
{
    if (takes_percent && rng_percent(&rng, takes_percent))
        take_one();
    for (uint32_t w = 0; w < d.g.walkers; w++)
        if (d.serves[w] >= 0 && rng_percent(&rng, *ends_percent))
            drive_complete(&d, w);
    drive_retry(&d);
    for (uint8_t t = 0; t < d.g.tenants; t++) {
        uint32_t n = burst[t] ? rng_below(&rng, burst[t]) : 0;
        while (n--)
            totals.outside += drive_arrive(&d, t) == MP_WALK_NO_ROOM;
    }
}

static void drain(void)
{
    for (uint32_t i = 0; d.done < d.arrived; i++) {
        assert_true(i < 4 * REF_WALKS);
        for (uint32_t w = 0; w < d.g.walkers; w++)
            if (d.serves[w] >= 0)
                drive_complete(&d, w);
        drive_retry(&d);
    }
}

/* The paper's, or random ones. */
static struct mp_walk_thresholds thresholds(void)
{
    struct mp_walk_thresholds t = mp_walk_thresholds[rng_below(&rng, 3)];
    if (rng_percent(&rng, 30))
        return t;
    for (unsigned i = 0; i < MP_WALK_RATIOS; i++)
        t.diff[i] = rng_percent(&rng, 10) ? MP_WALK_NEVER : (uint8_t)rng_below(&rng, 40);
    t.queue = (uint8_t)rng_below(&rng, 101);
    return t;
}

static void one_run(const struct mp_walk_scheduler *s, enum mp_walk_compat compat, bool come_and_go)
{
    struct mp_walk_geometry g;
    struct mp_walk_rules r = drive_rules(compat);
    g.walkers = rng_between(&rng, 1, REF_WALKERS);
    g.tenants = rng_between(&rng, 1, 4);
    if (compat == MP_WALK_HPCA21 && g.tenants > s->published)
        g.tenants = s->published;
    g.tenants = g.tenants > g.walkers ? g.walkers : g.tenants;
    if (compat == MP_WALK_HPCA21 && g.tenants == 1)
        compat = r.compat = MP_WALK_PAPER;
    g.queue = g.walkers * rng_below(&rng, 9) + rng_below(&rng, g.walkers);
    r.owners = rng_below(&rng, 2) ? MP_WALK_BLOCKED : MP_WALK_INTERLEAVED;
    r.epoch = rng_between(&rng, 1, 30);
    r.thresholds = thresholds();
    drive_init(&d, s, &g, &r, &ref);
    uint32_t ends = rng_between(&rng, 20, 80), burst[4] = {0};
    while (d.arrived < 400) {
        if (rng_below(&rng, 20) == 0 || !(burst[0] + burst[1] + burst[2] + burst[3]))
            for (uint32_t t = 0; t < g.tenants; t++)
                burst[t] = rng_percent(&rng, 20) ? 0 : rng_between(&rng, 2, 2 + g.walkers / 2);
        if (come_and_go && rng_below(&rng, 40) == 0)
            drive_set_tenants(&d, rng_between(&rng, 1, (1u << g.tenants) - 1));
        cycle(&ends, burst);
    }
    drain();
    totals.steals += d.steals;
    totals.by_threshold += d.steals_by_threshold;
    totals.walks += d.done;
    drive_free(&d);
}

static void runs(const struct mp_walk_scheduler *s, enum mp_walk_compat compat, bool come_and_go)
{
    totals = (struct totals){0};
    for (uint32_t i = 0; i < 100; i++)
        one_run(s, compat, come_and_go);
    assert_true(totals.outside > totals.walks / 50); /* room was scarce */
}

static void against_the_reference(void **state)
{
    (void)state;
    rng = rng_start("schedulers", 101);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        const struct mp_walk_scheduler *s = mp_walk_schedulers[i];
        runs(s, MP_WALK_PAPER, false);
        assert_int_equal(totals.steals > totals.walks / 50, ref_policy_of(s)->steals);
        assert_int_equal(totals.by_threshold > totals.walks / 500, ref_policy_of(s)->by_threshold);
    }
}

static void as_published(void **state)
{
    (void)state;
    rng = rng_start("schedulers as published", 102);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++)
        if (mp_walk_schedulers[i]->published)
            runs(mp_walk_schedulers[i], MP_WALK_HPCA21, false);
}

static void tenants_come_and_go(void **state)
{
    (void)state;
    rng = rng_start("tenants come and go", 103);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++)
        if (mp_walk_schedulers[i]->set_tenants)
            runs(mp_walk_schedulers[i], MP_WALK_PAPER, true);
}

static void walks_that_others_answer(void **state)
{
    (void)state;
    rng = rng_start("walks that others answer", 104);
    takes_percent = 40;
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        runs(mp_walk_schedulers[i], MP_WALK_PAPER, mp_walk_schedulers[i]->set_tenants && i % 2);
        assert_true(totals.taken > totals.walks / 50);
    }
    takes_percent = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_reference),
        cmocka_unit_test(as_published),
        cmocka_unit_test(tenants_come_and_go),
        cmocka_unit_test(walks_that_others_answer),
    };
    return cmocka_run_group_tests_name("schedulers at random", tests, NULL, NULL);
}
