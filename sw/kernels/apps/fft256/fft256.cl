/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One radix-2 pass of a Stockham FFT, out of place: transforms of `span` points become transforms of 2 span. A
 * work-group has a transform, a work-item the butterfly of points j and j + 128. After log2 of the points passes
 * (span 1, 2, 4 ...) the spectrum is in natural order.
 */
__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void fft_pass(__global const float2 *in,
                                                                         __global float2 *out, uint span)
{
    const uint items = get_local_size(0), j = get_local_id(0), first = get_group_id(0) * 2 * items;
    const uint k = j & (span - 1);
    const float angle = -3.14159265f * k / span;
    const float2 a = in[first + j], b = in[first + j + items];
    const float2 turned = cos(angle) * b + sin(angle) * (float2)(-b.y, b.x);
    const uint at = first + (j - k) * 2 + k;

    out[at] = a + turned;
    out[at + span] = a - turned;
}
