/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tenants on one SM: tenant, address space and SM are three different numbers. Each tenant has its own
 * faults, barriers and counters, and is aborted alone.
 */
#include "app_bench.h"

static bool absent[TENANTS][8]; /* by page of the heap */
static uint32_t requests[TENANTS];

static void translate(struct fake_target *t, struct mp_req *req)
{
    uint32_t i = req->asid == asid_of(1);
    assert_int_equal(req->asid, asid_of(i));
    assert_int_equal(req->tenant, tenant_of(i));
    assert_int_equal(req->sm, t - b.tlb);
    requests[i]++;
    req->source = MP_FROM_TLB;
    req->fault = absent[i][(req->va - HEAP) / PAGE];
    req->pa = req->va - HEAP + i * 8 * PAGE;
}

static void check_line(struct fake_target *t, struct mp_req *req)
{
    uint32_t i = req->asid == asid_of(1);
    (void)t;
    assert_int_equal(req->asid, asid_of(i));
    assert_int_equal(req->tenant, tenant_of(i));
    assert_int_equal(req->pa,
                     req->va - HEAP + i * 8 * PAGE); /* its own frame, though both use the same addresses */
}

/* Work-groups of two warps that load from each page, with a barrier after each load. */
static void start_loads(uint32_t i, uint32_t ctas, uint32_t pages, uint32_t gap)
{
    begin_trace();
    kernel(ctas, 2, 0);
    for (uint32_t c = 0; c < ctas; c++) {
        gwt_write_cta(b.writer, c, 2);
        for (uint32_t w = 0; w < 2; w++) {
            gwt_write_warp(b.writer, w, 32);
            for (uint32_t p = 0; p < pages; p++) {
                load(gap + w, HEAP + p * PAGE);
                barrier(1);
            }
            leave(1);
        }
    }
    gwt_write_kernel_end(b.writer);
    start_tenant(i, NULL, 0, 0, 1);
}

static void start_both(void)
{
    memset(absent, 0, sizeof absent);
    memset(requests, 0, sizeof requests);
    set_up_sms(4, translate);
    b.cache[0].answer = check_line;
}

static int tear_down(void **state)
{
    (void)state;
    tear_down_tenants();
    return 0;
}

static void complete_and_counted(uint32_t i)
{
    const struct gwt_totals *all = gwt_totals(tenants[i].reader);
    const struct mp_sm_stats s = counted(i);
    assert_int_equal(tenants[i].completed, 1);
    assert_int_equal(s.issued, all->instructions);
    assert_int_equal(s.accesses, all->accesses);
    assert_int_equal(s.pages, all->accesses);
    assert_int_equal(s.lines, all->accesses);
    assert_int_equal(s.ctas, all->ctas);
    assert_int_equal(tenants[i].app.stats.accesses, all->accesses);
}

static void each_counts_its_own(void **state)
{
    (void)state;
    start_both();
    start_loads(0, 7, 3, 2);
    start_loads(1, 4, 5, 9);
    run_until(&b.wheel, 0);
    assert_ptr_equal(b.sm[0].cta[0].owner, &tenants[0].app.owner);
    assert_int_equal(b.sm[0].room.free_ctas, 0); /* the first has all four; the second starts as they end */
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < TENANTS; i++) {
        complete_and_counted(i);
        assert_int_equal(requests[i], tenants[i].app.stats.accesses);
    }
    assert_int_equal(b.sm[0].stats[0].issued + b.sm[0].stats[2].issued, 0);
    assert_int_equal(b.sm[1].stats[1].issued + b.sm[1].stats[3].issued, 0);
}

/* A page of the first tenant faults: the second runs to its end at the same address. */
static void a_fault_stops_its_tenant_only(void **state)
{
    (void)state;
    start_both();
    tenants[0].keeps_faults = true;
    absent[0][1] = true;
    start_loads(0, 2, 3, 2);
    start_loads(1, 2, 3, 2);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].completed, 0);
    assert_int_equal(tenants[0].faults, 4);
    assert_int_equal(tenants[1].faults, 0);
    complete_and_counted(1);
    absent[0][1] = false;
    for (struct mp_req *page; (page = mp_queue_pop(&tenants[0].kept));)
        mp_sm_retry(&b.sm[page->sm], page);
    run_dry(&b.wheel);
    complete_and_counted(0);
    assert_int_equal(b.sm[0].returned[tenant_of(0)], 4);
    assert_int_equal(b.sm[0].returned[tenant_of(1)], 0);
}

static void only_the_scopes_address_space_is_in_use(void **state)
{
    const struct mp_scope all = {.every_asid = true, .every_page = true};
    const struct mp_scope first = {.every_page = true, .asid = asid_of(0)},
                          second = {.every_page = true, .asid = asid_of(1)};
    (void)state;
    start_both();
    tenants[0].keeps_faults = true;
    absent[0][0] = true;
    start_loads(0, 1, 1, 2);
    start_loads(1, 1, 1, 2);
    run_until(&b.wheel, 2 + TLB + 3);
    assert_int_equal(tenants[0].faults, 2);
    assert_true(mp_sm_uses_translations_of(&b.sm[0], &all, 1000));
    assert_false(mp_sm_uses_translations_of(&b.sm[0], &first, 1000));
    assert_true(mp_sm_uses_translations_of(&b.sm[0], &second, 1000));
    for (struct mp_req *page; (page = mp_queue_pop(&tenants[0].kept));)
        mp_sm_give_up(&b.sm[page->sm], page);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].completed + tenants[1].completed, 2);
}

/* The second tenant completes, whichever cycle the first one is aborted in. */
static void an_abort_leaves_the_other_tenant_running(void **state)
{
    for (uint64_t when = 1; when < 200; when += 3) {
        start_both();
        absent[0][2] = true;
        tenants[0].keeps_faults = true;
        start_loads(0, 3, 4, 1);
        start_loads(1, 3, 4, 3);
        run_until(&b.wheel, when);
        mp_wheel_advance(&b.wheel, when);
        assert_int_equal(tenants[0].completed, 0);
        tenants[0].keeps_faults = false;
        mp_app_abort(&tenants[0].app);
        for (struct mp_req *page; (page = mp_queue_pop(&tenants[0].kept));)
            mp_sm_give_up(&b.sm[page->sm], page);
        run_dry(&b.wheel);
        assert_int_equal(tenants[0].completed, 1);
        assert_int_equal(tenants[0].app.stats.completions, 0);
        assert_true(counted(0).accesses < gwt_totals(tenants[0].reader)->accesses);
        complete_and_counted(1);
        assert_int_equal(tenants[1].app.stats.completions, 1);
        assert_int_equal(b.sm[0].used | b.sm[0].ready | b.sm[0].lsu_waiting, 0);
        assert_int_equal(b.sm[0].room.local_used, 0);
        if (when + 3 < 200)
            tear_down(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_counts_its_own, tear_down),
        cmocka_unit_test_teardown(a_fault_stops_its_tenant_only, tear_down),
        cmocka_unit_test_teardown(only_the_scopes_address_space_is_in_use, tear_down),
        cmocka_unit_test_teardown(an_abort_leaves_the_other_tenant_running, tear_down),
    };
    return cmocka_run_group_tests_name("app_tenants", tests, NULL, NULL);
}
