/* SPDX-License-Identifier: Apache-2.0 */
/* What a hart fetches, loads and stores, and the decoded instructions of its memories. */
#include "soc/hart/parts.h"

#include <stddef.h>
#include <stdlib.h>

static bool find_half(const struct mp_hart *h, uint64_t pc, uint16_t *half)
{
    uint64_t physical;
    const struct memory *m =
        mp_hart_find(h, &h->fetches, pc, &physical) ? mp_hart_memory(h, physical, 2) : NULL;
    if (m)
        memcpy(half, m->host + (physical - m->base), 2);
    return m;
}

uint32_t mp_hart_instruction(const struct mp_hart *h, uint64_t pc)
{
    uint16_t low = 0, high = 0;
    if (find_half(h, pc, &low) && mp_rv_length(low) == 4)
        find_half(h, pc + 2, &high);
    return (uint32_t)high << 16 | low;
}

/* --- decoded instructions ------------------------------------------------------------------------- */

static struct page *new_page(const uint8_t *host)
{
    struct page *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->host = host;
    p->op[PAGE / 2].code = MP_RV_LONG(NEXT_PAGE);
    return p;
}

static struct page *page_of(struct mp_hart *h, uint64_t physical)
{
    for (unsigned i = 0; i < h->memories; i++) {
        struct memory *m = &h->memory[i];
        uint64_t at = physical - m->base;
        if (at >= m->bytes)
            continue;
        struct page **p = &m->page[at / PAGE];
        if (!*p)
            *p = new_page(m->host + at / PAGE * PAGE);
        return *p;
    }
    return NULL;
}

/* What is refused at a physical address is refused at the program's. Returns false. */
static bool refused_at(struct mp_hart *h, uint64_t address)
{
    h->value = address;
    return false;
}

struct mp_rv_op *mp_hart_fetch(struct mp_hart *h, uint64_t pc)
{
    uint64_t physical = pc;
    if (!h->fetches.direct) {
        if (!mp_hart_translate(h, pc, 2, FETCH, &physical))
            return NULL;
        if (!mp_hart_is_known(h, pc, FETCH))
            return mp_hart_fetch_alone(h, pc);
    }
    struct page *p = page_of(h, physical);
    if (p)
        return &p->op[pc % PAGE / 2];
    mp_hart_fail(h, MP_TRAP_FETCH, physical);
    refused_at(h, pc);
    return NULL;
}

/* The second half of the page's last instruction is fetched when it is executed: it may be anywhere then. */
void mp_hart_decode(struct mp_rv_op *op, uint64_t pc)
{
    uint64_t offset = pc % PAGE;
    const struct mp_rv_op *first = op - offset / 2;
    const uint8_t *host = ((const struct page *)((const char *)first - offsetof(struct page, op)))->host;
    uint32_t instruction = 0;
    memcpy(&instruction, host + offset, offset == PAGE - 2 ? 2 : 4);
    if (offset == PAGE - 2 && mp_rv_length(instruction) == 4)
        op->code = MP_RV_LONG(SPLIT);
    else
        *op = mp_rv_decode(instruction, pc);
}

static bool fetch_half(struct mp_hart *h, uint64_t address, uint16_t *half)
{
    uint64_t physical = address;
    if (!h->fetches.direct && !mp_hart_translate(h, address, 2, FETCH, &physical))
        return false;
    const struct memory *m = mp_hart_memory(h, physical, 2);
    if (!m)
        return mp_hart_fail(h, MP_TRAP_FETCH, physical) || refused_at(h, address);
    memcpy(half, m->host + (physical - m->base), 2);
    return true;
}

struct mp_rv_op *mp_hart_fetch_alone(struct mp_hart *h, uint64_t pc)
{
    uint16_t low, high = 0;
    if (!fetch_half(h, pc, &low) || (mp_rv_length(low) == 4 && !fetch_half(h, pc + 2, &high)))
        return NULL;
    uint32_t instruction = (uint32_t)high << 16 | low;
    struct lone *l = &h->lone[(instruction ^ instruction >> 7 ^ instruction >> 20) % LONES];
    if (l->instruction == instruction && l->op[0].code)
        return l->op;
    l->instruction = instruction;
    l->op[0] = mp_rv_decode(instruction, pc);
    l->op[0].near = false;
    l->op[1].code = l->op[2].code = MP_RV_LONG(NEXT_PAGE);
    return l->op;
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
    for (uint64_t page = offset / PAGE; page <= last / PAGE; page++)
        forget_in_page(m->page[page], page == offset / PAGE ? offset % PAGE / 2 : 0,
                       page == last / PAGE ? last % PAGE / 2 : PAGE / 2 - 1);
}

