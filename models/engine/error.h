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

#ifdef __cplusplus
extern "C" {
#endif

/* Letters to change, add, drop or swap with their neighbour to make b of a; of the first 64 of each. For a
 * message that names what was meant. */
unsigned mp_edit_distance(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
