/* SPDX-License-Identifier: Apache-2.0 */
/* Text on the console. */
#ifndef FW_PRINT_H
#define FW_PRINT_H

#ifdef __cplusplus
extern "C" {
#endif

enum { PRINT_LINE = 256 }; /* most bytes that one call prints */

void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#ifdef __cplusplus
}
#endif
#endif
