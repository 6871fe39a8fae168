/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_scan/lockstep/mesc_scan_cover.h"

#include <stdio.h>

#define FRAME_BIT     (1ull << MP_SUBREGIONS)
#define SUBREGION_ALL (FRAME_BIT - 1)
#define LAST_AT       0xfffffffffff8ull

/* ---- names ---- */

static const char *const names[SCAN_ALONE] = {
    [SCAN_NO_TABLE] = "frame: without a table",
    [SCAN_NO_TABLE_WITH_BITS] = "frame: without a table, with contiguity bits",
    [SCAN_NO_SUBREGION] = "frame: no subregion is contiguous",
    [SCAN_SOME_SUBREGIONS] = "frame: some subregions are contiguous",
    [SCAN_ALL_BUT_NOT_FRAME] = "frame: all subregions are contiguous, it is not",
    [SCAN_FRAME] = "frame: contiguous",
    [SCAN_BITS_STAY] = "bits: stay",
    [SCAN_FRAME_BIT_GOES_ALONE_OF_ALL] = "bits: only AC goes, of all that are set",
    [SCAN_HEAD_UNMAPPED] = "subregion: its first page is not mapped",
    [SCAN_FRAME_0] = "subregion: begins at frame 0",
    [SCAN_JOINS_BROKEN] = "subregion: contiguous, begins elsewhere",
    [SCAN_OVERFLOWS] = "subregion: contiguous beyond the highest address",
    [SCAN_WRAPS] = "subregion: contiguous beyond all bits of an entry",
    [SCAN_ENTRY_AT_0] = "entry: at address 0",
    [SCAN_ENTRY_AT_LAST] = "entry: at the highest address",
    [SCAN_TABLE_AT_0] = "table: at address 0",
    [SCAN_TABLE_AT_LAST] = "table: at the highest address",
    [SCAN_ENTRY_IS_LEAF] = "entry: with the leaf bit",
    [SCAN_CHANGES_BEFORE] = "table: a page changes just before it is read",
    [SCAN_CHANGES_AFTER] = "table: a page changes just after it was read",
    [SCAN_RESET_AT_ENTRY] = "reset: the entry is requested",
    [SCAN_RESET_READING_ENTRY] = "reset: the entry is awaited",
    [SCAN_RESET_AT_LEAF] = "reset: a leaf is requested",
    [SCAN_RESET_READING_LEAF] = "reset: a leaf is awaited",
    [SCAN_RESET_AT_WRITE] = "reset: the write is requested",
    [SCAN_RESET_AT_END] = "reset: the end is shown",
    [SCAN_RESET_AFTER_WRITE] = "reset: after the write",
};

static const char *const causes[SCAN_CAUSES] = {
    [SCAN_BY_PERMISSION] = "only the permission differs",
    [SCAN_BY_FLAG] = "only another flag differs",
    [SCAN_BY_LOW_ADDRESS] = "only an address bit below 4 GB differs",
    [SCAN_BY_HIGH_ADDRESS] = "only an address bit above 4 GB differs",
    [SCAN_BY_UPPER_BIT] = "only a bit above the address differs",
    [SCAN_BY_FRAME_AFTER] = "skips a frame",
    [SCAN_BY_FRAME_AGAIN] = "repeats a frame",
};

static void name_border(unsigned number, char *name)
{
    snprintf(name, MP_RTL_POINT_NAME, "border %u: %s", number / SCAN_CAUSES + 1,
             causes[number % SCAN_CAUSES]);
}

static void name_miss(unsigned number, char *name)
{
    static const char *const others[] = {"skips a frame", "repeats a frame", "is 0"};
    if (number < 64)
        snprintf(name, MP_RTL_POINT_NAME, "page: only bit %u differs", number);
    else
        snprintf(name, MP_RTL_POINT_NAME, "page: %s", others[number - 64]);
}

