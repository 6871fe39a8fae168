/* SPDX-License-Identifier: Apache-2.0 */
/* Which translations an invalidation concerns: one page or all, one address space or all. */
#ifndef MP_ENGINE_SCOPE_H
#define MP_ENGINE_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

struct mp_scope {
    bool every_asid, every_page;
    bool tables; /* the upper levels of the page tables have changed too, which page walk caches hold */
    uint16_t asid;
    uint64_t va; /* any address in the page */
};

static inline bool mp_scope_has(const struct mp_scope *s, uint16_t asid, uint64_t va, uint32_t page_shift)
{
    return (s->every_asid || s->asid == asid) && (s->every_page || s->va >> page_shift == va >> page_shift);
}

#endif
