/* SPDX-License-Identifier: Apache-2.0 */
/* convert_T(x), with _sat and all rounding modes, for every pair of types. */
#define PLAIN(T, F, S)                                                                                               \
    T O convert_##T##S(F a) { return (T)a; }                                                                         \
    T##2 O convert_##T##2##S(F##2 a) { return __builtin_convertvector(a, T##2); }                                    \
    T##3 O convert_##T##3##S(F##3 a) { return __builtin_convertvector(a, T##3); }                                    \
    T##4 O convert_##T##4##S(F##4 a) { return __builtin_convertvector(a, T##4); }                                    \
    T##8 O convert_##T##8##S(F##8 a) { return __builtin_convertvector(a, T##8); }                                    \
    T##16 O convert_##T##16##S(F##16 a) { return __builtin_convertvector(a, T##16); }
/* The scalar E of a, and vectors element by element. */
#define COMPUTED(T, F, S, E)                                                                                         \
    T O convert_##T##S(F a) { return E; }                                                                            \
    T##2 O convert_##T##2##S(F##2 a) { return (T##2)(convert_##T##S(a.x), convert_##T##S(a.y)); }                    \
    T##3 O convert_##T##3##S(F##3 a) { return (T##3)(convert_##T##2##S(a.lo), convert_##T##S(a.z)); }                \
    T##4 O convert_##T##4##S(F##4 a) { return (T##4)(convert_##T##2##S(a.lo), convert_##T##2##S(a.hi)); }            \
    T##8 O convert_##T##8##S(F##8 a) { return (T##8)(convert_##T##4##S(a.lo), convert_##T##4##S(a.hi)); }            \
    T##16 O convert_##T##16##S(F##16 a) { return (T##16)(convert_##T##8##S(a.lo), convert_##T##8##S(a.hi)); }
#define FROM_INTEGERS(M, ...)                                                                                        \
    M(char, __VA_ARGS__) M(uchar, __VA_ARGS__) M(short, __VA_ARGS__) M(ushort, __VA_ARGS__) M(int, __VA_ARGS__)      \
    M(uint, __VA_ARGS__) M(long, __VA_ARGS__) M(ulong, __VA_ARGS__)
#define FROM_REALS(M, ...) M(float, f, __VA_ARGS__) M(double, , __VA_ARGS__)
#define TO_INTEGERS(M)                                                                                               \
    M(char, CHAR_MIN, CHAR_MAX) M(uchar, 0, UCHAR_MAX) M(short, SHRT_MIN, SHRT_MAX) M(ushort, 0, USHRT_MAX)          \
    M(int, INT_MIN, INT_MAX) M(uint, 0, UINT_MAX) M(long, LONG_MIN, LONG_MAX) M(ulong, 0, ULONG_MAX)

/* Integers of integers: rounding changes nothing. */
#define CLAMPED(T, MIN, MAX)                                                                                         \
    a < 0 ? (MIN == 0 ? (T)0 : (long)a < (long)MIN ? (T)MIN : (T)a) : (ulong)a > (ulong)MAX ? (T)MAX : (T)a
#define INTEGER_OF_INTEGER(F, T, MIN, MAX)                                                                           \
    PLAIN(T, F, ) PLAIN(T, F, _rte) PLAIN(T, F, _rtz) PLAIN(T, F, _rtp) PLAIN(T, F, _rtn)                            \
    COMPUTED(T, F, _sat, CLAMPED(T, MIN, MAX)) COMPUTED(T, F, _sat_rte, CLAMPED(T, MIN, MAX))                        \
    COMPUTED(T, F, _sat_rtz, CLAMPED(T, MIN, MAX)) COMPUTED(T, F, _sat_rtp, CLAMPED(T, MIN, MAX))                    \
    COMPUTED(T, F, _sat_rtn, CLAMPED(T, MIN, MAX))
