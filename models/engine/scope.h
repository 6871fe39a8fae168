/* SPDX-License-Identifier: Apache-2.0 */
/* The translations that an invalidation concerns: some pages or all, one address space or all. */
#ifndef MP_ENGINE_SCOPE_H
#define MP_ENGINE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct mp_scope {
    bool every_asid, every_page;
    bool tables; /* the upper levels of the page tables have changed too, which page walk caches hold */
    bool translations_stay; /* nothing else has changed: TLBs forget nothing */
    uint16_t asid;
    uint64_t va, bytes; /* all pages of this range; 0 bytes: the page of va */
};

static inline uint64_t mp_scope_last(const struct mp_scope *s)
{
    return s->va + (s->bytes ? s->bytes - 1 : 0);
}

static inline bool mp_scope_has(const struct mp_scope *s, uint16_t asid, uint64_t va, uint32_t page_shift)
{
    uint64_t page = va >> page_shift;
    return (s->every_asid || s->asid == asid) &&
           (s->every_page || (s->va >> page_shift <= page && page <= mp_scope_last(s) >> page_shift));
}

#endif
