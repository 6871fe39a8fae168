/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of every width. U is the unsigned type of the same width, W one of twice the width. */
#define MINMAX(T)                                                                                                    \
    T O max(T a, T b) { return a < b ? b : a; }                                                                      \
    T O min(T a, T b) { return b < a ? b : a; }                                                                      \
    T O clamp(T x, T low, T high) { return x < low ? low : high < x ? high : x; }                                    \
    VECTOR2(T, max) VECTOR2(T, min) VECTOR3(T, clamp) ALL_N(WITH_SCALAR, T)
#define SIGNED_char char
#define SIGNED_uchar char
#define SIGNED_short short
#define SIGNED_ushort short
#define SIGNED_int int
#define SIGNED_uint int
#define SIGNED_long long
#define SIGNED_ulong long
#define JOINED(A, B) A##B
#define WIDER(T, N) JOINED(T, N)
#define BITFIELDS(T, U, I, N)                                                                                        \
    T##N O bitfield_insert(T##N a, T##N b, uint at, uint n)                                                          \
    {                                                                                                                \
        return (T##N)(bitfield_insert(a.lo, b.lo, at, n), bitfield_insert(a.hi, b.hi, at, n));                       \
    }                                                                                                                \
    U##N O bitfield_extract_unsigned(T##N a, uint at, uint n)                                                        \
    {                                                                                                                \
        return (U##N)(bitfield_extract_unsigned(a.lo, at, n), bitfield_extract_unsigned(a.hi, at, n));               \
    }                                                                                                                \
    WIDER(I, N) O bitfield_extract_signed(T##N a, uint at, uint n)                                                   \
    {                                                                                                                \
        return (WIDER(I, N))(bitfield_extract_signed(a.lo, at, n), bitfield_extract_signed(a.hi, at, n));            \
    }
#define BITFIELDS3(T, U, I)                                                                                          \
    T##3 O bitfield_insert(T##3 a, T##3 b, uint at, uint n)                                                          \
    {                                                                                                                \
        return (T##3)(bitfield_insert(a.xy, b.xy, at, n), bitfield_insert(a.z, b.z, at, n));                         \
    }                                                                                                                \
    U##3 O bitfield_extract_unsigned(T##3 a, uint at, uint n)                                                        \
    {                                                                                                                \
        return (U##3)(bitfield_extract_unsigned(a.xy, at, n), bitfield_extract_unsigned(a.z, at, n));                \
    }                                                                                                                \
    WIDER(I, 3) O bitfield_extract_signed(T##3 a, uint at, uint n)                                                   \
    {                                                                                                                \
        return (WIDER(I, 3))(bitfield_extract_signed(a.xy, at, n), bitfield_extract_signed(a.z, at, n));             \
    }
#define BITS(T, U)                                                                                                   \
    T O rotate(T a, T n)                                                                                             \
    {                                                                                                                \
        const U bits = sizeof(T) * 8, r = (U)n & (bits - 1);                                                         \
        return (T)((U)((U)a << r) | (U)((U)a >> ((bits - r) & (bits - 1))));                                         \
    }                                                                                                                \
    T O popcount(T a) { return (T)__builtin_popcountl((ulong)(U)a); }                                                \
    T O clz(T a) { return (T)((U)a ? __builtin_clzl((ulong)(U)a) - (64 - 8 * sizeof(T)) : 8 * sizeof(T)); }          \
    T O ctz(T a) { return (T)((U)a ? __builtin_ctzl((ulong)(U)a) : 8 * sizeof(T)); }                                 \
    T O bit_reverse(T a)                                                                                             \
    {                                                                                                                \
        return (T)(U)(__builtin_bitreverse64((ulong)(U)a) >> (64 - 8 * sizeof(T)));                                  \
    }                                                                                                                \
    T O bitfield_insert(T a, T b, uint at, uint n)                                                                   \
    {                                                                                                                \
        const U mask = (U)((U)(n < 8 * sizeof(T) ? (1ul << n) - 1 : ~0ul) << at);                                    \
        return (T)(((U)a & ~mask) | ((U)((U)b << at) & mask));                                                       \
    }                                                                                                                \
    U O bitfield_extract_unsigned(T a, uint at, uint n)                                                              \
    {                                                                                                                \
        return (U)((U)((U)a >> at) & (U)(n < 8 * sizeof(T) ? (1ul << n) - 1 : ~0ul));                                \
    }                                                                                                                \
    SIGNED_##T O bitfield_extract_signed(T a, uint at, uint n)                                                       \
    {                                                                                                                \
        const uint bits = 8 * sizeof(T);                                                                             \
        return n ? (SIGNED_##T)((SIGNED_##T)(U)((U)a << (bits - at - n)) >> (bits - n)) : 0;                         \
    }                                                                                                                \
    BITFIELDS(T, U, SIGNED_##T, 2) BITFIELDS(T, U, SIGNED_##T, 4) BITFIELDS(T, U, SIGNED_##T, 8)                     \
    BITFIELDS(T, U, SIGNED_##T, 16) BITFIELDS3(T, U, SIGNED_##T) VECTOR1(T, ctz) VECTOR1(T, bit_reverse)             \
    U O abs_diff(T a, T b) { return a < b ? (U)b - (U)a : (U)a - (U)b; }                                             \
    VECTOR2(T, rotate) VECTOR1(T, popcount) VECTOR1(T, clz) VECTOR2R(U, T, T, abs_diff)
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
#define MULTIPLY_SATURATED(T, W, MIN, MAX)                                                                           \
    T O mad_sat(T a, T b, T c)                                                                                       \
    {                                                                                                                \
        const W s = (W)a * (W)b + (W)c;                                                                              \
        return (T)(s < (W)MIN ? (W)MIN : s > (W)MAX ? (W)MAX : s);                                                   \
    }                                                                                                                \
    VECTOR3(T, mad_sat)
MULTIPLY_SATURATED(char, long, CHAR_MIN, CHAR_MAX) MULTIPLY_SATURATED(uchar, long, 0, UCHAR_MAX)
MULTIPLY_SATURATED(short, long, SHRT_MIN, SHRT_MAX) MULTIPLY_SATURATED(ushort, long, 0, USHRT_MAX)
MULTIPLY_SATURATED(int, long, INT_MIN, INT_MAX) MULTIPLY_SATURATED(uint, ulong, 0, UINT_MAX)

/* 64 bits have no type of twice the width. */
ulong O mul_hi(ulong a, ulong b)
{
    const ulong low = (a & UINT_MAX) * (b & UINT_MAX), one = (a >> 32) * (b & UINT_MAX) + (low >> 32);
    const ulong other = (a & UINT_MAX) * (b >> 32) + (one & UINT_MAX);
    return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}
long O mul_hi(long a, long b)
{
    return (long)(mul_hi((ulong)a, (ulong)b) - (a < 0 ? (ulong)b : 0) - (b < 0 ? (ulong)a : 0));
}
ulong O add_sat(ulong a, ulong b) { return a + b < a ? ULONG_MAX : a + b; }
ulong O sub_sat(ulong a, ulong b) { return a < b ? 0 : a - b; }
long O add_sat(long a, long b)
{
    const long s = (long)((ulong)a + (ulong)b);
    return ((a ^ s) & (b ^ s)) >= 0 ? s : a < 0 ? LONG_MIN : LONG_MAX;
}
long O sub_sat(long a, long b)
{
    const long s = (long)((ulong)a - (ulong)b);
    return ((a ^ b) & (a ^ s)) >= 0 ? s : a < 0 ? LONG_MIN : LONG_MAX;
}
ulong O mad_sat(ulong a, ulong b, ulong c)
{
    return mul_hi(a, b) ? ULONG_MAX : add_sat(a * b, c);
}
long O mad_sat(long a, long b, long c)
{
    const ulong product = (ulong)a * (ulong)b, sum = product + (ulong)c;
    const long high = mul_hi(a, b) + (sum < product) + (c < 0 ? -1 : 0);
    return high == (long)sum >> 63 ? (long)sum : high < 0 ? LONG_MIN : LONG_MAX;
}
#define WIDEST(T)                                                                                                    \
    T O mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }                                                           \
    T O hadd(T a, T b) { return (a & b) + ((a ^ b) >> 1); }                                                          \
    T O rhadd(T a, T b) { return (a | b) - ((a ^ b) >> 1); }                                                         \
    VECTOR2(T, mul_hi) VECTOR3(T, mad_hi) VECTOR2(T, hadd) VECTOR2(T, rhadd) VECTOR2(T, add_sat) VECTOR2(T, sub_sat) \
    VECTOR3(T, mad_sat)
WIDEST(long)
WIDEST(ulong)

#define MUL24(T, SHIFT)                                                                                              \
    T O mul24(T a, T b) { return (a << 8 >> 8) * (b << 8 >> 8); }                                                    \
    T O mad24(T a, T b, T c) { return mul24(a, b) + c; }                                                             \
    VECTOR2(T, mul24) VECTOR3(T, mad24)
MUL24(int, )
MUL24(uint, )

#define UPSAMPLE(T, H, L)                                                                                            \
    T O upsample(H h, L l) { return (T)(((T)h << (8 * sizeof(L))) | l); }                                            \
    VECTOR2R(T, H, L, upsample)
UPSAMPLE(short, char, uchar) UPSAMPLE(ushort, uchar, uchar) UPSAMPLE(int, short, ushort)
UPSAMPLE(uint, ushort, ushort) UPSAMPLE(long, int, uint) UPSAMPLE(ulong, uint, uint)

/* select, bitselect, any and all look at the sign bits of vectors. */
#define SELECT1(T, C)                                                                                                \
    T O select(T a, T b, C c) { return c ? b : a; }
#define SELECTN(T, C, U, N)                                                                                          \
    T##N O select(T##N a, T##N b, C##N c) { return c < (C##N)0 ? b : a; }                                            \
    T##N O select(T##N a, T##N b, U##N c) { return select(a, b, as_##C##N(c)); }
#define SELECT(T, C, U)                                                                                              \
    SELECT1(T, C) SELECT1(T, U) SELECTN(T, C, U, 2) SELECTN(T, C, U, 3) SELECTN(T, C, U, 4) SELECTN(T, C, U, 8)      \
    SELECTN(T, C, U, 16)
SELECT(int, int, uint) SELECT(uint, int, uint) SELECT(float, int, uint)
SELECT(long, long, ulong) SELECT(ulong, long, ulong) SELECT(double, long, ulong)
SELECT(char, char, uchar) SELECT(uchar, char, uchar) SELECT(short, short, ushort) SELECT(ushort, short, ushort)
#define BITSELECT(T) T O bitselect(T a, T b, T c) { return (a & ~c) | (b & c); }
#define BITSELECT_N(T, N) BITSELECT(T##N)
#define BITSELECT_AS(T, I) T O bitselect(T a, T b, T c) { return as_##T(bitselect(as_##I(a), as_##I(b), as_##I(c))); }
#define BITSELECT_INTEGER(T) BITSELECT(T) ALL_N(BITSELECT_N, T)
#define BITSELECT_FLOAT(T, N) BITSELECT_AS(float##N, int##N) BITSELECT_AS(double##N, long##N)
BITSELECT_INTEGER(char) BITSELECT_INTEGER(uchar) BITSELECT_INTEGER(short) BITSELECT_INTEGER(ushort)
BITSELECT_INTEGER(int) BITSELECT_INTEGER(uint) BITSELECT_INTEGER(long) BITSELECT_INTEGER(ulong)
BITSELECT_FLOAT(, )
ALL_N(BITSELECT_FLOAT, )
#define REDUCE(T, F, OP)                                                                                             \
    int O F(T a) { return a < 0; }                                                                                   \
    int O F(T##2 a) { return (a.x OP a.y) < 0; }                                                                     \
    int O F(T##3 a) { return (a.x OP a.y OP a.z) < 0; }                                                              \
    int O F(T##4 a) { return (a.x OP a.y OP a.z OP a.w) < 0; }                                                       \
    int O F(T##8 a) { return F(a.lo OP a.hi); }                                                                      \
    int O F(T##16 a) { return F(a.lo OP a.hi); }
REDUCE(char, any, |) REDUCE(short, any, |) REDUCE(int, any, |) REDUCE(long, any, |)
REDUCE(char, all, &) REDUCE(short, all, &) REDUCE(int, all, &) REDUCE(long, all, &)

/* shuffle(x, mask) takes from x, which has M elements; shuffle2(x, y, mask) from both. */
#define FROM2(x, y, m, M) ((m) & M ? (y)[(m) & (M - 1)] : (x)[(m) & (M - 1)])
#define SHUFFLE_TO(T, U, M, N)                                                                                       \
    T##N O shuffle(T##M x, U##N m) { return (T##N)(shuffle(x, m.lo), shuffle(x, m.hi)); }                            \
    T##N O shuffle2(T##M x, T##M y, U##N m) { return (T##N)(shuffle2(x, y, m.lo), shuffle2(x, y, m.hi)); }
#define SHUFFLE_FROM(T, U, M)                                                                                        \
    T##2 O shuffle(T##M x, U##2 m) { return (T##2)(x[m.x & (M - 1)], x[m.y & (M - 1)]); }                            \
    T##2 O shuffle2(T##M x, T##M y, U##2 m) { return (T##2)(FROM2(x, y, m.x, M), FROM2(x, y, m.y, M)); }             \
    SHUFFLE_TO(T, U, M, 4) SHUFFLE_TO(T, U, M, 8) SHUFFLE_TO(T, U, M, 16)
#define SHUFFLE(T, U) SHUFFLE_FROM(T, U, 2) SHUFFLE_FROM(T, U, 4) SHUFFLE_FROM(T, U, 8) SHUFFLE_FROM(T, U, 16)
SHUFFLE(char, uchar) SHUFFLE(uchar, uchar) SHUFFLE(short, ushort) SHUFFLE(ushort, ushort) SHUFFLE(int, uint)
SHUFFLE(half, ushort) SHUFFLE(uint, uint) SHUFFLE(long, ulong) SHUFFLE(ulong, ulong) SHUFFLE(float, uint) SHUFFLE(double, ulong)

/* Sums of products of four bytes (cl_khr_integer_dot_product). */
#define DOT(R, TA, TB, PACKED)                                                                                       \
    R O dot(TA##4 a, TB##4 b) { return (R)a.x * b.x + (R)a.y * b.y + (R)a.z * b.z + (R)a.w * b.w; }                  \
    R O dot_acc_sat(TA##4 a, TB##4 b, R c) { return add_sat(dot(a, b), c); }                                         \
    R O dot_4x8packed_##PACKED(uint a, uint b) { return dot(as_##TA##4(a), as_##TB##4(b)); }                         \
    R O dot_acc_sat_4x8packed_##PACKED(uint a, uint b, R c) { return dot_acc_sat(as_##TA##4(a), as_##TB##4(b), c); }
DOT(uint, uchar, uchar, uu_uint)
DOT(int, char, char, ss_int)
DOT(int, uchar, char, us_int)
DOT(int, char, uchar, su_int)

/* ---- cl_arm_integer_dot_product_..., cl_amd_media_ops ---- */

#define SUM2(R, a, b) ((R)(a).x * (R)(b).x + (R)(a).y * (R)(b).y)
#define ARM_DOT(T, R)                                                                                                \
    R A arm_dot(T a, T b) { return SUM2(R, a.xy, b.xy) + SUM2(R, a.zw, b.zw); }                                      \
    R A arm_dot_acc(T a, T b, R sum) { return sum + arm_dot(a, b); }                                                 \
    R A arm_dot_acc_sat(T a, T b, R sum) { return add_sat(sum, arm_dot(a, b)); }
ARM_DOT(char4, int)
ARM_DOT(uchar4, uint)
int A arm_dot_acc(short2 a, short2 b, int sum) { return sum + SUM2(int, a, b); }
uint A arm_dot_acc(ushort2 a, ushort2 b, uint sum) { return sum + SUM2(uint, a, b); }

static ulong joined(uint high, uint low) { return (ulong)high << 32 | low; }
uint A amd_bitalign(uint high, uint low, uint bits) { return (uint)(joined(high, low) >> (bits & 31)); }
uint A amd_bytealign(uint high, uint low, uint bytes) { return (uint)(joined(high, low) >> (8 * (bytes & 3))); }
/* A field of 0 to 31 bits that ends within the word; one that does not ends with it. */
uint A amd_bfe(uint v, uint from, uint bits)
{
    const uint f = from & 31, n = bits & 31;
    return n == 0 ? 0 : f + n < 32 ? v << (32 - f - n) >> (32 - n) : v >> f;
}
int A amd_bfe(int v, uint from, uint bits)
{
    const uint f = from & 31, n = bits & 31;
    return n == 0 ? 0 : f + n < 32 ? (int)((uint)v << (32 - f - n)) >> (32 - n) : v >> f;
}
