/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of matrices by a warp, D = A B + C with A of M x K, B of K x N, and C and D of M x N. Shared by
 * cuda/mma.h and the runtime (matrix.c).
 *
 * Which lane holds an element is as NVIDIA's PTX ISA says for mma.m16n8k16 (section "Matrix fragments for
 * mma.m16n8k16"): with g = lane / 4 and t = lane % 4, A's elements of rows g and g + 8, and B's of columns g,
 * are groups of four bytes at 4 t, that is, of K from t * group on; a lane holds C's pairs of columns from 2
 * t on in these rows. A larger matrix is several of these blocks of 8. For M = 8, rows and columns change
 * places, as if the product were transposed. With elements of four bytes, it is the layout of mma.m16n8k8.
 */
#ifndef MP_RECORDER_MATRIX_H
#define MP_RECORDER_MATRIX_H

#define MATRIX_A 0u
#define MATRIX_B 1u
#define MATRIX_C 2u /* also D */

#define MATRIX_HALF  0u
#define MATRIX_FLOAT 1u
#define MATRIX_CHAR  2u
#define MATRIX_UCHAR 3u
#define MATRIX_INT   4u
#define MATRIX_BF16  5u
#define MATRIX_TF32  6u
#define MATRIX_TYPES 7u

struct recorder_shape {
    unsigned m, n, k, bytes; /* bytes: of an element of A and B */
};

/* What a lane brings: addresses of its fragments, and types of the elements of A and B, C, D. */
struct recorder_multiply {
    unsigned long a, b, c, d;
    struct recorder_shape shape;
    unsigned type, type_c, type_d;
    unsigned saturate; /* sums of integers end at the type's limits */
};

#ifdef __cplusplus
#define MATRIX_FUNCTION static __inline__ constexpr __attribute__((device, nodebug, always_inline, unused))
#else
#define MATRIX_FUNCTION static inline
#endif

/* Elements of a lane that are neighbours. */
MATRIX_FUNCTION unsigned matrix_group(unsigned part, struct recorder_shape s)
{
    return part == MATRIX_C ? 2 : 4 / s.bytes;
}

/* Whether they are in one row of the matrix, or else in one column. */
MATRIX_FUNCTION unsigned matrix_group_in_row(unsigned part, struct recorder_shape s)
{
    return part == MATRIX_A || (part == MATRIX_C && s.m != 8);
}

/* The index in groups' direction: K for A and B. */
MATRIX_FUNCTION unsigned matrix_inner(unsigned part, struct recorder_shape s, unsigned lane, unsigned i)
{
    return i / matrix_group(part, s) /
               ((part == MATRIX_A   ? s.m
                 : part == MATRIX_B ? s.n
                 : s.m == 8         ? s.n
                                    : s.m) /
                8) *
               4 * matrix_group(part, s) +
           lane % 4 * matrix_group(part, s) + i % matrix_group(part, s);
}

/* The other index: of blocks of 8, with the lane's g in each. */
MATRIX_FUNCTION unsigned matrix_outer(unsigned part, struct recorder_shape s, unsigned lane, unsigned i)
{
    return i / matrix_group(part, s) %
               ((part == MATRIX_A   ? s.m
                 : part == MATRIX_B ? s.n
                 : s.m == 8         ? s.n
                                    : s.m) /
                8) *
               8 +
           lane / 4;
}

MATRIX_FUNCTION unsigned matrix_row(unsigned part, struct recorder_shape s, unsigned lane, unsigned i)
{
    return matrix_group_in_row(part, s) ? matrix_outer(part, s, lane, i) : matrix_inner(part, s, lane, i);
}

MATRIX_FUNCTION unsigned matrix_col(unsigned part, struct recorder_shape s, unsigned lane, unsigned i)
{
    return matrix_group_in_row(part, s) ? matrix_inner(part, s, lane, i) : matrix_outer(part, s, lane, i);
}

#endif
