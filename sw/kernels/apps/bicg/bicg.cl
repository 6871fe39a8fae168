/* SPDX-License-Identifier: Apache-2.0 */
/* q = A p and s = A^T r, the two products of a BiCG step. The running sums are volatile because the benchmark's
 * source keeps them in device memory and reads and writes them at every step; without volatile, the compiler would
 * keep them in registers. */

/* Work-item i walks row i: neighbouring lanes are a whole row apart. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void bicg_q(__global const float *A,
                                                                       __global const float *p,
                                                                       __global volatile float *q, uint nx, uint ny)
{
    const uint i = get_global_id(0);
    if (i >= nx)
        return;
    q[i] = 0.0f;
    for (uint j = 0; j < ny; j++)
        q[i] += A[i * ny + j] * p[j];
}

/* Work-item j walks column j: neighbouring lanes are neighbours in memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void bicg_s(__global const float *A,
                                                                       __global const float *r,
                                                                       __global volatile float *s, uint nx, uint ny)
{
    const uint j = get_global_id(0);
    if (j >= ny)
        return;
    s[j] = 0.0f;
    for (uint i = 0; i < nx; i++)
        s[j] += A[i * ny + j] * r[i];
}
