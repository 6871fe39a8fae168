/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images as buffers with addresses. The kernel's image is the address of a struct record_image, a sampler its flags; so
 * these functions take integers where clang's declarations have opaque pointers, and have the mangled names of those.
 * The description of an image is read from where GPUs have it, outside of device memory: only texels are recorded, one
 * access each.
 */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#include "../image.h"

typedef const __private struct record_image *image;

static __global char *texel(image i, int4 p)
{
    const ulong row = i->size[0], slice = row * i->size[1];
    return (__global char *)(i->data + (p.x + p.y * row + p.z * slice) * i->bytes);
}

#define LOAD(T, ONE)                                                                                                 \
    (i->channels == 4   ? *(const __global T##4 *)a                                                                  \
     : i->channels == 2 ? (T##4)(*(const __global T##2 *)a, 0, ONE)                                                  \
                        : (T##4)(*(const __global T *)a, 0, 0, ONE))
#define STORE(T, V)                                                                                                  \
    do {                                                                                                             \
        const T##4 v4 = V;                                                                                           \
        if (i->channels == 4)                                                                                        \
            *(__global T##4 *)a = v4;                                                                                \
        else if (i->channels == 2)                                                                                   \
            *(__global T##2 *)a = v4.xy;                                                                             \
        else                                                                                                         \
            *(__global T *)a = v4.x;                                                                                 \
    } while (0)

static float4 load_f(image i, int4 p)
{
    const __global char *a = texel(i, p);
    switch (i->type) {
    case IMAGE_HALF:
        return convert_float4(LOAD(half, 1));
    case IMAGE_UNORM8:
        return convert_float4(LOAD(uchar, 255)) / 255;
    case IMAGE_UNORM16:
        return convert_float4(LOAD(ushort, 65535)) / 65535;
    case IMAGE_SNORM8:
        return fmax(convert_float4(LOAD(char, 127)) / 127, -1.0f);
    case IMAGE_SNORM16:
        return fmax(convert_float4(LOAD(short, 32767)) / 32767, -1.0f);
    default:
        return LOAD(float, 1);
    }
}

static int4 load_i(image i, int4 p)
{
    const __global char *a = texel(i, p);
    switch (i->type) {
    case IMAGE_SIGNED8:
        return convert_int4(LOAD(char, 1));
    case IMAGE_SIGNED16:
        return convert_int4(LOAD(short, 1));
    default:
        return LOAD(int, 1);
    }
}

static uint4 load_ui(image i, int4 p)
{
    const __global char *a = texel(i, p);
    switch (i->type) {
    case IMAGE_UNSIGNED8:
        return convert_uint4(LOAD(uchar, 1));
    case IMAGE_UNSIGNED16:
        return convert_uint4(LOAD(ushort, 1));
    default:
        return LOAD(uint, 1);
    }
}

static void store_f(image i, int4 p, float4 v)
{
    __global char *a = texel(i, p);
    switch (i->type) {
    case IMAGE_HALF:
        STORE(half, convert_half4(v));
        break;
    case IMAGE_UNORM8:
        STORE(uchar, convert_uchar4_sat_rte(v * 255));
        break;
    case IMAGE_UNORM16:
        STORE(ushort, convert_ushort4_sat_rte(v * 65535));
        break;
    case IMAGE_SNORM8:
        STORE(char, convert_char4_sat_rte(v * 127));
        break;
    case IMAGE_SNORM16:
        STORE(short, convert_short4_sat_rte(v * 32767));
        break;
    default:
        STORE(float, v);
    }
}

static void store_i(image i, int4 p, int4 v)
{
    __global char *a = texel(i, p);
    switch (i->type) {
    case IMAGE_SIGNED8:
        STORE(char, convert_char4_sat(v));
        break;
    case IMAGE_SIGNED16:
        STORE(short, convert_short4_sat(v));
        break;
    default:
        STORE(int, v);
    }
}

static void store_ui(image i, int4 p, uint4 v)
{
    __global char *a = texel(i, p);
    switch (i->type) {
    case IMAGE_UNSIGNED8:
        STORE(uchar, convert_uchar4_sat(v));
        break;
    case IMAGE_UNSIGNED16:
        STORE(ushort, convert_ushort4_sat(v));
        break;
    default:
        STORE(uint, v);
    }
}

static half4 load_h(image i, int4 p) { return convert_half4(load_f(i, p)); }
static void store_h(image i, int4 p, half4 v) { store_f(i, p, convert_float4(v)); }

/* ---- samplers ---- */

/* A coordinate in texels by the sampler's address mode; -1: the border. */
static int wrap(int c, int size, uint s)
{
    switch (s & SAMPLER_ADDRESS) {
    case SAMPLER_CLAMP:
        return c < 0 || c >= size ? -1 : c;
    case SAMPLER_CLAMP_TO_EDGE:
        return clamp(c, 0, size - 1);
    case SAMPLER_REPEAT:
        return c < 0 ? c + size : c >= size ? c - size : c;
    case SAMPLER_MIRROR:
        return clamp(c, 0, size - 1);
    default:
        return c;
    }
}

/* A coordinate in texels, not rounded, of one that may be normalized. */
static float scale(float u, int size, uint s)
{
    if ((s & SAMPLER_ADDRESS) == SAMPLER_REPEAT)
        return (u - floor(u)) * size;
    if ((s & SAMPLER_ADDRESS) == SAMPLER_MIRROR)
        return fabs(u - 2 * rint(u / 2)) * size;
    return s & SAMPLER_NORMALIZED ? u * size : u;
}

/* dims: coordinates that a sampler rounds and wraps; the others are layers. */
static int4 place(image i, uint s, int4 p, int dims)
{
    p.x = wrap(p.x, i->size[0], s);
    p.y = dims > 1 ? wrap(p.y, i->size[1], s) : clamp(p.y, 0, (int)i->size[1] - 1);
    p.z = dims > 2 ? wrap(p.z, i->size[2], s) : clamp(p.z, 0, (int)i->size[2] - 1);
    return p;
}

static int4 nearest(image i, uint s, float4 u, int dims)
{
    int4 p;
    p.x = (int)floor(scale(u.x, i->size[0], s));
    p.y = (int)(dims > 1 ? floor(scale(u.y, i->size[1], s)) : rint(u.y));
    p.z = (int)(dims > 2 ? floor(scale(u.z, i->size[2], s)) : rint(u.z));
    p.w = 0;
    return place(i, s, p, dims);
}

static bool is_border(int4 p) { return p.x < 0 || p.y < 0 || p.z < 0; }

#define BORDER(T) (T)(0, 0, 0, i->channels == 4 ? 0 : 1)
#define SAMPLE(T, S)                                                                                                 \
    static T sample_##S(image i, int4 p) { return is_border(p) ? BORDER(T) : load_##S(i, p); }
SAMPLE(float4, f)
SAMPLE(int4, i)
SAMPLE(uint4, ui)

static float4 linear(image i, uint s, float4 u, int dims)
{
    const float4 t = (float4)(scale(u.x, i->size[0], s) - 0.5f, dims > 1 ? scale(u.y, i->size[1], s) - 0.5f : rint(u.y),
                              dims > 2 ? scale(u.z, i->size[2], s) - 0.5f : rint(u.z), 0);
    const float4 low = floor(t), part = t - low;
    float4 sum = 0;
    for (int k = 0; k < 1 << dims; k++) {
        const int4 step = (int4)(k & 1, k >> 1 & 1, k >> 2, 0);
        const float weight = (step.x ? part.x : 1 - part.x) * (dims < 2 ? 1 : step.y ? part.y : 1 - part.y) *
                             (dims < 3 ? 1 : step.z ? part.z : 1 - part.z);
        sum += weight * sample_f(i, place(i, s, convert_int4(low) + step, dims));
    }
    return sum;
}

static float4 read_at_f(image i, uint s, float4 u, int dims)
{
    return s & SAMPLER_LINEAR ? linear(i, s, u, dims) : sample_f(i, nearest(i, s, u, dims));
}

static half4 sample_h(image i, int4 p) { return convert_half4(sample_f(i, p)); }
static half4 read_at_h(image i, uint s, float4 u, int dims) { return convert_half4(read_at_f(i, s, u, dims)); }
static int4 read_at_i(image i, uint s, float4 u, int dims) { return sample_i(i, nearest(i, s, u, dims)); }
static uint4 read_at_ui(image i, uint s, float4 u, int dims) { return sample_ui(i, nearest(i, s, u, dims)); }

/* Depths are images of one number. */
static float load_d(image i, int4 p) { return load_f(i, p).x; }
static float sample_d(image i, int4 p) { return sample_f(i, p).x; }
static float read_at_d(image i, uint s, float4 u, int dims) { return read_at_f(i, s, u, dims).x; }
static void store_d(image i, int4 p, float v) { store_f(i, p, (float4)(v, 0, 0, 0)); }

/* A level of a mipmap as an image: the nearest one. dims: those that become smaller. */
static struct record_image level_of(image i, float lod, int dims)
{
    struct record_image l = *i;
    const uint level = (uint)clamp((int)rint(lod), 0, (int)i->levels - 1);
    for (uint n = 0; n < level; n++) {
        l.data += (ulong)l.bytes * l.size[0] * l.size[1] * l.size[2];
        for (int k = 0; k < dims; k++)
            l.size[k] = max(l.size[k] / 2, 1u);
    }
    return l;
}

/* The level of gradients of normalized coordinates: a texel of it is as large as the longer of the two. */
static float lod_of(image i, float4 x, float4 y, int dims)
{
    const float4 size = {i->size[0], dims > 1 ? i->size[1] : 0, dims > 2 ? i->size[2] : 0, 0};
    return log2(fmax(length(x * size), length(y * size)));
}

/* The samples of that number as an image, which are as far from each other as texels. */
static struct record_image samples_of(image i, int sample)
{
    struct record_image s = *i;
    s.data += (ulong)clamp(sample, 0, (int)i->samples - 1) * s.bytes;
    s.bytes *= s.samples;
    return s;
}

ulong record_sampler(uint flags) __asm("__translate_sampler_initializer");
ulong record_sampler(uint flags) { return flags; }

/* ---- the functions of OpenCL C ---- */

/* NAME: of the image's type, mangled without its access; V: of a coordinate's vector, Vi and Vf mangled; to4(c): it as
 * a vector of 4. */
#define READ(T, N, S, ID, NAME, Q, V, Vi, Vf, DIMS)                                                                  \
    T record_r##S##ID##Q(ulong i, ulong s, int##V c) __asm(N NAME #Q "11ocl_sampler" Vi);                            \
    T record_r##S##ID##Q(ulong i, ulong s, int##V c)                                                                 \
    {                                                                                                                \
        return sample_##S((image)i, place((image)i, (uint)s, TO4##V(int, c), DIMS));                                 \
    }                                                                                                                \
    T record_f##S##ID##Q(ulong i, ulong s, float##V c) __asm(N NAME #Q "11ocl_sampler" Vf);                          \
    T record_f##S##ID##Q(ulong i, ulong s, float##V c)                                                               \
    {                                                                                                                \
        return read_at_##S((image)i, (uint)s, TO4##V(float, c), DIMS);                                               \
    }
#define READ_PLAIN(T, N, S, ID, NAME, Q, V, Vi)                                                                      \
    T record_p##S##ID##Q(ulong i, int##V c) __asm(N NAME #Q Vi);                                                     \
    T record_p##S##ID##Q(ulong i, int##V c) { return load_##S((image)i, TO4##V(int, c)); }
#define WRITE(T, N, S, ID, NAME, Q, V, Vi, COLOUR)                                                                   \
    void record_w##S##ID##Q(ulong i, int##V c, T v) __asm(N NAME #Q Vi COLOUR);                                      \
    void record_w##S##ID##Q(ulong i, int##V c, T v) { store_##S((image)i, TO4##V(int, c), v); }
#define TO4(T, c)  (T##4)(c, 0, 0, 0)
#define TO42(T, c) (T##4)(c, 0, 0)
#define TO44(T, c) (T##4)(c.xyz, 0)

#define SAMPLED(ID, NAME, V, Vi, Vf, DIMS)                                                                           \
    READ(float4, "_Z11read_imagef", f, ID, NAME, ro, V, Vi, Vf, DIMS)                                                \
    READ(half4, "_Z11read_imageh", h, ID, NAME, ro, V, Vi, Vf, DIMS)                                                 \
    READ(int4, "_Z11read_imagei", i, ID, NAME, ro, V, Vi, Vf, DIMS)                                                  \
    READ(uint4, "_Z12read_imageui", ui, ID, NAME, ro, V, Vi, Vf, DIMS)
#define PLAIN(ID, NAME, Q, V, Vi)                                                                                    \
    READ_PLAIN(float4, "_Z11read_imagef", f, ID, NAME, Q, V, Vi)                                                     \
    READ_PLAIN(half4, "_Z11read_imageh", h, ID, NAME, Q, V, Vi)                                                      \
    READ_PLAIN(int4, "_Z11read_imagei", i, ID, NAME, Q, V, Vi)                                                       \
    READ_PLAIN(uint4, "_Z12read_imageui", ui, ID, NAME, Q, V, Vi)
/* SAME: an int4 as it is mangled behind the coordinates, which may be one, too. */
#define WRITES(ID, NAME, Q, V, Vi, SAME)                                                                             \
    WRITE(float4, "_Z12write_imagef", f, ID, NAME, Q, V, Vi, "Dv4_f")                                                \
    WRITE(half4, "_Z12write_imageh", h, ID, NAME, Q, V, Vi, "Dv4_Dh")                                                \
    WRITE(int4, "_Z12write_imagei", i, ID, NAME, Q, V, Vi, SAME)                                                     \
    WRITE(uint4, "_Z13write_imageui", ui, ID, NAME, Q, V, Vi, "Dv4_j")

#define ASK(R, F, N, ID, NAME, Q, E)                                                                                 \
    R record_##F##ID##Q(ulong i) __asm(N NAME #Q);                                                                   \
    R record_##F##ID##Q(ulong i) { return E; }
#define SIZE(n) (int)((image)i)->size[n]
#define ASK_ALL(ID, NAME, Q)                                                                                         \
    ASK(int, width, "_Z15get_image_width", ID, NAME, Q, SIZE(0))                                                     \
    ASK(int, type, "_Z27get_image_channel_data_type", ID, NAME, Q, (int)((image)i)->type)                            \
    ASK(int, order, "_Z23get_image_channel_order", ID, NAME, Q, (int)((image)i)->order)
#define ASK_FLAT(ID, NAME, Q)                                                                                        \
    ASK(int, height, "_Z16get_image_height", ID, NAME, Q, SIZE(1))                                                   \
    ASK(int2, dim, "_Z13get_image_dim", ID, NAME, Q, ((int2)(SIZE(0), SIZE(1))))
#define ASK_SOLID(ID, NAME, Q)                                                                                       \
    ASK(int, height, "_Z16get_image_height", ID, NAME, Q, SIZE(1))                                                   \
    ASK(int, depth, "_Z15get_image_depth", ID, NAME, Q, SIZE(2))                                                     \
    ASK(int4, dim, "_Z13get_image_dim", ID, NAME, Q, ((int4)(SIZE(0), SIZE(1), SIZE(2), 0)))
#define ASK_LAYERS(ID, NAME, Q, n) ASK(ulong, layers, "_Z20get_image_array_size", ID, NAME, Q, ((image)i)->size[n])

#define ACCESSES(M, ...) M(__VA_ARGS__, ro) M(__VA_ARGS__, wo) M(__VA_ARGS__, rw)
#define ALL(ID, NAME, V, Vi, SAME)                                                                                   \
    PLAIN(ID, NAME, ro, V, Vi) PLAIN(ID, NAME, rw, V, Vi) WRITES(ID, NAME, wo, V, Vi, SAME)                          \
    WRITES(ID, NAME, rw, V, Vi, SAME) ACCESSES(ASK_ALL, ID, NAME)

ALL(1d, "14ocl_image1d_", , "i", "Dv4_i")
SAMPLED(1d, "14ocl_image1d_", , "i", "f", 1)
ALL(1dbuffer, "21ocl_image1d_buffer_", , "i", "Dv4_i")
ALL(2d, "14ocl_image2d_", 2, "Dv2_i", "Dv4_i")
SAMPLED(2d, "14ocl_image2d_", 2, "Dv2_i", "Dv2_f", 2)
ACCESSES(ASK_FLAT, 2d, "14ocl_image2d_")
ALL(3d, "14ocl_image3d_", 4, "Dv4_i", "S0_")
SAMPLED(3d, "14ocl_image3d_", 4, "Dv4_i", "Dv4_f", 3)
ACCESSES(ASK_SOLID, 3d, "14ocl_image3d_")
ALL(1darray, "20ocl_image1d_array_", 2, "Dv2_i", "Dv4_i")
SAMPLED(1darray, "20ocl_image1d_array_", 2, "Dv2_i", "Dv2_f", 1)
ALL(2darray, "20ocl_image2d_array_", 4, "Dv4_i", "S0_")
SAMPLED(2darray, "20ocl_image2d_array_", 4, "Dv4_i", "Dv4_f", 2)
ACCESSES(ASK_FLAT, 2darray, "20ocl_image2d_array_")
#define LAYERS_1D(ID, NAME, Q) ASK_LAYERS(ID, NAME, Q, 1)
#define LAYERS_2D(ID, NAME, Q) ASK_LAYERS(ID, NAME, Q, 2)
ACCESSES(LAYERS_1D, 1darray, "20ocl_image1d_array_")
ACCESSES(LAYERS_2D, 2darray, "20ocl_image2d_array_")

/* ---- depths ---- */

#define DEPTH(ID, NAME, V, Vi)                                                                                       \
    READ_PLAIN(float, "_Z11read_imagef", d, ID, NAME, ro, V, Vi)                                                     \
    READ_PLAIN(float, "_Z11read_imagef", d, ID, NAME, rw, V, Vi)                                                     \
    WRITE(float, "_Z12write_imagef", d, ID, NAME, wo, V, Vi, "f")                                                    \
    WRITE(float, "_Z12write_imagef", d, ID, NAME, rw, V, Vi, "f")                                                    \
    ACCESSES(ASK_ALL, ID, NAME) ACCESSES(ASK_FLAT, ID, NAME)
DEPTH(2ddepth, "20ocl_image2d_depth_", 2, "Dv2_i")
READ(float, "_Z11read_imagef", d, 2ddepth, "20ocl_image2d_depth_", ro, 2, "Dv2_i", "Dv2_f", 2)
DEPTH(2darraydepth, "26ocl_image2d_array_depth_", 4, "Dv4_i")
READ(float, "_Z11read_imagef", d, 2darraydepth, "26ocl_image2d_array_depth_", ro, 4, "Dv4_i", "Dv4_f", 2)
ACCESSES(LAYERS_2D, 2darraydepth, "26ocl_image2d_array_depth_")

/* ---- several samples ---- */

#define READ_SAMPLE(T, N, S, ID, NAME, V, Vi, Q)                                                                     \
    T record_m##S##ID##Q(ulong i, int##V c, int sample) __asm(N NAME #Q Vi "i");                                     \
    T record_m##S##ID##Q(ulong i, int##V c, int sample)                                                              \
    {                                                                                                                \
        const struct record_image samples = samples_of((image)i, sample);                                            \
        return load_##S(&samples, TO4##V(int, c));                                                                   \
    }
#define READ_SAMPLES(T, N, S, ID, NAME, V, Vi)                                                                       \
    READ_SAMPLE(T, N, S, ID, NAME, V, Vi, ro) READ_SAMPLE(T, N, S, ID, NAME, V, Vi, rw)
#define ASK_SAMPLES(ID, NAME, Q) ASK(int, samples, "_Z21get_image_num_samples", ID, NAME, Q, (int)((image)i)->samples)
#define SAMPLES(ID, NAME) ACCESSES(ASK_ALL, ID, NAME) ACCESSES(ASK_FLAT, ID, NAME) ACCESSES(ASK_SAMPLES, ID, NAME)
#define COLOURS(ID, NAME, V, Vi)                                                                                     \
    READ_SAMPLES(float4, "_Z11read_imagef", f, ID, NAME, V, Vi)                                                      \
    READ_SAMPLES(int4, "_Z11read_imagei", i, ID, NAME, V, Vi)                                                        \
    READ_SAMPLES(uint4, "_Z12read_imageui", ui, ID, NAME, V, Vi) SAMPLES(ID, NAME)
COLOURS(2dmsaa, "19ocl_image2d_msaa_", 2, "Dv2_i")
COLOURS(2darraymsaa, "25ocl_image2d_array_msaa_", 4, "Dv4_i")
ACCESSES(LAYERS_2D, 2darraymsaa, "25ocl_image2d_array_msaa_")
READ_SAMPLES(float, "_Z11read_imagef", d, 2dmsaadepth, "25ocl_image2d_msaa_depth_", 2, "Dv2_i")
SAMPLES(2dmsaadepth, "25ocl_image2d_msaa_depth_")
READ_SAMPLES(float, "_Z11read_imagef", d, 2darraymsaadepth, "31ocl_image2d_array_msaa_depth_", 4, "Dv4_i")
SAMPLES(2darraymsaadepth, "31ocl_image2d_array_msaa_depth_")
ACCESSES(LAYERS_2D, 2darraymsaadepth, "31ocl_image2d_array_msaa_depth_")

/* ---- mipmaps ---- */

/* G: of a gradient's vector; Gm: two of them, mangled. */
#define READ_LEVEL(T, N, S, ID, NAME, V, Vf, G, Gm, DIMS)                                                            \
    T record_l##S##ID(ulong i, ulong s, float##V c, float lod) __asm(N NAME "ro11ocl_sampler" Vf "f");               \
    T record_l##S##ID(ulong i, ulong s, float##V c, float lod)                                                       \
    {                                                                                                                \
        const struct record_image l = level_of((image)i, lod, DIMS);                                                 \
        return read_at_##S(&l, (uint)s, TO4##V(float, c), DIMS);                                                     \
    }                                                                                                                \
    T record_g##S##ID(ulong i, ulong s, float##V c, float##G x, float##G y) __asm(N NAME "ro11ocl_sampler" Vf Gm);   \
    T record_g##S##ID(ulong i, ulong s, float##V c, float##G x, float##G y)                                          \
    {                                                                                                                \
        return record_l##S##ID(i, s, c, lod_of((image)i, TO4##G(float, x), TO4##G(float, y), DIMS));                 \
    }
#define WRITE_LEVEL(T, N, S, ID, NAME, V, Vi, COLOUR, DIMS)                                                          \
    void record_v##S##ID(ulong i, int##V c, int lod, T v) __asm(N NAME "wo" Vi "i" COLOUR);                          \
    void record_v##S##ID(ulong i, int##V c, int lod, T v)                                                            \
    {                                                                                                                \
        const struct record_image l = level_of((image)i, lod, DIMS);                                                 \
        store_##S(&l, TO4##V(int, c), v);                                                                            \
    }
#define ASK_LEVELS(ID, NAME, Q) ASK(int, levels, "_Z24get_image_num_mip_levels", ID, NAME, Q, (int)((image)i)->levels)
#define LEVELS(ID, NAME, V, Vi, Vf, SAME, G, Gm, DIMS)                                                               \
    READ_LEVEL(float4, "_Z11read_imagef", f, ID, NAME, V, Vf, G, Gm, DIMS)                                           \
    READ_LEVEL(int4, "_Z11read_imagei", i, ID, NAME, V, Vf, G, Gm, DIMS)                                             \
    READ_LEVEL(uint4, "_Z12read_imageui", ui, ID, NAME, V, Vf, G, Gm, DIMS)                                          \
    WRITE_LEVEL(float4, "_Z12write_imagef", f, ID, NAME, V, Vi, "Dv4_f", DIMS)                                       \
    WRITE_LEVEL(int4, "_Z12write_imagei", i, ID, NAME, V, Vi, SAME, DIMS)                                            \
    WRITE_LEVEL(uint4, "_Z13write_imageui", ui, ID, NAME, V, Vi, "Dv4_j", DIMS) ACCESSES(ASK_LEVELS, ID, NAME)
LEVELS(1d, "14ocl_image1d_", , "i", "f", "Dv4_i", , "ff", 1)
LEVELS(2d, "14ocl_image2d_", 2, "Dv2_i", "Dv2_f", "Dv4_i", 2, "S1_S1_", 2)
LEVELS(3d, "14ocl_image3d_", 4, "Dv4_i", "Dv4_f", "S0_", 4, "S1_S1_", 3)
LEVELS(1darray, "20ocl_image1d_array_", 2, "Dv2_i", "Dv2_f", "Dv4_i", , "ff", 1)
LEVELS(2darray, "20ocl_image2d_array_", 4, "Dv4_i", "Dv4_f", "S0_", 2, "Dv2_fS2_", 2)
#define DEPTH_LEVELS(ID, NAME, V, Vi, Vf, Gm)                                                                        \
    READ_LEVEL(float, "_Z11read_imagef", d, ID, NAME, V, Vf, 2, Gm, 2)                                               \
    WRITE_LEVEL(float, "_Z12write_imagef", d, ID, NAME, V, Vi, "f", 2) ACCESSES(ASK_LEVELS, ID, NAME)
DEPTH_LEVELS(2ddepth, "20ocl_image2d_depth_", 2, "Dv2_i", "Dv2_f", "S1_S1_")
DEPTH_LEVELS(2darraydepth, "26ocl_image2d_array_depth_", 4, "Dv4_i", "Dv4_f", "Dv2_fS2_")
