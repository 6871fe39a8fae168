/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix product C = alpha A B^T + beta C. All matrices are column-major: element (i, j) with m rows is at i + j m.
 * A work-group of 16 x 8 computes 128 rows of 16 columns, each work-item one row. B comes through local memory, eight
 * of its columns at a time. A is read directly: consecutive work-items read consecutive rows.
 */
#define WIDTH 16
#define DEPTH 8
#define ROWS (WIDTH * DEPTH)

__kernel __attribute__((reqd_work_group_size(16, 8, 1))) void sgemm_nt(__global const float *a,
                                                                       __global const float *b, __global float *c,
                                                                       uint m, uint n, uint depth, float alpha,
                                                                       float beta)
{
    __local float tile[DEPTH][WIDTH];
    const uint x = get_local_id(0), y = get_local_id(1);
    const uint row = get_group_id(0) * ROWS + y * WIDTH + x, first = get_group_id(1) * WIDTH;
    float sum[WIDTH];

    #pragma unroll
    for (uint i = 0; i < WIDTH; i++)
        sum[i] = 0.0f;
    for (uint k = 0; k < depth; k += DEPTH) {
        tile[y][x] = b[first + x + (k + y) * n];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < DEPTH; j++) {
            const float element = a[row + (k + j) * m];
            #pragma unroll
            for (uint i = 0; i < WIDTH; i++)
                sum[i] += element * tile[j][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #pragma unroll
    for (uint i = 0; i < WIDTH; i++) {
        const uint at = row + (first + i) * m;
        c[at] = beta * c[at] + alpha * sum[i];
    }
}
