/* SPDX-License-Identifier: Apache-2.0 */
/* Atomics become LLVM's atomic instructions, which the kernel compiler records as one access. */
#define ATOMICS(P, AS, T, MIN, MAX)                                                                                  \
    T A P##_add(volatile AS T *p, T v) { return __sync_fetch_and_add(p, v); }                                        \
    T A P##_sub(volatile AS T *p, T v) { return __sync_fetch_and_sub(p, v); }                                        \
    T A P##_inc(volatile AS T *p) { return __sync_fetch_and_add(p, 1); }                                             \
    T A P##_dec(volatile AS T *p) { return __sync_fetch_and_sub(p, 1); }                                             \
    T A P##_xchg(volatile AS T *p, T v) { return __sync_lock_test_and_set(p, v); }                                   \
    T A P##_cmpxchg(volatile AS T *p, T c, T v) { return __sync_val_compare_and_swap(p, c, v); }                     \
    T A P##_and(volatile AS T *p, T v) { return __sync_fetch_and_and(p, v); }                                        \
    T A P##_or(volatile AS T *p, T v) { return __sync_fetch_and_or(p, v); }                                          \
    T A P##_xor(volatile AS T *p, T v) { return __sync_fetch_and_xor(p, v); }                                        \
    T A P##_min(volatile AS T *p, T v) { return MIN; }                                                               \
    T A P##_max(volatile AS T *p, T v) { return MAX; }
#define ATOMICS32(AS)                                                                                                \
    ATOMICS(atomic, AS, int, __sync_fetch_and_min(p, v), __sync_fetch_and_max(p, v))                                 \
    ATOMICS(atomic, AS, uint, __sync_fetch_and_umin(p, v), __sync_fetch_and_umax(p, v))                              \
    ATOMICS(atom, AS, int, __sync_fetch_and_min(p, v), __sync_fetch_and_max(p, v))                                   \
    ATOMICS(atom, AS, uint, __sync_fetch_and_umin(p, v), __sync_fetch_and_umax(p, v))                                \
    float A atomic_xchg(volatile AS float *p, float v)                                                               \
    {                                                                                                                \
        return as_float(__sync_lock_test_and_set((volatile AS int *)p, as_int(v)));                                  \
    }
/* Not in OpenCL C, but in GPUs since 2010; a kernel declares it. The kernel compiler replaces the calls (kernelc/add.c). */
float record_add_global(volatile __global float *p, float v);
float record_add_local(volatile __local float *p, float v);
float A atomic_add(volatile __global float *p, float v)
{
    return record_add_global(p, v);
}
float A atomic_add(volatile __local float *p, float v)
{
    return record_add_local(p, v);
}
/* 64 bits: clang has no minimum and maximum of that width, so these are loops, as on GPUs that lack them. */
#define LOOP(AS, T, BETTER)                                                                                          \
    ({                                                                                                               \
        T old = *p;                                                                                                  \
        while (v BETTER old) {                                                                                       \
            const T seen = __sync_val_compare_and_swap(p, old, v);                                                   \
            if (seen == old)                                                                                         \
                break;                                                                                               \
            old = seen;                                                                                              \
        }                                                                                                            \
        old;                                                                                                         \
    })
#define ATOMICS64(AS)                                                                                                \
    ATOMICS(atom, AS, long, LOOP(AS, long, <), LOOP(AS, long, >))                                                    \
    ATOMICS(atom, AS, ulong, LOOP(AS, ulong, <), LOOP(AS, ulong, >))
ATOMICS32(__global)
ATOMICS32(__local)
ATOMICS64(__global)
ATOMICS64(__local)
