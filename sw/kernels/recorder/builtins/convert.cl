/* SPDX-License-Identifier: Apache-2.0 */
/* convert_T(x), with _sat for integers, and with every rounding mode for float to integer. */
#define CONVERT1(T, F)                                                                                               \
    T O convert_##T(F a) { return (T)a; }                                                                            \
    T##2 O convert_##T##2(F##2 a) { return __builtin_convertvector(a, T##2); }                                       \
    T##3 O convert_##T##3(F##3 a) { return __builtin_convertvector(a, T##3); }                                       \
    T##4 O convert_##T##4(F##4 a) { return __builtin_convertvector(a, T##4); }                                       \
    T##8 O convert_##T##8(F##8 a) { return __builtin_convertvector(a, T##8); }                                       \
    T##16 O convert_##T##16(F##16 a) { return __builtin_convertvector(a, T##16); }
#define CONVERT(T)                                                                                                   \
    CONVERT1(T, char) CONVERT1(T, uchar) CONVERT1(T, short) CONVERT1(T, ushort) CONVERT1(T, int) CONVERT1(T, uint)   \
    CONVERT1(T, long) CONVERT1(T, ulong) CONVERT1(T, float) CONVERT1(T, double)
CONVERT(char) CONVERT(uchar) CONVERT(short) CONVERT(ushort) CONVERT(int) CONVERT(uint) CONVERT(long) CONVERT(ulong)
CONVERT(float) CONVERT(double)

/* Computed in double, which is exact for up to 32 bits. */
#define SATURATED(T, F, MIN, MAX)                                                                                    \
    T O convert_##T##_sat(F a) { return a != a ? (T)0 : (double)a < MIN ? (T)MIN : (double)a > MAX ? (T)MAX : (T)a; } \
    VECTOR1R(T, F, convert_##T##_sat)
#undef VECTOR1R
#define VECTOR1R(T, F, N)
#define SATURATED_FROM(F)                                                                                            \
    SATURATED(char, F, CHAR_MIN, CHAR_MAX) SATURATED(uchar, F, 0, UCHAR_MAX) SATURATED(short, F, SHRT_MIN, SHRT_MAX) \
    SATURATED(ushort, F, 0, USHRT_MAX) SATURATED(int, F, INT_MIN, INT_MAX) SATURATED(uint, F, 0, UINT_MAX)
SATURATED_FROM(char) SATURATED_FROM(uchar) SATURATED_FROM(short) SATURATED_FROM(ushort) SATURATED_FROM(int)
SATURATED_FROM(uint) SATURATED_FROM(float) SATURATED_FROM(double)
#define ROUNDED(T, F, S)                                                                                             \
    T O convert_##T##_rtz(F a) { return (T)a; }                                                                      \
    T O convert_##T##_rte(F a) { return (T)__builtin_rint##S(a); }                                                   \
    T O convert_##T##_rtp(F a) { return (T)__builtin_ceil##S(a); }                                                   \
    T O convert_##T##_rtn(F a) { return (T)__builtin_floor##S(a); }
ROUNDED(int, float, f) ROUNDED(uint, float, f) ROUNDED(long, float, f) ROUNDED(uchar, float, f)
ROUNDED(int, double, ) ROUNDED(uint, double, ) ROUNDED(long, double, ) ROUNDED(uchar, double, )
