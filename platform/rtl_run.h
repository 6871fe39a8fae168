/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verilated RTL inside a block of the platform. It either replaces what decides in the block, or is compared
 * with it decision by decision. Ports, MSHRs, queues in front and timing remain the platform's; the RTL is
 * the array of a TLB or the page-walk scheduler. Each kind is a structure of the library
 * libmempath-cosim.so, built from rtl/.
 */
#ifndef MP_RTL_RUN_H
#define MP_RTL_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"
#include "rtl_line.h"
#include "tlb/policy.h"
#include "walk/scheduler/scheduler.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_RTL_POINT_NAME 64u

/* A point of coverage. */
struct mp_rtl_point {
    uint64_t taken; /* times that it was met */
    uint64_t first; /* the transaction that met it first, from 1; 0 if none did */
};

/* Call in this transaction, from 1, if the point can be met in it. */
static inline void mp_rtl_met(struct mp_rtl_point *p, bool met, uint64_t transaction)
{
    if (met && !p->taken++)
        p->first = transaction;
}

/* Waves of the RTL, an FST file; a library has them that was built with them. */
struct mp_rtl_waves {
    const char *file; /* NULL if none */
    /* From first to before last: cycles of a run, transactions of a co-simulation, from 1. */
    uint64_t first, last;
};

/* A run that RTL takes part in. */
struct mp_rtl_host {
    void *context;
    uint64_t (*cycle)(void *context);
    /* Ends the run: RTL and model differ, or the RTL fails an assertion. It is called once; the block reports
     * the difference. */
    void (*stop)(void *context);
    bool shadow; /* the model decides, and the RTL is compared with it */
    struct mp_rtl_waves waves;
};

/* Operations on RTL that runs and co-simulations have in common. */
struct mp_rtl_view {
    void (*close)(void *block);
    uint64_t (*transactions)(const void *block);
    uint64_t (*clocks)(const void *block);        /* of the RTL */
    const char *(*difference)(const void *block); /* the first, in a line; NULL if none */
    /* Stimulus, responses and what differs of both states field by field; full: all fields. */
    void (*report)(const void *block, FILE *out, bool full);
    /* Coverage by number, from 0; false behind the last, and always where nothing is compared. */
    bool (*point)(const void *block, unsigned number, char name[MP_RTL_POINT_NAME],
                  struct mp_rtl_point *point);
    /* NULL in a run, which has neither resets nor a count of lines: */
    uint64_t (*resets)(const void *block); /* between transactions */
    bool (*broken)(const void *block);     /* the difference says how the RTL broke a rule, or ended */
    /* The lines of the RTL by file and number, if it counts them. Returns false if memory runs out. */
    bool (*lines)(const void *block, rtl_each_line *each, void *to);
};

/* Symbol mempath_rtl_tlb. */
struct mp_rtl_tlb {
    const char *interface; /* MP_RTL_INTERFACE: a sum of the headers that both sides were compiled with */
    const char *tools;     /* "verilator 5.006" */
    struct mp_rtl_view view;
    /* For a TLB whose state is one pointer, to the block. */
    const struct mp_tlb_policy *policy;
    /* 0 if there is RTL for what firmware may choose while it runs, the policy; -1 with err if not. */
    int (*has)(const struct mp_tlb_policy *model, struct mp_error *err);
    /* A block that decides as this model would; NULL with err when there is no such RTL. host stays the
     * caller's. */
    void *(*open)(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
                  const struct mp_rtl_host *host, struct mp_error *err);
};

/* Symbol mempath_rtl_walk_arbiter; as above. */
struct mp_rtl_walks {
    const char *interface;
    const char *tools;
    struct mp_rtl_view view;
    const struct mp_walk_scheduler *scheduler;
    /* Firmware chooses the scheduler, the walkers of an instance and the epoch. */
    int (*has)(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
               const struct mp_walk_rules *rules, struct mp_error *err);
    void *(*open)(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
                  const struct mp_walk_rules *rules, const struct mp_rtl_host *host, struct mp_error *err);
};

/* A block that has been part of a run, at its end. */
struct mp_rtl_outcome {
    const char *block, *component; /* "walk_arbiter", "gpu.mig0.walk" */
    const char *mode, *tools;      /* the model's policy or scheduler */
    bool shadow;
    const struct mp_rtl_view *view;
    const void *asked; /* by view */
};

/* The blocks of a run that are RTL. All zero means that none is. */
struct mp_rtl {
    const struct mp_rtl_tlb *tlb;
    const char *tlb_level; /* whose TLBs are RTL */
    const struct mp_rtl_walks *walk_arbiter;
    bool tlb_shadow, walk_arbiter_shadow;
    struct mp_rtl_waves waves; /* of one block */
    /* Called for each block when the run is over, however it ended. */
    void (*over)(void *context, const struct mp_rtl_outcome *outcome);
    void *context;
};

#ifdef __cplusplus
}
#endif
#endif
