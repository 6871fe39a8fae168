/* SPDX-License-Identifier: Apache-2.0 */
/* Stacked memory: timings worked out by hand, bandwidth against the arithmetic of data sheets, and random
 * traffic against a model that checks each command against all earlier ones. */
#include "../engine/fakes.h"

#include "dram/hbm.h"

#define BANKS  16u
#define GROUPS 4u

static struct mp_wheel wheel;
static struct mp_dram dram;
static struct fake_initiator channel;

/* A pseudo channel of HBM2 at 2 Gb/s with times as in gem5, at the machine's clock of 1 GHz. */
static struct mp_dram_params base(void)
{
    return (struct mp_dram_params){.channels = 1,
                                   .banks = BANKS,
                                   .row_bytes = 1024,
                                   .queue = 64,
                                   .burst = 8,
                                   .cas = 18,
                                   .rcd = 12,
                                   .rp = 14,
                                   .ras = 28,
                                   .transport = 0,
                                   .model = MP_DRAM_HBM,
                                   .clock = 1000,
                                   .core = 1000,
                                   .accesses = 4,
                                   .groups = GROUPS,
                                   .ccd_l = 4,
                                   .rrd = 4,
                                   .rrd_l = 6,
                                   .faw = 16,
                                   .rtp = 5,
                                   .cwl = 7,
                                   .wr = 14,
                                   .wtr = 9,
                                   .rfcpb = 160,
                                   .rrefd = 8,
                                   .batch = 64,
                                   .tenants = 1};
}

static void set_up(const struct mp_dram_params *p)
{
    mp_wheel_init(&wheel);
    memset(&channel, 0, sizeof channel);
    assert_int_equal(mp_dram_init(&dram, &wheel, p), 0);
    fake_initiator_join(&channel, &wheel, mp_dram_kind.target(&dram, 0), &dram.up[0]);
}

static int tear_down(void **state)
{
    (void)state;
    fake_initiator_free(&channel);
    mp_dram_free(&dram);
    mp_wheel_free(&wheel);
    return 0;
}

/* The n-th row of a bank. */
static uint64_t row_in(uint32_t bank, uint32_t n)
{
    for (uint64_t row = 0;; row++)
        if (mp_fold(row) % dram.p.banks == bank && !n--)
            return row;
}

static struct fake_request *ask(uint64_t row, bool write)
{
    struct mp_req like = {.pa = row * dram.p.row_bytes, .op = write ? MP_WRITEBACK : MP_LOAD};
    return fake_initiator_send(&channel, like);
}

static void a_line_is_several_accesses_of_one_bank_group(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    struct fake_request *lone = ask(row_in(0, 0), false);
    run_dry(&wheel);
    /* The activate is decided the cycle after the arrival; three accesses wait for tCCD_L. */
    assert_int_equal(lone->answered, 1 + p.rcd + 3 * p.ccd_l + p.cas + 2);
    assert_int_equal(dram.stats->row_misses, 1);
    assert_int_equal(dram.stats->busy_cycles, 8);
}

static void lines_of_two_bank_groups_share_the_bus(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    set_up(&p);
    struct fake_request *a = ask(row_in(0, 0), false), *c = ask(row_in(1, 0), false);
    run_dry(&wheel);
    assert_int_equal(a->answered, 1 + p.rcd + 3 * p.ccd_l + p.cas + 2);
    assert_int_equal(c->answered, a->answered + p.rrd + 2); /* a burst later than its activate */
}

static void four_activates_in_a_window(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.accesses = 1;
    p.burst = 2;
    p.rrd = p.rrd_l = 1;
    set_up(&p);
    struct fake_request *r[6];
    for (uint32_t i = 0; i < 6; i++)
        r[i] = ask(row_in(i, 0), false);
    run_dry(&wheel);
    assert_int_equal(r[0]->answered, 1 + p.rcd + p.cas + 2);
    assert_int_equal(r[4]->answered, r[0]->answered + p.faw);
    assert_int_equal(r[5]->answered, r[4]->answered + 2); /* the bus */
}

