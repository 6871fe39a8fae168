/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One level of a breadth-first search. A group of 32 lanes has 32 consecutive vertices. It copies their levels
 * and row bounds into local memory, then processes them one by one. All lanes share the edges of a vertex on the
 * current level. *more becomes 1 if a vertex was reached.
 */
#define LANES 32
#define GROUPS 32 /* groups of lanes in a work-group */
#define UNREACHED 0xffffffffu

__kernel __attribute__((reqd_work_group_size(1024, 1, 1))) void bfs_level(__global uint *level,
                                                                           __global const uint *offset,
                                                                           __global const uint *target,
                                                                           uint vertices, uint current,
                                                                           __global uint *more)
{
    __local uint levels[GROUPS][LANES], bounds[GROUPS][LANES + 1], any[GROUPS];
    const uint v = get_global_id(0);
    const uint lane = get_local_id(0) % LANES, group = get_local_id(0) / LANES;

    if (lane == 0)
        any[group] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (v < vertices) {
        const uint mine = level[v];
        levels[group][lane] = mine;
        bounds[group][lane] = offset[v];
        if (lane == LANES - 1 || v == vertices - 1)
            bounds[group][lane + 1] = offset[v + 1];
        if (mine == current)
            any[group] = 1;
    } else {
        levels[group][lane] = UNREACHED;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (!any[group])
        return;
    for (uint k = 0; k < LANES; k++) {
        if (levels[group][k] != current)
            continue;
        for (uint e = bounds[group][k] + lane; e < bounds[group][k + 1]; e += LANES) {
            const uint neighbour = target[e];
            if (level[neighbour] == UNREACHED) {
                level[neighbour] = current + 1;
                *more = 1;
            }
        }
    }
}
