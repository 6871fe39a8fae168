/* SPDX-License-Identifier: Apache-2.0 */
/* The atomics of OpenCL C 2.0 on global and local memory, compiled for OpenCL C 3.0 because of their types. They become
 * LLVM's atomic instructions, which the kernel compiler records as one access; orders and scopes do not matter, since
 * one host thread runs all work-items. */
#define A __attribute__((overloadable))
#define SYNC_int int
#define SYNC_uint uint
#define SYNC_long long
#define SYNC_ulong ulong
#define SYNC_float int
#define SYNC_double long
#define VALUE_int(v) (v)
#define VALUE_uint(v) (v)
#define VALUE_long(v) (v)
#define VALUE_ulong(v) (v)
#define VALUE_float(v) as_float(v)
#define VALUE_double(v) as_double(v)
#define WORD_int(v) (v)
#define WORD_uint(v) (v)
#define WORD_long(v) (v)
#define WORD_ulong(v) (v)
#define WORD_float(v) as_int(v)
#define WORD_double(v) as_long(v)
#define AT(AS, T) (volatile AS SYNC_##T *)p

/* F(p), also with an order, and with an order and a scope. */
#define FORMS(R, F, PARAMETERS, E)                                                                                   \
    R A F PARAMETERS E                                                                                               \
    R A F##_explicit EXPLICIT(PARAMETERS, memory_order o) E                                                          \
    R A F##_explicit EXPLICIT2(PARAMETERS, memory_order o, memory_scope s) E
#define EXPLICIT(PARAMETERS, O) (OPEN PARAMETERS, O)
#define EXPLICIT2(PARAMETERS, O, S) (OPEN PARAMETERS, O, S)
#define OPEN(...) __VA_ARGS__

