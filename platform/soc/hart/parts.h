/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the hart share. */
#ifndef MP_SOC_HART_PARTS_H
#define MP_SOC_HART_PARTS_H

#include <unicorn/unicorn.h>

#include "soc/hart/hart.h"
#include "soc/hart/rv_access.h"

enum { MEMORIES = 4, WINDOWS = 16, SPECIAL = 4096 };
enum { MSTATUS_MIE = 0x8 };
enum event { NOTHING, LIMIT, BREAKPOINT, WATCHPOINT, READ_CSR, INTERRUPT, EXCEPTION };

struct memory {
    uint64_t base, bytes;
    uint8_t *host;
};

struct window {
    struct mp_hart *hart;
    uint64_t base;
};

struct watchpoint {
    uint64_t address, bytes;
    unsigned kind;
};

struct mp_hart {
    uc_engine *uc;
    struct mp_hart_bus bus;
    struct mp_hart_counts counts;
    uint64_t until; /* the hook makes its closer check from this count on: limit, or 0 to check at once */
    uint64_t limit, reported; /* reported: the count at the latest reported breakpoint, which does not stop
                             the run again at once */
    uint64_t pc;              /* of the latest instruction that the hook saw */
    uint64_t next;            /* address at which the next run begins */
    bool running, halted;
    enum event event;
    unsigned exception; /* for EXCEPTION, Unicorn's number */
    uint32_t pending;   /* one bit per interrupt cause */

    /* The device access of the current instruction. Unicorn splits wide or misaligned accesses into
     * pieces; the bus sees one access. */
    uint64_t access_number; /* the instruction's number, 0 if there is none yet */
    uint64_t access_address, access_data;
    uint64_t fault_pc;
    bool faulted; /* a bus error occurred: the destination register gets its old value back */
    struct mp_rv_access access;
    uint64_t old_data;
    uint64_t bad_address; /* for an access outside the map */

    struct mp_hart_exception latest, open; /* open.number is 0 if all handlers have returned */
    unsigned depth, open_depth; /* number of traps that have not returned, including the open one */
    uint64_t entered, handler;  /* at the latest trap: number of instructions, and address */
    unsigned trapped_at_entry;  /* number of consecutive traps in the handler's first instructions */

    /* Nonzero, by address, where the hook must make a closer check: breakpoints, CSRs that the hart reads
     * in Unicorn's place, instructions that may enable interrupts. */
    uint8_t special[SPECIAL];
    uint64_t breakpoint[MP_HART_BREAKPOINTS];
    struct watchpoint watchpoint[MP_HART_WATCHPOINTS];
    bool watched; /* the latest instruction has a breakpoint */
    uint64_t watched_at;
    unsigned watched_kind;
    uint64_t trace_first, trace_last; /* the instructions for which `see` is called; none if first is 0 */
    mp_hart_see *see;
    void *seer;
    unsigned breakpoints, watchpoints, memories, windows;
    struct memory memory[MEMORIES];
    struct window window[WINDOWS];
    char why[160];
};

static inline uint64_t get(const struct mp_hart *h, int id)
{
    uint64_t value = 0;
    uc_reg_read(h->uc, id, &value);
    return value;
}

static inline void set(struct mp_hart *h, int id, uint64_t value)
{
    uc_reg_write(h->uc, id, &value);
}

static inline uint64_t register_of(const struct mp_hart *h, unsigned number)
{
    return number ? get(h, UC_RISCV_REG_X0 + (int)number) : 0;
}

enum {
    CSR_MISA = 0x301,
    CSR_MIP = 0x344,
    CSR_MCYCLE = 0xb00,
    CSR_MINSTRET = 0xb02,
    CSR_CYCLE = 0xc00,
    CSR_TIME = 0xc01,
    CSR_INSTRET = 0xc02
};

/* CSRs that Unicorn does not have as this hart does: misa, mip, time, and counters, for which it would return
 * the host's clock. */
static inline bool is_own_csr(unsigned csr)
{
    return csr == CSR_MISA || csr == CSR_MIP || csr == CSR_MCYCLE || csr == CSR_MINSTRET ||
           csr == CSR_CYCLE || csr == CSR_TIME || csr == CSR_INSTRET;
}

uint64_t mp_hart_own_csr(const struct mp_hart *h, unsigned csr);

static inline uint8_t *special(struct mp_hart *h, uint64_t pc)
{
    return &h->special[pc >> 1 & (SPECIAL - 1)];
}

enum {
    SYSTEM = 0x73,
    BRANCH = 0x63,
    JALR = 0x67,
    JAL = 0x6f,
    WFI = 0x10500073,
    MRET = 0x30200073,
    EBREAK = 0x00100073
};
enum { C_EBREAK = 0x9002 };

/* Returns the instruction at pc, or 0, which is no valid instruction, if there is no memory. */
uint32_t mp_hart_instruction(const struct mp_hart *h, uint64_t pc);
/* Returns the address that the current instruction accesses. */
uint64_t mp_hart_address_of(const struct mp_hart *h, const struct mp_rv_access *a);
/* Reports the instruction at pc, which is about to begin, to the tracer if it is in the window. */
void mp_hart_tell(const struct mp_hart *h, uint64_t pc);

bool mp_hart_interrupt_due(const struct mp_hart *h);
/* Without other modes, mstatus.MPP holds M only. */
void mp_hart_stay_in_m(struct mp_hart *h);
/* The current instruction is MRET. */
void mp_hart_leave_trap(struct mp_hart *h);
/* Each of these enters the trap handler if its cause is present. */
void mp_hart_take_interrupt(struct mp_hart *h);
void mp_hart_take_bus_error(struct mp_hart *h);
void mp_hart_take_exception(struct mp_hart *h);
void mp_hart_take_error(struct mp_hart *h, uc_err error);

#endif
