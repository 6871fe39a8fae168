/* SPDX-License-Identifier: Apache-2.0 */
/* Two systems on the hart's privilege levels. First a kernel in M-mode that keeps two tasks in U-mode apart
 * by PMP; then one in S-mode whose task is in pages of Sv39, with M-mode below it for the timer. In both, the
 * tasks make system calls, fault, and are preempted. */
#include "fw.h"

#define CLINT(reg)            (MP_CLINT_BASE + MP_CLINT_##reg)
#define PLIC(reg)             (MP_PLIC_BASE + MP_PLIC_##reg)
#define DMA(reg)              (MP_DMA_BASE + MP_DMA_##reg)
#define CSR_WRITE(csr, value) __asm__ volatile("csrw " #csr ", %0" ::"r"((uint64_t)(value)) : "memory")

enum { R = 1, W = 2, X = 4, NAPOT = 3 << 3 };
enum { MSTATUS_SUM = 1 << 18, MSTATUS_MPP = 3 << 11, MPP_S = 1 << 11 };
enum { FLASH = 0x80000000u, FLASH_BYTES = 0x100000, PAGE = 4096, TICK = 300 };
enum { RA = 1, SP = 2, GP = 3, TP = 4, A0 = 10, A1 = 11, A7 = 17 };
enum { LOAD_FAULT = 5, STORE_FAULT = 7, FETCH_FAULT = 1, ILLEGAL = 2, CALL_U = 8, CALL_S = 9 };
enum { FETCH_PAGE = 12, LOAD_PAGE = 13, STORE_PAGE = 15 };
#define INTERRUPT (1ull << 63)
enum { S_TIMER = 5, TIMER = 7, S_EXTERNAL = 9 };

struct frame {
    uint64_t x[32], pc;
};
uint64_t enter_m(struct frame *f);
uint64_t enter_s(struct frame *f);

/* --- what tasks have ---------------------------------------------------------------------------------- */

enum call { EXIT, PUT, YIELD, START_COPY, SET_TIMER };

/* A task's memory: what it shares with its kernel, and its stack. */
struct memory {
    volatile uint64_t ticks, result, faults;
    uint8_t stack[PAGE - 3 * sizeof(uint64_t)];
};

static inline uint64_t call(enum call number, uint64_t value)
{
    register uint64_t a0 __asm__("a0") = value, a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
    return a0;
}

/* Computes until the timer has come twice: nothing else gives the processor to another. */
static inline void compute(struct memory *mine)
{
    for (uint64_t until = mine->ticks + 2; mine->ticks < until;)
        mine->result = mine->result * 3 + 1;
}

static void start(struct frame *f, void (*code)(), uint64_t sp, uint64_t a0, uint64_t a1)
{
    *f = (struct frame){.pc = (uintptr_t)code};
    f->x[SP] = sp;
    f->x[A0] = a0;
    f->x[A1] = a1;
}

/* Continues behind the instruction; behind a jump that failed, where it was to return. */
static void skip(struct frame *f, bool jumped, uint64_t code)
{
    f->pc = jumped ? f->x[RA] : f->pc + ((*(uint16_t *)code & 3) == 3 ? 4 : 2);
}

static void next_tick(void)
{
    WRITE64(CLINT(MTIMECMP), READ64(CLINT(MTIME)) + TICK);
}

/* --- M-mode and U-mode -------------------------------------------------------------------------------- */

static struct memory memory[2] __attribute__((aligned(PAGE)));
static uint64_t secret = 42, calls[8], causes[16];

/* What it must not do, one fault each; the other task's memory and the kernel's secret are as they were. */
static void bad_task(struct memory *mine, struct memory *other)
{
    mine->result = other->result;
    other->result = 1;
    mine->result = secret;
    secret = 1;
    mine->result = READ8(MP_UART_BASE + MP_UART_LSR);
    ((void (*)(void))mine->stack)();
    mine->result = CSR_READ(mstatus);
    call(PUT, 'u');
    compute(mine);
    call(EXIT, 7);
}

