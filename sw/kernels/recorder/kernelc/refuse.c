/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the program with a message. */
#include "kernelc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn)) static void end(const char *format, va_list args)
{
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    exit(2);
}

void refuse(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("kernelc: ", stderr);
    end(format, args);
}

void refuse_at(struct place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (at.file)
        fprintf(stderr, "%.*s:%u: ", (int)at.length, at.file, at.line);
    end(format, args);
}

void refuse_recursion(LLVMValueRef kernel, LLVMValueRef call, const char *callee)
{
    size_t length;
    refuse_at(place_of(call),
              "kernel %s calls %s, which could not be inlined; "
              "recursion and calls of launched kernels are not supported",
              LLVMGetValueName2(kernel, &length), callee);
}

void *must_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        refuse("out of memory");
    return p;
}
