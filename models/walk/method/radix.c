/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the papers (DWS Sec. II): the page walk cache is looked up once and lets the walk skip the
 * levels of the longest prefix that it holds; every entry that is read comes into it. */
#include "walk/method/entry.h"

struct radix {
    struct mp_walk_form form[MP_MAX_LEVELS];
};

static size_t radix_bytes(const struct mp_walk_params *p)
{
    (void)p;
    return sizeof(struct radix);
}

static void radix_init(void *state, const struct mp_walk_params *p)
{
    struct radix *r = state;
    mp_walk_forms(r->form, p->format);
}

static enum mp_walk_step radix_begin(struct mp_walk *w, struct mp_walker *k)
{
    uint64_t above;
    return mp_walk_enter(w, k, &above);
}

static enum mp_walk_step radix_next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct radix *r = w->method;
    const struct mp_walk_form *form = &r->form[k->level];
    if (__builtin_expect(!mp_walk_good(w, form, entry), 0))
        return mp_walk_fail(k, form, entry);
    if (form->leaf) {
        mp_walk_page(w, k, entry);
        return MP_WALK_END;
    }
    mp_walk_descend(w, k, entry);
    return MP_WALK_READ;
}

const struct mp_walk_method mp_walk_radix = {
    .design = {.name = "on_return",
               .title =
                   "a walk skips the page walk cache's longest prefix and inserts entries as it reads them"},
    .bytes = radix_bytes,
    .init = radix_init,
    .begin = radix_begin,
    .next = radix_next,
    .again = mp_walk_point_at_root,
};
