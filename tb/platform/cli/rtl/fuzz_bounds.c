/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as bounds of the RTL: a line is refused in one line, or is the bound of one figure. */
#include <stdlib.h>
#include <string.h>

#include "cli/rtl/rtl.h"

static unsigned count(const struct rtl_bounds *b)
{
    unsigned n = 0;
    for (unsigned d = 0; d < RTL_MAX_DESIGNS; d++)
        for (unsigned f = 0; f < RTL_FIGURES; f++)
            n += b->of[d].has[f];
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rtl_bounds b = {0};
    char *text = malloc(size + 1), *rest = NULL;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        struct mp_error err = {""};
        unsigned before = count(&b);
        int found = rtl_bounds_line(line, &b, &err);
        if (count(&b) != before + (found > 0) || (found < 0) != (*err.text != 0))
            abort();
    }
    free(text);
    return 0;
}
