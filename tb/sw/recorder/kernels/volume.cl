/* SPDX-License-Identifier: Apache-2.0 */
/* Three dimensions, doubles, sizes in a structure. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "check.h"

struct size {
    int x, y, z;
};

#define AT(s, i, j, k) (((k) * (s).y + (j)) * (s).x + (i))

__kernel void neighbours(__global const double *in, __global double *out, const struct size s)
{
    const int i = get_global_id(0), j = get_global_id(1), k = get_global_id(2);
    if (i == 0 || j == 0 || k == 0 || i == s.x - 1 || j == s.y - 1 || k == s.z - 1)
        return;
    out[AT(s, i, j, k)] = in[AT(s, i - 1, j, k)] + in[AT(s, i + 1, j, k)] + in[AT(s, i, j - 1, k)] +
                          in[AT(s, i, j + 1, k)] + in[AT(s, i, j, k - 1)] + in[AT(s, i, j, k + 1)];
}

/* in is iota: neighbours on both sides add up to twice the point between them. */
__kernel void check(__global const double *out, const struct size s)
{
    const int i = get_global_id(0) + 1, j = get_global_id(1) + 1, k = get_global_id(2) + 1;
    EXPECT(out[AT(s, i, j, k)] == 6.0 * AT(s, i, j, k));
}
