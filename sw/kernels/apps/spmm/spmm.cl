/* SPDX-License-Identifier: Apache-2.0 */
/* Y = A X for a sparse A in rows and an X of 32 columns: a warp has a row of A, and each of its lanes a column. */
#define COLUMNS 32

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void spmm(__global const uint *offset,
                                                                    __global const uint *target,
                                                                    __global const float *weight,
                                                                    __global const float *x, uint rows,
                                                                    __global float *y)
{
    const uint row = get_global_id(0) / COLUMNS, column = get_global_id(0) % COLUMNS;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (uint e = offset[row]; e < offset[row + 1]; e++)
        sum += weight[e] * x[(ulong)target[e] * COLUMNS + column];
    y[(ulong)row * COLUMNS + column] = sum;
}
