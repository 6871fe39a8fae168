/* SPDX-License-Identifier: Apache-2.0 */
/* Timers and software interrupt of the core. Times in ticks of 100 ns. */
#ifndef FW_CLINT_H
#define FW_CLINT_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLINT_TICKS_PER_MS 10000u
#define CLINT_TICKS_PER_US 10u

/* A timer; any number may be set at a time. It stays until it has rung or is cleared. */
struct clint_timer {
    uint64_t at;
    volatile bool rang; /* since it was set */
    struct clint_timer *next;
};

void clint_init(void);
uint64_t clint_now(void);
/* It interrupts when the time is reached, and at once if the time is in the past. */
void clint_set(struct clint_timer *t, uint64_t at);
void clint_clear(struct clint_timer *t);
/* The same for a timer that the driver has for programs which need only one. */
void clint_alarm(uint64_t at);
void clint_cancel(void);
/* Whether the alarm that was set last has interrupted. */
bool clint_rang(void);
/* Requests the software interrupt of this core. */
void clint_poke(void);
/* Number of software interrupts taken. */
uint32_t clint_poked(void);

#ifdef __cplusplus
}
#endif
#endif
