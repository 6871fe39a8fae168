/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger's access to the hart: registers by number, breakpoints, watchpoints, traces. */
#include "soc/hart/parts.h"

bool mp_hart_read(struct mp_hart *h, unsigned number, uint64_t *value)
{
    if (number >= MP_HART_CSR && number < MP_HART_PRIVILEGE)
        return mp_hart_read_csr(h, number - MP_HART_CSR, value);
    *value = number == MP_HART_PC          ? h->next
             : number == MP_HART_PRIVILEGE ? h->privilege
             : number < MP_HART_PC         ? h->x[number]
                                           : 0;
    return number <= MP_HART_PC || number == MP_HART_PRIVILEGE;
}

static bool set_privilege(struct mp_hart *h, uint64_t privilege)
{
    if (privilege > MP_HART_MACHINE || !mp_hart_is_privilege((unsigned)privilege))
        return false;
    h->privilege = (unsigned)privilege;
    mp_hart_update_views(h);
    return true;
}

bool mp_hart_write(struct mp_hart *h, unsigned number, uint64_t value)
{
    if (number == MP_HART_PRIVILEGE)
        return set_privilege(h, value);
    if (number >= MP_HART_CSR)
        return number < MP_HART_PRIVILEGE && mp_hart_write_csr(h, number - MP_HART_CSR, value);
    if (number == MP_HART_PC)
        h->next = value & ~1ull;
    else if (number && number < MP_HART_PC)
        h->x[number] = value;
    return number <= MP_HART_PC;
}

void mp_hart_state(const struct mp_hart *h, uint64_t state[MP_HART_STATE])
{
    const uint64_t rest[] = {h->next, h->privilege, h->pending, h->reserved, h->reserved_value};
    _Static_assert(31 + sizeof rest / 8 + sizeof h->csr / 8 == MP_HART_STATE, "all that there is");
    memcpy(state, h->x + 1, 31 * sizeof *state);
    memcpy(state + 31, rest, sizeof rest);
    memcpy(state + 31 + sizeof rest / 8, &h->csr, sizeof h->csr);
}

bool mp_hart_peek(const struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    *value = 0;
    if (m)
        memcpy(value, m->host + (address - m->base), width);
    return m;
}

bool mp_hart_poke(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    if (m && m->writable)
        mp_hart_store_memory(h, address, width, value);
    return m && m->writable;
}

bool mp_hart_break(struct mp_hart *h, uint64_t address, bool wanted)
{
    unsigned i = 0;
    while (i < h->breakpoints && h->breakpoint[i] != address)
        i++;
    if (wanted && i == h->breakpoints) {
        if (i == MP_HART_BREAKPOINTS)
            return false;
        h->breakpoint[h->breakpoints++] = address;
    } else if (!wanted && i < h->breakpoints) {
        h->breakpoint[i] = h->breakpoint[--h->breakpoints];
    }
    return true;
}

bool mp_hart_watch(struct mp_hart *h, uint64_t address, uint64_t bytes, unsigned kind, bool wanted)
{
    unsigned i = 0;
    while (i < h->watchpoints && (h->watchpoint[i].address != address || h->watchpoint[i].bytes != bytes ||
                                  h->watchpoint[i].kind != kind))
        i++;
    if (wanted && i == h->watchpoints) {
        if (i == MP_HART_WATCHPOINTS)
            return false;
        h->watchpoint[h->watchpoints++] = (struct watchpoint){address, bytes, kind};
    } else if (!wanted && i < h->watchpoints) {
        h->watchpoint[i] = h->watchpoint[--h->watchpoints];
        h->watched = false;
    }
    return true;
}

uint64_t mp_hart_watched(const struct mp_hart *h, unsigned *kind)
{
    *kind = h->watched_kind;
    return h->watched_at;
}

uint64_t mp_hart_at(const struct mp_hart *h)
{
    return h->pc;
}

void mp_hart_trace(struct mp_hart *h, uint64_t first, uint64_t last, mp_hart_see *see, void *self)
{
    h->trace_first = first;
    h->trace_last = last;
    h->see = see;
    h->seer = self;
}
