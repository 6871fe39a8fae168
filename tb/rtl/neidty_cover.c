/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/neidty_cover.h"

#include <stdio.h>

static void met(struct neidty_cover *c, struct mp_rtl_point *point, bool is_met)
{
    mp_rtl_met(point, is_met, *c->now);
}

#define SIDES(point, text) [point] = "left: " text, [(point) + 1] = "right: " text

static const char *const names[NEIDTY_POINTS] = {
    [NEIDTY_ASK_NOBODY] = "lookup: asks no neighbour",
    [NEIDTY_ASK_RIGHT] = "lookup: asks right",
    [NEIDTY_ASK_LEFT] = "lookup: asks left",
    [NEIDTY_ASK_LEFT_OF_BOTH] = "lookup: asks left, and right has it, too",
    [NEIDTY_OWN_EVICTED_UNKNOWN] = "own: evicts a page without an entry",
    [NEIDTY_OWN_EVICTED] = "own: evicts a page with an entry",
    [NEIDTY_OWN_INSERTED_UNKNOWN] = "own: inserts a page without an entry",
    [NEIDTY_OWN_INSERTED] = "own: inserts a page with an entry",
    SIDES(NEIDTY_EVICTED_UNKNOWN, "evicts a page without an entry"),
    SIDES(NEIDTY_EVICTED_NOT_ITS, "evicts a page that is only the other's"),
    SIDES(NEIDTY_EVICTED_SHARED, "evicts a page that stays the other's"),
    SIDES(NEIDTY_EVICTED_FREES, "evicts a page, whose entry is free then"),
    SIDES(NEIDTY_INSERTED_SHARED, "inserts a page that the other has"),
    SIDES(NEIDTY_INSERTED_AGAIN, "inserts a page of a tag that it has"),
    SIDES(NEIDTY_INSERTED_UNKNOWN, "inserts a page without an entry"),
    SIDES(NEIDTY_BOTH_OF_A_TAG, "evicts and inserts pages of one tag"),
    [NEIDTY_ALLOCATES_FREE] = "allocates: a free entry",
    [NEIDTY_ALLOCATES_LOCAL] = "allocates: the oldest local entry",
    [NEIDTY_ALLOCATES_OLDEST] = "allocates: the oldest entry",
    [NEIDTY_ALLOCATES_FREE_TWICE] = "allocates: two free entries",
    [NEIDTY_ALLOCATES_FREE_AND_LOCAL] = "allocates: a free and a local entry",
    [NEIDTY_ALLOCATES_FREE_AND_OLDEST] = "allocates: a free entry and the oldest",
    [NEIDTY_ALLOCATES_LOCAL_TWICE] = "allocates: two local entries",
    [NEIDTY_ALLOCATES_LOCAL_AND_OLDEST] = "allocates: a local entry and the oldest",
    [NEIDTY_ALLOCATES_OLDEST_TWICE] = "allocates: the two oldest entries",
    [NEIDTY_SAME_TAG_ALLOCATED] = "both: insert pages of one tag, without an entry",
    [NEIDTY_NEW_ENTRY_EVICTED] = "both: right's entry replaces left's new one",
    [NEIDTY_EVICTED_IN_BETWEEN] = "both: right evicts what left inserts",
    [NEIDTY_TWO_FREED] = "both: free an entry",
    [NEIDTY_FREED_AND_ALLOCATED] = "both: an entry is freed and one replaced",
    [NEIDTY_TWO_LEAVE] = "both: two entries leave",
    [NEIDTY_NEITHER_AT_THE_TOP] = "both: two entries leave, and entries above them move",
    [NEIDTY_EMPTIED] = "invalidation: of all",
    [NEIDTY_DROPPED] = "invalidation: of a page with an entry",
    [NEIDTY_DROPPED_UNKNOWN] = "invalidation: of a page without an entry",
};

void neidty_cover_init(struct neidty_cover *c, uint32_t entries)
{
    *c = (struct neidty_cover){.now = c->now, .entries = entries};
}

static uint8_t bits_of(const struct mp_directory *d, uint64_t page)
{
    const struct mp_directory_entry *e = mp_directory_find(d, neidty_tag_of(d->tag_bits, page));
    return e ? e->bits : 0;
}

static bool is_valid(uint64_t page)
{
    return page & NEIDTY_RTL_VALID;
}

/* What the clock's messages find, without regard to each other. */
static void cover_side(struct neidty_cover *c, const struct mp_directory *before, unsigned right,
                       uint64_t evicted, uint64_t inserted)
{
    const uint8_t neighbours = MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT;
    const uint8_t its = right ? MP_DIRECTORY_RIGHT : MP_DIRECTORY_LEFT;
    if (is_valid(evicted)) {
        uint8_t bits = bits_of(before, evicted) & neighbours;
        met(c, &c->taken[NEIDTY_EVICTED_UNKNOWN + right], !bits);
        met(c, &c->taken[NEIDTY_EVICTED_NOT_ITS + right], bits && !(bits & its));
        met(c, &c->taken[NEIDTY_EVICTED_SHARED + right], bits == neighbours);
        met(c, &c->taken[NEIDTY_EVICTED_FREES + right], bits == its);
    }
    if (is_valid(inserted)) {
        uint8_t bits = bits_of(before, inserted) & neighbours;
        met(c, &c->taken[NEIDTY_INSERTED_UNKNOWN + right], !bits);
        met(c, &c->taken[NEIDTY_INSERTED_SHARED + right], bits && !(bits & its));
        met(c, &c->taken[NEIDTY_INSERTED_AGAIN + right], (bits & its) != 0);
    }
    met(c, &c->taken[NEIDTY_BOTH_OF_A_TAG + right],
        is_valid(evicted) && is_valid(inserted) &&
            neidty_tag_of(before->tag_bits, evicted) == neidty_tag_of(before->tag_bits, inserted));
}

