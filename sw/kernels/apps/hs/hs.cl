/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heat in a chip: each cell's temperature depends on its four neighbours', its power and the ambient temperature. A
 * work-group of 16 x 16 copies its cells into local memory and computes `steps` steps there. Its outermost cells are
 * correct only before the first step, the next ones only before the second, so its result has 16 - 2 * steps cells a
 * side. The neighbour of a cell at the chip's edge is the cell itself.
 */
#define SIDE 16

__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void hotspot(__global const float *power,
                                                                        __global const float *before,
                                                                        __global float *after, int width,
                                                                        int height, int border, int steps,
                                                                        float cap, float rx, float ry, float rz,
                                                                        float ambient)
{
    __local float now[SIDE][SIDE], taken[SIDE][SIDE];
    const int tx = get_local_id(0), ty = get_local_id(1);
    const int useful = SIDE - 2 * steps;
    const int left = (int)get_group_id(0) * useful - border, top = (int)get_group_id(1) * useful - border;
    const int x = left + tx, y = top + ty;
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    const int at = y * width + x;

    if (inside) {
        now[ty][tx] = before[at];
        taken[ty][tx] = power[at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    const int west = max(tx - 1, -left), east = min(tx + 1, width - 1 - left);
    const int north = max(ty - 1, -top), south = min(ty + 1, height - 1 - top);
    bool right = false;
    float next = 0.0f;
    for (int step = 0; step < steps; step++) {
        right = inside && tx > step && tx < SIDE - 1 - step && ty > step && ty < SIDE - 1 - step;
        if (right) {
            const float t = now[ty][tx];
            next = t + cap * (taken[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * t) * ry +
                              (now[ty][east] + now[ty][west] - 2.0f * t) * rx + (ambient - t) * rz);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (step + 1 == steps)
            break;
        if (right)
            now[ty][tx] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (right)
        after[at] = next;
}
