/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix.h"

#include <stdint.h>
#include <string.h>

#include "bfloat.h"
#include "half.h"
#include "launch.h"

enum { MOST_SIDE = 32 };

/* Integers and reals; which of them is used follows from the type. */
struct number {
    int64_t integer;
    double real;
};

static struct number load(uint64_t at, unsigned type, unsigned i)
{
    const unsigned char *bytes = (const unsigned char *)(uintptr_t)at;
    uint16_t h;
    uint32_t w;
    float f;
    int32_t n;
    switch (type) {
    case MATRIX_HALF:
        memcpy(&h, bytes + 2 * i, sizeof h);
        return (struct number){0, (double)__gnu_h2f_ieee(h)};
    case MATRIX_FLOAT:
        memcpy(&f, bytes + 4 * i, sizeof f);
        return (struct number){0, (double)f};
    case MATRIX_BF16:
        memcpy(&h, bytes + 2 * i, sizeof h);
        return (struct number){0, (double)float_of_bf16(h)};
    case MATRIX_TF32: /* the other bits of a float are not looked at */
        memcpy(&w, bytes + 4 * i, sizeof w);
        w &= ~0x1fffu;
        memcpy(&f, &w, sizeof f);
        return (struct number){0, (double)f};
    case MATRIX_CHAR:
        return (struct number){(int8_t)bytes[i], 0};
    case MATRIX_UCHAR:
        return (struct number){bytes[i], 0};
    default:
        memcpy(&n, bytes + 4 * i, sizeof n);
        return (struct number){n, 0};
    }
}

static int32_t to_int(int64_t v, bool saturate)
{
    const int64_t most = v > INT32_MAX ? INT32_MAX : v;
    return saturate ? (int32_t)(most < INT32_MIN ? INT32_MIN : most) : (int32_t)(uint32_t)(uint64_t)v;
}

static void store(uint64_t at, unsigned type, unsigned i, struct number v, bool saturate)
{
    unsigned char *bytes = (unsigned char *)(uintptr_t)at;
    const uint16_t h = __truncdfhf2(v.real);
    const float f = (float)v.real;
    const int32_t n = to_int(v.integer, saturate);
    if (type == MATRIX_HALF)
        memcpy(bytes + 2 * i, &h, sizeof h);
    else if (type == MATRIX_FLOAT)
        memcpy(bytes + 4 * i, &f, sizeof f);
    else
        memcpy(bytes + 4 * i, &n, sizeof n);
}

struct matrix {
    struct number at[MOST_SIDE][MOST_SIDE];
};

/* Puts a part's elements of all lanes into a matrix. Those of lanes that do not take part are 0. */
static void gather(struct matrix *to, unsigned part, struct collective *const *lane,
                   struct recorder_shape shape, unsigned elements)
{
    for (unsigned l = 0; l < 32; l++) {
        const struct recorder_multiply *m =
            lane[l] ? (const struct recorder_multiply *)(uintptr_t)lane[l]->value : NULL;
        for (unsigned i = 0; m && i < elements; i++) {
            const uint64_t at = part == MATRIX_A ? m->a : part == MATRIX_B ? m->b : m->c;
            to->at[matrix_row(part, shape, l, i)][matrix_col(part, shape, l, i)] =
                load(at, part == MATRIX_C ? m->type_c : m->type, i);
        }
    }
}

/* The sum begins with C and adds products by ascending K, in float; CUDA leaves the order open. */
static struct number product(const struct matrix *a, const struct matrix *b, struct number c, unsigned row,
                             unsigned col, unsigned k)
{
    float real = (float)c.real;
    for (unsigned i = 0; i < k; i++) {
        real += (float)a->at[row][i].real * (float)b->at[i][col].real;
        c.integer += a->at[row][i].integer * b->at[i][col].integer;
    }
    c.real = (double)real;
    return c;
}

void multiply_matrices(struct collective *const lane[32])
{
    static struct matrix a, b, c; /* kernels run one at a time */
    const struct recorder_multiply *first = NULL;
    for (unsigned l = 0; l < 32 && !first; l++)
        first = lane[l] ? (const struct recorder_multiply *)(uintptr_t)lane[l]->value : NULL;
    const struct recorder_shape s = first->shape;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(&c, 0, sizeof c);
    gather(&a, MATRIX_A, lane, s, s.m * s.k / 32);
    gather(&b, MATRIX_B, lane, s, s.k * s.n / 32);
    gather(&c, MATRIX_C, lane, s, s.m * s.n / 32);
    for (unsigned l = 0; l < 32; l++) {
        const struct recorder_multiply *m =
            lane[l] ? (const struct recorder_multiply *)(uintptr_t)lane[l]->value : NULL;
        for (unsigned i = 0; m && i < s.m * s.n / 32; i++) {
            const unsigned row = matrix_row(MATRIX_C, s, l, i), col = matrix_col(MATRIX_C, s, l, i);
            store(m->d, m->type_d, i, product(&a, &b, c.at[row][col], row, col, s.k), m->saturate);
        }
    }
}
