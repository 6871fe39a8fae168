/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is composed piece by piece; pieces that do not fit are cut off. */
#ifndef MP_SOC_SAY_H
#define MP_SOC_SAY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct mp_text {
    char *at; /* position of the next piece; contains a terminating 0 */
    size_t size;
};

__attribute__((format(printf, 2, 3))) static inline void mp_say(struct mp_text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->at, t->size, format, args);
    va_end(args);
    if (n < 0 || !t->size)
        return;
    size_t done = (size_t)n < t->size ? (size_t)n : t->size - 1;
    t->at += done;
    t->size -= done;
}

#endif
