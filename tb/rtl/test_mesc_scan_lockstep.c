/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's scan against the model, and both against Algorithm 1 as it reads: the same accesses in
 * the same order, the same bits. Tables are contiguous but for a few pages, or change while they are read. */
#include "../models/engine/fakes.h"

#include <inttypes.h>

#include "rtl/mesc_scan_rtl.h"
#include "vm/contiguity.h"

extern const struct mesc_scan_rtl mesc_scan_rtl_fault_valid, mesc_scan_rtl_fault_whole,
    mesc_scan_rtl_fault_sent;

#define PAGE    4096ull
#define PAGES   512u
#define ROOT    0x1000ull
#define UPPER   0x2000ull
#define MIDDLE  0x3000ull
#define LEAVES  0x5000ull
#define CHANGES 4u
#define BITS_AT MP_PTE_CONTIGUOUS_SHIFT

/* A frame's table and the entry that points to it, behind a port. */
struct table {
    uint64_t entry_at, entry, leaf[PAGES];
    struct {
        unsigned when; /* before this access */
        unsigned leaf;
        uint64_t value;
    } change[CHANGES];
    unsigned changes;
    unsigned accesses, leaf_reads, writes, outside;
    uint64_t at[PAGES + 3]; /* of each access */
};

static void access_table(void *self, bool write, uint64_t at, uint64_t *data)
{
    struct table *t = self;
    for (unsigned i = 0; i < t->changes; i++)
        if (t->change[i].when == t->accesses)
            t->leaf[t->change[i].leaf] = t->change[i].value;
    if (t->accesses < sizeof t->at / sizeof *t->at)
        t->at[t->accesses] = at << 1 | write;
    t->accesses++;
    uint64_t leaf = (at - (t->entry & MP_PTE_ADDRESS)) / 8;
    if (at == t->entry_at && write) {
        t->writes++;
        t->entry = *data;
    } else if (at == t->entry_at) {
        *data = t->entry;
    } else if (!write && leaf < PAGES) {
        t->leaf_reads++;
        *data = t->leaf[leaf];
    } else {
        t->outside++;
    }
}

/* ---- Algorithm 1 ---- */

static uint64_t read_at(struct table *t, uint64_t at)
{
    uint64_t data = 0;
    access_table(t, false, at, &data);
    return data;
}

static bool algorithm(struct table *t, bool heads_first)
{
    uint64_t old = read_at(t, t->entry_at), bits = 0, before = 0;
    bool whole = true;
    if (!(old & MP_PTE_VALID))
        return false;
    for (unsigned r = 0; r < 8; r++) {
        uint64_t head = 0;
        bool good = true;
        for (unsigned o = 0; o < 64 && good; o++) {
            unsigned at = !heads_first ? 64 * r + o : o ? 8 + 63 * r + o - 1 : r;
            uint64_t leaf = read_at(t, (old & MP_PTE_ADDRESS) + 8 * at);
            if (o == 0)
                head = leaf;
            good = head & MP_PTE_VALID && leaf == head + o * PAGE;
        }
        bits |= (uint64_t)good << (BITS_AT + r);
        whole = whole && good && (r == 0 || head == before + 64 * PAGE);
        before = head;
    }
    uint64_t entry = (old & ~MP_PTE_CONTIGUITY) | bits | (whole ? MP_PTE_CONTIGUOUS_FRAME : 0);
    if (entry != old)
        access_table(t, true, t->entry_at, &entry);
    return entry != old;
}

/* ---- tables ---- */

static unsigned leaf_of(bool heads_first, unsigned page)
{
    unsigned r = page / 64, o = page % 64;
    return !heads_first ? page : o ? 8 + 63 * r + o - 1 : r;
}

static uint64_t some_leaf(struct rng *rng, uint64_t leaf)
{
    switch (rng_below(rng, 6)) {
    case 0:
        return leaf ^ MP_PTE_READ_ONLY;
    case 1:
        return leaf & ~MP_PTE_VALID;
    case 2:
        return 0;
    case 3:
        return leaf + PAGE;
    case 4:
        return leaf ^ 1ull << rng_below(rng, 64);
    default:
        return rng_next(rng);
    }
}

