/* SPDX-License-Identifier: Apache-2.0 */
/* The hart alone: exact limits, breakpoints, waiting, and firmware that cannot continue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soc/hart/hart.h"

enum {
    BASE = 0x10000,
    BYTES = 0x4000,
    DEVICE = 0x40000000,
    A0 = 10,
    A1 = 11,
    A2 = 12,
    MTVEC = MP_HART_CSR + 0x305
};
enum { MSTATUS = MP_HART_CSR + 0x300, MIE = MP_HART_CSR + 0x304, MEPC = MP_HART_CSR + 0x341 };
enum { MCAUSE = MP_HART_CSR + 0x342 };

static _Alignas(4096) uint8_t memory[BYTES];

struct fixture {
    struct mp_hart *hart;
    unsigned accesses;
    uint64_t address, data;
    bool refuse, interrupts;
    uint64_t refused_at; /* an access that did not reach the bus */
    unsigned refused_width, traced;
    bool refused_write;
    uint64_t trace[8][3]; /* number, pc, instruction */
};

static void refused(void *self, uint64_t address, unsigned width, bool write)
{
    struct fixture *f = self;
    f->refused_at = address;
    f->refused_width = width;
    f->refused_write = write;
}

static void see(void *self, uint64_t number, uint64_t pc, uint32_t instruction)
{
    struct fixture *f = self;
    assert_true(f->traced < 8);
    memcpy(f->trace[f->traced++], (uint64_t[]){number, pc, instruction}, sizeof *f->trace);
}

static bool access(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    struct fixture *f = self;
    f->accesses++;
    f->address = address;
    f->data = write ? *data & (UINT64_MAX >> (64 - 8 * width)) : f->data;
    *data = f->data;
    if (f->interrupts)
        mp_hart_interrupt(f->hart, MP_IRQ_EXTERNAL, true);
    return !f->refuse;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mp_hart_bus bus = {.self = f, .access = access, .refused = refused};
    f->hart = mp_hart_new(&bus, NULL);
    memset(memory, 0, sizeof memory);
    assert_int_equal(mp_hart_map_memory(f->hart, BASE, BYTES, memory, true, NULL), 0);
    assert_int_equal(mp_hart_map_devices(f->hart, DEVICE, 0x1000, NULL), 0);
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    mp_hart_write(f->hart, MTVEC, BASE + 0x1000);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mp_hart_free(f->hart);
    free(f);
    return 0;
}

static void put(unsigned offset, const uint32_t *code, size_t bytes)
{
    memcpy(memory + offset, code, bytes);
}
#define PUT(offset, ...)                                                                                     \
    do {                                                                                                     \
        const uint32_t code_[] = {__VA_ARGS__};                                                              \
        put(offset, code_, sizeof code_);                                                                    \
    } while (0)

enum {
    ADDI_A0 = 0x00150513, /* addi a0, a0, 1 */
    ADDI_A1 = 0x00158593,
    BACK_4 = 0xffdff06f - (1ll << 32), /* j . - 4 */
    STAY = 0x0000006f,
    NOP = 0x00000013,
    WFI = 0x10500073,
    SD_A0_A1 = 0x00a5b023, /* sd a0, (a1) */
    LD_A0_A1 = 0x0005b503,
    ECALL = 0x00000073,
    MRET = 0x30200073,
    JR_A2 = 0x00060067,
    CSRR_A0_MCYCLE = 0xb0002573 - (1ll << 32),
    CSRSI_MIE = 0x30046073, /* csrsi mstatus, 8 */
};

static uint64_t reg(struct fixture *f, unsigned number)
{
    uint64_t value;
    assert_true(mp_hart_read(f->hart, number, &value));
    return value;
}

/* However a run is divided, it ends in the same state as a single run. */
static void limits(void **state)
{
    struct fixture *f = *state;
    uint64_t done, total = 0;
    PUT(0, ADDI_A0, (uint32_t)BACK_4);
    for (uint64_t n = 1; n <= 300; n++) {
        assert_int_equal(mp_hart_run(f->hart, n, &done), MP_HART_LIMIT);
        assert_int_equal(done, n);
        total += n;
        assert_int_equal(reg(f, A0), (total + 1) / 2);
        assert_int_equal(reg(f, MP_HART_PC), BASE + (total % 2 ? 4 : 0));
    }
    assert_int_equal(mp_hart_counts(f->hart)->instructions, total);
}