static void the_bus_turns(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.accesses = 1;
    p.burst = 2;
    set_up(&p);
    struct fake_request *load = ask(row_in(0, 0), false);
    run_dry(&wheel);
    const uint64_t opened = load->answered;
    ask(row_in(1, 0), false);
    run_dry(&wheel);
    mp_wheel_advance(&wheel, 1000);
    struct fake_request *a = ask(row_in(0, 0), false), *w = ask(row_in(0, 0), true);
    struct fake_request *after = ask(row_in(1, 0), false);
    run_dry(&wheel);
    assert_int_equal(opened, 1 + p.rcd + p.cas + 2);
    assert_int_equal(a->answered, 1001 + p.cas + 2);
    assert_int_equal(after->answered, a->answered + 2);     /* the bus has its direction: before the write */
    assert_int_equal(w->answered, after->answered + 1 + 2); /* a cycle for the turn, and its data */
    struct fake_request *late = ask(row_in(0, 0), false);
    run_dry(&wheel);
    assert_int_equal(late->answered, w->answered + p.wtr + p.cas + 2);
}

static void the_other_direction_has_its_turn(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.accesses = 1;
    p.burst = p.ccd_l = 2;
    p.batch = 8;
    set_up(&p);
    struct fake_request *w, *r[40];
    ask(row_in(0, 0), false);
    ask(row_in(1, 0), false);
    run_dry(&wheel); /* two accesses of the batch */
    for (uint32_t i = 0; i < 40; i++)
        r[i] = ask(row_in(1, 0), false);
    w = ask(row_in(0, 0), true);
    run_dry(&wheel);
    assert_true(w->answered > r[5]->answered && w->answered < r[6]->answered);
}

static void refreshes_close_rows(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.refi = 3900;
    p.rfc = 260;
    set_up(&p);
    struct fake_request *first = ask(row_in(0, 0), false);
    run_dry(&wheel);
    const uint64_t lone = first->answered;
    mp_wheel_advance(&wheel, 3899);
    struct fake_request *held = ask(row_in(0, 0), false);
    run_dry(&wheel);
    mp_wheel_advance(&wheel, 5 * 3900 + 1000); /* refreshes without requests are past */
    struct fake_request *later = ask(row_in(0, 0), false);
    run_dry(&wheel);
    /* The row is closed in cycle 3900, then the banks refresh, then the row is opened. */
    assert_int_equal(held->answered, 3900 + p.rp + p.rfc + lone - 1);
    assert_int_equal(later->answered, 5 * 3900 + 1000 + lone);
}

/* Bank b is refreshed every tREFI, and 16 banks every 243 or 244 cycles. */
static void banks_refresh_one_after_another(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.refi = 3900;
    p.by_bank = 1;
    set_up(&p);
    struct fake_request *first = ask(row_in(0, 0), false);
    run_dry(&wheel);
    const uint64_t lone = first->answered;
    mp_wheel_advance(&wheel, 242);
    struct fake_request *held = ask(row_in(0, 0), false), *other = ask(row_in(1, 0), false);
    run_dry(&wheel);
    /* 3900 / 16: the row is closed in cycle 243, then bank 0 refreshes, then the row is opened. */
    assert_int_equal(held->answered, 243 + p.rp + p.rfcpb + lone - 1);
    /* The row of bank 1 is opened in 243, too: no, in 244, because a channel gives one command for rows. */
    assert_int_equal(other->answered, 244 + lone - 1);
    mp_wheel_advance(&wheel, 5 * 3900 + 243 + 10); /* bank 0 refreshes for the sixth time */
    struct fake_request *later = ask(row_in(0, 0), false);
    run_dry(&wheel);
    assert_int_equal(later->answered, 5 * 3900 + 243 + p.rfcpb + lone - 1);
}

static void an_activate_waits_for_another_banks_refresh(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.refi = 3900;
    p.by_bank = 1;
    set_up(&p);
    mp_wheel_advance(&wheel, 243);
    struct fake_request *other = ask(row_in(5, 0), false);
    const uint64_t lone = 1 + p.rcd + 3 * p.ccd_l + p.cas + 2;
    run_dry(&wheel);
    assert_int_equal(other->answered, 243 + p.rrefd + lone - 1);
}

/* --- bandwidth --------------------------------------------------------------------------------------- */

/* Cycles for a number of lines, in rows that follow a pattern; the queue is always full. */
static uint64_t time_of(const struct mp_dram_params *p, uint32_t lines, uint64_t (*row)(uint32_t line),
                        uint32_t writes_of_ten)
{
    set_up(p);
    for (uint32_t i = 0; i < lines; i++)
        ask(row(i), i % 10 < writes_of_ten);
    run_dry(&wheel);
    uint64_t last = 0;
    for (const struct fake_request *r = channel.all; r; r = r->chain)
        last = r->answered > last ? r->answered : last;
    tear_down(NULL);
    return last;
}

