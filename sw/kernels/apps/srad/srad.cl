/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Speckle reducing anisotropic diffusion of a column-major image: element i is row i % rows of column i / rows. north,
 * south (by row) and west, east (by column) hold a neighbour's index; at the edge that is the element itself.
 */
#define GROUP 512
#define KERNEL __kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))

KERNEL void extract(__global float *image, uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        image[i] = exp(image[i] / 255.0f);
}

KERNEL void prepare(__global const float *image, __global float *sums, __global float *squares, uint n)
{
    const uint i = get_global_id(0);
    if (i < n) {
        const float here = image[i];
        sums[i] = here;
        squares[i] = here * here;
    }
}

/* Adds n elements, every `stride`-th one. A work-group's sum replaces its first element. */
KERNEL void reduce(__global float *sums, __global float *squares, uint n, uint stride)
{
    __local float sum[GROUP], square[GROUP];
    const uint item = get_local_id(0), at = get_global_id(0) * stride;
    const bool counts = get_global_id(0) < n;

    sum[item] = counts ? sums[at] : 0.0f;
    square[item] = counts ? squares[at] : 0.0f;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step) {
            sum[item] += sum[item + step];
            square[item] += square[item + step];
        }
    }
    if (item == 0) {
        sums[at] = sum[0];
        squares[at] = square[0];
    }
}

/* Differences to the neighbours and the diffusion coefficient. `speckle` is the image's squared variation. */
KERNEL void srad(__global const float *image, __global const int *north, __global const int *south,
                 __global const int *west, __global const int *east, __global float *dn, __global float *ds,
                 __global float *dw, __global float *de, __global float *coefficient, uint rows, uint n, float speckle)
{
    const uint i = get_global_id(0), row = i % rows, column = i / rows;
    if (i >= n)
        return;
    const float here = image[i];
    const float n_ = image[north[row] + rows * column] - here, s_ = image[south[row] + rows * column] - here;
    const float w_ = image[row + rows * west[column]] - here, e_ = image[row + rows * east[column]] - here;
    const float gradient = (n_ * n_ + s_ * s_ + w_ * w_ + e_ * e_) / (here * here);
    const float laplacian = (n_ + s_ + w_ + e_) / here;
    const float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
    const float root = 1.0f + 0.25f * laplacian;
    const float variation = numerator / (root * root);
    const float c = 1.0f / (1.0f + (variation - speckle) / (speckle * (1.0f + speckle)));

    dn[i] = n_;
    ds[i] = s_;
    dw[i] = w_;
    de[i] = e_;
    coefficient[i] = clamp(c, 0.0f, 1.0f);
}

KERNEL void srad2(__global float *image, __global const int *south, __global const int *east, __global const float *dn,
                  __global const float *ds, __global const float *dw, __global const float *de,
                  __global const float *coefficient, uint rows, uint n, float lambda)
{
    const uint i = get_global_id(0), row = i % rows, column = i / rows;
    if (i >= n)
        return;
    const float here = coefficient[i];
    const float below = coefficient[south[row] + rows * column], right = coefficient[row + rows * east[column]];
    image[i] += 0.25f * lambda * (here * dn[i] + below * ds[i] + here * dw[i] + right * de[i]);
}

KERNEL void compress(__global float *image, uint n)
{
    const uint i = get_global_id(0);
    if (i < n)
        image[i] = log(image[i]) * 255.0f;
}

/* The two diffusion kernels by tiles of 16 x 16, for a row-major image whose sides are multiples of 16. Each work-item
 * also loads an element of the row above, the row below, the column to the left and the column to the right of the
 * tile, so each of these is loaded 16 times. At the image's edge they are the tile's own. */
#define SIDE 16

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void srad_tile(
    __global const float *image, __global float *dn, __global float *ds, __global float *dw, __global float *de,
    __global float *coefficient, uint columns, uint rows, float speckle)
{
    __local float tile[SIDE][SIDE], north[SIDE], south[SIDE], west[SIDE], east[SIDE];
    const uint tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    const uint left = x - tx, top = y - ty, at = y * columns + x;

    tile[ty][tx] = image[at];
    north[tx] = image[(top > 0 ? top - 1 : top) * columns + x];
    south[tx] = image[(top + SIDE < rows ? top + SIDE : rows - 1) * columns + x];
    west[ty] = image[y * columns + (left > 0 ? left - 1 : left)];
    east[ty] = image[y * columns + (left + SIDE < columns ? left + SIDE : columns - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);

    const float here = tile[ty][tx];
    const float n_ = (ty == 0 ? north[tx] : tile[ty - 1][tx]) - here;
    const float s_ = (ty == SIDE - 1 ? south[tx] : tile[ty + 1][tx]) - here;
    const float w_ = (tx == 0 ? west[ty] : tile[ty][tx - 1]) - here;
    const float e_ = (tx == SIDE - 1 ? east[ty] : tile[ty][tx + 1]) - here;
    const float gradient = (n_ * n_ + s_ * s_ + w_ * w_ + e_ * e_) / (here * here);
    const float laplacian = (n_ + s_ + w_ + e_) / here;
    const float numerator = 0.5f * gradient - 0.0625f * laplacian * laplacian;
    const float root = 1.0f + 0.25f * laplacian;
    const float c = 1.0f / (1.0f + (numerator / (root * root) - speckle) / (speckle * (1.0f + speckle)));

    coefficient[at] = clamp(c, 0.0f, 1.0f);
    dn[at] = n_;
    ds[at] = s_;
    dw[at] = w_;
    de[at] = e_;
}

__kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1))) void srad2_tile(
    __global float *image, __global const float *dn, __global const float *ds, __global const float *dw,
    __global const float *de, __global const float *coefficient, uint columns, uint rows, float lambda)
{
    __local float tile[SIDE][SIDE], south[SIDE], east[SIDE];
    const uint tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
    const uint left = x - tx, top = y - ty, at = y * columns + x;

    tile[ty][tx] = coefficient[at];
    south[tx] = coefficient[(top + SIDE < rows ? top + SIDE : rows - 1) * columns + x];
    east[ty] = coefficient[y * columns + (left + SIDE < columns ? left + SIDE : columns - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);

    const float here = tile[ty][tx];
    const float below = ty == SIDE - 1 ? south[tx] : tile[ty + 1][tx];
    const float right = tx == SIDE - 1 ? east[ty] : tile[ty][tx + 1];
    image[at] += 0.25f * lambda * (here * dn[at] + below * ds[at] + here * dw[at] + right * de[at]);
}
