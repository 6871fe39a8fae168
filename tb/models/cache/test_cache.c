/* SPDX-License-Identifier: Apache-2.0 */
/* The data cache between fake initiators and fake levels below, both write policies. */
#include "../engine/fakes.h"

#include "cache/cache.h"
#include "host/host.h"

#define PORTS   3u
#define LINKS   2u
#define LATENCY 20u
#define BELOW   100u
#define LINE    128ull

struct bench {
    struct mp_wheel wheel;
    struct rng rng;
    struct mp_cache cache;
    struct fake_initiator port[PORTS];
    struct fake_target below[LINKS];
};

static struct bench b;
static bool any_sets; /* the functions that are compiled for any sets */

static struct mp_cache_params base(bool write_back)
{
    return (struct mp_cache_params){.banks = 1,
                                    .sets = 1,
                                    .ways = 2,
                                    .line_shift = 7,
                                    .latency = LATENCY,
                                    .mshrs = 4,
                                    .merges = 4,
                                    .ports = PORTS,
                                    .tenants = 2,
                                    .links = 1,
                                    .write_back = write_back};
}

static void set_up(const struct mp_cache_params *p)
{
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_cache_init(&b.cache, &b.wheel, p), 0);
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_join(&b.port[i], &b.wheel,
                            any_sets ? mp_target_of(mp_cache_request, &b.cache, i)
                                     : mp_cache_kind.target(&b.cache, i),
                            &b.cache.up[i]);
    for (uint32_t i = 0; i < p->links + p->hosts; i++) {
        b.below[i] = fake_target_make(&b.wheel, NULL, BELOW, BELOW);
        b.below[i].up = mp_cache_kind.initiator(&b.cache, i);
        mp_cache_join(&b.cache, i, fake_target_end(&b.below[i]));
        if (any_sets)
            b.below[i].up.response = b.cache.below[i].response = mp_cache_response;
    }
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PORTS; i++)
        fake_initiator_free(&b.port[i]);
    for (uint32_t i = 0; i < LINKS; i++)
        free(b.below[i].log);
    mp_cache_free(&b.cache);
    mp_wheel_free(&b.wheel);
    return 0;
}

static struct fake_request *ask(uint32_t port, enum mp_op op, uint64_t pa)
{
    return fake_initiator_send(&b.port[port], (struct mp_req){.pa = pa, .op = (uint8_t)op});
}

static void at_cycle(uint64_t cycle)
{
    run_until(&b.wheel, cycle - 1);
    mp_wheel_advance(&b.wheel, cycle);
}

/* Cycles until the answer, everything else being over. */
static uint64_t alone(enum mp_op op, uint64_t pa)
{
    uint64_t start = b.wheel.now;
    struct fake_request *r = ask(0, op, pa);
    run_dry(&b.wheel);
    return r->answered - start;
}

static void seen_below(uint32_t index, enum mp_op op, uint64_t pa)
{
    assert_true(index < b.below[0].seen);
    assert_int_equal(b.below[0].log[index].op, op);
    assert_int_equal(b.below[0].log[index].pa, pa);
}

/* --- write-through ----------------------------------------------------------------------------------------
 */

static void write_through_loads(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(false);
    set_up(&p);
    assert_int_equal(alone(MP_LOAD, 5 * LINE + 40), LATENCY + BELOW);
    seen_below(0, MP_LOAD, 5 * LINE);
    assert_int_equal(b.below[0].log[0].when, LATENCY);
    assert_int_equal(alone(MP_LOAD, 5 * LINE + 127), LATENCY);
    assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY + BELOW);
    assert_int_equal(b.below[0].seen, 2);
    assert_int_equal(b.cache.stats->hits, 1);
    assert_int_equal(b.cache.stats->misses, 2);
    assert_int_equal(b.cache.stats->fills, 2);
}

