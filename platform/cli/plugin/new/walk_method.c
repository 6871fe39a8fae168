/* SPDX-License-Identifier: Apache-2.0 */
/* The walk method @NAME@: reads the entry of each level that the page walk cache does not know, or with
 * `fresh` of every level. Without it, it is the method on_return. walk/method/method.h says what each
 * function has to do. */
#include "engine/plugin.h"
#include "walk/method/entry.h"

enum { FRESH };
static const struct mp_design_param params[] = {
    [FRESH] = {"fresh", NULL, NULL, 0, 0, 1, "@NAME@", "walks begin at the root", 0},
    {0},
};

static enum mp_walk_step begin(struct mp_walk *w, struct mp_walker *k)
{
    if (!w->p.values.v[FRESH])
        return mp_walk_begin(w, k);
    mp_walk_point_at_root(w, k);
    return MP_WALK_READ;
}

static enum mp_walk_step next(struct mp_walk *w, struct mp_walker *k, uint64_t entry)
{
    const struct mp_pte_form *form = mp_walk_form_of(k, entry);
    if (!mp_walk_good(w, k, form, entry))
        return mp_walk_refuse(w, k, form, entry);
    if (form->page_shift) {
        mp_walk_page(k, form, entry);
        return MP_WALK_END;
    }
    mp_walk_descend(w, k, form, entry);
    return MP_WALK_READ;
}

static uint32_t work(const struct mp_walk *w, const struct mp_req *walk)
{
    return w->p.values.v[FRESH] ? w->format[walk->asid]->levels : mp_walk_work(w, walk);
}

static const struct mp_walk_method method = {
    .design = {.name = "@NAME@", .title = "with the page walk cache or without", .params = params},
    .begin = begin,
    .next = next,
    .again = mp_walk_point_at_root,
    .work = work,
};

static const struct mp_plugin_design designs[] = {{"walk_method", &method}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
