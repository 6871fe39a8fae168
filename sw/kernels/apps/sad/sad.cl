/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of absolute differences of larger blocks from those of smaller ones, for every position of a motion search. sad
 * holds a region for each shape of block, in this order, with this number of blocks per macroblock: 16 x 16 (1),
 * 16 x 8 (2), 8 x 16 (2), 8 x 8 (4), 8 x 4 (8), 4 x 8 (8), 4 x 4 (16); width x height. A region lists macroblocks, a
 * macroblock lists its blocks, and a block lists the positions, which are processed two at a time here.
 */
#define PAIRS 548 /* 33 x 33 positions, padded with seven zeros */
#define LANES 32

/* The start of each region, in blocks per macroblock. */
#define AT_16X16 0
#define AT_16X8 1
#define AT_8X16 3
#define AT_8X8 5
#define AT_8X4 9
#define AT_4X8 17
#define AT_4X4 25

static __global ushort2 *region(__global ushort2 *sad, uint at, uint blocks)
{
    const uint macroblock = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    const uint macroblocks = get_num_groups(0) * get_num_groups(1);
    return sad + (at * macroblocks + macroblock * blocks) * PAIRS;
}

/* A work-group per macroblock. Each of its four warps makes one 8 x 8 block's sums from those of its 4 x 4 blocks. */
__kernel __attribute__((reqd_work_group_size(32, 4, 1))) void larger_8(__global ushort2 *sad)
{
    const uint q = get_local_id(1), corner = q / 2 * 8 + q % 2 * 2;
    const __global ushort2 *from = region(sad, AT_4X4, 16) + corner * PAIRS;
    __global ushort2 *wide = region(sad, AT_8X4, 8) + 2 * q * PAIRS;
    __global ushort2 *tall = region(sad, AT_4X8, 8) + 2 * q * PAIRS;
    __global ushort2 *whole = region(sad, AT_8X8, 4) + q * PAIRS;

    for (uint i = get_local_id(0); i < PAIRS; i += LANES) {
        const ushort2 a = from[i], b = from[PAIRS + i], c = from[4 * PAIRS + i], d = from[5 * PAIRS + i];
        wide[i] = a + b;
        wide[PAIRS + i] = c + d;
        tall[i] = a + c;
        tall[PAIRS + i] = b + d;
        whole[i] = a + b + c + d;
    }
}

/* A warp per macroblock, which adds the sums of its four 8 x 8 blocks. */
__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void larger_16(__global ushort2 *sad)
{
    const __global ushort2 *from = region(sad, AT_8X8, 4);
    __global ushort2 *wide = region(sad, AT_16X8, 2);
    __global ushort2 *tall = region(sad, AT_8X16, 2);
    __global ushort2 *whole = region(sad, AT_16X16, 1);

    for (uint i = get_local_id(0); i < PAIRS; i += LANES) {
        const ushort2 a = from[i], b = from[PAIRS + i], c = from[2 * PAIRS + i], d = from[3 * PAIRS + i];
        wide[i] = a + b;
        wide[PAIRS + i] = c + d;
        tall[i] = a + c;
        tall[PAIRS + i] = b + d;
        whole[i] = a + b + c + d;
    }
}