/* Points that differ in a number. */
static const struct row {
    unsigned first, count;
    const char *format;                        /* of the number */
    unsigned from;                             /* it begins here */
    void (*name)(unsigned number, char *name); /* instead */
} rows[] = {
    {SCAN_ALONE, MP_SUBREGIONS, "frame: contiguous in subregion %u alone", 0, NULL},
    {SCAN_COMES, MP_SUBREGIONS + 1, "bits: only bit %u comes", MP_PTE_CONTIGUOUS_SHIFT, NULL},
    {SCAN_GOES, MP_SUBREGIONS + 1, "bits: only bit %u goes", MP_PTE_CONTIGUOUS_SHIFT, NULL},
    {SCAN_ALL_BUT, MP_SUBREGIONS, "frame: only a page of subregion %u is wrong", 0, NULL},
    {SCAN_LAST_PAGE, SCAN_BORDERS, "border %u: continues a last page that is wrong", 1, NULL},
    {SCAN_BORDER_BIT, 63, "border: only bit %u differs", 1, NULL},
    {SCAN_BORDER_CAUSE, SCAN_CAUSES *SCAN_BORDERS, NULL, 0, name_border},
    {SCAN_BORDER_CARRY, 64 - SCAN_FIRST_CARRY, "border: the carry goes up to bit %u", SCAN_FIRST_CARRY, NULL},
    {SCAN_PAGE_MISS, SCAN_MISSES, NULL, 0, name_miss},
    {SCAN_PAGE_AT, MP_SUBREGION_PAGES - 1, "page: a near miss at page %u of a subregion", 1, NULL},
    {SCAN_PAGE_CARRY, 64 - SCAN_FIRST_CARRY, "page: the carry goes up to bit %u", SCAN_FIRST_CARRY, NULL},
    {SCAN_RESET_PAGE_BIT, 9, "reset: after a page with bit %u of its number", 0, NULL},
};

bool mesc_scan_cover_point(const struct mesc_scan_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point)
{
    const struct row *r = rows;
    if (number >= SCAN_POINTS)
        return false;
    *point = c->point[number];
    if (number < SCAN_ALONE) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        return true;
    }
    while (number >= r->first + r->count)
        r++;
    if (r->name)
        r->name(number - r->first, name);
    else
        snprintf(name, MP_RTL_POINT_NAME, r->format, number - r->first + r->from);
    return true;
}

/* ---- what is met ---- */

static void met(struct mesc_scan_cover *c, unsigned point, bool is_met)
{
    mp_rtl_met(&c->point[point], is_met, *c->now);
}

uint64_t scan_near(uint64_t wanted, enum scan_miss miss)
{
    switch (miss) {
    case SCAN_FRAME_AFTER:
        return wanted + SCAN_PAGE;
    case SCAN_FRAME_AGAIN:
        return wanted - SCAN_PAGE;
    case SCAN_CLEARED:
        return 0;
    default:
        return wanted ^ 1ull << miss;
    }
}

static unsigned highest_bit(uint64_t of) /* not 0 */
{
    return 63u - (unsigned)__builtin_clzll(of);
}

static bool one_bit(uint64_t other)
{
    return other && !(other & (other - 1));
}

static enum scan_cause cause_of(unsigned bit)
{
    if (bit == 2)
        return SCAN_BY_PERMISSION;
    return bit < 12   ? SCAN_BY_FLAG
           : bit < 32 ? SCAN_BY_LOW_ADDRESS
           : bit < 48 ? SCAN_BY_HIGH_ADDRESS
                      : SCAN_BY_UPPER_BIT;
}

static uint64_t leaf_of(const struct scan_table *t, bool heads_first, unsigned page)
{
    return t->leaf[scan_leaf_of(heads_first, page)];
}

/* A subregion ended at page `end` of the frame, which is not its first. */
static void cover_page(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first, unsigned end)
{
    uint64_t wanted = leaf_of(t, heads_first, end - 1) + SCAN_PAGE, leaf = leaf_of(t, heads_first, end);
    bool bit = one_bit(leaf ^ wanted), after = leaf == wanted + SCAN_PAGE, again = leaf == wanted - SCAN_PAGE;
    if (bit)
        met(c, SCAN_PAGE_MISS + highest_bit(leaf ^ wanted), true);
    met(c, SCAN_PAGE_MISS + SCAN_FRAME_AFTER, after);
    met(c, SCAN_PAGE_MISS + SCAN_FRAME_AGAIN, again);
    met(c, SCAN_PAGE_MISS + SCAN_CLEARED, !leaf);
    met(c, SCAN_PAGE_AT + end % MP_SUBREGION_PAGES - 1, bit || after || again);
}

