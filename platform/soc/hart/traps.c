/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: interrupts, bus errors and exceptions, and the entry into the handler. */
#include "soc/hart/parts.h"

#include <stdio.h>

enum { MPIE_SHIFT = 4, MPP_SHIFT = 11 };

bool mp_hart_interrupt_due(const struct mp_hart *h)
{
    return h->pending & h->csr.mie && (h->privilege != MP_HART_MACHINE || h->csr.mstatus & MSTATUS_MIE);
}

static void set_privilege(struct mp_hart *h, unsigned privilege)
{
    h->privilege = privilege;
    mp_hart_update_views(h);
}

static void enter_trap(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    struct csrs *c = &h->csr;
    c->mepc = epc;
    c->mcause = cause;
    c->mtval = value;
    c->mstatus = (c->mstatus & ~(uint64_t)(MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPP)) |
                 (c->mstatus & MSTATUS_MIE) << MPIE_SHIFT | (uint64_t)h->privilege << MPP_SHIFT;
    h->next = c->mtvec & ~3ull;
    if (c->mtvec & 1 && cause >> 63)
        h->next += 4 * (cause & 63);
    set_privilege(h, MP_HART_MACHINE);
    h->depth++;
    h->entered = h->counts.instructions;
    h->handler = h->next;
}

uint64_t mp_hart_mret(struct mp_hart *h)
{
    struct csrs *c = &h->csr;
    unsigned to = mp_hart_mpp(c->mstatus);
    uint64_t lost = MSTATUS_MIE | MSTATUS_MPP | (to == MP_HART_MACHINE ? 0 : MSTATUS_MPRV);
    c->mstatus = (c->mstatus & ~lost) | (c->mstatus & MSTATUS_MPIE) >> MPIE_SHIFT | MSTATUS_MPIE;
    set_privilege(h, to);
    if (h->pending) /* an interrupt may be due now */
        h->until = 0;
    if (h->depth == h->open_depth)
        h->open.number = 0;
    h->depth -= h->depth > 0;
    h->trapped_at_entry = 0;
    return c->mepc;
}

static void remember(struct mp_hart *h, unsigned cause, uint64_t pc, uint64_t value)
{
    h->latest = (struct mp_hart_exception){.number = h->counts.instructions,
                                           .pc = pc,
                                           .value = value,
                                           .from = cause == MP_TRAP_FETCH ? h->pc : pc,
                                           .instruction = mp_hart_instruction(h, pc),
                                           .cause = cause,
                                           .privilege = h->privilege,
                                           .denied = h->denied,
                                           .view = (cause == MP_TRAP_FETCH ? h->fetches : h->data).privilege};
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
                 "the trap handler at 0x%llx itself traps (cause %u); mtvec must point to code",
                 (unsigned long long)epc, cause);
}

/* External, software, timer: the order in the privileged specification. */
void mp_hart_take_interrupt(struct mp_hart *h)
{
    static const unsigned order[] = {MP_IRQ_EXTERNAL, MP_IRQ_SOFTWARE, MP_IRQ_TIMER};
    if (!mp_hart_interrupt_due(h))
        return;
    uint64_t due = h->pending & h->csr.mie;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
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
