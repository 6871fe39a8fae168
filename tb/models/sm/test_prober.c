/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The prober against a toy memory whose latencies are known: a TLB that keeps the last translation, and a
 * memory of banks that keep their row open and serve one request after the other. What the prober reports is
 * what the toy took.
 */
#include "../engine/fakes.h"

#include "sm/prober.h"

#define PAGE  0x10000ull
#define LINE  128ull
#define ROW   2048ull
#define BANKS 4u

enum { TLB_HIT = 2, TLB_MISS = 40, ROW_HIT = 30, ROW_MISS = 100, TRANSPORT = 25 };

static struct toy {
    struct mp_wheel wheel;
    struct mp_coalescer coalescer;
    struct mp_sm sm;
    struct mp_prober prober;
    struct mp_initiator to_sm[2];
    uint64_t page;
    struct {
        uint64_t row, free_at;
    } bank[BANKS];
    uint64_t reported;
    uint32_t reports, asked;
} toy;

static void answer(void *initiator, void *req)
{
    mp_respond(initiator, req);
}

/* A hit is answered in the call, a miss later. */
static enum mp_answer translate(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    uint64_t page = req->va / PAGE;
    (void)self, (void)port;
    assert_int_equal(req->asid, 4);
    assert_int_equal(req->tenant, 1);
    assert_int_equal(req->op, MP_LOAD);
    req->pa = req->va;
    if (page == toy.page) {
        *delay = TLB_HIT;
        return MP_DONE;
    }
    toy.page = page;
    mp_at(&toy.wheel, TLB_MISS, answer, &toy.to_sm[0], req);
    return MP_TAKEN;
}

static enum mp_answer serve(void *self, unsigned port, struct mp_req *req, uint32_t *delay)
{
    uint64_t row = req->pa / ROW, now = toy.wheel.now, start, end;
    uint32_t bank = row % BANKS;
    (void)self, (void)port, (void)delay;
    toy.asked++;
    start = toy.bank[bank].free_at > now ? toy.bank[bank].free_at : now;
    end = start + (toy.bank[bank].row == row ? ROW_HIT : ROW_MISS);
    toy.bank[bank].row = row;
    toy.bank[bank].free_at = end;
    mp_at(&toy.wheel, end + TRANSPORT - now, answer, &toy.to_sm[1], req);
    return MP_TAKEN;
}

static void report(void *self, uint64_t cycles)
{
    assert_ptr_equal(self, &toy);
    toy.reported = cycles;
    toy.reports++;
}

static int set_up(void **state)
{
    const struct mp_sm_params p = {.warps = 4,
                                   .ctas = 2,
                                   .local_bytes = 1024,
                                   .schedulers = 2,
                                   .outstanding = 4,
                                   .lsu_queue = 8,
                                   .scheduler = mp_warp_scheduler_find("gto"),
                                   .coalescer = &toy.coalescer,
                                   .tenants = 2};
    (void)state;
    toy = (struct toy){.coalescer = {.page_shift = 16, .line_shift = 7}, .page = UINT64_MAX};
    for (uint32_t b = 0; b < BANKS; b++)
        toy.bank[b].row = UINT64_MAX;
    mp_wheel_init(&toy.wheel);
    assert_int_equal(mp_sm_init(&toy.sm, &toy.wheel, &p), 0);
    mp_sm_join(&toy.sm, MP_SM_TRANSLATE, mp_target_of(translate, NULL, 0));
    mp_sm_join(&toy.sm, MP_SM_DATA, mp_target_of(serve, NULL, 0));
    toy.to_sm[0] = mp_initiator_of(mp_sm_translated, mp_sm_translate_resume, &toy.sm, 0);
    toy.to_sm[1] = mp_initiator_of(mp_sm_loaded, mp_sm_data_resume, &toy.sm, 0);
    mp_prober_init(&toy.prober, &toy.sm, 4, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mp_sm_free(&toy.sm);
    mp_wheel_free(&toy.wheel);
    return 0;
}

static uint64_t chase(const uint64_t *va, size_t n, uint64_t *cycles)
{
    uint32_t before = toy.reports;
    assert_int_equal(mp_prober_chase(&toy.prober, va, n, cycles, report, &toy), 0);
    run_dry(&toy.wheel);
    assert_int_equal(toy.reports, before + 1);
    return toy.reported;
}

static uint64_t pair(uint64_t a, uint64_t b, uint64_t *cycles)
{
    uint32_t before = toy.reports;
    assert_int_equal(mp_prober_pair(&toy.prober, a, b, cycles, report, &toy), 0);
    run_dry(&toy.wheel);
    assert_int_equal(toy.reports, before + 1);
    return toy.reported;
}

static void a_chase_adds_up_latencies(void **state)
{
    const uint64_t va[] = {0, LINE, 0, PAGE, PAGE + BANKS * ROW, PAGE};
    static const uint64_t want[] = {TLB_MISS + ROW_MISS + TRANSPORT, TLB_HIT + ROW_HIT + TRANSPORT,
                                    TLB_HIT + ROW_HIT + TRANSPORT,   TLB_MISS + ROW_MISS + TRANSPORT,
                                    TLB_HIT + ROW_MISS + TRANSPORT,  TLB_HIT + ROW_MISS + TRANSPORT};
    uint64_t cycles[6], sum = 0;
    (void)state;
    uint64_t all = chase(va, 6, cycles);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(cycles[i], want[i]);
        sum += cycles[i];
    }
    assert_int_equal(all, sum + 5); /* and an instruction's cycle between two loads */
    assert_int_equal(toy.asked, 6);
    assert_int_equal(chase(va + 5, 1, NULL), TLB_HIT + ROW_HIT + TRANSPORT);
    assert_int_equal(toy.sm.stats[1].accesses, 7);
    assert_int_equal(toy.prober.faults, 0);
}

