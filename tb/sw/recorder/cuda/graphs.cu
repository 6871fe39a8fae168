// SPDX-License-Identifier: Apache-2.0
// Irregular accesses: a histogram, sparse rows, a breadth-first search, a sort, a union of sets.
#include "expect.h"

__global__ void histogram(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[x[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (own[i])
            atomicAdd(&bins[i], own[i]);
}

__global__ void check_histogram(const unsigned char *x, const unsigned *bins, int n)
{
    unsigned count = 0;
    for (int i = 0; i < n; i++)
        count += x[i] == threadIdx.x;
    EXPECT(bins[threadIdx.x] == count);
}

// A ring with chords: vertex v has the neighbours v + 1 and 5 v.
__global__ void make_graph(int *row, int *column, int *level, int n)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    row[v] = 2 * v;
    column[2 * v] = (v + 1) % n;
    column[2 * v + 1] = (5 * v) % n;
    level[v] = v ? -1 : 0;
    if (v == 0)
        row[n] = 2 * n;
}

__global__ void expand(const int *row, const int *column, int *level, int *more, int now)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (level[v] != now)
        return;
    for (int e = row[v]; e < row[v + 1]; e++)
        if (atomicCAS(&level[column[e]], -1, now + 1) == -1)
            atomicExch(more, now + 1);
}

__global__ void check_levels(const int *row, const int *column, const int *level)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = row[v]; e < row[v + 1]; e++)
        EXPECT(level[v] < 0 || level[v] > 2 || (level[column[e]] >= 0 && level[column[e]] <= level[v] + 1));
}

// A warp for each row.
__global__ void spmv(const int *row, const int *column, const float *x, float *y, int n)
{
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    float sum = 0;
    if (r >= n)
        return;
    for (int e = row[r] + lane; e < row[r + 1]; e += warpSize)
        sum += x[column[e]];
    for (int k = 16; k; k /= 2)
        sum += __shfl_xor_sync(~0u, sum, k);
    if (lane == 0) {
        y[r] = sum;
        EXPECT(sum == x[column[2 * r]] + x[column[2 * r + 1]]);
    }
}

__global__ void bitonic(unsigned *x)
{
    extern __shared__ unsigned s[];
    const unsigned i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    for (unsigned size = 2; size <= blockDim.x; size *= 2)
        for (unsigned step = size / 2; step; step /= 2) {
            const unsigned j = i ^ step;
            if (j > i) {
                const bool up = (i & size) == 0;
                const unsigned a = s[i], b = s[j];
                if ((a > b) == up) {
                    s[i] = b;
                    s[j] = a;
                }
            }
            __syncthreads();
        }
    x[i] = s[i];
    EXPECT(i == 0 || s[i - 1] <= s[i]);
}
