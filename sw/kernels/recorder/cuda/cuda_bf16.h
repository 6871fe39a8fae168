/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of bf16 of CUDA C++. Sums and products are rounded once, to nearest even, by one instruction of the
 * runtime (../bfloat.h); functions of mathematics are those of float, rounded.
 */
#ifndef MP_RECORDER_CUDA_BF16_H
#define MP_RECORDER_CUDA_BF16_H

#include "cuda_runtime.h"

RECORDER_RUNTIME unsigned short record_bf16_of_float(float);
RECORDER_RUNTIME unsigned short record_bf16_of_double(double);
RECORDER_RUNTIME unsigned short record_bf16_fma(unsigned short, unsigned short, unsigned short);

#define RECORDER_M __attribute__((device, nodebug, always_inline))

struct __align__(2) __nv_bfloat16
{
    unsigned short recorder_bits;

    __nv_bfloat16() = default;
    RECORDER_M __nv_bfloat16(float v) : recorder_bits(record_bf16_of_float(v)) {}
    RECORDER_M __nv_bfloat16(double v) : recorder_bits(record_bf16_of_double(v)) {}
#define RECORDER_FROM(T)                                                                                     \
    RECORDER_M __nv_bfloat16(T v) : recorder_bits(record_bf16_of_double((double)v)) {}
    RECORDER_FROM(short)
    RECORDER_FROM(unsigned short)
    RECORDER_FROM(int)
    RECORDER_FROM(unsigned)
#undef RECORDER_FROM
    RECORDER_M operator float() const
    {
        return __uint_as_float((unsigned)recorder_bits << 16);
    }
};
typedef __nv_bfloat16 nv_bfloat16;
struct __align__(4) __nv_bfloat162
{
    __nv_bfloat16 x, y;

    __nv_bfloat162() = default;
    RECORDER_M __nv_bfloat162(const __nv_bfloat16 &x, const __nv_bfloat16 &y) : x(x), y(y) {}
};
typedef __nv_bfloat162 nv_bfloat162;
#undef RECORDER_M

/* ---- conversions ---- */

RECORDER_F __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    __nv_bfloat16 v;
    v.recorder_bits = bits;
    return v;
}
RECORDER_F __nv_bfloat16 __short_as_bfloat16(short bits)
{
    return __ushort_as_bfloat16((unsigned short)bits);
}
RECORDER_F unsigned short __bfloat16_as_ushort(const __nv_bfloat16 &v)
{
    return v.recorder_bits;
}
RECORDER_F short __bfloat16_as_short(const __nv_bfloat16 &v)
{
    return (short)v.recorder_bits;
}
RECORDER_F float __bfloat162float(const __nv_bfloat16 &v)
{
    return (float)v;
}
#define RECORDER_TO_BF16(NAME, T)                                                                            \
    RECORDER_F __nv_bfloat16 NAME(T v)                                                                       \
    {                                                                                                        \
        return __nv_bfloat16(v);                                                                             \
    }
RECORDER_TO_BF16(__float2bfloat16, float)
RECORDER_TO_BF16(__float2bfloat16_rn, float)
RECORDER_TO_BF16(__double2bfloat16, double)
RECORDER_TO_BF16(__int2bfloat16_rn, int)
RECORDER_TO_BF16(__uint2bfloat16_rn, unsigned)
RECORDER_TO_BF16(__short2bfloat16_rn, short)
RECORDER_TO_BF16(__ushort2bfloat16_rn, unsigned short)
#undef RECORDER_TO_BF16
RECORDER_F int __bfloat162int_rn(const __nv_bfloat16 &v)
{
    return __float2int_rn((float)v);
}
RECORDER_F int __bfloat162int_rz(const __nv_bfloat16 &v)
{
    return __float2int_rz((float)v);
}
RECORDER_F int __bfloat162int_rd(const __nv_bfloat16 &v)
{
    return __float2int_rd((float)v);
}

/* ---- arithmetic ---- */

