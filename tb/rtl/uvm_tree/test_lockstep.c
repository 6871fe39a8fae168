/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of the prefetch tree against the model on random blocks, which meet every point; faults are found;
 * whole services bring what prefetch design `tree` brings; how long a query takes. */
#include "../test_lockstep.h"
#include "rtl/lockstep/random.h"
#include "rtl/uvm_tree/lockstep/uvm_tree_lockstep.h"

extern const struct uvm_tree_rtl uvm_tree_rtl_2mb, uvm_tree_rtl_small;
extern const struct uvm_tree_rtl uvm_tree_rtl_fault_equal, uvm_tree_rtl_fault_first, uvm_tree_rtl_fault_held,
    uvm_tree_rtl_fault_mark;

LOCKSTEP_TESTS(uvm_tree)

static void test_random_blocks(void **state)
{
    struct rng seed = rng_start("uvm_tree lockstep", 20261128);
    (void)state;
    random_is_equal("2mb", &uvm_tree_rtl_2mb, seed.state, 200000);
    random_is_equal("small", &uvm_tree_rtl_small, seed.state, 200000);
}

static void test_faults(void **state)
{
    (void)state;
    const char *const region[] = {"first difference: region", "a query of page ", "* count ", NULL};
    faulty(&uvm_tree_rtl_fault_equal, region);
    faulty(&uvm_tree_rtl_fault_first, region);
    const char *const marks[] = {"first difference: state", "a mark of page ", "* marks of pages ", NULL};
    faulty(&uvm_tree_rtl_fault_held, marks);
    faulty(&uvm_tree_rtl_fault_mark, marks);
}

static void test_a_seed_is_a_run(void **state)
{
    (void)state;
    a_seed_is_a_run(&uvm_tree_rtl_2mb);
}

/* ---- services ---- */

static struct mp_uvm_pages ask(void *lockstep, const struct mp_uvm_unit_request *request)
{
    assert_true(uvm_tree_lockstep_step(lockstep, request, (struct rtl_manner){0}));
    return uvm_tree_lockstep_region(lockstep);
}

static void draw_pages(struct mp_uvm_mask *m, const struct mp_uvm_look *b, uint64_t *random, uint32_t n)
{
    *m = (struct mp_uvm_mask){{0}};
    for (; n; n--)
        mp_uvm_add(m, b->first + below(random, b->end - b->first));
}

/* A block of pages of 4 KB or 64 KB that begins and ends anywhere. */
static struct mp_uvm_look some_block(uint64_t *random)
{
    struct mp_uvm_look b = {.big = below(random, 4) ? 16 : 1, .in_a_row = 1, .min_faults = 1};
    const uint32_t pages = b.big == 16 ? 512 : 32;
    b.first = below(random, 2) ? below(random, pages) : 0;
    b.end = below(random, 2) ? b.first + 1 + below(random, pages - b.first) : pages;
    if (!below(random, 8) && b.first + 40 < pages) /* perhaps without a whole big page */
        b.end = b.first + 1 + below(random, 40);
    b.threshold = 1 + below(random, 100);
    return b;
}

/* Partial blocks, thrashing pages and pages of 64 KB, too: the requests of a service bring the design's
 * pages. */
static void test_services(void **state)
{
    struct rng seed = rng_start("uvm_tree services", 20261129);
    uint64_t random = seed.state;
    struct uvm_tree_lockstep *l = uvm_tree_lockstep_new(&uvm_tree_rtl_2mb, 1);
    (void)state;
    assert_non_null(l);
    for (unsigned n = 0; n < 20000; n++) {
        struct mp_uvm_look b = some_block(&random);
        struct mp_uvm_mask there, faulted, thrashing, block = {{0}}, unit = {{0}}, design = {{0}};
        draw_pages(&there, &b, &random, below(&random, 2) ? below(&random, b.end - b.first + 1) : 0);
        draw_pages(&faulted, &b, &random, 1 + below(&random, 8));
        draw_pages(&thrashing, &b, &random, below(&random, 3) ? 0 : below(&random, 8));
        b.there = &there;
        b.faulted = &faulted;
        b.thrashing = &thrashing;
        mp_uvm_unit_pages(&b, ask, l, &unit);
        mp_uvm_prefetch_tree.pages(&b, &design);
        mp_uvm_add_all(&block, b.first, b.end);
        MP_UVM_EACH (i)
            assert_true((unit.w[i] & block.w[i]) == (design.w[i] & block.w[i]));
    }
    uvm_tree_lockstep_free(l);
}

/* A clock for each level of a row and each other row, and one for the response. */
static void test_clocks_of_a_query(void **state)
{
    (void)state;
    struct uvm_tree_lockstep *l = uvm_tree_lockstep_new(&uvm_tree_rtl_2mb, 1);
    assert_non_null(l);
    const struct mp_uvm_unit_request begin = {.page = 511, .threshold = 51},
                                     query = {.op = MP_UVM_UNIT_QUERY};
    ask(l, &begin);
    const uint64_t before = rtl_lockstep_clocks(uvm_tree_lockstep_base(l));
    ask(l, &query);
    assert_int_equal(rtl_lockstep_clocks(uvm_tree_lockstep_base(l)) - before, 1 + 37);
    uvm_tree_lockstep_free(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_blocks),     cmocka_unit_test(test_faults),
        cmocka_unit_test(test_a_seed_is_a_run),   cmocka_unit_test(test_services),
        cmocka_unit_test(test_clocks_of_a_query),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
