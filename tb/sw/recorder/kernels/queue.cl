/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping what is wanted: a queue in local memory that is emptied into one in device memory. */
#include "check.h"

__kernel void collect(__global const int *in, __global int *out, __global int *tail, int limit)
{
    __local int queue[ROOM], count, base;
    const int l = get_local_id(0), i = get_global_id(0);
    if (l == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int value = in[i];
    if (value < limit)
        queue[atomic_add(&count, 1)] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        base = atomic_add(tail, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = l; k < count; k += get_local_size(0))
        out[base + k] = queue[k];
}

/* in is iota. */
__kernel void check(__global const int *out, __global const int *tail, int limit)
{
    EXPECT(*tail == limit);
    EXPECT(out[get_global_id(0)] < limit);
}
