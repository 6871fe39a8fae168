/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/number.h"

#include <stdbool.h>

/* 16 or more: no digit. */
static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

const char *mp_number(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *value)
{
    bool minus = length && text[0] == '-', overflow = false;
    text += minus;
    length -= minus;
    bool hex = length > 2 && text[0] == '0' && (text[1] | 0x20) == 'x';
    uint64_t radix = hex ? 16 : 10, number = 0;
    if (!length)
        return "is not a whole number";
    for (size_t i = hex ? 2 : 0; i < length; i++) {
        uint64_t d = digit(text[i]);
        if (d >= radix)
            return "is not a whole number";
        overflow |= __builtin_mul_overflow(number, radix, &number);
        overflow |= __builtin_add_overflow(number, d, &number);
    }
    if (minus)
        return "is negative";
    if (overflow || number > most)
        return "is too large";
    if (number < least)
        return "is too small";
    *value = number;
    return NULL;
}
