/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Needleman-Wunsch: fills the score matrix tile by tile. Rows of score and similarity have n + 1 elements; there are
 * at most n + 1 rows. Row 0 and column 0 of score are gap penalties. A work-group of 64 computes a tile of 64 x 64 in
 * local memory, from its upper left corner along anti-diagonals. A launch covers the tiles of one anti-diagonal of
 * the matrix: nw_grow those up to the main one, nw_shrink those after it.
 */
#define TILE 64

static int largest(int a, int b, int c)
{
    const int ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static int cell(__local int (*score)[TILE + 1], __local int (*similarity)[TILE], uint x, uint y, int penalty)
{
    return largest(score[y][x] + similarity[y][x], score[y + 1][x] - penalty, score[y][x + 1] - penalty);
}

static void tile(__global const int *similarity, __global int *score, uint n, int penalty, uint tx, uint ty,
                 __local int (*s)[TILE + 1], __local int (*r)[TILE])
{
    const uint item = get_local_id(0), pitch = n + 1;
    const uint corner = ty * TILE * pitch + tx * TILE; /* where the row above and the column to the left meet */
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
            s[step - item + 1][item + 1] = cell(s, r, item, step - item, penalty);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint step = 1; step < TILE; step++) {
        if (item >= step)
            s[TILE - 1 + step - item + 1][item + 1] = cell(s, r, item, TILE - 1 + step - item, penalty);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    for (uint y = 0; y < TILE; y++)
        score[inside + y * pitch] = s[y + 1][item + 1];
}

/* Anti-diagonal number `diagonal`, which has that number of tiles, before the last row of tiles is reached. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void nw_grow(__global const int *similarity,
                                                                       __global int *score, uint n, int penalty,
                                                                       uint diagonal)
{
    __local int s[TILE + 1][TILE + 1], r[TILE][TILE];
    const uint group = get_group_id(0);
    tile(similarity, score, n, penalty, group, diagonal - 1 - group, s, r);
}

/* The anti-diagonal `diagonal` places after the first that reached the last row of tiles, from that row upwards. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void nw_shrink(__global const int *similarity,
                                                                         __global int *score, uint n, int penalty,
                                                                         uint diagonal, uint rows)
{
    __local int s[TILE + 1][TILE + 1], r[TILE][TILE];
    const uint group = get_group_id(0);
    tile(similarity, score, n, penalty, diagonal + group, rows / TILE - 1 - group, s, r);
}
