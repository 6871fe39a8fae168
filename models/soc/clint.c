/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/clint.h"

uint64_t mp_clint_time(const struct mp_clint *c)
{
    return c->now + c->shift;
}

static uint64_t on_read(void *device, unsigned reg, unsigned index, uint64_t kept)
{
    (void)reg, (void)index, (void)kept; /* MTIME is the only such register */
    return mp_clint_time(device);
}

static void on_write(void *device, unsigned reg, unsigned index, uint64_t value)
{
    struct mp_clint *c = device;
    (void)index;
    if (reg == MP_CLINT_MTIME_ID)
        c->shift = value - c->now;
    mp_line_set(&c->software, c->value.MSIP[0]);
    mp_line_set(&c->timer, mp_clint_time(c) >= c->value.MTIMECMP[0]);
}

void mp_clint_init(struct mp_clint *c)
{
    c->regs = (struct mp_regs){.block = &mp_soc_blocks[MP_BLOCK_CLINT],
                               .value = (uint64_t *)&c->value,
                               .device = c,
                               .read = on_read,
                               .write = on_write};
    mp_regs_reset(&c->regs);
    c->now = c->shift = 0;
}

void mp_clint_advance(struct mp_clint *c, uint64_t now)
{
    c->now = now;
    mp_line_set(&c->timer, mp_clint_time(c) >= c->value.MTIMECMP[0]);
}

uint64_t mp_clint_wait(const struct mp_clint *c)
{
    uint64_t compare = c->value.MTIMECMP[0];
    return mp_clint_time(c) >= compare || compare == UINT64_MAX ? UINT64_MAX : compare - mp_clint_time(c);
}
