/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frame allocators: which physical frames back the pages and the page tables of address spaces. An allocator
 * manages one range of memory, which its tenants share. An allocator may prefer some frames for some pages,
 * e.g. an aligned block for an aligned run of pages, or frames of the tenant's colour.
 */
#ifndef MP_VM_FRAMES_ALLOCATOR_H
#define MP_VM_FRAMES_ALLOCATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/design.h"
#include "engine/tenant.h"
#include "map/colours.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_frames_params {
    uint64_t base, bytes; /* the memory; multiples of 2 MB */
    uint64_t page_bytes;
    const struct mp_gf2 *hash;   /* of the memory's address map, which gives pages colours; NULL: none */
    struct mp_design_values own; /* the design's parameters */
    /* How many colours the pages of each tenant have, for designs that colour. Tenants get them in their
     * order. All 0: tenant t has one, its number modulo the number of colours. */
    uint8_t colours[MP_TENANTS];
};

/* Pages that need frames: consecutive virtual pages of one tenant, none of which is mapped. */
struct mp_frames_wish {
    uint32_t tenant;
    uint64_t va;         /* of the first page */
    uint64_t pages;      /* at least 1 */
    uint64_t page_bytes; /* 0: those of mp_frames_params */
};

/* A design of an allocator. Where memory is used up, the message says which: pages or page tables, of which
 * size, and of which part of the memory. */
struct mp_frame_allocator {
    struct mp_design design;
    uint64_t page_bytes; /* the only size of mp_frames_params.page_bytes that it serves; 0: all */
    bool larger;         /* it also serves wishes for pages that are larger, each aligned to its size */
    size_t bytes;        /* of the state, which init finds zeroed */
    int (*init)(void *state, const struct mp_frames_params *p, struct mp_error *err);
    void (*free)(void *state);
    /* Called before the frames of a buffer are taken: pages may be moved together. NULL if there is nothing
     * to do. */
    void (*before_buffer)(void *state);
    /* Takes frames for the first pages of the wish, as many as follow each other in memory from *pa on:
     * returns their number, at least 1, or 0 with a message. */
    uint64_t (*take_pages)(void *state, const struct mp_frames_wish *wish, uint64_t *pa,
                           struct mp_error *err);
    /* Takes a frame of 4 KB for a page table. It is never given back. */
    int (*take_table)(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err);
    /* Gives back the frame of one page, which take_pages has returned, with the wish's page_bytes. */
    void (*give_page)(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes);
    /* The part of each frame that is the tenant's, if tenants of several colours share frames; its shift is
     * the same for all tenants. NULL: frames are whole. */
    struct mp_colours_part (*part)(const void *state, uint32_t tenant);
};

#define MP_FRAME_ALLOCATOR_NEEDS(EACH, WITH)                                                                 \
    EACH(init), EACH(free), EACH(take_pages), EACH(take_table), EACH(give_page)

extern const struct mp_frame_allocator mp_frames_ascending, mp_frames_buddy;
extern const struct mp_frame_allocator *mp_frame_allocators[]; /* ends with NULL */
extern const struct mp_design *mp_frame_allocator_designs[];

const struct mp_frame_allocator *mp_frame_allocator_find(const char *name); /* NULL if there is none */

/* An allocator in use. */
struct mp_frames {
    const struct mp_frame_allocator *allocator;
    void *state;
};

/* 0, or -1 with a message. */
int mp_frames_init(struct mp_frames *f, const struct mp_frame_allocator *allocator,
                   const struct mp_frames_params *params, struct mp_error *err);
void mp_frames_free(struct mp_frames *f); /* also of a structure that is all zero */

static inline void mp_frames_before_buffer(struct mp_frames *f)
{
    if (f->allocator->before_buffer)
        f->allocator->before_buffer(f->state);
}

static inline uint64_t mp_frames_take_pages(struct mp_frames *f, const struct mp_frames_wish *wish,
                                            uint64_t *pa, struct mp_error *err)
{
    return f->allocator->take_pages(f->state, wish, pa, err);
}

/* A frame for one page, wherever it is mapped. */
static inline int mp_frames_take_page(struct mp_frames *f, uint32_t tenant, uint64_t *pa,
                                      struct mp_error *err)
{
    const struct mp_frames_wish wish = {tenant, 0, 1, 0};
    return f->allocator->take_pages(f->state, &wish, pa, err) ? 0 : -1;
}

static inline int mp_frames_take_table(struct mp_frames *f, uint32_t tenant, uint64_t *pa,
                                       struct mp_error *err)
{
    return f->allocator->take_table(f->state, tenant, pa, err);
}

static inline void mp_frames_give_page(struct mp_frames *f, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    f->allocator->give_page(f->state, tenant, pa, page_bytes);
}

#ifdef __cplusplus
}
#endif
#endif