static void breakpoints(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, ADDI_A0, ADDI_A1, (uint32_t)BACK_4);
    assert_true(mp_hart_break(f->hart, BASE + 4, true));
    assert_int_equal(mp_hart_run(f->hart, 1000, &done), MP_HART_BREAKPOINT);
    assert_int_equal(done, 1);
    for (unsigned i = 1; i <= 5; i++) { /* the instruction at the breakpoint runs first */
        assert_int_equal(reg(f, MP_HART_PC), BASE + 4);
        assert_int_equal(reg(f, A1), i - 1);
        assert_int_equal(mp_hart_run(f->hart, 1000, &done), MP_HART_BREAKPOINT);
        assert_int_equal(done, 2);
    }
    assert_int_equal(mp_hart_run(f->hart, 2, &done), MP_HART_LIMIT);         /* stops right before it: */
    assert_int_equal(mp_hart_run(f->hart, 1000, &done), MP_HART_BREAKPOINT); /* the next run stops at it */
    assert_int_equal(done, 0);
    mp_hart_break(f->hart, BASE + 4, false);
    assert_int_equal(mp_hart_run(f->hart, 1000, &done), MP_HART_LIMIT);
    for (unsigned i = 0; i < MP_HART_BREAKPOINTS; i++)
        assert_true(mp_hart_break(f->hart, BASE + 0x100 + 4 * i, true));
    assert_false(mp_hart_break(f->hart, BASE + 0x800, true));
}

static void waits(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, NOP, WFI, ADDI_A0, STAY);
    mp_hart_write(f->hart, MIE, 1 << MP_IRQ_TIMER);
    assert_int_equal(mp_hart_run(f->hart, 100, &done), MP_HART_WAITS);
    assert_int_equal(done, 2);
    assert_false(mp_hart_interrupt_pending(f->hart));
    mp_hart_interrupt(f->hart, MP_IRQ_EXTERNAL, true);
    assert_false(mp_hart_interrupt_pending(f->hart));
    mp_hart_interrupt(f->hart, MP_IRQ_TIMER, true);
    assert_true(mp_hart_interrupt_pending(f->hart));
    assert_int_equal(mp_hart_run(f->hart, 1, &done), MP_HART_LIMIT); /* mstatus.MIE is clear: no trap */
    assert_int_equal(reg(f, A0), 1);
}

/* If an access raises an interrupt, the trap follows at once, without another instruction. */
static void raised_by_access(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, SD_A0_A1, ADDI_A0, STAY);
    PUT(0x1000, STAY);
    f->interrupts = true;
    mp_hart_write(f->hart, A0, 5);
    mp_hart_write(f->hart, A1, DEVICE + 8);
    mp_hart_write(f->hart, MIE, 1 << MP_IRQ_EXTERNAL);
    mp_hart_write(f->hart, MSTATUS, 8);
    mp_hart_run(f->hart, 10, &done);
    assert_int_equal(f->accesses, 1);
    assert_int_equal(f->address, DEVICE + 8);
    assert_int_equal(f->data, 5);
    assert_int_equal(reg(f, A0), 5);
    assert_int_equal(reg(f, MEPC), BASE + 4);
    assert_true(reg(f, MCAUSE) == (1ull << 63 | MP_IRQ_EXTERNAL));
    assert_int_equal(mp_hart_counts(f->hart)->interrupts[MP_IRQ_EXTERNAL], 1);
}

/* The same holds for the CSR write that enables the interrupt. */
static void enabled_by_firmware(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, NOP, CSRSI_MIE, ADDI_A0, STAY);
    PUT(0x1000, STAY);
    mp_hart_write(f->hart, MIE, 1 << MP_IRQ_SOFTWARE);
    mp_hart_interrupt(f->hart, MP_IRQ_SOFTWARE, true);
    mp_hart_run(f->hart, 10, &done);
    assert_int_equal(reg(f, A0), 0);
    assert_int_equal(reg(f, MEPC), BASE + 8);
}

/* The order of urgency: external, software, timer. A vectored mtvec adds 4 times the cause. */
static void order(void **state)
{
    static const unsigned urgent[] = {MP_IRQ_EXTERNAL, MP_IRQ_SOFTWARE, MP_IRQ_TIMER};
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, STAY);
    for (unsigned i = 0; i < 16; i++)
        PUT(0x1000 + 4 * i, STAY);
    mp_hart_write(f->hart, MTVEC, (BASE + 0x1000) | 1);
    mp_hart_write(f->hart, MIE, 0x888);
    for (unsigned i = 0; i < 3; i++)
        mp_hart_interrupt(f->hart, urgent[i], true);
    for (unsigned i = 0; i < 3; i++) {
        mp_hart_write(f->hart, MSTATUS, 8);
        mp_hart_run(f->hart, 1, &done);
        assert_int_equal(reg(f, MP_HART_PC), BASE + 0x1000 + 4 * urgent[i]);
        mp_hart_interrupt(f->hart, urgent[i], false);
    }
}

