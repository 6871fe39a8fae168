/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/plic.h"

static uint32_t pending(const struct mp_plic *p)
{
    return p->level & ~p->served;
}

static uint64_t priority(const struct mp_plic *p, unsigned source)
{
    return p->value.PRIORITY[source - 1];
}

/* Returns the source that is pending and that the context has enabled of the highest priority above `above`,
 * or 0 if there is none. */
static unsigned best(const struct mp_plic *p, unsigned context, uint64_t above)
{
    unsigned found = 0;
    for (uint32_t left = pending(p) & (uint32_t)p->value.ENABLE[context]; left; left &= left - 1) {
        unsigned source = (unsigned)__builtin_ctz(left);
        if (priority(p, source) > above) {
            found = source;
            above = priority(p, source);
        }
    }
    return found;
}

static void update(struct mp_plic *p)
{
    mp_line_set(&p->irq, best(p, 0, p->value.THRESHOLD[0]) != 0);
    mp_line_set(&p->supervisor, best(p, 1, p->value.THRESHOLD[1]) != 0);
}

/* A claim ignores the threshold, as the specification requires. */
static uint64_t on_read(void *device, unsigned reg, unsigned index, uint64_t kept)
{
    struct mp_plic *p = device;
    (void)kept;
    if (reg == MP_PLIC_PENDING_ID)
        return pending(p);
    unsigned source = best(p, index, 0);
    p->served |= source ? 1u << source : 0;
    update(p);
    return source;
}

static void on_write(void *device, unsigned reg, unsigned index, uint64_t value)
{
    struct mp_plic *p = device;
    (void)index;
    if (reg == MP_PLIC_CLAIM_ID)
        p->served &= ~(1u << value);
    update(p);
}

void mp_plic_init(struct mp_plic *p)
{
    p->regs = (struct mp_regs){.block = &mp_soc_blocks[MP_BLOCK_PLIC],
                               .value = (uint64_t *)&p->value,
                               .device = p,
                               .read = on_read,
                               .write = on_write};
    mp_regs_reset(&p->regs);
    p->level = p->served = 0;
}

void mp_plic_source(void *plic, unsigned source, bool level)
{
    struct mp_plic *p = plic;
    p->level = level ? p->level | 1u << source : p->level & ~(1u << source);
    update(p);
}