static void cover_allocations(struct neidty_cover *c, const uint64_t allocated[MP_VICTIMS])
{
    uint64_t n = allocated[MP_VICTIM_NONE], local = allocated[MP_VICTIM_LOCAL],
             oldest = allocated[MP_VICTIM_OLDEST];
    met(c, &c->taken[NEIDTY_ALLOCATES_FREE], n == 1 && !local && !oldest);
    met(c, &c->taken[NEIDTY_ALLOCATES_LOCAL], !n && local == 1 && !oldest);
    met(c, &c->taken[NEIDTY_ALLOCATES_OLDEST], !n && !local && oldest == 1);
    met(c, &c->taken[NEIDTY_ALLOCATES_FREE_TWICE], n == 2);
    met(c, &c->taken[NEIDTY_ALLOCATES_FREE_AND_LOCAL], n && local);
    met(c, &c->taken[NEIDTY_ALLOCATES_FREE_AND_OLDEST], n && oldest);
    met(c, &c->taken[NEIDTY_ALLOCATES_LOCAL_TWICE], local == 2);
    met(c, &c->taken[NEIDTY_ALLOCATES_LOCAL_AND_OLDEST], local && oldest);
    met(c, &c->taken[NEIDTY_ALLOCATES_OLDEST_TWICE], oldest == 2);
}

/* How the messages meet. */
static void cover_both(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                       const struct mp_directory *before, const struct mp_directory *after,
                       const uint64_t allocated[MP_VICTIMS])
{
    uint64_t left = in->inserted[NEIDTY_LEFT], right = in->inserted[NEIDTY_RIGHT];
    uint64_t freed = in->evicted[NEIDTY_RIGHT],
             replaced = allocated[MP_VICTIM_LOCAL] + allocated[MP_VICTIM_OLDEST];
    uint32_t bits = before->tag_bits, gone = 0, last = 0;
    for (uint32_t i = 0; i < before->count; i++)
        if (!mp_directory_find(after, before->entry[i].tag)) {
            gone++;
            last = i;
        }
    if (is_valid(left) && is_valid(right)) {
        bool same = neidty_tag_of(bits, left) == neidty_tag_of(bits, right);
        met(c, &c->taken[NEIDTY_SAME_TAG_ALLOCATED], same && !bits_of(before, left));
        met(c, &c->taken[NEIDTY_NEW_ENTRY_EVICTED], !bits_of(after, left));
    }
    met(c, &c->taken[NEIDTY_EVICTED_IN_BETWEEN],
        is_valid(left) && is_valid(freed) && neidty_tag_of(bits, left) == neidty_tag_of(bits, freed));
    met(c, &c->taken[NEIDTY_TWO_FREED], gone == 2 && !replaced);
    met(c, &c->taken[NEIDTY_FREED_AND_ALLOCATED], gone == 2 && replaced == 1);
    met(c, &c->taken[NEIDTY_TWO_LEAVE], gone == 2);
    met(c, &c->taken[NEIDTY_NEITHER_AT_THE_TOP], gone == 2 && last + 1 < before->count);
}

void neidty_cover_clock(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                        const struct mp_directory *before, const struct mp_directory *after,
                        const uint64_t allocated[MP_VICTIMS])
{
    uint8_t bits = bits_of(before, in->lookup);
    uint64_t evicted = in->evicted[NEIDTY_OWN], inserted = in->inserted[NEIDTY_OWN];
    met(c, &c->valid[after->count], true);
    if (in->drop) {
        met(c, &c->taken[bits_of(before, in->evicted[NEIDTY_LEFT]) ? NEIDTY_DROPPED : NEIDTY_DROPPED_UNKNOWN],
            true);
        return;
    }
    met(c,
        &c->taken[!(bits & (MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT)) ? NEIDTY_ASK_NOBODY
                  : !(bits & MP_DIRECTORY_LEFT)                      ? NEIDTY_ASK_RIGHT
                  : !(bits & MP_DIRECTORY_RIGHT)                     ? NEIDTY_ASK_LEFT
                                                                     : NEIDTY_ASK_LEFT_OF_BOTH],
        true);
    if (is_valid(evicted))
        met(c, &c->taken[bits_of(before, evicted) ? NEIDTY_OWN_EVICTED : NEIDTY_OWN_EVICTED_UNKNOWN], true);
    if (is_valid(inserted))
        met(c, &c->taken[bits_of(before, inserted) ? NEIDTY_OWN_INSERTED : NEIDTY_OWN_INSERTED_UNKNOWN],
            true);
    cover_side(c, before, 0, in->evicted[NEIDTY_LEFT], in->inserted[NEIDTY_LEFT]);
    cover_side(c, before, 1, in->evicted[NEIDTY_RIGHT], in->inserted[NEIDTY_RIGHT]);
    met(c, &c->taken[NEIDTY_EMPTIED], in->empty);
    if (in->empty)
        return;
    cover_allocations(c, allocated);
    cover_both(c, in, before, after, allocated);
}

bool neidty_cover_point(const struct neidty_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point)
{
    if (number < NEIDTY_POINTS) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        *point = c->taken[number];
        return true;
    }
    number -= NEIDTY_POINTS;
    if (number > c->entries)
        return false;
    snprintf(name, MP_RTL_POINT_NAME, "valid entries: %u", number);
    *point = c->valid[number];
    return true;
}
