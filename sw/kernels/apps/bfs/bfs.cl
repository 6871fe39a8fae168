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

/* Rodinia's search, a work-item per vertex: each vertex of the frontier gives its neighbours that were not visited
 * their level, and marks them. row[v] is the start and the length of row v. */
__kernel __attribute__((reqd_work_group_size(512, 1, 1))) void bfs_expand(__global const uint2 *row,
                                                                           __global const uint *target,
                                                                           __global uchar *frontier,
                                                                           __global uchar *next,
                                                                           __global const uchar *visited,
                                                                           __global uint *level, uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices || !frontier[v])
        return;
    frontier[v] = 0;
    for (uint e = row[v].x; e < row[v].x + row[v].y; e++) {
        const uint neighbour = target[e];
        if (!visited[neighbour]) {
            level[neighbour] = level[v] + 1;
            next[neighbour] = 1;
        }
    }
}

/* The marked vertices become the frontier. *more becomes 1 if there is one. */
__kernel __attribute__((reqd_work_group_size(512, 1, 1))) void bfs_advance(__global uchar *frontier,
                                                                            __global uchar *next,
                                                                            __global uchar *visited,
                                                                            __global uchar *more, uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices || !next[v])
        return;
    frontier[v] = 1;
    visited[v] = 1;
    *more = 1;
    next[v] = 0;
}
