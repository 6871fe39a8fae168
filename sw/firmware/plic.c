/* SPDX-License-Identifier: Apache-2.0 */
#include "plic.h"

#include <stddef.h>

#include "cpu.h"
#include "io.h"
#include "recovery.h"
#include "soc/regs.h"
#include "trap.h"

#define PLIC(reg) (MP_PLIC_BASE + MP_PLIC_##reg)

static struct {
    void (*volatile handler[PLIC_SOURCES])(void); /* is there before its source is enabled */
    volatile uint32_t count[PLIC_SOURCES];
} plic;

static void set_priority(unsigned source, uint32_t priority)
{
    io_write32(PLIC(PRIORITY) + 4 * (source - 1), priority);
}

/* A source interrupts again after its completion, so its handler must have cleared the device's interrupt by
 * then. One that goes on nevertheless would leave no time for anything else. */
static void interrupt(void)
{
    enum { STORM = 100000 };
    unsigned served = 0;
    for (uint32_t source; (source = io_read32(PLIC(CLAIM))) != 0; io_write32(PLIC(CLAIM), source)) {
        plic.count[source]++;
        plic.handler[source]();
        if (++served == STORM) {
            io_write32(PLIC(ENABLE), io_read32(PLIC(ENABLE)) & ~(1u << source));
            recovery_note(RECOVERY_INTERRUPT_STORM);
            served = 0;
        }
    }
}

void plic_init(void)
{
    io_write32(PLIC(ENABLE), 0);
    io_write32(PLIC(THRESHOLD), 0);
    for (unsigned i = 1; i < PLIC_SOURCES; i++) {
        plic.handler[i] = NULL;
        plic.count[i] = 0;
        set_priority(i, 0);
    }
    trap_attach(CPU_EXTERNAL, interrupt);
}

enum fw_error plic_attach(unsigned source, unsigned priority, void (*handler)(void))
{
    if (!source || source >= PLIC_SOURCES || !priority || priority >= PLIC_PRIORITIES)
        return FW_EINVAL;
    if (plic.handler[source])
        return FW_EEXIST;
    plic.handler[source] = handler;
    set_priority(source, priority);
    io_write32(PLIC(ENABLE), io_read32(PLIC(ENABLE)) | 1u << source);
    return FW_OK;
}

void plic_detach(unsigned source)
{
    io_write32(PLIC(ENABLE), io_read32(PLIC(ENABLE)) & ~(1u << source));
    set_priority(source, 0);
    plic.handler[source] = NULL;
}

bool plic_pending(void)
{
    return io_read32(PLIC(PENDING)) & io_read32(PLIC(ENABLE));
}

uint32_t plic_count(unsigned source)
{
    return plic.count[source];
}
