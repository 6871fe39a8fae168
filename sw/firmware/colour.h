/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page colouring on a GPU whose instances share L2 and DRAM (Fractional GPUs): an instance's frames are of
 * its colours, so that instances have no memory module in common. Colours follow from the functions that give
 * a physical address its module. A data sheet may have them; otherwise colour_find measures them.
 */
#ifndef FW_COLOUR_H
#define FW_COLOUR_H

#include <stdint.h>

#include "error.h"
#include "frames.h"
#include "reverse/reverse.h"
#include "soc/mgmt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The colours that frames of 4 KB have; no functions: one colour. */
const struct frames_colours *colour_frames(void);
static inline unsigned colour_count(void)
{
    return 1u << colour_frames()->functions;
}

/* Sets the module functions, masks of address bits: their sums that no address within a frame changes give
 * colours. Instances keep their colours' numbers, so set them before any is coloured. Returns FW_EINVAL if
 * there are too many. */
enum fw_error colour_set(const uint64_t *function, unsigned n);

/* Finds the functions by the times of loads alone (sw/reverse), and sets them. l2_bytes: of the L2 cache, by
 * its data sheet. Needs a GPU without instances (prober.h). Returns FW_ENOENT if nothing was found; *step
 * (may be NULL) then says in which step. */
enum fw_error colour_find(uint64_t l2_bytes, struct reverse_found *found, const char **step,
                          void (*progress)(void *unused, const char *step, uint32_t done, uint32_t all));

/* The share of each tenant. Tenant i is instance i. */
struct colour_plan {
    unsigned tenants;
    struct colour_share {
        uint64_t share; /* as wanted; only ratios count */
        unsigned slices, colours;
        uint32_t mask; /* a bit per colour */
    } of[MP_MGMT_INSTANCES];
};

/* Divides all slices and all colours by the wanted shares, at least one of each for a tenant; the next always
 * goes to the tenant with the greatest share for what it has. Returns FW_EINVAL for a share of 0 or no
 * tenant, FW_ENOMEM if there are more tenants than slices or colours. */
enum fw_error colour_divide(const uint64_t share[], unsigned tenants, struct colour_plan *plan);

/* Gives instance i its colours of the plan, and moves the address space's pages and tables to them while
 * launches run, serving faults. */
enum fw_error colour_move(unsigned asid, const struct colour_plan *plan);

/* A launch of a workload in an address space, alone, and next to launches of another one that go on until it
 * has ended. Both workloads run once before that, unmeasured. */
struct colour_times {
    uint64_t alone, together; /* cycles */
};
enum fw_error colour_measure(unsigned asid, unsigned workload, unsigned other, unsigned other_workload,
                             struct colour_times *times);

#ifdef __cplusplus
}
#endif
#endif
