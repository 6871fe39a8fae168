/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler calls these functions where the core has no instruction that counts bits. libgcc's are built
 * for size. */
#include <stdint.h>

int __ctzdi2(uint64_t word);
int __popcountdi2(uint64_t word);

/* Each six bits of this number that follow each other are another number (Leiserson, Prokop and Randall,
 * "Using de Bruijn sequences to index a 1 in a computer word"). */
#define SEQUENCE UINT64_C(0x03f79d71b4cb0a89)

int __ctzdi2(uint64_t word)
{
    static const uint8_t position[64] = {0,  1,  48, 2,  57, 49, 28, 3,  61, 58, 50, 42, 38, 29, 17, 4,
                                         62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
                                         63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
                                         46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9,  13, 8,  7,  6};
    return position[((word & -word) * SEQUENCE) >> 58];
}

/* Sums of 2, 4 and 8 bits next to each other, then of all bytes. */
int __popcountdi2(uint64_t word)
{
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (int)(word * UINT64_C(0x0101010101010101) >> 56);
}
