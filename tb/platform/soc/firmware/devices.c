/* SPDX-License-Identifier: Apache-2.0 */
/* Timer, interrupt controller, UART and DMA with their interrupts. The output depends on the time of each
 * interrupt, so two runs with the same output took the interrupts at the same instructions. */
#include <string.h>

#include "fw.h"

#define CLINT(reg) (MP_CLINT_BASE + MP_CLINT_##reg)
#define PLIC(reg)  (MP_PLIC_BASE + MP_PLIC_##reg)
#define UART(reg)  (MP_UART_BASE + MP_UART_##reg)
#define DMA(reg)   (MP_DMA_BASE + MP_DMA_##reg)

static volatile unsigned taken[16];
static volatile uint64_t at_instruction, at_time;
static volatile unsigned claimed[8], claims;

static void on_interrupt(unsigned cause)
{
    taken[cause]++;
    at_instruction = CSR_READ(minstret);
    at_time = READ64(CLINT(MTIME));
    if (cause == 3)
        WRITE32(CLINT(MSIP), 0);
    if (cause == 7)
        WRITE64(CLINT(MTIMECMP), UINT64_MAX);
    if (cause == 11) {
        unsigned source = READ32(PLIC(CLAIM));
        if (source == MP_DMA_IRQ)
            WRITE32(DMA(STATUS), MP_DMA_STATUS_DONE | MP_DMA_STATUS_ERROR | MP_DMA_STATUS_LOST);
        if (source == MP_UART_IRQ)
            WRITE8(UART(IER), 0);
        claimed[claims++ % 8] = source;
        WRITE32(PLIC(CLAIM), source);
    }
}

/* No interrupt may occur between the check and the WFI, because the core would then sleep through it. */
static void wait_for(unsigned cause, unsigned times)
{
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    while (taken[cause] < times) {
        __asm__ volatile("wfi");
        CSR_SET(mstatus, MSTATUS_MIE); /* taken here */
        CSR_CLEAR(mstatus, MSTATUS_MIE);
    }
    CSR_SET(mstatus, MSTATUS_MIE);
}

static void software(void)
{
    CSR_SET(mie, MIE_SOFTWARE);
    WRITE32(CLINT(MSIP), 1); /* taken right after the store */
    CHECK(taken[3] == 1 && READ32(CLINT(MSIP)) == 0);
    CSR_CLEAR(mie, MIE_SOFTWARE);
    WRITE32(CLINT(MSIP), 1);
    for (volatile int i = 0; i < 2000; i++)
        ;
    CHECK(taken[3] == 1);
    WRITE32(CLINT(MSIP), 0);
}

static void timer(void)
{
    uint64_t start = READ64(CLINT(MTIME));
    CSR_SET(mie, MIE_TIMER);
    WRITE64(CLINT(MTIMECMP), start + 50); /* asleep */
    wait_for(7, 1);
    CHECK(at_time >= start + 50 && at_time <= start + 51);
    printf("timer: instruction %ld, time %ld\n", (long)at_instruction, (long)at_time);
    uint64_t again = READ64(CLINT(MTIME));
    WRITE64(CLINT(MTIMECMP), again + 100); /* awake: recognized at the end of a quantum */
    while (taken[7] < 2)
        ;
    CHECK(at_time >= again + 100 && at_time <= again + 120);
    printf("timer: instruction %ld, time %ld\n", (long)at_instruction, (long)at_time);
    WRITE64(CLINT(MTIMECMP), 0); /* in the past, so it occurs at once */
    CHECK(taken[7] == 3);
    WRITE64(CLINT(MTIME), 5);
    CHECK(READ64(CLINT(MTIME)) < 10);
    CSR_CLEAR(mie, MIE_TIMER);
}

/* WFI ends at an enabled interrupt even if mstatus.MIE prevents the interrupt from being taken. */
static void wfi_masked(void)
{
    unsigned before = taken[7];
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    CSR_SET(mie, MIE_TIMER);
    uint64_t start = READ64(CLINT(MTIME));
    WRITE64(CLINT(MTIMECMP), start + 30);
    __asm__ volatile("wfi");
    CHECK(READ64(CLINT(MTIME)) >= start + 30 && taken[7] == before);
    WRITE64(CLINT(MTIMECMP), UINT64_MAX);
    CSR_CLEAR(mie, MIE_TIMER);
    CSR_SET(mstatus, MSTATUS_MIE);
}

enum { BYTES_A_TICK = 1600 }; /* 16 bytes per nanosecond, ticks of 100 ns */
static uint8_t from[3000], to[3000];

static void copy(const void *source, const void *target, uint64_t bytes)
{
    WRITE64(DMA(SOURCE), (uintptr_t)source);
    WRITE64(DMA(TARGET), (uintptr_t)target);
    WRITE64(DMA(LENGTH), bytes);
    WRITE32(DMA(COMMAND), MP_DMA_COMMAND_START);
}

