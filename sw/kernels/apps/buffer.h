/* SPDX-License-Identifier: Apache-2.0 */
/* Device buffers with inputs that the host wrote. */
#ifndef MP_KERNELS_BUFFER_H
#define MP_KERNELS_BUFFER_H

#include <string.h>

#include "../device.h"
#include "fill.h"

/* n floats that are integers in [-limit, limit]. */
static inline float *buffer_small(struct device *d, size_t n, uint64_t seed, int limit)
{
    float *p = device_alloc(d, n * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = (float)fill_small(seed, i, limit);
    device_wrote(d, p, n * sizeof *p);
    return p;
}

/* n floats in [-1, 1). */
static inline float *buffer_unit(struct device *d, size_t n, uint64_t seed)
{
    float *p = device_alloc(d, n * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = fill_unit(seed, i);
    device_wrote(d, p, n * sizeof *p);
    return p;
}

/* A copy of at least one byte of the host's memory. */
static inline void *buffer_copy(struct device *d, const void *from, size_t bytes)
{
    void *p = device_alloc(d, bytes);
    memcpy(p, from, bytes);
    device_wrote(d, p, bytes);
    return p;
}

/* The host's copy of n elements of a buffer, for a reference that needs the inputs after the kernels changed
 * them. */
static inline void *host_copy(const void *from, size_t n, size_t bytes)
{
    void *p = host_alloc(n, bytes);
    memcpy(p, from, n * bytes);
    return p;
}

#endif