static void write_through_stores_go_below_and_allocate_nothing(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(false);
    set_up(&p);
    assert_int_equal(alone(MP_STORE, 5 * LINE + 40), LATENCY + BELOW);
    seen_below(0, MP_STORE, 5 * LINE + 40);
    assert_int_equal(alone(MP_LOAD, 5 * LINE), LATENCY + BELOW);
    assert_int_equal(alone(MP_STORE, 5 * LINE), LATENCY + BELOW);
    assert_int_equal(alone(MP_LOAD, 5 * LINE), LATENCY); /* the copy was updated in place */
    alone(MP_LOAD, 6 * LINE);
    alone(MP_LOAD, 7 * LINE); /* evicts line 5, which is clean */
    assert_int_equal(b.below[0].seen, 5);
    assert_int_equal(b.cache.stats->writebacks, 0);
    assert_int_equal(b.cache.stats->stores, 2);
    assert_int_equal(b.cache.stats->hits, 2);
}

static void write_through_atomics_drop_the_copy(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(false);
    set_up(&p);
    alone(MP_LOAD, 5 * LINE);
    alone(MP_LOAD, 6 * LINE);
    assert_int_equal(alone(MP_ATOMIC, 5 * LINE + 4), LATENCY + BELOW);
    seen_below(2, MP_ATOMIC, 5 * LINE + 4);
    assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY);
    assert_int_equal(alone(MP_LOAD, 5 * LINE), LATENCY + BELOW); /* into the way that came free */
    assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY);
    assert_int_equal(b.cache.stats->atomics, 1);
}

/* The second link of a pair leads to addresses with bit 7. */
static uint32_t link_of_bit_7(const void *state, uint64_t pa, uint32_t channels)
{
    (void)state;
    return pa >> 7 & (channels - 1);
}

static void loads_that_go_past_find_nothing_and_leave_nothing(void **state)
{
    static const struct mp_address_map by_bit_7 = {.channel = link_of_bit_7};
    (void)state;
    struct mp_cache_params p = base(false);
    p.loads_go_past = true;
    p.links = LINKS;
    p.below.kind = &by_bit_7;
    set_up(&p);
    for (int i = 0; i < 3; i++) /* the second one finds nothing */
        assert_int_equal(alone(i == 1 ? MP_STORE : MP_LOAD, 6 * LINE + 40), LATENCY + BELOW);
    seen_below(2, MP_LOAD, 6 * LINE + 40);
    assert_int_equal(alone(MP_ATOMIC, 7 * LINE), LATENCY + BELOW);
    assert_int_equal(b.below[0].seen, 3);
    assert_int_equal(b.below[1].seen, 1);
    uint64_t start = b.wheel.now;
    struct fake_request *one = ask(0, MP_LOAD, 0), *other = ask(1, MP_LOAD, LINE), *last = ask(2, MP_LOAD, 0);
    run_dry(&b.wheel);
    assert_int_equal(one->answered - start, LATENCY + BELOW);
    assert_int_equal(other->answered - start, LATENCY + BELOW + 1); /* the port took one in a cycle */
    assert_int_equal(last->answered - start, LATENCY + BELOW + 2);  /* and loads of a line do not merge */
    assert_int_equal(b.cache.stats->lookups, 7);
    assert_int_equal(b.cache.stats->misses, 7);
    assert_int_equal(b.cache.stats->stores, 1);
    assert_int_equal(b.cache.stats->atomics, 1);
    assert_int_equal(b.cache.stats->port_cycles, 3);
    assert_int_equal(b.cache.stats->fills, 0);
}

/* No cache keeps lines of host memory: neither way of writing, with and without a link to the host. Other
 * lines have the way that they have without. */