/* Subregions begin where the one before ends, or elsewhere; a few pages do not fit. */
static void make(struct table *t, struct rng *rng, bool heads_first)
{
    *t = (struct table){.entry_at = MIDDLE + 8 * rng_below(rng, 512)};
    uint64_t leaf = (rng_next(rng) & MP_PTE_ADDRESS) | MP_PTE_VALID | MP_PTE_LEAF;
    bool jumps = rng_below(rng, 2);
    if (rng_below(rng, 8) == 0)
        leaf = 0xfffffffffff00000ull | MP_PTE_VALID | MP_PTE_LEAF; /* distances carry out of the address */
    for (unsigned p = 0; p < PAGES; p++, leaf += PAGE) {
        if (jumps && p % 64 == 0 && rng_below(rng, 3) == 0)
            leaf = (rng_next(rng) & (MP_PTE_ADDRESS | MP_PTE_READ_ONLY)) | MP_PTE_VALID | MP_PTE_LEAF;
        t->leaf[leaf_of(heads_first, p)] = leaf;
    }
    for (unsigned n = rng_below(rng, 4); n; n--) {
        unsigned at =
            leaf_of(heads_first, rng_below(rng, 3) ? rng_below(rng, PAGES) : 64 * rng_below(rng, 8));
        t->leaf[at] = some_leaf(rng, t->leaf[at]);
    }
    t->entry = LEAVES | (rng_below(rng, 20) ? MP_PTE_VALID : 0) | (rng_next(rng) & ~(MP_PTE_ADDRESS | 3));
    if (rng_below(rng, 2)) { /* as a scan leaves it */
        struct table copy = *t;
        algorithm(&copy, heads_first);
        t->entry = copy.entry;
    }
}

static void let_it_change(struct table *t, struct rng *rng)
{
    t->changes = 1 + rng_below(rng, CHANGES);
    for (unsigned i = 0; i < t->changes; i++) {
        t->change[i].when = rng_below(rng, PAGES);
        t->change[i].leaf = rng_below(rng, PAGES);
        t->change[i].value = some_leaf(rng, t->leaf[t->change[i].leaf]);
    }
}

/* ---- the model ---- */

static void write64(struct mp_physmem *m, uint64_t at, uint64_t value)
{
    assert_int_equal(mp_physmem_write64(m, at, value), 0);
}

/* The model's scan of a table that does not change. */
static void model(const struct table *begin, const struct table *expected, bool heads_first, bool changed)
{
    static struct mp_physmem memory;
    struct mp_page_table table = {
        .format = mp_page_format(PAGE), .memory = &memory, .root = ROOT, .heads_first = heads_first};
    struct mp_contiguity c = {0};
    if (!memory.bytes)
        assert_int_equal(mp_physmem_init(&memory, 1 << 20), 0);
    uint64_t va = (begin->entry_at - MIDDLE) / 8 << MP_CONTIGUITY_SHIFT;
    write64(&memory, ROOT, UPPER | MP_PTE_VALID);
    write64(&memory, UPPER, MIDDLE | MP_PTE_VALID);
    write64(&memory, begin->entry_at, begin->entry);
    for (unsigned i = 0; i < PAGES; i++)
        write64(&memory, LEAVES + 8 * i, begin->leaf[i]);
    assert_int_equal(mp_contiguity_scan_frame(&c, &table, va), changed);
    assert_true(mp_physmem_read64(&memory, begin->entry_at) == expected->entry);
    assert_int_equal(c.read, expected->leaf_reads);
    assert_int_equal(c.written, expected->writes);
}

/* ---- scans ---- */

struct counts {
    uint64_t whole, some, none, invalid, unchanged, resets, changing, calm_clocks;
};

