/* SPDX-License-Identifier: Apache-2.0 */
/* The fast Walsh transform: at each stage, elements `stride` apart become their sum and difference. Two stages that go
 * over global memory are one pass; the last 10 or 11 stages are done in local memory. */
#define LOCAL 2048

/* Two stages of strides 2 * stride and stride. A work-item has four elements. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void fwt_pass(__global float *data, uint stride)
{
    const uint item = get_global_id(0), low = item & (stride - 1), at = 4 * (item - low) + low;
    const float a = data[at], b = data[at + stride], c = data[at + 2 * stride], d = data[at + 3 * stride];
    const float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
    data[at] = ac + bd;
    data[at + stride] = ac - bd;
    data[at + 2 * stride] = a_c + b_d;
    data[at + 3 * stride] = a_c - b_d;
}

/* All stages of 2^log2 elements, 2048 at most, by a quarter as many work-items: radix-4 steps, then one of radix 2 if
 * log2 is odd. */
__kernel void fwt_local(__global float *data, uint log2)
{
    __local float s[LOCAL];
    const uint item = get_local_id(0), items = get_local_size(0), n = 1u << log2, first = get_group_id(0) * n;
    for (uint i = item; i < n; i += items)
        s[i] = data[first + i];

    for (uint stride = n / 4; stride > 0; stride /= 4) {
        const uint low = item & (stride - 1), at = 4 * (item - low) + low;
        barrier(CLK_LOCAL_MEM_FENCE);
        const float a = s[at], b = s[at + stride], c = s[at + 2 * stride], d = s[at + 3 * stride];
        const float ac = a + c, bd = b + d, a_c = a - c, b_d = b - d;
        s[at] = ac + bd;
        s[at + stride] = ac - bd;
        s[at + 2 * stride] = a_c + b_d;
        s[at + 3 * stride] = a_c - b_d;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (log2 & 1) {
        for (uint pair = item; pair < n / 2; pair += items) {
            const float a = s[2 * pair], b = s[2 * pair + 1];
            s[2 * pair] = a + b;
            s[2 * pair + 1] = a - b;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = item; i < n; i += items)
        data[first + i] = s[i];
}

/* a *= b / n, element by element. */
__kernel __attribute__((reqd_work_group_size(256, 1, 1))) void fwt_product(__global float *a, __global const float *b,
                                                                            uint n)
{
    const float scale = 1.0f / n;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        a[i] *= b[i] * scale;
}
