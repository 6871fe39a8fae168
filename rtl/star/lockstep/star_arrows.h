/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage: the arrows of an entry's state machine that were taken. Arrows outside of it are refused. */
#ifndef MP_RTL_STAR_ARROWS_H
#define MP_RTL_STAR_ARROWS_H

#include "rtl/star/lockstep/star_lockstep.h"

/* States of an entry. */
enum star_entry {
    STAR_VACANT,
    STAR_ALONE,
    STAR_TWO_SEQUENTIAL,
    STAR_TWO_STRIDE,
    STAR_FOUR_SEQUENTIAL,
    STAR_FOUR_STRIDE,
    STAR_ENTRIES
};

/* Events: the actions of enum star_rtl_action, with three kinds of invalidations. */
enum { STAR_EVENT_PAGE = STAR_RTL_INVALIDATED, STAR_EVENT_ASID, STAR_EVENT_ALL, STAR_EVENTS };

/* Target of an arrow: an entry's state; for a lookup, the position of a base, or: */
enum { STAR_SLOT_EMPTY = 4, STAR_SLOT_OTHERS, STAR_TARGETS };

struct star_arrows {
    unsigned count;      /* of those that are allowed */
    const uint64_t *now; /* the number of the transaction, from 1 */
    bool allowed[STAR_EVENTS * STAR_ENTRIES * STAR_TARGETS];
    struct mp_rtl_point taken[STAR_EVENTS * STAR_ENTRIES * STAR_TARGETS];
};

void star_arrows_init(struct star_arrows *a, unsigned mode, enum star_rtl_policy policy);

/* Counts an arrow. Returns false if the rules have no such arrow. */
bool star_arrows_take(struct star_arrows *a, uint32_t event, uint32_t from, uint32_t to);

/* Number of arrows that the rules have. */
unsigned star_arrows_count(const struct star_arrows *a);

void star_arrows_name(uint32_t event, uint32_t from, uint32_t to, char name[STAR_ARROW_NAME]);

/* See star_lockstep_point. */
bool star_arrows_get(const struct star_arrows *a, unsigned number, char name[STAR_ARROW_NAME],
                     struct mp_rtl_point *point);

#endif
