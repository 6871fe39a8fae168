/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the management block share. */
#ifndef MP_SOC_MGMT_PARTS_H
#define MP_SOC_MGMT_PARTS_H

#include "soc/mgmt.h"

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

#endif
