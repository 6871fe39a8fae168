/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages from the bottom of the memory in ascending order, as a driver that serves large allocations at once
 * hands them out; freed pages are used again, the last one first. Page tables from the top, so that both stay
 * contiguous. All tenants are served alike.
 */
#include <stdlib.h>

#include "vm/frames/allocator.h"
#include "vm/physmem.h"

struct ascending {
    uint64_t page_bytes, base, bytes;
    uint64_t low, high; /* the untouched middle, addresses */
    uint64_t *spare;    /* freed pages */
    uint64_t spares, room;
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
    free(a->spare);
}

static int used_up(const struct ascending *a, const char *what, uint64_t bytes, struct mp_error *err)
{
    return mp_fail(err,
                   "no %s of %llu B is left in the %llu B of memory from 0x%llx on; "
                   "machine.memory_per_slice sets the size",
                   what, (unsigned long long)bytes, (unsigned long long)a->bytes,
                   (unsigned long long)a->base);
}

/* Room to note every page that was ever taken, so that giving one back never fails. */
static int make_room(struct ascending *a, struct mp_error *err)
{
    if ((a->low - a->base) / a->page_bytes < a->room)
        return 0;
    uint64_t room = a->room ? 2 * a->room : 1024;
    uint64_t *spare = realloc(a->spare, room * sizeof *spare);
    if (!spare)
        return mp_fail(err, "out of memory");
    a->spare = spare;
    a->room = room;
    return 0;
}

static uint64_t take_pages(void *state, const struct mp_frames_wish *wish, uint64_t *pa, struct mp_error *err)
{
    struct ascending *a = state;
    (void)wish;
    if (a->spares) {
        *pa = a->spare[--a->spares];
        return 1;
    }
    if (a->high - a->low < a->page_bytes) {
        used_up(a, "page", a->page_bytes, err);
        return 0;
    }
    if (make_room(a, err))
        return 0;
    *pa = a->low;
    a->low += a->page_bytes;
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
    (void)tenant, (void)page_bytes;
    a->spare[a->spares++] = pa;
}

const struct mp_frame_allocator mp_frames_ascending = {
    .design = {.name = "ascending",
               .title = "pages in ascending order; freed ones are used again first, last in first out"},
    .bytes = sizeof(struct ascending),
    .init = init,
    .free = release,
    .take_pages = take_pages,
    .take_table = take_table,
    .give_page = give_page};
