/* SPDX-License-Identifier: Apache-2.0 */
#include "trap.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "cpu.h"
#include "io.h"
#include "print.h"
#include "recovery.h"
#include "soc/regs.h"

enum { INTERRUPTS = 16, EXCEPTIONS = 16 };
enum { CAUSE_LOAD_MISALIGNED = 4, CAUSE_LOAD = 5, CAUSE_STORE_MISALIGNED = 6, CAUSE_STORE = 7 };
#define CAUSE_INTERRUPT (1ull << 63)

static const char *const exception_names[EXCEPTIONS] = {
    "misaligned jump",
    "bus error at a fetch",
    "illegal instruction",
    "breakpoint",
    "misaligned load",
    "bus error at a load",
    "misaligned store",
    "bus error at a store",
    "ecall from U",
    "ecall from S",
    "reserved",
    "ecall",
    "page fault at a fetch",
    "page fault at a load",
    "reserved",
    "page fault at a store",
};

static const char *const register_names[32] = {
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

static struct {
    void (*volatile handler[INTERRUPTS])(void); /* is there before its cause is enabled */
    volatile bool trying, caught;
    volatile uint32_t count;
    struct { /* the latest access that a bus error has ended */
        uint64_t pc, address, at;
        unsigned tries;
    } failed;
} trap;

static const char *exception_name(uint64_t cause)
{
    return cause < EXCEPTIONS ? exception_names[cause] : "unknown";
}

static void dump(const struct trap_frame *f)
{
    print("\ntrap: %s (cause %" PRIu64 ") at pc %" PRIx64 ", value %" PRIx64 ", mstatus %" PRIx64 "\n",
          exception_name(f->cause), f->cause, f->pc, f->value, f->status);
    for (unsigned i = 0; i < 32; i++)
        print("%5s %016" PRIx64 "%s", register_names[i], f->x[i], i % 4 == 3 ? "\n" : "");
}

static bool is_access(uint64_t cause)
{
    return cause >= CAUSE_LOAD_MISALIGNED && cause <= CAUSE_STORE;
}

static unsigned instruction_bytes(uint64_t pc)
{
    uint16_t half;
    memcpy(&half, (const void *)(uintptr_t)pc, sizeof half);
    return (half & 3) == 3 ? 4 : 2;
}

static bool is_device(uint64_t address)
{
    static const struct {
        uint64_t base, bytes;
        bool device;
    } windows[] = {
#define WINDOW(name, base, bytes, kind, text) {base, bytes, IS_##kind},
#define IS_MEMORY                             false
#define IS_ROM                                false
#define IS_DEVICE                             true
        MP_SOC_MAP(WINDOW)};
    for (unsigned i = 0; i < sizeof windows / sizeof *windows; i++)
        if (address - windows[i].base < windows[i].bytes)
            return windows[i].device;
    return false;
}

/* A word of the GPU's memory that stays unreadable has an error, which a write ends. The GPU reports what was
 * lost (ecc.h). */
static bool scrub(const struct trap_frame *f)
{
    if (f->cause != CAUSE_LOAD || f->value - MP_GPU_MEMORY_BASE >= MP_GPU_MEMORY_BYTES)
        return false;
    trap.caught = false;
    trap.trying = true;
    io_write64(f->value & ~7ull, 0);
    trap.trying = false;
    if (!trap.caught)
        recovery_note(RECOVERY_LOST_WORD);
    return !trap.caught;
}

/* Whether the access is made again: a bus error has changed nothing, and the next time the device may answer.
 * If the same access fails soon again, it will not. */
static bool try_again(const struct trap_frame *f)
{
    enum { TRIES = 3, SOON = 2000 };
    if ((f->cause != CAUSE_LOAD && f->cause != CAUSE_STORE) || !is_device(f->value))
        return false;
    const uint64_t now = cpu_instructions();
    const bool again =
        f->pc == trap.failed.pc && f->value == trap.failed.address && now - trap.failed.at < SOON;
    trap.failed.pc = f->pc;
    trap.failed.address = f->value;
    trap.failed.at = now;
    trap.failed.tries = again ? trap.failed.tries + 1 : 1;
    if (trap.failed.tries > TRIES)
        return scrub(f);
    recovery_note(RECOVERY_BUS_ERROR);
    return true;
}

void trap_handle(struct trap_frame *f)
{
    uint64_t cause = f->cause & ~CAUSE_INTERRUPT;
    if (f->cause & CAUSE_INTERRUPT && cause < INTERRUPTS && trap.handler[cause]) {
        trap.handler[cause]();
        return;
    }
    if (trap.trying && is_access(f->cause)) {
        trap.caught = true;
        trap.count++;
        f->pc += instruction_bytes(f->pc);
        return;
    }
    if (try_again(f))
        return;
    dump(f);
    cpu_finish(1);
}

void trap_init(void)
{
    memset(&trap, 0, sizeof trap);
    cpu_take_traps();
}

void trap_attach(unsigned cause, void (*handler)(void))
{
    trap.handler[cause] = handler;
    cpu_enable(cause, true);
}

/* Handlers do not use trap_read and trap_write; an exception in a handler must not count as theirs. */
static bool try_begin(void)
{
    bool before = cpu_lock();
    trap.caught = false;
    trap.trying = true;
    return before;
}

static bool try_end(bool before)
{
    bool ok = !trap.caught;
    trap.trying = false;
    cpu_unlock(before);
    return ok;
}

bool trap_read(uint64_t address, unsigned width, uint64_t *value)
{
    bool before = try_begin();
    if (width == 1)
        *value = io_read8(address);
    else if (width == 2)
        *value = io_read16(address);
    else if (width == 4)
        *value = io_read32(address);
    else
        *value = io_read64(address);
    return try_end(before);
}

bool trap_write(uint64_t address, unsigned width, uint64_t value)
{
    bool before = try_begin();
    if (width == 1)
        io_write8(address, (uint8_t)value);
    else if (width == 2)
        io_write16(address, (uint16_t)value);
    else if (width == 4)
        io_write32(address, (uint32_t)value);
    else
        io_write64(address, value);
    return try_end(before);
}

uint32_t trap_caught(void)
{
    return trap.count;
}
