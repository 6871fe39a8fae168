/* SPDX-License-Identifier: Apache-2.0 */
/* Polls in a loop for a character that never arrives. */
#include "fw.h"

__attribute__((noinline)) static void wait_for_character(void)
{
    while (!(READ8(MP_UART_BASE + MP_UART_LSR) & MP_UART_LSR_DR))
        ;
}

int main(void)
{
    WRITE8(MP_UART_BASE + MP_UART_SCR, 0x5a);
    wait_for_character();
    return 0;
}
