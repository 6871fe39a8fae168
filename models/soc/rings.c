/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that the GPU writes into the memory of an instance. */
#include "soc/mgmt_parts.h"
#include "soc/service_check.h"

static bool is_in_memory(const struct mp_mgmt *m, unsigned instance, uint64_t base, uint64_t bytes)
{
    const uint64_t first = m->value.MIG_BASE[instance], all = m->value.MIG_BYTES[instance];
    return bytes <= all && base - first <= all - bytes; /* far more, if base is below */
}

enum mp_mgmt_status mp_mgmt_ring_begin(const struct mp_mgmt *m, struct mp_mgmt_ring *ring, unsigned instance,
                                       uint64_t base, uint64_t entries)
{
    if (!m->gpu)
        return MP_MGMT_ABSENT;
    if (!m->gpu->store)
        return MP_MGMT_UNSUPPORTED;
    if (!mp_mgmt_has_instance(m, instance))
        return MP_MGMT_NOT_THERE;
    if (entries && (entries < MP_GPU_RING_FEWEST || entries > MP_GPU_RING_MOST || entries & (entries - 1) ||
                    !is_in_memory(m, instance, base, entries * MP_GPU_RING_ENTRY_BYTES)))
        return MP_MGMT_BAD_VALUE;
    *ring = (struct mp_mgmt_ring){.base = base, .entries = (uint32_t)entries};
    return MP_MGMT_OK;
}

enum mp_mgmt_status mp_mgmt_ring_take(const struct mp_mgmt *m, struct mp_mgmt_ring *ring, uint64_t get)
{
    const uint32_t mask = ring->entries - 1;
    if (!m->gpu)
        return MP_MGMT_ABSENT;
    if (get >= ring->entries || (((uint32_t)get - ring->get) & mask) > ((ring->put - ring->get) & mask))
        return MP_MGMT_BAD_VALUE;
    ring->get = (uint32_t)get;
    return MP_MGMT_OK;
}

void mp_mgmt_ring_show(const struct mp_mgmt_ring *ring, uint64_t *entries, uint64_t *get, uint64_t *put)
{
    *entries = ring->entries;
    *get = ring->get;
    *put = ring->put;
}

bool mp_mgmt_ring_enter(const struct mp_mgmt *m, struct mp_mgmt_ring *ring, const void *entry)
{
    const uint64_t at = ring->base + (uint64_t)ring->put * MP_GPU_RING_ENTRY_BYTES;
    const uint32_t next = (ring->put + 1) & (ring->entries - 1);
    if (next == ring->get || m->gpu->store(m->gpu->self, at, entry, MP_GPU_RING_LAST) ||
        m->gpu->store(m->gpu->self, at + MP_GPU_RING_LAST, (const uint8_t *)entry + MP_GPU_RING_LAST,
                      MP_GPU_RING_ENTRY_BYTES - MP_GPU_RING_LAST))
        return false;
    ring->put = next;
    return true;
}

static bool find_in(const struct mp_mgmt_ring *r, uint64_t address, const char *of, struct mp_mgmt_entry *e)
{
    const uint64_t index = (address - r->base) / MP_GPU_RING_ENTRY_BYTES;
    const uint32_t mask = r->entries - 1;
    if (address < r->base || index >= r->entries)
        return false;
    *e = (struct mp_mgmt_entry){.of = of,
                                .index = (uint32_t)index,
                                .taken = (((uint32_t)index - r->get) & mask) >= ((r->put - r->get) & mask)};
    return true;
}

bool mp_mgmt_find_entry(const struct mp_mgmt *m, uint64_t address, struct mp_mgmt_entry *e)
{
    unsigned i = 0;
    while (i < MP_MGMT_INSTANCES && !find_in(&m->fault_ring[i], address, "faults", e) &&
           !find_in(&m->notice_ring[i], address, "notices", e))
        i++;
    return i < MP_MGMT_INSTANCES;
}

bool mp_mgmt_becomes_valid(struct mp_mgmt *m, uint64_t address, uint64_t after_ns)
{
    struct mp_mgmt_entry e;
    if (!mp_mgmt_find_entry(m, address, &e))
        return false;
    if (m->check)
        mp_service_check_valid(m->check, &e, address, after_ns);
    return !e.taken;
}
