// SPDX-License-Identifier: Apache-2.0
// Tiles in shared memory, of constant and of dynamic size; coefficients in constant memory.
#include "expect.h"

template <int TILE> __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[TILE][TILE], t[TILE][TILE + 1];
    const int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        s[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += s[threadIdx.y][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
template __global__ void matmul<16>(const float *, const float *, float *, int);

__global__ void check_product(const float *a, const float *b, const float *c, int n)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    EXPECT(sum == c[y * n + x]);
}

__global__ void transpose(int *out, const int *in, int w, int h)
{
    extern __shared__ int tile[];
    const int n = blockDim.x, x = blockIdx.x * n + threadIdx.x, y = blockIdx.y * n + threadIdx.y;
    if (x < w && y < h)
        tile[threadIdx.y * (n + 1) + threadIdx.x] = in[y * w + x];
    __syncthreads();
    const int v = blockIdx.x * n + threadIdx.y, u = blockIdx.y * n + threadIdx.x;
    if (u < h && v < w) {
        out[v * h + u] = tile[threadIdx.x * (n + 1) + threadIdx.y];
        EXPECT(out[v * h + u] == in[u * w + v]);
    }
}

__constant__ float weight[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__device__ unsigned points;

__global__ void blur(const float *in, float *out, int n)
{
    extern __shared__ float window[]; // the same memory as tile
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    window[threadIdx.x + 2] = in[i];
    if (threadIdx.x < 2) {
        window[threadIdx.x] = i >= 2 ? in[i - 2] : 0;
        window[threadIdx.x + blockDim.x + 2] = i + (int)blockDim.x < n ? in[i + blockDim.x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += weight[k] * window[threadIdx.x + k];
    out[i] = sum;
    atomicAdd(&points, 1u);
}

__global__ void check_blur(const float *in, const float *out, int n)
{
    const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 5; k++)
        sum += w[k] * (i + k >= 2 && i + k - 2 < n ? in[i + k - 2] : 0);
    EXPECT(out[i] == sum && points == (unsigned)n);
}
