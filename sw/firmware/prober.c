/* SPDX-License-Identifier: Apache-2.0 */
#include "prober.h"

#include <stdbool.h>
#include <stddef.h>

#include "cpu.h"
#include "frames.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "vm/page_format.h"

enum { INSTANCE = 0, ASID = 0 };

#define FIRST      (16ull << 20)
#define UNIT       (2ull << 20)
#define LIST_BYTES (8ull * MP_MGMT_PROBE_LOADS)

/* --- page tables ---------------------------------------------------------------------------------- */

/* Makes the table for the addresses from va on, and those below it. Returns its address. */
static uint64_t make_table(struct prober *p, unsigned level, uint64_t va)
{
    const struct mp_page_format *f = mp_page_format(p->page_bytes);
    const bool leaf = level + 1 == f->levels || level + 1 == GMMU_LEVELS;
    const uint64_t table = p->next, entries = 1ull << f->bits[level], span = 1ull << f->low_bit[level];
    p->next += (8 * entries + FRAMES_BYTES - 1) & -(uint64_t)FRAMES_BYTES;
    for (uint64_t i = 0, at = va; i < entries; i++, at += span) {
        bool inside = at < p->base + p->bytes && at + span > p->base;
        gmem_write64(table + 8 * i, !inside ? 0
                                    : leaf  ? at | MP_PTE_VALID | MP_PTE_LEAF
                                            : make_table(p, level + 1, at) | MP_PTE_VALID);
    }
    return table;
}

/* Bytes that the tables need at most. */
static uint64_t tables_of(uint64_t bytes, uint64_t page_bytes)
{
    return bytes / page_bytes * 8 * 2 + UNIT;
}

/* Opens the address space with the machine's page size, which is the only one that it accepts. */
static enum fw_error open_space(struct prober *p)
{
    static const uint64_t sizes[] = {4096, 65536, 2097152};
    enum fw_error e = FW_EUNSUPPORTED;
    for (unsigned i = 0; e == FW_EUNSUPPORTED && i < sizeof sizes / sizeof *sizes; i++) {
        p->page_bytes = sizes[i];
        e = gpu_space_set(ASID, &(struct mp_mgmt_space){true, INSTANCE, p->next, p->page_bytes, false});
    }
    if (!e && tables_of(p->bytes, p->page_bytes) > gpu_memory() - p->next)
        e = FW_ENOMEM;
    if (!e)
        make_table(p, 0, 0); /* the first, so it is where the root is */
    cpu_fence();
    return e;
}

/* --- the prober ----------------------------------------------------------------------------------- */

enum fw_error prober_open(struct prober *p)
{
    const uint64_t bytes = gpu_memory() / 10 * 8 / UNIT * UNIT;
    struct mp_mgmt_memory memory;
    *p = (struct prober){.base = FIRST, .bytes = bytes, .list = FIRST + bytes};
    p->next = p->list + LIST_BYTES;
    if (p->next >= gpu_memory())
        return FW_ENOMEM;
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (mig_instance(i) || gmmu_space(i))
            return FW_EBUSY;
    enum fw_error e = gpu_instance_create(INSTANCE, gpu_slices(), &memory);
    if (e)
        return e;
    e = open_space(p);
    if (e)
        gpu_instance_destroy(INSTANCE);
    return e;
}

enum fw_error prober_close(void)
{
    const struct mp_mgmt_invalidation all = {.scope = MP_MGMT_ALL, .walk_cache = true};
    enum fw_error e = gpu_space_set(ASID, &(struct mp_mgmt_space){false, INSTANCE, 0, 4096, false});
    if (!e)
        e = gpu_invalidate(&all, NULL);
    return e ? e : gpu_instance_destroy(INSTANCE);
}

static enum fw_error measure(const struct prober *p, enum mp_mgmt_probe_kind kind, uint32_t n, uint64_t *all)
{
    const struct mp_mgmt_probe probe = {.asid = ASID, .kind = kind, .loads = n, .list = p->list};
    return gpu_probe(&probe, all);
}

enum fw_error prober_chase(const struct prober *p, const uint64_t *address, uint32_t n, uint32_t *cycles,
                           uint64_t *all)
{
    if (!n || n > MP_MGMT_PROBE_LOADS)
        return FW_EINVAL;
    for (uint32_t i = 0; i < n; i++)
        gmem_write64(p->list + 8ull * i, address[i]);
    enum fw_error e = measure(p, MP_MGMT_CHASE, n, all);
    for (uint32_t i = 0; !e && cycles && i < n; i++)
        cycles[i] = (uint32_t)gmem_read64(p->list + 8ull * i);
    return e;
}

enum fw_error prober_pair(const struct prober *p, uint64_t a, uint64_t b, uint64_t *cycles)
{
    gmem_write64(p->list, a);
    gmem_write64(p->list + 8, b);
    return measure(p, MP_MGMT_PAIR, 2, cycles);
}