static uint64_t
streaming(uint32_t line) /* eight lines of 128 B in each row of 1 KiB, and rows in all banks */
{
    return line / 8;
}

static uint64_t in_one_group(uint32_t line)
{
    return row_in(line % 2 * GROUPS, 0);
}

static uint64_t random_rows(uint32_t line)
{
    return (line * 2654435761u) >> 12;
}

#define LINES 40000u

static void within(uint64_t cycles, double expected, double tolerance)
{
    const double ratio = (double)cycles / expected;
    if (ratio < 1 - tolerance || ratio > 1 + tolerance)
        fail_msg("%ju cycles, %.0f expected within %.1f %%", (uintmax_t)cycles, expected, 100 * tolerance);
}

/* JESD235: 64 bits at 2 Gb/s are 16 GB/s, 128 B in 8 ns, less what refreshes take. */
static void peak_of_reads(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    within(time_of(&p, LINES, streaming, 0), 8.0 * LINES, 0.01);
    p.refi = 3900;
    p.rfc = 260;
    /* A refresh also costs the rows to close and to open: tRTP or tRAS, tRP and tRCD. */
    const double lost = 260 + 14 + 12;
    within(time_of(&p, LINES, streaming, 0), 8.0 * LINES * 3900 / (3900 - lost), 0.02);
}

/* HBM2 (JESD235): a bank refreshes for tRFCSB in each tREFI while the others send data, so reads of all banks
 * have the whole bus. All-bank refreshes take tRFC of it. HBM3 (JESD238) at 5.2 Gb/s has other times. */
static void peak_with_refreshes_of_one_bank(void **state)
{
    (void)state;
    static const struct {
        uint32_t banks, groups, refi, rfc, rfcpb, rrefd, rp, rcd;
    } of[] = {{16, 4, 3900, 260, 160, 8, 14, 12}, {32, 8, 5106, 341, 210, 11, 19, 16}};
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++) {
        struct mp_dram_params p = base();
        p.banks = of[i].banks;
        p.groups = of[i].groups;
        p.rp = of[i].rp;
        p.rcd = of[i].rcd;
        p.refi = of[i].refi;
        p.rfc = of[i].rfc;
        const double lost = of[i].rfc + of[i].rp + of[i].rcd;
        within(time_of(&p, LINES, streaming, 0), 8.0 * LINES * of[i].refi / (of[i].refi - lost), 0.02);
        p.by_bank = 1;
        p.rfcpb = of[i].rfcpb;
        p.rrefd = of[i].rrefd;
        within(time_of(&p, LINES, streaming, 0), 8.0 * LINES, 0.01);
    }
}

static uint64_t in_one_bank(uint32_t line)
{
    return row_in(0, line / 8 % 2);
}

/* Rows of one bank, eight lines each: it is not there for tRFCSB in each tREFI. */
static void one_bank_has_less(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.queue = 8;
    const double whole = (double)time_of(&p, LINES, in_one_bank, 0);
    p.refi = 3900;
    p.by_bank = 1;
    const double lost = 160 + 14 + 12;
    within(time_of(&p, LINES, in_one_bank, 0), whole * 3900 / (3900 - lost), 0.02);
}

static void one_bank_group_has_half_of_it(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    within(time_of(&p, LINES, in_one_group, 0), 16.0 * LINES, 0.01);
}

/* A row for each line: four activates in tFAW. A line takes half of that time on the bus. */
static void random_lines_are_limited_by_activates(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.accesses = 1;
    p.burst = 2;
    p.banks = 64;
    p.groups = 16;
    within(time_of(&p, LINES, random_rows, 0), 16.0 / 4 * LINES, 0.03);
    /* Four banks: the cycle of a bank, tRAS + tRP, limits them. */
    p.banks = p.groups = 4;
    p.rrd = p.rrd_l = p.faw = 1;
    within(time_of(&p, LINES, random_rows, 0), (28.0 + 14 + 0) / 4 * LINES, 0.1);
}

/* A batch of 64 accesses in each direction, and a turn each way: the end of a read's data and a cycle until a
 * write's data; a write's data and tWTR until the next read. */
