/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage of a lockstep of DWS: every outcome of a decision, each walker, queue and tenant in each role,
 * ties, thresholds and ratios with one more or less, counts at powers of two, events of one clock, resets.
 * Report each event before it happens, with the model's state. */
#ifndef MP_RTL_DWS_COVER_H
#define MP_RTL_DWS_COVER_H

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
    /* events of one clock */
    DWS_CLOCK_DONE_OWN,
    DWS_CLOCK_DONE_ENQ,
    DWS_CLOCK_OWN_ENQ,
    DWS_CLOCK_ALL,
    DWS_CLOCK_ITS_OWNER,
    DWS_CLOCK_FIRST_WALKER,
    DWS_CLOCK_LAST_WALKER,
    DWS_CLOCK_FULL,
    /* resets */
    DWS_RESET_FULL,
    DWS_RESET_STOLEN,
    DWS_RESET_OWNERS,
    DWS_RESET_EPOCH,
    DWS_RESET_DIFF,
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
    DWS_EPOCH_NOBODY,
    DWS_EPOCH_SHRUNK,
    DWS_EPOCH_AT_3_2,
    DWS_EPOCH_AT_2,
    DWS_EPOCH_AT_3,
    DWS_EPOCH_AT_4,
    DWS_EPOCH_RATIO,                                 /* one by ratio */
    DWS_STEAL_AT = DWS_EPOCH_RATIO + MP_WALK_RATIOS, /* for each ratio, whose threshold allows it */
    DWS_POINTS = DWS_STEAL_AT + MP_WALK_RATIOS
};

/* Tables of points. A point's place in a table of two dimensions is the first index times the second's bound
 * plus the second. */
enum dws_table {
    DWS_EVENT,   /* enum dws_point */
    DWS_LENGTH,  /* queue, length */
    DWS_ARRIVAL, /* tenant, enum dws_arrival */
    DWS_START,   /* idle walker that starts a walk; 1: of another tenant than its owner */
    DWS_SERVES,  /* completing walker, enum dws_serves */
    DWS_OWNER,   /* walker, new owner, which may be none */
    DWS_WAITING, /* tenant, place of PEND_WALKS in dws_cover.value */
    DWS_BIT,     /* enum dws_choice, bit: the chosen queue differs from a lower one in this bit alone */
    /* DWS++ with changing rules: at a decision by threshold */
    DWS_TIE,       /* two others, the lower first, that alone have the most waiting walks */
    DWS_TIES,      /* so many others have the most */
    DWS_ROLE,      /* owner, which may be none; from which tenant its walker steals */
    DWS_BORDER,    /* enum dws_border, bit */
    DWS_QUEUE_YES, /* length of the walker's queue, which is QUEUE_THRES */
    DWS_QUEUE_NO,  /* length, which is one more */
    DWS_OTHER_BIT, /* bit by which the most differs from a lower tenant's */
    /* and at the end of an epoch */
    DWS_RATIO, /* tenant with the most arrivals, tenant with the fewest */
    DWS_LIMIT, /* ratio's limit, enum dws_limit, bits of the most */
    DWS_COUNT, /* bits of EPOCH; 1: it is all ones */
    DWS_TABLES
};

enum dws_arrival { DWS_ITS, DWS_STEALS, DWS_WAITS, DWS_NO_ROOM, DWS_WITHOUT_WALKERS, DWS_ARRIVALS };
enum dws_serves {
    DWS_OWN_QUEUE,
    DWS_OWNERS_QUEUE,
    DWS_OTHERS_QUEUE,
    DWS_NO_QUEUE,
    DWS_BY_THRESHOLD,
    DWS_SERVED
};
enum dws_choice { DWS_SHORTEST, DWS_OF_OWNER, DWS_OF_OTHERS, DWS_OF_VICTIM, DWS_CHOICES };
/* The difference is one more than DIFF_THRES, and has the bit; the same, other's count has it; the difference
 * is DIFF_THRES, and has the bit; the owner's count has it. */