static void bus_error(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, LD_A0_A1, ADDI_A0, STAY);
    PUT(0x1000, STAY);
    f->refuse = true;
    mp_hart_write(f->hart, A0, 77);
    mp_hart_write(f->hart, A1, DEVICE);
    mp_hart_run(f->hart, 5, &done);
    assert_int_equal(f->accesses, 1);
    assert_int_equal(reg(f, A0), 77);
    assert_int_equal(reg(f, MEPC), BASE);
    assert_int_equal(reg(f, MCAUSE), MP_TRAP_LOAD);
    assert_int_equal(mp_hart_counts(f->hart)->exceptions[MP_TRAP_LOAD], 1);
}

/* The bus receives only whole, aligned accesses. */
static void misaligned_device(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, LD_A0_A1, STAY);
    PUT(0x1000, STAY);
    mp_hart_write(f->hart, A1, DEVICE + 4);
    mp_hart_run(f->hart, 5, &done);
    assert_int_equal(f->accesses, 0);
    assert_int_equal(reg(f, MCAUSE), MP_TRAP_LOAD);
    f->data = 0x1122334455667788;
    mp_hart_write(f->hart, A1, DEVICE + 8);
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    mp_hart_run(f->hart, 5, &done);
    assert_int_equal(f->accesses, 1);
    assert_true(reg(f, A0) == 0x1122334455667788);
}

/* A handler that cannot run would trap for ever: the hart reports this and does not simulate it. */
static void handler_traps(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, ECALL);
    mp_hart_write(f->hart, MTVEC, 0x7000000);
    assert_int_equal(mp_hart_run(f->hart, 1000000, &done), MP_HART_STUCK);
    assert_non_null(strstr(mp_hart_why(f->hart), "trap handler at 0x7000000"));
    assert_int_equal(mp_hart_run(f->hart, 10, &done), MP_HART_STUCK);
    assert_int_equal(done, 0);
}

static uint64_t noon(void *self)
{
    (void)self;
    return 12;
}

/* misa has the extensions, mip has the levels, time comes from the bus, and cannot be written. */
static void own_csrs(void **state)
{
    struct fixture *f = *state;
    struct mp_hart_bus bus = {.self = f, .access = access, .refused = refused, .time = noon};
    struct mp_hart *h = mp_hart_new(&bus, NULL);
    uint64_t done, value;
    PUT(0, 0x30102573, 0x344025f3, 0xc0102673, 0xc0101073); /* csrr a0, misa; a1, mip; a2, time; csrw time */
    PUT(0x1000, STAY);
    assert_int_equal(mp_hart_map_memory(h, BASE, BYTES, memory, true, NULL), 0);
    mp_hart_write(h, MP_HART_PC, BASE);
    mp_hart_write(h, MTVEC, BASE + 0x1000);
    mp_hart_interrupt(h, MP_IRQ_TIMER, true);
    mp_hart_interrupt(h, MP_IRQ_EXTERNAL, true);
    assert_int_equal(mp_hart_run(h, 3, &done), MP_HART_LIMIT);
    assert_true(mp_hart_read(h, A0, &value));
    assert_int_equal(value, 0x8000000000141105);
    assert_true(mp_hart_read(h, A1, &value));
    assert_int_equal(value, 1u << MP_IRQ_TIMER | 1u << MP_IRQ_EXTERNAL);
    assert_true(mp_hart_read(h, A2, &value));
    assert_int_equal(value, 12);
    assert_int_equal(mp_hart_run(h, 2, &done), MP_HART_LIMIT);
    assert_int_equal(mp_hart_latest_exception(h)->cause, MP_TRAP_ILLEGAL);
    mp_hart_free(h);
}

/* Code that has run and is then written from outside the hart. */
static void forgets(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, ADDI_A0, STAY);
    mp_hart_run(f->hart, 5, &done);
    PUT(0, ADDI_A1, STAY);
    mp_hart_forget(f->hart, BASE, 8);
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    mp_hart_run(f->hart, 5, &done);
    assert_int_equal(reg(f, A0), 1);
    assert_int_equal(reg(f, A1), 1);
}

