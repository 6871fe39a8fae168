/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the walkers of a page-walk system do in a window of a run: an observer that keeps each walk under way
 * in it, how many walks of each tenant wait, and whose the walkers are. The window is [first, last) in
 * cycles. Nothing is kept outside of it, and the system does not notice.
 */
#ifndef MP_WALK_WINDOW_H
#define MP_WALK_WINDOW_H

#include "walk/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_WALK_NOBODY (-1) /* owns the walkers under this scheduler */

/* A walk with cycles in the window; its own may lie outside. */
struct mp_walk_span {
    uint64_t page;                    /* its virtual address */
    uint64_t arrived, started, ended; /* MP_NEVER: the run was over before */
    uint32_t walker, levels;          /* page table entries read */
    uint16_t asid;
    uint8_t tenant;
    int8_t owner; /* of the walker when the walk started; it is stolen when that is another tenant */
};

/* From this cycle on so many walks of the tenant wait, held ones included. */
struct mp_walk_waiting {
    uint64_t cycle;
    uint32_t tenant, walks;
};

/* From this cycle on the walker is the tenant's. */
struct mp_walk_ownership {
    uint64_t cycle;
    uint32_t walker, tenant;
};

struct mp_walk_window {
    struct mp_walk *walk;
    struct mp_walk_observer observer;
    uint64_t first, last;
    uint32_t tenants;                /* bit t: tenant t is one of those it serves */
    bool open, failed;               /* failed: out of memory */
    uint64_t *arrived;               /* of the walk under way, by walker */
    uint32_t *levels;                /* likewise, read so far */
    int8_t *owner, *started_by;      /* by walker: now; when the walk under way started */
    uint32_t waiting[MP_TENANTS];    /* now */
    struct mp_walk_span *span;       /* in the order of their ends */
    struct mp_walk_waiting *wait;    /* in the order of cycles, one per cycle and tenant; first of all */
    struct mp_walk_ownership *owned; /* those at the window's first cycle, then the changes */
    size_t spans, waits, owners, span_room, wait_room, owned_room;
};

/* Observes the system from now on, which must be before its first walk. first < last. 0, or -1: out of
 * memory. */
int mp_walk_window_init(struct mp_walk_window *o, struct mp_walk *walk, uint64_t first, uint64_t last,
                        uint32_t tenants);
/* The run is over, after the window's first cycle: takes the walks under way and cuts the window here. 0, or
 * -1: memory ran out since. */
int mp_walk_window_close(struct mp_walk_window *o);
void mp_walk_window_free(struct mp_walk_window *o);

#ifdef __cplusplus
}
#endif
#endif