static void lines_of_host_memory_go_past(void **state)
{
    const uint64_t host = MP_HOST_MEMORY + 6 * LINE;
    for (int way = 0; way < 6; way++) {
        struct mp_cache_params p = base(way & 1);
        p.remote = true;
        p.hosts = way / 2 == 1;
        p.loads_go_past = way == 4;
        p.period = way == 5 ? 1u << 16 : 0;
        set_up(&p);
        struct fake_target *to = &b.below[p.hosts];
        assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY + BELOW);
        assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY + (p.loads_go_past ? BELOW : 0));
        const uint32_t before = to->seen;
        for (int i = 0; i < 4; i++) /* the second one finds nothing */
            assert_int_equal(alone(i == 1   ? MP_STORE
                                   : i == 2 ? MP_ATOMIC
                                            : MP_LOAD,
                                   host + 40),
                             LATENCY + BELOW);
        assert_int_equal(to->seen - before, 4);
        assert_int_equal(to->log[before].pa, host + 40);
        assert_int_equal(to->log[before + 1].op, MP_STORE);
        assert_int_equal(to->log[before + 2].op, MP_ATOMIC);
        assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY + (p.loads_go_past ? BELOW : 0));
        uint64_t start = b.wheel.now;
        struct fake_request *one = ask(0, MP_LOAD, host), *other = ask(1, MP_LOAD, host);
        run_dry(&b.wheel);
        assert_int_equal(one->answered - start, LATENCY + BELOW);
        assert_int_equal(other->answered - start, LATENCY + BELOW + 1); /* the port took one in a cycle */
        assert_int_equal(b.cache.stats->lookups, 9);
        assert_int_equal(b.cache.stats->misses, p.loads_go_past ? 9 : 7);
        assert_int_equal(b.cache.stats->stores, 1);
        assert_int_equal(b.cache.stats->atomics, 1);
        if (way < 5)
            tear_down(state);
    }
}

/* --- write-back -------------------------------------------------------------------------------------------
 */

/* Lines of 128 bytes take four cycles of a link of 32 bytes. What has no line passes, and a free link adds
 * nothing. */
static void lines_follow_each_other_on_a_narrow_link(void **state)
{
    (void)state;
    struct mp_cache_params p = base(false);
    p.fill_bytes = 32;
    for (int past = 0; past < 2; past++) {
        p.loads_go_past = past;
        set_up(&p);
        struct fake_request *line[PORTS], *store = ask(0, MP_STORE, 9 * LINE);
        for (uint32_t i = 0; i < PORTS; i++)
            line[i] = ask(i, MP_LOAD, (1 + i) * LINE);
        run_dry(&b.wheel);
        assert_int_equal(store->answered, LATENCY + BELOW);
        for (uint32_t i = 0; i < PORTS; i++) /* the port takes one request a cycle */
            assert_int_equal(line[i]->answered, LATENCY + BELOW + 1 + 4 * i);
        at_cycle(b.wheel.now + 3);
        assert_int_equal(alone(MP_LOAD, 20 * LINE), LATENCY + BELOW);
        if (!past)
            tear_down(state);
    }
}

static void write_back_stores_stay_until_they_are_evicted(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(true);
    set_up(&p);
    assert_int_equal(alone(MP_STORE, 5 * LINE + 8), LATENCY);
    assert_int_equal(b.below[0].seen, 0); /* a store miss fetches nothing */
    assert_int_equal(alone(MP_LOAD, 5 * LINE), LATENCY);
    assert_int_equal(alone(MP_LOAD, 6 * LINE), LATENCY + BELOW);
    assert_int_equal(alone(MP_LOAD, 7 * LINE), LATENCY + BELOW);
    assert_int_equal(b.below[0].seen, 3);
    seen_below(2, MP_WRITEBACK, 5 * LINE);
    assert_int_equal(b.cache.stats->writebacks, 1);
    alone(MP_LOAD, 8 * LINE); /* line 6 is clean */
    assert_int_equal(b.below[0].seen, 4);
    alone(MP_LOAD, 5 * LINE);
    alone(MP_LOAD, 6 * LINE);
    alone(MP_LOAD, 7 * LINE); /* line 5 has come back clean */
    assert_int_equal(b.cache.stats->writebacks, 1);
    assert_int_equal(b.cache.bank[0].writing_back, 0);
}

static void write_back_atomics_are_done_here(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(true);
    set_up(&p);
    assert_int_equal(alone(MP_ATOMIC, 5 * LINE + 8), LATENCY + BELOW);
    seen_below(0, MP_LOAD, 5 * LINE);
    alone(MP_LOAD, 6 * LINE);
    assert_int_equal(alone(MP_ATOMIC, 6 * LINE), LATENCY); /* makes a clean line dirty */
    alone(MP_LOAD, 7 * LINE);
    alone(MP_LOAD, 8 * LINE);
    assert_int_equal(b.cache.stats->writebacks, 2);
    seen_below(3, MP_WRITEBACK, 5 * LINE);
    seen_below(5, MP_WRITEBACK, 6 * LINE);
}

