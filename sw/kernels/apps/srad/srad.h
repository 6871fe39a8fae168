/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_KERNELS_SRAD_H
#define MP_KERNELS_SRAD_H

#include "../../device.h"

struct srad_size {
    uint32_t rows, columns; /* columns of `rows` elements, one after another */
};

extern const float srad_lambda;

/* One iteration in double. coefficient has room for all elements. speckle: squared variation of the noise. */
void srad_step(double *image, double *coefficient, const struct srad_size *s, double speckle);

/* Rodinia's second version: two iterations over tiles of 16 x 16, without index arrays. */
enum app_result srad_by_tiles(struct device *d, const struct srad_size *s, uint64_t seed);

#endif
