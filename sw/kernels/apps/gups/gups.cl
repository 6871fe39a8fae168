/* SPDX-License-Identifier: Apache-2.0 */
/* Random updates of a table. Each work-item follows a separate random sequence, the shift register of HPCC's
 * RandomAccess, x^64 + x^2 + x + 1. Updates are plain loads and stores, not atomic: work-items rarely meet. */
#define POLYNOMIAL 7

__kernel void gups(__global ulong *table, ulong mask, __global const ulong *start, uint updates)
{
    ulong random = start[get_global_id(0)];
    for (uint i = 0; i < updates; i++) {
        random = random << 1 ^ ((long)random < 0 ? POLYNOMIAL : 0);
        table[random & mask] ^= random;
    }
}
