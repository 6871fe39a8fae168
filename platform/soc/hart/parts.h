/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the hart share. */
#ifndef MP_SOC_HART_PARTS_H
#define MP_SOC_HART_PARTS_H

#include <string.h>

#include "soc/hart/decode.h"
#include "soc/hart/hart.h"
#include "soc/hart/rv_access.h"

enum { MEMORIES = 4, WINDOWS = 16, PAGE = 4096 };
enum { MSTATUS_MIE = 0x8, MSTATUS_MPIE = 0x80, MSTATUS_MPP_M = 0x1800 };
enum { NO_ADDRESS = 1 }; /* an LR's is even */
enum event { NOTHING, LIMIT, BREAKPOINT, WATCHPOINT, INTERRUPT, EXCEPTION, WAITS };

/* The decoded instructions of a page, by halfword. The last two are MP_RV_NEXT_PAGE: an instruction of 4
 * bytes may end in the next page. */
struct page {
    uint64_t base;
    struct mp_rv_op op[PAGE / 2 + 2];
};

struct memory {
    uint64_t base, bytes;
    uint8_t *host;
    bool writable;
    struct page **page; /* NULL where nothing was executed */
};

struct window {
    uint64_t base, bytes;
};

struct watchpoint {
    uint64_t address, bytes;
    unsigned kind;
};

struct mp_hart {
    uint64_t x[33]; /* the last one is where results for x0 go */
    uint64_t until; /* the closer check is made from this count on: limit, or 0 to check at once */
    struct mp_hart_counts counts;
    uint64_t limit, reported; /* reported: the count at the latest reported breakpoint, which does not stop
                             the run again at once */
    uint64_t pc;              /* of the current or latest instruction */
    uint64_t next;            /* address at which the next run begins */
    uint64_t mstatus, mie, mtvec, mscratch, mepc, mcause, mtval;
    uint64_t reserved, reserved_value; /* by LR; NO_ADDRESS if nothing is */
    uint32_t pending;                  /* one bit per interrupt cause */
    bool running, halted;
    unsigned cause; /* of the exception that ends the run of instructions */
    uint64_t value; /* for mtval */

    struct mp_hart_bus bus;
    struct mp_hart_exception latest, open; /* open.number is 0 if all handlers have returned */
    unsigned depth, open_depth; /* number of traps that have not returned, including the open one */
    uint64_t entered, handler;  /* at the latest trap: number of instructions, and address */
    unsigned trapped_at_entry;  /* number of consecutive traps in the handler's first instructions */

    uint64_t breakpoint[MP_HART_BREAKPOINTS];
    struct watchpoint watchpoint[MP_HART_WATCHPOINTS];
    bool watched; /* the latest instruction has made an access that a watchpoint is for */
    uint64_t watched_at;
    unsigned watched_kind;
    uint64_t trace_first, trace_last; /* the instructions for which `see` is called; none if first is 0 */
    mp_hart_see *see;
    void *seer;
    unsigned breakpoints, watchpoints, memories, windows;
    struct memory memory[MEMORIES]; /* the first is the one that is accessed most */
    struct window window[WINDOWS];
    char why[160];
};

/* The memory that contains all these bytes, or NULL. */
static inline const struct memory *mp_hart_memory(const struct mp_hart *h, uint64_t address, unsigned bytes)
{
    for (unsigned i = 0; i < h->memories; i++)
        if (address - h->memory[i].base <= h->memory[i].bytes - bytes)
            return &h->memory[i];
    return NULL;
}

/* --- memory.c --- */

/* Returns the instruction at pc, or 0, which is no valid instruction, if there is no memory. */
uint32_t mp_hart_instruction(const struct mp_hart *h, uint64_t pc);
/* The page of pc, or NULL if it is in no memory. */
struct page *mp_hart_page(struct mp_hart *h, uint64_t pc);
/* Decodes the instruction at pc, for which `op` is the place. */
void mp_hart_decode(struct mp_hart *h, uint64_t pc, struct mp_rv_op *op);
/* Loads and stores outside the first memory. false: an exception, with cause and value in h. */
bool mp_hart_load(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value);
bool mp_hart_store(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value);
/* The place of an atomic's operand in memory, or NULL: an exception. */
uint8_t *mp_hart_atomic(struct mp_hart *h, uint64_t address, unsigned width, bool loads_only);
/* The bytes of memory have changed. */
void mp_hart_changed(struct memory *m, uint64_t offset, uint64_t bytes);

/* --- execute.c --- */

/* Runs from h->next until an event; h->next is then where to go on, or for an exception its instruction. */
enum event mp_hart_execute(struct mp_hart *h);

/* --- csr.c --- */

/* false: there is no such CSR, or it is read-only. */
bool mp_hart_read_csr(const struct mp_hart *h, unsigned csr, uint64_t *value);
bool mp_hart_write_csr(struct mp_hart *h, unsigned csr, uint64_t value);

/* --- hart.c --- */

/* Returns why the instruction at pc must not run now, or NOTHING if it may. */
enum event mp_hart_look(struct mp_hart *h, uint64_t pc);
/* Reports the instruction at pc, which is about to begin, to the tracer if it is in the window. */
void mp_hart_tell(const struct mp_hart *h, uint64_t pc);

/* --- traps.c --- */

bool mp_hart_interrupt_due(const struct mp_hart *h);
void mp_hart_leave_trap(struct mp_hart *h);
/* Enters the trap handler if an interrupt is due. */
void mp_hart_take_interrupt(struct mp_hart *h);
/* Enters the trap handler for h->cause of the instruction at h->next. */
void mp_hart_take_exception(struct mp_hart *h);

#endif
