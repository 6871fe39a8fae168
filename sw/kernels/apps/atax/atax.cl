/* SPDX-License-Identifier: Apache-2.0 */
/* y = A^T (A x). The running sums are volatile because the benchmark's source keeps them in device memory and reads
 * and writes them at every step; without volatile, the compiler would keep them in registers. */


/* Work-item i walks row i: neighbouring lanes are a whole row apart. */
static void walk_row(__global const float *A, __global const float *x, __global volatile float *tmp, uint nx, uint ny)
{
    const uint i = get_global_id(0);
    if (i >= nx)
        return;
    for (uint j = 0; j < ny; j++)
        tmp[i] += A[i * ny + j] * x[j];
}

/* Work-item j walks column j: neighbouring lanes are neighbours in memory. */
static void walk_column(__global const float *A, __global const float *tmp, __global volatile float *y, uint nx, uint ny)
{
    const uint j = get_global_id(0);
    if (j >= ny)
        return;
    for (uint i = 0; i < nx; i++)
        y[j] += A[i * ny + j] * tmp[i];
}

/* Work-groups of 256 work-items in a row, and those of 32 x 8, whose eight rows of work-items all do the same. */
#define KERNELS(ROW, COLUMN, X, Y)                                                                                     \
    __kernel __attribute__((reqd_work_group_size(X, Y, 1))) void ROW(__global const float *A, __global const float *x, \
                                                                     __global volatile float *tmp, uint nx, uint ny)   \
    {                                                                                                                  \
        walk_row(A, x, tmp, nx, ny);                                                                                   \
    }                                                                                                                  \
    __kernel __attribute__((reqd_work_group_size(X, Y, 1))) void COLUMN(                                               \
        __global const float *A, __global const float *tmp, __global volatile float *y, uint nx, uint ny)              \
    {                                                                                                                  \
        walk_column(A, tmp, y, nx, ny);                                                                                \
    }
KERNELS(atax_ax, atax_aty, 256, 1)
KERNELS(atax_ax_8, atax_aty_8, 32, 8)
