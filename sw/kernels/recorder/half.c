/* SPDX-License-Identifier: Apache-2.0 */
#include "half.h"

#include <math.h>
#include <string.h>

enum {
    MANTISSA = 10,
    LOWEST = -14,
    INFINITE = 0x7c00,
    SIGN = 0x8000
}; /* LOWEST: exponent of a normal number */

float __gnu_h2f_ieee(uint16_t half)
{
    const uint32_t mantissa = half & 0x3ff, exponent = half >> MANTISSA & 0x1f;
    const float sign = half & SIGN ? -1.0f : 1.0f;
    if (exponent == 0)
        return sign * (float)mantissa * 0x1p-24f;
    const uint32_t bits = (uint32_t)(half & SIGN) << 16 | mantissa << 13 |
                          (exponent == 0x1f ? 0xffu : exponent + 127 - 15) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The bits of a half are its magnitude in units of its exponent's last bit, plus that exponent times 1024, so
 * a mantissa that is rounded up to 2048 needs no case. */
uint16_t __truncdfhf2(double value)
{
    const unsigned sign = signbit(value) ? SIGN : 0;
    const double magnitude = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | INFINITE | 0x200);
    if (magnitude >= 65520) /* halfway between the largest half and 2^16 */
        return (uint16_t)(sign | INFINITE);
    const int exponent = magnitude < 0x1p-14 ? LOWEST : ilogb(magnitude);
    const unsigned units = (unsigned)nearbyint(ldexp(magnitude, MANTISSA - exponent));
    return (uint16_t)(sign | (units + ((unsigned)(exponent - LOWEST) << MANTISSA)));
}

uint16_t __gnu_f2h_ieee(float value)
{
    return __truncdfhf2((double)value);
}