RECORDER_F __nv_bfloat16 __hfma(const __nv_bfloat16 &x, const __nv_bfloat16 &y, const __nv_bfloat16 &z)
{
    return __ushort_as_bfloat16(record_bf16_fma(x.recorder_bits, y.recorder_bits, z.recorder_bits));
}
RECORDER_F __nv_bfloat16 __hneg(const __nv_bfloat16 &x)
{
    return __ushort_as_bfloat16((unsigned short)(x.recorder_bits ^ 0x8000u));
}
RECORDER_F __nv_bfloat16 __habs(const __nv_bfloat16 &x)
{
    return __ushort_as_bfloat16((unsigned short)(x.recorder_bits & 0x7fffu));
}
RECORDER_F __nv_bfloat16 __hadd(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __hfma(x, __ushort_as_bfloat16(0x3f80), y); /* x * 1 + y */
}
RECORDER_F __nv_bfloat16 __hsub(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __hfma(y, __ushort_as_bfloat16(0xbf80), x); /* y * -1 + x */
}
RECORDER_F __nv_bfloat16 __hmul(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __hfma(x, y, __ushort_as_bfloat16(0x8000)); /* x * y + -0, which keeps the sign of a 0 */
}
RECORDER_F __nv_bfloat16 __hdiv(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __nv_bfloat16((float)x / (float)y);
}
RECORDER_F __nv_bfloat16 __hadd_rn(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __hadd(x, y);
}
RECORDER_F __nv_bfloat16 __hsub_rn(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __hsub(x, y);
}
RECORDER_F __nv_bfloat16 __hmul_rn(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __hmul(x, y);
}
RECORDER_F __nv_bfloat16 __hmax(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __nv_bfloat16(fmax((float)x, (float)y));
}
RECORDER_F __nv_bfloat16 __hmin(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return __nv_bfloat16(fmin((float)x, (float)y));
}
RECORDER_F bool __hisnan(const __nv_bfloat16 &x)
{
    return isnan((float)x);
}
RECORDER_F int __hisinf(const __nv_bfloat16 &x)
{
    return x.recorder_bits == 0x7f80 ? 1 : x.recorder_bits == 0xff80 ? -1 : 0;
}

/* The comparison's function, which is false for a NaN, and operator. */
#define RECORDER_COMPARE(NAME, OPERATOR)                                                                     \
    RECORDER_F bool NAME(const __nv_bfloat16 &x, const __nv_bfloat16 &y)                                     \
    {                                                                                                        \
        return !__hisnan(x) && !__hisnan(y) && (float)x OPERATOR(float) y;                                   \
    }                                                                                                        \
    RECORDER_F bool operator OPERATOR(const __nv_bfloat16 &x, const __nv_bfloat16 &y)                        \
    {                                                                                                        \
        return (float)x OPERATOR(float) y;                                                                   \
    }
RECORDER_COMPARE(__heq, ==)
RECORDER_COMPARE(__hne, !=)
RECORDER_COMPARE(__hlt, <)
RECORDER_COMPARE(__hle, <=)
RECORDER_COMPARE(__hgt, >)
RECORDER_COMPARE(__hge, >=)
#undef RECORDER_COMPARE

/* ---- pairs ---- */

RECORDER_F __nv_bfloat162 make_bfloat162(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return {x, y};
}
RECORDER_F __nv_bfloat162 __halves2bfloat162(const __nv_bfloat16 &x, const __nv_bfloat16 &y)
{
    return {x, y};
}
RECORDER_F __nv_bfloat162 __bfloat162bfloat162(const __nv_bfloat16 &x)
{
    return {x, x};
}
RECORDER_F __nv_bfloat162 __float2bfloat162_rn(float x)
{
    return {__nv_bfloat16(x), __nv_bfloat16(x)};
}
RECORDER_F __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__nv_bfloat16(x), __nv_bfloat16(y)};
}
RECORDER_F __nv_bfloat162 __float22bfloat162_rn(float2 v)
{
    return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
RECORDER_F float2 __bfloat1622float2(__nv_bfloat162 v)
{
    return {(float)v.x, (float)v.y};
}
RECORDER_F __nv_bfloat16 __low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}
RECORDER_F __nv_bfloat16 __high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}
RECORDER_F __nv_bfloat162 __low2bfloat162(__nv_bfloat162 v)
{
    return {v.x, v.x};
}
RECORDER_F __nv_bfloat162 __high2bfloat162(__nv_bfloat162 v)
{
    return {v.y, v.y};
}
RECORDER_F __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 v)
{
    return {v.y, v.x};
}
RECORDER_F float __low2float(__nv_bfloat162 v)
{
    return (float)v.x;
}
RECORDER_F float __high2float(__nv_bfloat162 v)
{
    return (float)v.y;
}
RECORDER_F __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
#define RECORDER_PAIR1(NAME, OF)                                                                             \
    RECORDER_F __nv_bfloat162 NAME(__nv_bfloat162 v)                                                         \
    {                                                                                                        \
        return {OF(v.x), OF(v.y)};                                                                           \
    }
