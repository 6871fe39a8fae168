/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups of blocks that run ahead of each other. Each group has an event wheel. A message between groups
 * carries the cycle of its arrival. Groups are in stages, which run one after the other, the first stage
 * first:
 *
 *   - a message to a later stage may arrive in the cycle in which it is sent;
 *   - a message to an earlier stage, or to a group of the same stage, arrives no sooner than `lookahead`
 *     cycles later.
 *
 * So all groups can run a window of `lookahead` cycles, stage by stage, and nothing arrives in a group's
 * past. The groups of a stage do not depend on each other within a window, and may run in several threads.
 *
 * In a cycle, a group first takes the messages that arrive, in the order of their senders' numbers, those of
 * one sender in the order of sending; then it runs the events of its wheel. Nothing of this depends on the
 * length of the windows or on the number of threads, and neither do results.
 */
#ifndef MP_ENGINE_GROUPS_H
#define MP_ENGINE_GROUPS_H

#include <stdalign.h>

#include "engine/wheel.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_group;

/* Where messages come from: one end of a link between groups, for example. The first member of a structure
 * whose other members arrive() needs. */
struct mp_sender {
    uint32_t order; /* unique among the senders to the same group */
    bool held;      /* a link's: its target has no room, so that requests wait */
    struct mp_box *box;
    void (*arrive)(struct mp_sender *sender, void *argument); /* runs in the group that the messages go to */
};

struct mp_message {
    struct mp_sender *sender;
    void *argument;
    uint64_t when;
};

/* The way from one group to another. With one thread, messages are delivered at once. */
struct mp_box {
    alignas(64) struct mp_group *direct; /* NULL: they wait here until their group's turn */
    struct mp_message *message;          /* threads write to different boxes */
    uint32_t count, room;
    uint64_t first; /* the earliest arrival of those that wait, MP_NEVER without one */
};

struct mp_arrival {
    struct mp_arrival *next;
    struct mp_sender *sender;
    void *argument;
    uint32_t order; /* the sender's */
};

struct mp_group {
    struct mp_arrival *spare;
    uint64_t used[MP_WHEEL_WORDS];           /* of slot */
    struct mp_arrival *slot[MP_WHEEL_SLOTS]; /* by cycle: the last, whose next is the first; NULL: none */
    struct mp_wheel wheel;
    struct mp_message *far; /* further ahead than the slots, in the order of sending */
    uint32_t fars, far_room;
    uint64_t arrived;    /* messages taken, for a count of events */
    struct mp_box *from; /* by the group that sends */
    void *slabs;
    struct mp_between { /* by a sender's number: its last message that was put between others, of that cycle
                         */
        struct mp_arrival *arrival;
        uint64_t when, arrived; /* it is still there if no message has arrived since then */
    } * between;
    uint32_t betweens;
};

struct mp_crew; /* threads */

#define MP_BALANCE_THREADS 16u

/* How the work of a run could be divided. Work is counted in events, so it is the same at every run, and a
 * busy host does not change it. */
struct mp_balance {
    uint64_t windows, stages;            /* stages that threads would share: a barrier each */
    uint64_t events[MP_BALANCE_THREADS]; /* one after the other, of n + 1 threads that cost nothing, each
                                            group in the first that is free */
};

struct mp_groups {
    uint32_t count, stages, lookahead;
    struct mp_group **group; /* in the order of their stages */
    struct mp_stage {
        uint32_t first;    /* group; after the last stage comes `count` */
        uint64_t executed; /* events until now */
    } * stage;
    struct mp_box *boxes;
    uint64_t begin; /* of the window */
    bool stopped;
    struct mp_crew *crew;       /* NULL: one thread */
    struct mp_balance *balance; /* NULL: not measured; with one thread only */
};

/* stage: of each group, not descending from 0 on. lookahead: at least 1 if there are several groups. -1: out
 * of memory. */
int mp_groups_init(struct mp_groups *g, uint32_t count, const uint32_t *stage, uint32_t lookahead);
void mp_groups_free(struct mp_groups *g);
/* Makes one group several; the group stays the first of them. Returns -1 if memory runs out; then there is
 * still one. */
int mp_groups_split(struct mp_groups *g, uint32_t count, const uint32_t *stage, uint32_t lookahead);

/* The groups of a stage run in up to `threads` threads from now on. -1: they cannot be started. */
int mp_groups_use_threads(struct mp_groups *g, unsigned threads);

static inline struct mp_wheel *mp_groups_wheel(const struct mp_groups *g, uint32_t group)
{
    return &g->group[group]->wheel;
}

/* The messages of `from` to `to`. */
static inline struct mp_box *mp_groups_box(const struct mp_groups *g, uint32_t from, uint32_t to)
{
    return &g->group[to]->from[from];
}

/* The earliest cycle in which anything happens; MP_NEVER if nothing will. */
uint64_t mp_groups_next(const struct mp_groups *g);
/* Runs all groups from cycle `begin`, which is mp_groups_next(), up to before cycle `end`, at most
 * `lookahead` cycles later. If the only group of a stage stops the run, later stages finish that cycle and no
 * other; if another group does, the run ends with the window. */
void mp_groups_run(struct mp_groups *g, uint64_t begin, uint64_t end);
/* Moves the time of all groups to `when`, which is not after the next event. */
void mp_groups_advance(struct mp_groups *g, uint64_t when);
/* To be called by a group while it runs, or between windows: mp_groups_run() ends, and runs nothing again. */
void mp_groups_stop(struct mp_groups *g);
/* The latest cycle that any group has reached. */
uint64_t mp_groups_now(const struct mp_groups *g);
/* Events run until now, messages included. */
uint64_t mp_groups_executed(const struct mp_groups *g);

/* The message arrives in cycle `when`. */
void mp_send(struct mp_sender *sender, uint64_t when, void *argument);

#ifdef __cplusplus
}
#endif
#endif
