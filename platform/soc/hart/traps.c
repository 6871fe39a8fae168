/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: interrupts, bus errors and exceptions, and the entry into the handler. */
#include "soc/hart/parts.h"

#include <stdio.h>

enum { MPIE_SHIFT = 4 };

bool mp_hart_interrupt_due(const struct mp_hart *h)
{
    return h->pending & h->mie && h->mstatus & MSTATUS_MIE;
}

static void enter_trap(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    h->mepc = epc;
    h->mcause = cause;
    h->mtval = value;
    h->mstatus = (h->mstatus & MSTATUS_MIE) << MPIE_SHIFT | MSTATUS_MPP_M;
    h->next = h->mtvec & ~3ull;
    if (h->mtvec & 1 && cause >> 63)
        h->next += 4 * (cause & 63);
    h->depth++;
    h->entered = h->counts.instructions;
    h->handler = h->next;
}

/* MRET, apart from the jump. */
void mp_hart_leave_trap(struct mp_hart *h)
{
    h->mstatus = (h->mstatus & MSTATUS_MPIE) >> MPIE_SHIFT | MSTATUS_MPIE | MSTATUS_MPP_M;
    if (h->pending) /* an interrupt may be due now */
        h->until = 0;
    if (h->depth == h->open_depth)
        h->open.number = 0;
    h->depth -= h->depth > 0;
    h->trapped_at_entry = 0;
}

static void remember(struct mp_hart *h, unsigned cause, uint64_t pc, uint64_t value)
{
    h->latest = (struct mp_hart_exception){.number = h->counts.instructions,
                                           .pc = pc,
                                           .value = value,
                                           .from = cause == MP_TRAP_FETCH ? h->pc : pc,
                                           .instruction = mp_hart_instruction(h, pc),
                                           .cause = cause};
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
    enter_trap(h, cause, epc, value);
    if (!h->why[0] && h->next == epc)
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
    uint64_t due = h->pending & h->mie;
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