#define RECORDER_PAIR2(NAME, OF)                                                                             \
    RECORDER_F __nv_bfloat162 NAME(__nv_bfloat162 a, __nv_bfloat162 b)                                       \
    {                                                                                                        \
        return {OF(a.x, b.x), OF(a.y, b.y)};                                                                 \
    }
RECORDER_PAIR1(__hneg2, __hneg)
RECORDER_PAIR1(__habs2, __habs)
RECORDER_PAIR2(__hadd2, __hadd)
RECORDER_PAIR2(__hsub2, __hsub)
RECORDER_PAIR2(__hmul2, __hmul)
RECORDER_PAIR2(__h2div, __hdiv)
RECORDER_PAIR2(__hmax2, __hmax)
RECORDER_PAIR2(__hmin2, __hmin)

/* ---- operators ---- */

#define RECORDER_OPERATOR(T, OPERATOR, NAME)                                                                 \
    RECORDER_F T operator OPERATOR(const T &x, const T &y)                                                   \
    {                                                                                                        \
        return NAME(x, y);                                                                                   \
    }                                                                                                        \
    RECORDER_F T &operator OPERATOR##=(T &x, const T &y)                                                     \
    {                                                                                                        \
        return x = NAME(x, y);                                                                               \
    }
RECORDER_OPERATOR(__nv_bfloat16, +, __hadd)
RECORDER_OPERATOR(__nv_bfloat16, -, __hsub)
RECORDER_OPERATOR(__nv_bfloat16, *, __hmul)
RECORDER_OPERATOR(__nv_bfloat16, /, __hdiv)
RECORDER_OPERATOR(__nv_bfloat162, +, __hadd2)
RECORDER_OPERATOR(__nv_bfloat162, -, __hsub2)
RECORDER_OPERATOR(__nv_bfloat162, *, __hmul2)
RECORDER_OPERATOR(__nv_bfloat162, /, __h2div)
#undef RECORDER_OPERATOR
RECORDER_F __nv_bfloat16 operator-(const __nv_bfloat16 &x)
{
    return __hneg(x);
}
RECORDER_F __nv_bfloat162 operator-(const __nv_bfloat162 &v)
{
    return __hneg2(v);
}

/* ---- functions of mathematics ---- */

#define RECORDER_MATH(F, E)                                                                                  \
    RECORDER_F __nv_bfloat16 h##F(const __nv_bfloat16 &v)                                                    \
    {                                                                                                        \
        const float x = (float)v;                                                                            \
        return __nv_bfloat16(E);                                                                             \
    }                                                                                                        \
    RECORDER_PAIR1(h2##F, h##F)
RECORDER_MATH(exp, exp(x))
RECORDER_MATH(exp2, exp2(x))
RECORDER_MATH(exp10, exp10(x))
RECORDER_MATH(log, log(x))
RECORDER_MATH(log2, log2(x))
RECORDER_MATH(log10, log10(x))
RECORDER_MATH(sqrt, sqrt(x))
RECORDER_MATH(rsqrt, rsqrt(x))
RECORDER_MATH(rcp, 1 / x)
RECORDER_MATH(sin, sin(x))
RECORDER_MATH(cos, cos(x))
RECORDER_MATH(tanh, tanh(x))
RECORDER_MATH(floor, floor(x))
RECORDER_MATH(ceil, ceil(x))
RECORDER_MATH(trunc, trunc(x))
RECORDER_MATH(rint, rint(x))
#undef RECORDER_MATH
#undef RECORDER_PAIR1
#undef RECORDER_PAIR2

#endif