/* Scans the table by the RTL. NULL, or what differs from the algorithm. */
static const char *compare(const struct mesc_scan_rtl *rtl, void *block, const struct table *begin,
                           struct rtl_manner manner, struct counts *counts)
{
    struct table expected = *begin, got = *begin;
    const struct mesc_scan_memory memory = {access_table, &got};
    struct mesc_scan_answer answer;
    bool changed = algorithm(&expected, rtl->heads_first);
    if (!begin->changes)
        model(begin, &expected, rtl->heads_first, changed);
    if (manner.reset) {
        rtl->scan(block, begin->entry_at, &memory, &answer, manner);
        counts->resets += answer.reset;
        if (answer.wrong)
            return answer.wrong;
        got = *begin;
        manner.reset = 0;
    }
    rtl->scan(block, begin->entry_at, &memory, &answer, manner);
    if (answer.wrong)
        return answer.wrong;
    if (got.accesses != expected.accesses || memcmp(got.at, expected.at, sizeof got.at) != 0 || got.outside)
        return "other accesses";
    if (got.entry != expected.entry)
        return "another entry";
    uint64_t bits = expected.entry & MP_PTE_VALID ? expected.entry >> BITS_AT & 0x1ff : 0;
    if (answer.changed != changed || answer.bits != bits)
        return "another answer";
    counts->whole += bits == 0x1ff;
    counts->some += bits && bits != 0x1ff;
    counts->none += !bits;
    counts->invalid += !(expected.entry & MP_PTE_VALID);
    counts->unchanged += !changed;
    counts->changing += begin->changes > 0;
    if (!rtl_manner_rough(&manner) && answer.clocks > counts->calm_clocks)
        counts->calm_clocks = answer.clocks;
    return NULL;
}

/* Random scans until they differ. */
static const char *run(const struct mesc_scan_rtl *rtl, struct rng *rng, unsigned scans,
                       struct counts *counts)
{
    const char *wrong = NULL;
    void *block = rtl->open(rng->state);
    assert_non_null(block);
    *counts = (struct counts){0};
    for (unsigned i = 0; i < scans && !wrong; i++) {
        struct table table;
        make(&table, rng, rtl->heads_first);
        if (rng_below(rng, 4) == 0)
            let_it_change(&table, rng);
        struct rtl_manner manner = rng_below(rng, 4) ? rtl_manner_of(rng_next(rng)) : (struct rtl_manner){0};
        if (rng_below(rng, 16) == 0)
            manner.reset = 1 + rng_below(rng, 2000);
        wrong = compare(rtl, block, &table, manner, counts);
        if (wrong)
            print_message("scan %u: %s\n", i, wrong);
    }
    rtl->verilated.close(block);
    return wrong;
}

static void random_scans(void **state)
{
    (void)state;
    static const struct mesc_scan_rtl *const designs[] = {&mesc_scan_rtl_in_order,
                                                          &mesc_scan_rtl_heads_first};
    struct rng rng = rng_start("mesc_scan lockstep", 20261122);
    for (unsigned d = 0; d < 2; d++) {
        struct counts n;
        assert_null(run(designs[d], &rng, 10000, &n));
        print_message("whole %" PRIu64 ", some %" PRIu64 ", none %" PRIu64 "; without a table %" PRIu64
                      ", unchanged %" PRIu64 ", changed while read %" PRIu64 ", resets %" PRIu64
                      "; at most %" PRIu64 " clocks\n",
                      n.whole, n.some, n.none, n.invalid, n.unchanged, n.changing, n.resets, n.calm_clocks);
        assert_true(n.whole > 100 && n.some > 100 && n.none > 20 && n.invalid > 20 && n.unchanged > 100);
        assert_true(n.changing > 100 && n.resets > 20);
    }
}

static void faults_are_found(void **state)
{
    (void)state;
    static const struct mesc_scan_rtl *const faults[] = {
        &mesc_scan_rtl_fault_valid, &mesc_scan_rtl_fault_whole, &mesc_scan_rtl_fault_sent};
    struct rng rng = rng_start("mesc_scan faults", 7);
    for (unsigned f = 0; f < sizeof faults / sizeof *faults; f++) {
        struct counts n;
        assert_non_null(run(faults[f], &rng, 2000, &n));
    }
}

/* A whole frame, from a memory that answers in the next clock: two clocks for each of 513 reads, one for the
 * write, and one in which the scan's end is taken. */
static void clocks_of_a_whole_frame(void **state)
{
    (void)state;
    struct table table = {.entry_at = MIDDLE, .entry = LEAVES | MP_PTE_VALID};
    struct counts n = {0};
    for (unsigned p = 0; p < PAGES; p++)
        table.leaf[p] = (0x1000 + p) * PAGE | MP_PTE_VALID | MP_PTE_LEAF;
    void *block = mesc_scan_rtl_in_order.open(1);
    assert_null(compare(&mesc_scan_rtl_in_order, block, &table, (struct rtl_manner){0}, &n));
    assert_int_equal(n.whole, 1);
    assert_int_equal(n.calm_clocks, 2 * 513 + 2);
    mesc_scan_rtl_in_order.verilated.close(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scans),
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(clocks_of_a_whole_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
