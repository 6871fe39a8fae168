/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of half (cl_khr_fp16): scalars are computed as floats, vectors element by element. */
#define H1(F)                                                                                                        \
    half O F(half a) { return (half)F((float)a); }                                                                   \
    VECTOR1(half, F)
#define H2(F)                                                                                                        \
    half O F(half a, half b) { return (half)F((float)a, (float)b); }                                                 \
    VECTOR2(half, F)
#define H3(F)                                                                                                        \
    half O F(half a, half b, half c) { return (half)F((float)a, (float)b, (float)c); }                               \
    VECTOR3(half, F)
H1(sqrt) H1(rsqrt) H1(exp) H1(exp2) H1(exp10) H1(expm1) H1(log) H1(log2) H1(log10) H1(log1p) H1(logb)
H1(sin) H1(cos) H1(tan) H1(asin) H1(acos) H1(atan) H1(sinh) H1(cosh) H1(tanh) H1(asinh) H1(acosh) H1(atanh)
H1(sinpi) H1(cospi) H1(tanpi) H1(asinpi) H1(acospi) H1(atanpi)
H1(cbrt) H1(fabs) H1(floor) H1(ceil) H1(round) H1(trunc) H1(rint) H1(erf) H1(erfc) H1(tgamma) H1(lgamma)
H1(sign) H1(degrees) H1(radians)
H2(pow) H2(powr) H2(fmod) H2(fmin) H2(fmax) H2(fdim) H2(atan2) H2(atan2pi) H2(hypot) H2(copysign) H2(remainder)
H2(maxmag) H2(minmag) H2(max) H2(min) H2(step)
H3(fma) H3(mad) H3(mix) H3(clamp) H3(smoothstep)
ALL_N(WITH_FSCALAR, half)

half O nextafter(half a, half b)
{
    const ushort bits = as_ushort(a), up = (a < b) == (a > 0);
    return a != a || b != b ? a + b : a == b ? b : a == 0 ? as_half((ushort)(b < 0 ? 0x8001 : 1)) :
                              as_half((ushort)(up ? bits + 1 : bits - 1));
}
VECTOR2(half, nextafter)
half O ldexp(half a, int n) { return (half)ldexp((float)a, n); }
half O pown(half a, int n) { return (half)pown((float)a, n); }
half O rootn(half a, int n) { return (half)rootn((float)a, n); }
int O ilogb(half a) { return ilogb((float)a); }
VECTOR2U(half, int, ldexp)
VECTOR2U(half, int, pown)
VECTOR2U(half, int, rootn)
VECTOR1R(int, half, ilogb)
ALL_N(LDEXP_SCALAR, half)
half O nan(ushort code) { return as_half((ushort)(0x7e00 | (code & 0x1ff))); }
VECTOR1R(half, ushort, nan)

int O isnan(half a) { return a != a; }
int O isinf(half a) { return fabs(a) == (half)__builtin_inff(); }
int O isfinite(half a) { return fabs(a) < (half)__builtin_inff(); }
int O signbit(half a) { return as_short(a) < 0; }
RELATIONS(half, int, 6.103515625e-5f)
#define HALF_RELATIONS(T, N)                                                                                         \
    short##N O isnan(half##N a) { return a != a; }                                                                   \
    short##N O isinf(half##N a) { return fabs(a) == (half##N)(half)__builtin_inff(); }                               \
    short##N O isfinite(half##N a) { return fabs(a) < (half##N)(half)__builtin_inff(); }                             \
    short##N O signbit(half##N a) { return as_short##N(a) < (short##N)0; }                                           \
    RELATIONS(half##N, short##N, (half)6.103515625e-5f)
ALL_N(HALF_RELATIONS, )

#define HALF_BITSELECT(T, N) \
    half##N O bitselect(half##N a, half##N b, half##N c) { return as_half##N(bitselect(as_short##N(a), as_short##N(b), as_short##N(c))); }
#define HALF_SELECT(T, N)                                                                                                 \
    half##N O select(half##N a, half##N b, short##N c) { return as_half##N(select(as_short##N(a), as_short##N(b), c)); } \
    half##N O select(half##N a, half##N b, ushort##N c) { return as_half##N(select(as_short##N(a), as_short##N(b), c)); }
HALF_BITSELECT(, )
HALF_SELECT(, )
ALL_N(HALF_BITSELECT, )
ALL_N(HALF_SELECT, )
#undef HALF_BITSELECT
#undef HALF_SELECT

#include "half_pointer.cl"
GEOMETRY(half)

/* Conversions: to the nearest, as the operator rounds; otherwise one step back where it went too far. */
#define TOWARD(F, S, TOO_FAR, STEP)                                                                                  \
    half O convert_half##S(F a)                                                                                      \
    {                                                                                                                \
        const half near = (half)a;                                                                                   \
        const ushort bits = as_ushort(near);                                                                         \
        const double x = (double)a, y = (double)near;                                                                \
        return TOO_FAR ? as_half((ushort)(STEP)) : near;                                                             \
    }                                                                                                                \
    HALF_VECTORS(F, S)
#define HALF_VECTORS(F, S)                                                                                           \
    half2 O convert_half2##S(F##2 a) { return (half2)(convert_half##S(a.x), convert_half##S(a.y)); }                 \
    half3 O convert_half3##S(F##3 a) { return (half3)(convert_half2##S(a.lo), convert_half##S(a.z)); }               \
    half4 O convert_half4##S(F##4 a) { return (half4)(convert_half2##S(a.lo), convert_half2##S(a.hi)); }             \
    half8 O convert_half8##S(F##8 a) { return (half8)(convert_half4##S(a.lo), convert_half4##S(a.hi)); }             \
    half16 O convert_half16##S(F##16 a) { return (half16)(convert_half8##S(a.lo), convert_half8##S(a.hi)); }
#define BACK_DOWN (y > 0 ? bits - 1 : y < 0 ? bits + 1 : 0x8001)
#define BACK_UP   (y > 0 ? bits + 1 : y < 0 ? bits - 1 : 1)
#define TO_HALF(F)                                                                                                   \
    half O convert_half_rte(F a) { return (half)a; }                                                                 \
    HALF_VECTORS(F, _rte)                                                                                            \
    TOWARD(F, _rtz, (x > 0 ? y > x : y < x), bits - 1)                                                               \
    TOWARD(F, _rtp, (y < x), BACK_UP)                                                                                \
    TOWARD(F, _rtn, (y > x), BACK_DOWN)
TO_HALF(char) TO_HALF(uchar) TO_HALF(short) TO_HALF(ushort) TO_HALF(int) TO_HALF(uint) TO_HALF(long) TO_HALF(ulong)

#define FROM_HALF(T, S) COMPUTED(T, half, S, convert_##T##S((float)a))
#define ROUNDINGS(M, T, S) M(T, S##_rte) M(T, S##_rtz) M(T, S##_rtp) M(T, S##_rtn)
#define INTEGER_FROM_HALF(T) FROM_HALF(T, _sat) ROUNDINGS(FROM_HALF, T, ) ROUNDINGS(FROM_HALF, T, _sat)
INTEGER_FROM_HALF(char) INTEGER_FROM_HALF(uchar) INTEGER_FROM_HALF(short) INTEGER_FROM_HALF(ushort)
INTEGER_FROM_HALF(int) INTEGER_FROM_HALF(uint) INTEGER_FROM_HALF(long) INTEGER_FROM_HALF(ulong)
