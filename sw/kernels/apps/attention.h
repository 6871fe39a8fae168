/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of one query, in double precision: what the results of kernels are compared with. */
#ifndef MP_KERNELS_ATTENTION_H
#define MP_KERNELS_ATTENTION_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ATTENTION_HEAD = 64 }; /* numbers of a key, a value or a query */

/* Writes the attention of query `q` to `tokens` tokens. Token t's key and value are at keys + at[t] and
 * values + at[t]. score: room for a number per token. */
static inline void attention(const float *q, const float *keys, const float *values, const size_t *at,
                             uint32_t tokens, double *score, double out[ATTENTION_HEAD])
{
    double weights = 0, most = -INFINITY;
    memset(out, 0, ATTENTION_HEAD * sizeof *out);
    for (uint32_t t = 0; t < tokens; t++) {
        score[t] = 0;
        for (uint32_t k = 0; k < ATTENTION_HEAD; k++)
            score[t] += (double)q[k] * keys[at[t] + k] / 8; /* the root of ATTENTION_HEAD */
        most = fmax(most, score[t]);
    }
    for (uint32_t t = 0; t < tokens; t++) {
        const double weight = exp(score[t] - most);
        weights += weight;
        for (uint32_t k = 0; k < ATTENTION_HEAD; k++)
            out[k] += weight * values[at[t] + k];
    }
    for (uint32_t k = 0; k < ATTENTION_HEAD; k++)
        out[k] /= weights;
}

#endif