static void cover_subregion(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first,
                            const struct scan_result *s, unsigned r)
{
    unsigned first = r * MP_SUBREGION_PAGES, end = s->ends[r];
    uint64_t head = leaf_of(t, heads_first, first), last = head + (MP_SUBREGION_PAGES - 1) * SCAN_PAGE;
    met(c, SCAN_ALONE + r, (s->bits & SUBREGION_ALL) == 1u << r);
    met(c, SCAN_HEAD_UNMAPPED, end == 0);
    if (end && end < MP_SUBREGION_PAGES)
        cover_page(c, t, heads_first, first + end);
    if (end < MP_SUBREGION_PAGES)
        return;
    met(c, SCAN_FRAME_0, !(head & MP_PTE_ADDRESS));
    met(c, SCAN_JOINS_BROKEN, r && !s->joins[r]);
    met(c, SCAN_OVERFLOWS, (head ^ last) >> 48);
    met(c, SCAN_WRAPS, last < head);
    if (highest_bit(head ^ last) >= SCAN_FIRST_CARRY)
        met(c, SCAN_PAGE_CARRY + highest_bit(head ^ last) - SCAN_FIRST_CARRY, true);
}

/* All subregions are contiguous, and each but r continues the one before it. */
static void cover_border(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first, unsigned r)
{
    uint64_t head = leaf_of(t, heads_first, r * MP_SUBREGION_PAGES);
    uint64_t wanted = leaf_of(t, heads_first, r * MP_SUBREGION_PAGES - 1) + SCAN_PAGE;
    unsigned border = SCAN_BORDER_CAUSE + (r - 1) * SCAN_CAUSES;
    if (one_bit(head ^ wanted)) {
        met(c, SCAN_BORDER_BIT + highest_bit(head ^ wanted) - 1, true);
        met(c, border + cause_of(highest_bit(head ^ wanted)), true);
    }
    met(c, border + SCAN_BY_FRAME_AFTER, head == wanted + SCAN_PAGE);
    met(c, border + SCAN_BY_FRAME_AGAIN, head == wanted - SCAN_PAGE);
}

/* The frame is contiguous. */
static void cover_carries(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first)
{
    for (unsigned r = 1; r < MP_SUBREGIONS; r++) {
        unsigned to = highest_bit(leaf_of(t, heads_first, r * MP_SUBREGION_PAGES) ^
                                  leaf_of(t, heads_first, r * MP_SUBREGION_PAGES - 1));
        if (to >= SCAN_FIRST_CARRY)
            met(c, SCAN_BORDER_CARRY + to - SCAN_FIRST_CARRY, true);
    }
}

static void cover_frame(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first,
                        const struct scan_result *s)
{
    unsigned ends = 0, jumps = 0, ended = 0, jumped = 0;
    for (unsigned r = 0; r < MP_SUBREGIONS; r++)
        if (s->ends[r] < MP_SUBREGION_PAGES) {
            ends++;
            ended = r;
        }
    for (unsigned r = 1; r < MP_SUBREGIONS; r++)
        if (!s->joins[r]) {
            jumps++;
            jumped = r;
        }
    if (ends == 1)
        met(c, SCAN_ALL_BUT + ended, !jumps);
    if (!ends && jumps == 1)
        cover_border(c, t, heads_first, jumped);
    if (!ends && !jumps)
        cover_carries(c, t, heads_first);
    if (ends == 1 && jumps == 1 && jumped == ended + 1 && s->ends[ended] == MP_SUBREGION_PAGES - 1)
        met(c, SCAN_LAST_PAGE + ended,
            leaf_of(t, heads_first, jumped * MP_SUBREGION_PAGES) ==
                leaf_of(t, heads_first, jumped * MP_SUBREGION_PAGES - 1) + SCAN_PAGE);
}

