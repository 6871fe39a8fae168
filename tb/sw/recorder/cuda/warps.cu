// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp do together: sums, scans, votes, compaction, tiles of cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.h"

namespace cg = cooperative_groups;

template <typename T> __device__ T warp_sum(T v)
{
    for (int n = 16; n; n >>= 1)
        v += __shfl_down_sync(0xffffffff, v, n);
    return v;
}

template <typename T> __global__ void reduce(const T *x, T *out, int n)
{
    __shared__ T part[32];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    T v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        v += x[i];
    v = warp_sum(v);
    if (lane == 0)
        part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = warp_sum(lane < (int)(blockDim.x >> 5) ? part[lane] : T(0));
        if (lane == 0)
            atomicAdd(out, v);
    }
}
template __global__ void reduce<int>(const int *, int *, int);
template __global__ void reduce<double>(const double *, double *, int);

__global__ void scan(const int *x, int *y)
{
    __shared__ int sums[32];
    const unsigned lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int v = x[threadIdx.x];
    for (unsigned n = 1; n < 32; n *= 2) {
        const int before = __shfl_up_sync(~0u, v, n);
        if (lane >= n)
            v += before;
    }
    if (lane == 31)
        sums[warp] = v;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++)
        v += sums[w];
    y[threadIdx.x] = v;
}

__global__ void check_scan(const int *x, const int *y, const int *sum, const double *real)
{
    const int i = threadIdx.x;
    EXPECT(y[i] == x[i] + (i ? y[i - 1] : 0));
    EXPECT(i != 255 || (y[i] == *sum && *real == 255 * 128));
}

// Keeps the odd numbers, in their order within a warp.
__global__ void compact(const int *x, int *y, unsigned *n)
{
    const int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    const unsigned lane = threadIdx.x & 31, kept = __ballot_sync(~0u, v & 1);
    unsigned at = 0;
    if (lane == 0)
        at = atomicAdd(n, (unsigned)__popc(kept));
    at = __shfl_sync(~0u, at, 0) + (unsigned)__popc(kept & ((1u << lane) - 1));
    if (v & 1)
        y[at] = v;
}

__global__ void check_compact(const int *x, const int *y, const unsigned *n, int all)
{
    int odd = 0;
    for (int i = 0; i < all; i++)
        odd += x[i] & 1;
    EXPECT(*n == (unsigned)odd && (threadIdx.x >= *n || (y[threadIdx.x] & 1)));
}

__global__ void tiles(const int *x)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    const int v = x[block.thread_rank()], first = (int)(block.thread_rank() & ~7u);
    int sum = 0, most = x[first];
    for (int i = 0; i < 8; i++) {
        sum += x[first + i];
        most = max(most, x[first + i]);
    }
    EXPECT(cg::reduce(tile, v, cg::plus<int>()) == sum);
    EXPECT(cg::reduce(tile, v, cg::greater<int>()) == most);
    EXPECT(tile.shfl(v, 3) == x[first + 3] && tile.thread_rank() == block.thread_rank() % 8);
    EXPECT(tile.any(tile.thread_rank() == 7) && !tile.all(tile.thread_rank() == 7));
    EXPECT(__any_sync(~0u, threadIdx.x == 5) == (threadIdx.x < 32));
    EXPECT(__syncthreads_count(v & 1) <= (int)block.size() && __syncthreads_or(threadIdx.x == 0));
    EXPECT(__reduce_add_sync(~0u, 1) == 32 && __popc(__match_any_sync(~0u, threadIdx.x / 4)) == 4);
}
