/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B, row-major, by tiles of 32 x 32 of A and B in local memory. A work-group of 1024 computes a tile of C. `inner`
 * is the number of A's columns, `columns` that of B's. */
#define TILE 32

__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void matrix_mul(__global const float *a,
                                                                              __global const float *b,
                                                                              __global float *c, uint inner,
                                                                              uint columns)
{
    __local float left[TILE][TILE], right[TILE][TILE];
    const uint x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (uint first = 0; first < inner; first += TILE) {
        left[y][x] = a[row * inner + first + x];
        right[y][x] = b[(first + y) * columns + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * columns + column] = sum;
}
