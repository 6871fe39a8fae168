/* SPDX-License-Identifier: Apache-2.0 */
/* Connects picolibc's stdout to the UART, for programs that use printf. */
#include <stdio.h>

#include "uart.h"

static int put(char c, FILE *f)
{
    (void)f;
    uart_put(c);
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;
FILE *const stderr = &console;
