/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are called several times, with all that functions do, for recordings with and without their calls:
 * loops, several returns, barriers, sub-groups, pointers to all memories, and functions that call functions. */
#define ROUND(c, s)                                                                                                  \
    a = (a ^ (b >> s)) * c;                                                                                          \
    b = rotate(b + a, (uint)s);                                                                                      \
    if (a & 4)                                                                                                       \
        b ^= a * c;

static uint mix(uint a, uint b)
{
    ROUND(0x9e3779b1u, 5)
    ROUND(0x85ebca6bu, 7)
    ROUND(0xc2b2ae35u, 13)
    return a + b;
}

/* The accesses of a table walk, whose length differs between work-items. */
static uint walk(global const uint *table, constant uint *step, uint at, uint most)
{
    uint n = 0;
    do {
        const uint next = table[at % 256];
        if (next % 16 == 0)
            return at;
        at = mix(next, step[n % 4]);
    } while (++n < most);
    return mix(at, most);
}

static uint shared_sum(local uint *tile, uint v)
{
    const uint i = get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[i] = mix(v, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    return tile[(i + 1) % get_local_size(0)] + sub_group_broadcast(v, 0);
}

static void store(global uint *to, uint at, const uint *v)
{
    if (v[0] & 1)
        to[at] = v[0] + v[1];
    else
        to[at] = v[1];
}

static uint both(global const uint *table, constant uint *step, uint v)
{
    return walk(table, step, v, 3 + v % 5) ^ walk(table, step, v + 1, v % 4);
}

kernel void hash(global const uint *table, constant uint *step, global uint *out)
{
    local uint tile[64];
    const uint i = get_global_id(0);
    uint v[2] = {i, both(table, step, i)};
    for (uint round = 0; round < 3; round++) {
        v[0] = both(table, step, v[0] + v[1]);
        if (i % 3 == round) {
            v[1] += both(table, step, v[1]);
            store(out, i, v);
        }
        v[1] ^= shared_sum(tile, v[0]);
        v[0] += shared_sum(tile, v[1]);
    }
    store(out, i, v);
}

/* Another kernel that calls the same functions. */
kernel void rehash(global const uint *table, constant uint *step, global uint *out)
{
    const uint i = get_global_id(0);
    out[i] ^= both(table, step, i ^ 5);
}

static uint spin(uint a, uint b)
{
    do {
        ROUND(b, 3)
        ROUND(a, 9)
    } while (b & 7);
    return a;
}

/* Nothing becomes simpler by inlining, so both recordings are the same to the instruction. */
kernel void same(global const uint *table, global uint *out)
{
    const uint i = get_global_id(0), first = spin(table[i], table[255 - i]);
    out[i] = first;
    out[i] = spin(table[first % 256], out[first % 256]);
}

constant uint fixed[4] = {3, 1, 4, 1};

/* Of the walks' steps, only those of the second are in device memory. */
kernel void steps(global const uint *table, constant uint *step, global uint *out)
{
    const uint i = get_global_id(0);
    out[i] = walk(table, fixed, 256 + i, 1) + walk(table, step, 255 - i, 1);
}
