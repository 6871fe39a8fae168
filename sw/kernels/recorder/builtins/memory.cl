/* SPDX-License-Identifier: Apache-2.0 */
/* vload and vstore: one access of the vector's size, aligned only to its elements. */
#define LOADN(T, AS, N)                                                                                              \
    typedef T##N __attribute__((aligned(sizeof(T)))) T##N##AS##_packed;                                              \
    T##N A vload##N(size_t i, const AS T *p) { return *(const AS T##N##AS##_packed *)(p + i * N); }
#define STOREN(T, AS, N)                                                                                             \
    void A vstore##N(T##N v, size_t i, AS T *p) { *(AS T##N##AS##_packed *)(p + i * N) = v; }
#define LOAD3(T, AS)                                                                                                 \
    T##3 A vload3(size_t i, const AS T *p) { return (T##3)(p[3 * i], p[3 * i + 1], p[3 * i + 2]); }
#define STORE3(T, AS)                                                                                                \
    void A vstore3(T##3 v, size_t i, AS T *p)                                                                        \
    {                                                                                                                \
        p[3 * i] = v.x;                                                                                              \
        p[3 * i + 1] = v.y;                                                                                          \
        p[3 * i + 2] = v.z;                                                                                          \
    }
#define LOADS(T, AS) LOADN(T, AS, 2) LOAD3(T, AS) LOADN(T, AS, 4) LOADN(T, AS, 8) LOADN(T, AS, 16)
#define BOTH(T, AS) LOADS(T, AS) STOREN(T, AS, 2) STORE3(T, AS) STOREN(T, AS, 4) STOREN(T, AS, 8) STOREN(T, AS, 16)
#ifdef GENERIC
#define TYPE(T) BOTH(T, __generic)
#else
#define TYPE(T) LOADS(T, __constant) BOTH(T, __global) BOTH(T, __local) BOTH(T, __private)
#endif
TYPE(char) TYPE(uchar) TYPE(short) TYPE(ushort) TYPE(int) TYPE(uint) TYPE(long) TYPE(ulong) TYPE(float) TYPE(double)
TYPE(half)
#ifndef GENERIC
#define PREFETCH(T, N) void A prefetch(const __global T##N *p, size_t n) {}
#define PREFETCHES(T) PREFETCH(T, ) ALL_N(PREFETCH, T)
PREFETCHES(char) PREFETCHES(uchar) PREFETCHES(short) PREFETCHES(ushort) PREFETCHES(int) PREFETCHES(uint)
PREFETCHES(long) PREFETCHES(ulong) PREFETCHES(float) PREFETCHES(double) PREFETCHES(half)
#endif

/* Half floats in memory. vloada and vstorea align 3 elements as 4. */
#define LOAD_HALF(AS, N, PITCH)                                                                                      \
    float##N A vload_half##N(size_t i, const AS half *p) { return convert_float##N(vload##N(i, p)); }                \
    float##N A vloada_half##N(size_t i, const AS half *p) { return convert_float##N(vload##N(0, p + PITCH * i)); }
#define LOAD_HALVES(AS)                                                                                              \
    float A vload_half(size_t i, const AS half *p) { return (float)p[i]; }                                           \
    LOAD_HALF(AS, 2, 2) LOAD_HALF(AS, 3, 4) LOAD_HALF(AS, 4, 4) LOAD_HALF(AS, 8, 8) LOAD_HALF(AS, 16, 16)
#ifdef GENERIC
LOAD_HALVES(__generic)
#else
LOAD_HALVES(__constant)
LOAD_HALVES(__global)
LOAD_HALVES(__local)
LOAD_HALVES(__private)
#endif
#define STORE_HALF(T, AS, S, N, PITCH)                                                                               \
    void A vstore_half##N##S(T##N v, size_t i, AS half *p) { vstore##N(convert_half##N##S(v), i, p); }               \
    void A vstorea_half##N##S(T##N v, size_t i, AS half *p) { vstore##N(convert_half##N##S(v), 0, p + PITCH * i); }
#define STORE_ROUNDED(T, AS, S)                                                                                      \
    void A vstore_half##S(T v, size_t i, AS half *p) { p[i] = convert_half##S(v); }                                  \
    STORE_HALF(T, AS, S, 2, 2) STORE_HALF(T, AS, S, 3, 4) STORE_HALF(T, AS, S, 4, 4) STORE_HALF(T, AS, S, 8, 8)      \
    STORE_HALF(T, AS, S, 16, 16)
#define STORE_TYPE(T, AS)                                                                                            \
    STORE_ROUNDED(T, AS, ) STORE_ROUNDED(T, AS, _rte) STORE_ROUNDED(T, AS, _rtz) STORE_ROUNDED(T, AS, _rtp)          \
    STORE_ROUNDED(T, AS, _rtn)
#define STORE_HALVES(AS) STORE_TYPE(float, AS) STORE_TYPE(double, AS)
#ifdef GENERIC
STORE_HALVES(__generic)
#else
STORE_HALVES(__global)
STORE_HALVES(__local)
STORE_HALVES(__private)

/* Every work-item copies its share, as on GPUs; waiting is a barrier. */
#define COPY(T, TO, FROM)                                                                                            \
    event_t A async_work_group_strided_copy(TO T *to, const FROM T *from, size_t n, size_t to_pitch,                 \
                                            size_t from_pitch, event_t e)                                            \
    {                                                                                                                \
        const size_t row = get_local_id(1) + get_local_id(2) * get_local_size(1);                                    \
        const size_t items = get_local_size(0) * get_local_size(1) * get_local_size(2);                              \
        for (size_t i = get_local_id(0) + row * get_local_size(0); i < n; i += items)                                \
            to[i * to_pitch] = from[i * from_pitch];                                                                 \
        return e;                                                                                                    \
    }
#define ASYNC(T, N)                                                                                                  \
    COPY(T##N, __local, __global)                                                                                    \
    COPY(T##N, __global, __local)                                                                                    \
    event_t A async_work_group_copy(__local T##N *to, const __global T##N *from, size_t n, event_t e)                \
    {                                                                                                                \
        return async_work_group_strided_copy(to, from, n, (size_t)1, (size_t)1, e);                                  \
    }                                                                                                                \
    event_t A async_work_group_copy(__global T##N *to, const __local T##N *from, size_t n, event_t e)                \
    {                                                                                                                \
        return async_work_group_strided_copy(to, from, n, (size_t)1, (size_t)1, e);                                  \
    }                                                                                                                \
    event_t A async_work_group_strided_copy(__local T##N *to, const __global T##N *from, size_t n, size_t pitch,     \
                                            event_t e)                                                               \
    {                                                                                                                \
        return async_work_group_strided_copy(to, from, n, (size_t)1, pitch, e);                                      \
    }                                                                                                                \
    event_t A async_work_group_strided_copy(__global T##N *to, const __local T##N *from, size_t n, size_t pitch,     \
                                            event_t e)                                                               \
    {                                                                                                                \
        return async_work_group_strided_copy(to, from, n, pitch, (size_t)1, e);                                      \
    }
#define ASYNCS(T) ASYNC(T, ) ALL_N(ASYNC, T)
ASYNCS(char) ASYNCS(uchar) ASYNCS(short) ASYNCS(ushort) ASYNCS(int) ASYNCS(uint) ASYNCS(long) ASYNCS(ulong)
ASYNCS(float) ASYNCS(double) ASYNCS(half)
/* clang declares its pointer as a generic one. */
void A wait_group_events(int n, __attribute__((address_space(4))) event_t *e)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif
