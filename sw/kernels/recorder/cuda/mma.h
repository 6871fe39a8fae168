/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensor cores of CUDA C++: nvcuda::wmma. CUDA does not say which lane holds which elements of a fragment.
 * Here it is the layout that NVIDIA's PTX ISA gives for mma.m16n8k16 (../matrix.h), so a load of a fragment
 * makes the accesses of that layout: neighbouring elements that a lane holds as a pair, or as four bytes, are
 * one access.
 */
#ifndef MP_RECORDER_MMA_H
#define MP_RECORDER_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#include "../matrix.h"

RECORDER_RUNTIME float record_tf32_of_float(float);

namespace nvcuda
{
namespace wmma
{

struct matrix_a {
    static constexpr unsigned part = MATRIX_A;
};
struct matrix_b {
    static constexpr unsigned part = MATRIX_B;
};
struct accumulator {
    static constexpr unsigned part = MATRIX_C;
};
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision
{
struct tf32;
}
RECORDER_F float __float_to_tf32(float v)
{
    return record_tf32_of_float(v);
}

/* A type of elements: its number for the runtime, what a fragment and memory hold, and a word of that size.
 */
template <typename T> struct recorder_element {
    static constexpr unsigned type = MATRIX_TYPES;
    typedef T stored;
};
#define RECORDER_ELEMENT(T, NUMBER, STORED, WORD)                                                            \
    template <> struct recorder_element<T> {                                                                 \
        static constexpr unsigned type = NUMBER;                                                             \
        typedef STORED stored;                                                                               \
        typedef WORD word;                                                                                   \
    };
RECORDER_ELEMENT(__half, MATRIX_HALF, __half, __half)
RECORDER_ELEMENT(__nv_bfloat16, MATRIX_BF16, __nv_bfloat16, unsigned short)
RECORDER_ELEMENT(precision::tf32, MATRIX_TF32, float, float)
RECORDER_ELEMENT(float, MATRIX_FLOAT, float, float)
RECORDER_ELEMENT(signed char, MATRIX_CHAR, signed char, signed char)
RECORDER_ELEMENT(unsigned char, MATRIX_UCHAR, unsigned char, unsigned char)
RECORDER_ELEMENT(int, MATRIX_INT, int, int)
#undef RECORDER_ELEMENT

/* Others are not defined, so that the error is at the line that needs one. */
constexpr bool recorder_has(unsigned part, int m, int n, int k, unsigned type)
{
    const bool sum = part == MATRIX_C, k8 = k == 8 && m == 16 && n == 16,
               k16 = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
    switch (type) {
    case MATRIX_HALF:
        return k16;
    case MATRIX_BF16:
    case MATRIX_CHAR:
    case MATRIX_UCHAR:
        return k16 && !sum;
    case MATRIX_TF32:
        return k8 && !sum;
    case MATRIX_FLOAT:
        return (k8 || k16) && sum;
    case MATRIX_INT:
        return k16 && sum;
    default:
        return false;
    }
}
/* Whether products of elements of a type are added in the other one; for mma_sync, which is not there
 * otherwise. */
constexpr bool recorder_adds(unsigned type, unsigned sum)
{
    return type == MATRIX_CHAR || type == MATRIX_UCHAR
               ? sum == MATRIX_INT
               : sum == MATRIX_FLOAT || (type == MATRIX_HALF && sum == MATRIX_HALF);
}
template <bool> struct recorder_if {
};
template <> struct recorder_if<true> {
    typedef void type;
};
template <typename Use, int M, int N, int K, typename T, typename Layout = void,
          bool There = recorder_has(Use::part, M, N, K, recorder_element<T>::type)>
struct fragment;
template <typename Use, int M, int N, int K, typename T, typename Layout>
struct fragment<Use, M, N, K, T, Layout, true> {
    static constexpr int num_elements = (Use::part == MATRIX_A   ? M * K
                                         : Use::part == MATRIX_B ? N * K
                                                                 : M * N) /
                                        32;
    typedef typename recorder_element<T>::stored stored;
    typedef typename recorder_element<T>::word word;
    /* A function, because a constant member would be a variable in device memory. */
    MATRIX_FUNCTION recorder_shape shape() { return {M, N, K, sizeof(stored)}; }
    stored x[num_elements] __attribute__((aligned(8)));
};

template <typename F, typename T> RECORDER_F void fill_fragment(F &f, T v)
{
    for (int i = 0; i < F::num_elements; i++)
        f.x[i] = v;
}

/* The elements that a lane holds as a group lie in memory one after the other if the layout's fast index is
 * theirs. */
template <unsigned PART, bool ROWS, typename F, typename T>
RECORDER_F void recorder_load(F &f, const T *from, unsigned stride)
{
    constexpr unsigned group = matrix_group(PART, F::shape());
    constexpr bool together = ROWS == matrix_group_in_row(PART, F::shape());
    typedef typename F::word pack __attribute__((ext_vector_type(group)));
    const unsigned lane = record_cuda_lane();
#pragma unroll
    for (unsigned i = 0; i < F::num_elements; i += group) {
        if (together) {
            const unsigned row = matrix_row(PART, F::shape(), lane, i),
                           col = matrix_col(PART, F::shape(), lane, i);
            *(pack *)(void *)&f.x[i] =
                *(const pack *)(const void *)(from + (ROWS ? row * stride + col : col * stride + row));
        } else
#pragma unroll
            for (unsigned k = i; k < i + group; k++) {
                const unsigned row = matrix_row(PART, F::shape(), lane, k),
                               col = matrix_col(PART, F::shape(), lane, k);
                f.x[k] = from[ROWS ? row * stride + col : col * stride + row];
            }
    }
}
template <bool ROWS, typename F, typename T>
RECORDER_F void recorder_store(T *to, const F &f, unsigned stride)
{
    constexpr unsigned group = matrix_group(MATRIX_C, F::shape());
    constexpr bool together = ROWS == matrix_group_in_row(MATRIX_C, F::shape());
    typedef typename F::word pack __attribute__((ext_vector_type(group)));
    const unsigned lane = record_cuda_lane();
#pragma unroll
    for (unsigned i = 0; i < F::num_elements; i += group) {
        if (together) {
            const unsigned row = matrix_row(MATRIX_C, F::shape(), lane, i),
                           col = matrix_col(MATRIX_C, F::shape(), lane, i);
            *(pack *)(void *)(to + (ROWS ? row * stride + col : col * stride + row)) =
                *(const pack *)(const void *)&f.x[i];
        } else
#pragma unroll
            for (unsigned k = i; k < i + group; k++) {
                const unsigned row = matrix_row(MATRIX_C, F::shape(), lane, k),
                               col = matrix_col(MATRIX_C, F::shape(), lane, k);
                to[ROWS ? row * stride + col : col * stride + row] = f.x[k];
            }
    }
}

template <typename L> struct recorder_is_rows;
template <> struct recorder_is_rows<row_major> {
    static constexpr bool value = true;
};
template <> struct recorder_is_rows<col_major> {
    static constexpr bool value = false;
};
template <typename U, int M, int N, int K, typename T, typename L>
RECORDER_F void load_matrix_sync(fragment<U, M, N, K, T, L> &f,
                                 const typename recorder_element<T>::stored *from, unsigned stride)
{
    recorder_load<U::part, recorder_is_rows<L>::value>(f, from, stride);
}
template <int M, int N, int K, typename T>
RECORDER_F void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned stride,
                                 layout_t layout)
{
    if (layout == mem_row_major)
        recorder_load<MATRIX_C, true>(f, from, stride);
    else
        recorder_load<MATRIX_C, false>(f, from, stride);
}
template <int M, int N, int K, typename T>
RECORDER_F void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned stride,
                                  layout_t layout)
{
    if (layout == mem_row_major)
        recorder_store<true>(to, f, stride);
    else
        recorder_store<false>(to, f, stride);
}

