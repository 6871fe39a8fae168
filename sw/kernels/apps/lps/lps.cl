/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One Jacobi step of Laplace's equation in three dimensions: an inner point becomes the mean of its six neighbours; a
 * point of the surface keeps its value. A work-group has 32 x 4 columns along z and marches up with three planes in
 * local memory. The first 76 work-items load the halo around its part of a plane. Rows begin at multiples of pitch.
 */
#define COLUMNS 32
#define ROWS 4
#define HALO_ROWS (2 * (COLUMNS + 2)) /* points above and below, corners included */
#define HALO (HALO_ROWS + 2 * ROWS)

typedef __local float (*plane)[COLUMNS + 2];

struct point {
    int x, y; /* in the plane */
    uint tx, ty; /* in local memory */
    bool inside;
};

static struct point point_at(uint tx, uint ty, uint nx, uint ny)
{
    struct point p;
    p.tx = tx;
    p.ty = ty;
    p.x = (int)(get_group_id(0) * COLUMNS + tx) - 1;
    p.y = (int)(get_group_id(1) * ROWS + ty) - 1;
    p.inside = p.x >= 0 && p.x < (int)nx && p.y >= 0 && p.y < (int)ny;
    return p;
}

/* The work-item's point of the halo, or a point outside for work-items without one. */
static struct point halo_of(uint item, uint nx, uint ny)
{
    if (item < HALO_ROWS)
        return point_at(item % (COLUMNS + 2), item < COLUMNS + 2 ? 0 : ROWS + 1, nx, ny);
    const uint i = item - HALO_ROWS;
    struct point p = point_at(i < ROWS ? 0 : COLUMNS + 1, i % ROWS + 1, nx, ny);
    p.inside = p.inside && item < HALO;
    return p;
}

static void load(plane to, __global const float *u, struct point own, struct point halo, uint pitch)
{
    if (own.inside)
        to[own.ty][own.tx] = u[own.y * pitch + own.x];
    if (halo.inside)
        to[halo.ty][halo.tx] = u[halo.y * pitch + halo.x];
}

__kernel __attribute__((reqd_work_group_size(32, 4, 1))) void laplace(__global const float *before,
                                                                       __global float *after, uint nx, uint ny,
                                                                       uint nz, uint pitch)
{
    __local float planes[3][ROWS + 2][COLUMNS + 2];
    const uint tx = get_local_id(0) + 1, ty = get_local_id(1) + 1;
    const struct point own = point_at(tx, ty, nx, ny);
    const struct point halo = halo_of(get_local_id(1) * COLUMNS + get_local_id(0), nx, ny);
    const bool side = own.x == 0 || own.x == (int)nx - 1 || own.y == 0 || own.y == (int)ny - 1;
    const uint size = ny * pitch;

    load(planes[0], before, own, halo, pitch);
    for (uint z = 0; z < nz; z++) {
        const plane here = planes[z % 3], above = planes[(z + 1) % 3], below = planes[(z + 2) % 3];
        if (z + 1 < nz)
            load(above, before + (z + 1) * size, own, halo, pitch);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (own.inside) {
            float value = here[ty][tx];
            if (!side && z > 0 && z + 1 < nz)
                value = (here[ty][tx - 1] + here[ty][tx + 1] + here[ty - 1][tx] + here[ty + 1][tx] +
                         below[ty][tx] + above[ty][tx]) *
                        (1.0f / 6.0f);
            after[z * size + own.y * pitch + own.x] = value;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