static void cover_bits(struct mesc_scan_cover *c, uint64_t old, uint64_t bits)
{
    met(c, SCAN_NO_SUBREGION, !bits);
    met(c, SCAN_SOME_SUBREGIONS, bits && (bits & SUBREGION_ALL) != SUBREGION_ALL);
    met(c, SCAN_ALL_BUT_NOT_FRAME, bits == SUBREGION_ALL);
    met(c, SCAN_FRAME, (bits & FRAME_BIT) != 0);
    met(c, SCAN_BITS_STAY, bits == old);
    met(c, SCAN_FRAME_BIT_GOES_ALONE_OF_ALL, bits == SUBREGION_ALL && old == (SUBREGION_ALL | FRAME_BIT));
    if (one_bit(bits ^ old))
        met(c, (bits & ~old ? SCAN_COMES : SCAN_GOES) + highest_bit(bits ^ old), true);
}

static void cover_changes(struct mesc_scan_cover *c, const struct scan_table *begin,
                          const struct scan_table *end)
{
    for (unsigned i = 0; i < begin->changes; i++) {
        const struct scan_change *change = &begin->change[i];
        uint64_t at = (begin->entry & MP_PTE_ADDRESS) + 8 * (uint64_t)change->leaf;
        unsigned when = change->when;
        met(c, SCAN_CHANGES_BEFORE, when < end->accesses && end->access[when].at == at);
        met(c, SCAN_CHANGES_AFTER, when && when <= end->accesses && end->access[when - 1].at == at);
    }
}

void mesc_scan_cover_scan(struct mesc_scan_cover *c, const struct scan_table *begin,
                          const struct scan_table *end, const struct scan_result *result, bool heads_first)
{
    uint64_t old = begin->entry >> MP_PTE_CONTIGUOUS_SHIFT & (FRAME_BIT | SUBREGION_ALL);
    met(c, SCAN_ENTRY_AT_0, !begin->entry_at);
    met(c, SCAN_ENTRY_AT_LAST, begin->entry_at == LAST_AT);
    met(c, SCAN_NO_TABLE, !result->table);
    met(c, SCAN_NO_TABLE_WITH_BITS, !result->table && old);
    if (!result->table)
        return;
    met(c, SCAN_TABLE_AT_0, !(begin->entry & MP_PTE_ADDRESS));
    met(c, SCAN_TABLE_AT_LAST, (begin->entry & MP_PTE_ADDRESS) == MP_PTE_ADDRESS);
    met(c, SCAN_ENTRY_IS_LEAF, begin->entry & MP_PTE_LEAF);
    cover_bits(c, old, result->bits);
    cover_changes(c, begin, end);
    if (begin->changes)
        return;
    for (unsigned r = 0; r < MP_SUBREGIONS; r++)
        cover_subregion(c, begin, heads_first, result, r);
    cover_frame(c, begin, heads_first, result);
}

void mesc_scan_cover_reset(struct mesc_scan_cover *c, const struct scan_table *got,
                           enum mesc_scan_waits waits, bool heads_first)
{
    bool leaves = got->accesses > 1, requested = waits == MESC_SCAN_REQUESTS, read = waits == MESC_SCAN_READS;
    met(c, SCAN_RESET_AT_ENTRY, requested && !got->accesses);
    met(c, SCAN_RESET_READING_ENTRY, read && !leaves);
    met(c, SCAN_RESET_AT_LEAF, requested && got->accesses);
    met(c, SCAN_RESET_READING_LEAF, read && leaves);
    met(c, SCAN_RESET_AT_WRITE, waits == MESC_SCAN_WRITES);
    met(c, SCAN_RESET_AT_END, waits == MESC_SCAN_ENDS);
    met(c, SCAN_RESET_AFTER_WRITE, got->writes != 0);
    if (!got->leaf_reads || got->writes || got->accesses > SCAN_ACCESSES)
        return;
    uint64_t leaf = (got->access[got->accesses - 1].at - (got->entry & MP_PTE_ADDRESS)) / 8;
    unsigned page = scan_page_of(heads_first, (unsigned)leaf);
    for (unsigned bit = 0; bit < 9; bit++)
        met(c, SCAN_RESET_PAGE_BIT + bit, page >> bit & 1);
}
