/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of threads of CUDA C++: the thread block, tiles of a warp, and the threads that are together. */
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

template <unsigned N, typename Parent = void> struct thread_block_tile {
    static_assert(N && N <= 32 && !(N & (N - 1)), "tiles of 1, 2, 4, 8, 16 or 32 threads");
    RECORDER_M void sync() const { __syncwarp(); }
    RECORDER_M unsigned size() const { return N; }
    RECORDER_M unsigned num_threads() const { return N; }
    RECORDER_M unsigned thread_rank() const { return record_cuda_lane() % N; }
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
        const unsigned first = record_cuda_lane() & ~(N - 1);
        return (__ballot_sync(~0u, p) >> first) & (N == 32 ? ~0u : (1u << (N & 31)) - 1);
    }
    RECORDER_M int any(int p) const { return ballot(p) != 0; }
    RECORDER_M int all(int p) const { return ballot(!p) == 0; }
};
template <unsigned N> RECORDER_F thread_block_tile<N> tiled_partition(thread_block)
{
    return {};
}
template <unsigned N, unsigned M, typename P>
RECORDER_F thread_block_tile<N> tiled_partition(thread_block_tile<M, P>)
{
    static_assert(N <= M, "a tile of a tile is not larger");
    return {};
}

/* Threads of a warp by a mask of lanes: those that were together, or a part of them. */
struct coalesced_group {
    unsigned lanes;
    RECORDER_M void sync() const { __syncwarp(lanes); }
    RECORDER_M unsigned size() const { return (unsigned)__popc(lanes); }
    RECORDER_M unsigned num_threads() const { return size(); }
    RECORDER_M unsigned thread_rank() const
    {
        return (unsigned)__popc(lanes & ((1u << record_cuda_lane()) - 1));
    }
    /* The lane with that many lanes of the group below it. */
    RECORDER_M unsigned lane_of(unsigned rank) const
    {
        unsigned rest = lanes;
        for (unsigned n = 0; n < rank; n++)
            rest &= rest - 1;
        return (unsigned)__ffs((int)rest) - 1;
    }
    template <typename T> RECORDER_M T shfl(T v, unsigned from) const
    {
        return __shfl_sync(lanes, v, (int)lane_of(from % size()));
    }
    template <typename T> RECORDER_M T shfl_down(T v, unsigned n) const
    {
        const unsigned to = thread_rank() + n;
        return __shfl_sync(lanes, v, (int)lane_of(to < size() ? to : thread_rank()));
    }
    template <typename T> RECORDER_M T shfl_up(T v, unsigned n) const
    {
        const unsigned me = thread_rank();
        return __shfl_sync(lanes, v, (int)lane_of(me < n ? me : me - n));
    }
    RECORDER_M unsigned ballot(int p) const
    {
        const unsigned all = __ballot_sync(lanes, p) & lanes;
        unsigned packed = 0, at = 0;
        for (unsigned rest = lanes; rest; rest &= rest - 1, at++)
            packed |= (all >> (__ffs((int)rest) - 1) & 1) << at;
        return packed;
    }
    RECORDER_M int any(int p) const { return (__ballot_sync(lanes, p) & lanes) != 0; }
    RECORDER_M int all(int p) const { return (__ballot_sync(lanes, !p) & lanes) == 0; }
};
RECORDER_F coalesced_group coalesced_threads()
{
    return {__activemask()};
}
/* The part of a tile's threads with the same predicate, or the same label. */
template <unsigned N, typename P> RECORDER_F unsigned recorder_lanes(thread_block_tile<N, P>)
{
    return N == 32 ? ~0u : ((1u << (N & 31)) - 1) << (record_cuda_lane() & ~(N - 1));
}
RECORDER_F unsigned recorder_lanes(coalesced_group g)
{
    return g.lanes;
}
template <typename G> RECORDER_F coalesced_group binary_partition(G group, bool p)
{
    const unsigned with = __ballot_sync(~0u, p);
    return {(p ? with : ~with) & recorder_lanes(group)};
}
template <typename G> RECORDER_F coalesced_group labeled_partition(G group, int label)
{
    return {__match_any_sync(~0u, label) & recorder_lanes(group)};
}

template <typename G> RECORDER_F void sync(G group)
{
    group.sync();
}

#define RECORDER_WIDE(WHAT) __attribute__((device, unavailable(WHAT " is not supported by the recorder")))
struct grid_group;
struct cluster_group;
struct multi_grid_group;
RECORDER_WIDE("synchronisation of the whole grid") grid_group &this_grid();
RECORDER_WIDE("a cluster of thread blocks") cluster_group &this_cluster();
RECORDER_WIDE("synchronisation of several devices") multi_grid_group &this_multi_grid();
#undef RECORDER_WIDE

template <typename T> struct plus {
    RECORDER_M T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct less {
    RECORDER_M T operator()(T a, T b) const { return b < a ? b : a; }
};
template <typename T> struct greater {
    RECORDER_M T operator()(T a, T b) const { return a < b ? b : a; }
};
template <typename T> struct bit_and {
    RECORDER_M T operator()(T a, T b) const { return a & b; }
};
template <typename T> struct bit_or {
    RECORDER_M T operator()(T a, T b) const { return a | b; }
};
template <typename T> struct bit_xor {
    RECORDER_M T operator()(T a, T b) const { return a ^ b; }
};
template <unsigned N, typename P, typename T, typename F>
RECORDER_F T reduce(thread_block_tile<N, P> tile, T v, F f)
{
    for (int n = N / 2; n; n /= 2)
        v = f(v, tile.shfl_xor(v, n));
    return v;
}
/* Each thread adds up all, in the order of their ranks. */
template <typename T, typename F> RECORDER_F T reduce(coalesced_group group, T v, F f)
{
    T all = group.shfl(v, 0);
    for (unsigned n = 1; n < group.size(); n++)
        all = f(all, group.shfl(v, n));
    return all;
}
template <unsigned N, typename P, typename T, typename F>
RECORDER_F T inclusive_scan(thread_block_tile<N, P> tile, T v, F f)
{
    for (unsigned n = 1; n < N; n *= 2) {
        const T before = tile.shfl_up(v, n);
        v = tile.thread_rank() >= n ? f(before, v) : v;
    }
    return v;
}
template <unsigned N, typename P, typename T> RECORDER_F T inclusive_scan(thread_block_tile<N, P> tile, T v)
{
    return inclusive_scan(tile, v, plus<T>());
}
template <unsigned N, typename P, typename T> RECORDER_F T exclusive_scan(thread_block_tile<N, P> tile, T v)
{
    const T sum = tile.shfl_up(inclusive_scan(tile, v), 1);
    return tile.thread_rank() ? sum : T(0);
}
template <typename G, typename F> RECORDER_F void invoke_one(G group, F f)
{
    if (group.thread_rank() == 0)
        f();
}

} // namespace cooperative_groups

#endif
