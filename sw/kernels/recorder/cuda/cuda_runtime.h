/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA C++ for the recorder: included before a user's file, and by its #include <cuda_runtime.h>. clang
 * compiles the device code for SPIR, whose built-in functions are those of OpenCL C (../builtins) with the
 * same names after mangling. Functions have no debug information, so that errors and accesses are at the
 * user's lines.
 */
#ifndef MP_RECORDER_CUDA_RUNTIME_H
#define MP_RECORDER_CUDA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "../collective.h"

#define __CUDACC__           1
#define __CUDA_ARCH__        800
#define CUDART_VERSION       12000
#define __host__             __attribute__((host))
#define __device__           __attribute__((device))
#define __global__           __attribute__((global))
#define __shared__           __attribute__((shared))
#define __constant__         __attribute__((constant))
#define __managed__          __attribute__((device))
#define __forceinline__      __inline__ __attribute__((always_inline))
#define __noinline__         __attribute__((noinline))
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __launch_bounds__(...)
#define __grid_constant__
#define RECORDER_F static __inline__ __attribute__((device, nodebug, always_inline, unused))

/* A function of the runtime. What clang compiles for a GPU is hidden by default. */
#define RECORDER_RUNTIME extern "C" __attribute__((device, const, visibility("default")))

/* ---- the built-in functions ---- */

__attribute__((device, const)) unsigned long get_local_id(unsigned);
__attribute__((device, const)) unsigned long get_group_id(unsigned);
__attribute__((device, const)) unsigned long get_local_size(unsigned);
__attribute__((device, const)) unsigned long get_num_groups(unsigned);
__attribute__((device, const)) unsigned record_cuda_lane();
__attribute__((device, convergent)) void barrier(unsigned);
extern "C" __attribute__((device, convergent, nomerge)) unsigned long
record_collective(unsigned what, unsigned long value, unsigned argument);
extern "C" __attribute__((device, cold, noreturn)) void abort();

/* ---- vectors ---- */

#define RECORDER_VECTOR(T, N)                                                                                \
    struct __align__(2 * sizeof(T)) N##2                                                                     \
    {                                                                                                        \
        T x, y;                                                                                              \
    };                                                                                                       \
    struct N##3                                                                                              \
    {                                                                                                        \
        T x, y, z;                                                                                           \
    };                                                                                                       \
    struct __align__(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) N##4                                           \
    {                                                                                                        \
        T x, y, z, w;                                                                                        \
    };                                                                                                       \
    struct N##1                                                                                              \
    {                                                                                                        \
        T x;                                                                                                 \
    };                                                                                                       \
    static __inline__ __attribute__((host, device, nodebug)) N##1 make_##N##1(T x)                           \
    {                                                                                                        \
        return {x};                                                                                          \
    }                                                                                                        \
    static __inline__ __attribute__((host, device, nodebug)) N##2 make_##N##2(T x, T y)                      \
    {                                                                                                        \
        return {x, y};                                                                                       \
    }                                                                                                        \
    static __inline__ __attribute__((host, device, nodebug)) N##3 make_##N##3(T x, T y, T z)                 \
    {                                                                                                        \
        return {x, y, z};                                                                                    \
    }                                                                                                        \
    static __inline__ __attribute__((host, device, nodebug)) N##4 make_##N##4(T x, T y, T z, T w)            \
    {                                                                                                        \
        return {x, y, z, w};                                                                                 \
    }
RECORDER_VECTOR(signed char, char)
RECORDER_VECTOR(unsigned char, uchar)
RECORDER_VECTOR(short, short)
RECORDER_VECTOR(unsigned short, ushort)
RECORDER_VECTOR(int, int)
RECORDER_VECTOR(unsigned, uint)
RECORDER_VECTOR(long, long)
RECORDER_VECTOR(unsigned long, ulong)
RECORDER_VECTOR(long long, longlong)
RECORDER_VECTOR(unsigned long long, ulonglong)
RECORDER_VECTOR(float, float)
RECORDER_VECTOR(double, double)
#undef RECORDER_VECTOR

