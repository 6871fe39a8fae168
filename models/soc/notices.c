/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of remote accesses, and the rings of their notices. */
#include "soc/access_counters.h"
#include "soc/mgmt_parts.h"
#include "soc/service_check.h"

static void show(struct mp_mgmt *m, unsigned instance)
{
    mp_mgmt_ring_show(&m->notice_ring[instance], &m->value.NOTICE_RING_ENTRIES[instance],
                      &m->value.NOTICE_RING_GET[instance], &m->value.NOTICE_RING_PUT[instance]);
}

enum mp_mgmt_status mp_mgmt_begin_notice_ring(struct mp_mgmt *m, unsigned instance, uint64_t entries)
{
    enum mp_mgmt_status status = m->gpu && !m->gpu->counters
                                     ? MP_MGMT_UNSUPPORTED
                                     : mp_mgmt_ring_begin(m, &m->notice_ring[instance], instance,
                                                          m->value.NOTICE_RING_BASE[instance], entries);
    show(m, instance);
    return status;
}

enum mp_mgmt_status mp_mgmt_take_notices(struct mp_mgmt *m, unsigned instance, uint64_t get)
{
    const uint32_t before = m->notice_ring[instance].get;
    enum mp_mgmt_status status = mp_mgmt_ring_take(m, &m->notice_ring[instance], get);
    if (m->check && m->notice_ring[instance].get != before)
        mp_service_check_noticed(m->check, m, instance);
    show(m, instance);
    return status;
}

void mp_mgmt_end_notice_ring(struct mp_mgmt *m, unsigned instance)
{
    m->notice_ring[instance] = (struct mp_mgmt_ring){0};
    show(m, instance);
}

/* --- counters --------------------------------------------------------------------------------------- */

static uint64_t granule_of(const struct mp_mgmt *m, unsigned asid)
{
    static const uint64_t bytes[] = {[MP_MGMT_GRANULE_2M] = 2097152, [MP_MGMT_GRANULE_64K] = 65536};
    return bytes[m->value.COUNT_GRANULE[m->space[asid].instance]];
}

void mp_mgmt_forget_counts(struct mp_mgmt *m, unsigned asid)
{
    if (m->gpu && m->gpu->counters)
        mp_access_clear_all(m->gpu->counters, asid);
}

void mp_mgmt_set_granule(struct mp_mgmt *m, unsigned instance)
{
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++)
        if (m->space[a].valid && m->space[a].instance == instance)
            mp_mgmt_forget_counts(m, a);
}

enum mp_mgmt_status mp_mgmt_clear_counters(struct mp_mgmt *m, uint64_t what)
{
    const unsigned asid = (unsigned)(what & MP_GPU_COUNT_CLEAR_ASID);
    if (!m->gpu->counters)
        return MP_MGMT_UNSUPPORTED;
    if (!m->space[asid].valid)
        return MP_MGMT_NOT_THERE;
    if (what & MP_GPU_COUNT_CLEAR_ALL)
        mp_mgmt_forget_counts(m, asid);
    else
        mp_access_clear(m->gpu->counters, asid, m->value.COUNT_VA[0], granule_of(m, asid));
    return MP_MGMT_OK;
}

void mp_mgmt_accessed_remotely(struct mp_mgmt *m, unsigned asid, uint64_t va)
{
    const unsigned instance = m->space[asid].instance;
    const uint64_t threshold = m->value.COUNT_THRESHOLD[instance], granule = granule_of(m, asid);
    if (!threshold || !m->space[asid].valid || !m->gpu->counters)
        return;
    struct mp_access_counter *c = mp_access_count(m->gpu->counters, asid, va, granule);
    if (!c || c->noticed || c->count < threshold || !m->notice_ring[instance].entries)
        return;
    const struct mp_gpu_notice_entry notice = {.va = va & -granule,
                                               .ns = mp_mgmt_now(m),
                                               .met = c->met | (uint64_t)c->count << MP_GPU_NOTICE_COUNT_LOW,
                                               .info = asid | MP_GPU_RING_VALID};
    c->noticed = mp_mgmt_ring_enter(m, &m->notice_ring[instance], &notice);
    if (!c->noticed)
        return;
    show(m, instance);
    mp_mgmt_happened(m, MP_GPU_INT_STATUS_NOTICE);
}
