/* SPDX-License-Identifier: Apache-2.0 */
/* A local array sized by an option, a structure by value, a helper from an include folder. */
#include "shape.h"

#include "check.h"

__kernel void transpose(__global const int *in, __global int *out, shape s)
{
    __local int tile[TILE][TILE + 1];
    const int x = get_local_id(0), y = get_local_id(1);
    const int left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    tile[y][x] = in[at(s, left + x, top + y)];
    barrier(CLK_LOCAL_MEM_FENCE);
    const shape turned = {s.height, s.width};
    out[at(turned, top + x, left + y)] = tile[x][y];
}

__kernel void check(__global const int *in, __global const int *out, shape s)
{
    const int x = get_global_id(0), y = get_global_id(1);
    EXPECT(in[at(s, x, y)] == out[x * s.height + y]);
}
