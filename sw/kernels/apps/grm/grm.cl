/* SPDX-License-Identifier: Apache-2.0 */
/* Step k of the modified Gram-Schmidt orthonormalisation of the columns of A (rows x columns): A = Q R. The running
 * sums are volatile because the benchmark's source keeps them in device memory. */

/* R[k][k] is the length of column k. One work-item adds up its squares. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gram_length(__global const float *A, __global float *R,
                                                                            uint rows, uint columns, uint k)
{
    if (get_global_id(0) != 0)
        return;
    float squares = 0.0f;
    for (uint i = 0; i < rows; i++)
        squares += A[i * columns + k] * A[i * columns + k];
    R[k * columns + k] = sqrt(squares);
}

/* Column k of Q has length 1. Neighbouring lanes are a whole row apart. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gram_scale(__global const float *A,
                                                                           __global const float *R, __global float *Q,
                                                                           uint rows, uint columns, uint k)
{
    const uint i = get_global_id(0);
    if (i < rows)
        Q[i * columns + k] = A[i * columns + k] / R[k * columns + k];
}

/* Work-item j removes column k's part of each later column j. Neighbouring lanes are neighbours in memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gram_remove(__global float *A,
                                                                            __global volatile float *R,
                                                                            __global const float *Q, uint rows,
                                                                            uint columns, uint k)
{
    const uint j = get_global_id(0);
    if (j <= k || j >= columns)
        return;
    R[k * columns + j] = 0.0f;
    for (uint i = 0; i < rows; i++)
        R[k * columns + j] += Q[i * columns + k] * A[i * columns + j];
    for (uint i = 0; i < rows; i++)
        A[i * columns + j] -= Q[i * columns + k] * R[k * columns + j];
}
