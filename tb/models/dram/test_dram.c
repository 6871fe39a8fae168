/* SPDX-License-Identifier: Apache-2.0 */
/* The DRAM against timings worked out by hand, and against a model that steps through every cycle. */
#include "../engine/fakes.h"

#include "dram/dram.h"

#define CHANNELS 2u
#define BANKS    4u
#define ROW      1024u
#define BURST    4u
#define CAS      10u
#define RCD      12u
#define RP       14u
#define RAS      30u
#define WIRES    20u
#define ANSWER   (1 + CAS + BURST + WIRES) /* the first command comes the cycle after the arrival */

struct bench {
    struct mp_wheel wheel;
    struct mp_dram dram;
    struct fake_initiator channel[CHANNELS];
};

static struct bench b;

static struct mp_dram_params base(void)
{
    return (struct mp_dram_params){.channels = CHANNELS,
                                   .banks = BANKS,
                                   .row_bytes = ROW / CHANNELS,
                                   .queue = 8,
                                   .burst = BURST,
                                   .cas = CAS,
                                   .rcd = RCD,
                                   .rp = RP,
                                   .ras = RAS,
                                   .transport = WIRES,
                                   .tenants = 2};
}

static void set_up(const struct mp_dram_params *p)
{
    memset(&b, 0, sizeof b);
    mp_wheel_init(&b.wheel);
    assert_int_equal(mp_dram_init(&b.dram, &b.wheel, p), 0);
    for (uint32_t i = 0; i < CHANNELS; i++)
        fake_initiator_join(&b.channel[i], &b.wheel, mp_target_of(mp_dram_request, &b.dram, i),
                            &b.dram.up[i]);
}

static int tear_down(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < CHANNELS; i++)
        fake_initiator_free(&b.channel[i]);
    mp_dram_free(&b.dram);
    mp_wheel_free(&b.wheel);
    return 0;
}

static uint32_t bank_of(uint64_t row)
{
    return mp_fold(row) % BANKS;
}

/* The n-th row of a bank; all addresses of a test lie in rows that are named this way. */
static uint64_t row_in(uint32_t bank, uint32_t n)
{
    for (uint64_t row = 0;; row++)
        if (bank_of(row) == bank && !n--)
            return row;
}

static struct fake_request *read_row(uint64_t row)
{
    return fake_initiator_send(&b.channel[0], (struct mp_req){.pa = row * ROW, .op = MP_LOAD});
}

static void at_cycle(uint64_t cycle)
{
    run_until(&b.wheel, cycle - 1);
    mp_wheel_advance(&b.wheel, cycle);
}

/* The same block with an ideal memory: all accesses of a cycle take the same time, more of them than a queue
 * holds. */
static void an_ideal_memory_takes_its_latency(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.model = MP_DRAM_IDEAL;
    p.latency = 100;
    set_up(&p);
    struct mp_target ideal = mp_dram_kind.target(&b.dram, 0);
    fake_initiator_join(&b.channel[0], &b.wheel, ideal, &b.dram.up[0]);
    at_cycle(50);
    struct fake_request *r[40];
    for (uint32_t i = 0; i < 40; i++)
        r[i] = fake_initiator_send(&b.channel[0],
                                   (struct mp_req){.pa = i * 64, .op = i % 4 ? MP_LOAD : MP_WRITEBACK});
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(r[i]->answered, 150);
    assert_int_equal(b.dram.stats[0].reads, 30);
    assert_int_equal(b.dram.stats[0].writes, 10);
}

static void row_misses_hits_and_conflicts(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    at_cycle(100);
    struct fake_request *closed = read_row(row_in(0, 0));
    at_cycle(1000);
    struct fake_request *open = read_row(row_in(0, 0));
    at_cycle(2000);
    struct fake_request *other = read_row(row_in(0, 1)); /* closed at once: it has been open for long */
    at_cycle(3000);
    struct fake_request *write =
        fake_initiator_send(&b.channel[0], (struct mp_req){.pa = row_in(0, 1) * ROW, .op = MP_WRITEBACK});
    run_dry(&b.wheel);
    assert_int_equal(closed->answered, 100 + RCD + ANSWER);
    assert_int_equal(open->answered, 1000 + ANSWER);
    assert_int_equal(other->answered, 2000 + RP + RCD + ANSWER);
    assert_int_equal(write->answered, 3000 + ANSWER);
    const struct mp_dram_stats *s = b.dram.stats;
    assert_int_equal(s->reads, 3);
    assert_int_equal(s->writes, 1);
    assert_int_equal(s->row_hits, 2);
    assert_int_equal(s->row_misses, 2);
    assert_int_equal(s->busy_cycles, 4 * BURST);
    assert_int_equal(s->queue_cycles, 4 + RCD + RP + RCD);
}

/* Times have 32 bits: a bank that was idle for longer than that is ready, too. */
static void a_bank_is_ready_after_any_pause(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    read_row(row_in(0, 0));
    for (unsigned i = 1; i <= 8; i++) {
        uint64_t cycle = (uint64_t)i << 30;
        run_dry(&b.wheel);
        mp_wheel_advance(&b.wheel, cycle);
        struct fake_request *open = read_row(row_in(0, 0));
        run_dry(&b.wheel);
        assert_int_equal(open->answered, cycle + ANSWER);
    }
}