static void turns_cost_bandwidth(void **state)
{
    (void)state;
    const struct mp_dram_params p = base();
    const double turn = (18 + 2 + 1 - 7 - 2) + (7 + 2 + 9 - 2);
    const double a_line = 8 + turn / (2 * 64 / 4);
    within(time_of(&p, LINES, streaming, 5), a_line * LINES, 0.05);
}

/* 1593 MHz against 1410 MHz, as an A100's: 128 B in 8 cycles of the memory's clock. */
static void clocks_differ(void **state)
{
    (void)state;
    struct mp_dram_params p = base();
    p.clock = 1593;
    p.core = 1410;
    within(time_of(&p, LINES, streaming, 0), 8.0 * LINES * 1410 / 1593, 0.01);
    p.clock = 500; /* a slower memory */
    within(time_of(&p, LINES, streaming, 0), 8.0 * LINES * 1410 / 500, 0.01);
}

/* --- each command against all earlier ones ------------------------------------------------------------ */

enum kind { ACTIVATE, PRECHARGE, REFRESH, READ, WRITE };

struct command {
    enum kind kind;
    uint32_t bank;
    int64_t tick;
};

struct line {
    uint64_t row;
    uint32_t bank, left;
    bool write;
    struct fake_request *request;
};

enum { MOST = 500, COMMANDS = 16 * MOST };

static struct {
    struct command log[COMMANDS];
    uint32_t commands;
    struct line line[MOST]; /* oldest first; the first p.queue of them are in the queue */
    uint32_t lines;
    uint64_t open[64];
    int64_t closed[64]; /* from which tick on a refresh lets a bank open a row again */
    uint64_t refreshed; /* banks, if they refresh one after another */
    uint32_t streak;
    bool writing;
    uint64_t due[MOST];
} m;

/* The least distance of a command from an earlier one; 0: they do not know each other. */
static int64_t distance(const struct mp_dram_params *p, const struct command *was, enum kind kind,
                        uint32_t bank)
{
    const int64_t burst = p->burst / p->accesses, write_end = p->cwl + burst;
    const bool same = was->bank == bank, group = was->bank % p->groups == bank % p->groups;
    int64_t d = 0;
#define AT_LEAST(when, cycles) d = (when) && (int64_t)(cycles) > d ? (int64_t)(cycles) : d
    switch (was->kind) {
    case ACTIVATE:
        AT_LEAST(kind == ACTIVATE || kind == REFRESH, p->rrd);
        AT_LEAST((kind == ACTIVATE || kind == REFRESH) && group, p->rrd_l);
        AT_LEAST(kind >= READ && same, p->rcd);
        AT_LEAST(kind == PRECHARGE && same, p->ras);
        break;
    case PRECHARGE:
        AT_LEAST((kind == ACTIVATE || kind == REFRESH) && same, p->rp);
        break;
    case REFRESH:
        AT_LEAST((kind == ACTIVATE || kind == REFRESH) && same, p->rfcpb);
        AT_LEAST(kind == ACTIVATE || kind == REFRESH, p->rrefd);
        break;
    case READ:
        AT_LEAST(kind == READ, burst);
        AT_LEAST(kind == WRITE, p->cas + burst + 1 - p->cwl);
        AT_LEAST(kind >= READ && group, p->ccd_l > burst ? p->ccd_l : burst);
        AT_LEAST(kind == PRECHARGE && same, p->rtp);
        break;
    case WRITE:
        AT_LEAST(kind == WRITE, burst);
        AT_LEAST(kind == READ, write_end + p->wtr);
        AT_LEAST(kind >= READ && group, p->ccd_l > burst ? p->ccd_l : burst);
        AT_LEAST(kind == PRECHARGE && same, write_end + p->wr);
        break;
    }
    return d;
}

static bool allowed(const struct mp_dram_params *p, enum kind kind, uint32_t bank, int64_t tick)
{
    uint32_t activates = 0;
    if (kind == ACTIVATE && tick < m.closed[bank])
        return false;
    for (uint32_t i = m.commands; i-- > 0;) {
        if (tick < m.log[i].tick + distance(p, &m.log[i], kind, bank))
            return false;
        activates += m.log[i].kind == ACTIVATE && tick < m.log[i].tick + (int64_t)p->faw;
    }
    return kind != ACTIVATE || activates < 4;
}

static void give(enum kind kind, uint32_t bank, int64_t tick)
{
    assert_true(m.commands < COMMANDS);
    m.log[m.commands++] = (struct command){kind, bank, tick};
}

