/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ways to share SMs (Fractional GPUs): persistent threads on partitions, a share of the resident warps of all
 * SMs, and kernels that take turns. What persistent threads add is counted against the paper's
 * transformation.
 */
#include "app_bench.h"

enum { FOREIGN = 6, BEGIN = 10, STORE = 1, POP = 5, FOUND = 12, NONE = 2 };

#define COUNTERS 0x7fff00000000ull

static uint32_t atomics[TENANTS][2], stores[TENANTS][2]; /* by counter */
static uint32_t strangers;                               /* data requests of a tenant from another's SM */
static uint32_t partition[SMS];

static void translate(struct fake_target *t, struct mp_req *req)
{
    uint32_t i = req->asid == asid_of(1);
    req->pa = req->va - HEAP;
    strangers += partition[t - b.tlb] != i && partition[t - b.tlb] < TENANTS;
    if (req->va < COUNTERS)
        return;
    uint64_t k = (req->va - COUNTERS) / 256;
    assert_in_range(k, 0, 1);
    assert_int_equal(req->va % 256, 0);
    atomics[i][k] += req->op == MP_ATOMIC;
    stores[i][k] += req->op == MP_STORE;
}

static void set_up(uint32_t ctas)
{
    memset(atomics, 0, sizeof atomics);
    memset(stores, 0, sizeof stores);
    strangers = 0;
    for (uint32_t k = 0; k < SMS; k++)
        partition[k] = TENANTS;
    set_up_sms(ctas, translate);
}

/* SM 0 is the first tenant's, the others are the second's. */
static void set_up_partitions(void)
{
    set_up(8);
    partition[0] = 0;
    partition[1] = partition[2] = 1;
}

static int tear_down(void **state)
{
    (void)state;
    tear_down_tenants();
    return 0;
}

static void write_loads(uint32_t kernels, uint32_t ctas, uint32_t warps, uint32_t local_bytes)
{
    begin_trace();
    for (uint32_t k = 0; k < kernels; k++)
        kernel_of_random_loads(ctas, warps, local_bytes);
}

/* --- persistent threads ----------------------------------------------------------------------------- */

/* Blocks that an SM of 8 warps and 1000 bytes holds. */
static uint32_t blocks_of(uint32_t warps, uint32_t local_bytes)
{
    uint32_t by_warps = 8 / warps, by_bytes = 1000 / (local_bytes + 16);
    return by_warps < by_bytes ? by_warps : by_bytes;
}

static void check_persistent(uint32_t i, uint32_t kernels, uint32_t warps, uint32_t local_bytes, uint32_t sms)
{
    const struct gwt_totals *all = gwt_totals(tenants[i].reader);
    const uint64_t *added = tenants[i].app.counters; /* instructions, pops, foreign */
    uint32_t blocks = SMS * blocks_of(warps, local_bytes);
    uint64_t foreign = added[2], own = (uint64_t)kernels * blocks - foreign; /* of all launches */
    assert_int_equal(tenants[i].completed, 1);
    /* A block that finds no room on another partition's SM may go to an own one. */
    assert_true(own >= (uint64_t)kernels * blocks / SMS * sms);
    assert_int_equal(added[1], all->ctas + own);
    assert_int_equal(added[0], kernels * STORE + warps * (foreign * FOREIGN + own * (BEGIN + NONE)) +
                                   added[1] * POP + all->ctas * warps * FOUND);
    assert_int_equal(tenants[i].app.added, added[0] - foreign * warps * FOREIGN);
    assert_int_equal(counted(i).issued, all->instructions + added[0]);
    assert_int_equal(counted(i).accesses, all->accesses + added[1] + kernels);
    assert_int_equal(tenants[i].app.stats.accesses, all->accesses);
    assert_int_equal(counted(i).ctas, kernels * blocks);
    /* The first launch uses counter 1 and clears counter 0. */
    uint32_t odd = (kernels + 1) / 2;
    assert_int_equal(stores[i][0], odd);
    assert_int_equal(stores[i][1], kernels - odd);
    assert_int_equal(atomics[i][0] + atomics[i][1], added[1]);
    uint64_t ctas = all->ctas / kernels; /* of a launch */
    assert_in_range(atomics[i][1], odd * (ctas + blocks / SMS * sms), odd * (ctas + blocks));
    assert_int_equal(tenants[i].app.warps, 0);
}

static void persistent_threads_on_partitions(void **state)
{
    const struct mp_dispatch_policy *persistent = mp_dispatch_policy_find("persistent");
    b.rng = rng_start("persistent", 32);
    for (uint32_t round = 0; round < 30; round++) {
        uint32_t warps = 1u << rng_below(&b.rng, 4), kernels = rng_between(&b.rng, 1, 3);
        uint32_t local_bytes = rng_below(&b.rng, 2) ? 484 : 0;
        set_up_partitions();
        write_loads(kernels, rng_between(&b.rng, 1, 60), warps, local_bytes);
        start_tenant(0, persistent, 0, 0, 1);
        write_loads(kernels, rng_between(&b.rng, 1, 60), warps, 0);
        start_tenant(1, persistent, 0, 1, 2);
        run_dry(&b.wheel);
        check_persistent(0, kernels, warps, local_bytes, 1);
        check_persistent(1, kernels, warps, 0, 2);
        assert_int_equal(strangers, 0);
        if (round < 29)
            tear_down(state);
    }
}

