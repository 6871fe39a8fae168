/* SPDX-License-Identifier: Apache-2.0 */
/* Console on the 16550. Output is sent at once; an interrupt handler receives input into a ring. */
#ifndef FW_UART_H
#define FW_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum fw_error uart_init(void);
void uart_put(char c);
/* Returns false if no character has been received. */
bool uart_get(char *c);
/* Number of characters lost because the ring or the device was full. */
uint32_t uart_lost(void);

#ifdef __cplusplus
}
#endif
#endif
