/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix product with tiles of either type; an unrolled inner loop. */
#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double real;
#else
typedef float real;
#endif
#include "check.h"

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void product(__global const real *restrict a,
                                                                            __global const real *restrict b,
                                                                            __global real *restrict c, int n,
                                                                            real alpha, real beta)
{
    __local real left[TILE][TILE], right[TILE][TILE + 1];
    const int x = get_local_id(0), y = get_local_id(1), row = get_global_id(1), column = get_global_id(0);
    real sum = 0;
    for (int t = 0; t < n; t += TILE) {
        left[y][x] = a[row * n + t + x];
        right[y][x] = b[(t + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

__kernel void check(__global const real *a, __global const real *b, __global const real *c, int n, real alpha)
{
    const int column = get_global_id(0), row = get_global_id(1);
    real sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    EXPECT(c[row * n + column] == alpha * sum);
}
