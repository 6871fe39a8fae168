/* SPDX-License-Identifier: Apache-2.0 */
/* MIG instances: slices with their SMs, memory and walkers. Each instance has a frame allocator for its
 * memory. The address spaces that are open on an instance divide its walkers. */
#ifndef FW_MIG_H
#define FW_MIG_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frames.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mig_instance {
    unsigned slices; /* 0: the instance does not exist */
    uint64_t base, bytes;
    unsigned spaces; /* open address spaces, one bit per asid */
    struct frames frames;
};

void mig_init(void);
enum fw_error mig_create(unsigned instance, unsigned slices);
/* Closes its address spaces. Returns FW_EBUSY while a launch runs on it. */
enum fw_error mig_destroy(unsigned instance);
/* Returns NULL if the instance does not exist. */
const struct mig_instance *mig_instance(unsigned instance);

/* Open and close an address space with pages of that size on the instance. Both divide the instance's walkers
 * again. A walker that gets another owner first completes its walk for the previous one. */
enum fw_error mig_space_open(unsigned instance, unsigned asid, uint64_t page_bytes);
enum fw_error mig_space_close(unsigned asid);

/* Takes frames of the instance's memory that follow each other, as frames_take_page, and gives them back. */
enum fw_error mig_take(unsigned instance, uint64_t bytes, uint64_t *pa);
void mig_give(unsigned instance, uint64_t bytes, uint64_t pa);

/* From now on the instance's frames are of these colours only (frames_colour). */
enum fw_error mig_colour(unsigned instance, const struct frames_colours *colours, uint32_t wanted);

/* Sets the walk scheduler of the instance, a value of enum mp_mgmt_scheduler. */
enum fw_error mig_walk_policy(unsigned instance, unsigned policy);

#ifdef __cplusplus
}
#endif
#endif
