/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank by pushing: a work-item has a vertex and adds a share of its rank to each of its targets. */
#define DAMPING 0.85f

/* An addition in memory, as the ports of this suite to CUDA have: GPUs execute it as one access. */
float __attribute__((overloadable)) atomic_add(volatile __global float *to, float value);

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void pagerank_begin(__global float *rank,
                                                                               __global float *next, uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices) {
        rank[v] = 1.0f / vertices;
        next[v] = 0.0f;
    }
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void pagerank_push(__global const uint *offset,
                                                                              __global const uint *target,
                                                                              __global const float *rank,
                                                                              __global volatile float *next,
                                                                              uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices)
        return;
    const uint begin = offset[v], end = offset[v + 1];
    for (uint e = begin; e < end; e++)
        atomic_add(&next[target[e]], rank[v] / (end - begin));
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void pagerank_damp(__global float *rank,
                                                                              __global float *next, uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices) {
        rank[v] = (1.0f - DAMPING) / vertices + DAMPING * next[v];
        next[v] = 0.0f;
    }
}
