/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Textures and surfaces of CUDA C++. An object is the address of a struct record_image (../image.h), which
 * the host makes from --arg image:...; texels are read by the functions of OpenCL C's images
 * (../builtins/image.cl).
 */
#ifndef MP_RECORDER_TEXTURE_H
#define MP_RECORDER_TEXTURE_H

#include "../image.h"

typedef unsigned long long cudaTextureObject_t, cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };

/* It is outside of device memory, so its accesses are not recorded. */
typedef const __attribute__((address_space(0))) record_image *recorder_image;
RECORDER_F unsigned long recorder_sampler(unsigned long long t)
{
    return ((recorder_image)t)->sampler;
}

typedef float recorder_f1, recorder_f2 __attribute__((ext_vector_type(2))),
    recorder_f4 __attribute__((ext_vector_type(4)));
typedef int recorder_i1, recorder_i2 __attribute__((ext_vector_type(2))),
    recorder_i4 __attribute__((ext_vector_type(4)));
typedef unsigned recorder_u4 __attribute__((ext_vector_type(4)));

/* Reads a texel as float4, int4 or uint4: by the sampler, from a level, or without a sampler. */
#define RECORDER_READ(R, S, N, ID, NAME, V, VM)                                                              \
    __attribute__((device)) R recorder_##S##ID(unsigned long t, unsigned long s,                             \
                                               recorder_f##V c) __asm(N NAME "ro11ocl_sampler" VM);          \
    __attribute__((device)) R recorder_l##S##ID(unsigned long t, unsigned long s, recorder_f##V c,           \
                                                float lod) __asm(N NAME "ro11ocl_sampler" VM "f");
#define RECORDER_READS(ID, NAME, V, VM)                                                                      \
    RECORDER_READ(recorder_f4, f, "_Z11read_imagef", ID, NAME, V, VM)                                        \
    RECORDER_READ(recorder_i4, i, "_Z11read_imagei", ID, NAME, V, VM)                                        \
    RECORDER_READ(recorder_u4, u, "_Z12read_imageui", ID, NAME, V, VM)
RECORDER_READS(1d, "14ocl_image1d_", 1, "f")
RECORDER_READS(2d, "14ocl_image2d_", 2, "Dv2_f")
RECORDER_READS(3d, "14ocl_image3d_", 4, "Dv4_f")
RECORDER_READS(1dl, "20ocl_image1d_array_", 2, "Dv2_f")
RECORDER_READS(2dl, "20ocl_image2d_array_", 4, "Dv4_f")
__attribute__((device)) recorder_f4 recorder_pf(unsigned long t,
                                                int x) __asm("_Z11read_imagef21ocl_image1d_buffer_roi");
__attribute__((device)) recorder_i4 recorder_pi(unsigned long t,
                                                int x) __asm("_Z11read_imagei21ocl_image1d_buffer_roi");
__attribute__((device)) recorder_u4 recorder_pu(unsigned long t,
                                                int x) __asm("_Z12read_imageui21ocl_image1d_buffer_roi");
#undef RECORDER_READS
#undef RECORDER_READ

