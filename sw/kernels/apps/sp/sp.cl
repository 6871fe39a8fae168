/* SPDX-License-Identifier: Apache-2.0 */
/* Scalar products of pairs of vectors. A work-group has every get_num_groups(0)-th pair. It adds up into 1024
 * accumulators in local memory, then adds these up as a tree. */
#define ACCUMULATORS 1024

__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void scalar_products(__global const float *a,
                                                                                __global const float *b,
                                                                                __global float *c, uint pairs,
                                                                                uint elements)
{
    __local float sums[ACCUMULATORS];
    for (uint pair = get_group_id(0); pair < pairs; pair += get_num_groups(0)) {
        const uint begin = pair * elements, end = begin + elements;
        for (uint s = get_local_id(0); s < ACCUMULATORS; s += get_local_size(0)) {
            float sum = 0.0f;
            for (uint i = begin + s; i < end; i += ACCUMULATORS)
                sum += a[i] * b[i];
            sums[s] = sum;
        }
        for (uint stride = ACCUMULATORS / 2; stride > 0; stride /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint s = get_local_id(0); s < stride; s += get_local_size(0))
                sums[s] += sums[s + stride];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (get_local_id(0) == 0)
            c[pair] = sums[0];
    }
}
