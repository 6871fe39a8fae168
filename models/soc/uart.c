/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/uart.h"

enum { CAUSE_NONE = 1, CAUSE_TX = 2, CAUSE_RX = 4, CAUSE_LINE = 6 };

/* Returns the low bits of IIR: the most urgent of the interrupts that are enabled and pending. */
static unsigned cause(const struct mp_uart *u)
{
    uint64_t enabled = u->value.IER[0];
    if (enabled & MP_UART_IER_LINE && u->value.LSR[0] & MP_UART_LSR_OE)
        return CAUSE_LINE;
    if (enabled & MP_UART_IER_RX && u->held)
        return CAUSE_RX;
    if (enabled & MP_UART_IER_TX && u->tx_empty_waits)
        return CAUSE_TX;
    return CAUSE_NONE;
}

static void update(struct mp_uart *u)
{
    u->value.LSR[0] &= ~MP_UART_LSR_DR;
    if (u->held)
        u->value.LSR[0] |= MP_UART_LSR_DR;
    mp_line_set(&u->irq, cause(u) != CAUSE_NONE);
}

static uint64_t take(struct mp_uart *u)
{
    if (!u->held)
        return 0;
    uint8_t character = u->fifo[u->first];
    u->first = (u->first + 1) % MP_UART_FIFO;
    u->held--;
    return character;
}

static uint64_t read_iir(struct mp_uart *u)
{
    unsigned c = cause(u);
    if (c == CAUSE_TX)
        u->tx_empty_waits = false;
    return c | (u->fifos ? MP_UART_IIR_FIFOS : 0);
}

static uint64_t on_read(void *device, unsigned reg, unsigned index, uint64_t kept)
{
    struct mp_uart *u = device;
    (void)index;
    uint64_t value = kept;
    if (reg == MP_UART_RBR_ID)
        value = take(u);
    else if (reg == MP_UART_IIR_ID)
        value = read_iir(u);
    else if (reg == MP_UART_LSR_ID)
        u->value.LSR[0] &= ~MP_UART_LSR_OE;
    update(u);
    return value;
}

static void on_write(void *device, unsigned reg, unsigned index, uint64_t value)
{
    struct mp_uart *u = device;
    (void)index;
    if (reg == MP_UART_THR_ID)
        u->send(u->self, (uint8_t)value);
    if (reg == MP_UART_THR_ID || reg == MP_UART_IER_ID)
        u->tx_empty_waits =
            true; /* THR is empty again at once; enabling the interrupt makes it pending again */
    if (reg == MP_UART_FCR_ID) {
        bool fifos = value & MP_UART_FCR_ENABLE;
        if (value & MP_UART_FCR_CLEAR_RX || fifos != u->fifos)
            u->held = 0;
        u->fifos = fifos;
    }
    update(u);
}

static bool dlab(const void *device)
{
    const struct mp_uart *u = device;
    return u->value.LCR[0] & MP_UART_LCR_DLAB;
}

void mp_uart_init(struct mp_uart *u)
{
    u->regs = (struct mp_regs){.block = &mp_soc_blocks[MP_BLOCK_UART],
                               .value = (uint64_t *)&u->value,
                               .device = u,
                               .read = on_read,
                               .write = on_write,
                               .dlab = dlab};
    mp_regs_reset(&u->regs);
    u->first = u->held = 0;
    u->fifos = u->tx_empty_waits = false;
}

unsigned mp_uart_room(const struct mp_uart *u)
{
    return (u->fifos ? MP_UART_FIFO : 1) - u->held;
}

void mp_uart_receive(struct mp_uart *u, uint8_t character)
{
    if (!mp_uart_room(u))
        u->value.LSR[0] |= MP_UART_LSR_OE;
    else
        u->fifo[(u->first + u->held++) % MP_UART_FIFO] = character;
    update(u);
}
