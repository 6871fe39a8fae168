/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the management block share. */
#ifndef MP_SOC_MGMT_PARTS_H
#define MP_SOC_MGMT_PARTS_H

#include "soc/mgmt.h"

/* The time of an entry. */
static inline uint64_t mp_mgmt_now(const struct mp_mgmt *m)
{
    return m->gpu->now ? m->gpu->now(m->gpu->self) : 0;
}

static inline bool mp_mgmt_has_instance(const struct mp_mgmt *m, uint64_t instance)
{
    return m->value.MIG_HAS[instance] != 0;
}

/* Sets bits of INT_STATUS, and the interrupt lines accordingly. */
void mp_mgmt_happened(struct mp_mgmt *m, uint64_t what);
bool mp_mgmt_is_probed(const struct mp_mgmt *m, unsigned instance);
/* Whether a launch or a probe runs or waits in the address space. */
bool mp_mgmt_is_active(const struct mp_mgmt *m, unsigned asid);

/* launches.c */
bool mp_mgmt_runs_on(const struct mp_mgmt *m, unsigned instance);
/* Starts every launch that can start. */
void mp_mgmt_start_launches(struct mp_mgmt *m);
/* A launch or a probe is about to be queued or to begin in the address space. */
void mp_mgmt_wake(const struct mp_mgmt *m, unsigned asid);
void mp_mgmt_pop_completion(struct mp_mgmt *m);
/* The commands of the registers RUN_*. */
enum mp_mgmt_status mp_mgmt_doorbell(struct mp_mgmt *m, uint32_t tag);
enum mp_mgmt_status mp_mgmt_preempt(struct mp_mgmt *m, unsigned instance);
enum mp_mgmt_status mp_mgmt_resume(struct mp_mgmt *m, unsigned context);
enum mp_mgmt_status mp_mgmt_drop(struct mp_mgmt *m, unsigned context);
enum mp_mgmt_status mp_mgmt_stop(struct mp_mgmt *m, unsigned instance);

/* rings.c. Begins an empty ring; 0 entries: there is none then. Nothing changes if it is refused. */
enum mp_mgmt_status mp_mgmt_ring_begin(const struct mp_mgmt *m, struct mp_mgmt_ring *ring, unsigned instance,
                                       uint64_t base, uint64_t entries);
/* Software has taken the entries before this index. BAD_VALUE, and nothing changes, unless it is between GET
 * and PUT. */
enum mp_mgmt_status mp_mgmt_ring_take(const struct mp_mgmt *m, struct mp_mgmt_ring *ring, uint64_t get);
/* Writes an entry of MP_GPU_RING_ENTRY_BYTES; the ring has entries. Returns false if there is no room. */
bool mp_mgmt_ring_enter(const struct mp_mgmt *m, struct mp_mgmt_ring *ring, const void *entry);

/* What registers show of it; not what was written, if that was refused. */
void mp_mgmt_ring_show(const struct mp_mgmt_ring *ring, uint64_t *entries, uint64_t *get, uint64_t *put);

/* fault_ring.c. The writes to FAULT_RING_ENTRIES and FAULT_RING_GET. */
enum mp_mgmt_status mp_mgmt_begin_fault_ring(struct mp_mgmt *m, unsigned instance, uint64_t entries);
enum mp_mgmt_status mp_mgmt_take_faults(struct mp_mgmt *m, unsigned instance, uint64_t get);
/* FAULT_INFO of the fault. */
uint32_t mp_mgmt_fault_info(const struct mp_mgmt_fault *f);
/* The instance is destroyed. */
void mp_mgmt_end_fault_ring(struct mp_mgmt *m, unsigned instance);
/* As mp_mgmt_access_faulted, with the ring of the fault's instance. */
bool mp_mgmt_enter_fault(struct mp_mgmt *m, unsigned instance, const struct mp_mgmt_fault *f,
                         enum mp_gpu_access access);
/* No access of the address space that has faulted waits any more. */
void mp_mgmt_forget_repeats(struct mp_mgmt *m, unsigned asid);

/* notices.c. The writes to NOTICE_RING_ENTRIES, NOTICE_RING_GET, COUNT_GRANULE and COUNT_CLEAR. */
enum mp_mgmt_status mp_mgmt_begin_notice_ring(struct mp_mgmt *m, unsigned instance, uint64_t entries);
enum mp_mgmt_status mp_mgmt_take_notices(struct mp_mgmt *m, unsigned instance, uint64_t get);
void mp_mgmt_set_granule(struct mp_mgmt *m, unsigned instance);
enum mp_mgmt_status mp_mgmt_clear_counters(struct mp_mgmt *m, uint64_t what);
/* The address space belongs to its instance no longer. */
void mp_mgmt_forget_counts(struct mp_mgmt *m, unsigned asid);
/* The instance is destroyed. */
void mp_mgmt_end_notice_ring(struct mp_mgmt *m, unsigned instance);

#endif
