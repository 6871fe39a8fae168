/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of CoLT as MESC compares it (Sec. VI-A): as `on_return`, but the line with the page's leaf shows
 * which of its neighbours are contiguous with it. */
#include "walk/method/entry.h"

struct colt {
    struct mp_walk_form form[MP_MAX_LEVELS];
};

static size_t bytes(const struct mp_walk_params *p)
{
    (void)p;
    return sizeof(struct colt);
}

static void init(void *state, const struct mp_walk_params *p)
{
    struct colt *c = state;
    mp_walk_forms(c->form, p->format);
}

static enum mp_walk_step begin(struct mp_walk *w, struct mp_walker *k)
{
    uint64_t above;
    return mp_walk_enter(w, k, &above);
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct colt *c = w->method;
    const struct mp_walk_form *form = &c->form[k->level];
    if (!mp_walk_good(w, form, entry))
        return mp_walk_fail(k, form, entry);
    if (form->leaf) {
        mp_walk_run(w, k, entry);
        return MP_WALK_END;
    }
    mp_walk_descend(w, k, entry);
    return MP_WALK_READ;
}

const struct mp_walk_method mp_walk_colt = {
    .design = {.name = "colt",
               .title = "as on_return; answers with the contiguous pages of an aligned group of 4"},
    .reach = MP_CONTIGUITY_SHIFT,
    .check = mp_walk_check_4k,
    .bytes = bytes,
    .init = init,
    .begin = begin,
    .next = next,
    .again = mp_walk_point_at_root,
};
