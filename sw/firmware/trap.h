/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: an interrupt calls the attached handler. An access of a device that ends
 * with a bus error is made again, up to three times; a word of the GPU's memory that cannot be read then
 * becomes 0. Another exception prints the registers and ends the run, except during trap_read and trap_write.
 */
#ifndef FW_TRAP_H
#define FW_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The layout that trap.S writes. */
struct trap_frame {
    uint64_t x[32]; /* x[0] is 0 */
    uint64_t pc, status, cause, value;
};

void trap_init(void);
/* Attaches a handler to CPU_SOFTWARE, CPU_TIMER or CPU_EXTERNAL, and enables the interrupt. */
void trap_attach(unsigned cause, void (*handler)(void));

/* Called by trap.S, which then continues at frame->pc. */
void trap_handle(struct trap_frame *frame);

/* An access of 1, 2, 4 or 8 bytes that may trap; returns false if it did. */
bool trap_read(uint64_t address, unsigned width, uint64_t *value);
bool trap_write(uint64_t address, unsigned width, uint64_t value);

/* Number of exceptions during trap_read and trap_write. */
uint32_t trap_caught(void);

#ifdef __cplusplus
}
#endif
#endif
