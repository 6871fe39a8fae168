// SPDX-License-Identifier: Apache-2.0
// Element by element: grid-stride loops, vectors, halves, and a host's side that is parsed and not executed.
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdio.h>

#include "expect.h"

#define CHECK(call)                                                                                                  \
    do {                                                                                                             \
        cudaError_t error = (call);                                                                                  \
        if (error != cudaSuccess)                                                                                    \
            fprintf(stderr, "%s\n", cudaGetErrorString(error));                                                      \
    } while (0)

__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

template <typename T> struct Scale {
    T by;
    __device__ T operator()(T v) const { return v * by; }
};
template <typename T, typename F> __global__ void map(const T *x, T *y, unsigned n, F f)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = f(x[i]);
}
template __global__ void map<float, Scale<float>>(const float *, float *, unsigned, Scale<float>);

__global__ void scale4(float4 *x, float a)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = x[i];
    v.x *= a, v.y *= a, v.z *= a, v.w *= a;
    x[i] = v;
}

__global__ void halves(const half2 *x, half2 *y, half a)
{
    const int i = threadIdx.x;
    y[i] = __hfma2(x[i], __half2half2(a), __float2half2_rn(1.0f));
    const float2 f = __half22float2(x[i]);
    EXPECT(__low2float(y[i]) == (float)(half)(f.x * (float)a + 1));
}

__global__ void dots(const int *x, const int *w, int *y)
{
    const int i = threadIdx.x;
    y[i] = __dp4a(x[i], w[i], i);
    int sum = i;
    for (int k = 0; k < 32; k += 8)
        sum += (signed char)(x[i] >> k) * (signed char)(w[i] >> k);
    EXPECT(y[i] == sum && __popc(x[i]) + __popc(~x[i]) == 32 && __clz(1 << (i & 31)) == 31 - (i & 31));
}

__global__ void check(const float *x, const float *y, const float *z, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    EXPECT(y[i] == 3 * x[i] && z[i] == 8 * x[i]);
}

int main()
{
    float *x;
    CHECK(cudaMalloc(&x, 1024 * sizeof *x));
    saxpy<<<dim3(4), 256>>>(1024, 2.0f, x, x);
    CHECK(cudaDeviceSynchronize());
    return cudaFree(x);
}
