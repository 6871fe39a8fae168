/* SPDX-License-Identifier: Apache-2.0 */
/* Sends back each character that it receives, one further in the alphabet, until q. Sleeps in between. */
#include "fw.h"

static volatile bool over;

static void on_interrupt(unsigned cause)
{
    uint32_t source = READ32(MP_PLIC_BASE + MP_PLIC_CLAIM);
    CHECK(cause == 11 && source == MP_UART_IRQ);
    while (READ8(MP_UART_BASE + MP_UART_LSR) & MP_UART_LSR_DR) {
        uint8_t c = READ8(MP_UART_BASE + MP_UART_RBR);
        over |= c == 'q';
        WRITE8(MP_UART_BASE + MP_UART_THR, c + 1);
    }
    WRITE32(MP_PLIC_BASE + MP_PLIC_CLAIM, source);
}

int main(void)
{
    fw_interrupt = on_interrupt;
    WRITE8(MP_UART_BASE + MP_UART_FCR, MP_UART_FCR_ENABLE);
    WRITE8(MP_UART_BASE + MP_UART_IER, MP_UART_IER_RX);
    WRITE32(MP_PLIC_BASE + MP_PLIC_PRIORITY + 4 * (MP_UART_IRQ - 1), 1);
    WRITE32(MP_PLIC_BASE + MP_PLIC_ENABLE, 1u << MP_UART_IRQ);
    CSR_SET(mie, MIE_EXTERNAL);
    while (!over) {
        __asm__ volatile("wfi");
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
    }
    return 0;
}
