/* SPDX-License-Identifier: Apache-2.0 */
/* A TLB that is invalidated, or gets another policy, while misses are in flight. */
#include "../engine/fakes.h"

#include "tlb/tlb.h"

#define PAGE    0x10000ull
#define LATENCY 10u
#define NEXT    40u

struct bench {
    struct mp_wheel wheel;
    struct mp_tlb tlb;
    struct fake_initiator port;
    struct fake_target next;
    uint64_t mapping; /* what the level below answers, until it is changed */
};

static struct bench b;

static void next_answers(struct fake_target *next, struct mp_req *req)
{
    (void)next;
    req->pa = req->va + b.mapping;
    req->fault = 0;
}

static void set_up(void)
{
    const struct mp_tlb_params p = {.policy = &mp_tlb_subentry,
                                    .geometry = {.sets = 4, .ways = 8, .sub_entries = 16, .latency = LATENCY},
                                    .page_shift = 16,
                                    .mshrs = 8,
                                    .merges = 4,
                                    .ports = 1,
                                    .tenants = 2};
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_tlb_init(&b.tlb, &b.wheel, &p), 0);
    fake_initiator_join(&b.port, &b.wheel, mp_target_of(mp_tlb_request, &b.tlb, 0), &b.tlb.ports.up[0]);
    b.next = fake_target_make(&b.wheel, NULL, NEXT, NEXT);
    b.next.answer = next_answers;
    b.next.up = mp_initiator_of(mp_tlb_response, mp_tlb_resume, &b.tlb, 0);
    mp_tlb_join(&b.tlb, 0, fake_target_end(&b.next));
}

static int tear_down(void **state)
{
    (void)state;
    fake_initiator_free(&b.port);
    free(b.next.log);
    mp_tlb_free(&b.tlb);
    mp_wheel_free(&b.wheel);
    return 0;
}

static struct fake_request *ask(uint16_t asid, uint64_t va)
{
    return fake_initiator_send(
        &b.port, (struct mp_req){.va = va, .asid = asid, .tenant = (uint8_t)asid, .op = MP_TRANSLATE});
}

static void what_a_scope_removes(void **state)
{
    static const struct {
        struct mp_scope scope;
        uint32_t removed;
    } cases[] = {
        {{.asid = 1, .va = 2 * PAGE + 77}, 1}, {{.every_asid = true, .va = 3 * PAGE}, 2},
        {{.every_page = true, .asid = 1}, 6},  {{.every_asid = true, .every_page = true}, 12},
        {{.asid = 1, .va = 9 * PAGE}, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_up();
        for (uint64_t page = 0; page < 6; page++) {
            ask(0, page * PAGE);
            ask(1, page * PAGE);
            run_dry(&b.wheel);
        }
        assert_int_equal(mp_tlb_invalidate(&b.tlb, &cases[i].scope), cases[i].removed);
        assert_int_equal(mp_tlb_invalidate(&b.tlb, &cases[i].scope), 0);
        uint32_t asked = b.next.seen;
        for (uint64_t page = 0; page < 6; page++) {
            ask(0, page * PAGE);
            ask(1, page * PAGE);
            run_dry(&b.wheel);
        }
        assert_int_equal(b.next.seen - asked, cases[i].removed);
        if (i + 1 < sizeof cases / sizeof *cases)
            tear_down(state);
    }
}

/* Whenever it is invalidated: no request, from before or after, gets a translation that was read before. */
static void a_miss_under_way_is_asked_for_again(void **state)
{
    (void)state;
    for (uint64_t when = 0; when < LATENCY + NEXT; when++) {
        const struct mp_scope scope = {.va = 5 * PAGE};
        set_up();
        struct fake_request *before = ask(0, 5 * PAGE), *other = ask(1, 5 * PAGE);
        run_until(&b.wheel, when);
        mp_wheel_advance(&b.wheel, when);
        assert_int_equal(mp_tlb_invalidate(&b.tlb, &scope), 0);
        assert_int_equal(mp_tlb_invalidate(&b.tlb, &scope), 0); /* twice is once */
        struct fake_request *after = ask(0, 5 * PAGE + 8);
        b.mapping = 7 * PAGE;
        run_dry(&b.wheel);
        assert_int_equal(before->req.pa, 12 * PAGE);
        assert_int_equal(after->req.pa, 12 * PAGE + 8);
        assert_int_equal(before->answered, LATENCY + 2 * NEXT);
        assert_int_equal(other->answered, LATENCY + NEXT);
        assert_int_equal(b.next.seen, 3);
        assert_int_equal(ask(0, 5 * PAGE)->req.pa, 12 * PAGE); /* a hit */
        run_dry(&b.wheel);
        tear_down(state);
    }
    set_up();
}

static void another_policy_begins_empty(void **state)
{
    (void)state;
    set_up();
    ask(0, 0);
    run_dry(&b.wheel);
    struct fake_request *under_way = ask(0, PAGE);
    const struct mp_tlb_geometry g = {
        .sets = 4, .ways = 8, .sub_entries = 16, .latency = LATENCY, .own = {{0, 1}}, .tenants = 2};
    assert_int_equal(mp_tlb_set_policy(&b.tlb, &mp_tlb_star, &g), 0);
    run_dry(&b.wheel);
    assert_int_not_equal(under_way->answered, MP_NEVER);
    assert_int_equal(mp_tlb_star.occupancy(b.tlb.state, 0), 1);
    uint32_t asked = b.next.seen;
    ask(0, PAGE);
    ask(0, 0);
    run_dry(&b.wheel);
    assert_int_equal(b.next.seen - asked, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_a_scope_removes, tear_down),
        cmocka_unit_test_teardown(a_miss_under_way_is_asked_for_again, tear_down),
        cmocka_unit_test_teardown(another_policy_begins_empty, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
