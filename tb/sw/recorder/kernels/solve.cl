/* SPDX-License-Identifier: Apache-2.0 */
/* Solving with a triangular block in local memory: a barrier in every round of a loop, rows that end early. */
#include "check.h"

#ifndef BLOCK_SIZE
#define BLOCK_SIZE 16
#endif

/* One work-group; the matrix has ones on its diagonal. */
__kernel void forward(__global const int *matrix, __global int *x)
{
    __local int a[BLOCK_SIZE][BLOCK_SIZE], b[BLOCK_SIZE];
    const int r = get_local_id(0);
    for (int c = 0; c < BLOCK_SIZE; c++)
        a[r][c] = matrix[r * BLOCK_SIZE + c];
    b[r] = x[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int c = 0; c < BLOCK_SIZE - 1; c++) {
        if (r > c)
            b[r] -= a[r][c] * b[c];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    x[r] = b[r];
}

__kernel void check(__global const int *matrix, __global const int *x)
{
    const int r = get_global_id(0);
    int sum = x[r];
    for (int c = 0; c < r; c++)
        sum += matrix[r * BLOCK_SIZE + c] * x[c];
    EXPECT(sum == r);
}
