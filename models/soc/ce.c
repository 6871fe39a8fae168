/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/ce.h"

#include <math.h>

static void update(struct mp_ce *c)
{
    mp_line_set(&c->irq, c->value.INT_STATUS[0] & c->value.INT_ENABLE[0]);
}

static void note(struct mp_ce *c, unsigned low, unsigned engine)
{
    c->value.INT_STATUS[0] |= UINT64_C(1) << (low + engine);
}

/* Descriptors that have not ended. */
static uint32_t queued(const struct mp_ce *c, unsigned e)
{
    return c->engine[e].put - (uint32_t)c->value.GET[e];
}

static bool begin_ring(struct mp_ce *c, unsigned e, uint64_t entries)
{
    if (queued(c, e) ||
        (entries && (entries < MP_CE_FEWEST || entries > MP_CE_MOST || (entries & (entries - 1)))))
        return false;
    c->engine[e].base = c->value.RING_BASE[e];
    c->engine[e].entries = (uint32_t)entries;
    c->engine[e].put = 0;
    c->value.GET[e] = c->value.FENCE[e] = 0;
    return true;
}

static bool queue(struct mp_ce *c, unsigned e, uint32_t put)
{
    const uint32_t more = put - c->engine[e].put;
    if (more > c->engine[e].entries - queued(c, e))
        return false;
    c->engine[e].put = put;
    if (more)
        c->started(c->self, e);
    return true;
}

static void resume(struct mp_ce *c, unsigned e, bool skips)
{
    if (!c->value.ERROR[e])
        return;
    c->value.ERROR[e] = 0;
    c->value.GET[e] = (uint32_t)(c->value.GET[e] + skips);
    c->started(c->self, e);
}

static void on_write(void *device, unsigned reg, unsigned e, uint64_t value)
{
    struct mp_ce *c = device;
    bool refused = false;
    if (reg == MP_CE_RING_ENTRIES_ID)
        refused = !begin_ring(c, e, value);
    else if (reg == MP_CE_PUT_ID)
        refused = !queue(c, e, (uint32_t)value);
    else if (reg == MP_CE_RESUME_ID)
        resume(c, e, value);
    if (refused)
        note(c, MP_CE_INT_STATUS_REFUSED_LOW, e);
    if (reg == MP_CE_RING_ENTRIES_ID || reg == MP_CE_PUT_ID) { /* not what was written, if that was refused */
        c->value.RING_ENTRIES[e] = c->engine[e].entries;
        c->value.PUT[e] = c->engine[e].put;
    }
    update(c);
}

void mp_ce_init(struct mp_ce *c)
{
    c->regs = (struct mp_regs){
        .block = &mp_soc_blocks[MP_BLOCK_CE], .value = (uint64_t *)&c->value, .device = c, .write = on_write};
    mp_regs_reset(&c->regs);
    for (unsigned e = 0; e < MP_CE_ENGINES; e++) {
        c->engine[e].base = 0;
        c->engine[e].entries = c->engine[e].put = 0;
        c->engine[e].busy = false;
    }
}

bool mp_ce_next(struct mp_ce *c, unsigned e, uint64_t *address)
{
    if (!queued(c, e) || c->engine[e].busy || c->value.ERROR[e])
        return false;
    c->engine[e].busy = true;
    *address = c->engine[e].base + c->value.GET[e] % c->engine[e].entries * sizeof(struct mp_ce_descriptor);
    return true;
}

/* Far higher addresses would wrap around to other windows of the bus. */
static bool is_of(uint64_t address, bool host)
{
    return address / MP_CE_HOST == host;
}

enum mp_ce_error mp_ce_check(unsigned engine, const struct mp_ce_descriptor *d)
{
    const bool zero = d->flags & MP_CE_ZERO;
    if (d->flags & ~MP_CE_ZERO || (zero && engine == MP_CE_OUT))
        return MP_CE_ERROR_FLAGS;
    if (!d->bytes || d->bytes > MP_CE_MOST_BYTES)
        return MP_CE_ERROR_SIZE;
    if ((!zero && !is_of(d->source, engine == MP_CE_IN)) || !is_of(d->target, engine == MP_CE_OUT))
        return MP_CE_ERROR_DIRECTION;
    return MP_CE_ERROR_NONE;
}

uint64_t mp_ce_ns(const struct mp_ce_link *link, const struct mp_ce_descriptor *d)
{
    if (d->flags & MP_CE_ZERO)
        return (d->bytes + link->zero_gbps - 1) / link->zero_gbps;
    double rate = (double)link->gbps; /* bytes per ns */
    if (link->curve)
        rate *= M_2_PI * atan((double)link->curve * 1e-5 * d->bytes / 1024);
    return link->latency + (uint64_t)ceil(d->bytes / rate);
}

void mp_ce_ended(struct mp_ce *c, unsigned e, const struct mp_ce_descriptor *d, enum mp_ce_error error)
{
    c->engine[e].busy = false;
    c->value.ERROR[e] = error;
    if (error) {
        note(c, MP_CE_INT_STATUS_STOPPED_LOW, e);
    } else {
        c->value.FENCE[e] = d->fence;
        c->value.GET[e] = (uint32_t)(c->value.GET[e] + 1);
        note(c, MP_CE_INT_STATUS_COPIED_LOW, e);
    }
    update(c);
}
