/* SPDX-License-Identifier: Apache-2.0 */
/* y = alpha A x + beta B x. Work-item i walks row i of both matrices: neighbouring lanes are a whole row apart. The
 * running sums are volatile because the benchmark's source keeps them in device memory. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void gesummv(__global const float *A,
                                                                        __global const float *B,
                                                                        __global const float *x,
                                                                        __global volatile float *tmp,
                                                                        __global volatile float *y, uint n, float alpha,
                                                                        float beta)
{
    const uint i = get_global_id(0);
    if (i >= n)
        return;
    for (uint j = 0; j < n; j++) {
        tmp[i] += A[i * n + j] * x[j];
        y[i] += B[i * n + j] * x[j];
    }
    y[i] = alpha * tmp[i] + beta * y[i];
}
