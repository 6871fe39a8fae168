/* SPDX-License-Identifier: Apache-2.0 */
/* A loop over neighbouring bytes, which the compiler must not join to vectors. */
#include "check.h"

__kernel void invert(__global const uchar *restrict in, __global uchar *restrict out, int length)
{
    const size_t first = get_global_id(0) * length;
    for (int i = 0; i < length; i++)
        out[first + i] = ~in[first + i];
}

__kernel void check(__global const uchar *in, __global const uchar *out)
{
    const size_t i = get_global_id(0);
    EXPECT(in[i] + out[i] == 255);
}
