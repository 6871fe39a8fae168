/* SPDX-License-Identifier: Apache-2.0 */
/* Finite impulse response filter: each work-item reads as many consecutive samples as there are taps.
 * history holds the samples before the first one, oldest first. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void fir(__global float *output,
                                                                    __global const float *coefficient,
                                                                    __global const float *input,
                                                                    __global const float *history, uint taps)
{
    const uint n = get_global_id(0);
    const uint here = n + 1 < taps ? n + 1 : taps; /* number of taps that use samples of input, not of history */
    float sum = 0.0f;
    uint i = 0;
    for (; i < here; i++)
        sum += coefficient[i] * input[n - i];
    for (; i < taps; i++)
        sum += coefficient[i] * history[taps + n - i];
    output[n] = sum;
}
