/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_ENGINE_ERROR_H
#define MP_ENGINE_ERROR_H

#include <stdarg.h>
#include <stdio.h>

/* A message about a wrong input, in one line: "WHERE: WHAT; WHAT IS ALLOWED". */
struct mp_error {
    char text[1024];
};

/* Fills err (which may be NULL) and returns -1, so that a check reads `return mp_fail(err, ...)`. A message
 * may quote any input and remains one line: control characters become '?'. */
__attribute__((format(printf, 2, 3))) static inline int mp_fail(struct mp_error *err, const char *format, ...)
{
    if (err) {
        va_list args;
        va_start(args, format);
        vsnprintf(err->text, sizeof err->text, format, args);
        va_end(args);
        for (char *c = err->text; *c; c++)
            if ((unsigned char)*c < 0x20 || *c == 0x7f)
                *c = '?';
    }
    return -1;
}

#ifdef __cplusplus
extern "C" {
#endif

/* The number of letters to change, add, drop or swap with a neighbour to turn a into b; the first 64 letters
 * of each count. For messages that name the nearest valid word. */
unsigned mp_edit_distance(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
