/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that attract each other: a structure with a vector by value, float4 through local memory, double sums. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#include "check.h"

typedef struct {
    int n;
    float softening;
    float4 pull;
} settings;

double3 attract(float4 a, float4 b, settings s)
{
    const float4 d = b - a;
    const float r = d.x * d.x + d.y * d.y + d.z * d.z + s.softening;
    return convert_double3(d.xyz * (b.w / r));
}

__kernel void forces(__global const float4 *body, __global float4 *force, __local float4 *part, settings s)
{
    const int i = get_global_id(0), l = get_local_id(0), size = get_local_size(0);
    const float4 me = body[i];
    double3 sum = (double3)(0, 0, 0);
    for (int begin = 0; begin < s.n; begin += size) {
        part[l] = body[begin + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++)
            sum += attract(me, part[k], s);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[i] = (float4)(convert_float3(sum), 0) + s.pull;
}

/* Equal bodies on both sides cancel out: bodies are at -1 and 1 in turn. */
__kernel void place(__global float4 *body)
{
    const int i = get_global_id(0);
    body[i] = (float4)(i % 2 ? 1 : -1, 0, 0, 1);
}

__kernel void check(__global const float4 *force, settings s)
{
    const int i = get_global_id(0);
    const float expected = (i % 2 ? -1.0f : 1.0f) * (s.n / 2) * 2 / (4 + s.softening);
    EXPECT(fabs(force[i].x - s.pull.x - expected) < 1e-4f * s.n && force[i].y == s.pull.y);
}
