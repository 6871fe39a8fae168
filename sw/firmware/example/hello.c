/* SPDX-License-Identifier: Apache-2.0 */
/* A program for the management core: copy this folder and begin here. */
#include <stdio.h>

#include "soc/regs.h" /* every register, as `mempath firmware regs` lists them */

static volatile uint8_t *const uart = (volatile uint8_t *)MP_UART_BASE;

static int put(char c, FILE *f)
{
    (void)f;
    uart[MP_UART_THR] = (uint8_t)c;
    return 0;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, NULL, _FDEV_SETUP_WRITE);
FILE *const stdout = &console;

int main(void)
{
    volatile uint64_t *mtime = (volatile uint64_t *)(MP_CLINT_BASE + MP_CLINT_MTIME);
    volatile uint32_t *slices = (volatile uint32_t *)(MP_GPU_BASE + MP_GPU_SLICES);
    printf("hello from the management core, %lu ns after reset\n", (unsigned long)*mtime * 100);
    printf("the GPU has %lu slices\n", (unsigned long)*slices);
    return 0; /* the exit code of `mempath firmware run` */
}
