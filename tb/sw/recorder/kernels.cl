/* SPDX-License-Identifier: Apache-2.0 */
/* Small kernels whose traces are known. test_events.c says what is expected, with the line numbers of this file. */
__kernel void copy(__global const int *in, __global int *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}

__kernel void strided(__global float *a, int stride)
{
    a[get_global_id(0) * stride] = 1.0f;
}

__kernel void branches(__global int *a, __global char *b, __global int *c, __global int *d)
{
    const int i = get_global_id(0);
    if (i & 1)
        a[i] = d[i] * 3;
    else
        b[i] = 2;
    c[i] = d[i];
}

/* Lane i goes round i % 4 + 1 times. */
__kernel void trips(__global int *a, __global int *done)
{
    const int i = get_global_id(0);
    for (int k = 0; k <= i % 4; k++)
        a[32 * k + i] = k;
    done[i] = 1;
}

/* An inner loop with an early exit: lanes with i % 4 == 2 leave it after one step. */
__kernel void nested(__global int *a, __global int *b, __global int *c)
{
    const int i = get_global_id(0);
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 3; j++) {
            if (a[j] == i % 4)
                break;
            b[i] += j;
        }
        c[i] += k;
    }
}

__kernel void sum(__global const int *in, __global int *out)
{
    __local int part[64];
    const int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = 32; n > 0; n /= 2) {
        if (l < n)
            part[l] += part[l + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = part[0];
}

__kernel void count(__global const uint *value, __global uint *bin, __local uint *part)
{
    atomic_inc(&part[value[get_global_id(0)] % 4]);
    atomic_add(&bin[value[get_global_id(0)] % 4], 1u);
}

/* More steps than a lane's stream holds at once. */
__kernel void long_loop(__global int *a, int n)
{
    for (int k = 0; k < n; k++)
        a[k] += (int)get_global_id(0);
}

__kernel void early_exit(__global int *a, __local int *t)
{
    const int l = get_local_id(0);
    if (l >= 40)
        return;
    t[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = t[39 - l];
}

__kernel void vectors(__global float4 *a, __constant float *factor, __global char *bytes)
{
    const size_t i = get_global_id(0);
    a[i] = a[i] * factor[0];
    vstore3((char3)(1, 2, 3), i, bytes);
}

__kernel __attribute__((reqd_work_group_size(8, 4, 1))) void where(__global uint4 *out)
{
    const size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[i] = (uint4)(get_local_id(0) + 100 * get_local_id(1), get_group_id(0) + 100 * get_group_id(1),
                     get_num_groups(0) + 100 * get_num_groups(1), get_work_dim());
}

/* As ATAX: rows, then columns; for the speed test. */
__kernel void rows(__global const float *a, __global const float *x, __global float *t, int n)
{
    const int i = get_global_id(0);
    for (int j = 0; j < n; j++)
        t[i] += a[i * n + j] * x[j];
}

__kernel void columns(__global const float *a, __global float *y, __global const float *t, int n)
{
    const int j = get_global_id(0);
    for (int i = 0; i < n; i++)
        y[j] += a[i * n + j] * t[i];
}

float __attribute__((overloadable)) atomic_add(volatile __global float *to, float value);
float __attribute__((overloadable)) atomic_add(volatile __local float *to, float value);

__kernel void weigh(__global const float *value, __global float *sum, __local float *part)
{
    atomic_add(part, value[get_global_id(0)]);
    sum[2 + get_global_id(0)] = atomic_add(sum, value[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        sum[1] = *part;
}

/* Which loads accesses wait for: a chain, a sum in a register, neighbours, and a choice. */
__kernel void chase(__global const int *next, __global int *out, int n)
{
    int at = get_global_id(0);
    for (int k = 0; k < n; k++)
        at = next[at];
    out[get_global_id(0)] = at;
}

__kernel void dot_product(__global const float *a, __global const float *b, __global float *out, int n)
{
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k * 32 + get_global_id(0)] * b[k];
    out[get_global_id(0)] = sum;
}

__kernel void neighbours(__global const float *in, __global float *out)
{
    const int i = get_global_id(0) + 1;
    out[i] = in[i - 1] + in[i] + in[i + 1];
}

__kernel void choose(__global const int *which, __global const int *a, __global int *out)
{
    const int i = get_global_id(0), w = which[i];
    int value = 0;
    if (w > 3)
        value = a[i];
    out[2 * i] = 1;
    out[i] = value;
}
