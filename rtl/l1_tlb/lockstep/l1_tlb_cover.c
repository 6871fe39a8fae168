/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/l1_tlb/lockstep/l1_tlb_cover.h"

#include <stdio.h>

#define NO_PAGE UINT64_MAX
#define ABSENT  UINT32_MAX

static const char *const names[L1_TLB_POINTS] = {
    [L1_TLB_MISS] = "lookup: misses",
    [L1_TLB_HIT_NEWEST] = "lookup: hits the most recent entry",
    [L1_TLB_HIT_OLDEST] = "lookup: hits the least recent entry",
    [L1_TLB_HIT_BETWEEN] = "lookup: hits an entry in between",
    [L1_TLB_SHOWN] = "lookup: none, but the page shown is there",
    [L1_TLB_INSERT_FREE] = "insert: into a free entry",
    [L1_TLB_INSERT_REPLACES] = "insert: replaces the least recent entry",
    [L1_TLB_INSERT_NEWEST] = "insert: the most recent page again",
    [L1_TLB_INSERT_OLDEST] = "insert: the least recent page again",
    [L1_TLB_INSERT_BETWEEN] = "insert: a page in between again",
    [L1_TLB_INSERT_REMAPS] = "insert: a page again, with another frame",
    [L1_TLB_DROP_NEWEST] = "drop: the most recent page",
    [L1_TLB_DROP_OLDEST] = "drop: the least recent page",
    [L1_TLB_DROP_BETWEEN] = "drop: a page in between",
    [L1_TLB_DROP_ONLY] = "drop: the only page",
    [L1_TLB_DROP_ABSENT] = "drop: a page that is not there",
    [L1_TLB_DROP_ABSENT_FULL] = "drop: a page that is not there, all entries valid",
    [L1_TLB_EMPTY_ALONE] = "empty: alone",
    [L1_TLB_EMPTY_AGAIN] = "empty: nothing is there",
    [L1_TLB_EMPTY_HIT] = "empty: a lookup hits",
    [L1_TLB_EMPTY_INSERT] = "empty: with an insertion",
    [L1_TLB_EMPTY_REPLACE] = "empty: with an insertion for which no entry is free",
    [L1_TLB_EMPTY_DROP] = "empty: with a drop of a page that is there",
    [L1_TLB_HIT_AND_FREE] = "both: hits, and an insertion takes a free entry",
    [L1_TLB_HIT_AND_REPLACED] = "both: hits the page that is replaced",
    [L1_TLB_HIT_AND_OTHER_REPLACED] = "both: hits, and another page is replaced",
    [L1_TLB_HIT_AND_INSERTED] = "both: hits the page that is inserted again",
    [L1_TLB_HIT_OLDEST_AND_THERE] = "both: hits the least recent, and another is inserted again",
    [L1_TLB_HIT_AND_DROPPED] = "both: hits the page that is dropped",
    [L1_TLB_HIT_AND_OTHER_DROPPED] = "both: hits, and another page is dropped",
    [L1_TLB_HIT_AND_ABSENT_DROPPED] = "both: hits, and the page dropped is not there",
    [L1_TLB_HIT_OLDEST_AND_ABSENT_DROPPED] = "both: hits the least recent, the page dropped is not there",
    [L1_TLB_MISS_AND_INSERTED] = "both: misses the page that is inserted",
    [L1_TLB_AFTER_INSERT_LOOKUP] = "next clock: lookup of the page inserted",
    [L1_TLB_AFTER_DROP_LOOKUP] = "next clock: lookup of the page dropped",
    [L1_TLB_AFTER_REPLACE_LOOKUP] = "next clock: lookup of the page replaced",
    [L1_TLB_AFTER_DROP_INSERT] = "next clock: the page dropped is inserted",
    [L1_TLB_AFTER_REPLACE_INSERT] = "next clock: the page replaced is inserted",
    [L1_TLB_AFTER_INSERT_DROP] = "next clock: the page inserted is dropped",
};

void l1_tlb_cover_reset(struct l1_tlb_cover *c)
{
    c->inserted = c->dropped = c->replaced = NO_PAGE;
}

void l1_tlb_cover_init(struct l1_tlb_cover *c, uint32_t entries)
{
    *c = (struct l1_tlb_cover){.now = c->now, .entries = entries};
    l1_tlb_cover_reset(c);
}

