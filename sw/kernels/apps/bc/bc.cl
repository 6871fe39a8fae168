/* SPDX-License-Identifier: Apache-2.0 */
/* Betweenness centrality (Brandes): for each source, a breadth-first search that counts shortest paths, then a pass
 * back from the last level. A work-item has a vertex. on_path is a matrix of vertices x vertices, [v][w] not 0 if the
 * arc from v to w is on a shortest path from the source. */
#define KERNEL __kernel __attribute__((reqd_work_group_size(128, 1, 1)))

/* An addition in memory, as the ports of this suite to CUDA have: GPUs execute it as one access. */
float __attribute__((overloadable)) atomic_add(volatile __global float *to, float value);

KERNEL void bc_clean_vertices(__global float *share, __global int *level, __global float *paths, uint source,
                              uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices)
        return;
    share[v] = 0.0f;
    level[v] = v == source ? 0 : -1;
    paths[v] = v == source ? 1.0f : 0.0f;
}

KERNEL void bc_clean_matrix(__global int *on_path, uint elements)
{
    const uint i = get_global_id(0);
    if (i < elements)
        on_path[i] = 0;
}

/* Vertices of level `current` hand on their number of paths. *more becomes 1 if there is a next level. */
KERNEL void bc_search(__global const uint *offset, __global const uint *target, __global volatile int *level,
                      __global volatile float *paths, __global int *on_path, __global int *more, uint vertices,
                      int current)
{
    const uint v = get_global_id(0);
    if (v >= vertices || level[v] != current)
        return;
    for (uint e = offset[v]; e < offset[v + 1]; e++) {
        const uint w = target[e];
        if (level[w] < 0) {
            *more = 1;
            level[w] = current + 1;
        }
        if (level[w] == current + 1) {
            atomic_add(&paths[w], paths[v]);
            on_path[v * vertices + w] = 1;
        }
    }
}

/* Vertices of level `current` give their predecessors a share of their dependency, and add it to their centrality. Row
 * v of the reversed graph lists the vertices with an arc to v. */
KERNEL void bc_backtrack(__global const uint *reversed_offset, __global const uint *reversed_target,
                         __global const int *level, __global const float *paths, __global volatile float *share,
                         __global const int *on_path, __global float *centrality, uint vertices, uint source,
                         int current)
{
    const uint v = get_global_id(0);
    if (v >= vertices || level[v] != current)
        return;
    for (uint e = reversed_offset[v]; e < reversed_offset[v + 1]; e++) {
        const uint w = reversed_target[e];
        if (on_path[w * vertices + v])
            atomic_add(&share[w], paths[w] / paths[v] * (1.0f + share[v]));
    }
    if (v != source)
        centrality[v] += share[v];
}