static void page_table_entries_are_cached_as_such(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(true);
    set_up(&p);
    assert_int_equal(alone(MP_PTE_READ, 5 * LINE + 8), LATENCY + BELOW);
    seen_below(0, MP_PTE_READ, 5 * LINE);
    assert_int_equal(alone(MP_PTE_READ, 5 * LINE + 16), LATENCY);
    assert_int_equal(alone(MP_LOAD, 5 * LINE), LATENCY);
}

static void a_line_that_is_stored_to_while_it_is_fetched_is_dirty(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(true);
    set_up(&p);
    struct fake_request *load = ask(0, MP_LOAD, 5 * LINE);
    at_cycle(50);
    struct fake_request *store = ask(1, MP_STORE, 5 * LINE);
    run_dry(&b.wheel);
    assert_int_equal(load->answered, LATENCY + BELOW);
    assert_int_equal(store->answered, 50 + LATENCY);
    alone(MP_LOAD, 6 * LINE);
    alone(MP_LOAD, 7 * LINE);
    assert_int_equal(b.cache.stats->writebacks, 1);
}

static void room_for_write_backs_is_finite(void **state)
{
    (void)state;
    struct mp_cache_params p = base(true);
    p.ways = 1;
    p.mshrs = 1;
    set_up(&p);
    alone(MP_STORE, 5 * LINE);
    uint64_t start = b.wheel.now;
    struct fake_request *second = ask(0, MP_STORE, 6 * LINE); /* evicts line 5 */
    at_cycle(start + 10);
    struct fake_request *third = ask(1, MP_STORE, 7 * LINE); /* held until line 5 is written */
    struct fake_request *load = ask(2, MP_LOAD, 8 * LINE);   /* and behind it: line 6 must go first */
    run_dry(&b.wheel);
    assert_int_equal(second->answered, start + LATENCY);
    assert_int_equal(third->answered, start + BELOW + LATENCY);
    assert_int_equal(load->answered, start + 2 * BELOW + LATENCY + BELOW);
    assert_int_equal(b.cache.stats->stalls, 2);
    assert_int_equal(b.cache.stats->writebacks, 3);
}

/* --- ports, MSHRs -----------------------------------------------------------------------------------------
 */

static void a_bank_takes_one_request_a_cycle(void **state)
{
    (void)state;
    struct mp_cache_params p = base(true);
    p.banks = 2;
    set_up(&p);
    uint64_t line[2];
    uint32_t group;
    for (uint32_t bank = 0; bank < 2; bank++)
        for (line[bank] = 0; mp_spread((uint32_t)line[bank], 2, &group) != bank;)
            line[bank]++;
    alone(MP_LOAD, line[0] * LINE);
    alone(MP_LOAD, line[1] * LINE);
    uint64_t start = b.wheel.now + 10, waited = b.cache.stats->port_cycles;
    at_cycle(start);
    struct fake_request *r[6];
    for (uint32_t i = 0; i < 6; i++)
        r[i] = ask(i % PORTS, MP_LOAD, line[i == 5] * LINE);
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(r[i]->answered, start + i + LATENCY);
    assert_int_equal(r[5]->answered, start + LATENCY); /* the other bank is free */
    assert_int_equal(b.cache.stats->port_cycles, waited + 0 + 1 + 2 + 3 + 4);
    start = b.wheel.now + 10;
    at_cycle(start);
    ask(0, MP_LOAD, line[0] * LINE);
    uint64_t third = line[0] + 1; /* another line of the bank */
    while (mp_spread((uint32_t)third, 2, &group) != 0)
        third++;
    struct fake_request *miss = ask(1, MP_LOAD, third * LINE);
    run_dry(&b.wheel);
    assert_int_equal(miss->answered, start + 1 + LATENCY + BELOW);
}

/* Hits on one bank: 0, then one for each cycle of the cache's clock that has passed, as whole cycles of the
 * machine. */
