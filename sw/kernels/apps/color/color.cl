/* SPDX-License-Identifier: Apache-2.0 */
/* Graph colouring by independent sets. In each round, the vertices whose priority is higher than that of all their
 * neighbours without a colour get the round's colour. A work-item has a vertex. */
#define NONE (-1)

/* highest[v]: the highest priority among v's neighbours without a colour. *more becomes 1 if v has no colour. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void color_compare(__global const uint *offset,
                                                                              __global const uint *target,
                                                                              __global const uint *priority,
                                                                              __global const int *color,
                                                                              __global uint *highest,
                                                                              __global int *more, uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices || color[v] != NONE)
        return;
    *more = 1;
    uint most = 0;
    for (uint e = offset[v]; e < offset[v + 1]; e++) {
        const uint neighbour = target[e];
        if (color[neighbour] == NONE)
            most = max(most, priority[neighbour]);
    }
    highest[v] = most;
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void color_assign(__global const uint *priority,
                                                                             __global const uint *highest,
                                                                             __global int *color, int round,
                                                                             uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices && color[v] == NONE && priority[v] >= highest[v])
        color[v] = round;
}
