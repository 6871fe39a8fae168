/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LU decomposition in place, by blocks of 16 x 16 along the diagonal: L, whose diagonal of ones is not stored, and U.
 * `first` is the first row and column of the step's diagonal block.
 */
#define BLOCK 16

/* Decomposes the diagonal block. Work-item i has column i of the block in U, and row i in L. */
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void lud_diagonal(__global float *matrix, uint n,
                                                                              uint first)
{
    __local float tile[BLOCK][BLOCK];
    const uint item = get_local_id(0), corner = first * n + first;
    for (uint y = 0; y < BLOCK; y++)
        tile[y][item] = matrix[corner + y * n + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < BLOCK - 1; k++) {
        if (item > k) { /* column k of L */
            for (uint i = 0; i < k; i++)
                tile[item][k] -= tile[item][i] * tile[i][k];
            tile[item][k] /= tile[k][k];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item > k) /* row k + 1 of U */
            for (uint i = 0; i <= k; i++)
                tile[k + 1][item] -= tile[k + 1][i] * tile[i][item];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint y = 1; y < BLOCK; y++)
        matrix[corner + y * n + item] = tile[y][item];
}

/* A work-group has a block to the right of the diagonal block and the one below it at the same distance. Its first 16
 * work-items solve for a column of U each, the others for a row of L each. */
__kernel __attribute__((reqd_work_group_size(2 * BLOCK, 1, 1))) void lud_perimeter(__global float *matrix, uint n,
                                                                                   uint first)
{
    __local float diagonal[BLOCK][BLOCK], right[BLOCK][BLOCK], below[BLOCK][BLOCK];
    const uint part = get_local_id(0) / BLOCK, item = get_local_id(0) % BLOCK;
    const uint away = (get_group_id(0) + 1) * BLOCK, corner = first * n + first;

    for (uint y = part * (BLOCK / 2); y < (part + 1) * (BLOCK / 2); y++)
        diagonal[y][item] = matrix[corner + y * n + item];
    if (part == 0)
        for (uint y = 0; y < BLOCK; y++)
            right[y][item] = matrix[corner + y * n + away + item];
    else
        for (uint y = 0; y < BLOCK; y++)
            below[y][item] = matrix[corner + (away + y) * n + item];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (part == 0)
        for (uint y = 1; y < BLOCK; y++)
            for (uint i = 0; i < y; i++)
                right[y][item] -= diagonal[y][i] * right[i][item];
    else
        for (uint x = 0; x < BLOCK; x++) {
            for (uint i = 0; i < x; i++)
                below[item][x] -= below[item][i] * diagonal[i][x];
            below[item][x] /= diagonal[x][x];
        }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (part == 0)
        for (uint y = 1; y < BLOCK; y++)
            matrix[corner + y * n + away + item] = right[y][item];
    else
        for (uint y = 0; y < BLOCK; y++)
            matrix[corner + (away + y) * n + item] = below[y][item];
}

/* Subtracts the product of the blocks in the first columns and in the first rows from each remaining block. */
__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1))) void lud_internal(__global float *matrix, uint n,
                                                                                  uint first)
{
    __local float above[BLOCK][BLOCK], left[BLOCK][BLOCK];
    const uint x = get_local_id(0), y = get_local_id(1), corner = first * n + first;
    const uint column = (get_group_id(0) + 1) * BLOCK + x, row = (get_group_id(1) + 1) * BLOCK + y;

    above[y][x] = matrix[corner + y * n + column];
    left[y][x] = matrix[corner + row * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (uint i = 0; i < BLOCK; i++)
        sum += left[y][i] * above[i][x];
    matrix[corner + row * n + column] -= sum;
}