static void a_bank_takes_requests_by_its_clock(void **state)
{
    static const struct {
        uint32_t period, after[4];
    } table[] = {{2 << 16, {0, 2, 4, 6}}, {3 << 15, {0, 2, 3, 5}}, {1 << 15, {0, 1, 1, 2}}};
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
        struct mp_cache_params p = base(true);
        p.period = table[k].period;
        set_up(&p);
        alone(MP_LOAD, LINE);
        const uint64_t start = b.wheel.now + 10;
        struct fake_request *r[4];
        at_cycle(start);
        for (uint32_t i = 0; i < 4; i++)
            r[i] = ask(i % PORTS, MP_LOAD, LINE);
        run_dry(&b.wheel);
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(r[i]->answered, start + table[k].after[i] + LATENCY);
        tear_down(state);
    }
    const struct mp_cache_params p = base(true);
    set_up(&p);
}

/* Times of look-ups count cycles of the cache's clock, which is the machine's if none is given. */
static void a_clock_gives_latency_and_period(void **state)
{
    static const struct mp_block_common common = {.page_bytes = 4096, .line_bytes = 128, .clock_mhz = 1400};
    static const struct {
        uint32_t clock, latency, period;
    } table[] = {{0, 100, 0}, {1400, 100, 0}, {700, 200, 2 << 16}, {1000, 140, 91750}, {2800, 50, 1 << 15}};
    (void)state;
    for (unsigned k = 0; k < sizeof table / sizeof *table; k++) {
        struct mp_cache_params p = {
            .bytes = 8192, .banks = 1, .ways = 4, .latency = 100, .clock = table[k].clock};
        mp_cache_kind.derive(&p, &common);
        assert_int_equal(p.latency, table[k].latency);
        assert_int_equal(p.period, table[k].period);
    }
}

static void misses_for_one_line_merge(void **state)
{
    (void)state;
    const struct mp_cache_params p = base(true);
    set_up(&p);
    struct fake_request *first = ask(0, MP_LOAD, 5 * LINE), *second = ask(1, MP_ATOMIC, 5 * LINE + 8);
    at_cycle(100);
    struct fake_request *third = ask(2, MP_PTE_READ, 5 * LINE + 64);
    run_dry(&b.wheel);
    assert_int_equal(b.below[0].seen, 1);
    assert_int_equal(first->answered, LATENCY + BELOW);
    assert_int_equal(second->answered, LATENCY + BELOW);
    assert_int_equal(third->answered, LATENCY + BELOW);
    assert_int_equal(b.cache.stats->mshr_merges, 2);
    alone(MP_LOAD, 6 * LINE);
    alone(MP_LOAD, 7 * LINE);
    assert_int_equal(b.cache.stats->writebacks, 1); /* the merged atomic has made it dirty */
}

static void full_mshrs_hold_and_resume_in_order(void **state)
{
    (void)state;
    struct mp_cache_params p = base(true);
    p.mshrs = 1;
    p.merges = 2;
    p.ways = 8;
    set_up(&p);
    struct fake_request *first = ask(0, MP_LOAD, 5 * LINE);
    at_cycle(10);
    struct fake_request *second = ask(0, MP_LOAD, 6 * LINE); /* no MSHR */
    struct fake_request *behind = ask(0, MP_LOAD, 5 * LINE); /* its port is stopped */
    at_cycle(11);
    struct fake_request *joins = ask(1, MP_LOAD, 5 * LINE);
    at_cycle(12);
    struct fake_request *third = ask(2, MP_LOAD, 5 * LINE); /* the MSHR is full */
    assert_int_equal(b.cache.stats->stalls, 2);
    run_dry(&b.wheel);
    const uint64_t fill = LATENCY + BELOW;
    assert_int_equal(first->answered, fill);
    assert_int_equal(joins->answered, fill);
    assert_int_equal(second->answered, fill + LATENCY + BELOW);
    assert_int_equal(third->answered, fill + LATENCY);
    assert_int_equal(behind->answered, fill + LATENCY);
    assert_int_equal(b.port[0].resumes, 1);
    assert_int_equal(b.port[2].resumes, 1);
    assert_int_equal(b.cache.stats->hits + b.cache.stats->misses, 5);
}