struct dim3 {
    unsigned x, y, z;
    __attribute__((host, device, nodebug)) constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
        : x(x), y(y), z(z)
    {
    }
    __attribute__((host, device, nodebug)) constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    __attribute__((host, device, nodebug)) constexpr operator uint3() const { return {x, y, z}; }
};

/* ---- where a thread is ---- */

#define RECORDER_PLACE(NAME, FUNCTION)                                                                       \
    struct recorder_##NAME {                                                                                 \
        __declspec(property(get = get_x)) unsigned x;                                                        \
        __declspec(property(get = get_y)) unsigned y;                                                        \
        __declspec(property(get = get_z)) unsigned z;                                                        \
        RECORDER_F unsigned get_x() { return (unsigned)FUNCTION(0); }                                        \
        RECORDER_F unsigned get_y() { return (unsigned)FUNCTION(1); }                                        \
        RECORDER_F unsigned get_z() { return (unsigned)FUNCTION(2); }                                        \
        __attribute__((device, nodebug)) operator dim3() const { return dim3(get_x(), get_y(), get_z()); }   \
        __attribute__((device, nodebug)) operator uint3() const { return {get_x(), get_y(), get_z()}; }      \
    };                                                                                                       \
    extern const __attribute__((device, weak)) recorder_##NAME NAME
RECORDER_PLACE(threadIdx, get_local_id);
RECORDER_PLACE(blockIdx, get_group_id);
RECORDER_PLACE(blockDim, get_local_size);
RECORDER_PLACE(gridDim, get_num_groups);
#undef RECORDER_PLACE
#define warpSize ((int)CUDA_LANES)

/* ---- threads together ---- */

/* What the 32 threads of a warp do together, also where the recorded warp has 64 lanes. */
RECORDER_F unsigned long recorder_together(unsigned what, unsigned long value, unsigned argument)
{
    return record_collective(what | COLLECTIVE_CUDA, value, argument);
}
RECORDER_F void __syncthreads()
{
    barrier(1);
}
RECORDER_F void __syncwarp(unsigned = 0xffffffffu)
{
    recorder_together(COLLECTIVE_BARRIER, 0, 0);
}
RECORDER_F void __threadfence() {}
RECORDER_F void __threadfence_block() {}
RECORDER_F void __threadfence_system() {}
#define RECORDER_COUNT(FORM, VALUE)                                                                          \
    (int)record_collective(COLLECTIVE_REDUCE | COLLECTIVE_GROUP | COLLECTIVE_TYPE(COLLECTIVE_UINT) |         \
                               COLLECTIVE_COMBINE(FORM),                                                     \
                           VALUE, 0)
RECORDER_F int __syncthreads_count(int p)
{
    return RECORDER_COUNT(COLLECTIVE_ADD, p != 0);
}
RECORDER_F int __syncthreads_or(int p)
{
    return RECORDER_COUNT(COLLECTIVE_OR, p != 0);
}
RECORDER_F int __syncthreads_and(int p)
{
    return RECORDER_COUNT(COLLECTIVE_AND, p != 0);
}
#undef RECORDER_COUNT

RECORDER_F unsigned __ballot_sync(unsigned, int p)
{
    return (unsigned)recorder_together(COLLECTIVE_BALLOT, p != 0, 0);
}
RECORDER_F unsigned __activemask()
{
    return (unsigned)recorder_together(COLLECTIVE_BALLOT, 1, 0);
}
RECORDER_F int __any_sync(unsigned, int p)
{
    return recorder_together(COLLECTIVE_BALLOT, p != 0, 0) != 0;
}
RECORDER_F int __all_sync(unsigned, int p)
{
    return recorder_together(COLLECTIVE_BALLOT, p == 0, 0) == 0;
}

