/* SPDX-License-Identifier: Apache-2.0 */
/* Causal attention of whole prompts over a paged cache of keys and values, as flash attention does it: a work-group has 64
 * queries of a head of a request, one per work-item, and takes the request's blocks of 16 tokens one after another into
 * local memory. Weights are relative to the largest score up to then, so that nothing is read twice. */
#define SIZE  64
#define BLOCK 16
#define TILE  64

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void prefill(
    __global const float *query, __global const float *keys, __global const float *values,
    __global const uint *tables, __global const uint *lengths, uint blocks, uint heads, uint tiles,
    __global float *out)
{
    __local float q[TILE * SIZE], sum[TILE * SIZE], key[BLOCK * SIZE], value[BLOCK * SIZE], score[TILE * BLOCK];
    const uint lane = get_local_id(0), tile = get_group_id(0) % tiles;
    const uint head = get_group_id(0) / tiles % heads, request = get_group_id(0) / tiles / heads;
    const uint first = tile * TILE, length = lengths[request], mine = first + lane;
    if (first >= length)
        return;
    __global const uint *table = tables + (ulong)request * blocks;
    const ulong rows = (ulong)request * blocks * BLOCK;
    for (uint t = 0; t < TILE; t++) {
        q[t * SIZE + lane] = first + t < length ? query[((rows + first + t) * heads + head) * SIZE + lane] : 0.0f;
        sum[t * SIZE + lane] = 0.0f;
    }
    float most = -INFINITY, weights = 0.0f;
    const uint end = min(first + TILE, length);
    for (uint begin = 0; begin < end; begin += BLOCK) {
        const ulong block = (ulong)table[begin / BLOCK] * BLOCK;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint t = 0; t < BLOCK; t++) {
            const ulong at = ((block + t) * heads + head) * SIZE + lane;
            key[t * SIZE + lane] = keys[at];
            value[t * SIZE + lane] = values[at];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint n = mine < begin ? 0 : min((uint)BLOCK, mine + 1 - begin);
        float now = most;
        for (uint t = 0; t < n; t++) {
            float product = 0.0f;
            for (uint k = 0; k < SIZE; k++)
                product += q[lane * SIZE + k] * key[t * SIZE + k];
            score[lane * BLOCK + t] = product * 0.125f; /* the root of SIZE */
            now = fmax(now, product * 0.125f);
        }
        const float older = n ? exp(most - now) : 1.0f;
        most = now;
        weights *= older;
        for (uint k = 0; k < SIZE; k++)
            sum[lane * SIZE + k] *= older;
        for (uint t = 0; t < n; t++) {
            const float weight = exp(score[lane * BLOCK + t] - most);
            weights += weight;
            for (uint k = 0; k < SIZE; k++)
                sum[lane * SIZE + k] += weight * value[t * SIZE + k];
        }
    }
    for (uint k = 0; k < SIZE; k++)
        sum[lane * SIZE + k] /= weights;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint t = 0; first + t < end; t++)
        out[((rows + first + t) * heads + head) * SIZE + lane] = sum[t * SIZE + lane];
}
