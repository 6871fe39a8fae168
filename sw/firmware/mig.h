/* SPDX-License-Identifier: Apache-2.0 */
/* MIG instances: slices with their SMs, memory and walkers. Each has a frame allocator for its memory, and
 * its walkers are divided among the address spaces that are open on it. */
#ifndef FW_MIG_H
#define FW_MIG_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frames.h"

struct mig_instance {
    unsigned slices; /* 0: there is none */
    uint64_t base, bytes;
    unsigned spaces; /* a bit per asid */
    struct frames frames;
};

void mig_init(void);
enum fw_error mig_create(unsigned instance, unsigned slices);
/* Closes its address spaces; FW_EBUSY while something runs on it. */
enum fw_error mig_destroy(unsigned instance);
/* NULL when there is none. */
const struct mig_instance *mig_instance(unsigned instance);

/* Opens an address space of pages of that size on the instance, and closes it. The walkers of the instance
 * are divided anew, those under way included: they end their walk for whom they began it. */
enum fw_error mig_space_open(unsigned instance, unsigned asid, uint64_t page_bytes);
enum fw_error mig_space_close(unsigned asid);

/* How walks are scheduled on the instance, from now on: a number of enum mp_mgmt_scheduler. */
enum fw_error mig_walk_policy(unsigned instance, unsigned policy);

#endif
