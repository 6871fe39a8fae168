// SPDX-License-Identifier: Apache-2.0
// Copies to shared memory behind the threads' backs, and groups of threads.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "expect.h"

// The barriers and pipelines in shared memory are made by init() and make_pipeline().
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;

// Two stages: the next tile is copied while this one is summed.
__global__ void __launch_bounds__(64, 2) stages(const float4 *x, float *sums, int tiles)
{
    __shared__ float4 tile[2][64];
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][threadIdx.x], x + threadIdx.x, sizeof(float4)); // line 20
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&tile[(i + 1) & 1][threadIdx.x], x + (i + 1) * 64 + threadIdx.x, 16); // line 24
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += tile[i & 1][63 - threadIdx.x].x;
        __syncthreads();
    }
    sums[threadIdx.x] = sum;
}

__global__ void check_stages(const float4 *x, const float *sums, int tiles)
{
    float sum = 0;
    for (int i = 0; i < tiles; i++)
        sum += x[i * 64 + 63 - threadIdx.x].x;
    EXPECT(sums[threadIdx.x] == sum);
}

__global__ void blocks(const int *x, int *y, int n)
{
    extern __shared__ __align__(16) int items[];
    __shared__ cuda::barrier<cuda::thread_scope_block> ready;
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    const cg::thread_block block = cg::this_thread_block();
    const int first = blockIdx.x * n;
    if (block.thread_rank() == 0)
        init(&ready, block.size());
    block.sync();
    cg::memcpy_async(block, items, x + first, n * sizeof(int)); // pieces of 16 bytes
    cg::wait(block);
    EXPECT(items[n - 1 - threadIdx.x] == x[first + n - 1 - threadIdx.x]);
    cuda::memcpy_async(block, items + n, x + first, cuda::aligned_size_t<16>(n * sizeof(int)), ready);
    ready.arrive_and_wait();
    EXPECT(items[n + threadIdx.x] == x[first + threadIdx.x]);
    auto pipe = cuda::make_pipeline(block, &state);
    pipe.producer_acquire();
    cuda::memcpy_async(&items[threadIdx.x], &x[first + (threadIdx.x + 1) % n], sizeof(int), pipe);
    pipe.producer_commit();
    pipe.consumer_wait();
    y[first + threadIdx.x] = items[(threadIdx.x + n - 1) % n];
    pipe.consumer_release();
    EXPECT(y[first + threadIdx.x] == x[first + threadIdx.x]);
}

__global__ void groups(const int *x)
{
    const cg::thread_block block = cg::this_thread_block();
    const cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    const cg::thread_block_tile<4> small = cg::tiled_partition<4>(tile);
    const int i = block.thread_rank(), v = x[i];
    int before = 0;
    for (int k = i / 16 * 16; k < i; k++)
        before += x[k];
    EXPECT(cg::exclusive_scan(tile, v) == before && cg::inclusive_scan(tile, v) == before + v);
    EXPECT(small.size() == 4 && cg::reduce(small, i % 4, cg::bit_or<int>()) == 3);
    if (i % 3 == 0) {
        const cg::coalesced_group some = cg::coalesced_threads();
        const int lane = i % 32, least = (3 - (i - lane) % 3) % 3;
        EXPECT(some.size() == (unsigned)((31 - least) / 3 + 1) && some.thread_rank() == (unsigned)(lane - least) / 3);
        EXPECT(some.shfl(lane, 2) == least + 6 && some.any(lane == least) && !some.all(lane == least));
        EXPECT(some.shfl_down(lane, 1) == (some.thread_rank() + 1 < some.size() ? lane + 3 : lane));
        EXPECT(some.ballot(lane == least + 3) == 2);
        int sum = 0;
        for (int k = least; k < 32; k += 3)
            sum += k;
        EXPECT(cg::reduce(some, lane, cg::plus<int>()) == sum);
    }
    const cg::coalesced_group half = cg::binary_partition(tile, (i & 1) == 1);
    EXPECT(half.size() == 8 && half.thread_rank() == (unsigned)(i % 16) / 2);
    EXPECT(cg::labeled_partition(tile, i % 4).size() == 4);
    cg::sync(block);
    cg::invoke_one(block, [&] { EXPECT(i == 0); });
}