static void a_row_stays_open_for_its_least_time(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    struct fake_request *first = read_row(row_in(1, 0));
    struct fake_request *conflict = read_row(row_in(1, 1));
    run_dry(&b.wheel);
    assert_int_equal(first->answered, RCD + ANSWER); /* activated in cycle 0 */
    assert_int_equal(conflict->answered, RAS + RP + RCD + ANSWER);
}

static void the_data_bus_carries_one_burst_at_a_time(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    struct fake_request *r[4];
    for (uint32_t i = 0; i < 4; i++)
        r[i] = read_row(row_in(2, 0));
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(r[i]->answered, RCD + i * BURST + ANSWER);
    assert_int_equal(b.dram.stats->row_misses, 1);
    assert_int_equal(b.dram.stats->row_hits, 3);
}

static void banks_open_rows_side_by_side_one_command_a_cycle(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.burst = 1; /* the bus takes one a cycle too */
    set_up(&p);
    struct fake_request *r[BANKS];
    for (uint32_t i = 0; i < BANKS; i++)
        r[i] = read_row(row_in(i, 0));
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < BANKS; i++)
        assert_int_equal(r[i]->answered, 1 + i + RCD + CAS + 1 + WIRES);
}

static void channels_do_not_share_anything(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    struct fake_request *r[CHANNELS];
    for (uint32_t i = 0; i < CHANNELS; i++)
        r[i] = fake_initiator_send(&b.channel[i], (struct mp_req){.pa = 0, .op = MP_LOAD});
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < CHANNELS; i++)
        assert_int_equal(r[i]->answered, RCD + ANSWER);
}

static void a_younger_row_hit_goes_first(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    struct fake_request *opens = read_row(row_in(3, 0));
    struct fake_request *conflict = read_row(row_in(3, 1));
    struct fake_request *hit = read_row(row_in(3, 0));
    run_dry(&b.wheel);
    assert_int_equal(opens->answered, RCD + ANSWER);
    assert_int_equal(hit->answered, RCD + BURST + ANSWER); /* the row stays open while the bus is busy */
    assert_int_equal(conflict->answered, RAS + RP + RCD + ANSWER);
    assert_int_equal(b.dram.stats->row_hits, 1);
}

static void among_row_hits_the_oldest_goes_first(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    read_row(row_in(0, 0));
    read_row(row_in(1, 0));
    at_cycle(500);
    struct fake_request *r[6];
    for (uint32_t i = 0; i < 6; i++)
        r[i] = read_row(row_in(i % 2, 0));
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(r[i]->answered, 500 + i * BURST + ANSWER);
}

static void a_full_queue_holds(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.queue = 2;
    set_up(&p);
    struct fake_request *r[5];
    for (uint32_t i = 0; i < 5; i++)
        r[i] = read_row(row_in(0, 0));
    assert_true(b.channel[0].out.held);
    assert_int_equal(b.channel[0].out.waiting.length, 2);
    struct fake_request *other = fake_initiator_send(&b.channel[1], (struct mp_req){.pa = 0, .op = MP_LOAD});
    run_dry(&b.wheel);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(r[i]->answered, RCD + i * BURST + ANSWER);
    assert_int_equal(other->answered, RCD + ANSWER);
    assert_int_equal(b.channel[0].resumes, 3);
    assert_int_equal(b.dram.stats->stalls, 3);
}

/* --- every cycle, one after the other ---------------------------------------------------------------------
 */

struct waiting {
    uint64_t row;
    struct fake_request *request;
};

enum { MOST = 4000 };

struct stepper {
    struct waiting line[MOST]; /* oldest first; the first `queue` of them are in the queue */
    uint32_t length;
    uint64_t open[64], ready[64], activated[64], bus;
};

static uint64_t due[2 * MOST]; /* cycle of each request's answer, by channel and index */

static bool row_hit_waits(const struct stepper *s, const struct mp_dram_params *p, uint32_t bank,
                          uint32_t queued)
{
    for (uint32_t i = 0; i < queued; i++)
        if (s->line[i].row == s->open[bank] && mp_fold(s->line[i].row) % p->banks == bank)
            return true;
    return false;
}

static void step(struct stepper *s, const struct mp_dram_params *p, uint64_t now, uint32_t channel)
{
    uint32_t queued = s->length < p->queue ? s->length : p->queue;
    int opens = -1;
    for (uint32_t i = 0; i < queued; i++) {
        uint64_t row = s->line[i].row;
        uint32_t bank = mp_fold(row) % p->banks;
        if (s->ready[bank] > now)
            continue;
        if (s->open[bank] == row) {
            if (s->bus <= now + p->cas) {
                s->bus = now + p->cas + p->burst;
                due[channel * MOST + s->line[i].request->index] = s->bus + p->transport;
                s->length--;
                memmove(&s->line[i], &s->line[i + 1], (s->length - i) * sizeof *s->line);
                return;
            }
        } else if (opens < 0 && !row_hit_waits(s, p, bank, queued)) {
            opens = (int)i;
        }
    }
    if (opens < 0)
        return;
    uint64_t row = s->line[opens].row, start = now;
    uint32_t bank = mp_fold(row) % p->banks;
    if (s->open[bank] != MP_NEVER) {
        uint64_t least = s->activated[bank] + p->ras;
        start = (now > least ? now : least) + p->rp;
    }
    s->open[bank] = row;
    s->activated[bank] = start;
    s->ready[bank] = start + p->rcd;
}

