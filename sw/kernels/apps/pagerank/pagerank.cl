/* SPDX-License-Identifier: Apache-2.0 */
/* PageRank by pushing: a work-item has a vertex and adds a share of its rank to each of its targets. */
#define DAMPING 0.85f

/* Adds with compare and exchange, because there is no atomic addition of floats. */
static void add(__global volatile float *to, float value)
{
    uint seen, old = as_uint(*to);
    do {
        seen = old;
        old = atomic_cmpxchg((__global volatile uint *)to, seen, as_uint(as_float(seen) + value));
    } while (old != seen);
}

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
        add(&next[target[e]], rank[v] / (end - begin));
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
