/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics of OpenCL C 2.0, vectors of half, and bits. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "check.h"

__kernel void count(__global atomic_int *sum, __global atomic_uint *most, __global atomic_float *real,
                    __global int *locks)
{
    const int i = get_global_id(0);
    __local atomic_int part;
    if (get_local_id(0) == 0)
        atomic_init(&part, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&part, i, memory_order_relaxed, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_fetch_add(sum, atomic_load(&part));
    atomic_fetch_max_explicit(most, (uint)i, memory_order_relaxed);
    int expected = 0;
    if (atomic_compare_exchange_strong((__global atomic_int *)&locks[i % 8], &expected, i + 1))
        EXPECT(expected == 0);
    else
        EXPECT(expected != 0);
}

__kernel void check(__global const int *sum, __global const uint *most, __global const int *locks, int n)
{
    EXPECT(*sum == n * (n - 1) / 2 && *most == (uint)n - 1);
    for (int i = 0; i < 8; i++)
        EXPECT(locks[i] == i + 1);
}

__kernel void halves(__global const half *h, __global half *out)
{
    const int i = get_global_id(0);
    const half4 v = vload4(i, h);
    const half4 e = exp(v) * (half4)(2) + fabs(-v);
    EXPECT(e.x == (half)((half)exp((float)v.x) * (half)2 + v.x));
    EXPECT(max(v, (half)1).y == (v.y > 1 ? v.y : (half)1) && isless(v.x, v.x + (half)1));
    EXPECT(dot(v, (half4)(1)) == v.x + v.y + v.z + v.w);
    EXPECT(convert_half_rtz(2049.0f) == (half)2048 && convert_half_rtp(2049.0f) == (half)2050);
    EXPECT(convert_int_rte((half)2.5h) == 2 && convert_uchar_sat((half)300) == 255);
    vstore4(clamp(e, (half)0, (half)100), i, out);
}

__kernel void bits(void)
{
    EXPECT(ctz(40) == 3 && ctz(0u) == 32 && bit_reverse((uchar)1) == 128);
    EXPECT(bitfield_insert(0xff00u, 0x5u, 4, 4) == 0xff50u && bitfield_extract_signed(0x80, 4, 4) == -8);
    EXPECT(dot((char4)(1, -2, 3, -4), (char4)(4, 3, 2, 1)) == 0 && dot_4x8packed_uu_uint(0x01010101, 0x02030405) == 14);
}
