/* SPDX-License-Identifier: Apache-2.0 */
/* A seven-point stencil in three dimensions. A work-group has 32 x 8 columns and marches along z. A work-item keeps
 * the points below and above its own in registers. The plane is in local memory, with the part of the halo that the
 * stencil needs (no corners). Points of the surface keep their values. */
#define COLUMNS 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void stencil3d(__global const float *in,
                                                                         __global float *out, uint nx, uint ny,
                                                                         uint nz, float centre, float side)
{
    __local float tile[ROWS + 2][COLUMNS + 2];
    const uint x = get_global_id(0), y = get_global_id(1), plane = nx * ny;
    const uint tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    const bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    uint at = y * nx + x;
    float below = 0.0f, here = in[at], above = in[at + plane];

    out[at] = here;
    for (uint z = 1; z < nz - 1; z++) {
        at += plane;
        below = here;
        here = above;
        above = in[at + plane];
        tile[ty][tx] = here;
        if (ty == 1 && y > 0)
            tile[0][tx] = in[at - nx];
        if (ty == ROWS && y < ny - 1)
            tile[ROWS + 1][tx] = in[at + nx];
        if (tx == 1 && x > 0)
            tile[ty][0] = in[at - 1];
        if (tx == COLUMNS && x < nx - 1)
            tile[ty][COLUMNS + 1] = in[at + 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[at] = inner ? centre * here + side * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] +
                                                  tile[ty + 1][tx] + below + above)
                        : here;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[at + plane] = above;
}
