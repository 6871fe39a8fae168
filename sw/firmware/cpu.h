/* SPDX-License-Identifier: Apache-2.0 */
/* The core itself: interrupts, sleep, end of the run. target/cpu.c implements it; the tests have another
 * implementation. */
#ifndef FW_CPU_H
#define FW_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Causes of interrupts, as in mcause. */
enum { CPU_SOFTWARE = 3, CPU_TIMER = 7, CPU_EXTERNAL = 11 };

/* From now on, traps call trap_handle (trap.h). */
void cpu_take_traps(void);

/* Enables or disables interrupts of this cause. */
void cpu_enable(unsigned cause, bool on);

/* No interrupt is taken between lock and unlock; they may be nested. */
bool cpu_lock(void);
void cpu_unlock(bool before);

/* Call it within cpu_lock. Sleeps until an enabled interrupt is pending, and takes the interrupt. */
void cpu_sleep(void);

/* Stores before the barrier reach memory before any access after it. */
void cpu_fence(void);

/* Number of instructions since reset. */
uint64_t cpu_instructions(void);

/* Ends the run; 0 is success. */
__attribute__((noreturn)) void cpu_finish(int code);

#ifdef __cplusplus
}
#endif
#endif
