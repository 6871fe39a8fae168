/* SPDX-License-Identifier: Apache-2.0 */
/* New designs in the C API, with the parameters that they bring. */
#include "../../models/engine/fakes.h"

#include "dpi/mempath_models.h"

static void a_policy(void **state)
{
    (void)state;
    const char *action = NULL;
    unsigned long long pfn = 0;
    unsigned cycles = 0;
    void *tlb = mempath_tlb_new("lazy", "every=3 delay=5");
    assert_non_null(tlb);
    assert_int_equal(mempath_tlb_insert(tlb, 0, 16, 7, &action, NULL, NULL), 0);
    assert_string_equal(action, "vacant");
    assert_int_equal(mempath_tlb_insert(tlb, 0, 17, 8, &action, NULL, NULL), 0);
    assert_string_equal(action, "skip");
    assert_int_equal(mempath_tlb_lookup(tlb, 0, 16, &pfn, &cycles), 1);
    assert_int_equal(pfn, 7);
    assert_int_equal(cycles, 45);
    assert_int_equal(mempath_tlb_lookup(tlb, 2, 16, &pfn, &cycles),
                     MEMPATH_ERROR); /* counts for two tenants */
    mempath_destroy(tlb);
    assert_null(mempath_tlb_new("lazy", "every=17"));
    assert_string_equal(mempath_error(), "every: '17' is too large; 1 to 16");
    assert_null(mempath_tlb_new("lazy", "delay=41"));
    assert_string_equal(mempath_error(), "delay: 41 is longer than the lookup itself; 40 at most");
    assert_null(mempath_tlb_new("subentry", "every=2"));
    assert_non_null(strstr(mempath_error(), "no parameter 'every'"));
}

static void a_walk_scheduler(void **state)
{
    (void)state;
    unsigned long long id = 0;
    void *walks = mempath_walks_new("lifo", "walkers=1 patience=1");
    assert_non_null(walks);
    assert_int_equal(mempath_walks_arrive(walks, 0, 10), 0);
    for (unsigned k = 1; k < 4; k++)
        assert_int_equal(mempath_walks_arrive(walks, 0, 10 + k), MEMPATH_QUEUED);
    const unsigned order[] = {13, 11, 12};
    for (unsigned k = 0; k < 3; k++) {
        assert_int_equal(mempath_walks_complete(walks, 0, &id), 1);
        assert_int_equal(id, order[k]);
    }
    mempath_destroy(walks);
    assert_null(mempath_walks_new("lifo", "patience=0"));
    assert_string_equal(mempath_error(), "patience: '0' is too small; 1 to 1000");
    assert_null(mempath_walks_new("lifo", "fair=maybe"));
    assert_string_equal(mempath_error(), "fair: 'maybe' is no choice; false|true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_policy), cmocka_unit_test(a_walk_scheduler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
