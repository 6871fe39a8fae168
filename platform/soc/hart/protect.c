/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the hart may access: physical memory protection (The RISC-V Instruction Set Manual, Volume II, section
 * 3.7), and a table of the pages of which this is known, with their translations.
 */
#include "soc/hart/parts.h"

enum { PMP_TOR = 1, PMP_NA4 = 2, PMP_NAPOT = 3 };
enum { TAG_VALID = 1, TAG_PRIVILEGE = 1, TAG_STATUS = 3 };

/* --- PMP's entries -------------------------------------------------------------------------------- */

static unsigned config(const struct mp_hart *h, unsigned entry)
{
    return h->csr.pmpcfg[entry / 8] >> 8 * (entry % 8) & 0xff;
}

static unsigned mode(unsigned configuration)
{
    return configuration >> 3 & 3;
}

bool mp_hart_pmp_locks(const struct mp_hart *h, unsigned entry)
{
    return config(h, entry) & MP_HART_PMP_LOCKED;
}

bool mp_hart_pmp_is_tor(const struct mp_hart *h, unsigned entry)
{
    return mode(config(h, entry)) == PMP_TOR;
}

static struct pmp_range range_of(const struct mp_hart *h, unsigned entry)
{
    uint64_t end = h->csr.pmpaddr[entry], begin = entry ? h->csr.pmpaddr[entry - 1] : 0, low;
    switch (mode(config(h, entry))) {
    case PMP_TOR:
        break;
    case PMP_NA4:
        begin = end++;
        break;
    case PMP_NAPOT: /* the bits up to the lowest zero are the size */
        low = end ^ (end + 1);
        begin = end & ~low;
        end = (end | low) + 1;
        break;
    default:
        begin = end;
    }
    return begin < end ? (struct pmp_range){begin * 4, end * 4 - 1} : (struct pmp_range){1, 0};
}

void mp_hart_update_pmp(struct mp_hart *h)
{
    h->pmp_locked = false;
    for (unsigned i = 0; i < MP_HART_PMP; i++) {
        h->pmp[i] = range_of(h, i);
        h->pmp_locked |= mp_hart_pmp_locks(h, i) && h->pmp[i].first < h->pmp[i].last;
    }
    mp_hart_forget_translations(h);
    mp_hart_update_views(h);
}

/* The kinds of access, a bit for each, that PMP permits to all these bytes. The first entry that has one of
 * them decides, and permits nothing if it does not have all. */
static unsigned permitted(const struct mp_hart *h, uint64_t first, uint64_t last, unsigned privilege)
{
    static const uint8_t kinds[] = {/* by R, W and X */
                                    0,          1 << LOAD,
                                    0,          1 << LOAD | 1 << STORE,
                                    1 << FETCH, 1 << FETCH | 1 << LOAD,
                                    0,          1 << FETCH | 1 << LOAD | 1 << STORE};
    enum { ALL = 7 };
    bool is_machine = privilege == MP_HART_MACHINE;
    for (unsigned i = 0; i < MP_HART_PMP; i++) {
        const struct pmp_range *r = &h->pmp[i];
        if (r->first > r->last || first > r->last || last < r->first)
            continue;
        if (first < r->first || last > r->last)
            return 0;
        return is_machine && !mp_hart_pmp_locks(h, i) ? ALL : kinds[config(h, i) & 7];
    }
    return is_machine ? ALL : 0;
}

bool mp_hart_pmp_permits(const struct mp_hart *h, uint64_t address, uint64_t bytes, enum access access,
                         unsigned privilege)
{
    return permitted(h, address, address + bytes - 1, privilege) >> access & 1;
}

/* --- views ---------------------------------------------------------------------------------------- */

/* SUM and MXR are part of the tag, so that a change of them forgets nothing. */
static struct view view_of(const struct mp_hart *h, unsigned privilege)
{
    bool is_machine = privilege == MP_HART_MACHINE;
    unsigned status = (unsigned)(h->csr.mstatus / MSTATUS_SUM & 3);
    return (struct view){.privilege = privilege,
                         .direct = is_machine && !h->pmp_locked,
                         .translated = !is_machine && h->csr.satp >> SATP_MODE_SHIFT != SATP_BARE,
                         .tag = TAG_VALID | privilege << TAG_PRIVILEGE | status << TAG_STATUS};
}

void mp_hart_update_views(struct mp_hart *h)
{
    bool were_direct = h->fetches.direct && h->data.direct;
    uint64_t mstatus = h->csr.mstatus;
    h->fetches = view_of(h, h->privilege);
    h->data = view_of(h, mstatus & MSTATUS_MPRV ? mp_hart_mpp(mstatus) : h->privilege);
    if (were_direct && h->fetches.direct && h->data.direct)
        return;
    h->changed = true;
    h->until = 0;
}

/* --- pages ---------------------------------------------------------------------------------------- */

void mp_hart_forget_translations(struct mp_hart *h)
{
    memset(h->translation, 0, sizeof h->translation);
}

static uint64_t tag_of(const struct view *v, uint64_t address)
{
    return address / PAGE * PAGE | v->tag;
}

static const struct view *view_for(const struct mp_hart *h, enum access access)
{
    return access == FETCH ? &h->fetches : &h->data;
}

bool mp_hart_is_known(const struct mp_hart *h, uint64_t address, enum access access)
{
    const struct translation *t = &h->translation[address / PAGE % TRANSLATIONS];
    return t->tag == tag_of(view_for(h, access), address) && t->allowed >> access & 1;
}

static void remember(struct mp_hart *h, uint64_t tag, uint64_t physical, enum access access)
{
    struct translation *t = &h->translation[tag / PAGE % TRANSLATIONS];
    if (t->tag != tag || t->physical != physical)
        *t = (struct translation){tag, physical, 0};
    t->allowed |= 1u << access;
}

bool mp_hart_deny(struct mp_hart *h, uint64_t address, enum access access)
{
    static const unsigned causes[] = {
        [FETCH] = MP_TRAP_FETCH, [LOAD] = MP_TRAP_LOAD, [STORE] = MP_TRAP_STORE};
    mp_hart_fail(h, causes[access], address);
    h->denied = true;
    return false;
}

bool mp_hart_translate(struct mp_hart *h, uint64_t address, unsigned width, enum access access,
                       uint64_t *physical)
{
    const struct view *v = view_for(h, access);
    if (mp_hart_is_known(h, address, access)) {
        *physical = h->translation[address / PAGE % TRANSLATIONS].physical + address % PAGE;
        return true;
    }
    *physical = address;
    if (v->translated && !mp_hart_walk(h, v->privilege, address, access, physical))
        return false;
    uint64_t page = *physical / PAGE * PAGE;
    if (!mp_hart_pmp_permits(h, *physical, width, access, v->privilege)) {
        mp_hart_deny(h, address, access);
        h->physical = *physical;
        return false;
    }
    if (mp_hart_pmp_permits(h, page, PAGE, access, v->privilege))
        remember(h, tag_of(v, address), page, access);
    return true;
}
