/* SPDX-License-Identifier: Apache-2.0 */
/* A sum: vector loads, a local pointer as argument, barriers in a loop, a helper that gets the pointer. */
#include "check.h"

void fold(__local int *sum, int l)
{
    for (int n = get_local_size(0) / 2; n > 0; n >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            sum[l] += sum[l + n];
    }
}

__kernel void reduce(__global const int4 *in, __global int *out, __local int *sum)
{
    const int l = get_local_id(0);
    const int4 v = in[get_global_id(0)];
    const int2 s = v.lo + v.hi;
    sum[l] = s.x + s.y;
    fold(sum, l);
    if (l == 0)
        atomic_add(out, sum[0]);
}

__kernel void check(__global const int *out, int expected)
{
    EXPECT(*out == expected);
}