/* The other partition is full with one long kernel. */
static void a_full_partition_holds_back_no_other(void **state)
{
    const struct mp_dispatch_policy *persistent = mp_dispatch_policy_find("persistent");
    (void)state;
    b.rng = rng_start("full", 36);
    set_up_partitions();
    write_loads(1, 200, 8, 0);
    start_tenant(0, persistent, 0, 0, 1);
    write_loads(3, 2, 8, 0);
    start_tenant(1, persistent, 0, 1, 2);
    run_dry(&b.wheel);
    assert_int_equal(tenants[0].completed, 1);
    assert_int_equal(tenants[1].completed, 1);
    assert_true(2 * tenants[1].end < tenants[0].end);
    assert_int_equal(strangers, 0);
}

/* Blocks of the tenant on an SM. */
static uint32_t blocks_on(uint32_t tenant, uint32_t k)
{
    uint32_t n = 0;
    for (uint32_t c = 0; c < b.sm[k].p.ctas; c++)
        n += b.sm[k].cta[c].warps && b.sm[k].cta[c].owner == &tenants[tenant].app.owner;
    return n;
}

/* Also one that begins while the other partition is full, so that the blocks whose turn comes there go to own
 * SMs, and these are unequally full before all blocks have a place. */
static void blocks_fill_every_own_sm(void **state)
{
    const struct mp_dispatch_policy *persistent = mp_dispatch_policy_find("persistent");
    uint32_t most[SMS] = {0};
    (void)state;
    b.rng = rng_start("own", 37);
    set_up_partitions();
    write_loads(1, 400, 8, 0);
    start_tenant(0, persistent, 0, 0, 1);
    write_loads(1, 400, 1, 0);
    start_tenant(1, persistent, 0, 1, 2);
    uint32_t begun = 0; /* cycles in which it has work-groups left */
    for (uint64_t next; (next = mp_wheel_next(&b.wheel)) != MP_NEVER;) {
        mp_wheel_advance(&b.wheel, next);
        mp_wheel_run_cycle(&b.wheel);
        if (!tenants[1].app.kernel || !mp_app_peek(&tenants[1].app)) {
            if (begun)
                break;
            continue;
        }
        begun++;
        for (uint32_t k = 0; k < SMS; k++)
            most[k] = blocks_on(1, k) > most[k] ? blocks_on(1, k) : most[k];
    }
    assert_true(begun > 1000);
    assert_int_equal(tenants[0].completed, 0);
    assert_int_equal(most[1], blocks_of(1, 0));
    assert_int_equal(most[2], blocks_of(1, 0));
    run_dry(&b.wheel);
}

static uint64_t end_with_sync(const char *policy, uint32_t cycles)
{
    b.rng = rng_start("sync", 33);
    set_up(8);
    write_loads(3, 7, 2, 0);
    start_tenant(0, mp_dispatch_policy_find(policy), 0, 0, SMS);
    tenants[0].app.p.host_sync = cycles;
    run_dry(&b.wheel);
    uint64_t end = tenants[0].end;
    tear_down(NULL);
    return end;
}

/* Persistent threads are launched through the host; of other kernels it learns when the last one has ended.
 */
static void the_host_learns_of_the_end_of_kernels(void **state)
{
    (void)state;
    assert_int_equal(end_with_sync("persistent", 500) - end_with_sync("persistent", 0), 3 * 500);
    assert_int_equal(end_with_sync("breadth_first", 500) - end_with_sync("breadth_first", 0), 500);
    set_up(1); /* what the teardown takes down */
}

/* --- shares of the resident warps ------------------------------------------------------------------- */

