/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows of an embedding table: a work-group has a bag of indices, and each of its 64 work-items a column. */
#define COLUMNS 64

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void embed(__global const float *table,
                                                                   __global const uint *index, uint bag,
                                                                   __global float *out)
{
    const uint group = get_group_id(0), column = get_local_id(0);
    float sum = 0.0f;
    for (uint k = 0; k < bag; k++)
        sum += table[(ulong)index[group * bag + k] * COLUMNS + column];
    out[group * COLUMNS + column] = sum;
}