static void a_pair_sees_a_bank_conflict(void **state)
{
    const uint64_t hit = TLB_HIT + ROW_HIT + TRANSPORT, miss = TLB_HIT + ROW_MISS + TRANSPORT;
    uint64_t cycles[2], warm[] = {0};
    (void)state;
    chase(warm, 1, NULL);
    assert_int_equal(pair(BANKS * ROW, ROW, cycles), 1 + miss); /* two banks: side by side */
    assert_int_equal(cycles[0], miss);
    assert_int_equal(cycles[1], miss);
    assert_int_equal(pair(0, BANKS * ROW, cycles), miss + ROW_MISS); /* one bank: one after the other */
    assert_int_equal(cycles[0], miss);
    assert_int_equal(cycles[1], miss + ROW_MISS - 1);
    assert_int_equal(pair(BANKS * ROW, BANKS * ROW + LINE, NULL), hit + ROW_HIT);
}

/* The first load of the pair is answered last, and the times are still those of its loads. */
static void answers_may_come_in_any_order(void **state)
{
    uint64_t cycles[2], warm[] = {0, ROW};
    (void)state;
    chase(warm, 2, NULL);
    assert_int_equal(pair(BANKS * ROW, ROW, cycles), TLB_HIT + ROW_MISS + TRANSPORT);
    assert_int_equal(cycles[0], TLB_HIT + ROW_MISS + TRANSPORT);
    assert_int_equal(cycles[1], TLB_HIT + ROW_HIT + TRANSPORT);
}

static void chase_again(void *self, uint64_t cycles)
{
    static const uint64_t va = 3 * LINE;
    report(self, cycles);
    assert_int_equal(mp_prober_chase(&toy.prober, &va, 1, NULL, report, &toy), 0);
}

static void one_probe_at_a_time(void **state)
{
    const uint64_t va[] = {0, LINE};
    struct mp_prober others[2];
    (void)state;
    assert_int_equal(mp_prober_chase(&toy.prober, va, 2, NULL, chase_again, &toy), 0);
    assert_int_equal(mp_prober_chase(&toy.prober, va, 2, NULL, report, &toy), -1);
    assert_int_equal(mp_prober_pair(&toy.prober, 0, 1, NULL, report, &toy), -1);
    for (uint32_t i = 0; i < 2; i++) { /* the SM has room for two work-groups */
        mp_prober_init(&others[i], &toy.sm, 4, 1);
        assert_int_equal(mp_prober_chase(&others[i], va, 1, NULL, report, &toy), i ? -1 : 0);
    }
    run_dry(&toy.wheel);
    assert_int_equal(toy.reports, 3);
    assert_int_equal(toy.reported, TLB_HIT + ROW_HIT + TRANSPORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_chase_adds_up_latencies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pair_sees_a_bank_conflict, set_up, tear_down),
        cmocka_unit_test_setup_teardown(answers_may_come_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_probe_at_a_time, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("prober", tests, NULL, NULL);
}
