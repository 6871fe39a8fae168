// SPDX-License-Identifier: Apache-2.0
// Variables that a program sets with cudaMemcpyToSymbol, and others.
#include "expect.h"

__constant__ float factor;
static __constant__ int table[4];
namespace filters
{
__constant__ double weights[3] = {1, 2, 3};
}
__device__ unsigned counter = 5;

__global__ void scale(const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = factor * x[i] + table[i % 4] + (float)filters::weights[i % 3]; // line 16
    atomicAdd(&counter, 1u);
}

__global__ void check(const float *x, const float *y, float wanted, unsigned count)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    EXPECT(factor == wanted);
    EXPECT(y[i] == wanted * x[i] + (i % 4) * 10 + (float)filters::weights[i % 3]);
    EXPECT(counter == count);
}

int main()
{
    const float f = 2;
    const int t[4] = {0, 10, 20, 30};
    cudaMemcpyToSymbol(factor, &f, sizeof f);
    cudaMemcpyToSymbol(table, t, sizeof t);
}