template <typename T> RECORDER_F unsigned long recorder_bits(T v)
{
    static_assert(sizeof(T) <= 8, "values of up to 8 bytes");
    unsigned long bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    return bits;
}
template <typename T> RECORDER_F T recorder_value(unsigned long bits)
{
    T v;
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}
/* A shuffle within the section of `width` lanes; a lane outside of it leaves the own value. */
template <typename T> RECORDER_F T recorder_shuffle(T v, unsigned from, bool inside)
{
    const unsigned me = record_cuda_lane();
    return recorder_value<T>(recorder_together(COLLECTIVE_SHUFFLE, recorder_bits(v), inside ? from : me));
}
template <typename T> RECORDER_F T __shfl_sync(unsigned, T v, int from, int width = 32)
{
    const unsigned me = record_cuda_lane(), first = me & ~(unsigned)(width - 1);
    return recorder_shuffle(v, first + ((unsigned)from & (unsigned)(width - 1)), true);
}
template <typename T> RECORDER_F T __shfl_up_sync(unsigned, T v, unsigned n, int width = 32)
{
    const unsigned me = record_cuda_lane(), at = me & (unsigned)(width - 1);
    return recorder_shuffle(v, me - n, at >= n);
}
template <typename T> RECORDER_F T __shfl_down_sync(unsigned, T v, unsigned n, int width = 32)
{
    const unsigned me = record_cuda_lane(), at = me & (unsigned)(width - 1);
    return recorder_shuffle(v, me + n, at + n < (unsigned)width);
}
template <typename T> RECORDER_F T __shfl_xor_sync(unsigned, T v, int n, int width = 32)
{
    const unsigned me = record_cuda_lane(), from = me ^ (unsigned)n;
    return recorder_shuffle(v, from, (from & ~(unsigned)(width - 1)) <= (me & ~(unsigned)(width - 1)));
}
template <typename T> RECORDER_F unsigned __match_any_sync(unsigned, T v)
{
    return (unsigned)recorder_together(COLLECTIVE_MATCH, recorder_bits(v), 0);
}
#define RECORDER_REDUCE(NAME, T, TYPE, HOW)                                                                  \
    RECORDER_F T __reduce_##NAME##_sync(unsigned, T v)                                                       \
    {                                                                                                        \
        return (T)recorder_together(COLLECTIVE_REDUCE | COLLECTIVE_TYPE(TYPE) | COLLECTIVE_COMBINE(HOW),     \
                                    (unsigned)v, 0);                                                         \
    }
RECORDER_REDUCE(add, int, COLLECTIVE_INT, COLLECTIVE_ADD)
RECORDER_REDUCE(min, int, COLLECTIVE_INT, COLLECTIVE_MIN)
RECORDER_REDUCE(max, int, COLLECTIVE_INT, COLLECTIVE_MAX)
RECORDER_REDUCE(add, unsigned, COLLECTIVE_UINT, COLLECTIVE_ADD)
RECORDER_REDUCE(min, unsigned, COLLECTIVE_UINT, COLLECTIVE_MIN)
RECORDER_REDUCE(max, unsigned, COLLECTIVE_UINT, COLLECTIVE_MAX)
RECORDER_REDUCE(and, unsigned, COLLECTIVE_UINT, COLLECTIVE_AND)
RECORDER_REDUCE(or, unsigned, COLLECTIVE_UINT, COLLECTIVE_OR)
RECORDER_REDUCE(xor, unsigned, COLLECTIVE_UINT, COLLECTIVE_XOR)
#undef RECORDER_REDUCE

/* ---- atomics ---- */

/* What is not among the compiler's built-ins is a load and an exchange. */
#define RECORDER_SWAPPED(T, NAME, E)                                                                         \
    RECORDER_F T NAME(T *p, T v)                                                                             \
    {                                                                                                        \
        const T old = *p;                                                                                    \
        __sync_lock_test_and_set(p, E);                                                                      \
        return old;                                                                                          \
    }
