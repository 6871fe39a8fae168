/* SPDX-License-Identifier: Apache-2.0 */
/* The core itself: interrupts, sleeping, ending. target/cpu.c has it, the tests have another. */
#ifndef FW_CPU_H
#define FW_CPU_H

#include <stdbool.h>
#include <stdint.h>

/* Causes of interrupts, as in mcause. */
enum { CPU_SOFTWARE = 3, CPU_TIMER = 7, CPU_EXTERNAL = 11 };

/* Traps go to trap_handle (trap.h) from now on. */
void cpu_take_traps(void);

/* Lets this cause interrupt, or not. */
void cpu_enable(unsigned cause, bool on);

/* No interrupt is taken between the two; they may be nested. */
bool cpu_lock(void);
void cpu_unlock(bool before);

/* Within cpu_lock: sleeps until an enabled interrupt is pending, and takes it. */
void cpu_sleep(void);

/* Stores before it reach memory before any access behind it. */
void cpu_fence(void);

/* Instructions since reset. */
uint64_t cpu_instructions(void);

/* Ends the run; 0 is success. */
_Noreturn void cpu_finish(int code);

#endif
