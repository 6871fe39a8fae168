/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupt controller: calls the handler of each source. Handlers run with interrupts disabled. */
#ifndef FW_PLIC_H
#define FW_PLIC_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PLIC_SOURCES = 32, PLIC_PRIORITIES = 8 };

void plic_init(void);
/* Attaches a handler to a source, 1 to 31, with a priority, 1 to 7. Returns FW_EEXIST if the source has one.
 */
enum fw_error plic_attach(unsigned source, unsigned priority, void (*handler)(void));
void plic_detach(unsigned source);
/* Whether a source is pending that is enabled. */
bool plic_pending(void);
/* Number of interrupts claimed from each source. */
uint32_t plic_count(unsigned source);

#ifdef __cplusplus
}
#endif
#endif
