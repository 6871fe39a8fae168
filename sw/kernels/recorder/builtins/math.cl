/* SPDX-License-Identifier: Apache-2.0 */
/* Floating point: scalars use the compiler's built-ins, which become instructions or calls of the C library; vectors
 * are computed element by element. */
#define O __attribute__((overloadable, const))
#define A __attribute__((overloadable))

/* Functions of one, two or three vectors, computed on their halves. */
#define V1N(R, T, F, N, H)                                                                                           \
    R##N O F(T##N a)                                                                                                 \
    {                                                                                                                \
        return (R##N)(F(a.lo), F(a.hi));                                                                             \
    }
#define V2N(R, T, U, F, N)                                                                                           \
    R##N O F(T##N a, U##N b)                                                                                         \
    {                                                                                                                \
        return (R##N)(F(a.lo, b.lo), F(a.hi, b.hi));                                                                 \
    }
#define V3N(T, F, N)                                                                                                 \
    T##N O F(T##N a, T##N b, T##N c)                                                                                 \
    {                                                                                                                \
        return (T##N)(F(a.lo, b.lo, c.lo), F(a.hi, b.hi, c.hi));                                                     \
    }
#define VECTOR1R(R, T, F)                                                                                            \
    V1N(R, T, F, 2, )                                                                                                \
    R##3 O F(T##3 a) { return (R##3)(F(a.x), F(a.y), F(a.z)); }                                                      \
    V1N(R, T, F, 4, ) V1N(R, T, F, 8, ) V1N(R, T, F, 16, )
#define VECTOR1(T, F) VECTOR1R(T, T, F)
#define VECTOR2R(R, T, U, F)                                                                                         \
    V2N(R, T, U, F, 2)                                                                                               \
    R##3 O F(T##3 a, U##3 b) { return (R##3)(F(a.x, b.x), F(a.y, b.y), F(a.z, b.z)); }                               \
    V2N(R, T, U, F, 4) V2N(R, T, U, F, 8) V2N(R, T, U, F, 16)
#define VECTOR2U(T, U, F) VECTOR2R(T, T, U, F)
#define VECTOR2(T, F) VECTOR2U(T, T, F)
#define VECTOR3(T, F)                                                                                                \
    V3N(T, F, 2)                                                                                                     \
    T##3 O F(T##3 a, T##3 b, T##3 c) { return (T##3)(F(a.x, b.x, c.x), F(a.y, b.y, c.y), F(a.z, b.z, c.z)); }        \
    V3N(T, F, 4) V3N(T, F, 8) V3N(T, F, 16)

#define F1(F, B32, B64)                                                                                              \
    float O F(float a) { return B32(a); }                                                                            \
    double O F(double a) { return B64(a); }                                                                          \
    VECTOR1(float, F) VECTOR1(double, F)
#define F2(F, B32, B64)                                                                                              \
    float O F(float a, float b) { return B32(a, b); }                                                                \
    double O F(double a, double b) { return B64(a, b); }                                                             \
    VECTOR2(float, F) VECTOR2(double, F)
#define C1(F) F1(F, __builtin_##F##f, __builtin_##F)
#define C2(F) F2(F, __builtin_##F##f, __builtin_##F)

C1(sqrt) C1(exp) C1(exp2) C1(expm1) C1(log) C1(log2) C1(log10) C1(log1p) C1(logb)
C1(sin) C1(cos) C1(tan) C1(asin) C1(acos) C1(atan) C1(sinh) C1(cosh) C1(tanh) C1(asinh) C1(acosh) C1(atanh)
C1(cbrt) C1(fabs) C1(floor) C1(ceil) C1(round) C1(trunc) C1(rint) C1(erf) C1(erfc) C1(tgamma) C1(lgamma)
C2(pow) C2(fmod) C2(fmin) C2(fmax) C2(fdim) C2(atan2) C2(hypot) C2(copysign) C2(nextafter) C2(remainder)
F2(powr, __builtin_powf, __builtin_pow)
#define EXP10_F(a) __builtin_powf(10.0f, a)
#define EXP10_D(a) __builtin_pow(10.0, a)
F1(exp10, EXP10_F, EXP10_D)

#define PICK(a, b, BETTER, ABS, EQUAL) (ABS(a) BETTER ABS(b) ? a : ABS(b) BETTER ABS(a) ? b : EQUAL(a, b))
#define MAXMAG_F(a, b) PICK(a, b, >, __builtin_fabsf, __builtin_fmaxf)
#define MAXMAG_D(a, b) PICK(a, b, >, __builtin_fabs, __builtin_fmax)
#define MINMAG_F(a, b) PICK(a, b, <, __builtin_fabsf, __builtin_fminf)
#define MINMAG_D(a, b) PICK(a, b, <, __builtin_fabs, __builtin_fmin)
F2(maxmag, MAXMAG_F, MAXMAG_D)
F2(minmag, MINMAG_F, MINMAG_D)

#define RECIPROCAL_ROOT_F(a) (1.0f / __builtin_sqrtf(a))
#define RECIPROCAL_ROOT_D(a) (1.0 / __builtin_sqrt(a))
F1(rsqrt, RECIPROCAL_ROOT_F, RECIPROCAL_ROOT_D)
#define PI_OF(a) ((a) * 3.14159265358979323846)
#define SINPI_F(a) __builtin_sinf((float)PI_OF(a))
#define COSPI_F(a) __builtin_cosf((float)PI_OF(a))
#define SINPI_D(a) __builtin_sin(PI_OF(a))
#define COSPI_D(a) __builtin_cos(PI_OF(a))
F1(sinpi, SINPI_F, SINPI_D)
F1(cospi, COSPI_F, COSPI_D)
#define TANPI_F(a) __builtin_tanf((float)PI_OF(a))
#define TANPI_D(a) __builtin_tan(PI_OF(a))
F1(tanpi, TANPI_F, TANPI_D)
#define OF_PI(a) ((a) * 0.31830988618379067154)
#define ASINPI_F(a) (float)OF_PI(__builtin_asin(a))
#define ACOSPI_F(a) (float)OF_PI(__builtin_acos(a))
#define ATANPI_F(a) (float)OF_PI(__builtin_atan(a))
#define ATAN2PI_F(a, b) (float)OF_PI(__builtin_atan2(a, b))
#define ASINPI_D(a) OF_PI(__builtin_asin(a))
#define ACOSPI_D(a) OF_PI(__builtin_acos(a))
#define ATANPI_D(a) OF_PI(__builtin_atan(a))
#define ATAN2PI_D(a, b) OF_PI(__builtin_atan2(a, b))
F1(asinpi, ASINPI_F, ASINPI_D)
F1(acospi, ACOSPI_F, ACOSPI_D)
F1(atanpi, ATANPI_F, ATANPI_D)
F2(atan2pi, ATAN2PI_F, ATAN2PI_D)

#define FMA(T, S)                                                                                                    \
    T O fma(T a, T b, T c) { return __builtin_fma##S(a, b, c); }                                                     \
    T O mad(T a, T b, T c) { return a * b + c; }                                                                     \
    T O mix(T a, T b, T t) { return a + (b - a) * t; }                                                               \
    T O clamp(T x, T low, T high) { return __builtin_fmin##S(__builtin_fmax##S(x, low), high); }                     \
    T O smoothstep(T low, T high, T x)                                                                               \
    {                                                                                                                \
        T t = clamp((x - low) / (high - low), (T)0, (T)1);                                                           \
        return t * t * (3 - 2 * t);                                                                                  \
    }                                                                                                                \
    VECTOR3(T, fma) VECTOR3(T, mad) VECTOR3(T, mix) VECTOR3(T, clamp) VECTOR3(T, smoothstep)                         \
    T O max(T a, T b) { return a < b ? b : a; }                                                                      \
    T O min(T a, T b) { return b < a ? b : a; }                                                                      \
    T O step(T edge, T x) { return x < edge ? (T)0 : (T)1; }                                                         \
    T O sign(T x) { return x > 0 ? (T)1 : x < 0 ? (T)-1 : x; }                                                       \
    T O degrees(T x) { return x * (T)57.29577951308232; }                                                            \
    T O radians(T x) { return x * (T)0.017453292519943295; }                                                         \
    VECTOR2(T, max) VECTOR2(T, min) VECTOR2(T, step)                                                                 \
    VECTOR1(T, sign) VECTOR1(T, degrees) VECTOR1(T, radians)
FMA(float, f)
FMA(double, )

/* Functions of a vector and a scalar. */
#define WITH_SCALAR(T, N)                                                                                            \
    T##N O max(T##N a, T b) { return max(a, (T##N)b); }                                                              \
    T##N O min(T##N a, T b) { return min(a, (T##N)b); }                                                              \
    T##N O clamp(T##N a, T low, T high) { return clamp(a, (T##N)low, (T##N)high); }
#define WITH_FSCALAR(T, N)                                                                                           \
    WITH_SCALAR(T, N)                                                                                                \
    T##N O fmax(T##N a, T b) { return fmax(a, (T##N)b); }                                                            \
    T##N O fmin(T##N a, T b) { return fmin(a, (T##N)b); }                                                            \
    T##N O mix(T##N a, T##N b, T t) { return a + (b - a) * t; }                                                      \
    T##N O step(T edge, T##N x) { return step((T##N)edge, x); }                                                      \
    T##N O smoothstep(T low, T high, T##N x) { return smoothstep((T##N)low, (T##N)high, x); }
#define ALL_N(M, T) M(T, 2) M(T, 3) M(T, 4) M(T, 8) M(T, 16)
ALL_N(WITH_FSCALAR, float)
ALL_N(WITH_FSCALAR, double)

/* native_ and half_ may be less exact in OpenCL; here they are exact. */
#define NATIVE1(F)                                                                                                   \
    float O native_##F(float a) { return F(a); }                                                                     \
    float O half_##F(float a) { return F(a); }                                                                       \
    VECTOR1(float, native_##F) VECTOR1(float, half_##F)
NATIVE1(sqrt) NATIVE1(rsqrt) NATIVE1(exp) NATIVE1(exp2) NATIVE1(exp10) NATIVE1(log) NATIVE1(log2) NATIVE1(log10)
NATIVE1(sin) NATIVE1(cos) NATIVE1(tan)
#define NATIVE2(F, E)                                                                                                \
    float O native_##F(float a, float b) { return E; }                                                               \
    float O half_##F(float a, float b) { return E; }                                                                 \
    VECTOR2(float, native_##F) VECTOR2(float, half_##F)
NATIVE2(divide, a / b)
NATIVE2(powr, powr(a, b))
float O native_recip(float a) { return 1.0f / a; }
float O half_recip(float a) { return 1.0f / a; }
VECTOR1(float, native_recip)
VECTOR1(float, half_recip)

#define INTEGER_EXPONENT(T, S)                                                                                       \
    T O ldexp(T a, int n) { return __builtin_ldexp##S(a, n); }                                                       \
    T O pown(T a, int n) { return __builtin_pow##S(a, (T)n); }                                                       \
    T O rootn(T a, int n) { return __builtin_pow##S(a, (T)1 / (T)n); }                                               \
    int O ilogb(T a) { return __builtin_ilogb##S(a); }                                                               \
    VECTOR2U(T, int, ldexp) VECTOR2U(T, int, pown) VECTOR2U(T, int, rootn) VECTOR1R(int, T, ilogb)
INTEGER_EXPONENT(float, f)
INTEGER_EXPONENT(double, )

#define LDEXP_SCALAR(T, N)                                                                                           \
    T##N O ldexp(T##N a, int n) { return ldexp(a, (int##N)n); }
ALL_N(LDEXP_SCALAR, float)
ALL_N(LDEXP_SCALAR, double)

float O nan(uint code) { return as_float(0x7fc00000 | (code & 0x3fffff)); }
double O nan(ulong code) { return as_double(0x7ff8000000000000 | (code & 0x7ffffffffffff)); }
VECTOR1R(float, uint, nan)
VECTOR1R(double, ulong, nan)

/* Relations. For true, a scalar's is 1 and a vector's elements are -1, as the operators' are. */
#define CLASSIFY(T)                                                                                                  \
    int O isnan(T a) { return __builtin_isnan(a); }                                                                  \
    int O isinf(T a) { return __builtin_isinf(a); }                                                                  \
    int O isfinite(T a) { return __builtin_isfinite(a); }                                                            \
    int O signbit(T a) { return __builtin_signbit(a) != 0; }
CLASSIFY(float)
CLASSIFY(double)
#define CLASSIFY_N(T, I, N)                                                                                          \
    I##N O isnan(T##N a) { return a != a; }                                                                          \
    I##N O isinf(T##N a) { return fabs(a) == (T##N)__builtin_inff(); }                                               \
    I##N O isfinite(T##N a) { return fabs(a) < (T##N)__builtin_inff(); }                                             \
    I##N O signbit(T##N a) { return as_##I##N(a) < (I##N)0; }
#define RELATION(T, R, F, E) R O F(T a, T b) { return E; }
#define RELATIONS(T, R, MIN)                                                                                         \
    R O isnormal(T a) { return (fabs(a) >= (T)MIN) & (fabs(a) < (T)__builtin_inff()); }                              \
    RELATION(T, R, isequal, a == b) RELATION(T, R, isnotequal, a != b) RELATION(T, R, isgreater, a > b)              \
    RELATION(T, R, isgreaterequal, a >= b) RELATION(T, R, isless, a < b) RELATION(T, R, islessequal, a <= b)         \
    RELATION(T, R, islessgreater, (a < b) | (a > b)) RELATION(T, R, isordered, (a == a) & (b == b))                  \
    RELATION(T, R, isunordered, (a != a) | (b != b))
#define FLOAT_RELATIONS(T, N) CLASSIFY_N(float, int, N) RELATIONS(float##N, int##N, FLT_MIN)
#define DOUBLE_RELATIONS(T, N) CLASSIFY_N(double, long, N) RELATIONS(double##N, long##N, DBL_MIN)
RELATIONS(float, int, FLT_MIN)
RELATIONS(double, int, DBL_MIN)
ALL_N(FLOAT_RELATIONS, )
ALL_N(DOUBLE_RELATIONS, )

#include "pointer.cl"

#define GEOMETRY(T)                                                                                                  \
    T O dot(T a, T b) { return a * b; }                                                                              \
    T O dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                                                        \
    T O dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                                            \
    T O dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }                                \
    T##3 O cross(T##3 a, T##3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }                                           \
    T##4 O cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), 0); }                                          \
    GEOMETRY_N(T, ) GEOMETRY_N(T, 2) GEOMETRY_N(T, 3) GEOMETRY_N(T, 4)
#define GEOMETRY_N(T, N)                                                                                             \
    T O length(T##N a) { return sqrt(dot(a, a)); }                                                                   \
    T O distance(T##N a, T##N b) { return length(a - b); }                                                           \
    T##N O normalize(T##N a) { return a / length(a); }
GEOMETRY(float)
GEOMETRY(double)
#define FAST(T, N)                                                                                                   \
    T O fast_length(T##N a) { return length(a); }                                                                    \
    T O fast_distance(T##N a, T##N b) { return distance(a, b); }                                                     \
    T##N O fast_normalize(T##N a) { return normalize(a); }
FAST(float, )
FAST(float, 2) FAST(float, 3) FAST(float, 4)
