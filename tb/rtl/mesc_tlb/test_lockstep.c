/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's unified TLB and of its baseline against their models on random requests. Every kind of
 * request meets everything it may find; the paper's example; faults are found. */
#include "../test_lockstep.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_lockstep.h"

extern const struct mesc_tlb_rtl mesc_tlb_rtl_mesc, mesc_tlb_rtl_page, mesc_tlb_rtl_small, mesc_tlb_rtl_odd;
extern const struct mesc_tlb_rtl mesc_tlb_rtl_fault_range, mesc_tlb_rtl_fault_partition,
    mesc_tlb_rtl_fault_covered, mesc_tlb_rtl_fault_newest;

LOCKSTEP_TESTS(mesc_tlb)

static void test_random_requests(void **state)
{
    struct rng seed = rng_start("mesc_tlb lockstep", 20261122);
    (void)state;
    random_is_equal("mesc", &mesc_tlb_rtl_mesc, seed.state, 400000);
    random_is_equal("page", &mesc_tlb_rtl_page, seed.state, 800000);
    random_is_equal("small", &mesc_tlb_rtl_small, seed.state, 400000);
    random_is_equal("odd", &mesc_tlb_rtl_odd, seed.state, 400000);
}

/* Figure 9 of the paper: subregions 0 to 3, 4 and 7 of a frame are three runs. */
static void test_example_of_the_paper(void **state)
{
    static const struct {
        uint8_t first, last;
        uint64_t pfn; /* of the run's first page */
    } runs[] = {{0, 3, 0xf87}, {4, 4, 0x201d}, {7, 7, 0x205d}};
    const uint64_t frame = 0x80000;
    struct mesc_tlb_lockstep *l = mesc_tlb_lockstep_new(&mesc_tlb_rtl_mesc, 1);
    struct mesc_set s = {0};
    (void)state;
    assert_non_null(l);
    for (unsigned i = 0; i < 3; i++) { /* a walk of the run's last page */
        const struct mesc_tlb_rtl_request q = {.op = MESC_INSERT_SUBREGIONS,
                                               .vpn = frame + runs[i].last * 64u + 63,
                                               .pfn = runs[i].pfn + (runs[i].last - runs[i].first) * 64u + 63,
                                               .first = runs[i].first,
                                               .last = runs[i].last};
        assert_true(mesc_tlb_lockstep_step(l, &q));
    }
    mesc_tlb_rtl_mesc.state(mesc_tlb_lockstep_base(l)->block, 0, &s);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(s.way[8 + i].subregions); /* the partition's first ways */
        assert_true(s.way[8 + i].vpn == frame + runs[i].first * 64u);
        assert_true(s.way[8 + i].pfn == runs[i].pfn);
        assert_int_equal(s.way[8 + i].pages, (runs[i].last - runs[i].first + 1) * 64);
    }
    for (uint64_t page = 0; page < 512; page++) {
        struct mesc_tlb_rtl_response r;
        const struct mesc_tlb_rtl_request q = {.op = MESC_LOOKUP, .vpn = frame + page};
        bool hits = page < 5 * 64 || page >= 7 * 64;
        mesc_tlb_rtl_mesc.request(mesc_tlb_lockstep_base(l)->block, &q, &r);
        assert_int_equal(r.action, hits ? MESC_HIT_SUBREGIONS : MESC_MISS);
        if (hits)
            assert_true(r.pfn == (page < 256   ? 0xf87 + page
                                  : page < 320 ? 0x201d + page - 256
                                               : 0x205d + page - 448));
    }
    mesc_tlb_lockstep_free(l);
}

static void test_faults_are_found(void **state)
{
    static const char *const any[] = {
        "first difference: state of set ", "\ntransaction ", "\n* way ", "model  rank ", "vpn=0x", NULL};
    (void)state;
    faulty(&mesc_tlb_rtl_fault_range, any);
    faulty(&mesc_tlb_rtl_fault_partition, any);
    faulty(&mesc_tlb_rtl_fault_covered, any);
    faulty(&mesc_tlb_rtl_fault_newest, any);
}

static void test_a_seed_is_a_run(void **state)
{
    (void)state;
    a_seed_is_a_run(&mesc_tlb_rtl_mesc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_requests),
        cmocka_unit_test(test_example_of_the_paper),
        cmocka_unit_test(test_faults_are_found),
        cmocka_unit_test(test_a_seed_is_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
