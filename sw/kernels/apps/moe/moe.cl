/* SPDX-License-Identifier: Apache-2.0 */
/* A layer of experts: each token goes to two of them. A work-group of 64 has 64 outputs of one token at one expert; tokens
 * are in the order of their experts, as a router sorts them. combine() adds a token's two results. */

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void expert(__global const float *x,
                                                                    __global const float *weight,
                                                                    __global const uint *token,
                                                                    __global const uint *expert_of, uint width,
                                                                    __global float *part)
{
    const uint tiles = width / 64, work = get_group_id(0) / tiles;
    const uint out = get_group_id(0) % tiles * 64 + get_local_id(0);
    __global const float *row = x + (ulong)token[work] * width;
    __global const float *w = weight + (ulong)expert_of[work] * width * width + out;
    float sum = 0.0f;
    for (uint k = 0; k < width; k++)
        sum += row[k] * w[(ulong)k * width];
    part[(ulong)work * width + out] = sum;
}

__kernel void combine(__global const float *part, __global const uint *place, uint width, __global float *y)
{
    const uint i = get_global_id(0), t = i / width, k = i % width;
    y[i] = part[(ulong)place[2 * t] * width + k] + part[(ulong)place[2 * t + 1] * width + k];
}
