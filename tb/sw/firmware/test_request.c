/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of launches for memory: what is mapped, what stays, what is refused. */
#include "gpu_stub.h"

#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "request.h"

enum { PAGE = 65536 };

#define VA 0x7f0000000000ull

static unsigned answers, refusals;

static void answered(void *self, unsigned instance, bool refused)
{
    (void)self, (void)instance;
    answers++;
    refusals += refused;
}

static int setup(void **state)
{
    (void)state;
    board_reset();
    gpu_stub_reset((struct rng){5}, 0);
    gpu_stub.operations.answered = answered;
    gpu_init();
    gmmu_init();
    mig_init();
    fault_init();
    request_init();
    gpu_take_requests();
    mig_create(0, 1);
    mig_space_open(0, 0, PAGE);
    answers = refusals = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

static void ask(enum mp_mgmt_memory_kind kind, unsigned asid, uint64_t va, uint64_t bytes)
{
    const struct mp_mgmt_request r = {kind, 0, asid, va, bytes};
    const unsigned before = answers;
    assert_true(mp_mgmt_request(&gpu_stub.mgmt, &r));
    request_service();
    assert_int_equal(answers, before + 1);
}

static bool mapped(unsigned page)
{
    struct gmmu_walk w;
    assert_int_equal(gmmu_walk(0, VA + page * (uint64_t)PAGE, &w), FW_OK);
    return w.mapped;
}

/* Pages of which a range has a part come; only those go that lie in it. */
static void parts_of_pages(void **state)
{
    (void)state;
    ask(MP_MGMT_MAP, 0, VA + 100, 2 * PAGE); /* a part of three */
    assert_int_equal(gmmu_space(0)->pages, 3);
    ask(MP_MGMT_MAP, 0, VA + 2 * PAGE + 100, PAGE); /* has the third one's rest */
    assert_int_equal(gmmu_space(0)->pages, 4);
    ask(MP_MGMT_UNMAP, 0, VA + 100, 2 * PAGE);
    assert_true(mapped(0) && !mapped(1) && mapped(2) && mapped(3));
    ask(MP_MGMT_UNMAP, 0, VA + 8 * PAGE, 3 * PAGE); /* nothing is there */
    assert_int_equal(refusals, 0);
    assert_int_equal(request_counts(0)->mapped, 2);
    assert_int_equal(request_counts(0)->unmapped, 2);
    gpu_stub_check();
}

static void promised_pages_wait_for_their_access(void **state)
{
    (void)state;
    assert_int_equal(fault_promise(0, VA, 2 * PAGE), FW_OK);
    ask(MP_MGMT_MAP, 0, VA, 3 * PAGE);
    assert_true(!mapped(0) && !mapped(1) && mapped(2));
}

static void translations_go_with_pages(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 50; i++) {
        ask(MP_MGMT_MAP, 0, VA, 8 * PAGE);
        for (unsigned k = 0; k < 8; k++)
            assert_true(gpu_stub_access(0, VA + k * PAGE, true, false));
        ask(MP_MGMT_UNMAP, 0, VA + 2 * PAGE, 4 * PAGE);
        for (unsigned k = 0; k < 8; k++)
            assert_int_equal(gpu_stub_access(0, VA + k * PAGE, false, false), k < 2 || k > 5);
        gpu_stub_check();
    }
    assert_int_equal(gmmu_space(0)->pages, 4);
}

/* Memory is used up; a space does not exist. Later requests work. */
static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    ask(MP_MGMT_MAP, 0, VA, 1ull << 32);
    assert_int_equal(refusals, 1);
    ask(MP_MGMT_MAP, 7, VA, PAGE);
    assert_int_equal(refusals, 2);
    ask(MP_MGMT_UNMAP, 0, VA, 1ull << 32);
    assert_int_equal(gmmu_space(0)->pages, 0);
    ask(MP_MGMT_MAP, 0, VA, PAGE);
    assert_int_equal(refusals, 2);
    assert_int_equal(request_counts(0)->refused, 1);
    gpu_stub_check();
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(parts_of_pages), TEST(promised_pages_wait_for_their_access),
                                       TEST(translations_go_with_pages),
                                       TEST(what_cannot_be_done_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
