/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of a NeiDty directory: each kind of change by side and by what it finds, what an
 * allocation replaces, how the two messages of a clock meet, each combination of changes in a directory that
 * is empty, has one free place, or is full, equal tags and those that differ in one bit, each number of valid
 * entries. */
#ifndef MP_RTL_NEIDTY_COVER_H
#define MP_RTL_NEIDTY_COVER_H

#include "rtl/neidty/lockstep/neidty_rtl.h"
#include "rtl_run.h"
#include "tlb/neighbour/neighbour.h"

#ifdef __cplusplus
extern "C" {
#endif

enum neidty_point {
    /* lookups, by the bits left and right */
    NEIDTY_ASK_NOBODY,
    NEIDTY_ASK_RIGHT,
    NEIDTY_ASK_LEFT,
    NEIDTY_ASK_LEFT_OF_BOTH,
    /* own changes */
    NEIDTY_OWN_EVICTED_UNKNOWN,
    NEIDTY_OWN_EVICTED,
    NEIDTY_OWN_INSERTED_UNKNOWN,
    NEIDTY_OWN_INSERTED,
    /* messages, one for each side */
    NEIDTY_EVICTED_UNKNOWN,
    NEIDTY_EVICTED_NOT_ITS = NEIDTY_EVICTED_UNKNOWN + 2,
    NEIDTY_EVICTED_SHARED = NEIDTY_EVICTED_NOT_ITS + 2,
    NEIDTY_EVICTED_FREES = NEIDTY_EVICTED_SHARED + 2,
    NEIDTY_INSERTED_SHARED = NEIDTY_EVICTED_FREES + 2,
    NEIDTY_INSERTED_AGAIN = NEIDTY_INSERTED_SHARED + 2,
    NEIDTY_INSERTED_UNKNOWN = NEIDTY_INSERTED_AGAIN + 2,
    NEIDTY_BOTH_OF_A_TAG = NEIDTY_INSERTED_UNKNOWN + 2,
    /* a clock's allocations, by victims */
    NEIDTY_ALLOCATES_FREE = NEIDTY_BOTH_OF_A_TAG + 2,
    NEIDTY_ALLOCATES_LOCAL,
    NEIDTY_ALLOCATES_OLDEST,
    NEIDTY_ALLOCATES_FREE_TWICE,
    NEIDTY_ALLOCATES_FREE_AND_LOCAL,
    NEIDTY_ALLOCATES_FREE_AND_OLDEST,
    NEIDTY_ALLOCATES_LOCAL_TWICE,
    NEIDTY_ALLOCATES_LOCAL_AND_OLDEST,
    NEIDTY_ALLOCATES_OLDEST_TWICE,
    /* two messages in a clock */
    NEIDTY_SAME_TAG_ALLOCATED,
    NEIDTY_NEW_ENTRY_EVICTED,
    NEIDTY_EVICTED_IN_BETWEEN,
    NEIDTY_TWO_FREED,
    NEIDTY_FREED_AND_ALLOCATED,
    NEIDTY_TWO_LEAVE,
    NEIDTY_NEITHER_AT_THE_TOP,
    /* invalidation */
    NEIDTY_EMPTIED,
    NEIDTY_DROPPED,
    NEIDTY_DROPPED_UNKNOWN,
    NEIDTY_DROPPED_LEFTS, /* an entry of left alone */
    NEIDTY_DROPPED_RIGHTS,
    NEIDTY_DROPPED_SHARED,
    NEIDTY_DROPPED_OF_FULL,
    NEIDTY_RESET_FULL,
    NEIDTY_RESET_CHANGES, /* changes of both neighbours come in the clock of the reset */
    NEIDTY_POINTS
};

/* The changes of a clock, in the order in which they take effect; a bit each. Then the lookup. */
enum neidty_port {
    NEIDTY_OWN_EVICTS,
    NEIDTY_OWN_INSERTS,
    NEIDTY_LEFT_EVICTS,
    NEIDTY_LEFT_INSERTS,
    NEIDTY_RIGHT_EVICTS,
    NEIDTY_RIGHT_INSERTS,
    NEIDTY_CHANGES,
    NEIDTY_LOOKUP = NEIDTY_CHANGES,
    NEIDTY_PORTS
};

/* How full the directory is before the clock. */
enum neidty_fill { NEIDTY_EMPTY, NEIDTY_ONE_FREE, NEIDTY_FULL, NEIDTY_BETWEEN, NEIDTY_FILLS };

/* How the pages of two changes are related. */
enum neidty_relation { NEIDTY_SAME_PAGE, NEIDTY_SAME_TAG, NEIDTY_NEAR_TAG, NEIDTY_RELATIONS };

/* Tables of points; a row times the number of columns plus the column is a point's place in its table. */
enum neidty_table {
    NEIDTY_EVENT,   /* enum neidty_point */
    NEIDTY_VALID,   /* number of valid entries after the clock */
    NEIDTY_CLOCK,   /* combination of changes, enum neidty_fill */
    NEIDTY_TWO,     /* two changes: the later's number times NEIDTY_CHANGES plus the earlier's; relation */
    NEIDTY_END,     /* port; 0: its page has the oldest entry, 1: the youngest */
    NEIDTY_NEAR,    /* port, bit: it alone differs from an entry that the port would change */
    NEIDTY_APART,   /* bit: it alone differs between the pages that left and right insert */
    NEIDTY_LEAVES,  /* an entry */
    NEIDTY_CLEARED, /* messages in the clock of an invalidation of all: a bit each */
    NEIDTY_TABLES
};

#define NEIDTY_MOST_POINTS 1400u

struct neidty_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    uint32_t entries, tag_bits;
    struct {
        unsigned begin, rows, columns;
    } table[NEIDTY_TABLES];
    unsigned count;                      /* of points that can be reached */
    uint16_t listed[NEIDTY_MOST_POINTS]; /* they, in the order of their numbers */
    struct mp_rtl_point point[NEIDTY_MOST_POINTS];
};

void neidty_cover_init(struct neidty_cover *c, uint32_t entries, uint32_t tag_bits);
/* Counts a clock. before: the entries before it; allocated: in this clock, by what was replaced. */
void neidty_cover_clock(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                        const struct mp_directory *before, const struct mp_directory *after,
                        const uint64_t allocated[MP_VICTIMS]);
/* A clock that a reset interrupts. */
void neidty_cover_interrupted(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                              const struct mp_directory *before);
enum neidty_fill neidty_cover_fill(const struct mp_directory *d);
/* The page of a port, with NEIDTY_RTL_VALID if it is used; of the lookup always. */
uint64_t neidty_cover_page(const struct neidty_rtl_clock *in, enum neidty_port port);
/* Whether neither this session nor, by `known` (lockstep.h), an earlier one has met a point that can be met.
 */
bool neidty_cover_open(const struct neidty_cover *c, const bool *known, enum neidty_table table, unsigned row,
                       unsigned column);
/* Reads a point by number, from 0; false after the last. */
bool neidty_cover_point(const struct neidty_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point);

/* The tag of a page with its flags. */
static inline uint64_t neidty_tag_of(uint32_t tag_bits, uint64_t page)
{
    return mp_directory_tag(tag_bits, (uint16_t)((page & NEIDTY_RTL_PAGE) >> NEIDTY_RTL_VPN_W),
                            page & ((UINT64_C(1) << NEIDTY_RTL_VPN_W) - 1));
}

#ifdef __cplusplus
}
#endif
#endif