/* What a type of texels is made of: KIND f, i or u. */
template <typename T> struct recorder_texel;
#define RECORDER_TEXEL(T, KIND, ...)                                                                         \
    template <> struct recorder_texel<T> {                                                                   \
        RECORDER_F T of(recorder_##KIND##4 v) { return {__VA_ARGS__}; }                                      \
        RECORDER_F T fetch(unsigned long t, int x) { return of(recorder_p##KIND(t, x)); }                    \
        RECORDER_F T t1(unsigned long t, float x)                                                            \
        {                                                                                                    \
            return of(recorder_##KIND##1d(t, recorder_sampler(t), x));                                       \
        }                                                                                                    \
        RECORDER_F T t2(unsigned long t, recorder_f2 c)                                                      \
        {                                                                                                    \
            return of(recorder_##KIND##2d(t, recorder_sampler(t), c));                                       \
        }                                                                                                    \
        RECORDER_F T t3(unsigned long t, recorder_f4 c)                                                      \
        {                                                                                                    \
            return of(recorder_##KIND##3d(t, recorder_sampler(t), c));                                       \
        }                                                                                                    \
        RECORDER_F T t1l(unsigned long t, recorder_f2 c)                                                     \
        {                                                                                                    \
            return of(recorder_##KIND##1dl(t, recorder_sampler(t), c));                                      \
        }                                                                                                    \
        RECORDER_F T t2l(unsigned long t, recorder_f4 c)                                                     \
        {                                                                                                    \
            return of(recorder_##KIND##2dl(t, recorder_sampler(t), c));                                      \
        }                                                                                                    \
        RECORDER_F T lod(unsigned long t, recorder_f2 c, float l)                                            \
        {                                                                                                    \
            return of(recorder_l##KIND##2d(t, recorder_sampler(t), c, l));                                   \
        }                                                                                                    \
    };
#define RECORDER_TEXELS(T, S, KIND)                                                                          \
    RECORDER_TEXEL(T, KIND, (T)v.x)                                                                          \
    RECORDER_TEXEL(S##1, KIND, (T)v.x)                                                                       \
    RECORDER_TEXEL(S##2, KIND, (T)v.x, (T)v.y)                                                               \
    RECORDER_TEXEL(S##4, KIND, (T)v.x, (T)v.y, (T)v.z, (T)v.w)
RECORDER_TEXELS(float, float, f)
RECORDER_TEXELS(int, int, i)
RECORDER_TEXELS(short, short, i)
RECORDER_TEXELS(signed char, char, i)
RECORDER_TEXELS(unsigned, uint, u)
RECORDER_TEXELS(unsigned short, ushort, u)
RECORDER_TEXELS(unsigned char, uchar, u)
#undef RECORDER_TEXELS
#undef RECORDER_TEXEL

template <typename T> RECORDER_F T tex1Dfetch(cudaTextureObject_t t, int x)
{
    return recorder_texel<T>::fetch(t, x);
}
template <typename T> RECORDER_F T tex1D(cudaTextureObject_t t, float x)
{
    return recorder_texel<T>::t1(t, x);
}
template <typename T> RECORDER_F T tex2D(cudaTextureObject_t t, float x, float y)
{
    return recorder_texel<T>::t2(t, recorder_f2{x, y});
}
template <typename T> RECORDER_F T tex3D(cudaTextureObject_t t, float x, float y, float z)
{
    return recorder_texel<T>::t3(t, recorder_f4{x, y, z, 0});
}
template <typename T> RECORDER_F T tex1DLayered(cudaTextureObject_t t, float x, int layer)
{
    return recorder_texel<T>::t1l(t, recorder_f2{x, (float)layer});
}
template <typename T> RECORDER_F T tex2DLayered(cudaTextureObject_t t, float x, float y, int layer)
{
    return recorder_texel<T>::t2l(t, recorder_f4{x, y, (float)layer, 0});
}
template <typename T> RECORDER_F T tex2DLod(cudaTextureObject_t t, float x, float y, float level)
{
    return recorder_texel<T>::lod(t, recorder_f2{x, y}, level);
}

/* ---- surfaces: x in bytes, without conversions ---- */

template <typename T>
RECORDER_F __attribute__((address_space(1))) T *recorder_at(cudaSurfaceObject_t s, int x, int y, int z)
{
    const recorder_image i = (recorder_image)s;
    const unsigned long row = (unsigned long)i->size[0] * i->bytes;
    return (__attribute__((address_space(1)))
            T *)(i->data + (unsigned long)x + ((unsigned long)z * i->size[1] + (unsigned long)y) * row);
}
#define RECORDER_SURFACE(NAME, PLACE, ...)                                                                   \
    template <typename T>                                                                                    \
    RECORDER_F T NAME##read(cudaSurfaceObject_t s, __VA_ARGS__,                                              \
                            cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)                                  \
    {                                                                                                        \
        T v;                                                                                                 \
        __builtin_memcpy(&v, (const T *)recorder_at<T> PLACE, sizeof v);                                     \
        return v;                                                                                            \
    }                                                                                                        \
    template <typename T>                                                                                    \
    RECORDER_F void NAME##read(T *v, cudaSurfaceObject_t s, __VA_ARGS__,                                     \
                               cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)                               \
    {                                                                                                        \
        __builtin_memcpy(v, (const T *)recorder_at<T> PLACE, sizeof *v);                                     \
    }                                                                                                        \
    template <typename T>                                                                                    \
    RECORDER_F void NAME##write(T v, cudaSurfaceObject_t s, __VA_ARGS__,                                     \
                                cudaSurfaceBoundaryMode = cudaBoundaryModeTrap)                              \
    {                                                                                                        \
        __builtin_memcpy((T *)recorder_at<T> PLACE, &v, sizeof v);                                           \
    }
RECORDER_SURFACE(surf1D, (s, x, 0, 0), int x)
RECORDER_SURFACE(surf2D, (s, x, y, 0), int x, int y)
RECORDER_SURFACE(surf3D, (s, x, y, z), int x, int y, int z)
RECORDER_SURFACE(surf2DLayered, (s, x, y, layer), int x, int y, int layer)
#undef RECORDER_SURFACE

#endif
