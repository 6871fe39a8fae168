/* SPDX-License-Identifier: Apache-2.0 */
#include "dma.h"

#include <stdbool.h>

#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "soc/regs.h"

#define DMA(reg) (MP_DMA_BASE + MP_DMA_##reg)

static struct {
    volatile bool busy; /* started, and its end not yet handled */
    volatile uint32_t status;
} dma;

static void ended(void)
{
    dma.status = io_read32(DMA(STATUS));
    io_write32(DMA(STATUS), dma.status);
    dma.busy = false;
}

enum fw_error dma_init(void)
{
    enum { PRIORITY = 2 };
    dma.busy = false;
    io_write32(DMA(STATUS), MP_DMA_STATUS_DONE | MP_DMA_STATUS_ERROR | MP_DMA_STATUS_LOST);
    io_write32(DMA(INT_ENABLE), MP_DMA_STATUS_DONE | MP_DMA_STATUS_ERROR);
    return plic_attach(MP_DMA_IRQ, PRIORITY, ended);
}

enum fw_error dma_start(uint64_t source, uint64_t target, uint64_t bytes)
{
    if (bytes > UINT32_MAX)
        return FW_EINVAL;
    if (dma.busy)
        return FW_EBUSY;
    dma.busy = true;
    dma.status = 0;
    io_write64(DMA(SOURCE), source);
    io_write64(DMA(TARGET), target);
    io_write64(DMA(LENGTH), bytes);
    cpu_fence();
    io_write32(DMA(COMMAND), MP_DMA_COMMAND_START);
    return FW_OK;
}

enum fw_error dma_wait(uint64_t *copied)
{
    bool before = cpu_lock();
    while (dma.busy)
        cpu_sleep();
    cpu_unlock(before);
    if (copied)
        *copied = io_read64(DMA(COPIED));
    return dma.status & MP_DMA_STATUS_ERROR ? FW_EBUS : FW_OK;
}

enum fw_error dma_stop(void)
{
    if (!dma.busy)
        return FW_ENOENT;
    io_write32(DMA(COMMAND), MP_DMA_COMMAND_STOP);
    return FW_OK;
}

enum fw_error dma_copy(uint64_t source, uint64_t target, uint64_t bytes)
{
    enum fw_error e = dma_start(source, target, bytes);
    return e ? e : dma_wait(NULL);
}
