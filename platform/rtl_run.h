/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verilated RTL inside a block of the platform. It either replaces what decides in the block, or is compared
 * with it decision by decision. Ports, MSHRs, queues in front and timing remain the platform's; the RTL is
 * the array of a TLB, the page-walk scheduler, a directory of neighbours, the scan of page tables, or the
 * prefetch tree of managed memory. Each block is a structure of the library libmempath-cosim.so, built from
 * rtl/.
 */
#ifndef MP_RTL_RUN_H
#define MP_RTL_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/error.h"
#include "rtl_line.h"
#include "tlb/neighbour/neighbour.h"
#include "tlb/policy.h"
#include "uvm/prefetch.h"
#include "vm/contiguity.h"
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
    const char *level; /* of TLBs, for messages; or NULL */
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

/* What a block is in place of: one of these structures. Each has open(), which returns the block, or NULL
 * with err if there is no such RTL; host stays the caller's. What firmware may choose while it runs has
 * has(), which returns 0 if there is RTL for it; otherwise -1 with err. */

/* The array of a TLB. */
struct mp_rtl_tlb {
    int (*has)(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
               const struct mp_rtl_host *host, struct mp_error *err);
    void *(*open)(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
                  const struct mp_rtl_host *host, struct mp_error *err);
    /* The policy of a TLB whose state is one pointer, to the block. It stays the block's. */
    const struct mp_tlb_policy *(*policy)(const void *block);
};

/* The scheduler of page walks. */
struct mp_rtl_walks {
    const struct mp_walk_scheduler *scheduler; /* of a walk system whose state is one pointer, to the block */
    /* Firmware chooses the scheduler, the walkers of an instance and the epoch. */
    int (*has)(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
               const struct mp_walk_rules *rules, struct mp_error *err);
    void *(*open)(const struct mp_walk_scheduler *model, const struct mp_walk_geometry *g,
                  const struct mp_walk_rules *rules, const struct mp_rtl_host *host, struct mp_error *err);
};

/* The directory of an L1 TLB that asks its neighbours. */
struct mp_rtl_directory {
    const struct mp_neighbour_keeper *keeper; /* whose `kept` is the block */
    void *(*open)(const struct mp_neighbour_policy *model, const struct mp_design_values *values,
                  const struct mp_rtl_host *host, struct mp_error *err);
};

/* The scan of frames for contiguity bits. */
struct mp_rtl_scan {
    mp_contiguity_scanner *scanner; /* whose `self` is the block */
    void *(*open)(bool heads_first, const struct mp_rtl_host *host, struct mp_error *err);
};

/* The prefetch tree of a server of page faults. */
struct mp_rtl_prefetch {
    void (*pages)(void *block, const struct mp_uvm_look *look, struct mp_uvm_mask *out); /* mp_uvm_stand_in */
    void *(*open)(const struct mp_rtl_host *host, struct mp_error *err);
};

/* Symbol mempath_rtl_BLOCK. */
struct mp_rtl_block {
    const char *interface; /* MP_RTL_INTERFACE: a sum of the headers that both sides were compiled with */
    const char *tools;     /* "verilator 5.006" */
    struct mp_rtl_view view;
    /* One of these; the others are NULL. */
    const struct mp_rtl_tlb *tlb;
    const struct mp_rtl_walks *walks;
    const struct mp_rtl_directory *directory;
    const struct mp_rtl_scan *scan;
    const struct mp_rtl_prefetch *prefetch;
};

/* Write what happens in a block of a run as stimuli that `mempath cosim` reads for its RTL, a line for each
 * event. One of these structures is for the kind of the block; the others are NULL. */
struct mp_rtl_array_writer { /* of a TLB with this policy */
    void (*lookup)(FILE *out, uint16_t asid, uint64_t vpn);
    void (*insert)(FILE *out, const struct mp_tlb_policy *policy, uint16_t asid, uint64_t vpn,
                   struct mp_translation to);
    void (*invalidate_page)(FILE *out, uint16_t asid, uint64_t vpn);
    /* state: before it */
    void (*invalidate_asid)(FILE *out, const struct mp_tlb_policy *policy, const void *state, uint16_t asid);
    void (*invalidate_all)(FILE *out);
};

struct mp_rtl_directory_writer { /* page: of a directory, so a base if there are sub-entries */
    void (*lookup)(FILE *out, struct mp_neighbour_page page);
    /* side: the neighbour's bit; 0: the TLB itself. local: of a neighbour's insertion: the TLB holds the page
     */
    void (*change)(FILE *out, uint8_t side, struct mp_neighbour_page page, bool inserted, bool local);
    void (*drop)(FILE *out, struct mp_neighbour_page page);
    void (*empty)(FILE *out);
};

struct mp_rtl_writer {
    const struct mp_rtl_array_writer *array;
    const struct mp_rtl_directory_writer *directory;
    /* The scan of the frame whose entry is at `at`. leaf: the entries of its 512 pages at the scan before, of
     * any frame, at first zeroes; it gets those of this one. */
    void (*scan)(FILE *out, uint64_t *leaf, const struct mp_page_table *t, uint64_t at);
    void (*prefetch)(FILE *out, const struct mp_uvm_look *block); /* a service that asks for prefetches */
};

/* A block that has been part of a run, at its end. */
struct mp_rtl_outcome {
    const char *block, *component; /* "walk_arbiter", "gpu.mig0.walk" */
    const char *mode, *tools;      /* the model's policy or scheduler */
    bool shadow;
    const struct mp_rtl_view *view;
    const void *asked; /* by view */
};

/* RTL of a run: in place of all models of a kind, or of those of a level. */
struct mp_rtl_part {
    const struct mp_rtl_block *block;
    const char *name;  /* "l3_tlb", "walk_arbiter", "mesc-scan" */
    const char *cosim; /* its name in `mempath cosim`: "star" */
    const char *level; /* of TLBs: whose arrays or directories are RTL */
    const char *path;  /* of those, the ones that it matches, with the wildcards of fnmatch(3); NULL: all */
    bool shadow;
};

#define MP_RTL_PARTS 8u

/* The blocks of a run that are RTL. All zero means that none is. */
struct mp_rtl {
    struct mp_rtl_part part[MP_RTL_PARTS];
    unsigned parts;
    struct mp_rtl_waves waves; /* of one block */
    /* Called for each block when the run is over, however it ended. */
    void (*over)(void *context, const struct mp_rtl_outcome *outcome);
    void *context;
};

#ifdef __cplusplus
}
#endif
#endif
