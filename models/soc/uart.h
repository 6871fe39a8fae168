/* SPDX-License-Identifier: Apache-2.0 */
/* UART with the registers of a 16550 (regs/uart.def). */
#ifndef MP_SOC_UART_H
#define MP_SOC_UART_H

#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_UART_FIFO 16u

struct mp_uart {
    struct mp_regs regs;
    struct mp_UART_values value;
    struct mp_line irq;
    void *self;
    void (*send)(void *self, uint8_t character);
    uint8_t fifo[MP_UART_FIFO];
    unsigned first, held; /* number of characters in the FIFO */
    bool fifos, tx_empty_waits;
};

/* The caller fills in irq and send before. */
void mp_uart_init(struct mp_uart *u);
void mp_uart_receive(struct mp_uart *u, uint8_t character);
/* Returns the number of characters for which there is room. */
unsigned mp_uart_room(const struct mp_uart *u);

#ifdef __cplusplus
}
#endif
#endif
