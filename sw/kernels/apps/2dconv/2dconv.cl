/* SPDX-License-Identifier: Apache-2.0 */
/* Each inner element of the output is the sum of the input's nine elements around it, weighted: weight[3 (dy + 1) + dx
 * + 1] is that of the element dy rows down and dx columns right. The border of the output stays as it is. */
__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void conv2d(__global const float *in, __global float *out,
                                                                      uint rows, uint columns, float8 ring,
                                                                      float centre)
{
    const uint x = get_global_id(0), y = get_global_id(1), at = y * columns + x;
    if (x == 0 || y == 0 || x >= columns - 1 || y >= rows - 1)
        return;
    out[at] = ring.s0 * in[at - columns - 1] + ring.s1 * in[at - columns] + ring.s2 * in[at - columns + 1] +
              ring.s3 * in[at - 1] + centre * in[at] + ring.s4 * in[at + 1] + ring.s5 * in[at + columns - 1] +
              ring.s6 * in[at + columns] + ring.s7 * in[at + columns + 1];
}
