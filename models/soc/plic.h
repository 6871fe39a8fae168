/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupt controller (regs/plic.def). Sources are levels: a source that is still
 * active at its completion becomes pending again. */
#ifndef MP_SOC_PLIC_H
#define MP_SOC_PLIC_H

#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_plic {
    struct mp_regs regs;
    struct mp_PLIC_values value;
    struct mp_line irq, supervisor; /* of context 0, M-mode, and of context 1, S-mode */
    uint32_t level, served;         /* bit n: source n is active; source n was claimed and is not complete */
};

/* The caller fills in the lines before. */
void mp_plic_init(struct mp_plic *p);
/* A listener for mp_line.set. */
void mp_plic_source(void *plic, unsigned source, bool level);

#ifdef __cplusplus
}
#endif
#endif