static void good_task(struct memory *mine)
{
    for (unsigned i = 0; i < 3; i++) {
        call(PUT, '0' + i);
        compute(mine);
        call(YIELD, 0);
    }
    call(EXIT, 8);
}

static void protect(unsigned entry, uint64_t base, uint64_t bytes, unsigned permissions)
{
    uint64_t address = base / 4 + bytes / 8 - 1;
    if (entry == 0)
        CSR_WRITE(pmpaddr0, address);
    else
        CSR_WRITE(pmpaddr1, address);
    CSR_CLEAR(pmpcfg0, 0xffull << 8 * entry);
    CSR_SET(pmpcfg0, (uint64_t)(NAPOT | permissions) << 8 * entry);
}

/* Returns whether the task goes on. */
static bool serve(struct frame *f)
{
    enum call number = f->x[A7];
    calls[number & 7]++;
    f->pc += 4;
    if (number == PUT)
        WRITE8(MP_UART_BASE + MP_UART_THR, f->x[A0]);
    return number != EXIT;
}

static void user_under_pmp(void)
{
    static struct frame task[2];
    unsigned left = 2, running = 0;
    bool alive[2] = {true, true};
    protect(0, FLASH, FLASH_BYTES, R | X);
    for (unsigned i = 0; i < 2; i++)
        start(&task[i], i ? (void (*)())good_task : (void (*)())bad_task, (uintptr_t)&memory[i + 1],
              (uintptr_t)&memory[i], (uintptr_t)&memory[1 - i]);
    task[0].x[GP] = task[1].x[GP] = ({
        uint64_t gp;
        __asm__("mv %0, gp" : "=r"(gp));
        gp;
    });
    CSR_CLEAR(mstatus, MSTATUS_MPP | MSTATUS_MIE);
    CSR_SET(mie, MIE_TIMER);
    next_tick();
    while (left) {
        struct frame *f = &task[running];
        struct memory *m = &memory[running];
        protect(1, (uintptr_t)m, sizeof *m, R | W);
        uint64_t cause = enter_m(f);
        bool next = false;
        if (cause == (INTERRUPT | TIMER)) {
            m->ticks++;
            next_tick();
            next = true;
        } else if (cause == CALL_U) {
            next = f->x[A7] == YIELD;
            alive[running] = serve(f);
            if (!alive[running])
                CHECK(f->x[A0] == 7 + running && --left < 2);
        } else {
            CHECK(cause < 16 && running == 0);
            causes[cause]++;
            skip(f, cause == FETCH_FAULT, f->pc);
        }
        if ((next || !alive[running]) && alive[1 - running])
            running = 1 - running;
    }
    WRITE64(CLINT(MTIMECMP), UINT64_MAX);
    CHECK(secret == 42 && memory[1].ticks >= 6 && memory[0].ticks >= 2);
    CHECK(causes[LOAD_FAULT] == 3 && causes[STORE_FAULT] == 2 && causes[FETCH_FAULT] == 1);
    CHECK(causes[ILLEGAL] == 1 && calls[PUT] == 4 && calls[YIELD] == 3);
    printf("\nU-mode under PMP: %d load, %d store, %d fetch faults\n", (int)causes[LOAD_FAULT],
           (int)causes[STORE_FAULT], (int)causes[FETCH_FAULT]);
}

/* --- S-mode and its task ------------------------------------------------------------------------------ */

enum { V = 1, PR = 2, PW = 4, PX = 8, U = 16, A = 64, D = 128 };
enum { USER = 0x40000000, HEAP = USER + 0x100000, HEAP_PAGES = 8, STACK_TOP = USER + 0x200000 };

static uint64_t root[512] __attribute__((aligned(PAGE))), middle[512] __attribute__((aligned(PAGE))),
    leaves[512] __attribute__((aligned(PAGE)));
static struct memory shared __attribute__((aligned(PAGE)));
static uint8_t frames[HEAP_PAGES + 1][PAGE] __attribute__((aligned(PAGE)));
static unsigned used, page_faults[16], timers, externals;
static uint8_t supervisor_stack[2 * PAGE] __attribute__((aligned(16)));

