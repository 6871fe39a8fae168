/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/hart/hart.h"

#include <stdlib.h>

#include "soc/hart/parts.h"

/* --- between instructions ------------------------------------------------------------------------- */

static bool is_breakpoint(const struct mp_hart *h, uint64_t pc)
{
    for (unsigned i = 0; i < h->breakpoints; i++)
        if (h->breakpoint[i] == pc)
            return true;
    return false;
}

/* Notes whether the instruction at pc is about to make an access that matches a watchpoint. */
static void look_for_watched(struct mp_hart *h, uint64_t pc)
{
    struct mp_rv_access a;
    if (!mp_rv_access(mp_hart_instruction(h, pc), &a))
        return;
    uint64_t at = h->x[a.base] + (uint64_t)(int64_t)a.offset;
    unsigned does = (a.write ? MP_HART_WRITE : 0) | (!a.write || a.atomic ? MP_HART_READ : 0);
    for (unsigned i = 0; i < h->watchpoints; i++) {
        const struct watchpoint *w = &h->watchpoint[i];
        if (w->kind & does && (at - w->address < w->bytes || w->address - at < a.width)) {
            h->watched = true;
            h->watched_at = at - w->address < w->bytes ? at : w->address;
            h->watched_kind = w->kind;
            return;
        }
    }
}

/* Returns the count from which the closer check is made, if `number` is the next instruction. */
static uint64_t next_look(const struct mp_hart *h, uint64_t number)
{
    if (h->breakpoints || h->watchpoints || h->watched)
        return 0;
    if (!h->trace_first || number > h->trace_last || h->trace_first > h->limit)
        return h->limit;
    return h->trace_first - 1;
}

enum event mp_hart_look(struct mp_hart *h, uint64_t pc)
{
    if (h->watched && !h->halted)
        return WATCHPOINT;
    if (h->halted || h->counts.instructions >= h->limit)
        return LIMIT;
    if (h->until == 0 && mp_hart_interrupts_due(h))
        return INTERRUPT;
    if (h->changed)
        return CHANGED;
    if (is_breakpoint(h, pc) && h->counts.instructions != h->reported)
        return BREAKPOINT;
    mp_hart_tell(h, pc);
    if (h->watchpoints)
        look_for_watched(h, pc);
    h->until = next_look(h, h->counts.instructions + 2);
    return NOTHING;
}

void mp_hart_tell(const struct mp_hart *h, uint64_t pc)
{
    uint64_t number = h->counts.instructions + 1;
    if (h->trace_first && number >= h->trace_first && number <= h->trace_last)
        h->see(h->seer, number, pc, mp_hart_instruction(h, pc));
}

/* --- the interface ------------------------------------------------------------------------------ */

struct mp_hart *mp_hart_new(const struct mp_hart_bus *bus, struct mp_error *err)
{
    struct mp_hart *h = calloc(1, sizeof *h);
    if (!h) {
        mp_fail(err, "core: out of memory");
        return NULL;
    }
    h->bus = *bus;
    h->reported = UINT64_MAX;
    h->reserved = NO_ADDRESS;
    h->privilege = MP_HART_MACHINE;
    h->csr.mstatus = MSTATUS_MPP;
    mp_hart_update_pmp(h);
    return h;
}

void mp_hart_free(struct mp_hart *h)
{
    for (unsigned i = 0; h && i < h->memories; i++) {
        for (uint64_t p = 0; p < h->memory[i].bytes / PAGE; p++)
            free(h->memory[i].page[p]);
        free(h->memory[i].page);
    }
    free(h);
}

int mp_hart_map_memory(struct mp_hart *h, uint64_t base, uint64_t bytes, void *memory, bool writable,
                       struct mp_error *err)
{
    struct memory *m = &h->memory[h->memories];
    if (h->memories == MEMORIES || !bytes || (base | bytes) % PAGE)
        return mp_fail(err,
                       "core: memory at 0x%llx cannot be mapped; %d pieces of whole 4 KB pages are possible",
                       (unsigned long long)base, MEMORIES);
    *m = (struct memory){base, bytes, memory, writable, calloc(bytes / PAGE, sizeof *m->page)};
    if (!m->page)
        return mp_fail(err, "core: out of memory");
    h->memories++;
    if (writable && !h->memory[0].writable) { /* more is accessed than in ROM */
        struct memory first = h->memory[0];
        h->memory[0] = *m;
        *m = first;
    }
    return 0;
}

int mp_hart_map_devices(struct mp_hart *h, uint64_t base, uint64_t bytes, struct mp_error *err)
{
    if (h->windows == WINDOWS)
        return mp_fail(err, "core: too many windows for devices; %d are possible", WINDOWS);
    h->window[h->windows++] = (struct window){base, bytes};
    return 0;
}

void mp_hart_forget(struct mp_hart *h, uint64_t base, uint64_t bytes)
{
    for (unsigned i = 0; i < h->memories; i++) {
        struct memory *m = &h->memory[i];
        uint64_t first = base < m->base ? m->base : base,
                 end = base + bytes < m->base + m->bytes ? base + bytes : m->base + m->bytes;
        if (first < end)
            mp_hart_changed(m, first - m->base, end - first);
    }
}

void mp_hart_interrupt(struct mp_hart *h, unsigned cause, bool level)
{
    h->pending = level ? h->pending | 1u << cause : h->pending & ~(1u << cause);
    if (level && h->running)
        h->until = 0;
}

bool mp_hart_interrupt_pending(const struct mp_hart *h)
{
    return mp_hart_mip(h) & h->csr.mie;
}

static enum mp_hart_stop state(const struct mp_hart *h)
{
    if (h->why[0])
        return MP_HART_STUCK;
    return h->halted ? MP_HART_HALTED : MP_HART_LIMIT;
}

/* Runs from h->next until an event, and handles the event. */
static enum mp_hart_stop run_once(struct mp_hart *h)
{
    h->until = next_look(h, h->counts.instructions + 1);
    h->running = true;
    enum event event = mp_hart_execute(h);
    h->running = false;
    switch (event) {
    case EXCEPTION:
        mp_hart_take_exception(h);
        return state(h);
    case WAITS:
        return MP_HART_WAITS;
    case BREAKPOINT:
        h->reported = h->counts.instructions;
        return MP_HART_BREAKPOINT;
    case WATCHPOINT:
        h->watched = false;
        return MP_HART_WATCHPOINT;
    default:
        return state(h);
    }
}

enum mp_hart_stop mp_hart_run(struct mp_hart *h, uint64_t instructions, uint64_t *done)
{
    enum mp_hart_stop stop = state(h);
    uint64_t start = h->counts.instructions;
    h->limit = start + instructions;
    while (stop == MP_HART_LIMIT && h->counts.instructions < h->limit) {
        mp_hart_take_interrupt(h);
        stop = run_once(h);
    }
    *done = h->counts.instructions - start;
    return stop;
}

void mp_hart_halt(struct mp_hart *h)
{
    h->halted = true;
    h->until = 0;
}

bool mp_hart_halted(const struct mp_hart *h)
{
    return h->halted;
}

const char *mp_hart_why(const struct mp_hart *h)
{
    return h->why;
}

const struct mp_hart_exception *mp_hart_latest_exception(const struct mp_hart *h)
{
    return &h->latest;
}

const struct mp_hart_exception *mp_hart_open_exception(const struct mp_hart *h)
{
    return &h->open;
}

const struct mp_hart_counts *mp_hart_counts(const struct mp_hart *h)
{
    return &h->counts;
}
