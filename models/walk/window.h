/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Activity of a page-walk system's walkers in a window of a run. This observer records each walk that is in
 * flight in the window, the number of waiting walks of each tenant, and each walker's owner. The window is
 * [first, last) in cycles. Nothing is recorded outside of it, and the run is the same with and without the
 * observer.
 */
#ifndef MP_WALK_WINDOW_H
#define MP_WALK_WINDOW_H

#include "walk/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_WALK_NOBODY (-1) /* walkers have no owners under this scheduler */

/* A walk that was in flight in the window. It may have begun before the window, and ended after it. */
struct mp_walk_span {
    uint64_t page;                    /* its virtual address */
    uint64_t arrived, started, ended; /* MP_NEVER: the run ended before */
    uint32_t walker, levels;          /* page table entries read */
    uint16_t asid;
    uint8_t tenant;
    int8_t owner; /* of the walker when the walk started; if it is another tenant, the walk was stolen */
};

/* Number of waiting walks of the tenant from this cycle on, with those that are held at ports. */
struct mp_walk_waiting {
    uint64_t cycle;
    uint32_t tenant, walks;
};

/* The walker's owner from this cycle on. */
struct mp_walk_ownership {
    uint64_t cycle;
    uint32_t walker, tenant;
};

struct mp_walk_window {
    struct mp_walk *walk;
    struct mp_walk_observer observer;
    uint64_t first, last;
    uint32_t tenants;             /* the tenants that the system serves, a bit each */
    bool open, failed;            /* failed: memory ran out */
    uint64_t *arrived;            /* by walker: arrival of its walk */
    uint32_t *levels;             /* by walker: entries that its walk has read */
    int8_t *owner, *started_by;   /* by walker: now; when its walk started */
    uint32_t waiting[MP_TENANTS]; /* now */
    struct mp_walk_span *span;    /* in the order in which they ended */
    struct mp_walk_waiting
        *wait; /* in the order of cycles, one per cycle and tenant; first, one per tenant */
    struct mp_walk_ownership *owned; /* of all walkers in the window's first cycle, then changes */
    size_t spans, waits, owners, span_room, wait_room, owned_room;
};

/* Observes the system from now on, which must be before its first walk; first < last. Returns -1 if out of
 * memory. */
int mp_walk_window_init(struct mp_walk_window *o, struct mp_walk *walk, uint64_t first, uint64_t last,
                        uint32_t tenants);
/* Ends the window at the end of the run, which is after the window's first cycle, and records the walks that
 * are still in flight. Returns -1 if memory has run out since the beginning. */
int mp_walk_window_close(struct mp_walk_window *o);
void mp_walk_window_free(struct mp_walk_window *o);

#ifdef __cplusplus
}
#endif
#endif