static uint64_t entry(const void *page, uint64_t bits)
{
    return (uintptr_t)page / PAGE << 10 | bits;
}

static void map(uint64_t address, const void *page, uint64_t bits)
{
    leaves[(address - USER) / PAGE] = entry(page, bits | V | U);
    __asm__ volatile("sfence.vma" ::: "memory");
}

/* In pages: its stack and heap come when it touches them; its code cannot be written, its data not executed.
 */
static void paged_task(struct memory *mine)
{
    volatile uint64_t *heap = (volatile uint64_t *)HEAP;
    uint64_t sum = 0;
    for (unsigned i = 0; i < HEAP_PAGES; i++) {
        sum += heap[i * PAGE / 8];
        heap[i * PAGE / 8] = i + 1;
    }
    for (unsigned i = 0; i < HEAP_PAGES; i++)
        sum += heap[i * PAGE / 8];
    *(volatile uint32_t *)USER = 0;                /* code */
    (void)*(volatile uint64_t *)FLASH;             /* the kernel's */
    (void)*(volatile uint64_t *)(USER + 0x300000); /* no page at all */
    ((void (*)(void))HEAP)();
    call(PUT, 's');
    compute(mine);
    call(START_COPY, 0);
    while (!mine->faults) /* the interrupt of the copy engine */
        ;
    call(EXIT, sum);
}

/* Maps a new page, or skips what the task must not do. */
static void on_page_fault(struct frame *f, uint64_t cause)
{
    uint64_t address = CSR_READ(stval), page = address / PAGE * PAGE;
    page_faults[cause]++;
    bool absent = address - HEAP < HEAP_PAGES * PAGE || STACK_TOP - address <= PAGE;
    if (absent && cause != FETCH_PAGE) {
        CHECK(used < HEAP_PAGES + 1);
        map(page, frames[used++], PR | PW);
    } else {
        skip(f, cause == FETCH_PAGE, f->pc - USER + FLASH);
    }
}

static void set_timer(void)
{
    call(SET_TIMER, 0);
}

static void copy(void)
{
    static uint64_t from = 5, to;
    WRITE32(PLIC(PRIORITY) + 4 * (MP_DMA_IRQ - 1), 2);
    WRITE32(PLIC(ENABLE) + MP_PLIC_ENABLE_STRIDE, 1u << MP_DMA_IRQ);
    WRITE32(DMA(INT_ENABLE), MP_DMA_STATUS_DONE);
    WRITE64(DMA(SOURCE), (uintptr_t)&from);
    WRITE64(DMA(TARGET), (uintptr_t)&to);
    WRITE64(DMA(LENGTH), sizeof to);
    WRITE32(DMA(COMMAND), MP_DMA_COMMAND_START);
}

static void on_external(void)
{
    uint64_t claim = PLIC(CLAIM) + MP_PLIC_CLAIM_STRIDE;
    CHECK(READ32(claim) == MP_DMA_IRQ);
    WRITE32(DMA(STATUS), MP_DMA_STATUS_DONE);
    WRITE32(claim, MP_DMA_IRQ);
    CHECK(!(CSR_READ(sip) & 1 << S_EXTERNAL));
    CSR_SET(sstatus, MSTATUS_SUM);
    ((struct memory *)(USER + 0x1f0000))->faults = 1; /* by the task's own page */
    CSR_CLEAR(sstatus, MSTATUS_SUM);
    externals++;
}

/* Returns whether the task goes on. */
static bool on_trap(struct frame *f, uint64_t cause)
{
    if (cause == (INTERRUPT | S_TIMER)) {
        shared.ticks++;
        timers++;
        set_timer();
    } else if (cause == (INTERRUPT | S_EXTERNAL)) {
        on_external();
    } else if (cause == CALL_U) {
        if (f->x[A7] == START_COPY)
            copy();
        return serve(f);
    } else {
        CHECK(cause == FETCH_PAGE || cause == LOAD_PAGE || cause == STORE_PAGE);
        on_page_fault(f, cause);
    }
    return true;
}

