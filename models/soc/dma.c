/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/dma.h"

static void update(struct mp_dma *d)
{
    mp_line_set(&d->irq, d->value.STATUS[0] & d->value.INT_ENABLE[0]);
}

static void finish(struct mp_dma *d, uint64_t error)
{
    d->left = 0;
    d->value.STATUS[0] = (d->value.STATUS[0] & ~MP_DMA_STATUS_BUSY) | MP_DMA_STATUS_DONE | error;
}

static void start(struct mp_dma *d)
{
    if (d->value.STATUS[0] & MP_DMA_STATUS_BUSY) {
        d->value.STATUS[0] |= MP_DMA_STATUS_LOST;
        return;
    }
    d->source = d->value.SOURCE[0];
    d->target = d->value.TARGET[0];
    d->left = d->value.LENGTH[0];
    d->value.COPIED[0] = 0;
    if (!d->left) {
        finish(d, 0);
        return;
    }
    d->value.STATUS[0] |= MP_DMA_STATUS_BUSY;
    d->started(d->self);
}

static void on_write(void *device, unsigned reg, unsigned index, uint64_t value)
{
    struct mp_dma *d = device;
    (void)index;
    if (reg == MP_DMA_STATUS_ID && d->left)
        d->value.STATUS[0] |= MP_DMA_STATUS_BUSY;
    if (reg == MP_DMA_COMMAND_ID && value & MP_DMA_COMMAND_STOP && d->left)
        finish(d, 0);
    if (reg == MP_DMA_COMMAND_ID && value & MP_DMA_COMMAND_START)
        start(d);
    update(d);
}

void mp_dma_init(struct mp_dma *d)
{
    d->regs = (struct mp_regs){.block = &mp_soc_blocks[MP_BLOCK_DMA],
                               .value = (uint64_t *)&d->value,
                               .device = d,
                               .write = on_write};
    mp_regs_reset(&d->regs);
    d->source = d->target = d->left = 0;
}

bool mp_dma_next(const struct mp_dma *d, struct mp_dma_move *move)
{
    uint64_t done = d->value.COPIED[0];
    *move = (struct mp_dma_move){d->source + done, d->target + done,
                                 d->left < MP_DMA_CHUNK ? (uint32_t)d->left : MP_DMA_CHUNK};
    return d->left != 0;
}

void mp_dma_moved(struct mp_dma *d, bool ok)
{
    uint64_t bytes = d->left < MP_DMA_CHUNK ? d->left : MP_DMA_CHUNK;
    if (!d->left)
        return;
    if (!ok) {
        finish(d, MP_DMA_STATUS_ERROR);
    } else {
        d->value.COPIED[0] += bytes;
        d->left -= bytes;
        if (!d->left)
            finish(d, 0);
    }
    update(d);
}
