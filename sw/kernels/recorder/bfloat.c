/* SPDX-License-Identifier: Apache-2.0 */
#include "bfloat.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float float_of_bf16(uint16_t bits)
{
    return of_bits((uint32_t)bits << 16);
}

/* The exponent is above the mantissa, so a carry out of the mantissa is right, also the one to infinity. */
uint16_t record_bf16_of_float(float value)
{
    const uint32_t bits = bits_of(value);
    return isnan(value) ? 0x7fff : (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* Rounding twice may differ from rounding once, unless the first one is to odd: what is not exact becomes the
 * neighbour with an odd mantissa, so that the second one sees on which side of its middle the value is. */
uint16_t record_bf16_of_double(double value)
{
    const float nearest = (float)value;
    const uint32_t bits = bits_of(nearest);
    if (isnan(value) || (double)nearest == value || bits & 1)
        return record_bf16_of_float(nearest);
    return record_bf16_of_float(of_bits(fabs((double)nearest) > fabs(value) ? bits - 1 : bits + 1));
}

/* The product is exact in double. The sum's error is, too (Knuth's TwoSum); the sum is rounded to odd by it.
 */
uint16_t record_bf16_fma(uint16_t x, uint16_t y, uint16_t z)
{
    const double product = (double)float_of_bf16(x) * (double)float_of_bf16(y),
                 addend = (double)float_of_bf16(z);
    double sum = product + addend;
    const double part = sum - product, error = (product - (sum - part)) + (addend - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (isfinite(sum) && error != 0 && !(bits & 1)) {
        bits += (error > 0) == (sum > 0) ? 1 : -(uint64_t)1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return record_bf16_of_double(sum);
}

float record_tf32_of_float(float value)
{
    return of_bits(isnan(value) ? 0x7fffffff : (bits_of(value) + 0x1000) & ~0x1fffu);
}