static void check_pages(uint64_t result)
{
    CHECK(result == HEAP_PAGES * (HEAP_PAGES + 1) / 2);
    CHECK(used == HEAP_PAGES || used == HEAP_PAGES + 1);
    CHECK(page_faults[LOAD_PAGE] == HEAP_PAGES + 2 && page_faults[STORE_PAGE] == 1 + used - HEAP_PAGES);
    CHECK(page_faults[FETCH_PAGE] == 1 && timers >= 2 && externals == 1);
    for (unsigned i = 0; i < HEAP_PAGES; i++)
        CHECK((leaves[(HEAP - USER) / PAGE + i] & (A | D)) == (A | D));
    CHECK((leaves[0] & D) == 0 && (root[2] & (A | D)) == (A | D));
}

/* Devices and the kernel are where they are; the task's code is FLASH, from USER on. */
static void supervise(void)
{
    static struct frame task;
    root[0] = entry(0, V | PR | PW);
    root[2] = entry((void *)(uintptr_t)FLASH, V | PR | PW | PX);
    root[1] = entry(middle, V);
    middle[0] = entry(leaves, V);
    for (uint64_t i = 0; i < 64; i++)
        map(USER + i * PAGE, (void *)(FLASH + i * PAGE), PR | PX);
    map(USER + 0x1f0000, &shared, PR | PW);
    CSR_WRITE(satp, 8ull << 60 | (uintptr_t)root / PAGE);
    CHECK(CSR_READ(satp) >> 60 == 8);
    start(&task, paged_task, STACK_TOP, USER + 0x1f0000, 0);
    task.pc += USER - (uint64_t)FLASH;
    CSR_SET(sie, 1 << S_TIMER | 1 << S_EXTERNAL);
    set_timer();
    uint64_t cause;
    do {
        CSR_CLEAR(sstatus, 0x100); /* SPP: to U-mode */
        cause = enter_s(&task);
    } while (on_trap(&task, cause));
    check_pages(task.x[A0]);
    call(EXIT, 0);
}

/* M-mode below S-mode: it has the timer, whose interrupts it passes on. */
static void monitor(void)
{
    static struct frame supervisor;
    start(&supervisor, supervise, (uintptr_t)(supervisor_stack + sizeof supervisor_stack), 0, 0);
    __asm__("mv %0, gp" : "=r"(supervisor.x[GP]));
    __asm__("mv %0, tp" : "=r"(supervisor.x[TP]));
    protect(1, 0, 1ull << 55, R | W | X);
    CSR_WRITE(medeleg, 1 << CALL_U | 1 << FETCH_PAGE | 1 << LOAD_PAGE | 1 << STORE_PAGE);
    CSR_WRITE(mideleg, 1 << S_TIMER | 1 << S_EXTERNAL);
    CSR_CLEAR(mie, MIE_TIMER);
    CSR_CLEAR(mstatus, MSTATUS_MPP);
    CSR_SET(mstatus, MPP_S);
    for (;;) {
        uint64_t cause = enter_m(&supervisor);
        if (cause == (INTERRUPT | TIMER)) {
            CSR_CLEAR(mie, MIE_TIMER);
            CSR_SET(mip, 1 << S_TIMER);
            continue;
        }
        CHECK(cause == CALL_S);
        supervisor.pc += 4;
        if (supervisor.x[A7] == EXIT)
            return;
        CHECK(supervisor.x[A7] == SET_TIMER);
        next_tick();
        CSR_CLEAR(mip, 1 << S_TIMER);
        CSR_SET(mie, MIE_TIMER);
    }
}

int main(void)
{
    user_under_pmp();
    monitor();
    printf("\nS-mode with Sv39: %u load, %u store, %u fetch page faults\n", page_faults[LOAD_PAGE],
           page_faults[STORE_PAGE], page_faults[FETCH_PAGE]);
    return 0;
}
