/* SPDX-License-Identifier: Apache-2.0 */
/* Line coverage of the RTL in a Verilated design. */
#ifndef MP_RTL_LINE_H
#define MP_RTL_LINE_H

#include <stdint.h>

/* A line with something to execute in the design. */
struct rtl_line {
    const char *file; /* "mp_star_tlb_set.sv" */
    uint32_t line;
    uint64_t taken;     /* how often, that of its branches which was taken least */
    const char *text;   /* the line, without blanks around it; "" when the source is no longer there */
    const char *reason; /* why this design need not take it (struct rtl_unreached), or NULL */
};

typedef void rtl_each_line(void *to, const struct rtl_line *line);

#endif