/* A watchpoint stops after the access, also if it is the last of a run or to a device. Other accesses do
 * not stop. */
static void watchpoints(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    unsigned kind;
    PUT(0, NOP, SD_A0_A1, LD_A0_A1, STAY);
    PUT(0x1000, STAY);
    mp_hart_write(f->hart, A1, BASE + 0x2000);
    assert_true(mp_hart_watch(f->hart, BASE + 0x2007, 4, MP_HART_WRITE, true));
    assert_true(mp_hart_watch(f->hart, BASE + 0x2008, 8, MP_HART_READ | MP_HART_WRITE, true));
    assert_int_equal(mp_hart_run(f->hart, 2, &done), MP_HART_WATCHPOINT); /* and not at the limit */
    assert_int_equal(done, 2);
    assert_int_equal(reg(f, MP_HART_PC), BASE + 8);
    assert_true(mp_hart_watched(f->hart, &kind) == BASE + 0x2007);
    assert_int_equal(kind, MP_HART_WRITE);
    assert_int_equal(mp_hart_run(f->hart, 100, &done),
                     MP_HART_LIMIT); /* a read does not match a watchpoint for writes */
    assert_int_equal(done, 100);

    assert_true(mp_hart_watch(f->hart, BASE + 0x2007, 4, MP_HART_WRITE, false));
    assert_true(mp_hart_watch(f->hart, BASE + 0x2000, 1, MP_HART_READ, true));
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    assert_int_equal(mp_hart_run(f->hart, 100, &done), MP_HART_WATCHPOINT);
    assert_int_equal(done, 3);

    mp_hart_write(f->hart, A1, DEVICE);
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    assert_true(mp_hart_watch(f->hart, DEVICE + 4, 2, MP_HART_READ | MP_HART_WRITE, true));
    assert_int_equal(mp_hart_run(f->hart, 100, &done), MP_HART_WATCHPOINT);
    assert_int_equal(done, 2);
    f->refuse = true; /* without an access, no watchpoint */
    mp_hart_write(f->hart, MP_HART_PC, BASE);
    assert_int_equal(mp_hart_run(f->hart, 100, &done), MP_HART_LIMIT);
    assert_int_equal(reg(f, MCAUSE), MP_TRAP_STORE);

    for (unsigned i = 0; i < MP_HART_WATCHPOINTS - 3; i++)
        assert_true(mp_hart_watch(f->hart, i, 1, MP_HART_READ, true));
    assert_false(mp_hart_watch(f->hart, 100, 1, MP_HART_READ, true));
    assert_true(mp_hart_watch(f->hart, 0, 1, MP_HART_READ, true)); /* already set, so it needs no room */
}

/* Each instruction of the range is reported once, however the run is divided, including reads of counters
 * and instructions that cannot be fetched. */
static void traces(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, NOP, ADDI_A0, CSRR_A0_MCYCLE, ADDI_A1, JR_A2, STAY);
    PUT(0x1000, ADDI_A0, STAY);
    mp_hart_write(f->hart, A2, 0x70000000);
    mp_hart_trace(f->hart, 2, 7, see, f);
    for (unsigned i = 0; i < 20; i++)
        mp_hart_run(f->hart, 1 + i % 3, &done);
    static const uint64_t expected[][3] = {
        {2, BASE + 4, ADDI_A0},  {3, BASE + 8, (uint32_t)CSRR_A0_MCYCLE},
        {4, BASE + 12, ADDI_A1}, {5, BASE + 16, JR_A2},
        {6, 0x70000000, 0},      {7, BASE + 0x1000, ADDI_A0},
    };
    assert_int_equal(f->traced, sizeof expected / sizeof *expected);
    assert_memory_equal(f->trace, expected, sizeof expected);
    assert_int_equal(reg(f, A0),
                     2 + 1); /* two instructions before the one that reads mcycle; the handler adds one */
}

/* Accesses that never reach the bus are reported. */
static void refusals(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, LD_A0_A1, STAY);
    PUT(0x40, SD_A0_A1, STAY);
    PUT(0x1000, STAY);
    mp_hart_write(f->hart, A1, 0x70000000);
    mp_hart_run(f->hart, 2, &done);
    assert_true(f->refused_at == 0x70000000 && f->refused_width == 8 && !f->refused_write);
    mp_hart_write(f->hart, A1, DEVICE + 4);
    mp_hart_write(f->hart, MP_HART_PC, BASE + 0x40);
    mp_hart_run(f->hart, 2, &done);
    assert_true(f->refused_at == DEVICE + 4 && f->refused_width == 8 && f->refused_write);
    assert_int_equal(f->accesses, 0);
    assert_true(mp_hart_at(f->hart) == BASE + 0x1000);
}

