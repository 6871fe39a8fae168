/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of the RTL that a Verilated design has executed. */
#ifndef MP_RTL_LINES_H
#define MP_RTL_LINES_H

#include <stdbool.h>

#include "rtl_line.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lines that a design cannot execute in some modes, and why. A text that ends in "begin" denotes its block,
 * up to the first "end". A table ends with a NULL file. */
struct rtl_unreached {
    const char *file, *text; /* a part of the line */
    const char *modes;       /* "star star4": the model's policy, with "/stride" when it is not 1 */
    const char *reason;
};

/* Makes `cover` write Verilator's record of the design, and calls each() for the design's lines by file and
 * number. The argument is valid during the call. A design that does not count has no lines. Returns false if
 * there is no room for the record. mode: as in `unreached`, a table that may be NULL. */
bool rtl_lines(void (*cover)(const void *rtl, const char *file), const void *rtl, const char *mode,
               const struct rtl_unreached *unreached, rtl_each_line *each, void *to);

#ifdef __cplusplus
}
#endif
#endif
