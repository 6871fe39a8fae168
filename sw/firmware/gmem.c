/* SPDX-License-Identifier: Apache-2.0 */
#include "gmem.h"

#include "io.h"
#include "soc/regs.h"

uint64_t gmem_address(uint64_t pa)
{
    return MP_GPU_MEMORY_BASE + pa;
}

uint64_t gmem_read64(uint64_t pa)
{
    return io_read64(gmem_address(pa));
}

void gmem_write64(uint64_t pa, uint64_t value)
{
    io_write64(gmem_address(pa), value);
}

void gmem_zero(uint64_t pa, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += 8)
        gmem_write64(pa + at, 0);
}
