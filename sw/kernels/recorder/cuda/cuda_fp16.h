/* SPDX-License-Identifier: Apache-2.0 */
/* Half-precision numbers of CUDA C++. */
#ifndef MP_RECORDER_CUDA_FP16_H
#define MP_RECORDER_CUDA_FP16_H

#include "cuda_runtime.h"

typedef _Float16 __half;
typedef __half half;
struct __align__(4) __half2
{
    __half x, y;
};
typedef __half2 half2;

RECORDER_F __half __float2half(float x)
{
    return (__half)x;
}
RECORDER_F __half __float2half_rn(float x)
{
    return (__half)x;
}
RECORDER_F float __half2float(__half x)
{
    return (float)x;
}
RECORDER_F __half __int2half_rn(int x)
{
    return (__half)x;
}
RECORDER_F __half __hadd(__half x, __half y)
{
    return x + y;
}
RECORDER_F __half __hsub(__half x, __half y)
{
    return x - y;
}
RECORDER_F __half __hmul(__half x, __half y)
{
    return x * y;
}
RECORDER_F __half __hdiv(__half x, __half y)
{
    return x / y;
}
RECORDER_F __half __hneg(__half x)
{
    return -x;
}
RECORDER_F __half __hfma(__half x, __half y, __half z)
{
    return (__half)fma((float)x, (float)y, (float)z);
}
RECORDER_F __half __hmax(__half x, __half y)
{
    return x < y ? y : x;
}
RECORDER_F __half __hmin(__half x, __half y)
{
    return y < x ? y : x;
}
RECORDER_F bool __hlt(__half x, __half y)
{
    return x < y;
}
RECORDER_F bool __hgt(__half x, __half y)
{
    return x > y;
}
RECORDER_F bool __heq(__half x, __half y)
{
    return x == y;
}
RECORDER_F __half hexp(__half x)
{
    return (__half)exp((float)x);
}
RECORDER_F __half hlog(__half x)
{
    return (__half)log((float)x);
}
RECORDER_F __half hsqrt(__half x)
{
    return (__half)sqrt((float)x);
}
RECORDER_F __half hrsqrt(__half x)
{
    return (__half)rsqrt((float)x);
}
RECORDER_F __half hrcp(__half x)
{
    return (__half)(1 / (float)x);
}
RECORDER_F __half2 __halves2half2(__half x, __half y)
{
    return {x, y};
}
RECORDER_F __half2 __half2half2(__half x)
{
    return {x, x};
}
RECORDER_F __half2 make_half2(__half x, __half y)
{
    return {x, y};
}
RECORDER_F __half2 __float2half2_rn(float x)
{
    return {(__half)x, (__half)x};
}
RECORDER_F __half2 __floats2half2_rn(float x, float y)
{
    return {(__half)x, (__half)y};
}
RECORDER_F __half2 __float22half2_rn(float2 v)
{
    return {(__half)v.x, (__half)v.y};
}
RECORDER_F float2 __half22float2(__half2 v)
{
    return {(float)v.x, (float)v.y};
}
RECORDER_F __half __low2half(__half2 v)
{
    return v.x;
}
RECORDER_F __half __high2half(__half2 v)
{
    return v.y;
}
RECORDER_F float __low2float(__half2 v)
{
    return (float)v.x;
}
RECORDER_F float __high2float(__half2 v)
{
    return (float)v.y;
}
RECORDER_F __half2 __hadd2(__half2 a, __half2 b)
{
    return {(__half)(a.x + b.x), (__half)(a.y + b.y)};
}
RECORDER_F __half2 __hsub2(__half2 a, __half2 b)
{
    return {(__half)(a.x - b.x), (__half)(a.y - b.y)};
}
RECORDER_F __half2 __hmul2(__half2 a, __half2 b)
{
    return {(__half)(a.x * b.x), (__half)(a.y * b.y)};
}
RECORDER_F __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}

#endif
