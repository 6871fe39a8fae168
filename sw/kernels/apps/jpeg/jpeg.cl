/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inverse discrete cosine transform of 8 x 8 blocks, in place. A work-group of 8 x 4 x 2 has a tile of 32 x 16: two
 * rows of four blocks. A work-item copies one column of a block into local memory, transforms a row and then a
 * column there, and writes its column back.
 */
#define SIDE 8
#define TILE_X 32
#define TILE_Y 16

/* cos(k pi / 16) / 2 */
#define C1 0.490392640f
#define C2 0.461939766f
#define C3 0.415734806f
#define C4 0.353553391f
#define C5 0.277785117f
#define C6 0.191341716f
#define C7 0.097545161f

/* Transforms eight elements that are `step` apart. */
static void transform(__local float *v, uint step)
{
    const float x0 = v[0], x1 = v[step], x2 = v[2 * step], x3 = v[3 * step];
    const float x4 = v[4 * step], x5 = v[5 * step], x6 = v[6 * step], x7 = v[7 * step];
    const float sum = (x0 + x4) * C4, difference = (x0 - x4) * C4;
    const float outer = x2 * C2 + x6 * C6, inner = x2 * C6 - x6 * C2;
    const float even0 = sum + outer, even1 = difference + inner, even2 = difference - inner, even3 = sum - outer;
    const float odd0 = x1 * C1 + x3 * C3 + x5 * C5 + x7 * C7;
    const float odd1 = x1 * C3 - x3 * C7 - x5 * C1 - x7 * C5;
    const float odd2 = x1 * C5 - x3 * C1 + x5 * C7 + x7 * C3;
    const float odd3 = x1 * C7 - x3 * C5 + x5 * C3 - x7 * C1;

    v[0] = even0 + odd0;
    v[step] = even1 + odd1;
    v[2 * step] = even2 + odd2;
    v[3 * step] = even3 + odd3;
    v[4 * step] = even3 - odd3;
    v[5 * step] = even2 - odd2;
    v[6 * step] = even1 - odd1;
    v[7 * step] = even0 - odd0;
}

__kernel __attribute__((reqd_work_group_size(8, 4, 2))) void idct(__global float *plane, uint width)
{
    __local float tile[TILE_Y][TILE_X + 1];
    const uint item = get_local_id(0), left = get_local_id(1) * SIDE, top = get_local_id(2) * SIDE;
    const uint column = left + item;

    plane += (get_group_id(1) * TILE_Y + top) * width + get_group_id(0) * TILE_X + column;
    #pragma unroll
    for (uint y = 0; y < SIDE; y++)
        tile[top + y][column] = plane[y * width];
    barrier(CLK_LOCAL_MEM_FENCE);
    transform(&tile[top + item][left], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    transform(&tile[top][column], TILE_X + 1);
    #pragma unroll
    for (uint y = 0; y < SIDE; y++)
        plane[y * width] = tile[top + y][column];
}
