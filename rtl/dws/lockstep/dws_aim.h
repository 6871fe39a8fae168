/* SPDX-License-Identifier: Apache-2.0 */
/* Directed events: sequences that lead to points of coverage which random events reach rarely. An aim draws
 * one of several states with open points (rtl_lockstep.met), changes owners, lets walks arrive and complete
 * until the state is reached, and then makes the event that the point is about. */
#ifndef MP_RTL_DWS_AIM_H
#define MP_RTL_DWS_AIM_H

#include "rtl/dws/lockstep/dws_lockstep.h"

enum dws_aim_kind {
    DWS_AIM_LEVELS,
    DWS_AIM_EPOCH,
    DWS_AIM_FILL,
    DWS_AIM_QUEUES,
    DWS_AIM_OWNERS,
    DWS_AIM_KINDS
};

struct dws_aim {
    struct dws_lockstep *lockstep;
    uint64_t *random;
    enum dws_aim_kind kind;
    uint32_t left; /* events until the aim is given up */
    bool reset;    /* the next event is to be interrupted by a reset */
    struct mp_walk_thresholds thresholds;
    uint8_t owner[MP_DWS_WALKERS]; /* wanted */
    uint8_t a, b;                  /* tenants; of levels, a may be none */
    uint16_t want[MP_TENANTS + 1]; /* waiting walks, or arrivals */
    bool above;                    /* the walker's queue is to be above QUEUE_THRES */
    bool begun;                    /* the epoch before has ended */
    uint32_t total;                /* arrivals of the epoch */
    uint8_t choice;                /* enum dws_choice */
    uint8_t v, w, x;               /* walkers: two with queues, and one that completes */
    uint8_t long_v, long_w;        /* lengths of their queues */
    uint32_t turn;
};

/* Draws an aim; false if no aim's points are open. */
bool dws_aim_begin(struct dws_aim *a, struct dws_lockstep *l, uint64_t *random);
/* The next event; false if the aim is over. Sets epoch and thresholds of the lockstep if they vary. */
bool dws_aim_next(struct dws_aim *a, struct dws_rtl_event *e);

#endif
