/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: interrupts, bus errors and exceptions, and the entry into the handler. */
#include "soc/hart/parts.h"

#include <stdio.h>

enum { MPIE_SHIFT = 4, MPP_SHIFT = 11, SPIE_SHIFT = 4, SPP_SHIFT = 8 };

/* Those of M-mode first. A level's are enabled in all levels below it, and in itself by its bit of mstatus.
 */
uint64_t mp_hart_interrupts_due(const struct mp_hart *h)
{
    const struct csrs *c = &h->csr;
    uint64_t ready = mp_hart_mip(h) & c->mie, to_machine = ready & ~c->mideleg;
    if (to_machine && (h->privilege != MP_HART_MACHINE || c->mstatus & MSTATUS_MIE))
        return to_machine;
    bool enabled =
        h->privilege == MP_HART_USER || (h->privilege == MP_HART_SUPERVISOR && c->mstatus & MSTATUS_SIE);
    return enabled ? ready & c->mideleg : 0;
}

static void set_privilege(struct mp_hart *h, unsigned privilege)
{
    h->privilege = privilege;
    mp_hart_update_views(h);
}

/* Returns the handler's address. */
static uint64_t enter_machine(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    struct csrs *c = &h->csr;
    c->mepc = epc;
    c->mcause = cause;
    c->mtval = value;
    c->mstatus = (c->mstatus & ~(uint64_t)(MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPP)) |
                 (c->mstatus & MSTATUS_MIE) << MPIE_SHIFT | (uint64_t)h->privilege << MPP_SHIFT;
    set_privilege(h, MP_HART_MACHINE);
    return c->mtvec;
}

static uint64_t enter_supervisor(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    struct csrs *c = &h->csr;
    c->sepc = epc;
    c->scause = cause;
    c->stval = value;
    c->mstatus = (c->mstatus & ~(uint64_t)(MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP)) |
                 (c->mstatus & MSTATUS_SIE) << SPIE_SHIFT | (uint64_t)h->privilege << SPP_SHIFT;
    set_privilege(h, MP_HART_SUPERVISOR);
    return c->stvec;
}

static void enter_trap(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    uint64_t delegated = cause >> 63 ? h->csr.mideleg : h->csr.medeleg;
    bool to_supervisor = h->privilege != MP_HART_MACHINE && delegated >> (cause & 63) & 1;
    uint64_t vector = (to_supervisor ? enter_supervisor : enter_machine)(h, cause, epc, value);
    h->next = vector & ~3ull;
    if (vector & 1 && cause >> 63)
        h->next += 4 * (cause & 63);
    h->depth++;
    h->entered = h->counts.instructions;
    h->handler = h->next;
}

static void leave_trap(struct mp_hart *h, unsigned to)
{
    if (to != MP_HART_MACHINE)
        h->csr.mstatus &= ~(uint64_t)MSTATUS_MPRV;
    set_privilege(h, to);
    if (mp_hart_interrupts_due(h))
        h->until = 0;
    if (h->depth == h->open_depth)
        h->open.number = 0;
    h->depth -= h->depth > 0;
    h->trapped_at_entry = 0;
}

uint64_t mp_hart_mret(struct mp_hart *h)
{
    struct csrs *c = &h->csr;
    unsigned to = mp_hart_mpp(c->mstatus);
    c->mstatus = (c->mstatus & ~(uint64_t)(MSTATUS_MIE | MSTATUS_MPP)) |
                 (c->mstatus & MSTATUS_MPIE) >> MPIE_SHIFT | MSTATUS_MPIE;
    leave_trap(h, to);
    return c->mepc;
}

uint64_t mp_hart_sret(struct mp_hart *h)
{
    struct csrs *c = &h->csr;
    unsigned to = c->mstatus & MSTATUS_SPP ? MP_HART_SUPERVISOR : MP_HART_USER;
    c->mstatus = (c->mstatus & ~(uint64_t)(MSTATUS_SIE | MSTATUS_SPP)) |
                 (c->mstatus & MSTATUS_SPIE) >> SPIE_SHIFT | MSTATUS_SPIE;
    leave_trap(h, to);
    return c->sepc;
}

static void remember(struct mp_hart *h, unsigned cause, uint64_t pc, uint64_t value)
{
    const struct view *v = cause == MP_TRAP_FETCH || cause == MP_TRAP_FETCH_PAGE ? &h->fetches : &h->data;
    h->latest = (struct mp_hart_exception){.number = h->counts.instructions,
                                           .pc = pc,
                                           .value = value,
                                           .from = v == &h->fetches ? h->pc : pc,
                                           .instruction = mp_hart_instruction(h, pc),
                                           .cause = cause,
                                           .privilege = h->privilege,
                                           .view = v->privilege,
                                           .denied = h->denied,
                                           .translated = v->translated,
                                           .physical = h->physical,
                                           .walk = h->walk};
    memcpy(h->latest.x, h->x, sizeof h->latest.x);
    if (h->open.number)
        return;
    h->open = h->latest;
    h->open_depth = h->depth + 1;
}

/* The handler's first instructions, before any jump, save registers. If they cannot be saved, that causes
 * another trap, and so on for ever. */
static bool in_entry(const struct mp_hart *h, uint64_t pc)
{
    enum { LONGEST = 64 };
    uint64_t done = h->counts.instructions - h->entered;
    return h->depth && done <= LONGEST && pc - h->handler <= 4 * done;
}

static void look_for_loop(struct mp_hart *h, unsigned cause, uint64_t pc)
{
    enum { PATIENCE = 3 };
    h->trapped_at_entry = in_entry(h, pc) ? h->trapped_at_entry + 1 : 0;
    if (h->trapped_at_entry == PATIENCE)
        snprintf(h->why, sizeof h->why,
                 "the trap handler at 0x%llx traps at 0x%llx (cause %u) before it has saved the registers",
                 (unsigned long long)h->handler, (unsigned long long)pc, cause);
}

static void except(struct mp_hart *h, unsigned cause, uint64_t epc, uint64_t value)
{
    h->counts.exceptions[cause % MP_TRAPS]++;
    h->watched = false; /* no memory was accessed */
    remember(h, cause, epc, value);
    look_for_loop(h, cause, epc);
    unsigned from = h->privilege;
    enter_trap(h, cause, epc, value);
    if (!h->why[0] && h->next == epc && h->privilege == from)
        snprintf(h->why, sizeof h->why,
                 "the trap handler at 0x%llx itself traps (cause %u); %s must point to code",
                 (unsigned long long)epc, cause, from == MP_HART_MACHINE ? "mtvec" : "stvec");
}

/* External, software, timer, those of M-mode first: the order in the privileged specification. */
void mp_hart_take_interrupt(struct mp_hart *h)
{
    static const unsigned order[] = {MP_IRQ_EXTERNAL,   MP_IRQ_SOFTWARE,   MP_IRQ_TIMER,
                                     MP_IRQ_S_EXTERNAL, MP_IRQ_S_SOFTWARE, MP_IRQ_S_TIMER};
    uint64_t due = mp_hart_interrupts_due(h);
    for (unsigned i = 0; due && i < sizeof order / sizeof *order; i++)
        if (due >> order[i] & 1) {
            h->counts.interrupts[order[i]]++;
            enter_trap(h, 1ull << 63 | order[i], h->next, 0);
            return;
        }
}

void mp_hart_take_exception(struct mp_hart *h)
{
    except(h, h->cause, h->next, h->value);
}
