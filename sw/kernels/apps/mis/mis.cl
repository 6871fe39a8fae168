/* SPDX-License-Identifier: Apache-2.0 */
/* A maximal independent set. In each round, undecided vertices whose priority is lower than that of all their
 * undecided neighbours enter the set, and their neighbours leave the choice. A work-item has a vertex. */
#define UNDECIDED (-1)
#define OUT 0
#define IN 1

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void mis_begin(__global int *state, __global int *next,
                                                                          __global uint *lowest, uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices)
        return;
    state[v] = UNDECIDED;
    next[v] = UNDECIDED;
    lowest[v] = UINT_MAX;
}

/* lowest[v]: the lowest priority among v's undecided neighbours. *more becomes 1 if v is undecided. */
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void mis_compare(__global const uint *offset,
                                                                            __global const uint *target,
                                                                            __global const uint *priority,
                                                                            __global const int *state,
                                                                            __global uint *lowest, __global int *more,
                                                                            uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices || state[v] != UNDECIDED)
        return;
    *more = 1;
    uint least = UINT_MAX;
    for (uint e = offset[v]; e < offset[v + 1]; e++) {
        const uint neighbour = target[e];
        if (state[neighbour] == UNDECIDED)
            least = min(least, priority[neighbour]);
    }
    lowest[v] = least;
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void mis_enter(__global const uint *offset,
                                                                          __global const uint *target,
                                                                          __global const uint *priority,
                                                                          __global const int *state,
                                                                          __global const uint *lowest,
                                                                          __global int *next, uint vertices)
{
    const uint v = get_global_id(0);
    if (v >= vertices || state[v] != UNDECIDED || priority[v] > lowest[v])
        return;
    next[v] = IN;
    for (uint e = offset[v]; e < offset[v + 1]; e++) {
        const uint neighbour = target[e];
        if (state[neighbour] == UNDECIDED)
            next[neighbour] = OUT;
    }
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void mis_commit(__global int *state,
                                                                           __global const int *next, uint vertices)
{
    const uint v = get_global_id(0);
    if (v < vertices && next[v] != UNDECIDED)
        state[v] = next[v];
}
