/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults on purpose: which ones, and when. A plan comes from a YAML file:
 *
 *     faults:
 *       - {fault: interrupt-lost, source: gpu-queue, event: 2}
 *       - {fault: walker-stuck, cycle: 423000000, for: 200us}
 *     random: {seed: 7, faults: 1}
 *
 * Every fault belongs to a kind of event, such as the start of a walk or an access to a device, and happens
 * at the event of that number, counted from 1 in the whole run, or at the first one from a cycle of the GPU
 * on. Those of `random` are drawn by mp_inject_draw() from the events that a run without faults has.
 */
#ifndef MP_SOC_INJECT_H
#define MP_SOC_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_INJECT_FAULTS 64u /* of a plan, at most */
#define MP_INJECT_PLACES 32u /* more than interrupt sources, and than windows of the address map */

enum mp_inject_kind {                               /* and its event */
                      MP_INJECT_INTERRUPT_LOST,     /* the device raises its line */
                      MP_INJECT_INTERRUPT_SPURIOUS, /* the device lowers its line; or a cycle */
                      MP_INJECT_INVALIDATION_LATE,  /* an invalidation has ended */
                      MP_INJECT_BUS_ERROR,          /* an access of the bus to the device */
                      MP_INJECT_WALKER_STUCK,       /* a page walk starts */
                      MP_INJECT_ECC_ENTRY,          /* a walk has read an entry */
                      MP_INJECT_ECC_PAGE,           /* a walk has found a page */
                      MP_INJECT_FAULT_BUFFER_FULL,  /* a fault is reported */
                      MP_INJECT_LAUNCH_HANGS,       /* a launch starts */
                      MP_INJECT_REPLAY_LOST,        /* accesses are to be replayed */
                      MP_INJECT_VALID_BIT_LOST,     /* an entry of a ring is to become valid */
                      MP_INJECT_VALID_BIT_LATE,     /* the same */
                      MP_INJECT_COPY_LATE,          /* a copy engine has made a copy */
                      MP_INJECT_COPY_FAILS,         /* a copy engine begins a copy */
                      MP_INJECT_KINDS
};

struct mp_injected {
    enum mp_inject_kind kind;
    unsigned place;    /* source of the interrupt, or number of the window of the map; else 0 */
    bool poisoned;     /* the error of the memory cannot be corrected */
    uint64_t event;    /* from 1; 0: the first from `cycle` on */
    uint64_t cycle;    /* of the GPU's clock */
    uint64_t lasts;    /* cycles; MP_NEVER: for ever */
    unsigned line;     /* of the file; 0: drawn */
    uint64_t happened; /* cycle; MP_NEVER: it has not */
};

/* Numbers of events by kind and place. */
struct mp_inject_events {
    uint64_t number[MP_INJECT_KINDS][MP_INJECT_PLACES];
};

struct mp_inject {
    struct mp_injected fault[MP_INJECT_FAULTS];
    unsigned faults;
    unsigned random; /* number of faults to draw */
    uint32_t kinds;  /* of these kinds, a bit each */
    uint64_t seed;
    double clock_mhz;
    struct mp_inject_events events; /* up to now */
};

/* Reads a plan, whose times are converted to cycles of this clock. Returns -1 with one line in err. */
int mp_inject_load(struct mp_inject *plan, const char *file, double clock_mhz, struct mp_error *err);
int mp_inject_parse(struct mp_inject *plan, const char *name, const char *text, size_t size, double clock_mhz,
                    struct mp_error *err);

/* Adds the faults of `random`: a kind, a place and an event, each as likely as the others, of those that a
 * run without faults has. Returns -1 with err if it has none. */
int mp_inject_draw(struct mp_inject *plan, const struct mp_inject_events *there, struct mp_error *err);

/* Counts an event. Returns the fault that happens at it, or NULL. */
const struct mp_injected *mp_inject_event(struct mp_inject *plan, enum mp_inject_kind kind, unsigned place,
                                          uint64_t cycle);

const char *mp_inject_name(enum mp_inject_kind kind);
/* "gpu-queue", "lasts 200 us"; and "event 2", "cycle 423000000". */
void mp_inject_where(const struct mp_inject *plan, const struct mp_injected *f, char *text, size_t size);
void mp_inject_when(const struct mp_injected *f, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
