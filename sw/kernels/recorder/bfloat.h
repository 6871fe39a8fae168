/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding to numbers of bf16 (8 bits of exponent and 7 of mantissa) and tf32 (8 and 10), which compiled
 * kernels call as one instruction (cuda/cuda_bf16.h, cuda/mma.h). A NaN becomes the one that CUDA returns. */
#ifndef MP_RECORDER_BFLOAT_H
#define MP_RECORDER_BFLOAT_H

#include <stdint.h>

/* The bits of the nearest bf16; of two, the one with an even mantissa. */
uint16_t record_bf16_of_float(float value);
uint16_t record_bf16_of_double(double value);
/* x * y + z, rounded once. */
uint16_t record_bf16_fma(uint16_t x, uint16_t y, uint16_t z);
float float_of_bf16(uint16_t bits);

/* The nearest tf32; of two, the larger magnitude, as cvt.rna of NVIDIA's PTX ISA. */
float record_tf32_of_float(float value);

#endif
