/* SPDX-License-Identifier: Apache-2.0 */
/* A small preemptive scheduler with the accesses of FreeRTOS' port to RISC-V: a tick from the timer, whose
 * registers are read and written in halves of 32 bits; two tasks that the tick and ECALL switch; a queue
 * between them. It also does what such systems do at their start: it looks for extensions, and silences other
 * harts and the interrupt controller's other context. */
#include "fw.h"

enum { TICK = 1000, TASKS = 2, STACK = 512, LENGTH = 4, ITEMS = 40 }; /* TICK: of MTIME */

#define CLINT32(offset) (*(volatile uint32_t *)(uintptr_t)(MP_CLINT_BASE + (offset)))

/* --- time ----------------------------------------------------------------------------------------------- */

static uint64_t mtime(void)
{
    uint32_t high, low;
    do {
        high = CLINT32(MP_CLINT_MTIME + 4);
        low = CLINT32(MP_CLINT_MTIME);
    } while (high != CLINT32(MP_CLINT_MTIME + 4));
    return (uint64_t)high << 32 | low;
}

/* No value in between is in the past. */
static void set_mtimecmp(uint64_t when)
{
    CLINT32(MP_CLINT_MTIMECMP + 4) = UINT32_MAX;
    CLINT32(MP_CLINT_MTIMECMP) = (uint32_t)when;
    CLINT32(MP_CLINT_MTIMECMP + 4) = (uint32_t)(when >> 32);
}

/* --- tasks ---------------------------------------------------------------------------------------------- */

/* The frame that switch_entry saves on a task's stack: x1, x5 to x31, mepc. */
enum { FRAME = 30, RA = 0, MEPC = 28 };

static uint64_t stack[TASKS][STACK];
uint64_t *rtos_top[TASKS]; /* of the saved frames */
uint64_t rtos_running;
static volatile unsigned ticks, yields, preemptions;
static uint64_t next_tick;

/* clang-format off */
__asm__(".text\n .align 2\n .globl rtos_entry\nrtos_entry:\n"
        " addi sp, sp, -240\n sd x1, 0(sp)\n"
        " sd x5, 8(sp)\n sd x6, 16(sp)\n sd x7, 24(sp)\n sd x8, 32(sp)\n sd x9, 40(sp)\n sd x10, 48(sp)\n"
        " sd x11, 56(sp)\n sd x12, 64(sp)\n sd x13, 72(sp)\n sd x14, 80(sp)\n sd x15, 88(sp)\n sd x16, 96(sp)\n"
        " sd x17, 104(sp)\n sd x18, 112(sp)\n sd x19, 120(sp)\n sd x20, 128(sp)\n sd x21, 136(sp)\n"
        " sd x22, 144(sp)\n sd x23, 152(sp)\n sd x24, 160(sp)\n sd x25, 168(sp)\n sd x26, 176(sp)\n"
        " sd x27, 184(sp)\n sd x28, 192(sp)\n sd x29, 200(sp)\n sd x30, 208(sp)\n sd x31, 216(sp)\n"
        " csrr a1, mepc\n csrr a0, mcause\n sd a1, 224(sp)\n mv a1, sp\n"
        " call rtos_trap\n"
        ".globl rtos_resume\nrtos_resume:\n"
        " mv sp, a0\n ld t0, 224(sp)\n csrw mepc, t0\n ld x1, 0(sp)\n"
        " ld x5, 8(sp)\n ld x6, 16(sp)\n ld x7, 24(sp)\n ld x8, 32(sp)\n ld x9, 40(sp)\n ld x10, 48(sp)\n"
        " ld x11, 56(sp)\n ld x12, 64(sp)\n ld x13, 72(sp)\n ld x14, 80(sp)\n ld x15, 88(sp)\n ld x16, 96(sp)\n"
        " ld x17, 104(sp)\n ld x18, 112(sp)\n ld x19, 120(sp)\n ld x20, 128(sp)\n ld x21, 136(sp)\n"
        " ld x22, 144(sp)\n ld x23, 152(sp)\n ld x24, 160(sp)\n ld x25, 168(sp)\n ld x26, 176(sp)\n"
        " ld x27, 184(sp)\n ld x28, 192(sp)\n ld x29, 200(sp)\n ld x30, 208(sp)\n ld x31, 216(sp)\n"
        " addi sp, sp, 240\n mret\n");
/* clang-format on */

extern void rtos_entry(void);
_Noreturn void rtos_resume(uint64_t *frame);
uint64_t *rtos_trap(uint64_t cause, uint64_t *frame);

/* Returns the frame to resume. */
uint64_t *rtos_trap(uint64_t cause, uint64_t *frame)
{
    enum { TIMER = 7, ECALL = 11 };
    rtos_top[rtos_running] = frame;
    if (cause >> 63) {
        CHECK((cause & 63) == TIMER);
        CHECK(CSR_READ(mip) & MIE_TIMER);
        next_tick += TICK;
        set_mtimecmp(next_tick);
        CHECK(!(CSR_READ(mip) & MIE_TIMER)); /* it takes effect at once */
        ticks++;
        preemptions++;
    } else {
        CHECK(cause == ECALL);
        frame[MEPC] += 4;
        yields++;
    }
    rtos_running = (rtos_running + 1) % TASKS;
    return rtos_top[rtos_running];
}

