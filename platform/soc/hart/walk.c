/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page tables: Sv39 and Sv48 (The RISC-V Instruction Set Manual, Volume II, sections 4.3 to 4.5). A walk sets
 * the bits A and D itself, so that only missing pages and permissions are page faults. It reads the tables
 * with S-mode's permissions by PMP, and from memory only.
 */
#include "soc/hart/parts.h"

enum { V = 1 << 0, R = 1 << 1, W = 1 << 2, X = 1 << 3, U = 1 << 4, A = 1 << 6, D = 1 << 7 };
enum { PPN_SHIFT = 10, PPN_BITS = 44, LEVEL_BITS = 9, PAGE_SHIFT = 12 };
#define RESERVED (UINT64_MAX << (PPN_SHIFT + PPN_BITS))

enum end { FOUND, PAGE_FAULT, ACCESS_FAULT };

static const unsigned page_faults[] = {
    [FETCH] = MP_TRAP_FETCH_PAGE, [LOAD] = MP_TRAP_LOAD_PAGE, [STORE] = MP_TRAP_STORE_PAGE};

static uint64_t bits(uint64_t value, unsigned low, unsigned n)
{
    return value >> low & ((1ull << n) - 1);
}

/* The place of an entry in memory, or NULL. */
static uint8_t *entry_at(const struct mp_hart *h, uint64_t address, enum access access)
{
    const struct memory *m = mp_hart_memory(h, address, sizeof(uint64_t));
    if (!m || (access == STORE && !m->writable) ||
        !mp_hart_pmp_permits(h, address, sizeof(uint64_t), access, MP_HART_SUPERVISOR))
        return NULL;
    return m->host + (address - m->base);
}

static bool is_leaf(uint64_t entry)
{
    return entry & (R | X);
}

static bool is_valid(uint64_t entry)
{
    if (!(entry & V) || entry & RESERVED || (entry & (R | W)) == W)
        return false;
    return is_leaf(entry) || !(entry & (U | A | D));
}

/* Bits above those that are translated are copies of the highest of these. */
static bool is_canonical(uint64_t address, unsigned width)
{
    return (uint64_t)((int64_t)(address << (64 - width)) >> (64 - width)) == address;
}

static enum end find_leaf(const struct mp_hart *h, uint64_t address, struct mp_hart_walk *w)
{
    enum { OF_SV39 = 3 };
    unsigned levels = (unsigned)(h->csr.satp >> SATP_MODE_SHIFT) - SATP_SV39 + OF_SV39;
    uint64_t table = bits(h->csr.satp, 0, PPN_BITS) << PAGE_SHIFT;
    *w = (struct mp_hart_walk){.level = levels};
    if (!is_canonical(address, PAGE_SHIFT + LEVEL_BITS * levels))
        return PAGE_FAULT;
    while (w->level > 0) {
        w->level--;
        w->entry = table + sizeof(uint64_t) * bits(address, PAGE_SHIFT + LEVEL_BITS * w->level, LEVEL_BITS);
        const uint8_t *at = entry_at(h, w->entry, LOAD);
        if (!at)
            return ACCESS_FAULT;
        memcpy(&w->value, at, sizeof w->value);
        if (!is_valid(w->value))
            return PAGE_FAULT;
        if (is_leaf(w->value))
            return FOUND;
        table = bits(w->value, PPN_SHIFT, PPN_BITS) << PAGE_SHIFT;
    }
    return PAGE_FAULT;
}

static uint64_t address_in(const struct mp_hart_walk *w, uint64_t address)
{
    uint64_t offset = bits(address, 0, PAGE_SHIFT + LEVEL_BITS * w->level);
    return bits(w->value, PPN_SHIFT, PPN_BITS) << PAGE_SHIFT | offset;
}

/* Of a page of more than 4 KB. */
static bool is_misaligned(const struct mp_hart_walk *w)
{
    return bits(w->value, PPN_SHIFT, LEVEL_BITS * w->level) != 0;
}

static bool permits(const struct mp_hart *h, unsigned privilege, uint64_t leaf, enum access access)
{
    uint64_t mstatus = h->csr.mstatus;
    unsigned needs = access == FETCH ? X : access == STORE ? W : mstatus & MSTATUS_MXR ? R | X : R;
    bool is_user = leaf & U;
    if (privilege == MP_HART_USER ? !is_user : is_user && (access == FETCH || !(mstatus & MSTATUS_SUM)))
        return false;
    return leaf & needs;
}

/* Sets A, and D for a store. */
static bool mark(struct mp_hart *h, const struct mp_hart_walk *w, enum access access)
{
    uint64_t marked = w->value | A | (access == STORE ? D : 0);
    if (marked == w->value)
        return true;
    if (!entry_at(h, w->entry, STORE))
        return false;
    mp_hart_store_memory(h, w->entry, sizeof marked, marked);
    return true;
}

bool mp_hart_walk(struct mp_hart *h, unsigned privilege, uint64_t address, enum access access,
                  uint64_t *physical)
{
    struct mp_hart_walk *w = &h->walk;
    enum end end = find_leaf(h, address, w);
    if (end == FOUND && (is_misaligned(w) || !permits(h, privilege, w->value, access)))
        end = PAGE_FAULT;
    if (end == PAGE_FAULT)
        return mp_hart_fail(h, page_faults[access], address);
    if (end == ACCESS_FAULT || !mark(h, w, access)) {
        mp_hart_deny(h, address, access);
        h->physical = w->entry;
        return false;
    }
    *physical = address_in(w, address);
    return true;
}

bool mp_hart_find(const struct mp_hart *h, const struct view *v, uint64_t address, uint64_t *physical)
{
    struct mp_hart_walk w;
    *physical = address;
    if (!v->translated)
        return true;
    if (find_leaf(h, address, &w) != FOUND)
        return false;
    *physical = address_in(&w, address);
    return true;
}

bool mp_hart_physical(const struct mp_hart *h, uint64_t address, uint64_t *physical)
{
    return mp_hart_find(h, &h->data, address, physical);
}
