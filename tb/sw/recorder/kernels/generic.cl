/* SPDX-License-Identifier: Apache-2.0 */
/* Generic pointers: which memory they are into is known only when the kernel runs. */
typedef struct link { int value; struct link *next; } link;

int sum(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i]; /* line 9 */
    return s;
}

int chain(const link *l)
{
    int s = 0;
    for (; l; l = l->next)
        s += l->value;
    return s;
}

int4 twice(const int *p) { return vload4(0, p) * 2; }

int next(volatile atomic_int *p) { return atomic_fetch_add(p, 1); } /* line 23 */

/* Even work-items sum four numbers of device memory, odd ones of local memory. */
kernel void spaces(global int *in, global int *out, global atomic_int *count)
{
    local int tile[64];
    local atomic_int here;
    int own[4] = {1, 2, 3, 4};
    const int i = get_local_id(0), g = get_global_id(0);
    link last = {3, 0}, first = {4, &last};
    tile[i] = in[g]; /* line 33 */
    if (i == 0)
        atomic_init(&here, 0);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int *p = g & 1 ? (const int *)tile : (const int *)in;
    const int taken = next(&here) + next(count);
    out[g] = sum(p, 4) + sum(own, 4) + chain(&first) + twice(in).y + (taken < 0); /* line 39 */
}

kernel void check(global const int *in, global const int *out, global const int *count)
{
    const int g = get_global_id(0), base = g & 1 ? g / 64 * 64 : 0;
    const int wanted = in[base] + in[base + 1] + in[base + 2] + in[base + 3] + 10 + 7 + 2 * in[1];
    if (out[g] != wanted || *count != get_global_size(0))
        __builtin_trap();
}
