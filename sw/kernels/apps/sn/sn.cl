/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bitonic sorting of keys with their values. Elements are compared in pairs `stride` apart; a pair ascends if its
 * place in the sequences that are merged says so. Up to 1024 elements are sorted or merged in local memory by 512
 * work-items, a pair each; longer strides go over global memory.
 */
#define LOCAL 1024

static void compare(uint *key_a, uint *value_a, uint *key_b, uint *value_b, bool ascends)
{
    if ((*key_a > *key_b) == ascends) {
        const uint key = *key_a, value = *value_a;
        *key_a = *key_b;
        *value_a = *value_b;
        *key_b = key;
        *value_b = value;
    }
}

static void compare_local(__local uint *keys, __local uint *values, uint stride, bool ascends)
{
    const uint item = get_local_id(0), a = 2 * item - (item & (stride - 1)), b = a + stride;
    uint key_a = keys[a], value_a = values[a], key_b = keys[b], value_b = values[b];
    compare(&key_a, &value_a, &key_b, &value_b, ascends);
    keys[a] = key_a;
    values[a] = value_a;
    keys[b] = key_b;
    values[b] = value_b;
}

static void load(__local uint *keys, __local uint *values, __global const uint *key, __global const uint *value)
{
    const uint item = get_local_id(0), at = get_group_id(0) * LOCAL + item;
    keys[item] = key[at];
    values[item] = value[at];
    keys[item + LOCAL / 2] = key[at + LOCAL / 2];
    values[item + LOCAL / 2] = value[at + LOCAL / 2];
}

static void store(__local const uint *keys, __local const uint *values, __global uint *key, __global uint *value)
{
    const uint item = get_local_id(0), at = get_group_id(0) * LOCAL + item;
    key[at] = keys[item];
    value[at] = values[item];
    key[at + LOCAL / 2] = keys[item + LOCAL / 2];
    value[at + LOCAL / 2] = values[item + LOCAL / 2];
}

/* Sorts each 1024 elements, in turn ascending and descending. */
__kernel __attribute__((reqd_work_group_size(512, 1, 1))) void sort_local(__global const uint *from_key,
                                                                           __global const uint *from_value,
                                                                           __global uint *key, __global uint *value)
{
    __local uint keys[LOCAL], values[LOCAL];
    load(keys, values, from_key, from_value);
    for (uint size = 2; size <= LOCAL; size *= 2) {
        const uint place = size < LOCAL ? get_local_id(0) & (size / 2) : get_group_id(0) & 1;
        for (uint stride = size / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            compare_local(keys, values, stride, place == 0);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store(keys, values, key, value);
}

/* One stride of the merge of sequences of `size` elements. A work-item has a pair. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void merge_global(__global uint *key,
                                                                             __global uint *value, uint n, uint size,
                                                                             uint stride)
{
    const uint pair = get_global_id(0), a = 2 * pair - (pair & (stride - 1)), b = a + stride;
    const bool ascends = size == n || (pair & (size / 2)) == 0;
    uint key_a = key[a], value_a = value[a], key_b = key[b], value_b = value[b];
    compare(&key_a, &value_a, &key_b, &value_b, ascends);
    key[a] = key_a;
    value[a] = value_a;
    key[b] = key_b;
    value[b] = value_b;
}

/* The strides below 1024 of that merge. */
__kernel __attribute__((reqd_work_group_size(512, 1, 1))) void merge_local(__global uint *key, __global uint *value,
                                                                            uint n, uint size)
{
    __local uint keys[LOCAL], values[LOCAL];
    const bool ascends = size == n || (get_global_id(0) & (size / 2)) == 0;
    load(keys, values, key, value);
    for (uint stride = LOCAL / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        compare_local(keys, values, stride, ascends);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store(keys, values, key, value);
}
