/* SPDX-License-Identifier: Apache-2.0 */
/* A hash join: build() puts the rows of a relation into a table with open addresses, probe() looks up another's. A slot
 * is a key and a payload; key 0 is an empty slot. */

static uint slot_of(uint key, uint mask)
{
    return (key * 2654435761u >> 7) & mask;
}

__kernel void build(__global const uint *key, __global const uint *payload, __global uint *slot_key,
                    __global uint *slot_payload, uint mask, uint rows)
{
    const uint i = get_global_id(0);
    if (i >= rows)
        return;
    uint at = slot_of(key[i], mask);
    while (atomic_cmpxchg(&slot_key[at], 0u, key[i]) != 0u)
        at = (at + 1) & mask;
    slot_payload[at] = payload[i];
}

__kernel void probe(__global const uint *key, __global const uint *slot_key, __global const uint *slot_payload,
                    __global uint *out, uint mask, uint rows)
{
    const uint i = get_global_id(0);
    if (i >= rows)
        return;
    uint at = slot_of(key[i], mask), found = 0, has;
    while ((has = slot_key[at]) != 0u) {
        if (has == key[i]) {
            found = slot_payload[at];
            break;
        }
        at = (at + 1) & mask;
    }
    out[i] = found;
}
