/* SPDX-License-Identifier: Apache-2.0 */
#include "print.h"

#include <stdarg.h>
#include <stdio.h>

#include "uart.h"

void print(const char *format, ...)
{
    char text[PRINT_LINE];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (const char *c = text; *c; c++)
        uart_put(*c);
}
