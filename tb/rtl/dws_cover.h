/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of DWS: every outcome of a decision, every boundary of a threshold, every level of
 * DIFF_THRES, every length of every queue. Report each event before it happens, with the model's state. */
#ifndef MP_TB_DWS_COVER_H
#define MP_TB_DWS_COVER_H

#include "rtl_run.h"
#include "walk/scheduler/partition.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DWS_POINT_NAME 64u

enum dws_point {
    /* an arrival */
    DWS_ENQ_OWN_IDLE,
    DWS_ENQ_OWN_IDLES,
    DWS_ENQ_STEAL,
    DWS_ENQ_HOMELESS_IDLE,
    DWS_ENQ_EMPTY,
    DWS_ENQ_LAST_PLACE,
    DWS_ENQ_EQUAL,
    DWS_ENQ_NOT_LOWEST,
    DWS_ENQ_HOMELESS,
    DWS_ENQ_NO_ROOM,
    DWS_ENQ_NO_ROOM_OTHERS,
    /* a completion */
    DWS_DONE_OWN,
    DWS_DONE_OWN_FULL,
    DWS_DONE_OWN_LAST,
    DWS_DONE_OWN_OTHERS_WALK,
    DWS_DONE_OWNERS,
    DWS_DONE_OWNERS_EQUAL,
    DWS_DONE_STEAL,
    DWS_DONE_STEAL_EQUAL,
    DWS_DONE_STEAL_OWNERS_WALK,
    DWS_DONE_IDLE,
    DWS_DONE_NOBODYS,
    /* owners */
    DWS_OWN_OTHER,
    DWS_OWN_NOBODY,
    DWS_OWN_LAST,
    /* DWS++: stealing by threshold */
    DWS_PLUS_STEAL,
    DWS_PLUS_STEAL_EQUAL,
    DWS_PLUS_STEAL_BUSY,
    DWS_PLUS_DIFF_AT,
    DWS_PLUS_DIFF_ABOVE,
    DWS_PLUS_QUEUE_AT,
    DWS_PLUS_QUEUE_ABOVE,
    DWS_PLUS_IS_STOLEN,
    DWS_PLUS_NOTHING,
    DWS_PLUS_MOST_OF_OTHERS,
    DWS_PLUS_OTHERS_EQUAL,
    /* DWS++: epochs */
    DWS_EPOCH_ZERO,
    DWS_EPOCH_ABSENT,
    DWS_EPOCH_AT_3_2,
    DWS_EPOCH_AT_2,
    DWS_EPOCH_AT_3,
    DWS_EPOCH_AT_4,
    DWS_EPOCH_RATIO,                                 /* one by ratio */
    DWS_STEAL_AT = DWS_EPOCH_RATIO + MP_WALK_RATIOS, /* for each ratio, whose threshold allows it */
    DWS_POINTS = DWS_STEAL_AT + MP_WALK_RATIOS
};

struct dws_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    struct mp_walk_geometry g;
    bool plus;
    uint32_t epoch;
    uint32_t reach; /* a bit for each ratio after which a walker may steal */
    uint8_t ratio;  /* of the last epoch; MP_WALK_RATIOS before one has ended */
    struct mp_rtl_point taken[DWS_POINTS];
    struct mp_rtl_point length[MP_DWS_WALKERS][64]; /* events after which the queue had this length */
};

#define DWS_MOST_DEPTH 63u

void dws_cover_init(struct dws_cover *c, const struct mp_walk_geometry *g, bool plus,
                    const struct mp_walk_rules *r);
/* Call when the model was reset. Coverage stays. */
static inline void dws_cover_reset(struct dws_cover *c)
{
    c->ratio = MP_WALK_RATIOS;
}

void dws_cover_arrival(struct dws_cover *c, const struct mp_partition *before, uint8_t tenant);
void dws_cover_completion(struct dws_cover *c, const struct mp_partition *before, uint32_t walker);
void dws_cover_owner(struct dws_cover *c, const struct mp_partition *before, uint32_t walker, uint8_t tenant);
/* Records the length of this walker's queue after an event that changed it. */
static inline void dws_cover_length(struct dws_cover *c, const struct mp_partition *after, uint32_t walker)
{
    mp_rtl_met(&c->length[walker][after->queue[walker].length], true, *c->now);
}

/* Reads a coverage point by number, from 0, among those that a scheduler with these rules has; false after
 * the last. */
bool dws_cover_point(const struct dws_cover *c, unsigned number, char name[DWS_POINT_NAME],
                     struct mp_rtl_point *point);

#ifdef __cplusplus
}
#endif
#endif
