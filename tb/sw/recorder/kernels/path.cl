/* SPDX-License-Identifier: Apache-2.0 */
/* The cheapest way through a grid, row by row: two local arrays that change places, a halo that grows. */
#include "check.h"

__kernel void cheapest(__global const int *cost, __global const int *from, __global int *to, int columns, int first,
                       int rows, __local int *one, __local int *other)
{
    const int l = get_local_id(0), n = get_local_size(0);
    const int x = (int)get_group_id(0) * (n - 2 * HALO) + l - HALO;
    const bool inside = x >= 0 && x < columns;
    __local int *before = one, *after = other;
    before[l] = inside ? from[x] : INT_MAX;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < rows; r++) {
        if (inside && l > r && l < n - 1 - r) {
            const int least = min(before[l], min(before[l - 1], before[l + 1]));
            after[l] = least + cost[(first + r) * columns + x];
        } else
            after[l] = INT_MAX;
        barrier(CLK_LOCAL_MEM_FENCE);
        __local int *t = before;
        before = after;
        after = t;
    }
    if (inside && l >= HALO && l < n - HALO)
        to[x] = before[l];
}

/* Every step costs the same: so does the way. */
__kernel void check(__global const int *to, int expected)
{
    EXPECT(to[get_global_id(0)] == expected);
}
