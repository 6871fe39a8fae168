/* SPDX-License-Identifier: Apache-2.0 */
/* Values of built-in functions that were not there, or only for some types. `one` is 1, so that nothing is computed
 * by the compiler. */
#include "check.h"

#define NEAR(x, y) EXPECT(fabs((x) - (y)) < 1e-5f)
#define ALL(x)     EXPECT(all(x))

static void pointer_results(float one, __global float4 *out, __local float2 *part)
{
    float c, whole, rest;
    int n, q;
    NEAR(sincos(one, &c), 0.841471f);
    NEAR(c, 0.540302f);
    NEAR(sincos((float4)(0, one, 2, 3), out).w, 0.14112f);
    NEAR(out->z, -0.416147f);
    NEAR(modf((float2)(2.5f * one, -one), part).x, 0.5f);
    EXPECT(part->x == 2 && part->y == -1);
    EXPECT(fract(-0x1p-30f * one, &whole) < 1 && whole == -1);
    EXPECT(frexp(-12 * one, &n) == -0.75f && n == 4);
    EXPECT(frexp(0x1p-149f * one, &n) == 0.5f && n == -148);
    EXPECT(frexp(0 * one, &n) == 0 && n == 0);
    int3 ns;
    double3 d = frexp((double3)(one, 0x1p-1074, 3), &ns);
    EXPECT(d.x == 0.5 && d.y == 0.5 && d.z == 0.75 && ns.x == 1 && ns.y == -1073 && ns.z == 2);
    rest = remquo(-17.5f * one, 3, &q);
    EXPECT(rest == 0.5f && q == -6);
    NEAR(lgamma_r(-0.5f * one, &n), 1.265512f);
    EXPECT(n == -1);
}

static void relations(float one)
{
    const float4 a = (float4)(1, 2, NAN, INFINITY) * one, b = (float4)(1, 1, 1, 1);
    ALL(isless(b, a) == (int4)(0, -1, 0, -1));
    ALL(isgreaterequal(a, b) == (int4)(-1, -1, 0, -1));
    ALL(isunordered(a, b) == (int4)(0, 0, -1, 0));
    ALL(islessgreater(a, b) == (int4)(0, -1, 0, -1));
    ALL(isnormal(a) == (int4)(-1, -1, 0, 0));
    ALL(isinf(a) == (int4)(0, 0, 0, -1));
    ALL(signbit(-a.xy) == (int2)(-1, -1));
    EXPECT(isless(one, 2.0f) == 1 && isordered((double)one, 1.0) == 1 && isnotequal(one, one) == 0);
    ALL(isequal((double2)(one, 2), (double2)(1, 1)) == (long2)(-1, 0));
    EXPECT(bitselect((uchar)0xf0, (uchar)(0x0f * one), (uchar)0x3c) == 0xcc);
    EXPECT(bitselect(one, -2.0f, 0x1p-126f * 0) == 1 && bitselect(0.0f, -one, -0.0f) == -0.0f);
    ALL(select((int4)(1), (int4)(2), (uint4)(0x80000000, 1, 0, -1)) == (int4)(2, 1, 1, 2));
    EXPECT(any((short8)(0, 0, 0, 0, 0, 0, 0, -one)) && !all((long2)(-1, 1)));
}

static void conversions(float one)
{
    EXPECT(convert_int_rte(2.5f * one) == 2 && convert_int_rtp(2.5f * one) == 3 && convert_int_rtn(-2.5f * one) == -3);
    ALL(convert_uchar4_sat_rte((float4)(-1, 2.5f, 254.5f, 300) * one) == (uchar4)(0, 2, 254, 255));
    EXPECT(convert_long_sat(1e30f * one) == LONG_MAX && convert_ulong_sat_rtp(-one) == 0);
    EXPECT(convert_int_sat(NAN * one) == 0 && convert_int_sat((long)(one * 0x1p40f)) == INT_MAX);
    EXPECT(convert_char_sat_rtz((ulong)(one * 1000)) == 127 && convert_uint_sat((char)-one) == 0);
    EXPECT(convert_float_rtz(0x1000001 * (int)one) == 0x1p24f && convert_float_rtp(0x1000001 * (int)one) > 0x1p24f);
    EXPECT(convert_float_rtn(-0x1000001L * (long)one) < -0x1p24f && convert_float_rtz(ULONG_MAX) < 0x1p64f);
    EXPECT(convert_float_rtz(1 + 0x1.8p-24 * one) == 1 && convert_float_rtp(1 + 0x1p-40 * one) == 1 + 0x1p-23f);
    EXPECT(convert_float_rtp(0x1p-200 * one) == 0x1p-149f && convert_double_rtn(LONG_MAX) < 0x1p63);
}

