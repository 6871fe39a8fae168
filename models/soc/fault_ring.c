/* SPDX-License-Identifier: Apache-2.0 */
/* The rings of faults, and what the GPU remembers of faults to leave out an SM's repetitions. */
#include <string.h>

#include "soc/mgmt_parts.h"
#include "soc/service_check.h"

/* --- repetitions ---------------------------------------------------------------------------------- */

/* The entry with this key, or the free one for it. Half of the entries are always free. */
static uint64_t *find(struct mp_mgmt_repeats *r, uint64_t key)
{
    enum { SLOTS = sizeof r->key / sizeof *r->key };
    uint64_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    while (r->key[i % SLOTS] && r->key[i % SLOTS] != key)
        i++;
    return &r->key[i % SLOTS];
}

/* Not 0. Addresses have at most 57 bits, and pages at least 4 KB. */
static uint64_t key_of(const struct mp_mgmt_fault *f, uint64_t page_bytes)
{
    return f->va / page_bytes << 18 | (uint64_t)f->sm << 2 | (uint64_t)f->write << 1 | 1;
}

void mp_mgmt_forget_repeats(struct mp_mgmt *m, unsigned asid)
{
    if (m->repeats[asid].count)
        memset(&m->repeats[asid], 0, sizeof m->repeats[asid]);
}

/* --- the rings ------------------------------------------------------------------------------------ */

static void show(struct mp_mgmt *m, unsigned instance)
{
    mp_mgmt_ring_show(&m->fault_ring[instance], &m->value.FAULT_RING_ENTRIES[instance],
                      &m->value.FAULT_RING_GET[instance], &m->value.FAULT_RING_PUT[instance]);
}

enum mp_mgmt_status mp_mgmt_begin_fault_ring(struct mp_mgmt *m, unsigned instance, uint64_t entries)
{
    enum mp_mgmt_status status = mp_mgmt_ring_begin(m, &m->fault_ring[instance], instance,
                                                    m->value.FAULT_RING_BASE[instance], entries);
    show(m, instance); /* not what was written, if that was refused */
    if (status)
        return status;
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (m->space[a].instance == instance)
            mp_mgmt_forget_repeats(m, a);
    m->gpu->room(m->gpu->self);
    return MP_MGMT_OK;
}

enum mp_mgmt_status mp_mgmt_take_faults(struct mp_mgmt *m, unsigned instance, uint64_t get)
{
    const uint32_t before = m->fault_ring[instance].get;
    enum mp_mgmt_status status = mp_mgmt_ring_take(m, &m->fault_ring[instance], get);
    show(m, instance);
    if (status)
        return status;
    if (m->check && get != before)
        mp_service_check_taken(m->check, m, instance);
    m->gpu->room(m->gpu->self);
    return MP_MGMT_OK;
}

void mp_mgmt_end_fault_ring(struct mp_mgmt *m, unsigned instance)
{
    m->fault_ring[instance] = (struct mp_mgmt_ring){0};
    show(m, instance);
}

unsigned mp_mgmt_fault_queue(const struct mp_mgmt *m, unsigned asid)
{
    const struct mp_mgmt_space *s = &m->space[asid];
    return s->valid && m->fault_ring[s->instance].entries ? 1 + s->instance : 0;
}

bool mp_mgmt_enter_fault(struct mp_mgmt *m, unsigned instance, const struct mp_mgmt_fault *f,
                         enum mp_gpu_access access)
{
    const uint64_t page = m->space[f->asid].page_bytes;
    const struct mp_gpu_fault_entry entry = {
        .va = f->va & -page,
        .entry = f->entry,
        .ns = mp_mgmt_now(m),
        .info = mp_mgmt_fault_info(f) | (uint64_t)access << MP_GPU_FAULT_ACCESS_LOW | MP_GPU_RING_VALID};
    struct mp_mgmt_repeats *repeats = &m->repeats[f->asid];
    const uint64_t key = key_of(f, page);
    uint64_t *remembered = find(repeats, key);
    if (*remembered)
        return true;
    if (!mp_mgmt_ring_enter(m, &m->fault_ring[instance], &entry))
        return false;
    if (repeats->count < MP_MGMT_REPEATS) {
        *remembered = key;
        repeats->count++;
    }
    if (m->check)
        mp_service_check_faulted(m->check, m, f->asid);
    show(m, instance);
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_FAULT);
    return true;
}
