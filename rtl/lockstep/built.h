/* SPDX-License-Identifier: Apache-2.0 */
/* The designs that a library of RTL contains: a table that rtl/block.cmake generates. */
#ifndef MP_RTL_BUILT_H
#define MP_RTL_BUILT_H

#include <stdbool.h>
#include <stddef.h>

struct rtl_built {
    unsigned design; /* cosim_block.design */
    bool lines;      /* it counts the lines that it executes */
    const void *rtl; /* struct KIND_rtl; NULL ends the table */
};

/* Returns the design; without counters if there is none with them; the first if there is none of this number,
 * as in a library that was built for a single design. */
static inline const void *rtl_built_find(const struct rtl_built *table, unsigned design, bool lines)
{
    const void *found = table->rtl;
    for (const struct rtl_built *b = table; b->rtl; b++) {
        if (b->design != design)
            continue;
        if (b->lines == lines)
            return b->rtl;
        found = b->lines ? found : b->rtl;
    }
    return found;
}

#endif