#define RECORDER_ATOMIC(T)                                                                                   \
    RECORDER_F T atomicAdd(T *p, T v)                                                                        \
    {                                                                                                        \
        return __sync_fetch_and_add(p, v);                                                                   \
    }                                                                                                        \
    RECORDER_F T atomicSub(T *p, T v)                                                                        \
    {                                                                                                        \
        return __sync_fetch_and_sub(p, v);                                                                   \
    }                                                                                                        \
    RECORDER_F T atomicAnd(T *p, T v)                                                                        \
    {                                                                                                        \
        return __sync_fetch_and_and(p, v);                                                                   \
    }                                                                                                        \
    RECORDER_F T atomicOr(T *p, T v)                                                                         \
    {                                                                                                        \
        return __sync_fetch_and_or(p, v);                                                                    \
    }                                                                                                        \
    RECORDER_F T atomicXor(T *p, T v)                                                                        \
    {                                                                                                        \
        return __sync_fetch_and_xor(p, v);                                                                   \
    }                                                                                                        \
    RECORDER_F T atomicExch(T *p, T v)                                                                       \
    {                                                                                                        \
        return __sync_lock_test_and_set(p, v);                                                               \
    }                                                                                                        \
    RECORDER_F T atomicCAS(T *p, T e, T v)                                                                   \
    {                                                                                                        \
        return __sync_val_compare_and_swap(p, e, v);                                                         \
    }
RECORDER_ATOMIC(int)
RECORDER_ATOMIC(unsigned)
RECORDER_ATOMIC(unsigned long)
RECORDER_ATOMIC(unsigned long long)
#undef RECORDER_ATOMIC
RECORDER_F int atomicMin(int *p, int v)
{
    return __sync_fetch_and_min(p, v);
}
RECORDER_F int atomicMax(int *p, int v)
{
    return __sync_fetch_and_max(p, v);
}
RECORDER_F unsigned atomicMin(unsigned *p, unsigned v)
{
    return __sync_fetch_and_umin(p, v);
}
RECORDER_F unsigned atomicMax(unsigned *p, unsigned v)
{
    return __sync_fetch_and_umax(p, v);
}
RECORDER_SWAPPED(long long, atomicMin, v < old ? v : old)
RECORDER_SWAPPED(long long, atomicMax, v > old ? v : old)
RECORDER_SWAPPED(unsigned long long, atomicMin, v < old ? v : old)
RECORDER_SWAPPED(unsigned long long, atomicMax, v > old ? v : old)
RECORDER_SWAPPED(unsigned, atomicInc, old >= v ? 0 : old + 1)
RECORDER_SWAPPED(unsigned, atomicDec, !old || old > v ? v : old - 1)
#undef RECORDER_SWAPPED
/* kernelc/add.c makes LLVM's instruction of these calls. */
extern "C" __attribute__((device)) float record_add_generic(float *p, float v);
extern "C" __attribute__((device)) double record_add_double(double *p, double v);
RECORDER_F float atomicAdd(float *p, float v)
{
    return record_add_generic(p, v);
}
RECORDER_F double atomicAdd(double *p, double v)
{
    return record_add_double(p, v);
}
RECORDER_F float atomicExch(float *p, float v)
{
    return recorder_value<float>(__sync_lock_test_and_set((unsigned *)p, (unsigned)recorder_bits(v)));
}

/* ---- memory ---- */

template <typename T> RECORDER_F T __ldg(const T *p)
{
    return *p;
}
template <typename T> RECORDER_F T __ldcg(const T *p)
{
    return *p;
}
template <typename T> RECORDER_F T __ldcs(const T *p)
{
    return *p;
}
template <typename T> RECORDER_F void __stcs(T *p, T v)
{
    *p = v;
}
template <typename T> RECORDER_F void __stcg(T *p, T v)
{
    *p = v;
}

/* ---- arithmetic ---- */

#define RECORDER_MATH1(F)                                                                                    \
    __attribute__((device, const)) float F(float);                                                           \
    __attribute__((device, const)) double F(double);                                                         \
    RECORDER_F float F##f(float x)                                                                           \
    {                                                                                                        \
        return F(x);                                                                                         \
    }
