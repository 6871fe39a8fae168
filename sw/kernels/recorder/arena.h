/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory: one reserved range of host addresses, of which the host backs only what is touched. Device
 * addresses are offsets into it, so a trace does not depend on where the host put it. Freed ranges are not
 * allocated again. An inaccessible range in front of it catches negative indices.
 */
#ifndef MP_RECORDER_ARENA_H
#define MP_RECORDER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_VA 0x10000000ull /* device address of the arena's first byte */

struct buffer {
    uint64_t id, begin, end; /* device addresses, end exclusive, not rounded up */
    bool live, reserved;     /* reserved: its parts are mapped and unmapped */
};

struct arena {
    char *base;
    uint64_t used, size;
    struct buffer *buffer; /* sorted by address */
    unsigned nbuffers, room;
};

bool arena_open(struct arena *a);
void arena_close(struct arena *a);
/* Returns zeroed memory, aligned to 2 MiB from 1 MiB on and to 64 KiB below; NULL if memory runs out. */
struct buffer *arena_alloc(struct arena *a, uint64_t bytes);
void arena_free(struct arena *a, struct buffer *b);
/* Returns the live buffer that contains that device address, or NULL. */
struct buffer *arena_find(const struct arena *a, uint64_t va);
/* Returns the last buffer that begins at or below that address, else the first one; NULL if there are none.
 */
const struct buffer *arena_near(const struct arena *a, uint64_t va);

static inline uint64_t arena_va(const struct arena *a, const void *p)
{
    return (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)a->base + ARENA_VA;
}
static inline void *arena_host(const struct arena *a, uint64_t va)
{
    return a->base + (va - ARENA_VA);
}

#endif