/* Integers of reals: towards zero unless the name says otherwise. R is rounded. */
#define LIMITED(T, F, MIN, MAX, R) a != a ? (T)0 : R <= (F)MIN ? (T)MIN : R >= (F)MAX ? (T)MAX : (T)R
#define INTEGER_OF_REAL(F, C, T, MIN, MAX)                                                                           \
    PLAIN(T, F, ) PLAIN(T, F, _rtz)                                                                                  \
    COMPUTED(T, F, _rte, (T)__builtin_rint##C(a)) COMPUTED(T, F, _rtp, (T)__builtin_ceil##C(a))                      \
    COMPUTED(T, F, _rtn, (T)__builtin_floor##C(a))                                                                   \
    COMPUTED(T, F, _sat, LIMITED(T, F, MIN, MAX, a)) COMPUTED(T, F, _sat_rtz, LIMITED(T, F, MIN, MAX, a))            \
    COMPUTED(T, F, _sat_rte, LIMITED(T, F, MIN, MAX, __builtin_rint##C(a)))                                          \
    COMPUTED(T, F, _sat_rtp, LIMITED(T, F, MIN, MAX, __builtin_ceil##C(a)))                                          \
    COMPUTED(T, F, _sat_rtn, LIMITED(T, F, MIN, MAX, __builtin_floor##C(a)))
#define TO_INTEGER(T, MIN, MAX) FROM_INTEGERS(INTEGER_OF_INTEGER, T, MIN, MAX) FROM_REALS(INTEGER_OF_REAL, T, MIN, MAX)
TO_INTEGERS(TO_INTEGER)

/* Reals of integers: of the magnitude, the largest real that is not above it, or the smallest not below. */
#define MAGNITUDES(T, I)                                                                                             \
    static T record_below_##T(ulong m)                                                                               \
    {                                                                                                                \
        const T near = (T)m;                                                                                         \
        return near >= (T)0x1p64f || (ulong)near > m ? as_##T(as_##I(near) - 1) : near;                              \
    }                                                                                                                \
    static T record_above_##T(ulong m)                                                                               \
    {                                                                                                                \
        const T near = (T)m;                                                                                         \
        return near < (T)0x1p64f && (ulong)near < m ? as_##T(as_##I(near) + 1) : near;                               \
    }
MAGNITUDES(float, int)
MAGNITUDES(double, long)
#define REAL_OF_INTEGER(F, T)                                                                                        \
    PLAIN(T, F, ) PLAIN(T, F, _rte)                                                                                  \
    COMPUTED(T, F, _rtz, a < 0 ? -record_below_##T(-(ulong)a) : record_below_##T((ulong)a))                          \
    COMPUTED(T, F, _rtp, a < 0 ? -record_below_##T(-(ulong)a) : record_above_##T((ulong)a))                          \
    COMPUTED(T, F, _rtn, a < 0 ? -record_above_##T(-(ulong)a) : record_below_##T((ulong)a))
FROM_INTEGERS(REAL_OF_INTEGER, float)
FROM_INTEGERS(REAL_OF_INTEGER, double)

/* Reals of reals: at least as exact ones are the same; others move by one bit if they are on the wrong side. */
#define ALL_PLAIN(T, F) PLAIN(T, F, ) PLAIN(T, F, _rte) PLAIN(T, F, _rtz) PLAIN(T, F, _rtp) PLAIN(T, F, _rtn)
ALL_PLAIN(float, float) ALL_PLAIN(double, double) ALL_PLAIN(double, float)
#define NARROWER(T, I)                                                                                               \
    static T record_towards_zero_##T(T near, double a)                                                               \
    {                                                                                                                \
        return __builtin_fabs((double)near) > __builtin_fabs(a) ? as_##T((I)(as_##I(near) - 1)) : near;              \
    }                                                                                                                \
    static T record_upwards_##T(T near, double a)                                                                    \
    {                                                                                                                \
        const I bits = as_##I(near);                                                                                 \
        return (double)near < a ? as_##T((I)(near == 0 ? 1 : bits < 0 ? bits - 1 : bits + 1)) : near;                \
    }
#define NARROWED(T, F)                                                                                               \
    PLAIN(T, F, ) PLAIN(T, F, _rte)                                                                                  \
    COMPUTED(T, F, _rtz, record_towards_zero_##T((T)a, a)) COMPUTED(T, F, _rtp, record_upwards_##T((T)a, a))         \
    COMPUTED(T, F, _rtn, -record_upwards_##T(-(T)a, -a))
NARROWER(float, int)
NARROWER(half, short)
NARROWED(float, double)
NARROWED(half, float)
NARROWED(half, double)

/* Of the other conversions of half, those without a suffix. */
#define HALF_OF_INTEGER(F, T) PLAIN(T, F, )
#define OF_HALF(T, ...) PLAIN(T, half, )
FROM_INTEGERS(HALF_OF_INTEGER, half)
FROM_INTEGERS(OF_HALF, )
ALL_PLAIN(half, half) ALL_PLAIN(float, half) ALL_PLAIN(double, half)
