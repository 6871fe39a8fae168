/* SPDX-License-Identifier: Apache-2.0 */
/* Console on the 16550: sent at once, received by interrupt into a ring. */
#ifndef FW_UART_H
#define FW_UART_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

enum fw_error uart_init(void);
void uart_put(char c);
/* False when nothing has come. */
bool uart_get(char *c);
/* Characters that found no room, here or in the device. */
uint32_t uart_lost(void);

#endif
