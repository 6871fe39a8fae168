/* SPDX-License-Identifier: Apache-2.0 */
/* Designs under firmware: what registers can name and what they cannot, and what a dispatch policy counts. */
#include "mig_bench.h"

static uint32_t set_tlb(unsigned level, unsigned number)
{
    b.why[0] = '\0';
    W4(TLB_LEVEL, level);
    W4(TLB_POLICY, number);
    W4(TLB_APPLY, 1);
    return R4(TLB_STATUS);
}

static uint32_t set_walk(unsigned number)
{
    b.why[0] = '\0';
    W4(WALK_INSTANCE, 0);
    W4(WALK_POLICY, number);
    W4(WALK_EPOCH, 10);
    W4(WALK_APPLY, 1);
    return R4(WALK_STATUS);
}

/* "BEFORE0 first, 1 second": the designs of a list that fit the place, with their numbers. */
static const char *numbered(const char *before, const struct mp_design *const *designs, unsigned place)
{
    static char text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "%s", before);
    const char *between = "";
    for (unsigned i = 0; designs[i]; i++)
        if (mp_design_fits(designs[i], place)) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u %s", between, i, designs[i]->name);
            between = ", ";
        }
    return text;
}

static void each_design_can_be_chosen(void **state)
{
    (void)state;
    set_up(3);
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++) {
        assert_int_equal(set_walk(i), MP_MGMT_OK);
        assert_ptr_equal(b.gpu.instance[0].walk->p.scheduler, mp_walk_schedulers[i]);
    }
    for (unsigned i = 0; mp_tlb_policies[i]; i++)
        assert_int_equal(set_tlb(3, i) == MP_MGMT_BAD_VALUE, !mp_design_fits(&mp_tlb_policies[i]->design, 3));
}

static void a_number_without_a_design_is_refused_with_those_that_have_one(void **state)
{
    (void)state;
    set_up(3);
    assert_int_equal(create(0, 1), MP_MGMT_OK);
    assert_int_equal(set_tlb(3, 1), MP_MGMT_OK);
    assert_string_equal(b.why, "");
    assert_int_equal(set_tlb(3, 42), MP_MGMT_BAD_VALUE);
    assert_memory_equal(b.why, "TLB_POLICY of level 3: number 42 selects no design; 0 subentry, 1 star, 2 ",
                        74);
    assert_non_null(strstr(b.why, ", 10 mask"));
    assert_int_equal(set_tlb(3, 255), MP_MGMT_BAD_VALUE); /* beyond all numbers that there can be */
    assert_non_null(strstr(b.why, "number 255 selects no design; 0 subentry"));
    b.gpu.machine.tlb_policy[1].policy = NULL; /* a program without STAR */
    assert_int_equal(set_tlb(3, 1), MP_MGMT_BAD_VALUE);
    assert_non_null(strstr(b.why, "number 1 selects no design; 0 subentry, 2 star-sequential, 3 "));
    assert_int_equal(set_walk(0), MP_MGMT_OK);
    assert_int_equal(set_walk(77), MP_MGMT_BAD_VALUE);
    assert_string_equal(b.why,
                        numbered("WALK_POLICY: number 77 selects no design; ", mp_walk_scheduler_designs, 0));
}

static void a_level_has_the_policies_that_fit_it(void **state)
{
    (void)state;
    set_up(3);
    assert_int_equal(set_tlb(2, 1), MP_MGMT_BAD_VALUE);
    assert_string_equal(
        b.why, numbered("TLB_POLICY of level 2: number 1 selects no design; ", mp_tlb_policy_designs, 2));
    b.gpu.machine.tlb_policy[10].own.v[1] = 1000; /* per cent */
    assert_int_equal(set_tlb(2, 10), MP_MGMT_UNSUPPORTED);
    assert_memory_equal(b.why, "TLB_POLICY: mask: ", 18);
    assert_non_null(strstr(b.why, "1000 is too large; "));
}

/* --- what a dispatch policy counts ------------------------------------------------------------------ */

struct counters {
    uint64_t placed, ended;
};

static const struct mp_metric metrics[] = {
    MP_COUNTER_OF(struct counters, placed, "work-groups", "that have been started"),
    MP_COUNTER_OF(struct counters, ended, "work-groups", "that have ended")};

static const struct mp_metric_table table = {"counting", sizeof(struct counters), 2, metrics};

static struct mp_dispatch_policy counting;

static bool place(struct mp_app *app)
{
    uint32_t before = app->running;
    bool all = mp_dispatch_policies[0]->place(app);
    ((struct counters *)app->counters)->placed += app->running - before;
    return all;
}

static uint32_t ended(struct mp_app *app, struct mp_sm *sm, void *work)
{
    ((struct counters *)app->counters)->ended++;
    return mp_dispatch_policies[0]->ended(app, sm, work);
}

static struct counters counters_of(unsigned asid)
{
    struct counters c;
    mp_mig_dispatched(&b.gpu, asid, (uint64_t *)&c);
    return c;
}

/* Launches of an address space add up, the one that runs included. */
static void what_a_dispatch_policy_counts_outlives_launches(void **state)
{
    (void)state;
    struct table t;
    counting = *mp_dispatch_policies[0];
    counting.design = (struct mp_design){.name = "counting", .counters = &table};
    counting.place = place;
    counting.ended = ended;
    set_up_dispatch(3, &counting);
    assert_int_equal(create(0, 3), MP_MGMT_OK);
    table_make(&t, 0);
    for (uint64_t p = 0; p < PAGES; p++)
        table_map(&t, HEAP + p * PAGE, MB + p * PAGE);
    for (unsigned asid = 0; asid < 2; asid++)
        assert_int_equal(commit(asid, 0, t.root), MP_MGMT_OK);
    assert_int_equal(launch(0, 1, 0, 5), MP_MGMT_OK); /* two kernels of 12 work-groups */
    go_on(10);
    assert_int_equal(counters_of(1).placed, 12);
    assert_int_equal(counters_of(1).ended, 0);
    settle();
    assert_int_equal(launch(0, 1, 0, 6), MP_MGMT_OK);
    assert_int_equal(launch(0, 0, 1, 7), MP_MGMT_OK); /* one work-group */
    settle();
    assert_int_equal(R4(DONE_COUNT), 3);
    assert_int_equal(counters_of(1).placed, 48);
    assert_int_equal(counters_of(1).ended, 48);
    assert_int_equal(counters_of(0).ended, 1);
    assert_int_equal(counters_of(2).placed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_design_can_be_chosen, tear_down),
        cmocka_unit_test_teardown(a_number_without_a_design_is_refused_with_those_that_have_one, tear_down),
        cmocka_unit_test_teardown(a_level_has_the_policies_that_fit_it, tear_down),
        cmocka_unit_test_teardown(what_a_dispatch_policy_counts_outlives_launches, tear_down),
    };
    return cmocka_run_group_tests_name("mig designs", tests, NULL, NULL);
}