/* The first tick at which the bank's row may be closed, from this one on. */
static int64_t may_close(const struct mp_dram_params *p, uint32_t bank, int64_t tick)
{
    while (!allowed(p, PRECHARGE, bank, tick))
        tick++;
    return tick;
}

static void step_refresh(const struct mp_dram_params *p, int64_t tick)
{
    int64_t start = tick;
    for (uint32_t b = 0; b < p->banks; b++) {
        int64_t ready = m.closed[b];
        if (m.open[b] != MP_NEVER)
            ready = may_close(p, b, tick) + p->rp;
        for (uint32_t i = 0; i < m.commands; i++)
            if (m.log[i].kind == PRECHARGE && m.log[i].bank == b && m.log[i].tick + p->rp > ready)
                ready = m.log[i].tick + p->rp;
        start = ready > start ? ready : start;
        m.open[b] = MP_NEVER;
    }
    for (uint32_t b = 0; b < p->banks; b++)
        m.closed[b] = start + p->rfc;
}

/* The bank that must refresh and takes no other command; or none of them. */
static uint32_t due_bank(const struct mp_dram_params *p, int64_t tick)
{
    const bool due = p->by_bank && p->refi && tick >= (int64_t)((m.refreshed + 1) * p->refi / p->banks);
    return due ? (uint32_t)(m.refreshed % p->banks) : p->banks;
}

/* Whether the command for rows of this tick is that of the refresh of a bank. */
static bool step_bank(const struct mp_dram_params *p, int64_t tick)
{
    const uint32_t bank = due_bank(p, tick);
    const enum kind kind = bank < p->banks && m.open[bank] != MP_NEVER ? PRECHARGE : REFRESH;
    if (bank == p->banks || !allowed(p, kind, bank, tick))
        return false;
    give(kind, bank, tick);
    m.open[bank] = MP_NEVER;
    m.refreshed += kind == REFRESH;
    return true;
}

static const struct line *hit_of(uint32_t bank, uint32_t queued)
{
    for (uint32_t i = 0; i < queued; i++)
        if (m.line[i].bank == bank && m.line[i].row == m.open[bank])
            return &m.line[i];
    return NULL;
}

static int choose_row(const struct mp_dram_params *p, int64_t tick, uint32_t queued)
{
    for (uint32_t i = 0; i < queued; i++) {
        const uint32_t bank = m.line[i].bank;
        const enum kind kind = m.open[bank] == MP_NEVER ? ACTIVATE : PRECHARGE;
        if (bank != due_bank(p, tick) && !hit_of(bank, queued) && allowed(p, kind, bank, tick))
            return (int)i;
    }
    return -1;
}

static int choose_column(const struct mp_dram_params *p, int64_t tick, uint32_t queued)
{
    bool other_waits = false;
    for (uint32_t b = 0; b < p->banks; b++) {
        const struct line *hit = hit_of(b, queued);
        other_waits |= hit && b != due_bank(p, tick) && hit->write != m.writing;
    }
    const bool turn = m.streak >= p->batch && other_waits;
    for (uint32_t i = 0; i < queued; i++) {
        const struct line *l = &m.line[i];
        if (hit_of(l->bank, queued) == l && l->bank != due_bank(p, tick) &&
            !(turn && l->write == m.writing) && allowed(p, l->write ? WRITE : READ, l->bank, tick))
            return (int)i;
    }
    return -1;
}

static void access_column(const struct mp_dram_params *p, int64_t tick, uint32_t i)
{
    struct line *l = &m.line[i];
    give(l->write ? WRITE : READ, l->bank, tick);
    m.streak = l->write == m.writing ? m.streak + 1 : 1;
    m.writing = l->write;
    if (--l->left)
        return;
    m.due[l->request->index] = (uint64_t)tick + (l->write ? p->cwl : p->cas) + p->burst / p->accesses;
    memmove(l, l + 1, (--m.lines - i) * sizeof *l);
}

/* Both commands of a tick are chosen from the state before it: a row that is opened or closed has no hits
 * then. */
static void step(const struct mp_dram_params *p, int64_t tick, uint32_t seen)
{
    const uint32_t queued = seen < p->queue ? seen : p->queue;
    const int row = choose_row(p, tick, queued), column = choose_column(p, tick, queued);
    if (!step_bank(p, tick) && row >= 0) {
        const uint32_t bank = m.line[row].bank;
        const enum kind kind = m.open[bank] == MP_NEVER ? ACTIVATE : PRECHARGE;
        give(kind, bank, tick);
        m.open[bank] = kind == ACTIVATE ? m.line[row].row : MP_NEVER;
    }
    if (column >= 0)
        access_column(p, tick, (uint32_t)column);
}

