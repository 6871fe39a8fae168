/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers on the core itself, for what their tests on the host cannot check. */
#include <inttypes.h>
#include <string.h>

#include "boot.h"
#include "check.h"
#include "clint.h"
#include "dma.h"
#include "io.h"
#include "plic.h"
#include "soc/regs.h"
#include "trap.h"

static void timer(void)
{
    uint64_t at = clint_now() + 50;
    clint_alarm(at);
    bool before = cpu_lock();
    while (!clint_rang())
        cpu_sleep();
    cpu_unlock(before);
    CHECK(clint_now() >= at && clint_now() <= at + 2);
    clint_poke();
    CHECK(clint_poked() == 1);
}

static void copy(void)
{
    static uint8_t from[5000], to[5000];
    uint64_t copied;
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 5 + 1);
    CHECK(dma_copy(io_address(from), io_address(to), sizeof from) == FW_OK);
    CHECK(!memcmp(from, to, sizeof from));
    CHECK(dma_start(MP_RAM_BASE + MP_RAM_BYTES - 256, io_address(to), 512) == FW_OK);
    CHECK(dma_wait(&copied) == FW_EBUS && copied == 256);
    CHECK(plic_count(MP_DMA_IRQ) == 2);
}

/* Traps must preserve callee-saved registers, too. */
static void traps(void)
{
    uint64_t value, kept = 0x1234;
    for (unsigned i = 0; i < 3; i++) {
        __asm__ volatile("" : "+r"(kept));
        CHECK(!trap_read(0x40000000, 8, &value));
        CHECK(!trap_write(MP_PLIC_BASE + MP_PLIC_PENDING, 4, 1));
    }
    CHECK(kept == 0x1234 && trap_caught() == 6);
    CHECK(trap_write(MP_DMA_BASE + MP_DMA_SOURCE, 8, 99) &&
          trap_read(MP_DMA_BASE + MP_DMA_SOURCE, 8, &value));
    CHECK(value == 99);
}

int main(void)
{
    CHECK(boot() == FW_OK);
    timer();
    copy();
    traps();
    print("drivers: %" PRIu64 " ticks\n", clint_now());
    return 0;
}
