/* SPDX-License-Identifier: Apache-2.0 */
/* Timer and software interrupt of one hart (regs/clint.def). Every call passes the time, in ticks since
 * the platform's start. MTIME is this time plus the offset that firmware has set by writing it. */
#ifndef MP_SOC_CLINT_H
#define MP_SOC_CLINT_H

#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_clint {
    struct mp_regs regs;
    struct mp_CLINT_values value;
    struct mp_line software, timer;
    uint64_t now;   /* ticks */
    uint64_t shift; /* MTIME - now */
};

/* The caller fills in the lines before. */
void mp_clint_init(struct mp_clint *c);
/* MTIME. */
uint64_t mp_clint_time(const struct mp_clint *c);
/* Advances the time and updates the timer interrupt. */
void mp_clint_advance(struct mp_clint *c, uint64_t now);
/* Returns the ticks until the timer interrupt begins, or UINT64_MAX if it does not begin by time alone. */
uint64_t mp_clint_wait(const struct mp_clint *c);

#ifdef __cplusplus
}
#endif
#endif
