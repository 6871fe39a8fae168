/* SPDX-License-Identifier: Apache-2.0 */
/* One program for each image, chosen by KIND: first those that never end, then those that take long. What the
 * run must do with each is in ../stalls.sh. */
#include <stdbool.h>
#include <stdint.h>

#include "soc/regs.h"

#define AT(type, address) (*(volatile type *)(uintptr_t)(address))
#define SCR               AT(uint8_t, MP_UART_BASE + MP_UART_SCR)
#define MTIME             AT(uint64_t, MP_CLINT_BASE + MP_CLINT_MTIME)
#define MTIMECMP          AT(uint64_t, MP_CLINT_BASE + MP_CLINT_MTIMECMP)
#define DMA4(reg)         AT(uint32_t, MP_DMA_BASE + MP_DMA_##reg)
#define DMA8(reg)         AT(uint64_t, MP_DMA_BASE + MP_DMA_##reg)
#define KIND_OF_LOOP      __attribute__((noinline, used)) static void

enum { MIE_TIMER = 1 << 7, MSTATUS_MIE = 8, TICKS_PER_MS = 10000 };

volatile uint32_t flag;
volatile unsigned ticks;

/* --- programs that never end ---------------------------------------------------------------------------- */

KIND_OF_LOOP spin(void)
{
    for (;;)
        __asm__ volatile("");
}

KIND_OF_LOOP same_write(void)
{
    for (;;)
        SCR = 0x5a;
}

KIND_OF_LOOP two_registers(void)
{
    for (;;) {
        SCR = 1;
        AT(uint32_t, MP_GPU_BASE + MP_GPU_MIG_INSTANCE) = 2;
        SCR = 3;
        AT(uint32_t, MP_GPU_BASE + MP_GPU_MIG_INSTANCE) = 4;
    }
}

KIND_OF_LOOP counting_register(void)
{
    for (uint64_t i = 0;; i++)
        AT(uint64_t, MP_GPU_BASE + MP_GPU_INV_VA) = i << 12;
}

/* Interrupts are disabled, and the timer is set anew before it is reached. */
KIND_OF_LOOP timer_set(void)
{
    for (;;)
        MTIMECMP = MTIME + 1;
}

/* The same with the interrupt enabled: it never comes. */
KIND_OF_LOOP timer_postponed(void)
{
    __asm__ volatile("csrs mie, %0\n csrs mstatus, %1" ::"r"(MIE_TIMER), "r"(MSTATUS_MIE));
    for (;;)
        MTIMECMP = MTIME + 5;
}

/* Two patterns by turns, as a test of memory writes them. */
KIND_OF_LOOP patterns(void)
{
    for (;;)
        for (uint64_t pattern = 0x5555; pattern <= 0xaaaa; pattern += 0x5555)
            for (unsigned i = 0; i < 512; i++)
                AT(uint64_t, MP_GPU_MEMORY_BASE + 8ull * i) = pattern;
}

KIND_OF_LOOP copies(void)
{
    DMA8(SOURCE) = MP_RAM_BASE;
    DMA8(TARGET) = MP_GPU_MEMORY_BASE;
    DMA8(LENGTH) = 1024;
    for (;;) {
        DMA4(COMMAND) = MP_DMA_COMMAND_START;
        while (DMA4(STATUS) & MP_DMA_STATUS_BUSY)
            ;
    }
}

KIND_OF_LOOP poll_gpu(void)
{
    while (!AT(uint32_t, MP_GPU_BASE + MP_GPU_DONE_COUNT))
        ;
}

KIND_OF_LOOP poll_flag(void)
{
    while (!flag)
        ;
}

KIND_OF_LOOP poll_lock(void)
{
    uint32_t old;
    flag = 1;
    do
        __asm__ volatile("amoswap.w.aq %0, %1, (%2)" : "=r"(old) : "r"(1), "r"(&flag) : "memory");
    while (old);
}

KIND_OF_LOOP poll_time(void)
{
    while (MTIME != UINT64_MAX)
        ;
}

KIND_OF_LOOP poll_csr(void)
{
    uint64_t now;
    do
        __asm__ volatile("csrr %0, time" : "=r"(now));
    while (now != UINT64_MAX);
}

/* A wait for the console between two pauses that are longer than a quantum. */
KIND_OF_LOOP poll_slowly(void)
{
    while (!(AT(uint8_t, MP_UART_BASE + MP_UART_LSR) & MP_UART_LSR_DR))
        for (unsigned i = 0; i < 5000; i++)
            __asm__ volatile("");
}

__attribute__((interrupt, aligned(4))) static void forgets_timer(void)
{
    ticks++;
}

KIND_OF_LOOP interrupt_storm(void)
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(forgets_timer));
    MTIMECMP = 0;
    __asm__ volatile("csrs mie, %0\n csrs mstatus, %1" ::"r"(MIE_TIMER), "r"(MSTATUS_MIE));
    while (ticks != UINT32_MAX)
        ;
}

/* --- programs that take long ------------------------------------------------------------------------------
 */

KIND_OF_LOOP delay(void)
{
    for (uint64_t end = MTIME + TIME; MTIME < end;)
        ;
}

__attribute__((interrupt, aligned(4))) static void ends_timer(void)
{
    ticks++;
    MTIMECMP = UINT64_MAX;
}

__attribute__((interrupt, aligned(4))) static void next_tick(void)
{
    ticks++;
    MTIMECMP += TIME;
}

/* The time begins again; no register gets a value that it has not had. */
__attribute__((interrupt, aligned(4))) static void time_again(void)
{
    ticks++;
    MTIME = 0;
}

static void start_timer(void (*handler)(void))
{
    __asm__ volatile("csrw mtvec, %0" ::"r"(handler));
    MTIMECMP = MTIME + TIME;
    __asm__ volatile("csrs mie, %0\n csrs mstatus, %1" ::"r"(MIE_TIMER), "r"(MSTATUS_MIE));
}

KIND_OF_LOOP sleep_until_timer(void)
{
    start_timer(ends_timer);
    while (!ticks)
        __asm__ volatile("wfi");
}

KIND_OF_LOOP spin_until_timer(void)
{
    start_timer(ends_timer);
    while (!ticks)
        ;
}

KIND_OF_LOOP many_ticks(void)
{
    start_timer(next_tick);
    while (ticks < 20)
        ;
}

KIND_OF_LOOP same_ticks(void)
{
    start_timer(time_again);
    while (ticks < 5)
        ;
}

KIND_OF_LOOP compute(void)
{
    uint64_t x = 1;
    for (unsigned i = 0; i < 100000; i++)
        __asm__ volatile("xor %0, %0, %1" : "+r"(x) : "r"(i));
    flag = (uint32_t)x;
}

KIND_OF_LOOP fill(void)
{
    for (unsigned i = 0; i < 131072; i++)
        AT(uint64_t, MP_GPU_MEMORY_BASE + 8ull * i) = 0;
}

KIND_OF_LOOP long_copy(void)
{
    DMA8(SOURCE) = MP_GPU_MEMORY_BASE;
    DMA8(TARGET) = MP_GPU_MEMORY_BASE + (64 << 20);
    DMA8(LENGTH) = 8 << 20;
    DMA4(COMMAND) = MP_DMA_COMMAND_START;
    while (DMA4(STATUS) & MP_DMA_STATUS_BUSY)
        ;
}

int main(void)
{
    AT(uint8_t, MP_UART_BASE + MP_UART_THR) = 0x0a; /* progress, which the limit counts from */
    KIND();
    return 0;
}
