/* SPDX-License-Identifier: Apache-2.0 */
#include "arena.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE      (1ull << 20)
#define LARGE_PAGE (2ull << 20)
#define SMALL_PAGE (64ull << 10)
#define LARGEST    (256ull << 30)
#define SMALLEST   (1ull << 30)
#define GUARD      4 /* the guard range has 1/GUARD of the memory's size */

static uint64_t align_up(uint64_t v, uint64_t to)
{
    return (v + to - 1) / to * to;
}

bool arena_open(struct arena *a)
{
    *a = (struct arena){0};
    /* Address space may be limited (ulimit -v); reserving costs nothing. */
    for (a->size = LARGEST; a->size >= SMALLEST; a->size /= 2) {
        char *all = mmap(NULL, a->size + a->size / GUARD, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED)
            continue;
        mprotect(all, a->size / GUARD, PROT_NONE);
        a->base = all + a->size / GUARD;
        return true;
    }
    return false;
}

void arena_close(struct arena *a)
{
    munmap(a->base - a->size / GUARD, a->size + a->size / GUARD);
    free(a->buffer);
}

struct buffer *arena_alloc(struct arena *a, uint64_t bytes)
{
    const uint64_t page = bytes >= LARGE ? LARGE_PAGE : SMALL_PAGE;
    const uint64_t offset = align_up(a->used, page), held = align_up(bytes ? bytes : 1, page);
    if (bytes > a->size || held > a->size || offset > a->size - held)
        return NULL;
    if (a->nbuffers == a->room) {
        const unsigned room = 2 * a->room + 16;
        struct buffer *more = realloc(a->buffer, room * sizeof *more);
        if (!more)
            return NULL;
        a->buffer = more;
        a->room = room;
    }
    a->used = offset + held;
    struct buffer *b = &a->buffer[a->nbuffers];
    *b = (struct buffer){a->nbuffers++, ARENA_VA + offset, ARENA_VA + offset + bytes, .live = true};
    return b;
}

void arena_free(struct arena *a, struct buffer *b)
{
    b->live = false;
    madvise(arena_host(a, b->begin), align_up(b->end - b->begin, 4096), MADV_DONTNEED);
}

struct buffer *arena_find(const struct arena *a, uint64_t va)
{
    unsigned low = 0, high = a->nbuffers;
    while (low < high) {
        const unsigned middle = (low + high) / 2;
        if (va < a->buffer[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    struct buffer *b = low < a->nbuffers ? &a->buffer[low] : NULL;
    return b && b->live && va >= b->begin ? b : NULL;
}

const struct buffer *arena_near(const struct arena *a, uint64_t va)
{
    const struct buffer *near = a->nbuffers ? &a->buffer[0] : NULL;
    for (unsigned i = 1; i < a->nbuffers && a->buffer[i].begin <= va; i++)
        near = &a->buffer[i];
    return near;
}
