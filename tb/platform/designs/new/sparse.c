/* SPDX-License-Identifier: Apache-2.0 */
/* A frame allocator for the tests of this folder: that of the machine, of which each take of pages wastes
 * some frames for page tables first. */
#include "vm/frames/allocator.h"

static const struct mp_design_param params[] = {
    {"waste", "frames", NULL, 1, 0, 64, "test", "of 4 KB, lost whenever pages are taken", 0}, {0}};

struct sparse {
    struct mp_frames inner;
    uint64_t waste;
};

static int init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    struct sparse *s = state;
    s->waste = p->own.v[0];
    return mp_frames_init(&s->inner, &mp_frames_ascending, p, err);
}

static void release(void *state)
{
    mp_frames_free(&((struct sparse *)state)->inner);
}

static uint64_t take_pages(void *state, const struct mp_frames_wish *wish, uint64_t *pa, struct mp_error *err)
{
    struct sparse *s = state;
    const struct mp_frame_allocator *a = s->inner.allocator;
    for (uint64_t i = 0; i < s->waste; i++)
        if (a->take_table(s->inner.state, wish->tenant, pa, err))
            return 0;
    return a->take_pages(s->inner.state, wish, pa, err);
}

static int take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    struct sparse *s = state;
    return s->inner.allocator->take_table(s->inner.state, tenant, pa, err);
}

static void give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    struct sparse *s = state;
    s->inner.allocator->give_page(s->inner.state, tenant, pa, page_bytes);
}

const struct mp_frame_allocator mp_frames_sparse = {
    .design = {.name = "sparse", .title = "wastes frames", .params = params},
    .bytes = sizeof(struct sparse),
    .init = init,
    .free = release,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page,
};
