/* SPDX-License-Identifier: Apache-2.0 */
/* Integer work: rounds by a switch, rotations, a table in constant memory, a search that ends at different times. */
#include "check.h"

__constant uint salt[8] = {0x9e3779b9, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f, 1, 3, 5, 7};

uint digest(uint key)
{
    uint h = key;
    for (uint round = 0; round < ROUNDS; round++) {
        switch (round & 3) {
        case 0:
            h = rotate(h, 13u) ^ salt[round & 7];
            break;
        case 1:
            h *= salt[(round + 1) & 7] | 1;
            break;
        case 2:
            h ^= h >> 15;
            break;
        default:
            h += (h << 7) | (h >> 25);
        }
    }
    return h;
}

/* The first key at or after that one whose digest ends in zeros. */
uint search(uint from)
{
    uint key = from;
    while (digest(key) & MASK)
        key++;
    return key;
}

__kernel void find(__global uint *found, uint stride)
{
    const uint i = get_global_id(0);
    found[i] = search(i * stride);
}

__kernel void check(__global const uint *found, uint stride)
{
    const uint i = get_global_id(0);
    EXPECT((digest(found[i]) & MASK) == 0);
    for (uint key = i * stride; key < found[i]; key++)
        EXPECT(digest(key) & MASK);
}
