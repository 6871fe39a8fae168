/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the papers (DWS Sec. II): the page walk cache is looked up once and lets the walk skip the
 * levels of the longest prefix that it holds; every entry that is read comes into it. */
#include "walk/method/entry.h"

static enum mp_walk_step radix_next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (__builtin_expect(!mp_walk_good(w, k, form, entry), 0))
        return mp_walk_refuse(w, k, form, entry);
    if (form->page_shift) {
        mp_walk_page(k, form, entry);
        return MP_WALK_END;
    }
    mp_walk_descend(w, k, form, entry);
    return MP_WALK_READ;
}

const struct mp_walk_method mp_walk_radix = {
    .design = {.name = "on_return",
               .title =
                   "a walk skips the page walk cache's longest prefix and inserts entries as it reads them"},
    .next = radix_next,
    MP_WALK_BY_LEVEL,
};
