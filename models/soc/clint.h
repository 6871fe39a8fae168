/* SPDX-License-Identifier: Apache-2.0 */
/* Timer and software interrupt of one hart (regs/clint.def). Its time is given with every call, in ticks
 * since the platform's start; MTIME is that, plus what firmware wrote. */
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

/* The lines are the caller's to fill in before. */
void mp_clint_init(struct mp_clint *c);
/* Time goes on; the timer interrupt follows. */
void mp_clint_advance(struct mp_clint *c, uint64_t now);
/* Ticks until the timer interrupt begins, UINT64_MAX when time alone will not bring it. */
uint64_t mp_clint_wait(const struct mp_clint *c);

#ifdef __cplusplus
}
#endif
#endif
