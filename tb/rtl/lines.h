/* SPDX-License-Identifier: Apache-2.0 */
/* Which lines of the RTL a Verilated design has taken. */
#ifndef MP_TB_LINES_H
#define MP_TB_LINES_H

#include <stdbool.h>

#include "rtl_line.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Has `cover` write Verilator's record of the design and calls each() for its lines, by file and number; what
 * it is given stays for the call. There are none in a design that does not count. False: there is no room for
 * it. mode: as rtl_unreached has it. */
bool rtl_lines(void (*cover)(const void *rtl, const char *file), const void *rtl, const char *mode,
               rtl_each_line *each, void *to);

/* Lines that a design cannot take in some modes, and why. A text that ends in "begin" stands for its block,
 * up to the first "end". */
struct rtl_unreached {
    const char *file, *text; /* a part of the line */
    const char *modes;       /* "star star4": the model's policy, with "/stride" when it is not 1 */
    const char *reason;
};
extern const struct rtl_unreached rtl_unreached[]; /* ends with a NULL file */

#ifdef __cplusplus
}
#endif
#endif
