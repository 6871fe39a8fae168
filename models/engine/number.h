/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in input, and the reasons why they are refused. */
#ifndef MP_ENGINE_NUMBER_H
#define MP_ENGINE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads `length` characters as a whole number, decimal or 0x-hex, into *value. Returns NULL, or what is wrong
 * with it: "is not a whole number", "is negative", "is too small" or "is too large", the last two compared
 * with least and most. *value is then unchanged. */
const char *mp_number(const char *text, size_t length, uint64_t least, uint64_t most, uint64_t *value);

#ifdef __cplusplus
}
#endif
#endif
