/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of CoLT as MESC compares it (Sec. VI-A): as `on_return`, but the line with the page's leaf shows
 * which of its neighbours are contiguous with it. */
#include "walk/method/entry.h"

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (!mp_walk_good(w, k, form, entry))
        return mp_walk_fail(k, form, entry);
    if (form->page_shift) {
        if (mp_walk_at_small(k))
            mp_walk_run(w, k, form, entry);
        else
            mp_walk_page(k, form, entry);
        return MP_WALK_END;
    }
    mp_walk_descend(w, k, form, entry);
    return MP_WALK_READ;
}

const struct mp_walk_method mp_walk_colt = {
    .design = {.name = "colt",
               .title = "as on_return; answers with the contiguous pages of an aligned group of 4"},
    .reach = MP_CONTIGUITY_SHIFT,
    .check = mp_walk_check_4k,
    .next = next,
    MP_WALK_BY_LEVEL,
};
