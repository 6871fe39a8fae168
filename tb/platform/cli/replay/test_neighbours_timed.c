/* SPDX-License-Identifier: Apache-2.0 */
/* Requests far apart: L1 TLBs in time answer as replay neighbours does, in as many cycles. */
#include "../../../models/tlb/neighbour/exchange_bench.h"
#include "cli/replay/replay.h"

static struct replay_neighbours_params same_as(const struct settings *s)
{
    const struct mp_tlb_params p = params_of(s);
    return (struct replay_neighbours_params){.policy = s->policy,
                                             .values = p.exchange.values,
                                             .sms = s->tlbs,
                                             .entries = WAYS,
                                             .latency = LATENCY,
                                             .below = NEXT};
}

/* Only the left neighbour has another source than the right one. */
static int answerer(const struct fake_request *r, const struct replay_neighbours_params *p, uint32_t tlb,
                    const struct replay_neighbours_answer *a)
{
    uint32_t at[MP_SIDES];
    switch (r->req.source) {
    case MP_FROM_TLB:
        return REPLAY_FROM_OWN;
    case MP_FROM_LEFT:
        mp_topologies[p->values.v[MP_NEIGHBOUR_TOPOLOGY]]->neighbours(tlb, b.tlbs, at);
        return (int)at[MP_SIDE_LEFT];
    case MP_FROM_RIGHT:
        return a->from >= 0 ? a->from : (int)((tlb + 1) % b.tlbs);
    default:
        return REPLAY_FROM_NEXT;
    }
}

static void request(struct replay_neighbours_system *replay, struct rng *rng, uint32_t *from_others)
{
    uint32_t tlb = rng_below(rng, b.tlbs);
    uint64_t vpn = rng_below(rng, 20);
    struct replay_neighbours_answer a =
        replay_neighbours_request(replay, tlb, 0, vpn, frame_of(b.generation, 0, vpn * PAGE) / PAGE);
    const struct fake_request *r = ask(tlb, vpn);
    assert_int_equal(answerer(r, &replay->p, tlb, &a), a.from);
    assert_int_equal(r->req.pa / PAGE, a.pfn);
    assert_int_equal(r->answered - r->asked, a.cycles);
    *from_others += a.from >= 0;
}

static void shoot_down(struct replay_neighbours_system *replay, struct rng *rng)
{
    const struct replay_neighbours_stimulus s = {.op = "VVVA"[rng_below(rng, 4)], .vpn = rng_below(rng, 20)};
    const struct mp_scope scope = {.every_page = s.op == 'A', .va = s.vpn * PAGE};
    replay_neighbours_invalidate(replay, &s);
    invalidate(&scope);
    b.generation++;
}

static void run_both(const struct settings *s, struct rng *rng, uint32_t *from_others)
{
    const struct replay_neighbours_params p = same_as(s);
    struct replay_neighbours_system replay;
    set_up(s, NULL);
    assert_int_equal(replay_neighbours_init(&replay, &p), 0);
    for (uint32_t step = 0; step < 400; step++) {
        if (rng_percent(rng, 97))
            request(&replay, rng, from_others);
        else
            shoot_down(&replay, rng);
    }
    replay_neighbours_free(&replay);
    tear_down();
}

static void time_does_not_change_decisions(void **state)
{
    (void)state;
    struct rng rng = rng_start("replay and time", 41);
    uint32_t from_others = 0;
    for (uint32_t round = 0; round < 48; round++) {
        const struct mp_neighbour_update *update = mp_neighbour_updates[round / 4 % 4];
        struct settings s = {.policy = update->needs_directory ? &mp_neighbour_neidty
                                                               : mp_neighbour_policies[round % 4],
                             .update = update->design.name,
                             .hop = rng_below(&rng, 5),
                             .buffer = 1,
                             .directory = rng_between(&rng, 1, 10),
                             .tag_bits = rng_percent(&rng, 50) ? 4 : 18,
                             .group = rng_between(&rng, 2, 5),
                             .sharing = true,
                             .topology = "ring",
                             .tlbs = rng_between(&rng, 6, TLBS),
                             .sub_entries = 1};
        if (s.policy->peers != MP_PEERS_GROUP)
            s.topology = mp_topologies[rng_below(&rng, 4)]->name;
        run_both(&s, &rng, &from_others);
    }
    assert_true(from_others > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(time_does_not_change_decisions),
    };
    return cmocka_run_group_tests_name("replay neighbours and time", tests, NULL, NULL);
}
