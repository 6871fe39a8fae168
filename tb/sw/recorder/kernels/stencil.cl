/* SPDX-License-Identifier: Apache-2.0 */
/* A type and sizes by options, a tile with a halo, weights in constant memory as argument and in the program. */
#include "check.h"

#define SIDE (BLOCK + 2 * RADIUS)

__constant int border[2] = {3, 5};

REAL weighted(__local const REAL *row, __constant REAL *weight)
{
    REAL sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weight[k + RADIUS] * row[k];
    return sum;
}

__kernel void stencil(__global const REAL *in, __global REAL *out, __constant REAL *weight, int n)
{
    __local REAL part[SIDE];
    const int l = get_local_id(0), i = get_global_id(0);
    for (int k = l; k < SIDE; k += BLOCK) {
        const int at = (int)get_group_id(0) * BLOCK + k - RADIUS;
        part[k] = at < 0 || at >= n ? border[at < 0 ? 0 : 1] : in[at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = weighted(part + l + RADIUS, weight);
}

__kernel void check(__global const REAL *in, __global const REAL *out, __constant REAL *weight, int n)
{
    const int i = get_global_id(0);
    REAL sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weight[k + RADIUS] * (i + k < 0 ? 3 : i + k >= n ? 5 : in[i + k]);
    EXPECT(out[i] == sum);
}
