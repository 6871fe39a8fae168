/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU's management registers: each command with its answer as an error code, and what the GPU reports by
 * interrupt. Structures and numbers are those of the device's description (soc/mgmt.h).
 */
#ifndef FW_GPU_H
#define FW_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "soc/mgmt.h"

/* FW_EABSENT: no GPU is attached, and nothing else here works. */
enum fw_error gpu_init(void);
unsigned gpu_slices(void);
uint64_t gpu_memory(void);    /* bytes */
unsigned gpu_walkers(void);   /* of a slice */
unsigned gpu_workloads(void); /* recorded ones, from 0 */
/* A workload's buffer: virtual address and bytes; false when it has none of that number. */
bool gpu_buffer(unsigned workload, unsigned number, struct mp_mgmt_memory *buffer);

enum fw_error gpu_instance_create(unsigned instance, unsigned slices, struct mp_mgmt_memory *memory);
enum fw_error gpu_instance_destroy(unsigned instance);
enum fw_error gpu_space_set(unsigned asid, const struct mp_mgmt_space *space);

/* Sleeps until it has ended. `*removed` (may be NULL): translations that left TLBs. */
enum fw_error gpu_invalidate(const struct mp_mgmt_invalidation *what, uint64_t *removed);

enum fw_error gpu_walk_set(const struct mp_mgmt_walk *walk);
enum fw_error gpu_tlb_set(unsigned level, unsigned policy);
enum fw_error gpu_count(unsigned asid, uint64_t values[MP_MGMT_COUNTERS]);

/* FW_ENOMEM: the queue is full until a completion is taken. */
enum fw_error gpu_launch(const struct mp_mgmt_launch *launch);
/* Whether a launch in this address space has no completion taken yet. */
bool gpu_in_use(unsigned asid);
/* The oldest completion leaves; false without one. */
bool gpu_completion(uint32_t *tag, enum fw_error *end);

/* The oldest fault leaves the buffer; false without one. */
bool gpu_fault(struct mp_mgmt_fault *fault);
uint32_t gpu_faults_held(void); /* that wait for room in the buffer */
enum fw_error gpu_replay(unsigned asid, bool give_up);

/* Which of these bits of INT_STATUS have come since they were taken last. */
uint32_t gpu_take(uint32_t events);
/* The same, asleep until there is one. */
uint32_t gpu_wait(uint32_t events);

#endif
