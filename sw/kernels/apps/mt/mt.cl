/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes a matrix of uint. Pitches are in pieces of four elements. A work-group of 16 x 16 moves a 64 x 64 tile
 * through local memory; each work-item moves 4 x 4 elements, as four-element pieces of four rows. Work-groups follow
 * diagonals of the matrix, so those running together write to different rows. Dimension 0 counts rows. */
__kernel __attribute__((reqd_work_group_size(16, 16, 1))) void matrix_transpose(__global uint4 *output,
                                                                          __global const uint4 *input, uint pitch,
                                                                          uint out_pitch)
{
    __local uint4 tile[64 * 16];
    const uint lx = get_local_id(0), ly = get_local_id(1);
    const uint row_block = get_group_id(0);
    const uint column_block = (get_group_id(0) + get_group_id(1)) % get_num_groups(1);

    const uint in = (row_block * 64 + ly * 4) * pitch + column_block * 16 + lx;
    const uint here = ly * 4 * 16 + lx;
    tile[here] = input[in];
    tile[here + 16] = input[in + pitch];
    tile[here + 32] = input[in + 2 * pitch];
    tile[here + 48] = input[in + 3 * pitch];
    barrier(CLK_LOCAL_MEM_FENCE);

    /* This work-item now takes the 4 x 4 elements of the tile whose mirror position is (lx, ly). */
    const uint there = lx * 4 * 16 + ly;
    const uint4 a = tile[there], b = tile[there + 16], c = tile[there + 32], e = tile[there + 48];
    const uint out = (column_block * 64 + ly * 4) * out_pitch + row_block * 16 + lx;
    output[out] = (uint4)(a.x, b.x, c.x, e.x);
    output[out + out_pitch] = (uint4)(a.y, b.y, c.y, e.y);
    output[out + 2 * out_pitch] = (uint4)(a.z, b.z, c.z, e.z);
    output[out + 3 * out_pitch] = (uint4)(a.w, b.w, c.w, e.w);
}
