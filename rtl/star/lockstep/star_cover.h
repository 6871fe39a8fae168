/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of STAR's TLB, in addition to the arrows: near misses of every bit of a tag, ways,
 * ties and borders of the choice of an entry to share, recency, and counts of translations that are gone. */
#ifndef MP_RTL_STAR_COVER_H
#define MP_RTL_STAR_COVER_H

#include "rtl/star/lockstep/star_state.h"
#include "rtl_run.h"

/* Groups of points, in the order of their numbers. */
enum star_group {
    STAR_MISS_NEAR,    /* position and bit: a base that differs from the request's in one bit of the tag */
    STAR_MISS_SPECIAL, /* the same base in address space 0 or 255, of the entry or of the request */
    STAR_ASID_NEAR,    /* position and bit: the address space that stays differs in one bit */
    STAR_ASID_SPECIAL, /* 0 or 255 goes or stays */
    STAR_PAGE_OTHERS,  /* by layout: the invalidated page's slot holds another index */
    STAR_HIT_WAY,      /* by way */
    STAR_EVICT_WAY,    /* by way */
    STAR_SHARE_WAY,    /* by way */
    STAR_EVICT_GONE,   /* by the number of translations */
    STAR_OLDEST,       /* by action: the way was the least recent one */
    STAR_NEWEST,       /* by action: the most recent one */
    STAR_SHARE_TIE,    /* by the number of the entries with equal keys less two */
    STAR_SHARE_USED,   /* by the entry's sub-entries less one */
    STAR_SHARE_ASID,   /* the same address space before fewer sub-entries */
    STAR_SHARE_NEAR,   /* by bit: an address space that differs in one bit would have been chosen if it were
                          equal */
    STAR_HALF_FULL,    /* an entry is not shared, and has exactly half of its sub-entries */
    STAR_FOUR_FULL,    /* by position: an entry is not shared, since this base alone has four sub-entries */
    STAR_FOUR_TIE, /* by the number of the other bases with equal counts less two: four bases become two */
    STAR_SET_GONE, /* a sweep: a set loses 1, 2, 4 ... 128 */
    STAR_GONE_BIT, /* of a sweep, by bit of the count */
    STAR_ASID_EVERY_SET,
    STAR_ALL_EVERY_SET,
    STAR_GROUPS
};

#define STAR_MOST_POINTS 512u

struct star_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    unsigned mode;
    uint32_t sets;
    unsigned first[STAR_GROUPS + 1]; /* number of each group's first point */
    struct mp_rtl_point point[STAR_MOST_POINTS];
};

/* policy: of the layouts in mode 1. */
void star_cover_init(struct star_cover *c, unsigned mode, enum star_rtl_policy policy, uint32_t sets);

/* Counts a request that RTL and model answered alike, in one set; a sweep is counted for each set. */
void star_cover_request(struct star_cover *c, const struct star_rtl_request *q,
                        const struct star_rtl_response *r, const struct star_state *before,
                        const struct star_state *after, uint32_t stride);
/* Counts the answer of a sweep; every_set: each lost a translation. */
void star_cover_sweep(struct star_cover *c, const struct star_rtl_request *q, uint32_t gone, bool every_set);

/* Reads a point by number, from 0; false after the last. */
bool star_cover_point(const struct star_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                      struct mp_rtl_point *point);
/* The group of a point and its number in the group. */
enum star_group star_cover_group(const struct star_cover *c, unsigned number, unsigned *in_group);

/* Number of the set's translations. */
uint32_t star_set_used(const struct star_state *s);

#endif
