/* SPDX-License-Identifier: Apache-2.0 */
/* Sampling an image on circles whose points are in tables of the program; the best is kept. */
#include "check.h"

__constant int dx[POINTS] = {2, 1, 0, -1, -2, -1, 0, 1}, dy[POINTS] = {0, 1, 2, 1, 0, -1, -2, -1};

__kernel void contrast(__global const uchar *image, __global ushort *out, int width, __local uchar *column)
{
    const int x = get_global_id(0) + 2, y = get_global_id(1) + 2, l = get_local_id(0);
    int best = 0;
    column[l] = image[y * width + x];
    for (int p = 0; p < POINTS; p++) {
        const int d = abs_diff((int)image[(y + dy[p]) * width + x + dx[p]], (int)column[l]);
        best = d > best ? d : best;
    }
    out[y * width + x] = convert_ushort_sat(best);
}

__kernel void check(__global const uchar *image, __global const ushort *out, int width)
{
    const int x = get_global_id(0) + 2, y = get_global_id(1) + 2;
    int best = 0;
    for (int p = 0; p < POINTS; p++)
        best = max(best, (int)abs((int)image[(y + dy[p]) * width + x + dx[p]] - (int)image[y * width + x]));
    EXPECT(out[y * width + x] == best);
}