static void integers(long one)
{
    EXPECT(mad_sat((char)(100 * one), (char)2, (char)-100) == 100);
    EXPECT(mad_sat((char)(100 * one), (char)2, (char)0) == 127);
    EXPECT(mad_sat(LONG_MAX * one, 2L, -LONG_MAX) == LONG_MAX && mad_sat(LONG_MIN * one, 1L, -1L) == LONG_MIN);
    EXPECT(mad_sat(-3 * one, 4L, 5L) == -7 && mad_sat(ULONG_MAX, (ulong)one, 1UL) == ULONG_MAX);
    EXPECT(add_sat(LONG_MAX, one) == LONG_MAX && sub_sat(LONG_MIN, one) == LONG_MIN && sub_sat(1UL, 2UL) == 0);
    EXPECT(mul_hi(0x123456789abcdefUL * one, 0xfedcba987654321UL) == 0x121fa00ad77d74UL && mul_hi(-one, 5L) == -1);
    EXPECT(rhadd(LONG_MAX, LONG_MAX - one) == LONG_MAX && hadd(-3 * one, -4L) == -4);
    ALL(abs_diff((int2)(-5, 7), (int2)(5, one)) == (uint2)(10, 6));
    ALL(upsample((short2)(-1, one), (ushort2)(2, 3)) == (int2)(-0x10000 + 2, 0x10003));
    const float8 v = (float8)(0, 1, 2, 3, 4, 5, 6, 7);
    ALL(shuffle(v, (uint4)(7, 8, 2, one)) == (float4)(7, 0, 2, 1));
    ALL(shuffle2(v, v + 10, (uint2)(9, 16 + one)) == (float2)(11, 1));
}

static void reals(float one)
{
    NEAR(fast_normalize((float2)(3, 4) * one).y, 0.8f);
    NEAR(fast_distance((float4)(0), (float4)(one)), 2.0f);
    EXPECT(isnan(nan(1u)) && maxmag(-3 * one, 2.0f) == -3 && minmag(-one, 1.0f) == -1);
    NEAR(atan2pi(one, one), 0.25f);
    NEAR(tanpi(0.25f * one), 1.0f);
    NEAR(smoothstep(0.0f, 2.0f, (float2)(one, 3)).x, 0.5f);
    ALL(ldexp((float2)(one, 3), 2) == (float2)(4, 12));
}

__kernel void functions(__global float4 *out, float one)
{
    __local float2 part;
    pointer_results(one, out, &part);
    relations(one);
    conversions(one);
    integers((long)one);
    reals(one);
}

/* Values that half floats have, and some between two of them. */
__kernel void halves(__global half *to, __global const half *from, float one)
{
    EXPECT(vload_half(3, from) == 3 && vload_half4(1, from).w == 7 && vloada_half3(1, from).x == 4);
    vstore_half(2049 * one, 0, to);
    vstore_half_rtp(2049 * one, 1, to);
    vstore_half_rtz(-1e6f * one, 2, to);
    vstore_half_rtn(1e-9 * -one, 3, to);
    vstore_half3((float3)(one, 65504, 0x1p-24f), 2, to);
    EXPECT(vload_half(0, to) == 2048 && vload_half(1, to) == 2050 && vload_half(2, to) == -65504);
    EXPECT(vload_half(3, to) == -0x1p-24f && vload_half(6, to) == 1 && vload_half(7, to) == 65504);
    EXPECT(vload_half(8, to) == 0x1p-24f);
}

/* A work-group copies to local memory and back. */
__kernel void copies(__global const int2 *from, __global int2 *to, __local int2 *tile)
{
    const size_t first = get_group_id(0) * 48;
    event_t e = async_work_group_copy(tile, from + first, 48, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(to + first * 2, tile, 48, 2, 0);
    wait_group_events(1, &e);
    for (size_t i = get_local_id(0); i < 48; i += get_local_size(0))
        EXPECT(all(to[2 * (first + i)] == from[first + i]));
}
