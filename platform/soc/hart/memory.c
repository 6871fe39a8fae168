/* SPDX-License-Identifier: Apache-2.0 */
/* What a hart fetches, loads and stores, and the decoded instructions of its memories. */
#include "soc/hart/parts.h"

#include <stdlib.h>

uint32_t mp_hart_instruction(const struct mp_hart *h, uint64_t pc)
{
    uint16_t low, high = 0;
    const struct memory *m = mp_hart_memory(h, pc, 2);
    if (!m)
        return 0;
    memcpy(&low, m->host + (pc - m->base), 2);
    m = (low & 3) == 3 ? mp_hart_memory(h, pc + 2, 2) : NULL;
    if (m)
        memcpy(&high, m->host + (pc + 2 - m->base), 2);
    return (uint32_t)high << 16 | low;
}

/* --- decoded instructions ------------------------------------------------------------------------- */

static struct page *new_page(uint64_t base)
{
    struct page *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->base = base;
    p->op[PAGE / 2].code = p->op[PAGE / 2 + 1].code = MP_RV_LONG(NEXT_PAGE);
    return p;
}

struct page *mp_hart_page(struct mp_hart *h, uint64_t pc)
{
    for (unsigned i = 0; i < h->memories; i++) {
        struct memory *m = &h->memory[i];
        uint64_t at = pc - m->base;
        if (at >= m->bytes)
            continue;
        struct page **p = &m->page[at / PAGE];
        if (!*p)
            *p = new_page(pc / PAGE * PAGE);
        return *p;
    }
    return NULL;
}

void mp_hart_decode(struct mp_hart *h, uint64_t pc, struct mp_rv_op *op)
{
    uint32_t instruction = mp_hart_instruction(h, pc);
    *op = mp_rv_decode(instruction, pc);
    if (mp_rv_length(instruction) == 2)
        return;
    if (!mp_hart_memory(h, pc, 4))
        op->code = MP_RV_LONG(NO_MEMORY);
    else if (pc % PAGE == PAGE - 2) /* stores to its second half are noticed in pages that were executed */
        mp_hart_page(h, pc + 2);
}

/* An instruction begins up to one halfword before its last byte's. */
static void forget_in_page(struct page *p, uint64_t first, uint64_t last)
{
    if (!p)
        return;
    for (uint64_t i = first ? first - 1 : 0; i <= last; i++)
        p->op[i].code = MP_RV_LONG(UNKNOWN);
}

void mp_hart_changed(struct memory *m, uint64_t offset, uint64_t bytes)
{
    uint64_t last = offset + bytes - 1;
    if (offset / PAGE && offset % PAGE < 2) /* an instruction may begin in the page before */
        forget_in_page(m->page[offset / PAGE - 1], PAGE / 2 - 1, PAGE / 2 - 1);
    for (uint64_t page = offset / PAGE; page <= last / PAGE; page++)
        forget_in_page(m->page[page], page == offset / PAGE ? offset % PAGE / 2 : 0,
                       page == last / PAGE ? last % PAGE / 2 : PAGE / 2 - 1);
}

/* --- loads and stores ----------------------------------------------------------------------------- */

static bool fail(struct mp_hart *h, unsigned cause, uint64_t address)
{
    h->cause = cause;
    h->value = address;
    return false;
}

static bool is_device(const struct mp_hart *h, uint64_t address)
{
    for (unsigned i = 0; i < h->windows; i++)
        if (address - h->window[i].base < h->window[i].bytes)
            return true;
    return false;
}

static bool refuse(struct mp_hart *h, uint64_t address, unsigned width, bool write)
{
    if (h->bus.refused)
        h->bus.refused(h->bus.self, address, width, write);
    return fail(h, write ? MP_TRAP_STORE : MP_TRAP_LOAD, address);
}

/* The bus sees whole, aligned accesses only. */
static bool device(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value, bool write)
{
    if (!is_device(h, address) || address % width)
        return refuse(h, address, width, write);
    return h->bus.access(h->bus.self, address, value, width, write) ||
           fail(h, write ? MP_TRAP_STORE : MP_TRAP_LOAD, address);
}

bool mp_hart_load(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    *value = 0;
    if (!m)
        return device(h, address, width, value, false);
    memcpy(value, m->host + (address - m->base), width);
    return true;
}

bool mp_hart_store(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    if (!m)
        return device(h, address, width, &value, true);
    if (!m->writable)
        return refuse(h, address, width, true);
    memcpy(m->host + (address - m->base), &value, width);
    mp_hart_changed(&h->memory[m - h->memory], address - m->base, width);
    return true;
}

uint8_t *mp_hart_atomic(struct mp_hart *h, uint64_t address, unsigned width, bool loads_only)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    if (address % width)
        fail(h, loads_only ? MP_TRAP_LOAD_MISALIGNED : MP_TRAP_STORE_MISALIGNED, address);
    else if (!m || !(m->writable || loads_only))
        refuse(h, address, width, !loads_only);
    else
        return m->host + (address - m->base);
    return NULL;
}
