/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_GWT_TEXT_H
#define MP_TRACE_GWT_TEXT_H

#include <stdio.h>

/* Prints a JSON string. */
static inline void gwt_json_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, out);
    fputc('"', out);
}

#endif
