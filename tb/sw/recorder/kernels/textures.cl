/* SPDX-License-Identifier: Apache-2.0 */
/* Images of depths, of several samples, and with mipmaps. */
#define EXPECT(x)                                                                                                    \
    do {                                                                                                             \
        if (!(x))                                                                                                    \
            __builtin_trap();                                                                                        \
    } while (0)

constant sampler_t normal = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t plain = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

/* Level n of 16 x 8 texels has the value n everywhere; depths are x + 100 y. */
kernel void draw(write_only image2d_t mip, write_only image2d_array_t layers, write_only image2d_depth_t depth)
{
    const int x = get_global_id(0), y = get_global_id(1);
    EXPECT(get_image_num_mip_levels(mip) == 5 && get_image_num_mip_levels(layers) == 3);
    for (int n = 0; n < 5; n++)
        if (x < max(16 >> n, 1) && y < max(8 >> n, 1))
            write_imagef(mip, (int2)(x, y), n, (float4)(n, x, y, 1)); /* line 19 */
    for (int n = 0; n < 3; n++)
        if (x < 4 >> n && y < 4 >> n)
            for (int z = 0; z < 2; z++)
                write_imageui(layers, (int4)(x, y, z, 0), n, (uint4)(100 * n + 10 * z + x, y, 0, 0));
    write_imagef(depth, (int2)(x, y), x + 100 * y); /* line 24 */
}

kernel void check(read_only image2d_t mip, read_only image2d_array_t layers, read_only image2d_depth_t depth)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const float2 at = {(x + 0.5f) / 16, (y + 0.5f) / 8};
    for (int n = 0; n < 7; n++)
        EXPECT(read_imagef(mip, normal, at, (float)n).x == min(n, 4)); /* line 32 */
    EXPECT(read_imagef(mip, normal, at, 1.3f).y == x / 2);
    /* Four texels in x, two in y: the longer is two levels up. */
    EXPECT(read_imagef(mip, normal, at, (float2)(4 / 16.0f, 0), (float2)(0, 2 / 8.0f)).x == 2); /* line 35 */
    const uint4 l = read_imageui(layers, normal, (float4)(at, 1, 0), 1.0f);
    EXPECT(l.x == 110 + x / 8 && l.y == y / 4);
    EXPECT(read_imagef(depth, plain, (int2)(x, y)) == x + 100 * y); /* line 38 */
    EXPECT(read_imagef(depth, (int2)(x, y)) == x + 100 * y);
    EXPECT(get_image_width(depth) == 16 && get_image_channel_order(depth) == CLK_DEPTH);
}

/* The samples of a texel follow one another: numbers from 0 on. */
kernel void samples(read_only image2d_msaa_t colour, read_only image2d_array_msaa_depth_t depth)
{
    const int x = get_global_id(0), y = get_global_id(1);
    EXPECT(get_image_num_samples(colour) == 4 && get_image_num_samples(depth) == 2);
    for (int s = 0; s < 4; s++) {
        const float4 c = read_imagef(colour, (int2)(x, y), s); /* line 49 */
        EXPECT(c.x == 2 * ((x + 16 * y) * 4 + s) && c.y == c.x + 1);
    }
    EXPECT(read_imagef(depth, (int4)(x, y, 1, 0), 1) == ((16 * 8 + x + 16 * y) * 2 + 1)); /* line 52 */
}
