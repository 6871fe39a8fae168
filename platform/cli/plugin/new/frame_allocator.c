/* SPDX-License-Identifier: Apache-2.0 */
/* The frame allocator @NAME@: that of the machine, but whenever pages are taken, `waste` frames are lost
 * first. With 0 it is the allocator ascending. vm/frames/allocator.h says what each function has to do. */
#include "engine/plugin.h"
#include "vm/frames/allocator.h"

enum { WASTE };
static const struct mp_design_param params[] = {
    [WASTE] = {"waste", "pages", NULL, 0, 0, 64, "@NAME@", "whose frames are lost whenever pages are taken",
               0},
    {0},
};

struct state {
    struct mp_frames inner;
    uint64_t waste;
};

static int init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    struct state *s = state;
    s->waste = p->own.v[WASTE];
    return mp_frames_init(&s->inner, &mp_frames_ascending, p, err);
}

static void release(void *state)
{
    mp_frames_free(&((struct state *)state)->inner);
}

static uint64_t take_pages(void *state, const struct mp_frames_wish *wish, uint64_t *pa, struct mp_error *err)
{
    struct state *s = state;
    for (uint64_t i = 0; i < s->waste; i++)
        if (mp_frames_take_page(&s->inner, wish->tenant, pa, err))
            return 0;
    return mp_frames_take_pages(&s->inner, wish, pa, err);
}

static int take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    return mp_frames_take_table(&((struct state *)state)->inner, tenant, pa, err);
}

static void give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    mp_frames_give_page(&((struct state *)state)->inner, tenant, pa, page_bytes);
}

static const struct mp_frame_allocator allocator = {
    .design = {.name = "@NAME@", .title = "ascending, and wastes frames", .params = params},
    .bytes = sizeof(struct state),
    .init = init,
    .free = release,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page,
};

static const struct mp_plugin_design designs[] = {{"frame_allocator", &allocator}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
