/* SPDX-License-Identifier: Apache-2.0 */
/* By words: Debian's picolibc is built for size, and its memset stores byte by byte. */
#include <stddef.h>
#include <stdint.h>

/* Without the attribute, the compiler would find memset in these loops, and call it. */
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *start, int value,
                                                                           size_t bytes)
{
    enum { WORD = sizeof(uint64_t) };
    typedef uint64_t __attribute__((may_alias)) word;
    const uint64_t all = UINT64_C(0x0101010101010101) * (unsigned char)value;
    unsigned char *p = start, *end = p + bytes;
    for (; (uintptr_t)p % WORD && p < end; p++)
        *p = (unsigned char)value;
    for (; (size_t)(end - p) >= 8 * WORD; p += 8 * WORD) {
        word *w = (word *)p;
        w[0] = w[1] = w[2] = w[3] = w[4] = w[5] = w[6] = w[7] = all;
    }
    for (; (size_t)(end - p) >= WORD; p += WORD)
        *(word *)p = all;
    for (; p < end; p++)
        *p = (unsigned char)value;
    return start;
}