#define RECORDER_MATH2(F)                                                                                    \
    __attribute__((device, const)) float F(float, float);                                                    \
    __attribute__((device, const)) double F(double, double);                                                 \
    RECORDER_F float F##f(float x, float y)                                                                  \
    {                                                                                                        \
        return F(x, y);                                                                                      \
    }
// clang-format off
RECORDER_MATH1(sqrt) RECORDER_MATH1(rsqrt) RECORDER_MATH1(cbrt) RECORDER_MATH1(exp) RECORDER_MATH1(exp2)
RECORDER_MATH1(exp10) RECORDER_MATH1(expm1) RECORDER_MATH1(log) RECORDER_MATH1(log2) RECORDER_MATH1(log10)
RECORDER_MATH1(log1p) RECORDER_MATH1(sin) RECORDER_MATH1(cos) RECORDER_MATH1(tan) RECORDER_MATH1(asin)
RECORDER_MATH1(acos) RECORDER_MATH1(atan) RECORDER_MATH1(sinh) RECORDER_MATH1(cosh) RECORDER_MATH1(tanh)
RECORDER_MATH1(sinpi) RECORDER_MATH1(cospi) RECORDER_MATH1(fabs) RECORDER_MATH1(floor) RECORDER_MATH1(ceil)
RECORDER_MATH1(round) RECORDER_MATH1(trunc) RECORDER_MATH1(rint) RECORDER_MATH1(erf) RECORDER_MATH1(erfc)
RECORDER_MATH1(tgamma) RECORDER_MATH1(lgamma)
RECORDER_MATH2(pow) RECORDER_MATH2(fmod) RECORDER_MATH2(fmin) RECORDER_MATH2(fmax) RECORDER_MATH2(fdim)
RECORDER_MATH2(atan2) RECORDER_MATH2(hypot) RECORDER_MATH2(copysign);
// clang-format on
#undef RECORDER_MATH1
#undef RECORDER_MATH2
__attribute__((device, const)) float fma(float, float, float);
__attribute__((device, const)) double fma(double, double, double);
RECORDER_F float fmaf(float x, float y, float z)
{
    return fma(x, y, z);
}
RECORDER_F float __fmaf_rn(float x, float y, float z)
{
    return fma(x, y, z);
}
RECORDER_F float __expf(float x)
{
    return exp(x);
}
RECORDER_F float __exp10f(float x)
{
    return exp10(x);
}
RECORDER_F float __logf(float x)
{
    return log(x);
}
RECORDER_F float __log2f(float x)
{
    return log2(x);
}
RECORDER_F float __sinf(float x)
{
    return sin(x);
}
RECORDER_F float __cosf(float x)
{
    return cos(x);
}
RECORDER_F float __powf(float x, float y)
{
    return pow(x, y);
}
RECORDER_F float __fdividef(float x, float y)
{
    return x / y;
}
RECORDER_F float __frcp_rn(float x)
{
    return 1 / x;
}
RECORDER_F float __fsqrt_rn(float x)
{
    return sqrt(x);
}
RECORDER_F float __frsqrt_rn(float x)
{
    return rsqrt(x);
}
RECORDER_F float __fadd_rn(float x, float y)
{
    return x + y;
}
RECORDER_F float __fmul_rn(float x, float y)
{
    return x * y;
}
RECORDER_F float __saturatef(float x)
{
    return fmin(fmax(x, 0.0f), 1.0f);
}
RECORDER_F void sincosf(float x, float *s, float *c)
{
    *s = sin(x);
    *c = cos(x);
}
RECORDER_F int __float2int_rn(float x)
{
    return (int)rint(x);
}
RECORDER_F int __float2int_rz(float x)
{
    return (int)x;
}
RECORDER_F int __float2int_rd(float x)
{
    return (int)floor(x);
}
RECORDER_F float __int2float_rn(int x)
{
    return (float)x;
}
RECORDER_F int __float_as_int(float x)
{
    return recorder_value<int>(recorder_bits(x));
}
RECORDER_F unsigned __float_as_uint(float x)
{
    return recorder_value<unsigned>(recorder_bits(x));
}
RECORDER_F float __int_as_float(int x)
{
    return recorder_value<float>(recorder_bits(x));
}
RECORDER_F float __uint_as_float(unsigned x)
{
    return recorder_value<float>(recorder_bits(x));
}
RECORDER_F int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
RECORDER_F int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
RECORDER_F int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
RECORDER_F int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
RECORDER_F int __ffs(int x)
{
    return __builtin_ffs(x);
}
RECORDER_F int __ffsll(long long x)
{
    return __builtin_ffsll(x);
}
RECORDER_F unsigned __brev(unsigned x)
{
    return __builtin_bitreverse32(x);
}
RECORDER_F int __mul24(int x, int y)
{
    return x * y;
}
RECORDER_F int __mulhi(int x, int y)
{
    return (int)((long)x * y >> 32);
}
RECORDER_F unsigned __umulhi(unsigned x, unsigned y)
{
    return (unsigned)((unsigned long)x * y >> 32);
}
RECORDER_F unsigned __byte_perm(unsigned x, unsigned y, unsigned s)
{
    const unsigned long both = (unsigned long)y << 32 | x;
    unsigned result = 0;
    for (unsigned i = 0; i < 4; i++)
        result |= (unsigned)(both >> (8 * (s >> (4 * i) & 7)) & 0xff) << (8 * i);
    return result;
}
RECORDER_F int __dp4a(int a, int b, int c)
{
    for (int i = 0; i < 4; i++)
        c += (signed char)(a >> (8 * i)) * (signed char)(b >> (8 * i));
    return c;
}
RECORDER_F bool isnan(float x)
{
    return x != x;
}
RECORDER_F bool isinf(float x)
{
    return fabs(x) == __builtin_inff();
}
RECORDER_F bool isfinite(float x)
{
    return fabs(x) < __builtin_inff();
}
#define RECORDER_EXTREMES(T)                                                                                 \
    RECORDER_F T min(T a, T b)                                                                               \
    {                                                                                                        \
        return b < a ? b : a;                                                                                \
    }                                                                                                        \
    RECORDER_F T max(T a, T b)                                                                               \
    {                                                                                                        \
        return a < b ? b : a;                                                                                \
    }