static uint64_t greedy_line;

static void ask_again(struct fake_initiator *i, struct fake_request *r)
{
    (void)r;
    if (i->asked < 50)
        ask(0, MP_LOAD, ++greedy_line * LINE);
}

static void a_port_that_asks_at_once_again_does_not_starve_a_held_one(void **state)
{
    (void)state;
    struct mp_cache_params p = base(true);
    p.mshrs = 1;
    set_up(&p);
    greedy_line = 1000;
    b.port[0].check = ask_again;
    ask(0, MP_LOAD, 0);
    at_cycle(5);
    struct fake_request *patient = ask(1, MP_LOAD, 7 * LINE);
    run_dry(&b.wheel);
    assert_int_equal(b.port[0].answered, 50);
    assert_int_equal(patient->answered, 2 * (LATENCY + BELOW));
}

/* --- one request after the other, against lists ------------------------------------------------------------
 */

struct copy {
    uint64_t line;
    bool dirty;
};

/* Each set: most recent first. */
struct lists {
    struct copy copy[32][20];
    uint32_t length[32];
};

static void against_lists(bool write_back, struct rng *r)
{
    static const struct {
        uint32_t banks, sets, ways;
    } shape[] = {{1, 1, 4}, {2, 4, 2}, {4, 4, 1}, {3, 8, 4}, {1, 2, 20}, {2, 3, 4}};
    static const enum mp_op ops[] = {MP_LOAD, MP_LOAD, MP_LOAD, MP_STORE, MP_ATOMIC};
    for (unsigned k = 0; k < sizeof shape / sizeof *shape; k++) {
        struct mp_cache_params p = base(write_back);
        p.banks = shape[k].banks;
        p.sets = shape[k].sets;
        p.ways = shape[k].ways;
        set_up(&p);
        static struct lists l;
        memset(&l, 0, sizeof l);
        uint32_t lines = 2 * p.banks * p.sets * p.ways, seen = 0;
        uint64_t hits = 0, high = rng_next(r) >> 33;
        for (uint32_t step = 0; step < 5000; step++) {
            uint64_t line = high + rng_below(r, lines);
            enum mp_op op = ops[rng_below(r, 5)];
            uint32_t group, bank = mp_spread((uint32_t)line, p.banks, &group);
            uint32_t set = bank * p.sets + mp_fold(group) % p.sets;
            struct copy *c = l.copy[set];
            uint32_t at = 0;
            while (at < l.length[set] && c[at].line != line)
                at++;
            bool hit = at < l.length[set];
            hits += hit;
            uint64_t took = alone(op, line * LINE);
            if (!write_back && op != MP_LOAD) {
                assert_int_equal(took, LATENCY + BELOW);
                seen_below(seen++, op, line * LINE);
                if (hit && op == MP_ATOMIC) {
                    l.length[set]--;
                    memmove(c + at, c + at + 1, (l.length[set] - at) * sizeof *c);
                }
                continue;
            }
            bool fetched = !hit && op != MP_STORE;
            assert_int_equal(took, fetched ? LATENCY + BELOW : LATENCY);
            if (fetched)
                seen_below(seen++, MP_LOAD, line * LINE);
            struct copy now = {line, (hit && c[at].dirty) || op != MP_LOAD};
            if (!hit && l.length[set] < p.ways) {
                l.length[set]++;
            } else if (!hit) {
                at = p.ways - 1;
                if (c[at].dirty)
                    seen_below(seen++, MP_WRITEBACK, c[at].line * LINE);
            }
            memmove(c + 1, c, at * sizeof *c);
            c[0] = now;
            assert_int_equal(b.below[0].seen, seen);
        }
        assert_int_equal(b.cache.stats->hits, hits);
        assert_true(hits > 500 && hits < 4500);
        if (k + 1 < sizeof shape / sizeof *shape)
            tear_down(NULL);
    }
}

static void write_through_against_lists(void **state)
{
    (void)state;
    struct rng r = rng_start("write-through", 111);
    against_lists(false, &r);
}