/* The state of an exception while its handler runs, and after the handler has returned. */
static void exceptions(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, NOP, ECALL, LD_A0_A1, STAY);
    PUT(0x1000, 0x341022f3 /* csrr t0, mepc */, 0x00428293 /* addi t0, t0, 4 */,
        0x34129073 /* csrw mepc, t0 */, MRET);
    mp_hart_write(f->hart, 2, BASE + 0x3000);
    assert_int_equal(mp_hart_latest_exception(f->hart)->number, 0);
    mp_hart_run(f->hart, 4, &done); /* in the handler of the ECALL */
    const struct mp_hart_exception *open = mp_hart_open_exception(f->hart),
                                   *latest = mp_hart_latest_exception(f->hart);
    assert_true(open->number == 2 && open->cause == MP_TRAP_ECALL && open->pc == BASE + 4);
    assert_true(open->instruction == ECALL && open->x[2] == BASE + 0x3000);
    mp_hart_run(f->hart, 2, &done); /* after the return */
    assert_int_equal(open->number, 0);
    assert_int_equal(latest->number, 2);
    mp_hart_write(f->hart, A1, 0x50000000);
    mp_hart_run(f->hart, 2, &done); /* the load, and an instruction of its handler */
    assert_true(open->number == 7 && open->cause == MP_TRAP_LOAD && open->value == 0x50000000);
    mp_hart_run(f->hart, 10, &done);
    assert_int_equal(open->number, 0);
    mp_hart_write(f->hart, MP_HART_PC, 0x60000000);
    PUT(0x1000, STAY);
    mp_hart_forget(f->hart, BASE, BYTES);
    mp_hart_run(f->hart, 10, &done);
    assert_true(open->cause == MP_TRAP_FETCH && open->pc == 0x60000000 && open->value == 0x60000000);
}

/* Interrupts that come and go do not close the exception whose handler they interrupt. */
static void exceptions_and_interrupts(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, ECALL, STAY);
    PUT(0x1000, 0x34202373 /* csrr t1, mcause */, 0x00034663 /* bltz t1, . + 12 */, CSRSI_MIE, STAY, MRET);
    mp_hart_write(f->hart, MIE, 1 << MP_IRQ_TIMER);
    mp_hart_run(f->hart, 20, &done);
    assert_int_equal(mp_hart_open_exception(f->hart)->cause, MP_TRAP_ECALL);
    mp_hart_interrupt(f->hart, MP_IRQ_TIMER, true);
    mp_hart_run(f->hart, 3, &done);
    mp_hart_interrupt(f->hart, MP_IRQ_TIMER, false);
    mp_hart_run(f->hart, 20, &done);
    assert_true(mp_hart_counts(f->hart)->interrupts[MP_IRQ_TIMER] > 0);
    assert_int_equal(mp_hart_open_exception(f->hart)->number, 1);
}

/* A handler that cannot save registers, because there is no stack, would trap for ever. */
static void handlers_without_a_stack(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    PUT(0, LD_A0_A1, STAY);
    PUT(0x1000, ADDI_A0, SD_A0_A1, MRET);
    mp_hart_write(f->hart, A1, 0x50000000);
    assert_int_equal(mp_hart_run(f->hart, 1000, &done), MP_HART_STUCK);
    assert_true(done < 20);
    assert_non_null(strstr(mp_hart_why(f->hart), "before it has saved the registers"));
    assert_int_equal(mp_hart_open_exception(f->hart)->pc, BASE);
    assert_int_equal(mp_hart_latest_exception(f->hart)->pc, BASE + 0x1004);
}

