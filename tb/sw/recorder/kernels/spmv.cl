/* SPDX-License-Identifier: Apache-2.0 */
/* A sparse matrix times a vector: a row for each work-item, then a row for each group of THREADS of them. */
#include "check.h"

__kernel void rows(__global int *row, int per_row)
{
    row[get_global_id(0)] = (int)get_global_id(0) * per_row;
}

__kernel void scalar(__global const int *row, __global const int *column, __global const REAL *value,
                     __global const REAL *x, __global REAL *y)
{
    const int r = get_global_id(0);
    REAL sum = 0;
    for (int k = row[r]; k < row[r + 1]; k++)
        sum += value[k] * x[column[k]];
    y[r] = sum;
}

__kernel void vectors(__global const int *row, __global const int *column, __global const REAL *value,
                      __global const REAL *x, __global REAL *y, __local volatile REAL *part)
{
    const int l = get_local_id(0), lane = l % THREADS, r = get_global_id(0) / THREADS;
    REAL sum = 0;
    for (int k = row[r] + lane; k < row[r + 1]; k += THREADS)
        sum += value[k] * x[column[k]];
    part[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = THREADS / 2; n > 0; n /= 2) {
        if (lane < n)
            part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        y[r] = part[l];
}

__kernel void check(__global const REAL *a, __global const REAL *b)
{
    EXPECT(a[get_global_id(0)] == b[get_global_id(0)]);
}
