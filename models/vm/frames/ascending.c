/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages from the bottom of the memory in ascending order, as a driver that serves large allocations at once
 * hands them out; freed pages are used again for pages of their size, the last one first. Page tables from
 * the top, so that both stay contiguous. All tenants are served alike.
 */
#include <stdlib.h>

#include "vm/frames/allocator.h"
#include "vm/physmem.h"

#define SIZES 52u /* of pages of 2^i frames */

struct ascending {
    uint64_t page_bytes, base, bytes;
    uint64_t low, high; /* the untouched middle, addresses */
    struct spare {      /* freed pages, by size */
        uint64_t *page, count, room;
    } spare[SIZES];
};

static int init(void *state, const struct mp_frames_params *p, struct mp_error *err)
{
    (void)err;
    *(struct ascending *)state = (struct ascending){.page_bytes = p->page_bytes,
                                                    .base = p->base,
                                                    .bytes = p->bytes,
                                                    .low = p->base,
                                                    .high = p->base + p->bytes};
    return 0;
}

static void release(void *state)
{
    struct ascending *a = state;
    for (unsigned i = 0; i < SIZES; i++)
        free(a->spare[i].page);
}

static int used_up(const struct ascending *a, const char *what, uint64_t bytes, struct mp_error *err)
{
    return mp_fail(err,
                   "no %s of %llu B is left in the %llu B of memory from 0x%llx on; "
                   "machine.memory_per_slice sets the size",
                   what, (unsigned long long)bytes, (unsigned long long)a->bytes,
                   (unsigned long long)a->base);
}

static struct spare *spare_of(struct ascending *a, uint64_t page_bytes)
{
    return &a->spare[__builtin_ctzll(page_bytes / MP_FRAME_BYTES)];
}

/* Room to note every page of this size that was taken before `end`, so that giving one back never fails. */
static int make_room(const struct ascending *a, struct spare *s, uint64_t page_bytes, uint64_t end,
                     struct mp_error *err)
{
    uint64_t pages = (end - a->base) / page_bytes, room = s->room ? s->room : 1024;
    if (pages <= s->room)
        return 0;
    while (room < pages)
        room *= 2;
    uint64_t *page = realloc(s->page, room * sizeof *page);
    if (!page)
        return mp_fail(err, "out of memory");
    s->page = page;
    s->room = room;
    return 0;
}

/* The memory below a page that is larger than the usual ones, up to where it is aligned, is for usual ones.
 */
static int skip(struct ascending *a, uint64_t to, struct mp_error *err)
{
    struct spare *s = spare_of(a, a->page_bytes);
    if (make_room(a, s, a->page_bytes, to, err))
        return -1;
    for (uint64_t at = to; at > a->low;)
        s->page[s->count++] = at -= a->page_bytes;
    a->low = to;
    return 0;
}

static uint64_t take_pages(void *state, const struct mp_frames_wish *wish, uint64_t *pa, struct mp_error *err)
{
    struct ascending *a = state;
    uint64_t bytes = wish->page_bytes ? wish->page_bytes : a->page_bytes;
    uint64_t at = (a->low + bytes - 1) & ~(bytes - 1);
    struct spare *s = spare_of(a, bytes);
    if (s->count) {
        *pa = s->page[--s->count];
        return 1;
    }
    if (at > a->high || a->high - at < bytes) {
        used_up(a, "page", bytes, err);
        return 0;
    }
    if (make_room(a, s, bytes, at + bytes, err) || skip(a, at, err))
        return 0;
    *pa = at;
    a->low = at + bytes;
    return 1;
}

static int take_table(void *state, uint32_t tenant, uint64_t *pa, struct mp_error *err)
{
    struct ascending *a = state;
    (void)tenant;
    if (a->high - a->low < MP_FRAME_BYTES)
        return used_up(a, "page table", MP_FRAME_BYTES, err);
    a->high -= MP_FRAME_BYTES;
    *pa = a->high;
    return 0;
}

static void give_page(void *state, uint32_t tenant, uint64_t pa, uint64_t page_bytes)
{
    struct ascending *a = state;
    struct spare *s = spare_of(a, page_bytes ? page_bytes : a->page_bytes);
    (void)tenant;
    s->page[s->count++] = pa;
}

const struct mp_frame_allocator mp_frames_ascending = {
    .design = {.name = "ascending",
               .title = "pages in ascending order; freed ones are used again first, last in first out"},
    .larger = true,
    .bytes = sizeof(struct ascending),
    .init = init,
    .free = release,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page};
