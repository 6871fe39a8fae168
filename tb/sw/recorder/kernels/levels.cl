/* SPDX-License-Identifier: Apache-2.0 */
/* A graph by levels: structures in a buffer, flags as bytes, two kernels launched in turn, loops over arcs. */
#include "check.h"

typedef struct {
    int first, arcs;
} vertex;

__kernel void prepare(__global vertex *v, __global int *target, __global int *level, __global uchar *mask)
{
    const int i = get_global_id(0), n = get_global_size(0);
    v[i].first = 2 * i;
    v[i].arcs = i == n - 1 ? 0 : 2; /* to the next vertex and to the one at twice the number */
    target[2 * i] = (i + 1) % n;
    target[2 * i + 1] = 2 * i % n;
    level[i] = i == 1 ? 0 : -1;
    mask[i] = i == 1;
}

__kernel void expand(__global const vertex *v, __global const int *target, __global int *level,
                     __global uchar *mask, __global uchar *next)
{
    const int i = get_global_id(0);
    if (!mask[i])
        return;
    mask[i] = 0;
    int arc = v[i].first;
    const int end = arc + v[i].arcs;
    while (arc < end) {
        const int to = target[arc++];
        if (level[to] < 0) {
            level[to] = level[i] + 1;
            next[to] = 1;
        }
    }
}

__kernel void advance(__global uchar *mask, __global uchar *next, __global int *more)
{
    const int i = get_global_id(0);
    if (next[i]) {
        mask[i] = 1;
        next[i] = 0;
        *more = 1;
    }
}

/* After two rounds: 1 is at level 0, 2 at 1, 3 and 4 at 2. */
__kernel void check(__global const int *level)
{
    const int i = get_global_id(0);
    EXPECT(level[i] == (i == 1 ? 0 : i == 2 ? 1 : i == 3 || i == 4 ? 2 : -1));
}
