/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a cell library, and any settings of cells: refused in one line, or with all that is asked of
 * it. */
#include <stdlib.h>
#include <string.h>

#include "cli/rtl/rtl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rtl_library l = {.driver = "buf", .nand2 = "nand"}, settings = {.file = NULL};
    struct mp_error err = {""};
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = 0;
    bool good = !rtl_library_text(text, size, &l, &err);
    if (good != !*err.text || strchr(err.text, '\n') ||
        (good && (!*l.name || !*l.flops || !(l.nand2_area > 0))))
        abort();
    if (good)
        free(l.flops);
    *err.text = 0;
    if (rtl_library_cells(text, &settings, &err) != 0 && !*err.text)
        abort();
    free(text);
    return 0;
}
