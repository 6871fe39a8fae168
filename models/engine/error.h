/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_ENGINE_ERROR_H
#define MP_ENGINE_ERROR_H

#include <stdarg.h>
#include <stdio.h>

/* What went wrong with an input, as one line: "WHERE: WHAT; WHAT IS ALLOWED". */
struct mp_error {
    char text[512];
};

/* Fills err (which may be NULL) and returns -1, so that a check reads `return mp_fail(err, ...)`. */
__attribute__((format(printf, 2, 3))) static inline int mp_fail(struct mp_error *err, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
    }
    return -1;
}

#endif
