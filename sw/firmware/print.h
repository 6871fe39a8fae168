/* SPDX-License-Identifier: Apache-2.0 */
/* Text on the console. */
#ifndef FW_PRINT_H
#define FW_PRINT_H

enum { PRINT_LINE = 256 }; /* most bytes that one call prints */

void print(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