#define FETCH(AS, T, NAME, E) FORMS(T, atomic_fetch_##NAME, (volatile AS atomic_##T *p, T v), { return E; })
#define EXCHANGE(AS, T)                                                                                              \
    void A atomic_init(volatile AS atomic_##T *p, T v) { *(AT(AS, T)) = WORD_##T(v); }                               \
    FORMS(T, atomic_load, (volatile AS atomic_##T *p), { return VALUE_##T(*(AT(AS, T))); })                          \
    FORMS(void, atomic_store, (volatile AS atomic_##T *p, T v), { *(AT(AS, T)) = WORD_##T(v); })                     \
    FORMS(T, atomic_exchange, (volatile AS atomic_##T *p, T v), {                                                    \
        return VALUE_##T(__sync_lock_test_and_set(AT(AS, T), WORD_##T(v)));                                          \
    })                                                                                                               \
    COMPARES(AS, T)
#ifdef GENERIC
#define COMPARES(AS, T) COMPARE(AS, T, __generic, strong) COMPARE(AS, T, __generic, weak)
#else
#define COMPARES(AS, T)                                                                                              \
    COMPARE(AS, T, __private, strong) COMPARE(AS, T, __private, weak) COMPARE(AS, T, __local, strong)                \
    COMPARE(AS, T, __local, weak) COMPARE(AS, T, __global, strong) COMPARE(AS, T, __global, weak)
#endif
#define SWAP(AS, T)                                                                                                  \
    {                                                                                                                \
        SYNC_##T wanted = WORD_##T(*e), there = __sync_val_compare_and_swap(AT(AS, T), wanted, WORD_##T(v));         \
        *e = VALUE_##T(there);                                                                                       \
        return there == wanted;                                                                                      \
    }
#define COMPARE(AS, T, AE, HOW)                                                                                      \
    bool A atomic_compare_exchange_##HOW(volatile AS atomic_##T *p, AE T *e, T v) SWAP(AS, T)                        \
    bool A atomic_compare_exchange_##HOW##_explicit(volatile AS atomic_##T *p, AE T *e, T v, memory_order yes,       \
                                                    memory_order no) SWAP(AS, T)                                     \
    bool A atomic_compare_exchange_##HOW##_explicit(volatile AS atomic_##T *p, AE T *e, T v, memory_order yes,       \
                                                    memory_order no, memory_scope s) SWAP(AS, T)
#define INTEGER(AS, T, U)                                                                                            \
    EXCHANGE(AS, T)                                                                                                  \
    FETCH(AS, T, add, __sync_fetch_and_add(AT(AS, T), v))                                                            \
    FETCH(AS, T, sub, __sync_fetch_and_sub(AT(AS, T), v))                                                            \
    FETCH(AS, T, or, __sync_fetch_and_or(AT(AS, T), v))                                                              \
    FETCH(AS, T, xor, __sync_fetch_and_xor(AT(AS, T), v))                                                            \
    FETCH(AS, T, and, __sync_fetch_and_and(AT(AS, T), v))
#define BY_LONG(AS)                                                                                                  \
    FORMS(ulong, atomic_fetch_add, (volatile AS atomic_ulong *p, long v), {                                          \
        return __sync_fetch_and_add(AT(AS, ulong), (ulong)v);                                                        \
    })                                                                                                               \
    FORMS(ulong, atomic_fetch_sub, (volatile AS atomic_ulong *p, long v), {                                          \
        return __sync_fetch_and_sub(AT(AS, ulong), (ulong)v);                                                        \
    })
#define EXTREMES32(AS)                                                                                               \
    FETCH(AS, int, min, __sync_fetch_and_min(AT(AS, int), v)) FETCH(AS, int, max, __sync_fetch_and_max(AT(AS, int), v)) \
    FETCH(AS, uint, min, __sync_fetch_and_umin(AT(AS, uint), v))                                                     \
    FETCH(AS, uint, max, __sync_fetch_and_umax(AT(AS, uint), v))
/* What is not among the compiler's built-ins is a load and an exchange. */
#define SWAPPED(AS, T, NAME, E)                                                                                      \
    FETCH(AS, T, NAME, ({                                                                                            \
              T old = VALUE_##T(*(AT(AS, T)));                                                                       \
              __sync_lock_test_and_set(AT(AS, T), WORD_##T(E));                                                      \
              old;                                                                                                   \
          }))
#define EXTREMES(AS, T) SWAPPED(AS, T, min, v < old ? v : old) SWAPPED(AS, T, max, v > old ? v : old)
/* kernelc/add.c makes LLVM's instruction of these calls. */
float record_add_global(volatile __global float *p, float v);
float record_add_local(volatile __local float *p, float v);
#ifdef GENERIC
float record_add_generic(volatile __generic float *p, float v);
#endif
#define REALS(AS, ADD)                                                                                               \
    EXTREMES(AS, float) EXTREMES(AS, double) SWAPPED(AS, double, add, old + v) SWAPPED(AS, double, sub, old - v)     \
    FETCH(AS, float, add, ADD((volatile AS float *)p, v)) FETCH(AS, float, sub, ADD((volatile AS float *)p, -v))
#define ALL(AS)                                                                                                      \
    INTEGER(AS, int, int) INTEGER(AS, uint, uint) INTEGER(AS, long, long) INTEGER(AS, ulong, ulong)                  \
    EXCHANGE(AS, float) EXCHANGE(AS, double) EXTREMES32(AS) BY_LONG(AS)                                                      \
    EXTREMES(AS, long) EXTREMES(AS, ulong)                                                                           \
    FORMS(bool, atomic_flag_test_and_set, (volatile AS atomic_flag *p), {                                            \
        return __sync_lock_test_and_set(AT(AS, int), 1) != 0;                                                        \
    })                                                                                                               \
    FORMS(void, atomic_flag_clear, (volatile AS atomic_flag *p), { *(AT(AS, int)) = 0; })
#ifdef GENERIC
ALL(__generic)
REALS(__generic, record_add_generic)
#else
ALL(__global)
ALL(__local)
REALS(__global, record_add_global)
REALS(__local, record_add_local)
#endif

#ifndef GENERIC
void A atomic_work_item_fence(cl_mem_fence_flags f, memory_order o, memory_scope s) {}
#endif
