/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two frame allocators of the tests, of the kinds for which the seam is made:
 * - `blocks` hands out an aligned block of 16 pages for an aligned run of 16, takes single pages from the
 * top, and counts how often a buffer began;
 * - `colours` gives tenant t frames of colour t alone, tables from the highest, and never another colour's.
 */
#ifndef MP_TB_VM_FRAMES_OWN_H
#define MP_TB_VM_FRAMES_OWN_H

#include "../../engine/fakes.h"

#include "vm/frames/allocator.h"

#define OWN_FRAMES 1024u /* of 4 KB */
#define OWN_BLOCK  16u

struct own {
    struct mp_frames_params p;
    bool taken[OWN_FRAMES];
    uint32_t pages, buffers;
};

static inline int own_init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    struct own *o = state;
    o->p = *p;
    if (p->page_bytes != 4096 || p->bytes > OWN_FRAMES * 4096)
        return mp_fail(err, "%llu B in pages of %llu B; at most %u pages of 4096 B",
                       (unsigned long long)p->bytes, (unsigned long long)p->page_bytes, OWN_FRAMES);
    return 0;
}

static inline void own_free(void *state)
{
    (void)state;
}

static inline void own_before_buffer(void *state)
{
    ((struct own *)state)->buffers++;
}

static inline uint32_t own_frames(const struct own *o)
{
    return (uint32_t)(o->p.bytes / 4096);
}

/* Takes frames if all of them are free. */
static inline bool own_take(struct own *o, uint32_t first, uint32_t count, uint64_t *pa)
{
    for (uint32_t i = first; i < first + count; i++)
        if (o->taken[i])
            return false;
    for (uint32_t i = first; i < first + count; i++)
        o->taken[i] = true;
    *pa = o->p.base + first * 4096ull;
    return true;
}

static inline uint64_t blocks_take_pages(void *state, const struct mp_frames_wish *w, uint64_t *pa,
                                         struct mp_error *err)
{
    struct own *o = state;
    bool aligned = w->va % (OWN_BLOCK * 4096) == 0 && w->pages >= OWN_BLOCK;
    for (uint32_t i = 0; aligned && i + OWN_BLOCK <= own_frames(o); i += OWN_BLOCK)
        if (own_take(o, i, OWN_BLOCK, pa))
            return OWN_BLOCK;
    for (uint32_t i = own_frames(o); i-- > 0;)
        if (own_take(o, i, 1, pa))
            return 1;
    mp_fail(err, "no page of 4096 B is left");
    return 0;
}

static inline int blocks_take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    const struct mp_frames_wish one = {tenant, 0, 1, 0};
    return blocks_take_pages(state, &one, pa, err) ? 0 : -1;
}

static inline void own_give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    struct own *o = state;
    uint32_t i = (uint32_t)((pa - o->p.base) / 4096);
    (void)tenant, (void)page_bytes;
    assert_true(o->taken[i]);
    o->taken[i] = false;
}

static const struct mp_frame_allocator own_blocks = {.design = {.name = "blocks"},
                                                     .bytes = sizeof(struct own),
                                                     .init = own_init,
                                                     .free = own_free,
                                                     .before_buffer = own_before_buffer,
                                                     .take_pages = blocks_take_pages,
                                                     .take_table = blocks_take_table,
                                                     .give_page = own_give_page};

/* --- colours: a frame's colour is the parity of some of its number's bits ---------------------------------
 */

static inline uint32_t own_colour(uint64_t pa)
{
    return (uint32_t)__builtin_parityll(pa / 4096 & 0x25);
}

static inline uint64_t colours_take_pages(void *state, const struct mp_frames_wish *w, uint64_t *pa,
                                          struct mp_error *err)
{
    struct own *o = state;
    for (uint32_t i = 0; i < own_frames(o); i++)
        if (own_colour(o->p.base + i * 4096ull) == w->tenant && own_take(o, i, 1, pa))
            return 1;
    mp_fail(err, "no page of colour %u and 4096 B is left", w->tenant);
    return 0;
}

static inline int colours_take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    struct own *o = state;
    for (uint32_t i = own_frames(o); i-- > 0;)
        if (own_colour(o->p.base + i * 4096ull) == tenant && own_take(o, i, 1, pa))
            return 0;
    return mp_fail(err, "no page table of colour %u is left", tenant);
}

static const struct mp_frame_allocator own_colours = {.design = {.name = "colours"},
                                                      .bytes = sizeof(struct own),
                                                      .init = own_init,
                                                      .free = own_free,
                                                      .take_pages = colours_take_pages,
                                                      .take_table = colours_take_table,
                                                      .give_page = own_give_page};

#endif
