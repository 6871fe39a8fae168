/* SPDX-License-Identifier: Apache-2.0 */
/* Ends with a dump of known registers. */
#include "cpu.h"
#include "plic.h"
#include "trap.h"
#include "uart.h"

int main(void)
{
    trap_init();
    plic_init();
    uart_init();
    __asm__ volatile(
        "li s5, 0x5555\n li t3, 0x3333\n li a7, -2\n .globl crash_here\ncrash_here: .4byte 0xffffffff");
    return 0;
}
