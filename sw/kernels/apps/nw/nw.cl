/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Needleman-Wunsch: fills the score matrix tile by tile. Rows of score and similarity have n + 1 elements; there are
 * at most n + 1 rows. Row 0 and column 0 of score are gap penalties. A work-group computes a tile of TILE x TILE in
 * local memory, from its upper left corner along anti-diagonals, with TILE work-items. A launch covers the tiles of
 * one anti-diagonal of the matrix: nw_grow those up to the main one, nw_shrink those after it. The names of kernels
 * with tiles of 16 end in _16; the others' tiles have 64.
 */
static int largest(int a, int b, int c)
{
    const int ab = a > b ? a : b;
    return ab > c ? ab : c;
}

#define TILE 64
#define NAME(function) function
#include "tile.h"
#undef NAME
#undef TILE

#define TILE 16
#define NAME(function) function##_16
#include "tile.h"
