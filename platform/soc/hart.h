/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One RV64IMAC hart in M-mode: Unicorn, and what it leaves to its user: trap entry, interrupts, exact counts.
 *
 * Instructions are counted one by one, and nothing that the guest can see depends on the host: cycle and
 * instret read the count of instructions. Interrupts are taken where
 * a run begins, and inside it right after the instruction that raised or enabled them. `mip` shows
 * nothing: firmware asks the interrupt controllers. Atomics reach memory only.
 */
#ifndef MP_SOC_HART_H
#define MP_SOC_HART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads and stores to devices, naturally aligned, 1, 2, 4 or 8 bytes; false is a bus error. May set interrupt
 * levels. */
struct mp_hart_bus {
    void *self;
    bool (*access)(void *self, uint64_t address, uint64_t *data, unsigned width, bool write);
    /* Told of what is refused without having reached the bus: addresses that nobody has, stores to ROM,
     * misaligned and atomic accesses to devices. May be NULL. */
    void (*refused)(void *self, uint64_t address, unsigned width, bool write);
};

enum mp_hart_stop {
    MP_HART_LIMIT,      /* as many instructions as asked for */
    MP_HART_WAITS,      /* WFI, and no enabled interrupt is pending */
    MP_HART_BREAKPOINT, /* before the instruction at the program counter */
    MP_HART_WATCHPOINT, /* after the instruction that made the access: mp_hart_watched */
    MP_HART_HALTED,     /* mp_hart_halt was called */
    MP_HART_STUCK       /* nothing will change any more: mp_hart_why */
};

enum { MP_IRQ_SOFTWARE = 3, MP_IRQ_TIMER = 7, MP_IRQ_EXTERNAL = 11 };

/* Causes of exceptions. */
enum {
    MP_TRAP_FETCH_MISALIGNED = 0,
    MP_TRAP_FETCH = 1,
    MP_TRAP_ILLEGAL = 2,
    MP_TRAP_BREAKPOINT = 3,
    MP_TRAP_LOAD_MISALIGNED = 4,
    MP_TRAP_LOAD = 5,
    MP_TRAP_STORE_MISALIGNED = 6,
    MP_TRAP_STORE = 7,
    MP_TRAP_ECALL = 11,
    MP_TRAPS = 16
};

struct mp_hart;

/* NULL with err. */
struct mp_hart *mp_hart_new(const struct mp_hart_bus *bus, struct mp_error *err);
void mp_hart_free(struct mp_hart *h);

/* Multiples of 4 KB. Memory stays the caller's; what the guest may not write gives a store fault. */
int mp_hart_map_memory(struct mp_hart *h, uint64_t base, uint64_t bytes, void *memory, bool writable,
                       struct mp_error *err);
int mp_hart_map_devices(struct mp_hart *h, uint64_t base, uint64_t bytes, struct mp_error *err);

/* Somebody else has written memory that may hold code. */
void mp_hart_forget(struct mp_hart *h, uint64_t base, uint64_t bytes);

/* Level of MP_IRQ_*. */
void mp_hart_interrupt(struct mp_hart *h, unsigned cause, bool level);
bool mp_hart_interrupt_pending(const struct mp_hart *h); /* enabled in mie; wakes from WFI */

/* At most so many instructions; those that trap count. `*done` is how many. */
enum mp_hart_stop mp_hart_run(struct mp_hart *h, uint64_t instructions, uint64_t *done);
/* The run under way ends before its next instruction, and no other begins. May be called by the bus. */
void mp_hart_halt(struct mp_hart *h);
bool mp_hart_halted(const struct mp_hart *h);
const char *mp_hart_why(const struct mp_hart *h);

/* Register numbers as GDB has them for riscv: 0 to 31 x0 to x31, 32 pc, 65 + n CSR n. mip shows the levels of
 * the interrupts, the counters the count of instructions; neither can be written. */
enum { MP_HART_PC = 32, MP_HART_CSR = 65 };
bool mp_hart_read(struct mp_hart *h, unsigned number, uint64_t *value);
bool mp_hart_write(struct mp_hart *h, unsigned number, uint64_t value);

#define MP_HART_BREAKPOINTS 32u
/* False when there is no room. */
bool mp_hart_break(struct mp_hart *h, uint64_t address, bool set);

/* Watchpoints look at every instruction, at some tenth of the speed. A kind is a set of these. */
enum { MP_HART_READ = 1, MP_HART_WRITE = 2 };
#define MP_HART_WATCHPOINTS 16u
/* The core stops after an access of this kind that touches these bytes, memory or device. False when there is
 * no room. */
bool mp_hart_watch(struct mp_hart *h, uint64_t address, uint64_t bytes, unsigned kind, bool set);
/* Of the latest MP_HART_WATCHPOINT: the first byte touched, and the kind asked for. */
uint64_t mp_hart_watched(const struct mp_hart *h, unsigned *kind);

/* The instruction under way, or the latest. */
uint64_t mp_hart_at(const struct mp_hart *h);
/* Calls `see` before each of the instructions `first` to `last`, counted from 1; 0 is no instruction that
 * could be fetched. */
typedef void mp_hart_see(void *self, uint64_t number, uint64_t pc, uint32_t instruction);
void mp_hart_trace(struct mp_hart *h, uint64_t first, uint64_t last, mp_hart_see *see, void *self);

/* An exception, and what is of interest of the moment when it was taken. */
struct mp_hart_exception {
    uint64_t number; /* of its instruction, counted from 1; 0: there was none */
    uint64_t pc, value, sp;
    uint64_t from;        /* of MP_TRAP_FETCH: the instruction that led there */
    uint32_t instruction; /* at pc; 0 where there is no memory */
    unsigned cause;
};
/* The latest exception; and the earliest of those whose handler has not executed MRET. */
const struct mp_hart_exception *mp_hart_latest_exception(const struct mp_hart *h);
const struct mp_hart_exception *mp_hart_open_exception(const struct mp_hart *h);

struct mp_hart_counts {
    uint64_t instructions; /* begun */
    uint64_t exceptions[MP_TRAPS], interrupts[MP_TRAPS];
};
const struct mp_hart_counts *mp_hart_counts(const struct mp_hart *h);

#ifdef __cplusplus
}
#endif
#endif
