/* SPDX-License-Identifier: Apache-2.0 */
/* Resampling of particles: a search by halving in a sorted list, loops and returns in helpers. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "check.h"

int find(__global const double *limit, int n, double value)
{
    int low = 0, high = n;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (limit[middle] == value)
            return middle;
        if (limit[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n ? low : n - 1;
}

__kernel void resample(__global const double *limit, __global const double *x, __global double *out,
                       __global int *chosen, int n, double first)
{
    const int i = get_global_id(0);
    if (i >= n)
        return;
    const int at = find(limit, n, first + i);
    chosen[i] = at;
    out[i] = x[at];
}

/* limit is iota: position p is the one of value p. */
__kernel void check(__global const double *x, __global const double *out, __global const int *chosen, int n,
                    double first)
{
    const int i = get_global_id(0), at = min((int)ceil(first) + i, n - 1);
    EXPECT(chosen[i] == at && out[i] == x[at]);
}
