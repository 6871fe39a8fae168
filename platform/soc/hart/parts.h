/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the hart share. */
#ifndef MP_SOC_HART_PARTS_H
#define MP_SOC_HART_PARTS_H

#include <string.h>

#include "soc/hart/decode.h"
#include "soc/hart/hart.h"
#include "soc/hart/rv_access.h"

enum { MEMORIES = 4, WINDOWS = 16, PAGE = 4096, TRANSLATIONS = 256, LONES = 16 };
enum { NO_ADDRESS = 1 }; /* an LR's is even */
enum event { NOTHING, LIMIT, BREAKPOINT, WATCHPOINT, INTERRUPT, CHANGED, EXCEPTION, WAITS };
enum access { FETCH, LOAD, STORE };

enum { /* bits of mstatus */
       MSTATUS_SIE = 1 << 1,
       MSTATUS_MIE = 1 << 3,
       MSTATUS_SPIE = 1 << 5,
       MSTATUS_MPIE = 1 << 7,
       MSTATUS_SPP = 1 << 8,
       MSTATUS_MPP = 3 << 11,
       MSTATUS_MPRV = 1 << 17,
       MSTATUS_SUM = 1 << 18,
       MSTATUS_MXR = 1 << 19,
       MSTATUS_TVM = 1 << 20,
       MSTATUS_TW = 1 << 21,
       MSTATUS_TSR = 1 << 22
};
enum { SATP_MODE_SHIFT = 60, SATP_BARE = 0, SATP_SV39 = 8, SATP_SV48 = 9 };

/* The decoded instructions of a page, by halfword. Behind them is MP_RV_NEXT_PAGE. */
struct page {
    const uint8_t *host;
    struct mp_rv_op op[PAGE / 2 + 1];
};

/* An instruction that is decoded without its page: its two halves are in different pages, or the page is not
 * executable as a whole. Behind either length is MP_RV_NEXT_PAGE. */
struct lone {
    uint32_t instruction;
    struct mp_rv_op op[3];
};

/* As what fetches, or loads and stores, are checked. */
struct view {
    unsigned privilege;
    bool direct;     /* they are neither translated nor checked */
    bool translated; /* by page tables */
    unsigned tag;
};

/* A page that PMP permits as a whole. */
struct translation {
    uint64_t tag; /* page and view; 0 if there is none */
    uint64_t physical;
    unsigned allowed; /* a bit per kind of access */
};

struct pmp_range {
    uint64_t first, last; /* first is greater if it is empty */
};

/* The CSRs that are stored. All are words, see mp_hart_state. */
struct csrs {
    uint64_t mstatus, mie, mtvec, mscratch, mepc, mcause, mtval, mcounteren, menvcfg, medeleg, mideleg;
    uint64_t mip; /* what software has set */
    uint64_t stvec, sscratch, sepc, scause, stval, scounteren, senvcfg, satp;
    uint64_t pmpcfg[2], pmpaddr[MP_HART_PMP];
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
    uint64_t origin;          /* see PC in execute.c */
    uint64_t limit, reported; /* reported: the count at the latest reported breakpoint, which does not stop
                             the run again at once */
    uint64_t pc;              /* of the current or latest instruction */
    uint64_t next;            /* address at which the next run begins */
    struct csrs csr;
    unsigned privilege;                /* MP_HART_USER and others */
    uint64_t reserved, reserved_value; /* by LR, a physical address; NO_ADDRESS if nothing is */
    uint32_t pending;                  /* one bit per interrupt cause */
    bool running, halted;
    unsigned cause; /* of the exception that ends the run of instructions */
    uint64_t value; /* for mtval */
    bool denied;    /* by PMP, if it is an access fault */
    uint64_t physical;
    struct mp_hart_walk walk; /* the latest */

    struct view fetches, data;
    bool changed; /* they may have, since the loop in execute.c began */

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

    struct pmp_range pmp[MP_HART_PMP];
    bool pmp_locked; /* some of it is for M-mode, too */
    struct translation translation[TRANSLATIONS];
    struct lone lone[LONES];
};

static inline bool mp_hart_fail(struct mp_hart *h, unsigned cause, uint64_t value)
{
    h->cause = cause;
    h->value = h->physical = value;
    h->denied = false;
    return false;
}

