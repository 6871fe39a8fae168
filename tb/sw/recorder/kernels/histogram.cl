/* SPDX-License-Identifier: Apache-2.0 */
/* Counting in local memory with atomics, then adding up in device memory; bins by an option. */
#include "check.h"

__kernel void histogram(__global const uchar4 *in, __global uint *bin)
{
    __local uint part[BINS];
    const int l = get_local_id(0);
    for (int b = l; b < BINS; b += get_local_size(0))
        part[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uchar4 v = in[get_global_id(0)];
    atomic_inc(&part[v.x % BINS]);
    atomic_inc(&part[v.y % BINS]);
    atomic_inc(&part[v.z % BINS]);
    atomic_inc(&part[v.w % BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < BINS; b += get_local_size(0))
        atomic_add(&bin[b], part[b]);
}

__kernel void check(__global const uchar *in, __global const uint *bin, int n)
{
    const uint b = get_global_id(0);
    uint count = 0;
    for (int i = 0; i < n; i++)
        count += in[i] % BINS == b;
    EXPECT(bin[b] == count);
}
