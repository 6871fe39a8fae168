/* SPDX-License-Identifier: Apache-2.0 */
/* One step of PageRank as a sparse matrix product. A work-group of 64 has one row; its lanes stride over the row. */
#define LANES 64
#define PARTS 8
#define DAMPING 0.85f

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void pagerank(__global const uint *offset,
                                                                        __global const uint *column,
                                                                        __global const float *value,
                                                                        __global const float *x,
                                                                        __global float *y, uint rows)
{
    __local float sums[LANES];
    const uint row = get_group_id(0), lane = get_local_id(0);
    const uint end = offset[row + 1];
    float sum = 0.0f;
    for (uint e = offset[row] + lane; e < end; e += LANES)
        sum += value[e] * x[column[e]];
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (lane < PARTS) {
        sum = 0.0f;
        for (uint k = lane; k < LANES; k += PARTS)
            sum += sums[k];
        sums[lane] = sum; /* no other lane reads this element before the barrier */
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) {
        sum = 0.0f;
        for (uint k = 0; k < PARTS; k++)
            sum += sums[k];
        y[row] = DAMPING * sum + (1.0f - DAMPING) / rows;
    }
}