static void random_against_steps(struct rng *r)
{
    static struct stepper s[CHANNELS];
    const struct mp_dram_params p = {.channels = CHANNELS,
                                     .banks = rng_between(r, 1, 64),
                                     .row_bytes = 256u << rng_below(r, 4),
                                     .queue = rng_between(r, 1, 24),
                                     .burst = rng_between(r, 1, 8),
                                     .cas = rng_between(r, 1, 30),
                                     .rcd = rng_between(r, 1, 30),
                                     .rp = rng_between(r, 1, 30),
                                     .ras = rng_between(r, 1, 60),
                                     .transport = rng_below(r, 30),
                                     .tenants = 2};
    uint32_t requests = rng_between(r, 50, 600), rows = rng_between(r, 1, 3 * p.banks), sent = 0;
    uint32_t pause = rng_percent(r, 50) ? 0 : rng_between(r, 1, 95); /* percent of cycles without arrivals */
    set_up(&p);
    memset(s, 0, sizeof s);
    for (uint32_t c = 0; c < CHANNELS; c++)
        for (uint32_t k = 0; k < 64; k++)
            s[c].open[k] = MP_NEVER;
    uint64_t start = rng_percent(r, 50) ? 0 : UINT32_MAX - rng_below(r, 2000); /* low bits go round */
    for (uint32_t c = 0; c < CHANNELS; c++)
        b.dram.channel[c].arrivals = rng_percent(r, 50) ? 0 : MP_DRAM_ORDERS - rng_below(r, 300);
    for (uint64_t now = start; sent < CHANNELS * requests || s[0].length || s[1].length; now++) {
        mp_wheel_advance(&b.wheel, now);
        for (uint32_t c = 0; c < CHANNELS; c++)
            step(&s[c], &p, now, c);
        for (uint32_t c = 0; c < CHANNELS; c++)
            if (b.channel[c].asked < requests && rng_percent(r, 100 - pause)) {
                uint64_t row = rng_below(r, rng_percent(r, 50) ? 2 : rows);
                uint64_t pa = (row * p.channels * p.row_bytes) + rng_below(r, p.channels * p.row_bytes);
                struct mp_req like = {.pa = pa, .op = rng_percent(r, 30) ? MP_WRITEBACK : MP_LOAD};
                like.tenant = (uint8_t)rng_below(r, 2);
                s[c].line[s[c].length++] = (struct waiting){row, fake_initiator_send(&b.channel[c], like)};
                sent++;
            }
        mp_wheel_run_cycle(&b.wheel);
    }
    run_dry(&b.wheel);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        assert_int_equal(b.channel[c].answered, requests);
        assert_false(b.channel[c].out.held);
        for (const struct fake_request *q = b.channel[c].all; q; q = q->chain)
            assert_int_equal(q->answered, due[c * MOST + q->index]);
    }
    const struct mp_dram_stats *t = b.dram.stats;
    uint64_t lines = t[0].reads + t[0].writes + t[1].reads + t[1].writes;
    assert_int_equal(lines, CHANNELS * requests);
    assert_int_equal(t[0].row_hits + t[0].row_misses + t[1].row_hits + t[1].row_misses, lines);
    assert_int_equal(t[0].busy_cycles + t[1].busy_cycles, lines * p.burst);
}

static void the_same_cycles_as_step_by_step(void **state)
{
    struct rng r = rng_start("dram", 101);
    for (uint32_t i = 0; i < 300; i++) {
        random_against_steps(&r);
        tear_down(state);
    }
    random_against_steps(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_ideal_memory_takes_its_latency, tear_down),
        cmocka_unit_test_teardown(row_misses_hits_and_conflicts, tear_down),
        cmocka_unit_test_teardown(a_bank_is_ready_after_any_pause, tear_down),
        cmocka_unit_test_teardown(a_row_stays_open_for_its_least_time, tear_down),
        cmocka_unit_test_teardown(the_data_bus_carries_one_burst_at_a_time, tear_down),
        cmocka_unit_test_teardown(banks_open_rows_side_by_side_one_command_a_cycle, tear_down),
        cmocka_unit_test_teardown(channels_do_not_share_anything, tear_down),
        cmocka_unit_test_teardown(a_younger_row_hit_goes_first, tear_down),
        cmocka_unit_test_teardown(among_row_hits_the_oldest_goes_first, tear_down),
        cmocka_unit_test_teardown(a_full_queue_holds, tear_down),
        cmocka_unit_test_teardown(the_same_cycles_as_step_by_step, tear_down),
    };
    return cmocka_run_group_tests_name("dram", tests, NULL, NULL);
}
