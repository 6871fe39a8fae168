/* SPDX-License-Identifier: Apache-2.0 */
/* Copy engine (regs/dma.def). The model keeps the registers and says what to move next; whoever owns it
 * moves. */
#ifndef MP_SOC_DMA_H
#define MP_SOC_DMA_H

#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_DMA_CHUNK 256u /* bytes moved at once */
#define MP_DMA_RATE  16u  /* bytes a cycle */

struct mp_dma_move {
    uint64_t source, target;
    uint32_t bytes; /* 1 to MP_DMA_CHUNK */
};

struct mp_dma {
    struct mp_regs regs;
    struct mp_DMA_values value;
    struct mp_line irq;
    void *self;
    void (*started)(void *self); /* from now on mp_dma_next has work */
    uint64_t source, target, left;
};

/* irq, self and started are the caller's to fill in before. */
void mp_dma_init(struct mp_dma *d);
/* What to move next; false when idle. */
bool mp_dma_next(const struct mp_dma *d, struct mp_dma_move *move);
/* That was moved, or met a bus error. */
void mp_dma_moved(struct mp_dma *d, bool ok);

#ifdef __cplusplus
}
#endif
#endif
