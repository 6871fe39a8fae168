/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the hart share. */
#ifndef MP_SOC_HART_PARTS_H
#define MP_SOC_HART_PARTS_H

#include <unicorn/unicorn.h>

#include "soc/hart.h"
#include "soc/rv_access.h"

enum { MEMORIES = 4, WINDOWS = 16, SPECIAL = 4096 };
enum { MSTATUS_MIE = 0x8 };
enum event { NOTHING, LIMIT, BREAKPOINT, WATCHPOINT, COUNTER, INTERRUPT, EXCEPTION };

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
    uint64_t until;       /* the hook looks closer from this count on: limit, or 0 to be asked at once */
    uint64_t limit, told; /* told: the count at the latest breakpoint, which is not met again at once */
    uint64_t pc;          /* of the latest instruction that the hook saw */
    uint64_t next;        /* where the next run begins */
    bool running, halted;
    enum event event;
    unsigned exception; /* of an EXCEPTION, as Unicorn numbers it */
    uint32_t pending;   /* a bit per interrupt cause */

    /* The device access that the current instruction makes. Unicorn cuts wide or misaligned ones into
     * pieces; the bus sees one. */
    uint64_t access_number; /* the instruction's count, 0: none yet */
    uint64_t access_address, access_data;
    uint64_t fault_pc;
    bool faulted; /* it met a bus error: its destination register gets its old value back */
    struct mp_rv_access access;
    uint64_t old_data;
    uint64_t bad_address; /* of an access outside the map */

    struct mp_hart_exception latest, open; /* open.number is 0 when all handlers have returned */
    unsigned depth, open_depth;            /* traps that have not returned; with the open one */
    uint64_t entered, handler;             /* by the latest trap: count of instructions, and where */
    bool left_m;                           /* an MRET led to a lower mode */
    unsigned trapped_at_entry; /* times in a row that a handler trapped in its first instructions */

    /* Nonzero where the hook must look closer: breakpoints, counter reads, enabling interrupts; by address.
     */
    uint8_t special[SPECIAL];
    uint64_t breakpoint[MP_HART_BREAKPOINTS];
    struct watchpoint watchpoint[MP_HART_WATCHPOINTS];
    bool watched; /* the latest instruction met one */
    uint64_t watched_at;
    unsigned watched_kind;
    uint64_t trace_first, trace_last; /* instructions that `see` is called for; none when first is 0 */
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

/* mcycle, minstret, cycle and instret, which Unicorn would answer with the host's clock. */
static inline bool is_counter(unsigned csr)
{
    return csr == 0xb00 || csr == 0xb02 || csr == 0xc00 || csr == 0xc02;
}

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

/* The instruction at pc; 0, which is none, where there is no memory. */
uint32_t mp_hart_instruction(const struct mp_hart *h, uint64_t pc);
/* The address of an access of the current instruction. */
uint64_t mp_hart_address_of(const struct mp_hart *h, const struct mp_rv_access *a);
/* Reports the instruction at pc, which is about to begin, to the tracer if it is in the window. */
void mp_hart_tell(const struct mp_hart *h, uint64_t pc);

bool mp_hart_interrupt_due(const struct mp_hart *h);
/* The current instruction is MRET. */
void mp_hart_leave_trap(struct mp_hart *h);
/* Each enters the trap handler if its cause is there. */
void mp_hart_take_interrupt(struct mp_hart *h);
void mp_hart_take_bus_error(struct mp_hart *h);
void mp_hart_take_exception(struct mp_hart *h);
void mp_hart_take_error(struct mp_hart *h, uc_err error);

#endif
