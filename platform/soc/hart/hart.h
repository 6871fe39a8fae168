/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One RV64IMAC hart with M-mode, S-mode and U-mode: an interpreter of decoded instructions.
 *
 * Instructions are counted one by one, and the guest sees nothing that depends on the host: cycle and
 * instret return the number of instructions, time what the bus says. Interrupts are taken at the start of a
 * run, and during a run right after the instruction that raised or enabled them. Atomics access memory only.
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

/* Loads and stores to devices, naturally aligned, of 1, 2, 4 or 8 bytes. Returns false for a bus error.
 * The callee may set interrupt levels. */
struct mp_hart_bus {
    void *self;
    bool (*access)(void *self, uint64_t address, uint64_t *data, unsigned width, bool write);
    /* Called for accesses that are refused without reaching the bus: unmapped addresses, stores to ROM,
     * misaligned and atomic accesses to devices. May be NULL. */
    void (*refused)(void *self, uint64_t address, unsigned width, bool write);
    /* The value of the CSR time. NULL if it is always zero. */
    uint64_t (*time)(void *self);
    /* A call by semihosting, in whose place EBREAK is then: arguments and answer are in registers. NULL: it
     * traps. */
    void (*semihost)(void *self);
};

enum mp_hart_stop {
    MP_HART_LIMIT,      /* as many instructions as requested */
    MP_HART_WAITS,      /* WFI, and no enabled interrupt is pending */
    MP_HART_BREAKPOINT, /* before the instruction at the program counter */
    MP_HART_WATCHPOINT, /* after the instruction that made the access; see mp_hart_watched */
    MP_HART_HALTED,     /* mp_hart_halt was called */
    MP_HART_STUCK       /* the state can no longer change; see mp_hart_why */
};

/* Of S-mode and of M-mode. */
enum { MP_IRQ_S_SOFTWARE = 1, MP_IRQ_S_TIMER = 5, MP_IRQ_S_EXTERNAL = 9 };
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
    MP_TRAP_ECALL_USER = 8, /* 8 + the privilege */
    MP_TRAP_ECALL_SUPERVISOR = 9,
    MP_TRAP_ECALL = 11,
    MP_TRAP_FETCH_PAGE = 12,
    MP_TRAP_LOAD_PAGE = 13,
    MP_TRAP_STORE_PAGE = 15,
    MP_TRAPS = 16
};

/* Privilege levels. */
enum { MP_HART_USER = 0, MP_HART_SUPERVISOR = 1, MP_HART_MACHINE = 3 };

#define MP_HART_PMP 16u /* entries */

struct mp_hart;

/* Returns NULL with err on failure. */
struct mp_hart *mp_hart_new(const struct mp_hart_bus *bus, struct mp_error *err);
void mp_hart_free(struct mp_hart *h);

/* Addresses and sizes are multiples of 4 KB. The caller keeps the memory. A store to memory that the guest
 * may not write causes a store fault. */
int mp_hart_map_memory(struct mp_hart *h, uint64_t base, uint64_t bytes, void *memory, bool writable,
                       struct mp_error *err);
int mp_hart_map_devices(struct mp_hart *h, uint64_t base, uint64_t bytes, struct mp_error *err);

/* Reports that something other than the hart has written memory that may contain code. */
void mp_hart_forget(struct mp_hart *h, uint64_t base, uint64_t bytes);

/* Sets the level of MP_IRQ_*. */
void mp_hart_interrupt(struct mp_hart *h, unsigned cause, bool level);
bool mp_hart_interrupt_pending(const struct mp_hart *h); /* enabled in mie; wakes the core from WFI */

/* Runs at most this number of instructions, including those that trap. `*done` receives their number. */
enum mp_hart_stop mp_hart_run(struct mp_hart *h, uint64_t instructions, uint64_t *done);
/* Ends the current run before its next instruction, and prevents further runs. The bus may call it. */
void mp_hart_halt(struct mp_hart *h);
bool mp_hart_halted(const struct mp_hart *h);
const char *mp_hart_why(const struct mp_hart *h);

