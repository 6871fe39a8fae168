// SPDX-License-Identifier: Apache-2.0
// Products of matrices with tensor cores, compared with loops.
#include <mma.h>

#include "expect.h"

using namespace nvcuda;

// C (m x n, rows) = A (m x k, rows) B (k x n, columns) by one warp for each tile of 16 x 16.
__global__ void multiply(const half *a, const half *b, float *c, int m, int n, int k)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    const int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k); // line 18
        wmma::load_matrix_sync(fb, b + col * k + i, k); // line 19
        wmma::mma_sync(sum, fa, fb, sum);
    }
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] *= 2;
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major); // line 24
}

__global__ void check(const half *a, const half *b, const float *c, int m, int n, int k)
{
    const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += (float)a[row * k + i] * (float)b[col * k + i];
    EXPECT(c[row * n + col] == 2 * sum);
}

template <typename L> struct rows_of {
    static constexpr bool value = false;
};
template <> struct rows_of<wmma::row_major> {
    static constexpr bool value = true;
};

// Adds the product to C, which all lanes then compare with a loop.
template <int M, int N, typename T, typename C, typename LA, typename LB>
__global__ void tile(const T *a, const T *b, C *c, C *d, int rows)
{
    constexpr bool ra = rows_of<LA>::value, rb = rows_of<LB>::value;
    wmma::fragment<wmma::matrix_a, M, N, 16, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, 16, C> sum;
    const wmma::layout_t layout = rows ? wmma::mem_row_major : wmma::mem_col_major;
    wmma::load_matrix_sync(sum, c, rows ? N : M, layout);
    wmma::load_matrix_sync(fa, a, ra ? 16 : M);
    wmma::load_matrix_sync(fb, b, rb ? N : 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(d, sum, rows ? N : M, layout);
    __syncthreads();
    for (int i = threadIdx.x; i < M * N; i += 32) {
        const int row = i / N, col = i % N, at = rows ? i : col * M + row;
        float wanted = (float)c[at];
        for (int k = 0; k < 16; k++)
            wanted += (float)a[ra ? row * 16 + k : k * M + row] * (float)b[rb ? k * N + col : col * 16 + k];
        EXPECT(d[at] == (C)wanted);
    }
}
// tf32 has another shape. Memory holds floats, which are rounded in the fragments.
template <typename LA, typename LB>
__global__ void rounded(const float *a, const float *b, const float *c, float *d)
{
    constexpr bool ra = rows_of<LA>::value, rb = rows_of<LB>::value;
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, LA> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, LB> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
    wmma::load_matrix_sync(sum, c, 16, wmma::mem_row_major);
    wmma::load_matrix_sync(fa, a, ra ? 8 : 16); // line 75
    wmma::load_matrix_sync(fb, b, rb ? 16 : 8);
    for (int i = 0; i < fa.num_elements; i++)
        fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; i++)
        fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += 32) {
        const int row = i / 16, col = i % 16;
        float wanted = c[i];
        for (int k = 0; k < 8; k++) {
            const float left = a[ra ? row * 8 + k : k * 16 + row], right = b[rb ? k * 16 + col : col * 8 + k];
            wanted += __uint_as_float((__float_as_uint(left) + 0x1000) & ~0x1fffu) *
                      __uint_as_float((__float_as_uint(right) + 0x1000) & ~0x1fffu);
        }
        EXPECT(d[i] == wanted);
    }
}
template __global__ void rounded<wmma::row_major, wmma::col_major>(const float *, const float *, const float *, float *);
template __global__ void rounded<wmma::col_major, wmma::row_major>(const float *, const float *, const float *, float *);
template __global__ void tile<16, 16, __nv_bfloat16, float, wmma::row_major, wmma::col_major>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *, float *, int);
template __global__ void tile<32, 8, __nv_bfloat16, float, wmma::col_major, wmma::col_major>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *, float *, int);
template __global__ void tile<8, 32, __nv_bfloat16, float, wmma::row_major, wmma::row_major>(const __nv_bfloat16 *, const __nv_bfloat16 *, float *, float *, int);
template __global__ void tile<16, 16, half, float, wmma::row_major, wmma::row_major>(const half *, const half *, float *, float *, int);
template __global__ void tile<16, 16, half, half, wmma::col_major, wmma::col_major>(const half *, const half *, half *, half *, int);
template __global__ void tile<32, 8, half, float, wmma::row_major, wmma::col_major>(const half *, const half *, float *, float *, int);
template __global__ void tile<8, 32, half, float, wmma::col_major, wmma::row_major>(const half *, const half *, float *, float *, int);
template __global__ void tile<16, 16, signed char, int, wmma::row_major, wmma::col_major>(const signed char *, const signed char *, int *, int *, int);
template __global__ void tile<8, 32, unsigned char, int, wmma::row_major, wmma::row_major>(const unsigned char *, const unsigned char *, int *, int *, int);
