/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory: one reserved range of host addresses that is only ever backed where it is touched. Device
 * addresses are offsets into it, so nothing in a trace depends on where the host put it. Freed ranges are not
 * given out again. In front of it is a range that may not be touched, for indices below zero.
 */
#ifndef MP_RECORDER_ARENA_H
#define MP_RECORDER_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_VA 0x10000000ull /* device address of the arena's first byte */

struct buffer {
    uint64_t id, begin, end; /* device addresses, end exclusive: as asked for */
    bool live;
};

struct arena {
    char *base;
    uint64_t used, size;
    struct buffer *buffer; /* by address */
    unsigned nbuffers, room;
};

bool arena_open(struct arena *a);
void arena_close(struct arena *a);
/* Zeroed memory, at 2 MiB where it is at least 1 MiB, else at 64 KiB; NULL: out of memory. */
struct buffer *arena_alloc(struct arena *a, uint64_t bytes);
void arena_free(struct arena *a, struct buffer *b);
/* The live buffer that holds that device address, or NULL. */
struct buffer *arena_find(const struct arena *a, uint64_t va);
/* The last buffer that begins at or below that address, else the first one; NULL: there are none. */
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
