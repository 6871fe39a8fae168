/* SPDX-License-Identifier: Apache-2.0 */
/* A step of generation: append() stores the keys and values of each request's new token, and attend() is its attention to
 * all tokens up to it. A request's keys are consecutive: token, head, 64 numbers. */
#define SIZE 64

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void append(__global const float *key,
                                                                    __global const float *value,
                                                                    __global const uint *lengths, uint most,
                                                                    uint heads, __global float *keys,
                                                                    __global float *values)
{
    const uint request = get_group_id(0) / heads, head = get_group_id(0) % heads;
    const ulong at = (((ulong)request * most + lengths[request] - 1) * heads + head) * SIZE + get_local_id(0);
    keys[at] = key[get_global_id(0)];
    values[at] = value[get_global_id(0)];
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void attend(
    __global const float *query, __global const float *keys, __global const float *values,
    __global const uint *lengths, uint most, uint heads, __local float *score, __global float *out)
{
    __local float part[SIZE];
    const uint request = get_group_id(0) / heads, head = get_group_id(0) % heads, lane = get_local_id(0);
    const uint length = lengths[request], step = heads * SIZE;
    const ulong first = ((ulong)request * most * heads + head) * SIZE;
    __global const float *q = query + (ulong)get_group_id(0) * SIZE;

    float largest = -INFINITY;
    for (uint t = lane; t < length; t += SIZE) {
        __global const float *key = keys + first + (ulong)t * step;
        float sum = 0.0f;
        for (uint k = 0; k < SIZE; k += 4)
            sum += dot(vload4(0, q + k), vload4(0, key + k));
        score[t] = sum * 0.125f; /* the root of SIZE */
        largest = fmax(largest, score[t]);
    }
    part[lane] = largest;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < SIZE; k++)
        largest = fmax(largest, part[k]);
    float weights = 0.0f, sum = 0.0f;
    for (uint t = 0; t < length; t++) {
        const float weight = exp(score[t] - largest);
        weights += weight;
        sum += weight * values[first + (ulong)t * step + lane];
    }
    out[get_global_id(0)] = sum / weights;
}
