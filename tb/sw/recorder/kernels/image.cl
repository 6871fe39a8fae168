/* SPDX-License-Identifier: Apache-2.0 */
/* Images: what one kernel writes, the other reads, with samplers of several kinds. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define EXPECT(x)                                                                                            \
    do {                                                                                                     \
        if (!(x))                                                                                            \
            __builtin_trap();                                                                                \
    } while (0)

constant sampler_t smooth = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t bordered = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

/* Names a buffer, of which check() has an image, too. */
kernel void prepare(global float *buffer) { buffer[get_global_id(0)] += 1; }

/* 32 x 8 texels: x + 100 y, and others. */
kernel void draw(write_only image2d_t flat, write_only image2d_t bytes, write_only image3d_t solid,
                 write_only image2d_array_t layers, write_only image1d_t line)
{
    const int x = get_global_id(0), y = get_global_id(1);
    EXPECT(get_image_width(flat) == 32 && get_image_height(flat) == 8 && get_image_depth(solid) == 2);
    write_imagef(flat, (int2)(x, y), (float4)(x + 100 * y, y, x, 1)); /* line 22 */
    write_imagef(bytes, (int2)(x, y), (float4)(x / 255.0f, y / 255.0f, 2, -1)); /* line 23 */
    for (int z = 0; z < 2; z++)
        write_imagei(solid, (int4)(x, y, z, 0), (int4)(z * 1000 + x, 0, 0, 0)); /* line 25 */
    write_imageui(layers, (int4)(x, y, y & 1, 0), (uint4)(x, y, 0, 0));
    if (y == 0)
        write_imagef(line, x, (float4)(x * 0.5f, 0, 0, 0)); /* line 28 */
}

kernel void check(read_only image2d_t flat, read_only image2d_t bytes, read_only image3d_t solid,
                  read_only image2d_array_t layers, read_only image1d_t line, read_only image1d_buffer_t numbers,
                  sampler_t given, global const float *buffer)
{
    const int x = get_global_id(0), y = get_global_id(1);
    EXPECT(read_imagef(flat, bordered, (int2)(x, y)).x == x + 100 * y); /* line 36 */
    EXPECT(all(read_imagef(flat, bordered, (int2)(-1, y)) == 0));
    const float4 between = read_imagef(flat, smooth, (float2)((x + 1.0f) / 32, (y + 0.5f) / 8)); /* line 38 */
    EXPECT(fabs(between.x - (x == 31 ? 31 : x + 0.5f) - 100 * y) < 0.01f);
    const float4 b = read_imagef(bytes, (int2)(x, y)); /* line 40 */
    EXPECT(fabs(b.x * 255 - x) < 0.01f && fabs(b.y * 255 - y) < 0.01f && b.z == 1 && b.w == 0);
    EXPECT(read_imagei(solid, given, (int4)(x, y, 5, 0)).x == 1000 + x); /* line 42: given clamps to the edge */
    const uint4 l = read_imageui(layers, bordered, (int4)(x, y, y & 1, 0));
    EXPECT(l.x == x && l.y == y && l.w == 1 && get_image_array_size(layers) == 2);
    EXPECT(read_imageh(line, smooth, (x + 0.5f) / 32).x == (half)(x * 0.5f));
    EXPECT(read_imagef(numbers, x).x == buffer[x]); /* line 46 */
}