/* Register numbers as GDB has them for riscv: 0 to 31 for x0 to x31, 32 for pc, 65 + n for CSR n, and then
 * the privilege. mip contains the interrupt levels, and those of S-mode can be set there, too; the counters
 * contain the number of instructions; these, time and misa cannot be written. */
enum { MP_HART_PC = 32, MP_HART_CSR = 65, MP_HART_PRIVILEGE = MP_HART_CSR + 4096 };
bool mp_hart_read(struct mp_hart *h, unsigned number, uint64_t *value);
bool mp_hart_write(struct mp_hart *h, unsigned number, uint64_t value);

/* All that the next instructions depend on, apart from memory and devices. */
#define MP_HART_STATE 74u
void mp_hart_state(const struct mp_hart *h, uint64_t state[MP_HART_STATE]);
/* Where a load of this address is made; false if no page is mapped there. Nothing is checked. */
bool mp_hart_physical(const struct mp_hart *h, uint64_t address, uint64_t *physical);
/* Reads memory at a physical address, of 1 to 8 bytes; false if there is none. */
bool mp_hart_peek(const struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value);
bool mp_hart_poke(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value); /* writable memory */

#define MP_HART_BREAKPOINTS 32u
/* Returns false if there is no room. */
bool mp_hart_break(struct mp_hart *h, uint64_t address, bool set);

/* With breakpoints or watchpoints every instruction is checked, which is slower. A kind is a set of these. */
enum { MP_HART_READ = 1, MP_HART_WRITE = 2 };
#define MP_HART_WATCHPOINTS 16u
/* The core stops after an access of this kind to any of these bytes, in memory or a device. Returns false
 * if there is no room. */
bool mp_hart_watch(struct mp_hart *h, uint64_t address, uint64_t bytes, unsigned kind, bool set);
/* For the latest MP_HART_WATCHPOINT: the first byte accessed, and the kind requested. */
uint64_t mp_hart_watched(const struct mp_hart *h, unsigned *kind);

/* Returns the address of the current instruction, or of the latest one. */
uint64_t mp_hart_at(const struct mp_hart *h);
/* Calls `see` before each of the instructions `first` to `last`, counted from 1. The instruction is 0 if
 * it cannot be fetched. */
typedef void mp_hart_see(void *self, uint64_t number, uint64_t pc, uint32_t instruction);
void mp_hart_trace(struct mp_hart *h, uint64_t first, uint64_t last, mp_hart_see *see, void *self);

/* The last entry that a walk through page tables has read. */
struct mp_hart_walk {
    uint64_t entry, value; /* its physical address, or 0 if the virtual address has no table */
    unsigned level;        /* 0 is the one of 4 KB pages */
};

/* An exception, and the relevant state at the time when it was taken. */
struct mp_hart_exception {
    uint64_t number; /* number of its instruction, counted from 1; 0 if there was no exception */
    uint64_t pc, value;
    uint64_t x[32];       /* registers */
    uint64_t from;        /* for MP_TRAP_FETCH: the instruction that jumped there */
    uint32_t instruction; /* the instruction at pc; 0 if there is no memory */
    unsigned cause, privilege;
    bool denied;   /* by PMP, if it is an access fault */
    unsigned view; /* the privilege that the access had, which MPRV may change */
    bool translated;
    uint64_t physical;        /* of an access fault */
    struct mp_hart_walk walk; /* of a page fault */
};
/* Returns the latest exception, or the earliest one whose handler has not executed MRET. */
const struct mp_hart_exception *mp_hart_latest_exception(const struct mp_hart *h);
const struct mp_hart_exception *mp_hart_open_exception(const struct mp_hart *h);

struct mp_hart_counts {
    uint64_t instructions; /* number of instructions begun */
    uint64_t exceptions[MP_TRAPS], interrupts[MP_TRAPS];
};
const struct mp_hart_counts *mp_hart_counts(const struct mp_hart *h);

#ifdef __cplusplus
}
#endif
#endif