/* All interrupts that are pending. */
static inline uint64_t mp_hart_mip(const struct mp_hart *h)
{
    return h->pending | h->csr.mip;
}

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
/* The place of the instruction at pc, or NULL: an exception, with cause and value in h. */
struct mp_rv_op *mp_hart_fetch(struct mp_hart *h, uint64_t pc);
/* The same for an instruction that is decoded alone. */
struct mp_rv_op *mp_hart_fetch_alone(struct mp_hart *h, uint64_t pc);
/* Decodes the instruction at pc, for which `op` is the place in its page. */
void mp_hart_decode(struct mp_rv_op *op, uint64_t pc);
/* Loads and stores that the loop does not make itself. false: an exception, with cause and value in h. */
bool mp_hart_load(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value);
bool mp_hart_store(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value);
/* The place of an atomic's operand in memory, or NULL: an exception. `*physical` receives its address. */
uint8_t *mp_hart_atomic(struct mp_hart *h, uint64_t address, unsigned width, bool loads_only,
                        uint64_t *physical);
/* Stores to memory that may contain code. */
void mp_hart_store_memory(struct mp_hart *h, uint64_t physical, unsigned width, uint64_t value);
/* The bytes of memory have changed. */
void mp_hart_changed(struct memory *m, uint64_t offset, uint64_t bytes);

/* --- protect.c --- */

enum { MP_HART_PMP_LOCKED = 0x80 };

static inline bool mp_hart_is_privilege(unsigned number)
{
    return number == MP_HART_USER || number == MP_HART_SUPERVISOR || number == MP_HART_MACHINE;
}

static inline unsigned mp_hart_mpp(uint64_t mstatus)
{
    return mstatus / (MSTATUS_MPP & -MSTATUS_MPP) & 3;
}

/* To be called after the privilege or mstatus has changed. */
void mp_hart_update_views(struct mp_hart *h);
/* To be called after PMP's entries have changed. */
void mp_hart_update_pmp(struct mp_hart *h);
void mp_hart_forget_translations(struct mp_hart *h);
bool mp_hart_pmp_locks(const struct mp_hart *h, unsigned entry);
bool mp_hart_pmp_is_tor(const struct mp_hart *h, unsigned entry);
/* Whether the access may be made, and the address that it has then; false: an exception. It must be in one
 * page. Only for views that are not direct. */
bool mp_hart_translate(struct mp_hart *h, uint64_t address, unsigned width, enum access access,
                       uint64_t *physical);
bool mp_hart_pmp_permits(const struct mp_hart *h, uint64_t address, uint64_t bytes, enum access access,
                         unsigned privilege);
/* An access fault because of PMP. Returns false. */
bool mp_hart_deny(struct mp_hart *h, uint64_t address, enum access access);
/* Whether all of the page is known to permit this access. */
bool mp_hart_is_known(const struct mp_hart *h, uint64_t address, enum access access);

/* --- walk.c --- */

/* The physical address for an access with this privilege; false: an exception. */
bool mp_hart_walk(struct mp_hart *h, unsigned privilege, uint64_t address, enum access access,
                  uint64_t *physical);
/* The same without permission, exception or change. */
bool mp_hart_find(const struct mp_hart *h, const struct view *v, uint64_t address, uint64_t *physical);

/* --- execute.c --- */

/* Runs from h->next until an event; h->next is then where to go on, or for an exception its instruction. */
enum event mp_hart_execute(struct mp_hart *h);

/* --- csr.c --- */

/* false: there is no such CSR, or it is read-only. Privilege is for the caller to check. */
bool mp_hart_read_csr(const struct mp_hart *h, unsigned csr, uint64_t *value);
bool mp_hart_write_csr(struct mp_hart *h, unsigned csr, uint64_t value);
/* Whether an instruction may access it. */
bool mp_hart_csr_allowed(const struct mp_hart *h, unsigned csr);

/* --- hart.c --- */

/* Returns why the instruction at pc must not run now, or NOTHING if it may. */
enum event mp_hart_look(struct mp_hart *h, uint64_t pc);
/* Reports the instruction at pc, which is about to begin, to the tracer if it is in the window. */
void mp_hart_tell(const struct mp_hart *h, uint64_t pc);

/* --- traps.c --- */

/* The interrupts that are to be taken now. */
uint64_t mp_hart_interrupts_due(const struct mp_hart *h);
/* Return from the trap to the address that the function returns. */
uint64_t mp_hart_mret(struct mp_hart *h);
uint64_t mp_hart_sret(struct mp_hart *h);
/* Enters the trap handler if an interrupt is due. */
void mp_hart_take_interrupt(struct mp_hart *h);
/* Enters the trap handler for h->cause of the instruction at h->next. */
void mp_hart_take_exception(struct mp_hart *h);

#endif
