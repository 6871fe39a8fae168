/* SPDX-License-Identifier: Apache-2.0 */
/* A seven-point stencil in three dimensions. A work-item has the points of one x and y and marches along z; it keeps
 * the points below and above in registers and reads its four neighbours in the plane. The surface stays. */
__kernel __attribute__((reqd_work_group_size(32, 8, 1))) void stencil3d(__global const float *in,
                                                                         __global float *out, uint nx, uint ny,
                                                                         uint nz, float centre, float side)
{
    const uint x = get_global_id(0), y = get_global_id(1), plane = nx * ny;
    const bool inner = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
    uint at = y * nx + x;
    float below = 0.0f, here = in[at], above = in[at + plane];

    out[at] = here;
    for (uint z = 1; z < nz - 1; z++) {
        at += plane;
        below = here;
        here = above;
        above = in[at + plane];
        out[at] = inner ? centre * here + side * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + below + above)
                        : here;
    }
    out[at + plane] = above;
}
