/* SPDX-License-Identifier: Apache-2.0 */
/* What the lanes of a warp do together, compared with loops over the buffer. */
#include "check.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle_relative : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_clustered_reduce : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable

__kernel void places(__global const int *x)
{
    const uint lane = get_sub_group_local_id(), items = get_local_size(0), first = get_sub_group_id() * LANES;
    EXPECT(get_local_linear_id() == first + lane);
    EXPECT(get_max_sub_group_size() == LANES);
    EXPECT(get_num_sub_groups() == (items + LANES - 1) / LANES);
    EXPECT(get_sub_group_size() == min(items - first, (uint)LANES));
}

__kernel void sums(__global const int *x, __global const float *f)
{
    const uint i = get_global_id(0), lane = get_sub_group_local_id(), n = get_sub_group_size(), first = i - lane;
    int sum = 0, before = 0, least = INT_MAX, most = INT_MIN, neighbours = 0;
    float product = 0;
    for (uint k = 0; k < n; k++) {
        sum += x[first + k];
        before += k < lane ? x[first + k] : 0;
        least = min(least, x[first + k]);
        most = max(most, x[first + k]);
        neighbours += k / 4 == lane / 4 ? x[first + k] : 0;
        product += f[first + k];
    }
    EXPECT(sub_group_reduce_add(x[i]) == sum);
    EXPECT(sub_group_scan_exclusive_add(x[i]) == before);
    EXPECT(sub_group_scan_inclusive_add(x[i]) == before + x[i]);
    EXPECT(sub_group_reduce_min(x[i]) == least && sub_group_reduce_max(x[i]) == most);
    const int below = sub_group_scan_exclusive_min(x[i]);
    EXPECT(lane == 0 ? below == INT_MAX : below >= least);
    EXPECT(sub_group_clustered_reduce_add(x[i], 4) == neighbours);
    EXPECT(sub_group_reduce_add(f[i]) == product);
    EXPECT(sub_group_reduce_max((uint)x[i]) >= (uint)most);
    EXPECT(sub_group_reduce_add((long)x[i] << 32) == (long)sum << 32);
    EXPECT(sub_group_reduce_add((half)1) == (half)n);
}

__kernel void moves(__global const int *x)
{
    const uint i = get_global_id(0), lane = get_sub_group_local_id(), n = get_sub_group_size(), first = i - lane;
    const int2 pair = (int2)(x[i], -x[i]);
    EXPECT(sub_group_broadcast(x[i], 3) == x[first + 3]);
    EXPECT(sub_group_shuffle(x[i], (lane * 5) % n) == x[first + (lane * 5) % n]);
    EXPECT((lane ^ 1) >= n || sub_group_shuffle_xor(x[i], 1) == x[first + (lane ^ 1)]);
    EXPECT(sub_group_shuffle_down(x[i], 2) == (lane + 2 < n ? x[i + 2] : x[i]));
    EXPECT(sub_group_shuffle_up(x[i], 2) == (lane >= 2 ? x[i - 2] : x[i]));
    EXPECT(intel_sub_group_shuffle(pair, 1).y == -x[first + 1]);
}

/* Lanes that have taken different ways meet those on theirs. */
__kernel void ways(__global const int *x)
{
    const uint i = get_global_id(0), lane = get_sub_group_local_id(), n = get_sub_group_size(), first = i - lane;
    int sum = 0, mine = 0;
    if (lane & 1)
        mine = sub_group_reduce_add(x[i]);
    else
        mine = -sub_group_reduce_add(x[i]);
    for (uint k = 0; k < n; k++)
        sum += (k & 1) == (lane & 1) ? x[first + k] : 0;
    EXPECT(mine == ((lane & 1) ? sum : -sum));
    uint rounds = 0;
    for (uint k = 0; k <= lane % 5; k++) /* lanes leave the loop one after another */
        rounds += sub_group_reduce_add(1u);
    uint expected = 0;
    for (uint k = 0; k <= lane % 5; k++)
        for (uint other = 0; other < n; other++)
            expected += other % 5 >= k;
    EXPECT(rounds == expected);
    EXPECT(sub_group_reduce_add(1u) == n);
}

__kernel void votes(__global const int *x)
{
    const uint i = get_global_id(0), lane = get_sub_group_local_id(), n = get_sub_group_size();
    EXPECT(sub_group_any(lane == n - 1) && !sub_group_any(lane == n));
    EXPECT(sub_group_all(lane < n) && !sub_group_all(lane > 0));
    const uint4 odd = sub_group_ballot(lane & 1);
    EXPECT(odd.x == (n >= 32 ? 0xaaaaaaaau : 0xaaaaaaaau & ((1u << n) - 1)));
    EXPECT(sub_group_ballot_bit_count(odd) == n / 2);
    EXPECT(sub_group_ballot_exclusive_scan(odd) == lane / 2);
    EXPECT(sub_group_inverse_ballot(odd) == (lane & 1));
    EXPECT(sub_group_non_uniform_all_equal(n) && (n == 1 || !sub_group_non_uniform_all_equal(lane)));
    EXPECT(sub_group_elect() == (lane == 0));
}

/* Functions of whole work-groups, with local memory between them. */
__kernel void groups(__global const int *x, __local int *y)
{
    const uint l = get_local_id(0), n = get_local_size(0), first = get_global_id(0) - l;
    int sum = 0, before = 0;
    for (uint k = 0; k < n; k++) {
        sum += x[first + k];
        before += k < l ? x[first + k] : 0;
    }
    EXPECT(work_group_reduce_add(x[first + l]) == sum);
    EXPECT(work_group_scan_exclusive_add(x[first + l]) == before);
    y[l] = x[first + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    EXPECT(y[n - 1 - l] == x[first + n - 1 - l]);
    EXPECT(work_group_broadcast(x[first + l], 7) == x[first + 7]);
    EXPECT(work_group_any(l == n - 1) && work_group_all(l < n) && !work_group_all(l));
    if (get_sub_group_id() == 0)
        EXPECT(sub_group_reduce_add(1u) == get_sub_group_size());
}
