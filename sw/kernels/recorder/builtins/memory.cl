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
#define TYPE(T) LOADS(T, __constant) BOTH(T, __global) BOTH(T, __local) BOTH(T, __private)
TYPE(char) TYPE(uchar) TYPE(short) TYPE(ushort) TYPE(int) TYPE(uint) TYPE(long) TYPE(ulong) TYPE(float) TYPE(double)
void A prefetch(const __global float *p, size_t n) {}
void A prefetch(const __global int *p, size_t n) {}
