/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share. */
#ifndef MP_MIG_PARTS_H
#define MP_MIG_PARTS_H

#include "mig/mig.h"

/* Building; -1: out of memory, and what was built before is as it was. */
int mp_mig_build_slice(struct mp_mig *g, unsigned number);
int mp_mig_build_backend(struct mp_mig *g, unsigned first, unsigned slices);
void mp_mig_free_slice(struct mp_mig *g, struct mp_mig_slice *s);
void mp_mig_free_backend(struct mp_mig_backend *b);
/* The instance's slices use its backend from now on, and everything in them is empty. */
void mp_mig_join(struct mp_mig *g, const struct mp_mig_instance *i);
/* Where misses of this address space are walked. */
void mp_mig_join_space(struct mp_mig *g, unsigned asid, const struct mp_mig_instance *i);

static inline unsigned mp_mig_slice_sms(const struct mp_mig *g)
{
    return g->p.tpcs * g->p.sms_per_tpc;
}

/* Of the operations. */
enum mp_mgmt_status mp_mig_create(void *gpu, unsigned instance, unsigned slices, struct mp_mgmt_memory *m);
enum mp_mgmt_status mp_mig_destroy(void *gpu, unsigned instance);
enum mp_mgmt_status mp_mig_set_space(void *gpu, unsigned asid, const struct mp_mgmt_space *space);
enum mp_mgmt_status mp_mig_invalidate(void *gpu, const struct mp_mgmt_invalidation *what);
enum mp_mgmt_status mp_mig_set_walk(void *gpu, const struct mp_mgmt_walk *walk);
enum mp_mgmt_status mp_mig_set_tlb(void *gpu, unsigned level, unsigned policy);
enum mp_mgmt_status mp_mig_replay(void *gpu, unsigned asid, bool give_up);
enum mp_mgmt_status mp_mig_count(void *gpu, unsigned asid, uint64_t values[MP_MGMT_COUNTERS]);
enum mp_mgmt_status mp_mig_launch(void *gpu, const struct mp_mgmt_launch *launch);
void mp_mig_fault_room(void *gpu);
/* As mp_app_host.fault, of an instance. */
bool mp_mig_fault(void *instance, struct mp_sm *sm, struct mp_req *page);

/* Walkers of the instance are divided among its address spaces, unless firmware has done it. */
void mp_mig_divide_walkers(struct mp_mig *g, struct mp_mig_instance *i);

#endif
