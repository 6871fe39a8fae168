/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that do something wrong. test_mistakes.c says what is reported, with the line numbers of this file. */
__kernel void null_pointer(__global const ulong *address)
{
    __global int *p = (__global int *)address[0];
    p[get_global_id(0)] = 1;
}

/* Far above every buffer; no such address exists if step is large. */
__kernel void wild(__global int *a, ulong step)
{
    const ulong i = get_global_id(0);
    a[i] = 1;
    a[i * step] = 2;
}

__kernel void below(__global int *a, int distance)
{
    a[(int)get_global_id(0) - distance] += 1;
}

/* Into the buffer that comes next. */
__kernel void neighbour(__global int *a, __global int *b)
{
    b[get_global_id(0)] = 1;
    a[get_global_id(0) + 16384] = 2;
}

__kernel void misaligned(__global float *a)
{
    *(__global float4 *)(a + 1) = (float4)(get_global_id(0));
}

__kernel void local_variable(__global int *a)
{
    __local int tile[16];
    const int l = get_local_id(0);
    tile[l % 16] = a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = tile[l / 2];
}

__kernel void local_argument(__global int *a, __local float4 *t, int offset)
{
    const int l = get_local_id(0);
    t[l + offset] = (float4)(a[l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[l] = (int)t[63 - l].x;
}

/* Which array a pointer is in is known only while the kernel runs. */
__kernel void two_local_arrays(__global int *a, __local int *x, __local int *y, int rounds)
{
    const int l = get_local_id(0);
    __local int *from = x, *to = y;
    from[l] = a[l];
    for (int i = 0; i < rounds; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        to[l] = from[l + i];
        __local int *t = from;
        from = to;
        to = t;
    }
    a[l] = from[l];
}

__kernel void local_atomic(__global int *a, __local int *bin)
{
    atomic_inc(&bin[a[get_global_id(0)]]);
}

__constant int table[4] = {3, 1, 4, 1};

__kernel void program_constant(__global int *a)
{
    a[get_global_id(0)] = table[get_global_id(0)];
}

__kernel void private_array(__global const int *a, __global int *b, int n)
{
    int h[8];
    for (int i = 0; i < 8; i++)
        h[i] = a[i];
    for (int i = 0; i < n; i++)
        h[a[i]]++;
    b[get_global_id(0)] = h[a[3]];
}

/* 400000 bytes for each work-item: more than a stack usually has, less than CUDA allows. */
__kernel void large_private_array(__global int *a, int n)
{
    int h[100000];
    for (int i = 0; i < 100000; i++)
        h[i] = i;
    for (int i = 0; i < n; i++)
        h[a[i]] += i;
    a[get_global_id(0)] = h[99999 - a[3]];
}

__kernel void huge_private_array(__global int *a, int n)
{
    int h[1000000];
    for (int i = 0; i < n; i++)
        h[a[i]] = i;
    a[get_global_id(0)] = h[a[3]];
}

__kernel void division(__global int *a)
{
    a[get_global_id(0)] = 7 / a[get_global_id(0)];
}

__kernel void vector_remainder(__global int4 *a)
{
    a[get_global_id(0)] %= a[get_global_id(0)] - 20;
}

__kernel void ended(__global int *a)
{
    if (get_local_id(0) < 7)
        barrier(CLK_LOCAL_MEM_FENCE);
    a[get_global_id(0)] = 1;
}

__kernel void two_barriers(__global int *a)
{
    const int i = get_global_id(0);
    if (get_local_id(0) < 40) {
        barrier(CLK_LOCAL_MEM_FENCE);
    } else {
        for (int k = 0; k < 3; k++) {
            a[i] += k;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
}

__kernel void loop_of_barriers(__global int *a)
{
    for (int i = 0; i <= (int)get_local_id(0) / 32; i++) {
        a[get_global_id(0)]++;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void empty_loop(__global int *a)
{
    if (get_global_id(0) == 3)
        while (true)
            ;
    a[0] = 1;
}

__kernel void loop_over_memory(__global int *a)
{
    while (a[get_global_id(0)] == 0)
        ;
    a[0] = 1;
}

__kernel void private_pointer(__global ulong *a)
{
    volatile int *p = (volatile int *)a[0];
    *p = 1;
}

__kernel void trap(__global int *a)
{
    if (a[get_global_id(0)] == 5)
        __builtin_trap();
    a[0] = 1;
}