static void write_back_against_lists(void **state)
{
    (void)state;
    struct rng r = rng_start("write-back", 112);
    against_lists(true, &r);
}

/* --- random traffic ---------------------------------------------------------------------------------------
 */

struct client {
    uint32_t port, left, lines, gap;
    bool write_back;
};

static void client_asks(void *client, void *unused)
{
    struct client *c = client;
    static const enum mp_op ops[] = {MP_LOAD, MP_LOAD, MP_STORE, MP_ATOMIC, MP_PTE_READ};
    (void)unused;
    struct mp_req like = {.pa = rng_below(&b.rng, c->lines) * LINE + rng_below(&b.rng, LINE),
                          .op = (uint8_t)ops[rng_below(&b.rng, c->write_back ? 5 : 4)],
                          .tenant = (uint8_t)rng_below(&b.rng, 2)};
    fake_initiator_send(&b.port[c->port], like);
    if (--c->left)
        mp_at(&b.wheel, rng_below(&b.rng, c->gap), client_asks, c, NULL);
}

static struct mp_cache_params random_params(bool write_back)
{
    struct mp_cache_params p = base(write_back);
    p.banks = rng_between(&b.rng, 1, 5);
    p.sets = 1u << rng_below(&b.rng, 4);
    p.ways = rng_between(&b.rng, 1, 4);
    p.mshrs = rng_between(&b.rng, 1, 6);
    p.merges = rng_between(&b.rng, 1, 5);
    p.latency = rng_below(&b.rng, 30);
    p.links = rng_between(&b.rng, 1, LINKS);
    return p;
}

static void random_run(const struct mp_cache_params *params, uint32_t each)
{
    const struct mp_cache_params p = *params;
    const bool write_back = p.write_back;
    struct rng rng = b.rng;
    set_up(&p);
    b.rng = rng;
    for (uint32_t i = 0; i < p.links; i++) {
        b.below[i].rng = &b.rng;
        b.below[i].least = rng_below(&b.rng, 10);
        b.below[i].most = b.below[i].least + rng_below(&b.rng, 300);
        b.below[i].done = rng_below(&b.rng, 50);
        b.below[i].hold = rng_below(&b.rng, 50);
    }
    struct client client[PORTS];
    uint32_t lines = rng_between(&b.rng, 1, 200), gap = rng_between(&b.rng, 1, 40);
    for (uint32_t i = 0; i < PORTS; i++) {
        client[i] = (struct client){i, each, lines, gap, write_back};
        mp_at(&b.wheel, i, client_asks, &client[i], NULL);
    }
    run_dry(&b.wheel);
    uint64_t count[MP_WRITEBACK + 1] = {0};
    for (uint32_t i = 0; i < p.links; i++)
        for (uint32_t k = 0; k < b.below[i].seen; k++) {
            const struct fake_seen *s = &b.below[i].log[k];
            count[s->op]++;
            assert_int_equal(mp_spread_channel(s->pa, p.links), i);
        }
    const struct mp_cache_stats *s = b.cache.stats;
    assert_int_equal(s[0].lookups + s[1].lookups, PORTS * each);
    assert_int_equal(s[0].hits + s[0].misses + s[1].hits + s[1].misses, PORTS * each);
    assert_int_equal(count[MP_LOAD] + count[MP_PTE_READ], s[0].fills + s[1].fills);
    assert_int_equal(count[MP_WRITEBACK], s[0].writebacks + s[1].writebacks);
    assert_int_equal(count[MP_STORE], write_back ? 0 : s[0].stores + s[1].stores);
    assert_int_equal(count[MP_ATOMIC], write_back ? 0 : s[0].atomics + s[1].atomics);
    for (uint32_t i = 0; i < PORTS; i++) {
        assert_int_equal(b.port[i].answered, each);
        assert_false(b.port[i].out.held);
    }
    for (uint32_t i = 0; i < p.banks; i++) {
        assert_int_equal(b.cache.bank[i].fetching, 0);
        assert_int_equal(b.cache.bank[i].writing_back, 0);
        assert_int_equal(b.cache.bank[i].held.length, 0);
    }
    assert_int_equal(b.cache.mshr.used, 0);
}