/* The runtime takes the lanes' fragments from private memory. */
template <int M, int N, int K, typename D, typename T, typename LA, typename LB, typename C,
          typename =
              typename recorder_if<recorder_adds(recorder_element<T>::type, recorder_element<C>::type) &&
                                   recorder_adds(recorder_element<T>::type, recorder_element<D>::type)>::type>
RECORDER_F void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a,
                         const fragment<matrix_b, M, N, K, T, LB> &b,
                         const fragment<accumulator, M, N, K, C> &c, bool satf = false)
{
    struct {
        fragment<matrix_a, M, N, K, T, LA> a;
        fragment<matrix_b, M, N, K, T, LB> b;
        fragment<accumulator, M, N, K, C> c;
        fragment<accumulator, M, N, K, D> d;
    } all = {a, b, c, {}};
    const recorder_multiply m = {(unsigned long)&all.a,
                                 (unsigned long)&all.b,
                                 (unsigned long)&all.c,
                                 (unsigned long)&all.d,
                                 a.shape(),
                                 recorder_element<T>::type,
                                 recorder_element<C>::type,
                                 recorder_element<D>::type,
                                 satf};
    recorder_together(COLLECTIVE_MATRIX, (unsigned long)&m, 0);
    d = all.d;
}

} // namespace wmma
} // namespace nvcuda

#endif
