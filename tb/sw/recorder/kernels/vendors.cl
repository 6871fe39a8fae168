/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of vendors' extensions, written as kernels for their GPUs use them. */
#include "check.h"
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#ifdef cl_qcom_reqd_sub_group_size
#pragma OPENCL EXTENSION cl_qcom_reqd_sub_group_size : enable
#define WHOLE __attribute__((qcom_reqd_sub_group_size("half")))
#else
#define WHOLE __attribute__((intel_reqd_sub_group_size(32)))
#endif

static float sum_of_lanes(float v)
{
    for (uint n = get_sub_group_size() / 2; n; n /= 2)
        v += qcom_sub_group_shuffle_xor(v, n, CLK_SUB_GROUP_SHUFFLE_WIDTH_WAVE_SIZE_QCOM, 0.0f);
    return v;
}

WHOLE kernel void lanes(global const int *x)
{
    const int lane = get_sub_group_local_id(), v = x[get_global_id(0)], all = get_sub_group_size();
    EXPECT(sum_of_lanes(lane) == all * (all - 1) / 2);
    const int next = qcom_sub_group_shuffle_down(v, 1, CLK_SUB_GROUP_SHUFFLE_WIDTH_WAVE_SIZE_QCOM, -7);
    EXPECT(next == (lane + 1 < all ? x[get_global_id(0) + 1] : -7));
    const half before = qcom_sub_group_shuffle_up((half)lane, 2, CLK_SUB_GROUP_SHUFFLE_WIDTH_WAVE_SIZE_QCOM, (half)9);
    EXPECT(before == (lane < 2 ? 9 : lane - 2));
    EXPECT(intel_sub_group_reduce_max((short)lane) == all - 1 && intel_sub_group_broadcast((uchar)lane, 3) == 3);
    EXPECT(intel_sub_group_scan_exclusive_add((ushort)1) == lane);
}

WHOLE kernel void blocks(global const ushort *x, global ushort *y)
{
    local ushort tile[64 * 16];
    const uint lane = get_sub_group_local_id(), n = get_max_sub_group_size();
    const ushort16 v = intel_sub_group_block_read_us16(x); /* line 36 */
    EXPECT(v.s0 == x[lane] && v.sf == x[15 * n + lane]);
    intel_sub_group_block_write_us16(tile, v);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    EXPECT(tile[3 * n + lane] == v.s3);
    const ushort4 part = intel_sub_group_block_read_us4(tile + 4 * n);
    EXPECT(all(part == v.s4567));
    intel_sub_group_block_write_us4(y, part); /* line 43 */
}

kernel void numbers(global const int *x)
{
    const char4 a = {1, -2, 3, -128}, b = {100, 2, -3, -128};
    const uint v = x[0];
    EXPECT(arm_dot(a, b) == 100 - 4 - 9 + 16384 && arm_dot_acc(a, b, 7) == arm_dot(a, b) + 7);
    EXPECT(arm_dot_acc_sat(a, b, INT_MAX) == INT_MAX && arm_dot_acc((short2)(300, -2), (short2)(200, 5), 1) == 59991);
    EXPECT(arm_dot((uchar4)(255), (uchar4)(255)) == 4 * 65025u);
    EXPECT(amd_bitalign(v, ~v, 5) == ((v << 27) | (~v >> 5)) && amd_bytealign(v, ~v, 3) == ((v << 8) | (~v >> 24)));
    EXPECT(amd_bfe(v, 4u, 8u) == (v >> 4 & 255) && amd_bfe((int)v, 4u, 8u) == (char)(v >> 4));
    EXPECT(amd_bfe(v, 28u, 8u) == v >> 28 && amd_bfe(v, 3u, 0u) == 0);
}
