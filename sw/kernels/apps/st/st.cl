/* SPDX-License-Identifier: Apache-2.0 */
/* Nine-point stencil. A work-group of 1 x 64 computes 16 rows of 64 columns: it copies 18 rows with their halo columns
 * into local memory, then each work-item goes down its column. Arrays have a halo of one element on all sides. pitch
 * is in elements. Dimension 0 counts blocks of 16 rows, dimension 1 columns. */
#define ROWS 16
#define COLUMNS 64

__kernel __attribute__((reqd_work_group_size(1, 64, 1))) void stencil(__global const float *input,
                                                                       __global float *output, uint pitch)
{
    __local float tile[ROWS + 2][COLUMNS + 2];
    const uint column = get_local_id(1) + 1;
    const uint top = get_global_id(0) * ROWS;
    const uint at = top * pitch + get_global_id(1) + 1; /* the halo row above this column */

    for (uint row = 0; row < ROWS + 2; row++)
        tile[row][column] = input[at + row * pitch];
    if (column == 1)
        for (uint row = 0; row < ROWS + 2; row++)
            tile[row][0] = input[at + row * pitch - 1];
    if (column == COLUMNS)
        for (uint row = 0; row < ROWS + 2; row++)
            tile[row][COLUMNS + 1] = input[at + row * pitch + 1];
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint row = 1; row <= ROWS; row++) {
        const float centre = tile[row][column];
        const float cardinal = tile[row - 1][column] + tile[row + 1][column] + tile[row][column - 1] +
                               tile[row][column + 1];
        const float diagonal = tile[row - 1][column - 1] + tile[row - 1][column + 1] +
                               tile[row + 1][column - 1] + tile[row + 1][column + 1];
        output[at + row * pitch] = 0.5f * centre + 0.25f * cardinal + 0.125f * diagonal;
    }
}
