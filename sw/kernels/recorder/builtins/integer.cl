/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of every width. U is the unsigned type of the same width, W one of twice the width. */
#define MINMAX(T)                                                                                                    \
    T O max(T a, T b) { return a < b ? b : a; }                                                                      \
    T O min(T a, T b) { return b < a ? b : a; }                                                                      \
    T O clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }                                    \
    VECTOR2(T, max) VECTOR2(T, min) VECTOR3(T, clamp) ALL_N(WITH_SCALAR, T)
#define BITS(T, U)                                                                                                   \
    T O rotate(T a, T n)                                                                                             \
    {                                                                                                                \
        const U bits = sizeof(T) * 8, r = (U)n & (bits - 1);                                                         \
        return (T)((U)((U)a << r) | (U)((U)a >> ((bits - r) & (bits - 1))));                                         \
    }                                                                                                                \
    T O popcount(T a) { return (T)__builtin_popcountl((ulong)(U)a); }                                                \
    T O clz(T a) { return (T)((U)a ? __builtin_clzl((ulong)(U)a) - (64 - 8 * sizeof(T)) : 8 * sizeof(T)); }          \
    U O abs_diff(T a, T b) { return a < b ? (U)b - (U)a : (U)a - (U)b; }                                             \
    VECTOR2(T, rotate) VECTOR1(T, popcount) VECTOR1(T, clz)
#define WIDE(T, W)                                                                                                   \
    T O mul_hi(T a, T b) { return (T)(((W)a * (W)b) >> (8 * sizeof(T))); }                                           \
    T O mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }                                                           \
    T O hadd(T a, T b) { return (T)(((W)a + (W)b) >> 1); }                                                           \
    T O rhadd(T a, T b) { return (T)(((W)a + (W)b + 1) >> 1); }                                                      \
    VECTOR2(T, mul_hi) VECTOR3(T, mad_hi) VECTOR2(T, hadd) VECTOR2(T, rhadd)
#define SATURATE(T, W, MIN, MAX)                                                                                     \
    T O add_sat(T a, T b) { W s = (W)a + (W)b; return (T)(s < (W)MIN ? (W)MIN : s > (W)MAX ? (W)MAX : s); }          \
    T O sub_sat(T a, T b) { W s = (W)a - (W)b; return (T)(s < (W)MIN ? (W)MIN : s > (W)MAX ? (W)MAX : s); }          \
    VECTOR2(T, add_sat) VECTOR2(T, sub_sat)
#define ABS(T, U)                                                                                                    \
    U O abs(T a) { return a < 0 ? (U)0 - (U)a : (U)a; }                                                              \
    U O abs(U a) { return a; }                                                                                       \
    VECTOR1R(U, T, abs) VECTOR1R(U, U, abs)
#define INTEGER(T, U) MINMAX(T) BITS(T, U)
INTEGER(char, uchar) INTEGER(uchar, uchar) INTEGER(short, ushort) INTEGER(ushort, ushort)
INTEGER(int, uint) INTEGER(uint, uint) INTEGER(long, ulong) INTEGER(ulong, ulong)
ABS(char, uchar) ABS(short, ushort) ABS(int, uint) ABS(long, ulong)
WIDE(char, short) WIDE(uchar, ushort) WIDE(short, int) WIDE(ushort, uint) WIDE(int, long) WIDE(uint, ulong)
SATURATE(char, short, CHAR_MIN, CHAR_MAX) SATURATE(uchar, short, 0, UCHAR_MAX)
SATURATE(short, int, SHRT_MIN, SHRT_MAX) SATURATE(ushort, int, 0, USHRT_MAX)
SATURATE(int, long, INT_MIN, INT_MAX) SATURATE(uint, long, 0, UINT_MAX)

#define MUL24(T, SHIFT)                                                                                              \
    T O mul24(T a, T b) { return (a << 8 >> 8) * (b << 8 >> 8); }                                                    \
    T O mad24(T a, T b, T c) { return mul24(a, b) + c; }                                                             \
    VECTOR2(T, mul24) VECTOR3(T, mad24)
MUL24(int, )
MUL24(uint, )

#define UPSAMPLE(T, H, L) T O upsample(H h, L l) { return (T)(((T)h << (8 * sizeof(L))) | l); }
UPSAMPLE(short, char, uchar) UPSAMPLE(ushort, uchar, uchar) UPSAMPLE(int, short, ushort)
UPSAMPLE(uint, ushort, ushort) UPSAMPLE(long, int, uint) UPSAMPLE(ulong, uint, uint)

/* select and bitselect; any and all look at the sign bits of vectors. */
#define SELECT1(T, C)                                                                                                \
    T O select(T a, T b, C c) { return c ? b : a; }
#define SELECTN(T, C, N)                                                                                             \
    T##N O select(T##N a, T##N b, C##N c) { return c < (C##N)0 ? b : a; }
#define SELECT(T, C, U)                                                                                              \
    SELECT1(T, C) SELECT1(T, U) SELECTN(T, C, 2) SELECTN(T, C, 3) SELECTN(T, C, 4) SELECTN(T, C, 8) SELECTN(T, C, 16)
SELECT(int, int, uint) SELECT(uint, int, uint) SELECT(float, int, uint)
SELECT(long, long, ulong) SELECT(ulong, long, ulong) SELECT(double, long, ulong)
SELECT(char, char, uchar) SELECT(uchar, char, uchar) SELECT(short, short, ushort) SELECT(ushort, short, ushort)
int O any(int a) { return a < 0; }
int O any(int2 a) { return (a.x | a.y) < 0; }
int O any(int3 a) { return (a.x | a.y | a.z) < 0; }
int O any(int4 a) { return (a.x | a.y | a.z | a.w) < 0; }
int O all(int a) { return a < 0; }
int O all(int2 a) { return (a.x & a.y) < 0; }
int O all(int3 a) { return (a.x & a.y & a.z) < 0; }
int O all(int4 a) { return (a.x & a.y & a.z & a.w) < 0; }
