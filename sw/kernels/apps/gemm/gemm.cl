/* SPDX-License-Identifier: Apache-2.0 */
/* C = A B with numbers of 16 bits (bfloat16) and sums of 32, in the shape that tensor cores have: a work-group of four warps
 * has a tile of 64 x 64, each warp 32 x 32, as fragments of 16 x 8 with 16 products. A lane's numbers of a fragment are those
 * of mma.m16n8k16: rows lane / 4 and 8 more, columns 2 (lane % 4) and one more. Tiles of A and B come by 16 bytes a lane. */
#define TILE 64
#define STEP 16

static float widened(ushort x)
{
    return as_float((uint)x << 16);
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1))) void gemm(__global const ushort *A, __global const ushort *B,
                                                                    uint columns, uint inner, __global float *C)
{
    __local ushort a[TILE * STEP], b[STEP * TILE];
    const uint id = get_local_id(0), warp = id / 32, lane = id % 32, across = columns / TILE;
    const uint top = get_group_id(0) / across * TILE, left = get_group_id(0) % across * TILE;
    const uint row = warp / 2 * 32 + lane / 4, column = warp % 2 * 32 + lane % 4 * 2;
    float sum[2][4][4];
    for (uint i = 0; i < 32; i++)
        sum[i / 16][i / 4 % 4][i % 4] = 0.0f;
    for (uint k = 0; k < inner; k += STEP) {
        barrier(CLK_LOCAL_MEM_FENCE);
        vstore8(vload8(0, A + (ulong)(top + id / 2) * inner + k + id % 2 * 8), id, a);
        vstore8(vload8(0, B + (ulong)(k + id / 8) * columns + left + id % 8 * 8), id, b);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint p = 0; p < STEP; p++)
            for (uint f = 0; f < 2; f++)
                for (uint g = 0; g < 4; g++)
                    for (uint i = 0; i < 4; i++)
                        sum[f][g][i] += widened(a[(row + f * 16 + i / 2 * 8) * STEP + p]) *
                                        widened(b[p * TILE + column + g * 8 + i % 2]);
    }
    for (uint f = 0; f < 2; f++)
        for (uint g = 0; g < 4; g++)
            for (uint low = 0; low < 2; low++)
                vstore2((float2)(sum[f][g][2 * low], sum[f][g][2 * low + 1]), 0,
                        C + (ulong)(top + row + f * 16 + low * 8) * columns + left + column + g * 8);
}
