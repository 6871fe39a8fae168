/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A step of alternating direction implicit integration of X with the coefficients A and B (n x n): first along rows,
 * where a work-item has a row and neighbouring lanes are a whole row apart, then along columns, where a launch has a
 * row. As in the benchmark, one work-group of 256 has the first 256 rows and columns.
 */
#define KERNEL __kernel __attribute__((reqd_work_group_size(256, 1, 1)))

/* Eliminates along rows, from the left. */
KERNEL void adi_rows_forward(__global const float *A, __global float *B, __global float *X, uint n)
{
    const uint row = get_global_id(0) * n;
    if (get_global_id(0) >= n)
        return;
    for (uint i = 1; i < n; i++) {
        X[row + i] -= X[row + i - 1] * A[row + i] / B[row + i - 1];
        B[row + i] -= A[row + i] * A[row + i] / B[row + i - 1];
    }
}

KERNEL void adi_rows_last(__global const float *B, __global float *X, uint n)
{
    const uint last = get_global_id(0) * n + n - 1;
    if (get_global_id(0) < n)
        X[last] /= B[last];
}

/* Substitutes along rows, from the right. */
KERNEL void adi_rows_back(__global const float *A, __global const float *B, __global float *X, uint n)
{
    const uint row = get_global_id(0) * n;
    if (get_global_id(0) >= n)
        return;
    for (uint i = n - 2; i >= 1; i--)
        X[row + i] = (X[row + i] - X[row + i - 1] * A[row + i - 1]) / B[row + i - 1];
}

/* Eliminates row i of all columns. */
KERNEL void adi_columns_forward(__global const float *A, __global float *B, __global float *X, uint n, uint i)
{
    const uint at = i * n + get_global_id(0), above = at - n;
    if (get_global_id(0) >= n)
        return;
    X[at] -= X[above] * A[at] / B[above];
    B[at] -= A[at] * A[at] / B[above];
}

KERNEL void adi_columns_last(__global const float *B, __global float *X, uint n)
{
    const uint last = (n - 1) * n + get_global_id(0);
    if (get_global_id(0) < n)
        X[last] /= B[last];
}

/* Substitutes row i of all columns. */
KERNEL void adi_columns_back(__global const float *A, __global const float *B, __global float *X, uint n, uint i)
{
    const uint at = i * n + get_global_id(0), above = at - n;
    if (get_global_id(0) < n)
        X[at] = (X[at] - X[above] * A[above]) / B[at];
}