static void random_against_rules(struct rng *r)
{
    struct mp_dram_params p = base();
    p.banks = rng_between(r, 1, 32);
    p.groups = rng_between(r, 1, p.banks);
    p.queue = rng_between(r, 1, 24);
    p.accesses = 1u << rng_below(r, 3);
    p.burst = p.accesses * rng_between(r, 1, 3);
    p.cas = rng_between(r, p.cwl, 30);
    p.rcd = rng_between(r, 1, 20);
    p.rp = rng_between(r, 1, 20);
    p.ras = rng_between(r, 1, 40);
    p.ccd_l = rng_below(r, 8);
    p.rrd = rng_below(r, 6);
    p.rrd_l = p.rrd + rng_below(r, 4);
    p.faw = rng_below(r, 30);
    p.batch = rng_between(r, 1, 40);
    p.refi = rng_percent(r, 50) ? 0 : rng_between(r, 300, 900);
    p.rfc = rng_between(r, 0, 100);
    p.by_bank = rng_percent(r, 50);
    p.rfcpb = rng_between(r, 0, 150);
    p.rrefd = rng_below(r, 9);
    const uint32_t requests = rng_between(r, 20, 300), rows = rng_between(r, 1, 3 * p.banks);
    const uint32_t pause = rng_percent(r, 50) ? 0 : rng_between(r, 1, 95);
    set_up(&p);
    memset(&m, 0, sizeof m);
    for (uint32_t b = 0; b < p.banks; b++)
        m.open[b] = MP_NEVER;
    uint32_t sent = 0;
    uint64_t idle_until = 0;
    for (uint64_t now = 0; sent < requests || m.lines; now++) {
        mp_wheel_advance(&wheel, now);
        if (p.refi && !p.by_bank && now && now % p.refi == 0)
            step_refresh(&p, (int64_t)now);
        const uint32_t seen = m.lines;
        step(&p, (int64_t)now, seen);
        if (p.by_bank && now > 1000 && !idle_until)
            idle_until = now + rng_between(r, 1, 4000);
        if (sent < requests && now >= idle_until && rng_percent(r, 100 - pause)) {
            const uint64_t row = rng_below(r, rng_percent(r, 50) ? 2 : rows);
            const bool write = rng_percent(r, 30);
            m.line[m.lines++] =
                (struct line){row, mp_fold(row) % p.banks, p.accesses, write, ask(row, write)};
            sent++;
        }
        mp_wheel_run_cycle(&wheel);
    }
    run_dry(&wheel);
    for (const struct fake_request *q = channel.all; q; q = q->chain)
        assert_int_equal(q->answered, m.due[q->index]);
}

static void no_command_breaks_a_rule(void **state)
{
    struct rng r = rng_start("hbm", 37);
    for (uint32_t i = 0; i < 200; i++) {
        random_against_rules(&r);
        tear_down(state);
    }
    random_against_rules(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_line_is_several_accesses_of_one_bank_group, tear_down),
        cmocka_unit_test_teardown(lines_of_two_bank_groups_share_the_bus, tear_down),
        cmocka_unit_test_teardown(four_activates_in_a_window, tear_down),
        cmocka_unit_test_teardown(the_bus_turns, tear_down),
        cmocka_unit_test_teardown(the_other_direction_has_its_turn, tear_down),
        cmocka_unit_test_teardown(refreshes_close_rows, tear_down),
        cmocka_unit_test_teardown(banks_refresh_one_after_another, tear_down),
        cmocka_unit_test_teardown(an_activate_waits_for_another_banks_refresh, tear_down),
        cmocka_unit_test(peak_of_reads),
        cmocka_unit_test(peak_with_refreshes_of_one_bank),
        cmocka_unit_test(one_bank_has_less),
        cmocka_unit_test(one_bank_group_has_half_of_it),
        cmocka_unit_test(random_lines_are_limited_by_activates),
        cmocka_unit_test(turns_cost_bandwidth),
        cmocka_unit_test(clocks_differ),
        cmocka_unit_test_teardown(no_command_breaks_a_rule, tear_down),
    };
    return cmocka_run_group_tests_name("hbm", tests, NULL, NULL);
}
