/* SPDX-License-Identifier: Apache-2.0 */
/* Prefix sums in three kernels of one file. */
#include "check.h"

int scan_group(__local int *part, int value)
{
    const int l = get_local_id(0), n = get_local_size(0);
    part[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 1; step < n; step *= 2) {
        const int before = l >= step ? part[l - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[l] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[l];
}

__kernel void groups(__global const int *in, __global int *out, __global int *sum, __local int *part)
{
    const int i = get_global_id(0), last = get_local_size(0) - 1;
    out[i] = scan_group(part, in[i]);
    if (get_local_id(0) == last)
        sum[get_group_id(0)] = part[last];
}

__kernel void sums(__global int *sum, __local int *part)
{
    const int i = get_local_id(0);
    sum[i] = scan_group(part, sum[i]);
}

__kernel void add(__global int *out, __global const int *sum)
{
    if (get_group_id(0) > 0)
        out[get_global_id(0)] += sum[get_group_id(0) - 1];
}

__kernel void check(__global const int *in, __global const int *out)
{
    const int i = get_global_id(0);
    EXPECT(out[i] == in[i] + (i ? out[i - 1] : 0));
}
