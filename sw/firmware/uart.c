/* SPDX-License-Identifier: Apache-2.0 */
#include "uart.h"

#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "soc/regs.h"

#define UART(reg) (MP_UART_BASE + MP_UART_##reg)

enum { RING = 256 }; /* a power of two */

static struct {
    volatile char ring[RING];
    volatile uint32_t head, tail; /* characters are put at head and taken at tail */
    volatile uint32_t lost;
} uart;

static void receive(void)
{
    uint8_t status;
    while ((status = io_read8(UART(LSR))) & (MP_UART_LSR_DR | MP_UART_LSR_OE)) {
        if (status & MP_UART_LSR_OE)
            uart.lost++;
        if (!(status & MP_UART_LSR_DR))
            continue;
        char c = (char)io_read8(UART(RBR));
        if (uart.head - uart.tail == RING)
            uart.lost++;
        else
            uart.ring[uart.head++ % RING] = c;
    }
}

enum fw_error uart_init(void)
{
    enum { PRIORITY = 1 };
    uart.head = uart.tail = uart.lost = 0;
    io_write8(UART(LCR), 3); /* 8 bits, no parity, one stop bit; DLAB clear */
    io_write8(UART(FCR), MP_UART_FCR_ENABLE | MP_UART_FCR_CLEAR_RX);
    enum fw_error e = plic_attach(MP_UART_IRQ, PRIORITY, receive);
    if (!e)
        io_write8(UART(IER), MP_UART_IER_RX | MP_UART_IER_LINE);
    return e;
}

void uart_put(char c)
{
    while (!(io_read8(UART(LSR)) & MP_UART_LSR_THRE))
        ;
    io_write8(UART(THR), (uint8_t)c);
}

bool uart_get(char *c)
{
    if (uart.head == uart.tail)
        return false;
    *c = uart.ring[uart.tail % RING];
    uart.tail++;
    return true;
}

uint32_t uart_lost(void)
{
    return uart.lost;
}
