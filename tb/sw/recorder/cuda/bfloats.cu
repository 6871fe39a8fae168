// SPDX-License-Identifier: Apache-2.0
// Numbers of bf16: conversions and arithmetic, compared with double, and a layer of a model by pairs.
#include <cuda_bf16.h>

#include "expect.h"

// The nearest number of bf16, of two the even one, by search among the neighbours.
__device__ float nearest(double v)
{
    const unsigned at = __float_as_uint((float)v) & 0xffff0000u;
    float best = __uint_as_float(at);
    for (int i = -1; i <= 1; i += 2) {
        const unsigned next = at + (unsigned)i * 0x10000u;
        const double d = fabs((double)__uint_as_float(next) - v), kept = fabs((double)best - v);
        if (d < kept || (d == kept && !(next & 0x10000u)))
            best = __uint_as_float(next);
    }
    return best;
}

__global__ void arithmetic(const __nv_bfloat16 *x, const nv_bfloat16 *y, const float *z, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    const __nv_bfloat16 a = x[i], b = y[i], c = __float2bfloat16(z[i]);
    const double da = __bfloat162float(a), db = __bfloat162float(b), dc = __bfloat162float(c);
    EXPECT((float)c == nearest(z[i]) && (float)__double2bfloat16((double)z[i] / 3) == nearest((double)z[i] / 3));
    EXPECT((float)__hadd(a, b) == nearest(da + db) && (float)(a + b) == (float)__hadd(a, b));
    EXPECT((float)__hsub(a, b) == nearest(da - db) && (float)(a - b) == (float)__hsub(a, b));
    EXPECT((float)__hmul(a, b) == nearest(da * db) && (float)(a * b) == (float)__hmul(a, b));
    EXPECT((float)__hfma(a, b, c) == nearest(da * db + dc));
    EXPECT((float)__hdiv(a, b) == nearest(da / db));
    EXPECT((float)hsqrt(__habs(a)) == nearest(sqrt(fabs(da))));
    EXPECT((float)__hmax(a, b) == fmaxf((float)a, (float)b) && __hlt(a, b) == (da < db) && (a >= b) == (da >= db));
    const __nv_bfloat16 nan = __ushort_as_bfloat16(0x7fc0);
    EXPECT(__hne(a, b) == (da != db) && !__hne(a, nan) && a != nan && !__heq(nan, nan));
    EXPECT((float)-a == -(float)a && (float)__int2bfloat16_rn(i * 257) == nearest(i * 257));
    EXPECT(__bfloat162int_rz(a) == (int)da && __ushort_as_bfloat16(__bfloat16_as_ushort(a)) == a);
    __nv_bfloat16 sum = a;
    sum += b;
    sum *= c;
    EXPECT((float)sum == nearest((double)nearest(da + db) * dc));
}

// y = a x + y by pairs, which are one access of 4 bytes.
__global__ void axpy(const __nv_bfloat162 *x, __nv_bfloat162 *y, __nv_bfloat16 a, int pairs)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pairs)
        y[i] = __hfma2(__bfloat162bfloat162(a), x[i], y[i]); // line 51
}

// A row for each block: x / rms(x) * weight, with eight numbers as one access of 16 bytes, and sums in float.
__global__ void rms_norm(const uint4 *x, const uint4 *weight, uint4 *y, int words, float epsilon)
{
    __shared__ float sums[32];
    float sum = 0;
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        const uint4 word = x[blockIdx.x * words + i];
        const __nv_bfloat162 *pair = (const __nv_bfloat162 *)&word;
        for (int k = 0; k < 4; k++) {
            const float2 v = __bfloat1622float2(pair[k]);
            sum += v.x * v.x + v.y * v.y;
        }
    }
    for (int n = 16; n; n /= 2)
        sum += __shfl_xor_sync(~0u, sum, n);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    float all = 0;
    for (int i = 0; i < (int)blockDim.x / 32; i++)
        all += sums[i];
    const float scale = rsqrtf(all / (8 * words) + epsilon);
    for (int i = threadIdx.x; i < words; i += blockDim.x) {
        const uint4 word = x[blockIdx.x * words + i], factor = weight[i];
        const __nv_bfloat162 *pair = (const __nv_bfloat162 *)&word, *f = (const __nv_bfloat162 *)&factor;
        uint4 result;
        __nv_bfloat162 *to = (__nv_bfloat162 *)&result;
        for (int k = 0; k < 4; k++) {
            const float2 v = __bfloat1622float2(pair[k]);
            to[k] = __hmul2(__floats2bfloat162_rn(v.x * scale, v.y * scale), f[k]);
        }
        y[blockIdx.x * words + i] = result;
    }
}

// With weights of 1, the mean of a row's squares is 1, but for rounding.
__global__ void check_norm(const __nv_bfloat16 *y, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += __bfloat162float(y[threadIdx.x * n + i]) * __bfloat162float(y[threadIdx.x * n + i]);
    EXPECT(fabsf(sum / n - 1) < 0.01f);
}