static void every_request_is_answered_once(void **state)
{
    struct rng rng = rng_start("cache", 113);
    for (uint32_t i = 0; i < 40; i++) {
        b.rng = rng;
        const struct mp_cache_params p = random_params(i % 2);
        random_run(&p, 1500);
        rng = b.rng;
        tear_down(state);
    }
    b.rng = rng;
    const struct mp_cache_params p = random_params(true);
    random_run(&p, 100); /* what the teardown takes down */
}

/* Of all that is seen of a run from outside. */
static uint64_t outcome(void)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LINKS && b.below[i].log; i++)
        for (uint32_t k = 0; k < b.below[i].seen; k++)
            sum = sum * 31 + b.below[i].log[k].when * 7 + b.below[i].log[k].pa + b.below[i].log[k].op;
    for (uint32_t i = 0; i < PORTS; i++)
        for (const struct fake_request *r = b.port[i].all; r; r = r->chain)
            sum = sum * 31 + r->answered;
    for (uint32_t t = 0; t < 2; t++)
        for (size_t k = 0; k < sizeof *b.cache.stats / sizeof(uint64_t); k++)
            sum = sum * 31 + ((const uint64_t *)&b.cache.stats[t])[k];
    return sum;
}

/* The functions that are compiled for frequent sets do what those for any sets do. */
static void frequent_sets_are_nothing_special(void **state)
{
    struct rng rng = rng_start("cache, frequent sets", 114);
    uint64_t seen[2];
    unsigned special = 0;
    for (uint32_t i = 0; i < 40; i++) {
        b.rng = rng;
        struct mp_cache_params p = random_params(i % 2);
        p.ways = 2u << i / 2 % 4;
        p.banks = p.write_back ? p.banks : 1;
        rng = b.rng;
        for (unsigned k = 0; k < 2; k++) {
            any_sets = k;
            b.rng = rng;
            random_run(&p, 1000);
            seen[k] = outcome();
            special += mp_cache_path(&b.cache)->request != mp_cache_request;
            tear_down(state);
        }
        assert_int_equal(seen[0], seen[1]);
        rng_next(&rng);
    }
    any_sets = false;
    assert_int_equal(special, 40); /* 2 and 4 ways write through, 8 and 16 write back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(write_through_loads, tear_down),
        cmocka_unit_test_teardown(write_through_stores_go_below_and_allocate_nothing, tear_down),
        cmocka_unit_test_teardown(write_through_atomics_drop_the_copy, tear_down),
        cmocka_unit_test_teardown(loads_that_go_past_find_nothing_and_leave_nothing, tear_down),
        cmocka_unit_test_teardown(lines_of_host_memory_go_past, tear_down),
        cmocka_unit_test_teardown(lines_follow_each_other_on_a_narrow_link, tear_down),
        cmocka_unit_test_teardown(write_back_stores_stay_until_they_are_evicted, tear_down),
        cmocka_unit_test_teardown(write_back_atomics_are_done_here, tear_down),
        cmocka_unit_test_teardown(page_table_entries_are_cached_as_such, tear_down),
        cmocka_unit_test_teardown(a_line_that_is_stored_to_while_it_is_fetched_is_dirty, tear_down),
        cmocka_unit_test_teardown(room_for_write_backs_is_finite, tear_down),
        cmocka_unit_test_teardown(a_bank_takes_one_request_a_cycle, tear_down),
        cmocka_unit_test_teardown(a_bank_takes_requests_by_its_clock, tear_down),
        cmocka_unit_test(a_clock_gives_latency_and_period),
        cmocka_unit_test_teardown(misses_for_one_line_merge, tear_down),
        cmocka_unit_test_teardown(full_mshrs_hold_and_resume_in_order, tear_down),
        cmocka_unit_test_teardown(a_port_that_asks_at_once_again_does_not_starve_a_held_one, tear_down),
        cmocka_unit_test_teardown(write_through_against_lists, tear_down),
        cmocka_unit_test_teardown(write_back_against_lists, tear_down),
        cmocka_unit_test_teardown(every_request_is_answered_once, tear_down),
        cmocka_unit_test(frequent_sets_are_nothing_special),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
