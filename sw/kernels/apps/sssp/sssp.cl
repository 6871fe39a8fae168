/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths as products of a sparse matrix and a vector, where + is the minimum and * is the sum. A work-item has
 * a vertex. Row v lists the arcs that lead to v. */
#define FAR 0x3fffffff

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sssp_begin(__global int *now, __global int *next,
                                                                          uint source, uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices)
        now[v] = next[v] = v == source ? 0 : FAR;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sssp_relax(__global const uint *offset,
                                                                          __global const uint *target,
                                                                          __global const int *weight,
                                                                          __global const int *now, __global int *next,
                                                                          uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices)
        return;
    int least = now[v];
    for (uint e = offset[v]; e < offset[v + 1]; e++)
        least = min(least, now[target[e]] + weight[e]);
    next[v] = least;
}

/* *more becomes 1 if a distance changed. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sssp_compare(__global const int *now,
                                                                            __global const int *next,
                                                                            __global int *more, uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices && now[v] != next[v])
        *more = 1;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sssp_assign(__global int *now, __global const int *next,
                                                                           uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices)
        now[v] = next[v];
}
