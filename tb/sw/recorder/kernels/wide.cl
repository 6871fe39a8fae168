/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 32 (cl_qcom_extra_vector_types), as kernels for Adreno use them, and constants of half without a
 * pragma. */
#include "check.h"
#pragma OPENCL EXTENSION cl_qcom_extra_vector_types : enable

#define ADD(sum, a, y) sum.lo += a * y.lo, sum.hi += a * y.hi

/* A row of 32 columns of the product of x (8 columns) and y (8 rows). */
__attribute__((qcom_wave_pair_mode(1))) kernel void product(global const float *x, global const float16 *y,
                                                            global float *out)
{
    const uint row = get_global_id(0);
    float32 sum = (float32)(0);
    for (uint k = 0; k < 8; k++) {
        const float a = x[row * 8 + k]; /* line 16 */
        ADD(sum.lo, a, y[2 * k]);
        ADD(sum.hi, a, y[2 * k + 1]);
    }
    const float upper[16] = {sum.sg, sum.sh, sum.si, sum.sj, sum.sk, sum.sl, sum.sm, sum.sn,
                             sum.so, sum.sp, sum.sq, sum.sr, sum.ss, sum.st, sum.su, sum.sv};
    vstore16(sum.lo, 2 * row, out); /* line 22 */
    for (uint i = 0; i < 16; i++)
        out[32 * row + 16 + i] = upper[i];
    uint32 order = (uint32)(1);
    const uint sg = 9; /* a name, not an element */
    order.s3 = 7;
    order.sh = sg;
    EXPECT(order.s3 + order.s4 == 8 && order.sh + order.si == 10 && order.hi.s1 == 9);
}

kernel void check(global const float *x, global const float *y, global const float *out)
{
    const uint row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (uint k = 0; k < 8; k++)
        sum += x[row * 8 + k] * y[32 * k + column];
    EXPECT(fabs(out[32 * row + column] - sum) < 1e-4f);
}

kernel void halves(global const half *x, global half *y)
{
    const uint i = get_global_id(0);
    y[i] = x[i] * 0.5h + 1.0h;
    EXPECT(y[i] == i / 2.0f + 1);
}
