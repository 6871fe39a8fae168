/* SPDX-License-Identifier: Apache-2.0 */
/* x1 += A y1 and x2 += A^T y2 for a square matrix. The running sums are volatile because the benchmark's source keeps
 * them in device memory and reads and writes them at every step. */

/* Work-item i walks row i: neighbouring lanes are a whole row apart. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void mvt_rows(__global const float *A,
                                                                         __global volatile float *x1,
                                                                         __global const float *y1, uint n)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint j = 0; j < n; j++)
        x1[i] += A[i * n + j] * y1[j];
}

/* Work-item i walks column i: neighbouring lanes are neighbours in memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void mvt_columns(__global const float *A,
                                                                            __global volatile float *x2,
                                                                            __global const float *y2, uint n)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint j = 0; j < n; j++)
        x2[i] += A[j * n + i] * y2[j];
}
