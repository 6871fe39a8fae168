/* SPDX-License-Identifier: Apache-2.0 */
/* The aggregation of a layer of a graph neural network: a work-group has a vertex and sums the features of those that its
 * arcs lead to; each of its 64 work-items has a feature. */
#define FEATURES 64

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void aggregate(__global const uint *offset,
                                                                       __global const uint *target,
                                                                       __global const float *feature,
                                                                       __global float *out)
{
    const uint vertex = get_group_id(0), f = get_local_id(0), end = offset[vertex + 1];
    float sum = 0.0f;
    for (uint e = offset[vertex]; e < end; e++)
        sum += feature[(ulong)target[e] * FEATURES + f];
    out[(ulong)vertex * FEATURES + f] = sum;
}
