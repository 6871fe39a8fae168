/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with a second result through a pointer to P. */
#define POINTER_RESULT(T, S, I, AS)                                                                                  \
    T A sincos(T a, AS T *c)                                                                                         \
    {                                                                                                                \
        *c = __builtin_cos##S(a);                                                                                    \
        return __builtin_sin##S(a);                                                                                  \
    }                                                                                                                \
    T A fract(T a, AS T *whole)                                                                                      \
    {                                                                                                                \
        *whole = __builtin_floor##S(a);                                                                              \
        return __builtin_fmin##S(a - *whole, BELOW_ONE##S);                                                          \
    }                                                                                                                \
    T A modf(T a, AS T *whole)                                                                                       \
    {                                                                                                                \
        *whole = __builtin_trunc##S(a);                                                                              \
        return __builtin_copysign##S(__builtin_isinf(a) ? 0 : a - *whole, a);                                        \
    }                                                                                                                \
    T A frexp(T a, AS int *exponent)                                                                                 \
    {                                                                                                                \
        const bool tiny = __builtin_fabs##S(a) < MIN##S, kept = a == 0 || !__builtin_isfinite(a);                    \
        const I bits = as_##I(tiny ? a * (1 << 30) * (1 << 30) : a), field = (I)MANTISSA##S;                         \
        const int e = (int)(bits >> field) & (2 * BIAS##S + 1);                                                      \
        *exponent = kept ? 0 : e - BIAS##S + 1 - (tiny ? 60 : 0);                                                    \
        return kept ? a : as_##T((bits & ~((I)(2 * BIAS##S + 1) << field)) | (I)(BIAS##S - 1) << field);             \
    }                                                                                                                \
    T A lgamma_r(T a, AS int *sign)                                                                                  \
    {                                                                                                                \
        const T half_floor = __builtin_floor##S(a) / 2;                                                              \
        *sign = a < 0 && half_floor != __builtin_floor##S(half_floor) ? -1 : 1;                                      \
        return __builtin_lgamma##S(a);                                                                               \
    }                                                                                                                \
    T A remquo(T a, T b, AS int *quotient)                                                                           \
    {                                                                                                                \
        const T rest = __builtin_remainder##S(a, b), near = __builtin_fmod##S(a, 128 * b);                           \
        *quotient = __builtin_isnan(rest) || __builtin_isinf(b) ? 0 : (int)__builtin_rint##S((near - rest) / b) % 128;\
        return rest;                                                                                                 \
    }
#define BELOW_ONEf 0x1.fffffep-1f
#define BELOW_ONE  0x1.fffffffffffffp-1
#define MINf       FLT_MIN
#define MIN        DBL_MIN
#define BIASf      127
#define BIAS       1023
#define MANTISSAf  23
#define MANTISSA   52
/* Vectors by halves, of which a 3-element vector has two and one. */
#define POINTER_N(T, P, AS, F, N, H)                                                                                 \
    T##N A F(T##N a, AS P##N *p)                                                                                     \
    {                                                                                                                \
        P##H low, high;                                                                                              \
        const T##N result = (T##N)(F(a.lo, &low), F(a.hi, &high));                                                   \
        *p = (P##N)(low, high);                                                                                      \
        return result;                                                                                               \
    }
#define POINTER_VECTOR(T, P, AS, F)                                                                                  \
    POINTER_N(T, P, AS, F, 2, )                                                                                      \
    T##3 A F(T##3 a, AS P##3 *p)                                                                                     \
    {                                                                                                                \
        P##2 low;                                                                                                    \
        P high;                                                                                                      \
        const T##3 result = (T##3)(F(a.lo, &low), F(a.z, &high));                                                    \
        *p = (P##3)(low, high);                                                                                      \
        return result;                                                                                               \
    }                                                                                                                \
    POINTER_N(T, P, AS, F, 4, 2) POINTER_N(T, P, AS, F, 8, 4) POINTER_N(T, P, AS, F, 16, 8)
#define REMQUO_N(T, AS, N, H)                                                                                        \
    T##N A remquo(T##N a, T##N b, AS int##N *p)                                                                      \
    {                                                                                                                \
        int##H low, high;                                                                                            \
        const T##N result = (T##N)(remquo(a.lo, b.lo, &low), remquo(a.hi, b.hi, &high));                             \
        *p = (int##N)(low, high);                                                                                    \
        return result;                                                                                               \
    }
#define REMQUO_VECTOR(T, AS)                                                                                         \
    REMQUO_N(T, AS, 2, )                                                                                             \
    T##3 A remquo(T##3 a, T##3 b, AS int##3 *p)                                                                      \
    {                                                                                                                \
        int2 low;                                                                                                    \
        int high;                                                                                                    \
        const T##3 result = (T##3)(remquo(a.lo, b.lo, &low), remquo(a.z, b.z, &high));                               \
        *p = (int3)(low, high);                                                                                      \
        return result;                                                                                               \
    }                                                                                                                \
    REMQUO_N(T, AS, 4, 2) REMQUO_N(T, AS, 8, 4) REMQUO_N(T, AS, 16, 8)
#define POINTER_ALL(T, S, I, AS)                                                                                     \
    POINTER_RESULT(T, S, I, AS)                                                                                      \
    POINTER_VECTOR(T, T, AS, sincos) POINTER_VECTOR(T, T, AS, fract) POINTER_VECTOR(T, T, AS, modf)                  \
    POINTER_VECTOR(T, int, AS, frexp) POINTER_VECTOR(T, int, AS, lgamma_r) REMQUO_VECTOR(T, AS)
#define POINTER_RESULTS(AS) POINTER_ALL(float, f, int, AS) POINTER_ALL(double, , long, AS)
#ifdef GENERIC
POINTER_RESULTS(__generic)
#else
POINTER_RESULTS(__private)
POINTER_RESULTS(__global)
POINTER_RESULTS(__local)
#endif
#undef MIN
#undef MINf