/* Values of 32 bits are compared by their 32 bits, with and without sign, whatever is above them. */
static void minima(void **state)
{
    enum { AMOMIN_W = 0x80, AMOMAX_W = 0xa0, AMOMINU_W = 0xc0, AMOMAXU_W = 0xe0 };
    static const struct {
        unsigned code;
        uint32_t memory, stored;
        uint64_t with;
    } cases[] = {
        {AMOMIN_W, 1, 0xffffffff, 0xffffffff},          {AMOMIN_W, 0x80000000, 0x80000000, 5},
        {AMOMAX_W, 0xffffffff, 0, 0xffffffff00000000},  {AMOMAX_W, 7, 7, 0x80000000},
        {AMOMINU_W, 0xffffffff, 3, 0xabcdef0000000003}, {AMOMINU_W, 0x80000000, 0x80000000, 0xffffffff},
        {AMOMAXU_W, 1, 0x80000000, 0x80000000},         {AMOMAXU_W, 0xfffffffe, 0xfffffffe, 0x7fffffff},
    };
    struct fixture *f = *state;
    uint64_t done;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t left, code = (uint32_t)cases[i].code << 24 | 0x00a5a62f; /* a2, a0, (a1) */
        PUT(0, code, STAY);
        mp_hart_forget(f->hart, BASE, 8);
        memcpy(memory + 0x2000, &cases[i].memory, 4);
        mp_hart_write(f->hart, A0, cases[i].with);
        mp_hart_write(f->hart, A1, BASE + 0x2000);
        mp_hart_write(f->hart, MP_HART_PC, BASE);
        assert_int_equal(mp_hart_run(f->hart, 1, &done), MP_HART_LIMIT);
        memcpy(&left, memory + 0x2000, 4);
        assert_int_equal(left, cases[i].stored);
        assert_true(reg(f, A2) == (uint64_t)(int64_t)(int32_t)cases[i].memory);
    }
}

/* Code that the hart itself writes, also into the instruction that follows and across the end of a page. */
static void writes_code(void **state)
{
    enum { SW_A0_A1 = 0x00a5a023 };
    struct fixture *f = *state;
    uint64_t done;
    for (unsigned at = 0xff4; at <= 0xffa; at += 2) { /* the instruction written is at 0xffc to 0x1002 */
        PUT(at, SW_A0_A1, ADDI_A1, NOP, STAY);
        mp_hart_forget(f->hart, BASE, BYTES);
        for (unsigned turn = 0; turn < 2; turn++) {
            mp_hart_write(f->hart, A0, turn ? 0x00160613 : ADDI_A1); /* addi a2, a2, 1 */
            mp_hart_write(f->hart, A1, BASE + at + 8);
            mp_hart_write(f->hart, A2, 0);
            mp_hart_write(f->hart, MP_HART_PC, BASE + at);
            assert_int_equal(mp_hart_run(f->hart, 4, &done), MP_HART_LIMIT);
            assert_int_equal(reg(f, A1), BASE + at + 8 + (turn ? 1 : 2));
            assert_int_equal(reg(f, A2), turn);
        }
    }
}

/* The same for the second half of a jump, in a page of which nothing else is executed. */
static void writes_half_a_jump(void **state)
{
    enum { SH_A0_A1 = 0x00a59023, BACK = 0x902fe06f - (1ll << 32) }; /* to 0x100 */
    struct fixture *f = *state;
    uint64_t done;
    PUT(0x40, SH_A0_A1, STAY); /* stores the upper half of the jump at 0x1ffe */
    PUT(0x1ffe, (uint32_t)BACK);
    mp_hart_write(f->hart, MP_HART_PC, BASE + 0x1ffe);
    mp_hart_run(f->hart, 1, &done);
    assert_int_equal(reg(f, MP_HART_PC), BASE + 0x100);
    mp_hart_write(f->hart, A0, 0xa02f); /* to 0x200 */
    mp_hart_write(f->hart, A1, BASE + 0x2000);
    mp_hart_write(f->hart, MP_HART_PC, BASE + 0x40);
    mp_hart_run(f->hart, 1, &done);
    mp_hart_write(f->hart, MP_HART_PC, BASE + 0x1ffe);
    mp_hart_run(f->hart, 1, &done);
    assert_int_equal(reg(f, MP_HART_PC), BASE + 0x200);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(limits),
        TEST(breakpoints),
        TEST(waits),
        TEST(raised_by_access),
        TEST(enabled_by_firmware),
        TEST(order),
        TEST(bus_error),
        TEST(handler_traps),
        TEST(own_csrs),
        TEST(forgets),
        TEST(misaligned_device),
        TEST(watchpoints),
        TEST(traces),
        TEST(refusals),
        TEST(exceptions),
        TEST(exceptions_and_interrupts),
        TEST(handlers_without_a_stack),
        TEST(minima),
        TEST(writes_code),
        TEST(writes_half_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
