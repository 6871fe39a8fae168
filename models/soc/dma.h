/* SPDX-License-Identifier: Apache-2.0 */
/* Copy engine (regs/dma.def). The model holds the registers and determines the next copy; its owner
 * performs the copy. */
#ifndef MP_SOC_DMA_H
#define MP_SOC_DMA_H

#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_DMA_CHUNK 256u /* bytes copied at once */
#define MP_DMA_RATE  16u  /* bytes per cycle */

struct mp_dma_move {
    uint64_t source, target;
    uint32_t bytes; /* 1 to MP_DMA_CHUNK */
};

struct mp_dma {
    struct mp_regs regs;
    struct mp_DMA_values value;
    struct mp_line irq;
    void *self;
    void (*started)(void *self); /* called when mp_dma_next has work */
    uint64_t source, target, left;
};

/* The caller fills in irq, self and started before. */
void mp_dma_init(struct mp_dma *d);
/* Returns the next piece to copy, or false if the engine is idle. */
bool mp_dma_next(const struct mp_dma *d, struct mp_dma_move *move);
/* Reports that the piece was copied or met a bus error. */
void mp_dma_moved(struct mp_dma *d, bool ok);

#ifdef __cplusplus
}
#endif
#endif