static void create(unsigned task, void (*code)(void))
{
    rtos_top[task] = stack[task] + STACK - FRAME;
    rtos_top[task][MEPC] = (uint64_t)(uintptr_t)code;
}

static void yield(void)
{
    __asm__ volatile("ecall" ::: "memory");
}

/* --- a queue -------------------------------------------------------------------------------------------- */

static volatile struct {
    unsigned item[LENGTH], first, length;
} queue;

static uint64_t enter(void)
{
    uint64_t old = CSR_READ(mstatus);
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    return old & MSTATUS_MIE;
}

static void leave(uint64_t old)
{
    CSR_SET(mstatus, old);
}

static bool put(unsigned item)
{
    uint64_t old = enter();
    bool room = queue.length < LENGTH;
    if (room)
        queue.item[(queue.first + queue.length++) % LENGTH] = item;
    leave(old);
    return room;
}

static bool take(unsigned *item)
{
    uint64_t old = enter();
    bool any = queue.length;
    if (any) {
        *item = queue.item[queue.first];
        queue.first = (queue.first + 1) % LENGTH;
        queue.length--;
    }
    leave(old);
    return any;
}

/* Waits without leaving the processor: only the tick gives it to the other task. */
static void compute(unsigned until)
{
    while (ticks < until)
        ;
}

static void producer(void)
{
    for (unsigned i = 0; i < ITEMS; i++) {
        while (!put(i))
            yield();
        if (i % 10 == 9)
            compute(ticks + 2);
    }
    for (;;)
        yield();
}

static void consumer(void)
{
    unsigned item;
    for (unsigned i = 0; i < ITEMS; i++) {
        while (!take(&item))
            yield();
        CHECK(item == i);
    }
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    CHECK(preemptions >= 6 && yields > 0);
    CHECK(mtime() >= next_tick - TICK);
    printf("%u items, tick %s\n", ITEMS, ticks == preemptions ? "ok" : "lost");
    _exit(0);
}

/* --- the start ------------------------------------------------------------------------------------------ */

static void look_around(void)
{
    uint64_t before = CSR_READ(time), now = mtime(), after = CSR_READ(time), misa = CSR_READ(misa), old;
    CHECK(before <= now && now <= after);
    CHECK(misa >> 62 == 2 && misa >> ('U' - 'A') & misa >> ('S' - 'A') & 1);
    old = fw_trap.count;
    __asm__ volatile("csrr %0, 0xc81" : "=r"(now)); /* timeh: for 32 bits only */
    CHECK(fw_trap.count == old + 1 && fw_trap.cause == 2);
    CLINT32(MP_CLINT_MSIP) = 1;
    CHECK(CSR_READ(mip) == MIE_SOFTWARE);
    CSR_CLEAR(mip, MIE_SOFTWARE); /* is read-only there */
    CHECK(CSR_READ(mip) == MIE_SOFTWARE);
    CLINT32(MP_CLINT_MSIP) = 0;
    CHECK(CSR_READ(mip) == 0);
}

/* Hart 1 does not exist. S-mode is not in use. */
static void silence_others(void)
{
    enum { CONTEXT = 1, SOURCE = MP_DMA_IRQ };
    const uint64_t enable = MP_PLIC_BASE + MP_PLIC_ENABLE + CONTEXT * MP_PLIC_ENABLE_STRIDE,
                   threshold = MP_PLIC_BASE + MP_PLIC_THRESHOLD + CONTEXT * MP_PLIC_THRESHOLD_STRIDE,
                   claim = MP_PLIC_BASE + MP_PLIC_CLAIM + CONTEXT * MP_PLIC_CLAIM_STRIDE;
    CLINT32(MP_CLINT_MSIP + 4) = 1;
    CHECK(!CLINT32(MP_CLINT_MSIP + 4));
    WRITE64(MP_CLINT_BASE + MP_CLINT_MTIMECMP + 8, 5);
    CHECK(!READ64(MP_CLINT_BASE + MP_CLINT_MTIMECMP + 8));
    WRITE32(enable, 1u << SOURCE);
    CHECK(READ32(enable) == 1u << SOURCE && !READ32(MP_PLIC_BASE + MP_PLIC_ENABLE));
    WRITE32(enable, 0);
    WRITE32(threshold, 7);
    CHECK(READ32(threshold) == 7 && !READ32(MP_PLIC_BASE + MP_PLIC_THRESHOLD));
    CHECK(!READ32(claim));
    CHECK(CSR_READ(mip) == 0);
    CHECK(fw_trap.count == 1);
}

int main(void)
{
    look_around();
    silence_others();
    CSR_CLEAR(mstatus, MSTATUS_MIE);
    __asm__ volatile("csrw mtvec, %0" ::"r"(rtos_entry));
    create(0, producer);
    create(1, consumer);
    next_tick = mtime() + TICK;
    set_mtimecmp(next_tick);
    CHECK(CLINT32(MP_CLINT_MTIMECMP) == (uint32_t)next_tick);
    CSR_SET(mie, MIE_TIMER);
    CSR_SET(mstatus, 0x1880); /* MPP, MPIE: MRET enables interrupts */
    rtos_resume(rtos_top[0]);
}
