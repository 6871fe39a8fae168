/* SPDX-License-Identifier: Apache-2.0 */
/* y = A^T (A x). The running sums are volatile because the benchmark's source keeps them in device memory and reads
 * and writes them at every step; without volatile, the compiler would keep them in registers. */

/* Work-item i walks row i: neighbouring lanes are a whole row apart. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void atax_ax(__global const float *A,
                                                                        __global const float *x,
                                                                        __global volatile float *tmp, uint nx,
                                                                        uint ny)
{
    const uint i = get_global_id(0);
    if (i >= nx)
        return;
    for (uint j = 0; j < ny; j++)
        tmp[i] += A[i * ny + j] * x[j];
}

/* Work-item j walks column j: neighbouring lanes are neighbours in memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void atax_aty(__global const float *A,
                                                                         __global const float *tmp,
                                                                         __global volatile float *y, uint nx,
                                                                         uint ny)
{
    const uint j = get_global_id(0);
    if (j >= ny)
        return;
    for (uint i = 0; i < nx; i++)
        y[j] += A[i * ny + j] * tmp[i];
}
