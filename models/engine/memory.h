/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of models. An array begins at a line of the host's cache, so that an element of a line or half a
 * line is in one line; calloc() would put it across two.
 */
#ifndef MP_ENGINE_MEMORY_H
#define MP_ENGINE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MP_HOST_LINE ((size_t)64)

/* As calloc(): zeroed, NULL if memory runs out; free() gives it back. */
static inline void *mp_calloc(size_t count, size_t bytes)
{
    size_t all;
    if (__builtin_mul_overflow(count, bytes, &all) || all > PTRDIFF_MAX - MP_HOST_LINE)
        return NULL;
    all = ((all ? all : 1) + MP_HOST_LINE - 1) & ~(MP_HOST_LINE - 1);
    void *array = aligned_alloc(MP_HOST_LINE, all);
    return array ? memset(array, 0, all) : NULL;
}

#endif
