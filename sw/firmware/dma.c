/* SPDX-License-Identifier: Apache-2.0 */
#include "dma.h"

#include <stdbool.h>

#include "clint.h"
#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "recovery.h"
#include "soc/regs.h"

#define DMA(reg) (MP_DMA_BASE + MP_DMA_##reg)

static struct {
    volatile bool busy; /* started, and its end not yet handled */
    volatile uint32_t status;
} dma;

static bool take_end(void)
{
    const uint32_t status = io_read32(DMA(STATUS));
    if (!(status & (MP_DMA_STATUS_DONE | MP_DMA_STATUS_ERROR)))
        return false;
    dma.status = status;
    io_write32(DMA(STATUS), status);
    dma.busy = false;
    return true;
}

static void ended(void)
{
    if (!take_end())
        recovery_note(RECOVERY_SPURIOUS_INTERRUPT);
}

/* Within cpu_lock. */
static void doze(void)
{
    enum { PATIENCE = 10 * CLINT_TICKS_PER_MS };
    struct clint_timer patience;
    clint_set(&patience, clint_now() + PATIENCE);
    while (dma.busy && !patience.rang)
        cpu_sleep();
    clint_clear(&patience);
    if (dma.busy && !plic_pending() && take_end())
        recovery_note(RECOVERY_LOST_INTERRUPT);
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
        doze();
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

static enum fw_error copy(uint64_t source, uint64_t target, uint64_t bytes)
{
    enum fw_error e = dma_start(source, target, bytes);
    return e ? e : dma_wait(NULL);
}

enum fw_error dma_copy(uint64_t source, uint64_t target, uint64_t bytes)
{
    enum fw_error e = copy(source, target, bytes);
    if (e != FW_EBUS)
        return e;
    recovery_note(RECOVERY_BUS_ERROR);
    return copy(source, target, bytes);
}