RECORDER_EXTREMES(int)
RECORDER_EXTREMES(unsigned)
RECORDER_EXTREMES(long)
RECORDER_EXTREMES(unsigned long)
RECORDER_EXTREMES(long long)
RECORDER_EXTREMES(unsigned long long)
RECORDER_EXTREMES(float)
RECORDER_EXTREMES(double)
#undef RECORDER_EXTREMES
RECORDER_F int abs(int x)
{
    return x < 0 ? -x : x;
}

RECORDER_F void __trap()
{
    __builtin_trap();
}
#undef assert
#define assert(x) ((x) ? (void)0 : __builtin_trap())
extern "C" __attribute__((device)) int printf(const char *format, ...);

#include "texture_fetch_functions.h"

/* ---- the host's side, which is parsed but not executed ---- */

typedef int cudaError_t;
typedef struct recorder_stream *cudaStream_t;
typedef struct recorder_event *cudaEvent_t;
enum { cudaSuccess = 0 };
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
extern "C" {
unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamSynchronize(cudaStream_t);
}
template <typename T> cudaError_t cudaMalloc(T **, size_t);
template <typename T> cudaError_t cudaMallocManaged(T **, size_t, unsigned = 1);
template <typename T> cudaError_t cudaMallocHost(T **, size_t);
template <typename T>
cudaError_t cudaMemcpyToSymbol(T &, const void *, size_t, size_t = 0,
                               enum cudaMemcpyKind = cudaMemcpyHostToDevice);

#endif
