/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of this folder share. */
#ifndef MP_MIG_PARTS_H
#define MP_MIG_PARTS_H

#include "mig/mig.h"

/* Builds the blocks that an instance with this run of slices needs, and joins the permanent links. Returns
 * -1 if memory runs out. */
int mp_mig_build(struct mp_mig *g, unsigned run);
/* Forgets all launches. */
void mp_mig_free_launches(struct mp_mig *g);
/* Makes room for what launches count. Returns -1 if memory runs out. */
int mp_mig_init_launches(struct mp_mig *g);
/* Gives the page-walk system of the instance another scheduler; owned: NULL, or walkers by owner. -1: it
 * cannot have it. */
int mp_mig_set_scheduler(struct mp_mig *g, struct mp_mig_instance *i,
                         const struct mp_walk_scheduler *scheduler, const struct mp_walk_rules *rules,
                         const uint64_t *owned);
/* Connects the slices of the instance to the blocks of its run, and empties all of these blocks. */
void mp_mig_join(struct mp_mig *g, const struct mp_mig_instance *i);
/* Connects this address space to the instance's page-walk system. */
void mp_mig_join_space(struct mp_mig *g, unsigned asid, const struct mp_mig_instance *i);

/* One past the last element of an array. */
#define END(array) ((array) + sizeof(array) / sizeof *(array))

/* SMs of a run of slices, of which the last ones of the machine may be short. */
static inline unsigned mp_mig_sms_of(const struct mp_mig *g, unsigned first, unsigned slices)
{
    return mp_machine_first_sm(&g->machine, first + slices) - mp_machine_first_sm(&g->machine, first);
}

static inline unsigned mp_mig_instance_sms(const struct mp_mig *g, const struct mp_mig_instance *i)
{
    return mp_mig_sms_of(g, i->first, i->slices);
}

/* Returns SM k of the instance. */
static inline struct mp_sm *mp_mig_instance_sm(const struct mp_mig *g, const struct mp_mig_instance *i,
                                               unsigned k)
{
    return mp_mig_sm(g, mp_machine_first_sm(&g->machine, i->first) + k);
}

/* Of the memory behind the link; 0: the machine has no block for it. */
uint64_t mp_mig_host_bytes(const struct mp_mig *g);
/* The sizes of pages that an address space may have, in bytes, or'ed. */
uint64_t mp_mig_page_sizes(const struct mp_mig *g);
/* Follows the address space's root. Returns -1 if memory runs out. */
int mp_mig_set_table(struct mp_mig *g, unsigned asid);

/* The operations (struct mp_mgmt_gpu). */
enum mp_mgmt_status mp_mig_create(void *gpu, unsigned instance, unsigned slices, struct mp_mgmt_memory *m);
enum mp_mgmt_status mp_mig_destroy(void *gpu, unsigned instance);
enum mp_mgmt_status mp_mig_set_space(void *gpu, unsigned asid, const struct mp_mgmt_space *space);
enum mp_mgmt_status mp_mig_invalidate(void *gpu, const struct mp_mgmt_invalidation *what);
enum mp_mgmt_status mp_mig_set_walk(void *gpu, const struct mp_mgmt_walk *walk);
enum mp_mgmt_status mp_mig_set_tlb(void *gpu, unsigned level, unsigned policy);
enum mp_mgmt_status mp_mig_replay(void *gpu, unsigned asid, bool give_up);
enum mp_mgmt_status mp_mig_cancel(void *gpu, unsigned asid, uint64_t va, bool stores);
enum mp_mgmt_status mp_mig_count(void *gpu, unsigned asid, uint64_t values[MP_MGMT_COUNTERS]);
enum mp_mgmt_status mp_mig_launch(void *gpu, const struct mp_mgmt_launch *launch);
void mp_mig_preempt(void *gpu, unsigned instance, unsigned context);
void mp_mig_resume(void *gpu, unsigned context);
void mp_mig_drop(void *gpu, unsigned context);
void mp_mig_wake(void *gpu, unsigned asid);
enum mp_mgmt_status mp_mig_probe(void *gpu, const struct mp_mgmt_probe *probe);
void mp_mig_fault_room(void *gpu);
void mp_mig_answered(void *gpu, unsigned instance, bool refused);
/* A launch or a probe begins in the address space. */
void mp_mig_note_launch(struct mp_mig *g, unsigned asid);
void mp_mig_stop(void *gpu, unsigned instance);
void mp_mig_restart_walks(void *gpu, unsigned instance);

/* Divides the walkers of the instance among its address spaces, unless firmware has done so. */
void mp_mig_divide_walkers(struct mp_mig *g, struct mp_mig_instance *i);

#endif
