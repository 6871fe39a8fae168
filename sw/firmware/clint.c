/* SPDX-License-Identifier: Apache-2.0 */
#include "clint.h"

#include "cpu.h"
#include "io.h"
#include "soc/regs.h"
#include "trap.h"

#define CLINT(reg) (MP_CLINT_BASE + MP_CLINT_##reg)

static struct {
    volatile bool rang;
    volatile uint32_t poked;
} clint;

static void timer(void)
{
    io_write64(CLINT(MTIMECMP), UINT64_MAX);
    clint.rang = true;
}

static void software(void)
{
    io_write32(CLINT(MSIP), 0);
    clint.poked++;
}

void clint_init(void)
{
    clint.rang = false;
    clint.poked = 0;
    io_write32(CLINT(MSIP), 0);
    io_write64(CLINT(MTIMECMP), UINT64_MAX);
    trap_attach(CPU_TIMER, timer);
    trap_attach(CPU_SOFTWARE, software);
}

uint64_t clint_now(void)
{
    return io_read64(CLINT(MTIME));
}

void clint_alarm(uint64_t at)
{
    clint.rang = false;
    io_write64(CLINT(MTIMECMP), at);
}

void clint_cancel(void)
{
    io_write64(CLINT(MTIMECMP), UINT64_MAX);
}

bool clint_rang(void)
{
    return clint.rang;
}

void clint_poke(void)
{
    io_write32(CLINT(MSIP), MP_CLINT_MSIP_PENDING);
}

uint32_t clint_poked(void)
{
    return clint.poked;
}