/* --- loads and stores of physical addresses ------------------------------------------------------- */

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
    return mp_hart_fail(h, write ? MP_TRAP_STORE : MP_TRAP_LOAD, address);
}

/* The bus sees whole, aligned accesses only. */
static bool device(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value, bool write)
{
    if (!is_device(h, address) || address % width)
        return refuse(h, address, width, write);
    return h->bus.access(h->bus.self, address, value, width, write) ||
           mp_hart_fail(h, write ? MP_TRAP_STORE : MP_TRAP_LOAD, address);
}

static bool load(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    *value = 0;
    if (!m)
        return device(h, address, width, value, false);
    memcpy(value, m->host + (address - m->base), width);
    return true;
}

void mp_hart_store_memory(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    memcpy(m->host + (address - m->base), &value, width);
    mp_hart_changed(&h->memory[m - h->memory], address - m->base, width);
}

static bool store(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value)
{
    const struct memory *m = mp_hart_memory(h, address, width);
    if (!m)
        return device(h, address, width, &value, true);
    if (!m->writable)
        return refuse(h, address, width, true);
    mp_hart_store_memory(h, address, width, value);
    return true;
}

/* --- loads and stores of the program's addresses -------------------------------------------------- */

static bool crosses(uint64_t address, unsigned width)
{
    return address % PAGE > PAGE - width;
}

/* The parts of an access that crosses the end of a page. Both must be in memory. */
struct parts {
    uint64_t address[2], physical[2];
    unsigned width[2];
};

static bool find_parts(struct mp_hart *h, struct parts *p, uint64_t address, unsigned width,
                       enum access access)
{
    unsigned first = PAGE - address % PAGE;
    *p = (struct parts){.address = {address, address + first}, .width = {first, width - first}};
    for (unsigned i = 0; i < 2; i++)
        if (!mp_hart_translate(h, p->address[i], p->width[i], access, &p->physical[i]))
            return false;
    for (unsigned i = 0; i < 2; i++) {
        const struct memory *m = mp_hart_memory(h, p->physical[i], p->width[i]);
        if (!m || (access == STORE && !m->writable))
            return refuse(h, p->physical[i], p->width[i], access == STORE) || refused_at(h, p->address[i]);
    }
    return true;
}

static bool load_parts(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value)
{
    struct parts p;
    if (!find_parts(h, &p, address, width, LOAD))
        return false;
    *value = 0;
    for (unsigned i = 0; i < 2; i++) {
        const struct memory *m = mp_hart_memory(h, p.physical[i], p.width[i]);
        memcpy((uint8_t *)value + (p.address[i] - address), m->host + (p.physical[i] - m->base), p.width[i]);
    }
    return true;
}

static bool store_parts(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value)
{
    struct parts p;
    if (!find_parts(h, &p, address, width, STORE))
        return false;
    mp_hart_store_memory(h, p.physical[0], p.width[0], value);
    mp_hart_store_memory(h, p.physical[1], p.width[1], value >> 8 * p.width[0]);
    return true;
}

bool mp_hart_load(struct mp_hart *h, uint64_t address, unsigned width, uint64_t *value)
{
    uint64_t physical = address;
    if (!h->data.direct) {
        if (crosses(address, width))
            return load_parts(h, address, width, value);
        if (!mp_hart_translate(h, address, width, LOAD, &physical))
            return false;
    }
    return load(h, physical, width, value) || refused_at(h, address);
}

bool mp_hart_store(struct mp_hart *h, uint64_t address, unsigned width, uint64_t value)
{
    uint64_t physical = address;
    if (!h->data.direct) {
        if (crosses(address, width))
            return store_parts(h, address, width, value);
        if (!mp_hart_translate(h, address, width, STORE, &physical))
            return false;
    }
    return store(h, physical, width, value) || refused_at(h, address);
}

uint8_t *mp_hart_atomic(struct mp_hart *h, uint64_t address, unsigned width, bool loads_only,
                        uint64_t *physical)
{
    *physical = address;
    if (address % width) {
        mp_hart_fail(h, loads_only ? MP_TRAP_LOAD_MISALIGNED : MP_TRAP_STORE_MISALIGNED, address);
        return NULL;
    }
    if (!h->data.direct && !mp_hart_translate(h, address, width, loads_only ? LOAD : STORE, physical))
        return NULL;
    const struct memory *m = mp_hart_memory(h, *physical, width);
    if (m && (m->writable || loads_only))
        return m->host + (*physical - m->base);
    refuse(h, *physical, width, !loads_only);
    refused_at(h, address);
    return NULL;
}