static void met(struct l1_tlb_cover *c, enum l1_tlb_point point, bool is_met)
{
    mp_rtl_met(&c->taken[point], is_met, *c->now);
}

/* How many entries were used after that of the page. */
static uint32_t rank_of(const struct l1_tlb_state *s, uint32_t valid, uint64_t page)
{
    for (uint32_t i = 0; i < valid; i++)
        if (s->entry[i].page == page)
            return i;
    return ABSENT;
}

/* The page differs from one that is there in one bit. */
static void cover_near(struct l1_tlb_cover *c, struct mp_rtl_point near[L1_TLB_PAGE_W],
                       const struct l1_tlb_state *s, uint32_t valid, uint64_t page)
{
    for (uint32_t i = 0; i < valid; i++) {
        uint64_t bits = s->entry[i].page ^ page;
        if (bits && !(bits & (bits - 1)))
            mp_rtl_met(&near[__builtin_ctzll(bits)], true, *c->now);
    }
}

/* What one event finds, without regard to the other; full: no entry is free. */
struct found {
    uint32_t rank; /* or ABSENT */
    bool is, newest, oldest, between;
};

static struct found find(const struct l1_tlb_state *s, uint32_t valid, uint32_t entries, uint64_t page)
{
    struct found f = {.rank = rank_of(s, valid, page)};
    f.is = f.rank != ABSENT;
    f.newest = f.is && !f.rank;
    f.oldest = f.is && f.rank == entries - 1;
    f.between = f.is && !f.newest && !f.oldest && valid == entries;
    return f;
}

static void cover_insertion(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in,
                            const struct l1_tlb_state *before, uint32_t valid, struct found changed)
{
    met(c, L1_TLB_INSERT_FREE, !changed.is && valid < c->entries);
    met(c, L1_TLB_INSERT_REPLACES, !changed.is && valid == c->entries);
    met(c, L1_TLB_INSERT_NEWEST, changed.newest);
    met(c, L1_TLB_INSERT_OLDEST, changed.oldest);
    met(c, L1_TLB_INSERT_BETWEEN, changed.between);
    met(c, L1_TLB_INSERT_REMAPS, changed.is && before->entry[changed.rank].frame != in->frame);
    met(c, L1_TLB_AFTER_DROP_INSERT, in->page == c->dropped);
    met(c, L1_TLB_AFTER_REPLACE_INSERT, in->page == c->replaced);
}

static void cover_drop(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in, uint32_t valid,
                       struct found changed)
{
    met(c, L1_TLB_DROP_NEWEST, changed.newest && valid > 1);
    met(c, L1_TLB_DROP_OLDEST, changed.oldest);
    met(c, L1_TLB_DROP_BETWEEN, changed.between);
    met(c, L1_TLB_DROP_ONLY, changed.is && valid == 1);
    met(c, L1_TLB_DROP_ABSENT, !changed.is && valid < c->entries);
    met(c, L1_TLB_DROP_ABSENT_FULL, !changed.is && valid == c->entries);
    met(c, L1_TLB_AFTER_INSERT_DROP, in->page == c->inserted);
}

static void cover_empty(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in, uint32_t valid,
                        struct found looked, struct found changed)
{
    met(c, L1_TLB_EMPTY_ALONE, valid && in->change == L1_TLB_NONE && !in->use);
    met(c, L1_TLB_EMPTY_AGAIN, !valid);
    met(c, L1_TLB_EMPTY_HIT, in->use && looked.is);
    met(c, L1_TLB_EMPTY_INSERT, in->change == L1_TLB_INSERT && valid < c->entries);
    met(c, L1_TLB_EMPTY_REPLACE, in->change == L1_TLB_INSERT && valid == c->entries && !changed.is);
    met(c, L1_TLB_EMPTY_DROP, in->change == L1_TLB_DROP && changed.is);
}