enum dws_border { DWS_MORE, DWS_MORE_OTHER, DWS_AT, DWS_AT_OWN, DWS_BORDERS };
enum dws_limit { DWS_EXACTLY, DWS_ONE_MORE, DWS_ONE_LESS, DWS_LIMITS };

#define DWS_MOST_DEPTH  63u
#define DWS_MOST_POINTS 8192u
#define DWS_VALUES      26u
#define DWS_EPOCH_BITS  8u

struct dws_cover {
    const uint64_t *now; /* the number of the transaction, from 1 */
    struct mp_walk_geometry g;
    bool plus, varies; /* varies: epoch and thresholds change */
    uint32_t epoch;
    uint32_t reach;              /* a bit for each ratio after which a walker may steal */
    uint8_t ratio;               /* of the last epoch; MP_WALK_RATIOS before one has ended */
    uint16_t value[DWS_VALUES];  /* of PEND_WALKS: all ones, and powers of two, up to all places */
    uint8_t place[MP_DWS_COUNT]; /* of a value, from 1; 0: it is none of them */
    unsigned values;
    struct {
        unsigned begin, rows, columns;
    } table[DWS_TABLES];
    unsigned count;                   /* of points that can be reached */
    uint16_t listed[DWS_MOST_POINTS]; /* they, in the order of their numbers */
    struct mp_rtl_point point[DWS_MOST_POINTS];
};

/* varies: epoch and thresholds change, otherwise they are those of the rules. */
void dws_cover_init(struct dws_cover *c, const struct mp_walk_geometry *g, bool plus, bool varies,
                    const struct mp_walk_rules *r);
/* Call when the model was reset. Coverage stays. */
static inline void dws_cover_reset(struct dws_cover *c)
{
    c->ratio = MP_WALK_RATIOS;
}

static inline struct mp_rtl_point *dws_cover_at(struct dws_cover *c, enum dws_table table, unsigned row,
                                                unsigned column)
{
    return &c->point[c->table[table].begin + row * c->table[table].columns + column];
}

void dws_cover_arrival(struct dws_cover *c, const struct mp_partition *before, uint8_t tenant);
void dws_cover_completion(struct dws_cover *c, const struct mp_partition *before, uint32_t walker);
void dws_cover_owner(struct dws_cover *c, const struct mp_partition *before, uint32_t walker, uint8_t tenant);
/* Events that come in one clock: walkers or tenants, or -1 if there is no such event. */
void dws_cover_clock(struct dws_cover *c, const struct mp_partition *before, int done, int own,
                     int own_tenant, int enq);
/* A reset that interrupts an event, in the state after the event. */
void dws_cover_interrupted(struct dws_cover *c, const struct mp_partition *after);
/* Records the length of this walker's queue after an event that changed it. */
static inline void dws_cover_length(struct dws_cover *c, const struct mp_partition *after, uint32_t walker)
{
    mp_rtl_met(dws_cover_at(c, DWS_LENGTH, walker, after->queue[walker].length), true, *c->now);
}

/* Reads a coverage point by number, from 0, among those that a scheduler with these rules has; false after
 * the last. */
bool dws_cover_point(const struct dws_cover *c, unsigned number, char name[DWS_POINT_NAME],
                     struct mp_rtl_point *point);

/* Whether neither this session nor, by `known` (lockstep.h), an earlier one has met a point, if it can be met
 * at all. dws_cover_number(): its number, or -1. */
bool dws_cover_open(const struct dws_cover *c, const bool *known, enum dws_table table, unsigned row,
                    unsigned column);
int dws_cover_number(const struct dws_cover *c, unsigned place);
/* The number of open points of these tables. */
unsigned dws_cover_left(const struct dws_cover *c, const bool *known, enum dws_table first,
                        enum dws_table last);
/* Whether so many walks of two tenants can wait while a walker of the first completes. */
bool dws_cover_fits(const struct dws_cover *c, unsigned own, unsigned other);
/* The most arrivals of an epoch for the fewest: at a limit of their ratio, one more than it allows, or one
 * less. 0: no number is at the limit. */
unsigned dws_cover_most(unsigned limit, enum dws_limit kind, unsigned fewest);

#ifdef __cplusplus
}
#endif
#endif
