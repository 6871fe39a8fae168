/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pass of a Stockham FFT of radix 2, out of place: transforms of `span` points become transforms of 2 * span. A
 * work-group has one transform, a work-item the butterfly of points j and j + 128. After log2(points) passes (with
 * spans 1, 2, 4 ...) the spectrum is in natural order. The code is written for any radix, as the benchmark is, so the
 * first point is also rotated, by an angle of zero.
 */
#define RADIX 2

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void fft_pass(__global const float2 *in,
                                                                         __global float2 *out, uint span)
{
    const uint items = get_local_size(0), j = get_local_id(0), first = get_group_id(0) * RADIX * items;
    const uint k = j % span, at = first + j / span * span * RADIX + k;
    const float angle = -6.28318531f * k / (span * RADIX);
    float2 point[RADIX];

    #pragma unroll
    for (uint r = 0; r < RADIX; r++) {
        const float2 p = in[first + j + r * items];
        point[r] = cos(r * angle) * p + sin(r * angle) * (float2)(-p.y, p.x);
    }
    out[at] = point[0] + point[1];
    out[at + span] = point[0] - point[1];
}
