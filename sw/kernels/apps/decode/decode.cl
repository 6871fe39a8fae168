/* SPDX-License-Identifier: Apache-2.0 */
/* A step of attention over a paged cache of keys and values: a work-group of 64 has a head of a request. A block of the
 * cache has 16 tokens with 64 numbers each for every head; a request's table lists its blocks. Each work-item has the
 * scores of some tokens; then each has one of the 64 outputs. */
#define SIZE  64
#define BLOCK 16

static ulong at(__global const uint *table, uint token, uint heads, uint head)
{
    return (((ulong)table[token / BLOCK] * BLOCK + token % BLOCK) * heads + head) * SIZE;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void decode(
    __global const float *query, __global const float *keys, __global const float *values,
    __global const uint *tables, __global const uint *lengths, uint blocks, uint heads, __local float *score,
    __global float *out)
{
    __local float part[SIZE];
    const uint request = get_group_id(0) / heads, head = get_group_id(0) % heads, lane = get_local_id(0);
    const uint length = lengths[request];
    __global const uint *table = tables + (ulong)request * blocks;
    __global const float *q = query + (ulong)get_group_id(0) * SIZE;

    float most = -INFINITY;
    for (uint t = lane; t < length; t += SIZE) {
        __global const float *key = keys + at(table, t, heads, head);
        float sum = 0.0f;
        for (uint k = 0; k < SIZE; k += 4)
            sum += dot(vload4(0, q + k), vload4(0, key + k));
        score[t] = sum * 0.125f; /* the root of SIZE */
        most = fmax(most, score[t]);
    }
    part[lane] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SIZE; k++)
        most = fmax(most, part[k]);
    float weights = 0.0f, sum = 0.0f;
    for (uint t = 0; t < length; t++) {
        const float weight = exp(score[t] - most);
        weights += weight;
        sum += weight * values[at(table, t, heads, head) + lane];
    }
    out[(ulong)get_group_id(0) * SIZE + lane] = sum / weights;
}
