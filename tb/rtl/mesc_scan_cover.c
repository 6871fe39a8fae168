/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_scan_cover.h"

#include <stdio.h>

static void met(struct mesc_scan_cover *c, struct mp_rtl_point *point, bool is_met)
{
    mp_rtl_met(point, is_met, *c->now);
}

#define FRAME_BIT     (1ull << MP_SUBREGIONS)
#define SUBREGION_ALL (FRAME_BIT - 1)

static const char *const names[SCAN_POINTS] = {
    [SCAN_NO_TABLE] = "frame: without a table",
    [SCAN_NO_SUBREGION] = "frame: no subregion is contiguous",
    [SCAN_SOME_SUBREGIONS] = "frame: some subregions are contiguous",
    [SCAN_ALL_BUT_NOT_FRAME] = "frame: all subregions are contiguous, it is not",
    [SCAN_FRAME] = "frame: contiguous",
    [SCAN_BITS_STAY] = "bits: stay",
    [SCAN_BITS_COME] = "bits: one comes",
    [SCAN_BITS_GO] = "bits: one goes",
    [SCAN_ONLY_FRAME_BIT] = "bits: only the frame's changes",
    [SCAN_HEAD_UNMAPPED] = "subregion: its first page is not mapped",
    [SCAN_ENDS_AT_SECOND] = "subregion: ends at its second page",
    [SCAN_ENDS_AT_LAST] = "subregion: ends at its last page",
    [SCAN_JOINS_BROKEN] = "subregion: contiguous, begins elsewhere",
    [SCAN_OTHER_PERMISSION] = "page: the right frame, another permission",
    [SCAN_OTHER_FRAME] = "page: another frame",
    [SCAN_UNMAPPED_PAGE] = "page: not mapped",
    [SCAN_OVERFLOWS] = "page: the next frame would be above all",
    [SCAN_CHANGES_MEANWHILE] = "table: changes during the scan",
    [SCAN_RESET_AT_TABLE] = "reset: before a leaf entry is read",
    [SCAN_RESET_AT_LEAF] = "reset: among the leaf entries",
    [SCAN_RESET_AFTER_WRITE] = "reset: after the write",
};

/* A subregion ended at page `end`, which is not its first. */
static void cover_end(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first, unsigned r,
                      unsigned end)
{
    uint64_t wanted = t->leaf[scan_leaf_of(heads_first, r * MP_SUBREGION_PAGES + end - 1)] + SCAN_PAGE;
    uint64_t leaf = t->leaf[scan_leaf_of(heads_first, r * MP_SUBREGION_PAGES + end)];
    met(c, &c->taken[SCAN_ENDS_AT_SECOND], end == 1);
    met(c, &c->taken[SCAN_ENDS_AT_LAST], end == MP_SUBREGION_PAGES - 1);
    met(c, &c->taken[SCAN_OTHER_PERMISSION], (leaf ^ wanted) == MP_PTE_READ_ONLY);
    met(c, &c->taken[SCAN_OTHER_FRAME], leaf & MP_PTE_VALID && ((leaf ^ wanted) & MP_PTE_ADDRESS) != 0);
    met(c, &c->taken[SCAN_UNMAPPED_PAGE], !(leaf & MP_PTE_VALID));
}

static void cover_subregion(struct mesc_scan_cover *c, const struct scan_table *t, bool heads_first,
                            const struct scan_result *s, unsigned r)
{
    uint64_t head = t->leaf[scan_leaf_of(heads_first, r * MP_SUBREGION_PAGES)];
    met(c, &c->subregion[r], (s->bits & SUBREGION_ALL) == 1u << r);
    met(c, &c->taken[SCAN_HEAD_UNMAPPED], s->ends[r] == 0);
    met(c, &c->taken[SCAN_JOINS_BROKEN], r && s->ends[r] == MP_SUBREGION_PAGES && !s->joins[r]);
    met(c, &c->taken[SCAN_OVERFLOWS],
        s->ends[r] == MP_SUBREGION_PAGES &&
            (head & MP_PTE_ADDRESS) + (MP_SUBREGION_PAGES - 1) * SCAN_PAGE > MP_PTE_ADDRESS);
    if (s->ends[r] && s->ends[r] < MP_SUBREGION_PAGES)
        cover_end(c, t, heads_first, r, s->ends[r]);
}

void mesc_scan_cover_scan(struct mesc_scan_cover *c, const struct scan_table *begin,
                          const struct scan_result *result, bool heads_first)
{
    uint64_t old = begin->entry >> MP_PTE_CONTIGUOUS_SHIFT & (FRAME_BIT | SUBREGION_ALL), bits = result->bits;
    if (!result->table) {
        met(c, &c->taken[SCAN_NO_TABLE], true);
        return;
    }
    met(c, &c->taken[SCAN_NO_SUBREGION], !bits);
    met(c, &c->taken[SCAN_SOME_SUBREGIONS], bits && (bits & SUBREGION_ALL) != SUBREGION_ALL);
    met(c, &c->taken[SCAN_ALL_BUT_NOT_FRAME], bits == SUBREGION_ALL);
    met(c, &c->taken[SCAN_FRAME], (bits & FRAME_BIT) != 0);
    met(c, &c->taken[SCAN_BITS_STAY], bits == old);
    met(c, &c->taken[SCAN_BITS_COME], (bits & ~old) != 0);
    met(c, &c->taken[SCAN_BITS_GO], (old & ~bits) != 0);
    met(c, &c->taken[SCAN_ONLY_FRAME_BIT], (bits ^ old) == FRAME_BIT);
    met(c, &c->taken[SCAN_CHANGES_MEANWHILE], begin->changes != 0);
    for (unsigned r = 0; !begin->changes && r < MP_SUBREGIONS; r++)
        cover_subregion(c, begin, heads_first, result, r);
}

void mesc_scan_cover_reset(struct mesc_scan_cover *c, const struct scan_table *got)
{
    met(c, &c->taken[SCAN_RESET_AT_TABLE], !got->leaf_reads);
    met(c, &c->taken[SCAN_RESET_AT_LEAF], got->leaf_reads && !got->writes);
    met(c, &c->taken[SCAN_RESET_AFTER_WRITE], got->writes != 0);
}

bool mesc_scan_cover_point(const struct mesc_scan_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                           struct mp_rtl_point *point)
{
    if (number < SCAN_POINTS) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        *point = c->taken[number];
        return true;
    }
    number -= SCAN_POINTS;
    if (number >= MP_SUBREGIONS)
        return false;
    snprintf(name, MP_RTL_POINT_NAME, "frame: contiguous in subregion %u alone", number);
    *point = c->subregion[number];
    return true;
}
