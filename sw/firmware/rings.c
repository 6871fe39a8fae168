/* SPDX-License-Identifier: Apache-2.0 */
#include "rings.h"

#include "cpu.h"
#include "gmem.h"
#include "gpu.h"
#include "recovery.h"

enum fw_error ring_begin(struct ring *r, enum gpu_ring of, unsigned instance, uint64_t base, uint32_t entries)
{
    for (uint32_t i = 0; i < entries; i++)
        gmem_write64(base + (uint64_t)i * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST, 0);
    *r = (struct ring){.of = of, .instance = instance, .base = base, .entries = entries};
    return gpu_ring_begin(of, instance, base, entries);
}

uint32_t ring_look(struct ring *r)
{
    r->put = gpu_ring_put(r->of, r->instance);
    return (r->put - r->get) & (r->entries - 1);
}

/* Whether an entry that is not valid yet becomes so. Is rarely called, so that a caller should not save
 * registers for it. */
static __attribute__((noinline)) bool await(struct ring *r, uint64_t at, uint64_t *info)
{
    enum { READS = 1000 };
    r->late++;
    for (unsigned i = 0; i < READS; i++)
        if ((*info = gmem_read64(at + MP_GPU_RING_LAST)) & MP_GPU_RING_VALID)
            return true;
    return false;
}

/* The next entry that is valid leaves the ring; it was at *at. */
static bool next(struct ring *r, bool patient, uint64_t *at, uint64_t *info)
{
    while (r->get != r->put) {
        *at = r->base + (uint64_t)r->get * MP_GPU_RING_ENTRY_BYTES;
        *info = gmem_read64(*at + MP_GPU_RING_LAST);
        const bool valid = *info & MP_GPU_RING_VALID || (patient && await(r, *at, info));
        if (!valid && !patient)
            return false;
        r->get = (r->get + 1) & (r->entries - 1);
        gmem_write64(*at + MP_GPU_RING_LAST, 0);
        if (valid)
            return true;
        r->lost++;
        recovery_note(RECOVERY_LOST_FAULT);
    }
    return false;
}

bool ring_take(struct ring *r, bool patient, void *entry)
{
    enum { WORDS = MP_GPU_RING_LAST / 8 }; /* before the last */
    uint64_t *word = entry, at;
    if (r->get == r->put || !next(r, patient, &at, &word[WORDS]))
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        word[i] = gmem_read64(at + 8ull * i);
    return true;
}

bool ring_drop(struct ring *r, uint64_t *info)
{
    uint64_t at;
    return r->get != r->put && next(r, true, &at, info);
}

void ring_release(struct ring *r)
{
    cpu_fence();
    gpu_ring_take(r->of, r->instance, r->get);
}
