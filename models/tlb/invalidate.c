/* SPDX-License-Identifier: Apache-2.0 */
/* Invalidation of a TLB's translations, those in its array and those that it waits for. */
#include <stddef.h>

#include "tlb/parts.h"

/* One page of one address space. */
static uint32_t remove_page(struct mp_tlb *t, uint16_t asid, uint64_t vpn)
{
    const struct mp_tlb_hooks *hooks = t->hooks;
    if (!hooks || !hooks->left)
        return t->policy->invalidate_page(t->state, asid, vpn, NULL);
    struct mp_tlb_left left;
    left.count = left.pages = 0;
    uint32_t gone = t->policy->invalidate_page(t->state, asid, vpn, &left);
    if (left.count)
        hooks->left(hooks->self, &left);
    return gone;
}

static uint32_t remove_pages(struct mp_tlb *t, uint16_t asid, const struct mp_scope *s)
{
    uint32_t gone = 0;
    for (uint32_t left = t->size.used; left; left &= left - 1) {
        uint32_t size = (uint32_t)__builtin_ctz(left);
        uint64_t last = mp_tlb_number(&t->size, mp_scope_last(s), size);
        for (uint64_t vpn = mp_tlb_number(&t->size, s->va, size); vpn <= last; vpn++)
            gone += remove_page(t, asid, vpn);
    }
    return gone;
}

static uint32_t empty_array(struct mp_tlb *t, const struct mp_scope *s)
{
    uint32_t gone = 0;
    if (s->every_page && s->every_asid)
        return t->policy->invalidate_all(t->state);
    for (uint32_t asids = t->asids; asids; asids &= asids - 1) {
        uint16_t asid = (uint16_t)__builtin_ctz(asids);
        if (!s->every_asid && asid != s->asid)
            continue;
        gone += s->every_page ? t->policy->invalidate_asid(t->state, asid) : remove_pages(t, asid, s);
    }
    return gone;
}

uint32_t mp_tlb_stale_from(const struct mp_tlb *t, const struct mp_req *down, const struct mp_scope *s)
{
    uint32_t from = 0;
    for (uint32_t size = t->size.count; size-- > 0; from = t->size.shift[size])
        if (!mp_scope_has(s, down->asid, down->va, t->size.shift[size] + t->policy->reach))
            break;
    return from;
}

/* The answer to a miss in flight may be a page of any size. */
static void make_stale(const struct mp_tlb *t, struct mp_mshr *m, const struct mp_scope *s)
{
    uint32_t from = mp_tlb_stale_from(t, &t->down[m - t->mshr.entry], s);
    if (from && from == t->size.shift[0])
        m->stale = true;
    else if (from && (!m->stale_from || m->stale_from > from))
        m->stale_from = (uint16_t)from;
}

uint32_t mp_tlb_invalidate(struct mp_tlb *t, const struct mp_scope *s)
{
    for (uint32_t b = 0; t->mshr.used && b <= t->mshr.mask; b++)
        for (uint16_t i = t->mshr.bucket[b]; i; i = t->mshr.entry[i - 1].chain)
            make_stale(t, &t->mshr.entry[i - 1], s);
    if (t->hooks && t->hooks->invalidates)
        t->hooks->invalidates(t->hooks->self, s);
    uint32_t buffered = t->prefetch ? mp_prefetch_invalidate(t->prefetch, s) : 0;
    return buffered + empty_array(t, s);
}
