/* SPDX-License-Identifier: Apache-2.0 */
/* Sorting: a network in local memory whose stages are loops in loops, with barriers. */
#include "check.h"

inline void exchange(__local uint *a, __local uint *b, bool up)
{
    const uint x = *a, y = *b;
    if ((x > y) == up) {
        *a = y;
        *b = x;
    }
}

__kernel void sort(__global uint *key)
{
    __local uint part[2 * HALF];
    const uint l = get_local_id(0), first = get_group_id(0) * 2 * HALF;
    part[l] = key[first + l];
    part[l + HALF] = key[first + l + HALF];
    for (uint size = 2; size <= 2 * HALF; size <<= 1)
        for (uint distance = size / 2; distance > 0; distance >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint at = 2 * l - (l & (distance - 1));
            exchange(&part[at], &part[at + distance], (l & (size / 2)) == 0 || size == 2 * HALF);
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    key[first + l] = part[l];
    key[first + l + HALF] = part[l + HALF];
}

__kernel void check(__global const uint *key)
{
    const uint i = get_global_id(0);
    EXPECT(i % (2 * HALF) == 0 || key[i - 1] <= key[i]);
}
