/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/repeat.h"

#include <string.h>

#include "soc/hart/csr.h"
#include "soc/hart/rv_access.h"

static uint64_t count(const struct mp_repeat *r)
{
    return mp_hart_counts(r->hart)->instructions;
}

void mp_repeat_forget(struct mp_repeat *r)
{
    mp_hart_state(r->hart, r->state);
    r->saved = count(r);
    r->quanta = 0;
    r->power = 1;
    r->follows = r->broken = false;
}

void mp_repeat_init(struct mp_repeat *r, struct mp_hart *hart)
{
    r->hart = hart;
    mp_repeat_forget(r);
}

static bool came_back(const struct mp_repeat *r)
{
    uint64_t state[MP_HART_STATE];
    mp_hart_state(r->hart, state);
    return !memcmp(state, r->state, sizeof state);
}

/* --- the search ----------------------------------------------------------------------------------- */

static void search(struct mp_repeat *r)
{
    r->quanta++;
    if (came_back(r)) {
        r->period = count(r) - r->saved;
        r->follows = r->period <= MP_REPEAT_PERIOD;
        r->broken = false;
        r->begun = count(r);
        r->periods = r->stores = 0;
        r->reads = 0;
    } else if (r->quanta == r->power) {
        mp_hart_state(r->hart, r->state);
        r->saved = count(r);
        r->quanta = 0;
        r->power *= 2;
    }
}

/* --- a loop that may be endless ------------------------------------------------------------------- */

static bool memory_came_back(const struct mp_repeat *r)
{
    uint64_t now;
    for (unsigned i = 0; i < r->stores; i++)
        if (!mp_hart_peek(r->hart, r->store[i].address, r->store[i].width, &now) || now != r->store[i].old)
            return false;
    return true;
}

/* After each quantum of a period that is followed. */
static bool follow(struct mp_repeat *r)
{
    uint64_t done = count(r) - r->begun;
    if (done < r->period && !r->broken)
        return false;
    bool same = done == r->period && !r->broken && came_back(r) && memory_came_back(r);
    if (same && r->periods++ && r->reads == r->reads_before)
        return true;
    if (!same || r->periods > 1) { /* look for another, after more quanta */
        uint64_t power = r->power * 2;
        mp_repeat_forget(r);
        r->power = power;
        return false;
    }
    r->reads_before = r->reads;
    r->reads = r->stores = 0;
    r->begun = count(r);
    return false;
}

bool mp_repeat_quantum(struct mp_repeat *r)
{
    if (r->follows)
        return follow(r);
    search(r);
    return false;
}

static bool reads_time(uint32_t code)
{
    enum { SYSTEM = 0x73 };
    return (code & 0x7f) == SYSTEM && code >> 12 & 3 && mp_csr_is_time(code >> 20);
}

/* At its physical address, since pages may be mapped in other places later. A store that faults changes
 * nothing. */
static void note_store(struct mp_repeat *r, uint64_t program_address, unsigned width)
{
    enum { PAGE = 4096 };
    uint64_t old, address;
    if (!mp_hart_physical(r->hart, program_address, &address))
        return;
    if (address != program_address && program_address % PAGE > PAGE - width)
        r->broken = true; /* its parts may be anywhere */
    for (unsigned i = 0; i < r->stores; i++)
        if (r->store[i].address == address && r->store[i].width == width)
            return;
    if (!mp_hart_peek(r->hart, address, width, &old)) /* a device, which reports its accesses */
        return;
    if (r->stores == MP_REPEAT_STORES) {
        r->broken = true;
        return;
    }
    r->store[r->stores].address = address;
    r->store[r->stores].width = width;
    r->store[r->stores++].old = old;
}

void mp_repeat_look(struct mp_repeat *r, uint32_t code)
{
    struct mp_rv_access a;
    if (reads_time(code))
        r->broken = true;
    if (mp_rv_access(code, &a) && a.write) {
        uint64_t base;
        mp_hart_read(r->hart, a.base, &base);
        note_store(r, base + (uint64_t)(int64_t)a.offset, a.width);
    }
}

void mp_repeat_access(struct mp_repeat *r, uint64_t address, uint64_t value, bool write, bool is_time)
{
    if (write || is_time)
        r->broken = true;
    r->reads = ((r->reads ^ address) * 0x9e3779b97f4a7c15u ^ value) * 0xc2b2ae3d27d4eb4fu;
}
