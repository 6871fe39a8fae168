/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of an instruction that both the run of a hart and its traps need. */
#include "soc/hart/parts.h"

#include <string.h>

static const uint8_t *host_address(const struct mp_hart *h, uint64_t address, unsigned bytes)
{
    for (unsigned i = 0; i < h->memories; i++) {
        const struct memory *m = &h->memory[i];
        if (address - m->base < m->bytes && m->bytes - (address - m->base) >= bytes)
            return m->host + (address - m->base);
    }
    return NULL;
}

uint32_t mp_hart_instruction(const struct mp_hart *h, uint64_t pc)
{
    uint16_t low, high = 0;
    const uint8_t *p = host_address(h, pc, 2);
    if (!p)
        return 0;
    memcpy(&low, p, 2);
    if ((low & 3) == 3 && host_address(h, pc + 2, 2))
        memcpy(&high, p + 2, 2);
    return (uint32_t)high << 16 | low;
}

uint64_t mp_hart_address_of(const struct mp_hart *h, const struct mp_rv_access *a)
{
    return register_of(h, a->base) + (uint64_t)(int64_t)a->offset;
}

uint64_t mp_hart_own_csr(const struct mp_hart *h, unsigned csr)
{
    switch (csr) {
    case CSR_MISA: /* RV64IMAC */
        return 2ull << 62 | 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('C' - 'A');
    case CSR_MIP:
        return h->pending;
    case CSR_TIME:
        return h->bus.time ? h->bus.time(h->bus.self) : 0;
    default:
        return h->counts.instructions;
    }
}

void mp_hart_tell(const struct mp_hart *h, uint64_t pc)
{
    uint64_t number = h->counts.instructions + 1;
    if (h->trace_first && number >= h->trace_first && number <= h->trace_last)
        h->see(h->seer, number, pc, mp_hart_instruction(h, pc));
}
