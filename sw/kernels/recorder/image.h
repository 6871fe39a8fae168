/* SPDX-License-Identifier: Apache-2.0 */
/* An image as kernels see it: texels in a buffer of the device, row by row. Shared by the host and
 * builtins/image.cl. */
#ifndef MP_RECORDER_IMAGE_H
#define MP_RECORDER_IMAGE_H

/* Numbers of OpenCL's enumerations. */
#define IMAGE_SNORM8     0x10D0u
#define IMAGE_SNORM16    0x10D1u
#define IMAGE_UNORM8     0x10D2u
#define IMAGE_UNORM16    0x10D3u
#define IMAGE_SIGNED8    0x10D7u
#define IMAGE_SIGNED16   0x10D8u
#define IMAGE_SIGNED32   0x10D9u
#define IMAGE_UNSIGNED8  0x10DAu
#define IMAGE_UNSIGNED16 0x10DBu
#define IMAGE_UNSIGNED32 0x10DCu
#define IMAGE_HALF       0x10DDu
#define IMAGE_FLOAT      0x10DEu

#define IMAGE_R     0x10B0u
#define IMAGE_RG    0x10B2u
#define IMAGE_RGBA  0x10B5u
#define IMAGE_DEPTH 0x10BDu

#define SAMPLER_NORMALIZED    1u
#define SAMPLER_ADDRESS       0xeu
#define SAMPLER_CLAMP_TO_EDGE 2u
#define SAMPLER_CLAMP         4u
#define SAMPLER_REPEAT        6u
#define SAMPLER_MIRROR        8u
#define SAMPLER_NEAREST       0x10u
#define SAMPLER_LINEAR        0x20u

/* size: width, height (or layers of a 1D array), depth (or layers of a 2D array), at least 1 each. The levels
 * of a mipmap follow one another, each of half the size, rounded down, with all layers. The samples of a
 * texel follow one another. */
struct record_image {
    unsigned long data; /* host address of the first texel, in device memory */
    unsigned int size[3];
    unsigned int channels, type, order;
    unsigned int bytes; /* of a texel, or of one of its samples */
    unsigned int levels, samples;
    unsigned int sampler; /* of a texture of CUDA C++ */
};

#endif
