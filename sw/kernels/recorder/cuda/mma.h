/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensor cores of CUDA C++: nvcuda::wmma. CUDA does not say which lane holds which elements of a fragment.
 * Here it is the layout that NVIDIA's PTX ISA gives for mma.m16n8k16 (../matrix.h), so a load of a fragment
 * makes the accesses of that layout: neighbouring elements that a lane holds as a pair, or as four bytes, are
 * one access.
 */
#ifndef MP_RECORDER_MMA_H
#define MP_RECORDER_MMA_H

#include "cuda_fp16.h"

#include "../matrix.h"

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

/* Others are not defined, so that the error is at the line that needs one. */
constexpr bool recorder_has(unsigned part, int m, int n, int k, unsigned long bytes)
{
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) &&
           (bytes <= 2 || part == MATRIX_C);
}
template <typename Use, int M, int N, int K, typename T, typename Layout = void,
          bool There = recorder_has(Use::part, M, N, K, sizeof(T))>
struct fragment;
template <typename Use, int M, int N, int K, typename T, typename Layout>
struct fragment<Use, M, N, K, T, Layout, true> {
    static constexpr int num_elements = (Use::part == MATRIX_A   ? M * K
                                         : Use::part == MATRIX_B ? N * K
                                                                 : M * N) /
                                        32;
    /* A function, because a constant member would be a variable in device memory. */
    MATRIX_FUNCTION recorder_shape shape() { return {M, N, K, sizeof(T)}; }
    T x[num_elements] __attribute__((aligned(8)));
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
    typedef T pack __attribute__((ext_vector_type(group)));
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
    typedef T pack __attribute__((ext_vector_type(group)));
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
RECORDER_F void load_matrix_sync(fragment<U, M, N, K, T, L> &f, const T *from, unsigned stride)
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

template <typename T> struct recorder_element;
#define RECORDER_ELEMENT(T, N)                                                                               \
    template <> struct recorder_element<T> {                                                                 \
        static constexpr unsigned type = N;                                                                  \
    };
RECORDER_ELEMENT(__half, MATRIX_HALF)
RECORDER_ELEMENT(float, MATRIX_FLOAT)
RECORDER_ELEMENT(signed char, MATRIX_CHAR)
RECORDER_ELEMENT(unsigned char, MATRIX_UCHAR)
RECORDER_ELEMENT(int, MATRIX_INT)
#undef RECORDER_ELEMENT

/* The runtime takes the lanes' fragments from private memory. */
template <int M, int N, int K, typename D, typename T, typename LA, typename LB, typename C>
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
    const recorder_multiply m = {
        (unsigned long)&all.a,     (unsigned long)&all.b,     (unsigned long)&all.c,
        (unsigned long)&all.d,     {M, N, K, sizeof(T)},      recorder_element<T>::type,
        recorder_element<C>::type, recorder_element<D>::type, satf};
    recorder_together(COLLECTIVE_MATRIX, (unsigned long)&m, 0);
    d = all.d;
}

} // namespace wmma
} // namespace nvcuda

#endif