static void dma(void)
{
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (uint8_t)(i * 7 + 3);
    CSR_SET(mie, MIE_EXTERNAL);
    WRITE32(PLIC(PRIORITY) + 4 * (MP_DMA_IRQ - 1), 2);
    WRITE32(PLIC(ENABLE), 1u << MP_DMA_IRQ);
    WRITE32(DMA(INT_ENABLE), MP_DMA_STATUS_DONE);
    uint64_t start = READ64(CLINT(MTIME));
    copy(from, to + 1, sizeof from - 1);
    CHECK(READ32(DMA(STATUS)) == MP_DMA_STATUS_BUSY);
    WRITE32(DMA(COMMAND), MP_DMA_COMMAND_START);
    CHECK(READ32(DMA(STATUS)) == (MP_DMA_STATUS_BUSY | MP_DMA_STATUS_LOST));
    WRITE32(DMA(STATUS), MP_DMA_STATUS_BUSY | MP_DMA_STATUS_LOST);
    CHECK(READ32(DMA(STATUS)) == MP_DMA_STATUS_BUSY);
    wait_for(11, 1);
    CHECK(claims == 1 && claimed[0] == MP_DMA_IRQ && READ32(DMA(STATUS)) == 0);
    CHECK(!memcmp(from, to + 1, sizeof from - 1) && to[0] == 0);
    CHECK(READ64(DMA(COPIED)) == sizeof from - 1);
    CHECK(at_time - start >= sizeof from / BYTES_A_TICK);
    printf("dma: %ld ticks, instruction %ld\n", (long)(at_time - start), (long)at_instruction);
    /* The copy ends where the map ends, and reports its progress. */
    WRITE32(DMA(INT_ENABLE), MP_DMA_STATUS_ERROR);
    copy(from, (void *)(uintptr_t)(MP_RAM_BASE + MP_RAM_BYTES - 512), 1024);
    wait_for(11, 2);
    CHECK(READ64(DMA(COPIED)) == 512);
    copy((void *)(uintptr_t)MP_ROM_BASE, (void *)(uintptr_t)MP_ROM_BASE, 8);
    wait_for(11, 3);
    CHECK(READ64(DMA(COPIED)) == 0);
    copy(from, to, 0);
    CHECK(READ32(DMA(STATUS)) == MP_DMA_STATUS_DONE);
    WRITE32(DMA(STATUS), MP_DMA_STATUS_DONE);
}

static int one(void)
{
    return 1;
}

/* Not a copy of `one`, which the compiler might recognize: different code at the same address. */
static void dma_replaces_code(void)
{
    static const uint16_t two[] = {0x4509, 0x8082}; /* c.li a0, 2; c.jr ra */
    static uint64_t place[4] __attribute__((aligned(8)));
    int (*volatile call)(void) = (int (*)(void))(uintptr_t)place;
    WRITE32(DMA(INT_ENABLE), MP_DMA_STATUS_DONE);
    unsigned before = taken[11];
    copy((void *)(uintptr_t)one, place, sizeof place);
    wait_for(11, before + 1);
    CHECK(call() == 1);
    copy(two, place, sizeof two);
    wait_for(11, before + 2);
    CHECK(call() == 2);
    WRITE32(DMA(INT_ENABLE), 0);
}

/* Of two sources, the one of higher priority comes first. A source at or below the threshold never comes. */
static void priorities(void)
{
    unsigned before = taken[11], first = claims;
    WRITE32(PLIC(PRIORITY) + 4 * (MP_UART_IRQ - 1), 7);
    WRITE32(PLIC(ENABLE), 1u << MP_DMA_IRQ | 1u << MP_UART_IRQ);
    WRITE32(PLIC(THRESHOLD), 7);
    WRITE32(DMA(INT_ENABLE), MP_DMA_STATUS_DONE);
    copy(from, to, 0);
    WRITE8(UART(IER), MP_UART_IER_TX);
    for (volatile int i = 0; i < 1000; i++)
        ;
    CHECK(taken[11] == before);
    CHECK(READ32(PLIC(PENDING)) == (1u << MP_DMA_IRQ | 1u << MP_UART_IRQ));
    WRITE32(PLIC(THRESHOLD), 1);
    while (taken[11] < before + 2)
        ;
    CHECK(claimed[first % 8] == MP_UART_IRQ && claimed[(first + 1) % 8] == MP_DMA_IRQ);
    CHECK(READ32(PLIC(PENDING)) == 0 && READ32(PLIC(CLAIM)) == 0);
    WRITE32(PLIC(THRESHOLD), 0);
}

int main(void)
{
    fw_interrupt = on_interrupt;
    CSR_SET(mstatus, MSTATUS_MIE);
    software();
    timer();
    wfi_masked();
    dma();
    dma_replaces_code();
    priorities();
    CHECK(fw_trap.count == 0);
    printf("end: instruction %ld\n", (long)CSR_READ(minstret));
    return 0;
}
