/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of threads of CUDA C++: the thread block, and tiles of a warp. */
#ifndef MP_RECORDER_COOPERATIVE_GROUPS_H
#define MP_RECORDER_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#define RECORDER_M __attribute__((device, nodebug, always_inline))

namespace cooperative_groups
{

struct thread_block {
    RECORDER_M void sync() const { __syncthreads(); }
    RECORDER_M unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    RECORDER_M unsigned num_threads() const { return size(); }
    RECORDER_M unsigned thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    RECORDER_M dim3 group_index() const { return blockIdx; }
    RECORDER_M dim3 thread_index() const { return threadIdx; }
};
RECORDER_F thread_block this_thread_block()
{
    return {};
}

template <unsigned N> struct thread_block_tile {
    static_assert(N && N <= 32 && !(N & (N - 1)), "tiles of 1, 2, 4, 8, 16 or 32 threads");
    RECORDER_M void sync() const { __syncwarp(); }
    RECORDER_M unsigned size() const { return N; }
    RECORDER_M unsigned num_threads() const { return N; }
    RECORDER_M unsigned thread_rank() const { return get_sub_group_local_id() % N; }
    RECORDER_M unsigned meta_group_rank() const { return this_thread_block().thread_rank() / N; }
    RECORDER_M unsigned meta_group_size() const { return (this_thread_block().size() + N - 1) / N; }
    template <typename T> RECORDER_M T shfl(T v, int from) const { return __shfl_sync(~0u, v, from, N); }
    template <typename T> RECORDER_M T shfl_up(T v, unsigned n) const { return __shfl_up_sync(~0u, v, n, N); }
    template <typename T> RECORDER_M T shfl_down(T v, unsigned n) const
    {
        return __shfl_down_sync(~0u, v, n, N);
    }
    template <typename T> RECORDER_M T shfl_xor(T v, int n) const { return __shfl_xor_sync(~0u, v, n, N); }
    RECORDER_M unsigned ballot(int p) const
    {
        const unsigned first = get_sub_group_local_id() & ~(N - 1);
        return (__ballot_sync(~0u, p) >> first) & (N == 32 ? ~0u : (1u << (N & 31)) - 1);
    }
    RECORDER_M int any(int p) const { return ballot(p) != 0; }
    RECORDER_M int all(int p) const { return ballot(!p) == 0; }
};
template <unsigned N> RECORDER_F thread_block_tile<N> tiled_partition(thread_block)
{
    return {};
}

template <typename T> struct plus {
    RECORDER_M T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    RECORDER_M T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    RECORDER_M T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned N, typename T, typename F> RECORDER_F T reduce(thread_block_tile<N> tile, T v, F f)
{
    for (int n = N / 2; n; n /= 2)
        v = f(v, tile.shfl_xor(v, n));
    return v;
}

} // namespace cooperative_groups

#endif
