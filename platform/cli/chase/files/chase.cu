// SPDX-License-Identifier: Apache-2.0
// Pointer chases on a GPU, as `mempath chase` runs them on a machine: one thread follows a chain of pointers, whose
// addresses are a stride apart and in random order, over footprints that grow.
//
//   nvcc -O3 -o chase chase.cu && ./chase > gpu.csv
//   ./chase --stride 2097152 --footprint 8388608:68719476736 --sm 5 > gpu.csv
//   mempath chase a100-80g --beside gpu.csv
//
// cudaMalloc has pages of 2 MiB. Lock the clocks first (nvidia-smi --lock-gpu-clocks); cycles are those of the SMs.

typedef unsigned long long u64;

#ifdef __NVCC__
__device__ unsigned this_sm()
{
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}
#define NOW() clock64()
#else // mempath record has one SM, and no clock
__device__ unsigned this_sm()
{
    return 0;
}
#define NOW() 0
#endif

// Writes the chain: order[i] is the place after place i.
extern "C" __global__ void link_chain(char *base, const u64 *order, const u64 *offset, u64 n)
{
    const u64 first = blockIdx.x * (u64)blockDim.x + threadIdx.x, step = gridDim.x * (u64)blockDim.x;
    for (u64 i = first; i < n; i += step)
        *(u64 *)(base + offset[i]) = (u64)(base + offset[order[i]]);
}

// A block on the SM `sm` follows the chain: once around, and then `timed` loads. Others leave.
extern "C" __global__ void chase(const char *first, u64 n, u64 timed, unsigned sm, int *taken, u64 *cycles)
{
    if (threadIdx.x || this_sm() != sm || atomicExch(taken, 1))
        return;
    u64 p = (u64)first;
    for (u64 i = 0; i < n; i++)
        p = *(const volatile u64 *)p;
    const u64 start = NOW();
    for (u64 i = 0; i < timed; i++)
        p = *(const volatile u64 *)p;
    cycles[0] = NOW() - start;
    cycles[1] = p; // so that no load is left out
}

#ifdef __NVCC__
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

static const u64 PAGE = 2097152, LINE = 128, TIMED = 32768;

static void check(cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return;
    std::fprintf(stderr, "chase: %s: %s\n", what, cudaGetErrorString(e));
    std::exit(1);
}

static u64 splitmix(u64 *state)
{
    u64 z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static double measure(char *base, u64 stride, u64 footprint, unsigned sm, int sms)
{
    const u64 n = footprint / stride, lines = stride >= PAGE ? PAGE / LINE : 1, timed = n < TIMED ? n : TIMED;
    std::vector<u64> place(n), next(n), offset(n);
    u64 random = 1;
    for (u64 i = 0; i < n; i++) {
        place[i] = i;
        offset[i] = i * stride + i % lines * LINE;
    }
    for (u64 i = n; i > 1; i--)
        std::swap(place[i - 1], place[splitmix(&random) % i]);
    for (u64 i = 0; i < n; i++)
        next[place[i]] = place[(i + 1) % n];
    u64 *order, *offsets, *cycles, result[2];
    int *taken;
    check(cudaMalloc(&order, n * sizeof(u64)), "order");
    check(cudaMalloc(&offsets, n * sizeof(u64)), "offsets");
    check(cudaMalloc(&cycles, sizeof result), "cycles");
    check(cudaMalloc(&taken, sizeof(int)), "taken");
    check(cudaMemcpy(order, next.data(), n * sizeof(u64), cudaMemcpyHostToDevice), "order");
    check(cudaMemcpy(offsets, offset.data(), n * sizeof(u64), cudaMemcpyHostToDevice), "offsets");
    check(cudaMemset(taken, 0, sizeof(int)), "taken");
    link_chain<<<256, 256>>>(base, order, offsets, n);
    chase<<<4 * sms, 32>>>(base + offset[place[0]], n, timed, sm, taken, cycles);
    check(cudaDeviceSynchronize(), "chase");
    check(cudaMemcpy(result, cycles, sizeof result, cudaMemcpyDeviceToHost), "cycles");
    cudaFree(order);
    cudaFree(offsets);
    cudaFree(cycles);
    cudaFree(taken);
    return (double)result[0] / (double)timed;
}

static void curve(char *base, u64 stride, u64 first, u64 last, unsigned sm, int sms)
{
    u64 before = 0;
    for (unsigned step = 0;; step++) {
        u64 footprint = (first * (4 + step % 4) << step / 4) / 4;
        footprint -= footprint % stride;
        if (footprint > last)
            return;
        if (footprint < stride || footprint == before)
            continue;
        before = footprint;
        std::printf("%llu,%llu,%u,%llu,%.2f\n", stride, PAGE, sm, footprint, measure(base, stride, footprint, sm, sms));
        std::fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    u64 stride = 0, first = 0, last = 0;
    unsigned sm = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "--stride"))
            stride = std::strtoull(argv[i + 1], 0, 0);
        else if (!std::strcmp(argv[i], "--sm"))
            sm = (unsigned)std::strtoul(argv[i + 1], 0, 0);
        else if (!std::strcmp(argv[i], "--footprint"))
            std::sscanf(argv[i + 1], "%llu:%llu", &first, &last);
    }
    cudaDeviceProp gpu;
    size_t rest, all;
    check(cudaGetDeviceProperties(&gpu, 0), "device");
    check(cudaMemGetInfo(&rest, &all), "memory");
    const u64 bytes = rest / 10 * 8 / PAGE * PAGE;
    char *base;
    check(cudaMalloc(&base, bytes), "memory");
    std::puts("stride,page_bytes,sm,footprint,cycles");
    const u64 l2 = (u64)gpu.l2CacheSize;
    if (stride) {
        curve(base, stride, first ? first : 4 * stride, last && last < bytes ? last : bytes, sm, gpu.multiProcessorCount);
        return 0;
    }
    curve(base, LINE, 4096, 2 * l2, sm, gpu.multiProcessorCount);
    curve(base, PAGE, 4 * PAGE, bytes, sm, gpu.multiProcessorCount);
    return 0;
}
#endif
