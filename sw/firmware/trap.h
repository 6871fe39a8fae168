/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: interrupts go to who is attached, exceptions end the run with a dump of the registers, unless an
 * access is being tried. */
#ifndef FW_TRAP_H
#define FW_TRAP_H

#include <stdbool.h>
#include <stdint.h>

/* As trap.S leaves it. */
struct trap_frame {
    uint64_t x[32]; /* x[0] is 0 */
    uint64_t pc, status, cause, value;
};

void trap_init(void);
/* CPU_SOFTWARE, CPU_TIMER, CPU_EXTERNAL; it is enabled from then on. */
void trap_attach(unsigned cause, void (*handler)(void));

/* From trap.S. Where to go on is frame->pc. */
void trap_handle(struct trap_frame *frame);

/* An access of 1, 2, 4 or 8 bytes that may go wrong: false when it trapped. */
bool trap_read(uint64_t address, unsigned width, uint64_t *value);
bool trap_write(uint64_t address, unsigned width, uint64_t value);

/* Exceptions that trap_read and trap_write met. */
uint32_t trap_caught(void);

#endif
