/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of half with a second result through a pointer, by those of float. */
#define PAIR_OF(F, P, AS)                                                                                            \
    half A F(half a, AS P *second)                                                                                   \
    {                                                                                                                \
        float other;                                                                                                 \
        const half first = (half)F((float)a, &other);                                                                \
        *second = (half)other;                                                                                       \
        return first;                                                                                                \
    }                                                                                                                \
    POINTER_VECTOR(half, P, AS, F)
#define INT_OF(F, AS)                                                                                                \
    half A F(half a, AS int *second)                                                                                 \
    {                                                                                                                \
        int other;                                                                                                   \
        const half first = (half)F((float)a, &other);                                                                \
        *second = other;                                                                                             \
        return first;                                                                                                \
    }                                                                                                                \
    POINTER_VECTOR(half, int, AS, F)
#define HALF_POINTERS(AS)                                                                                            \
    PAIR_OF(sincos, half, AS) PAIR_OF(fract, half, AS) PAIR_OF(modf, half, AS) INT_OF(frexp, AS) INT_OF(lgamma_r, AS)\
    half A remquo(half a, half b, AS int *q)                                                                         \
    {                                                                                                                \
        int other;                                                                                                   \
        const half rest = (half)remquo((float)a, (float)b, &other);                                                  \
        *q = other;                                                                                                  \
        return rest;                                                                                                 \
    }                                                                                                                \
    REMQUO_VECTOR(half, AS)
#ifdef GENERIC
HALF_POINTERS(__generic)
#else
HALF_POINTERS(__private)
HALF_POINTERS(__global)
HALF_POINTERS(__local)
#endif
