/* SPDX-License-Identifier: Apache-2.0 */
/* The layers of a convolutional network for one image. Arrays have channels, then rows, then columns; planes are
 * square. A convolution is im2col and a product, once per group of channels. */
#define TILE 16
#define ITEMS 256

/* columns[(c kernel + y) kernel + x][pixel]: what the filters' element (c, y, x) meets at each output pixel. A work-item
 * has a channel and an output pixel. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void im2col(__global const float *in,
                                                                        __global float *columns, uint channels,
                                                                        uint side, uint kernel_side, uint stride,
                                                                        uint padding, uint outside)
{
    const uint pixels = outside * outside, c = get_global_id(0) / pixels, pixel = get_global_id(0) % pixels;
    if (c >= channels)
        return;
    const uint top = pixel / outside * stride - padding, left = pixel % outside * stride - padding;
    uint to = c * kernel_side * kernel_side * pixels + pixel;
    for (uint y = top; y != top + kernel_side; y++)
        for (uint x = left; x != left + kernel_side; x++) { /* -1 wraps to a large number, which is outside, too */
            columns[to] = y < side && x < side ? in[(c * side + y) * side + x] : 0.0f;
            to += pixels;
        }
}

/* out[f][p] = max(0, bias[f] + sum over k of weights[f][k] columns[k][p]), by tiles in local memory. */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void product(__global const float *weights,
                                                                           __global const float *columns,
                                                                           __global const float *bias,
                                                                           __global float *out, uint filters,
                                                                           uint depth, uint pixels)
{
    __local float left[TILE][TILE], right[TILE][TILE];
    const uint x = get_local_id(0), y = get_local_id(1), p = get_global_id(0), f = get_global_id(1);
    float sum = 0.0f;
    for (uint first = 0; first < depth; first += TILE) {
        left[y][x] = f < filters && first + x < depth ? weights[f * depth + first + x] : 0.0f;
        right[y][x] = p < pixels && first + y < depth ? columns[(first + y) * pixels + p] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (f < filters && p < pixels)
        out[f * pixels + p] = max(sum + bias[f], 0.0f);
}

/* Divides by a power of the squares of five neighbouring channels. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void normalise(__global const float *in,
                                                                           __global float *out, uint channels,
                                                                           uint pixels)
{
    const uint i = get_global_id(0);
    const int c = i / pixels;
    if (c >= (int)channels)
        return;
    float squares = 0.0f;
    for (int near = max(c - 2, 0); near <= min(c + 2, (int)channels - 1); near++) {
        const float value = in[near * pixels + i % pixels];
        squares += value * value;
    }
    out[i] = in[i] * pow(2.0f + 1e-4f * squares, -0.75f);
}

/* The largest of 3 x 3 elements, every second one. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void pool(__global const float *in, __global float *out,
                                                                      uint channels, uint side, uint outside)
{
    const uint i = get_global_id(0), c = i / (outside * outside), y = i / outside % outside, x = i % outside;
    if (c >= channels)
        return;
    const uint at = (c * side + 2 * y) * side + 2 * x;
    float most = in[at];
    for (uint dy = 0; dy < 3; dy++)
        for (uint dx = 0; dx < 3; dx++)
            most = max(most, in[at + dy * side + dx]);
    out[i] = most;
}

/* An output per work-group: out[o] = bias[o] + sum over i of weights[o][i] in[i], and at least 0 if `positive`. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void dense(__global const float *weights,
                                                                       __global const float *in,
                                                                       __global const float *bias,
                                                                       __global float *out, uint inputs,
                                                                       uint positive)
{
    __local float sums[ITEMS];
    const uint item = get_local_id(0), o = get_group_id(0);
    float sum = 0.0f;
    for (uint i = item; i < inputs; i += ITEMS)
        sum += weights[o * inputs + i] * in[i];
    sums[item] = sum;
    for (uint step = ITEMS / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < step)
            sums[item] += sums[item + step];
    }
    if (item == 0) {
        const float value = sums[0] + bias[o];
        out[o] = positive ? max(value, 0.0f) : value;
    }
}