/* A lookup and a change. */
static void cover_both(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in, uint32_t valid,
                       struct found looked, struct found changed)
{
    bool same = in->lookup == in->page, full = valid == c->entries;
    bool inserts = in->change == L1_TLB_INSERT, drops = in->change == L1_TLB_DROP;
    met(c, L1_TLB_HIT_AND_FREE, inserts && looked.is && !changed.is && !full);
    met(c, L1_TLB_HIT_AND_REPLACED, inserts && looked.oldest && !changed.is);
    met(c, L1_TLB_HIT_AND_OTHER_REPLACED, inserts && looked.is && !looked.oldest && !changed.is && full);
    met(c, L1_TLB_HIT_AND_INSERTED, inserts && looked.is && same);
    met(c, L1_TLB_HIT_OLDEST_AND_THERE, inserts && looked.oldest && changed.is && !same);
    met(c, L1_TLB_MISS_AND_INSERTED, inserts && !looked.is && same);
    met(c, L1_TLB_HIT_AND_DROPPED, drops && looked.is && same);
    met(c, L1_TLB_HIT_AND_OTHER_DROPPED, drops && looked.is && changed.is && !same);
    met(c, L1_TLB_HIT_AND_ABSENT_DROPPED, drops && looked.is && !looked.oldest && !changed.is);
    met(c, L1_TLB_HIT_OLDEST_AND_ABSENT_DROPPED, drops && looked.oldest && !changed.is);
}

static void cover_lookup(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in, struct found looked)
{
    met(c, L1_TLB_SHOWN, !in->use && looked.is);
    if (!in->use)
        return;
    met(c, L1_TLB_MISS, !looked.is);
    met(c, L1_TLB_HIT_NEWEST, looked.newest);
    met(c, L1_TLB_HIT_OLDEST, looked.oldest);
    met(c, L1_TLB_HIT_BETWEEN, looked.between);
    met(c, L1_TLB_AFTER_INSERT_LOOKUP, in->lookup == c->inserted);
    met(c, L1_TLB_AFTER_DROP_LOOKUP, in->lookup == c->dropped);
    met(c, L1_TLB_AFTER_REPLACE_LOOKUP, in->lookup == c->replaced);
}

void l1_tlb_cover_clock(struct l1_tlb_cover *c, const struct l1_tlb_rtl_clock *in,
                        const struct l1_tlb_rtl_answer *answer, const struct l1_tlb_state *before,
                        const struct l1_tlb_state *after)
{
    uint32_t valid = l1_tlb_count(before, c->entries);
    struct found looked = find(before, valid, c->entries, in->lookup);
    struct found changed = find(before, valid, c->entries, in->page);
    mp_rtl_met(&c->valid[l1_tlb_count(after, c->entries)], true, *c->now);
    cover_near(c, c->lookup_near, before, valid, in->lookup);
    if (in->change != L1_TLB_NONE)
        cover_near(c, c->change_near, before, valid, in->page);
    cover_lookup(c, in, looked);
    if (in->empty) {
        cover_empty(c, in, valid, looked, changed);
        l1_tlb_cover_reset(c);
        return;
    }
    if (in->change == L1_TLB_INSERT)
        cover_insertion(c, in, before, valid, changed);
    if (in->change == L1_TLB_DROP)
        cover_drop(c, in, valid, changed);
    if (in->use)
        cover_both(c, in, valid, looked, changed);
    c->inserted = in->change == L1_TLB_INSERT ? in->page : NO_PAGE;
    c->dropped = in->change == L1_TLB_DROP && changed.is ? in->page : NO_PAGE;
    c->replaced = answer->evicted ? answer->page : NO_PAGE;
}

/* A part of the points: as many as `count`, which have the same name but for their number. */
static bool numbered(unsigned *number, unsigned count, const char *what, const struct mp_rtl_point *points,
                     char name[MP_RTL_POINT_NAME], struct mp_rtl_point *point)
{
    if (*number >= count) {
        *number -= count;
        return false;
    }
    snprintf(name, MP_RTL_POINT_NAME, "%s: %u", what, *number);
    *point = points[*number];
    return true;
}

bool l1_tlb_cover_point(const struct l1_tlb_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point)
{
    const unsigned points = c->entries > 2 ? L1_TLB_POINTS : L1_TLB_HIT_BETWEEN;
    if (number < points) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        *point = c->taken[number];
        return true;
    }
    number -= points;
    return numbered(&number, L1_TLB_PAGE_W, "lookup differs in one bit", c->lookup_near, name, point) ||
           numbered(&number, L1_TLB_PAGE_W, "change differs in one bit", c->change_near, name, point) ||
           numbered(&number, c->entries + 1, "valid entries", c->valid, name, point);
}
