/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of images by 3 x 3 filters (padding 1, stride 1) as a matrix product. The steps are: patches become
 * columns, the bias is repeated, weights are transposed, the product is taken, and its result becomes planes again. */
#define TILE 16
#define SIDE 3

/* columns[k][p]: element k of the patch around pixel p; k counts channels, then filter rows, then columns.
 * Dimension 0 is x; dimension 1 is y, image after image. */
__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void im2col(__global const float *images,
                                                                     __global float *columns, uint channels,
                                                                     uint height, uint width)
{
    const uint x = get_global_id(0), y = get_global_id(1) % height, image = get_global_id(1) / height;
    const uint pixels = get_global_size(0) * get_global_size(1);
    uint to = (image * height + y) * width + x;
    for (uint c = 0; c < channels; c++) {
        const uint plane = (image * channels + c) * height * width;
        for (uint dy = 0; dy < SIDE; dy++)
            for (uint dx = 0; dx < SIDE; dx++) {
                const uint sy = y + dy - 1, sx = x + dx - 1; /* -1 wraps to a large number, which is outside, too */
                columns[to] = sy < height && sx < width ? images[plane + sy * width + sx] : 0.0f;
                to += pixels;
            }
    }
}

/* rows[p][f] = bias[f] */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void repeat_bias(__global const float *bias,
                                                                           __global float *rows, uint filters)
{
    const uint i = get_global_id(0);
    rows[i] = bias[i % filters];
}

/* Dimension 2 counts matrices of rows x columns, one after another; each is transposed. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void transpose(__global const float *input,
                                                                          __global float *output, uint rows,
                                                                          uint columns)
{
    __local float tile[TILE][TILE + 1];
    const uint lx = get_local_id(0), ly = get_local_id(1);
    const uint left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    const uint matrix = get_global_id(2) * rows * columns;
    if (left + lx < columns && top + ly < rows)
        tile[ly][lx] = input[matrix + (top + ly) * columns + left + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (left + ly < columns && top + lx < rows)
        output[matrix + (left + ly) * rows + top + lx] = tile[lx][ly];
}

/* out[p][f] = bias[p][f] + sum_k columns[k][p] weights[k][f], in tiles of 16 x 16 x 16. Dimension 0 is f, dimension
 * 1 is p. The left operand is transposed in local memory, so that both operands are read along k. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void gemm(__global const float *columns,
                                                                     __global const float *weights,
                                                                     __global const float *bias,
                                                                     __global float *out, uint depth, uint pixels,
                                                                     uint filters)
{
    __local float left[TILE][TILE + 1], right[TILE][TILE + 1];
    const uint lx = get_local_id(0), ly = get_local_id(1);
    const uint f = get_global_id(0), p = get_global_id(1);
    const uint tile_p = get_group_id(1) * TILE + lx;
    float sum = 0.0f;
    for (uint k0 = 0; k0 < depth; k0 += TILE) {
        const uint k = k0 + ly;
        left[lx][ly] = k < depth && tile_p < pixels ? columns[k * pixels + tile_p] : 0.0f;
        right[lx][ly] = k < depth && f < filters ? weights[k * filters + f] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++)
            sum += left[ly][i] * right[lx][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (p < pixels && f < filters)
        out[p * filters + f] = sum + bias[p * filters + f];
}
