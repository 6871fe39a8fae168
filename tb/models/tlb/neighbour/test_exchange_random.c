/* SPDX-License-Identifier: Apache-2.0 */
/* L1 TLBs in time at random: under every policy, update, topology and number of sub-entries, no request of a
 * tenant gets a wrong frame or one of before an invalidation, and directories name only what is there. */
#include "exchange_bench.h"

enum { PAGES = 24, ASIDS = 2 };

/* Generation that an answer needs at least, by address space and page: that of its last invalidation. */
static uint64_t needed[ASIDS][PAGES];

/* Whether the TLB has a page with this tag. */
struct search {
    uint64_t tag;
    uint32_t tag_bits, base_shift;
    bool found;
};

static void compare_tag(void *search, const struct mp_tlb_entry *e)
{
    struct search *s = search;
    s->found = s->found || mp_directory_tag(s->tag_bits, e->asid, e->vpn >> s->base_shift) == s->tag;
}

static bool has_tag(const struct settings *s, uint32_t tlb, uint64_t tag)
{
    struct search search = {tag, (uint32_t)s->tag_bits, (uint32_t)__builtin_ctz(s->sub_entries), false};
    b.tlb[tlb].policy->each_entry(b.tlb[tlb].state, 0, compare_tag, &search);
    return search.found;
}

static const struct mp_topology *topology_named(const char *name)
{
    unsigned i = 0;
    while (strcmp(mp_topologies[i]->name, name) != 0)
        i++;
    return mp_topologies[i];
}

/* Once all messages have arrived. */
static void check_directories(const struct settings *s)
{
    static const uint8_t bit[MP_SIDES] = {MP_DIRECTORY_LEFT, MP_DIRECTORY_RIGHT, MP_DIRECTORY_UP,
                                          MP_DIRECTORY_DOWN};
    for (uint32_t i = 0; s->policy->has_directory && i < b.tlbs; i++) {
        const struct mp_directory *d = mp_exchange_directory(b.tlb[i].exchange);
        uint32_t at[MP_SIDES];
        topology_named(s->topology)->neighbours(i, b.tlbs, at);
        assert_true(d->count <= s->directory);
        for (uint32_t k = 0; k < d->count; k++) {
            uint8_t bits = d->entry[k].bits;
            assert_true(bits & MP_DIRECTORY_NEIGHBOURS);
            for (unsigned side = 0; side < MP_SIDES; side++)
                assert_true(!(bits & bit[side]) || has_tag(s, at[side], d->entry[k].tag));
        }
    }
}

static void check_frame(struct fake_initiator *port, struct fake_request *r)
{
    const uint64_t *least = port->context;
    assert_int_equal(r->req.pa & ((1ull << 40) - 1), frame_of(0, r->req.asid, r->req.va));
    assert_true(r->req.pa >> 40 >= least[r->index]);
}

/* A page, an address space or everything; of what is gone, no TLB has anything. */
static void invalidate_something(struct rng *rng)
{
    struct mp_scope scope = {.every_asid = rng_percent(rng, 20),
                             .every_page = rng_percent(rng, 30),
                             .asid = (uint8_t)rng_below(rng, ASIDS),
                             .va = rng_below(rng, PAGES) * PAGE};
    invalidate(&scope);
    b.generation++;
    for (uint8_t asid = 0; asid < ASIDS; asid++)
        for (uint64_t page = 0; page < PAGES; page++) {
            if (!mp_scope_has(&scope, asid, page * PAGE, 12))
                continue;
            needed[asid][page] = b.generation;
            for (uint32_t i = 0; i < b.tlbs; i++)
                assert_false(mp_tlb_peek(&b.tlb[i], asid, page * PAGE).found);
        }
}

static void add_up(uint64_t *sum)
{
    for (uint32_t i = 0; i < b.tlbs; i++) {
        const struct mp_neighbour_stats *x = mp_exchange_design(b.tlb[i].exchange).stats;
        uint64_t answers = 0;
        for (unsigned t = 0; t < ASIDS; t++) {
            answers += x[t].local + x[t].left + x[t].right + x[t].below + x[t].walked;
            assert_true(x[t].in_vain <= x[t].probes);
            sum[0] += x[t].local;
            sum[1] += x[t].left + x[t].right;
            sum[2] += x[t].walked;
            sum[3] += x[t].in_vain;
            sum[4] += x[t].no_room;
        }
        assert_int_equal(b.port[i].answered, b.port[i].asked);
        assert_int_equal(answers, b.port[i].asked);
    }
}

static void run_at_random(const struct settings *s, struct rng *rng, uint64_t *sum)
{
    static uint64_t least[TLBS][4096];
    memset(needed, 0, sizeof needed);
    set_up(s, rng);
    for (uint32_t i = 0; i < b.tlbs; i++) {
        b.port[i].check = check_frame;
        b.port[i].context = least[i];
        b.next[i].hold = 10;
    }
    for (uint32_t step = 0; step < 2000; step++) {
        uint32_t i = rng_below(rng, b.tlbs);
        if (b.port[i].out.held || rng_percent(rng, 1)) {
            invalidate_something(rng);
        } else {
            uint8_t asid = (uint8_t)rng_below(rng, ASIDS);
            uint64_t page = rng_below(rng, PAGES);
            least[i][b.port[i].asked] = needed[asid][page];
            send_as(i, asid, page);
        }
        uint64_t until = b.wheel.now + rng_below(rng, 8);
        run_until(&b.wheel, until);
        if (b.wheel.now < until)
            mp_wheel_advance(&b.wheel, until);
    }
    run_dry(&b.wheel);
    mp_wheel_advance(&b.wheel, b.wheel.now + 20);
    const struct mp_scope nothing = {.va = 1ull << 40};
    invalidate(&nothing); /* takes in all messages */
    check_directories(s);
    add_up(sum);
    tear_down();
}

static void every_request_gets_a_frame_that_holds(void **state)
{
    (void)state;
    struct rng rng = rng_start("exchange", 23);
    uint64_t sum[5] = {0};
    for (uint32_t round = 0; round < 72; round++) {
        const struct mp_neighbour_update *update = mp_neighbour_updates[round / 3 % 4];
        struct settings s = {.policy = update->needs_directory ? &mp_neighbour_neidty
                                                               : mp_neighbour_policies[1 + round % 3],
                             .update = update->design.name,
                             .hop = rng_below(&rng, 4),
                             .buffer = rng_between(&rng, 1, 3),
                             .directory = rng_between(&rng, 1, 12),
                             .tag_bits = rng_percent(&rng, 50) ? 4 : 18,
                             .group = rng_between(&rng, 2, 5),
                             .sharing = rng_percent(&rng, 30),
                             .topology = mp_topologies[rng_below(&rng, 4)]->name,
                             .tlbs = rng_between(&rng, 6, TLBS),
                             .sub_entries = 1u << rng_below(&rng, 4)};
        if (s.policy == &mp_neighbour_ring)
            s.topology = "ring";
        run_at_random(&s, &rng, sum);
    }
    for (unsigned k = 0; k < 5; k++)
        assert_true(sum[k] > 100); /* all of it happens */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_gets_a_frame_that_holds),
    };
    return cmocka_run_group_tests_name("tlb, exchange at random", tests, NULL, NULL);
}
