/* SPDX-License-Identifier: Apache-2.0 */
/* Probes: one thread measures latencies on an instance's first SM (sm/prober.h). */
#include <stdlib.h>

#include "mig/parts.h"

static void ended(void *gpu, uint64_t cycles)
{
    struct mp_mig *g = gpu;
    const struct mp_mgmt_probe *p = &g->probing.probe;
    int failed = 0;
    for (uint32_t i = 0; i < p->loads; i++)
        failed |= mp_physmem_write64(&g->memory, p->list + 8ull * i, g->probing.cycles[i]);
    mp_mgmt_probed(g->mgmt,
                   failed                     ? MP_MGMT_UNSUPPORTED
                   : g->probing.prober.faults ? MP_MGMT_FAULTED
                                              : MP_MGMT_OK,
                   cycles);
}

/* Returns -1 if memory runs out. */
static int make_room(struct mp_mig *g)
{
    if (g->probing.cycles)
        return 0;
    free(g->probing.address);
    g->probing.address = calloc(MP_MGMT_PROBE_LOADS, sizeof *g->probing.address);
    g->probing.cycles = calloc(MP_MGMT_PROBE_LOADS, sizeof *g->probing.cycles);
    return g->probing.address && g->probing.cycles ? 0 : -1;
}

/* Whether 4 bytes can be loaded there: aligned, and in an address space. */
static bool is_address(const struct mp_mig *g, uint64_t va)
{
    return !(va % 4) && !(va >> g->machine.walk.format->va_bits);
}

enum mp_mgmt_status mp_mig_probe(void *gpu, const struct mp_mgmt_probe *p)
{
    struct mp_mig *g = gpu;
    uint64_t *address, *cycles;
    if (make_room(g))
        return MP_MGMT_UNSUPPORTED;
    address = g->probing.address;
    cycles = g->probing.cycles;
    for (uint32_t i = 0; i < p->loads; i++) {
        address[i] = mp_physmem_read64(&g->memory, p->list + 8ull * i);
        if (!is_address(g, address[i]))
            return MP_MGMT_BAD_VALUE;
    }
    mp_mig_note_launch(g, p->asid);
    g->probing.probe = *p;
    mp_prober_init(&g->probing.prober, mp_mig_instance_sm(g, &g->instance[p->instance], 0), (uint16_t)p->asid,
                   (uint8_t)p->asid);
    int status = p->kind == MP_MGMT_PAIR
                     ? mp_prober_pair(&g->probing.prober, address[0], address[1], cycles, ended, g)
                     : mp_prober_chase(&g->probing.prober, address, p->loads, cycles, ended, g);
    return status ? MP_MGMT_BUSY : MP_MGMT_OK;
}
