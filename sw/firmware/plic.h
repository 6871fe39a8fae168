/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupt controller: who is told of which source. Handlers run with interrupts off. */
#ifndef FW_PLIC_H
#define FW_PLIC_H

#include <stdint.h>

#include "error.h"

enum { PLIC_SOURCES = 32, PLIC_PRIORITIES = 8 };

void plic_init(void);
/* Sources 1 to 31 with priorities 1 to 7; FW_EEXIST when somebody is attached. */
enum fw_error plic_attach(unsigned source, unsigned priority, void (*handler)(void));
void plic_detach(unsigned source);
/* Interrupts claimed from each source. */
uint32_t plic_count(unsigned source);

#endif
