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
    gmem_fill64(pa, 0, 0, bytes / 8);
}

void gmem_fill64(uint64_t pa, uint64_t value, uint64_t step, uint64_t n)
{
    io_fill64(gmem_address(pa), value, step, n);
}

uint64_t gmem_clear64(uint64_t pa, uint64_t n)
{
    return io_clear64(gmem_address(pa), n);
}
