/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU's management registers: each command, which returns the GPU's answer as an error code, and the
 * reports that the GPU sends by interrupt. Structures and numbers are those of the device's description
 * (soc/mgmt.h).
 */
#ifndef FW_GPU_H
#define FW_GPU_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "soc/mgmt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns FW_EABSENT if no GPU is attached; no other function here works then. */
enum fw_error gpu_init(void);
unsigned gpu_slices(void);
uint64_t gpu_memory(void);     /* bytes */
unsigned gpu_walkers(void);    /* walkers per slice */
uint64_t gpu_page_sizes(void); /* that address spaces may have, in bytes, or'ed */
unsigned gpu_sms(void);        /* SMs per slice */
unsigned gpu_workloads(void);  /* number of recorded workloads; their numbers start at 0 */
/* Whether page walks use the contiguity bits of page tables. */
bool gpu_uses_contiguity(void);
/* Reads a workload's buffer: virtual address and bytes. Returns false if it has no buffer of that number. */
bool gpu_buffer(unsigned workload, unsigned number, struct mp_mgmt_memory *buffer);

enum fw_error gpu_instance_create(unsigned instance, unsigned slices, struct mp_mgmt_memory *memory);
enum fw_error gpu_instance_destroy(unsigned instance);
enum fw_error gpu_space_set(unsigned asid, const struct mp_mgmt_space *space);

/* Sleeps until the invalidation has ended. `*removed` (may be NULL) is the number of translations removed.
 * Returns FW_ETIMEOUT if it does not end; the GPU takes no further one then. */
enum fw_error gpu_invalidate(const struct mp_mgmt_invalidation *what, uint64_t *removed);
/* The same for a run of pages: `bytes` is a multiple of 4096, at most 2 MB. Returns FW_EINVAL for others, and
 * for a run that ends beyond 48 bits. */
enum fw_error gpu_invalidate_run(const struct mp_mgmt_invalidation *what, uint64_t *removed);

enum fw_error gpu_walk_set(const struct mp_mgmt_walk *walk);
enum fw_error gpu_tlb_set(unsigned level, unsigned policy);
enum fw_error gpu_count(unsigned asid, uint64_t values[MP_MGMT_COUNTERS]);

/* Returns FW_ENOMEM if the queue is full; it stays full until a completion is taken. */
enum fw_error gpu_launch(const struct mp_mgmt_launch *launch);
/* Whether the completion of a launch in this address space has not been taken yet, or one is saved. */
bool gpu_in_use(unsigned asid);
/* Whether the completion of a launch on this instance has not been taken yet. */
bool gpu_is_busy(unsigned instance);
/* The instance of the launches in this address space whose completions have not been taken; MP_MGMT_INSTANCES
 * without one. */
unsigned gpu_instance_of(unsigned asid);
/* Whether a launch in this address space is known to run: no completion waits to be taken. */
bool gpu_runs(unsigned asid);
/* Launches in this address space that end well end as FW_EDATA from now on, until it is closed. */
void gpu_spoil(unsigned asid);
/* The launch that runs on the instance ends as FW_ESTOPPED, when its work-groups have ended. */
enum fw_error gpu_stop(unsigned instance);
/* Page walks of the instance that do not go on begin again. */
enum fw_error gpu_restart_walks(unsigned instance);
/* Takes the oldest report of an error of the memory; returns false if there is none. */
bool gpu_ecc(struct mp_mgmt_ecc *error);

bool gpu_has_completion(void);
/* Takes the oldest completion; returns false if there is none. A launch that ended as FW_EPREEMPTED is saved:
 * its tag must not be that of another launch until it has been resumed or dropped. */
bool gpu_completion(uint32_t *tag, enum fw_error *end);

unsigned gpu_contexts(void); /* how many launches can be saved */
/* The launch that runs on the instance stops before its next work-group, and one completion follows: of
 * FW_EPREEMPTED, or as always if nothing was left to begin. Returns FW_ENOENT if none runs there, FW_EBUSY if
 * it stops already, FW_ENOMEM if all contexts are in use. */
enum fw_error gpu_preempt(unsigned instance);
/* Queues a saved launch again, as gpu_launch, or forgets it. */
enum fw_error gpu_resume(uint32_t tag);
enum fw_error gpu_drop(uint32_t tag);

/* Measures the loads of one thread, and sleeps until they have ended. The list in the GPU's memory has each
 * load's cycles afterwards, *cycles those from the first issue to the last answer. The instance is that of
 * the address space. Returns FW_EBUSY if a launch runs there. */
enum fw_error gpu_probe(const struct mp_mgmt_probe *probe, uint64_t *cycles);

/* Takes the oldest fault from the buffer; returns false if there is none. */
bool gpu_fault(struct mp_mgmt_fault *fault);
/* Launches ask for what their traces map and unmap, from now on, and wait for the answer. */
void gpu_take_requests(void);
/* They ask also, or not, for what the host reads and writes. */
void gpu_take_host_accesses(bool take);
/* The oldest request; false if there is none. Its instance is not known here. */
bool gpu_request(struct mp_mgmt_request *request);
/* Answers it: its launch goes on, or ends as NO_ROOM. */
void gpu_answer(bool refused);

uint32_t gpu_faults_held(void); /* number of faults that wait for room in the buffer */
enum fw_error gpu_replay(unsigned asid, bool give_up);

/* The accesses to the page of va that wait end with an error, and so does their launch. stores: only stores
 * and atomics. */
enum fw_error gpu_cancel(unsigned asid, uint64_t va, bool stores);

/* The instance's faults, or notices of its access counters, enter a ring at this address of its memory, which
 * is empty; entries 0: faults enter the buffer, and there are no notices. */
enum gpu_ring { GPU_FAULTS, GPU_NOTICES };
enum fw_error gpu_ring_begin(enum gpu_ring ring, unsigned instance, uint64_t base, uint32_t entries);
uint32_t gpu_ring_put(enum gpu_ring ring, unsigned instance);
/* Entries before `get` have been taken. */
enum fw_error gpu_ring_take(enum gpu_ring ring, unsigned instance, uint32_t get);

uint64_t gpu_host_bytes(void); /* of the host's memory that address spaces may map; 0: none */
/* The address space, which is open, may map the host's memory, until it is set again. */
enum fw_error gpu_reach_host(unsigned asid);
/* Counts remote accesses of the instance's spaces by granules of 2 MB or 64 KB, from 0 on, with a notice at
 * this number; 0: counts none. */
enum fw_error gpu_count_remote(unsigned instance, uint32_t granule_bytes, uint32_t threshold);
/* The counter of the granule that has this address begins at 0. */
enum fw_error gpu_clear_remote(unsigned asid, uint64_t va);
/* Those of all granules of the address space. */
enum fw_error gpu_clear_all_remote(unsigned asid);

/* As if these bits of INT_STATUS had been set: something is left to do. */
void gpu_remind(uint32_t events);
/* Whether one of these bits of INT_STATUS was set since the last call of gpu_take or gpu_wait for it. */
bool gpu_rang(uint32_t events);
/* Returns and clears those of these bits of INT_STATUS that were set since the last call. */
uint32_t gpu_take(uint32_t events);
/* Like gpu_take, but sleeps until at least one bit is set, or 10 ms are over: the result is 0 then. An event
 * whose interrupt was lost is found at that time. */
uint32_t gpu_wait(uint32_t events);
/* Finds events whose interrupts were lost. Within cpu_lock, for those who sleep otherwise. */
void gpu_find_lost(void);

#ifdef __cplusplus
}
#endif
#endif