static void a_tenant_has_a_share_of_the_warps(void **state)
{
    const uint32_t share = SMS * 8 / 2;
    uint32_t most[TENANTS] = {0};
    bool together = false; /* on an SM */
    (void)state;
    b.rng = rng_start("threads", 34);
    set_up(8);
    for (uint32_t i = 0; i < TENANTS; i++) {
        write_loads(2, 40, 2, 0);
        start_tenant(i, mp_dispatch_policy_find("breadth_first"), 0, 0, SMS);
        tenants[i].app.p.most_warps = share;
    }
    for (uint64_t next; (next = mp_wheel_next(&b.wheel)) != MP_NEVER;) {
        uint32_t warps[TENANTS] = {0};
        mp_wheel_advance(&b.wheel, next);
        mp_wheel_run_cycle(&b.wheel);
        for (uint32_t k = 0; k < SMS; k++) {
            uint32_t here[TENANTS] = {0};
            for (uint64_t used = b.sm[k].used; used; used &= used - 1) {
                const struct mp_sm_warp *w = &b.sm[k].warp[__builtin_ctzll(used)];
                here[b.sm[k].cta[w->cta].owner == &tenants[1].app.owner]++;
            }
            together = together || (here[0] && here[1]);
            warps[0] += here[0];
            warps[1] += here[1];
        }
        for (uint32_t i = 0; i < TENANTS; i++) {
            assert_in_range(warps[i], 0, share);
            most[i] = warps[i] > most[i] ? warps[i] : most[i];
        }
    }
    for (uint32_t i = 0; i < TENANTS; i++) {
        assert_int_equal(most[i], share);
        assert_int_equal(tenants[i].completed, 1);
        assert_int_equal(counted(i).accesses, gwt_totals(tenants[i].reader)->accesses);
    }
    assert_true(together);
}

/* With half of the warps, two of three SMs: the second tenant begins on the one that the first does not use,
 * and then has the emptier one of the others. */
static void a_tenant_is_on_its_share_of_sms_at_a_time(void **state)
{
    uint32_t used[SMS] = {0};
    bool two[TENANTS] = {false};
    (void)state;
    b.rng = rng_start("emptiest", 38);
    set_up(8);
    for (uint32_t i = 0; i < TENANTS; i++) {
        write_loads(2, 60, 1, 0);
        start_tenant(i, mp_dispatch_policy_find("emptiest"), 0, 0, SMS);
        tenants[i].app.p.most_warps = SMS * 8 / 2;
    }
    for (uint64_t next; (next = mp_wheel_next(&b.wheel)) != MP_NEVER;) {
        mp_wheel_advance(&b.wheel, next);
        mp_wheel_run_cycle(&b.wheel);
        for (uint32_t i = 0; i < TENANTS; i++) {
            uint32_t sms = 0;
            for (uint32_t k = 0; k < SMS; k++)
                sms += blocks_on(i, k) > 0;
            assert_in_range(sms, 0, 2);
            two[i] |= sms == 2;
        }
        if (!next) { /* 12 warps on SMs 0 and 1; then 8 on SM 2, and the 2 free ones of another */
            for (uint32_t k = 0; k < SMS; k++)
                used[k] = blocks_on(1, k);
            assert_int_equal(blocks_on(0, 0) + blocks_on(0, 1), 12);
            assert_int_equal(used[2], 8);
            assert_int_equal(used[0] + used[1], 2);
        }
    }
    for (uint32_t i = 0; i < TENANTS; i++) {
        assert_true(two[i]);
        assert_int_equal(tenants[i].completed, 1);
        assert_int_equal(counted(i).accesses, gwt_totals(tenants[i].reader)->accesses);
    }
}

/* --- turns ------------------------------------------------------------------------------------------ */

static void kernels_of_two_tenants_do_not_overlap(void **state)
{
    uint32_t turns = 0, last = TENANTS;
    (void)state;
    b.rng = rng_start("turns", 35);
    set_up(8);
    for (uint32_t i = 0; i < TENANTS; i++) {
        write_loads(4, 20, 2, 0);
        start_tenant(i, mp_dispatch_policy_find("breadth_first"), 0, 0, SMS);
        tenants[i].app.p.takes_turns = true;
    }
    for (uint64_t next; (next = mp_wheel_next(&b.wheel)) != MP_NEVER;) {
        mp_wheel_advance(&b.wheel, next);
        mp_wheel_run_cycle(&b.wheel);
        assert_false(tenants[0].app.kernel && tenants[1].app.kernel);
        for (uint32_t i = 0; i < TENANTS; i++)
            if (tenants[i].app.kernel && last != i) {
                last = i;
                turns++;
            }
    }
    assert_int_equal(turns, 8); /* the launch latency is shorter than a kernel */
    for (uint32_t i = 0; i < TENANTS; i++) {
        assert_int_equal(tenants[i].completed, 1);
        assert_int_equal(tenants[i].app.stats.kernels, 4);
        assert_int_equal(counted(i).accesses, gwt_totals(tenants[i].reader)->accesses);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(persistent_threads_on_partitions, tear_down),
        cmocka_unit_test_teardown(a_full_partition_holds_back_no_other, tear_down),
        cmocka_unit_test_teardown(blocks_fill_every_own_sm, tear_down),
        cmocka_unit_test_teardown(the_host_learns_of_the_end_of_kernels, tear_down),
        cmocka_unit_test_teardown(a_tenant_has_a_share_of_the_warps, tear_down),
        cmocka_unit_test_teardown(a_tenant_is_on_its_share_of_sms_at_a_time, tear_down),
        cmocka_unit_test_teardown(kernels_of_two_tenants_do_not_overlap, tear_down),
    };
    return cmocka_run_group_tests_name("partitions", tests, NULL, NULL);
}
