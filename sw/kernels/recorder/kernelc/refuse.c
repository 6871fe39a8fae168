/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the program with a message. */
#include "kernelc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("kernelc: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

void *must_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        refuse("out of memory");
    return p;
}
