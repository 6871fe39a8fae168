/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for tiles of TILE x TILE; NAME(f) is the name of function f. Included by nw.cl for each size.
 */
static int NAME(cell)(__local int (*score)[TILE + 1], __local int (*similarity)[TILE], uint x, uint y,
                      int penalty)
{
    return largest(score[y][x] + similarity[y][x], score[y + 1][x] - penalty, score[y][x + 1] - penalty);
}

static void NAME(tile)(__global const int *similarity, __global int *score, uint n, int penalty, uint tx,
                       uint ty, __local int (*s)[TILE + 1], __local int (*r)[TILE])
{
    const uint item = get_local_id(0), pitch = n + 1;
    const uint corner =
        ty * TILE * pitch + tx * TILE; /* where the row above and the column to the left meet */
    const uint inside = corner + pitch + 1 + item;

    for (uint y = 0; y < TILE; y++)
        r[y][item] = similarity[inside + y * pitch];
    if (item == 0)
        s[0][0] = score[corner];
    s[item + 1][0] = score[corner + (item + 1) * pitch];
    s[0][item + 1] = score[corner + item + 1];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint step = 0; step < TILE; step++) {
        if (item <= step)
            s[step - item + 1][item + 1] = NAME(cell)(s, r, item, step - item, penalty);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint step = 1; step < TILE; step++) {
        if (item >= step)
            s[TILE - 1 + step - item + 1][item + 1] = NAME(cell)(s, r, item, TILE - 1 + step - item, penalty);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint y = 0; y < TILE; y++)
        score[inside + y * pitch] = s[y + 1][item + 1];
}

/* Anti-diagonal number `diagonal`, which has that number of tiles, before the last row of tiles is reached.
 */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
NAME(nw_grow)(__global const int *similarity, __global int *score, uint n, int penalty, uint diagonal)
{
    __local int s[TILE + 1][TILE + 1], r[TILE][TILE];
    const uint group = get_group_id(0);
    NAME(tile)(similarity, score, n, penalty, group, diagonal - 1 - group, s, r);
}

/* The anti-diagonal `diagonal` places after the first that reached the last row of tiles, from that row
 * upwards. */
__kernel __attribute__((reqd_work_group_size(TILE, 1, 1))) void
NAME(nw_shrink)(__global const int *similarity, __global int *score, uint n, int penalty, uint diagonal,
                uint rows)
{
    __local int s[TILE + 1][TILE + 1], r[TILE][TILE];
    const uint group = get_group_id(0);
    NAME(tile)(similarity, score, n, penalty, diagonal + group, rows / TILE - 1 - group, s, r);
}
