/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/host_port.h"

enum { MP_ENUM_OF_NUMBER = MP_HOST_NUMBER }; /* a kind that is no enumeration */

#define OPERAND(opcode, index, name, word, kind, text)                                                       \
    {MP_HOST_DO_##opcode, index, word, (int)MP_ENUM_OF_##kind, text},
const struct mp_host_operand mp_host_operand_list[] = {MP_HOST_OPERANDS(OPERAND)};
const unsigned mp_host_noperands = sizeof mp_host_operand_list / sizeof *mp_host_operand_list;

static void update(struct mp_host_port *p)
{
    mp_line_set(&p->irq, p->value.INT_STATUS[0] & p->value.INT_ENABLE[0]);
}

static void interrupt_host(struct mp_host_port *p, uint64_t event)
{
    p->value.HOST_INT_STATUS[0] |= event;
    if (p->interrupt)
        p->interrupt(p->self);
}

static void on_write(void *device, unsigned reg, unsigned index, uint64_t value)
{
    struct mp_host_port *p = device;
    (void)index, (void)value;
    if (reg == MP_HOST_STATE_ID)
        interrupt_host(p, MP_HOST_HOST_INT_STATUS_STATE);
    if (reg == MP_HOST_DONE_TAIL_ID)
        interrupt_host(p, MP_HOST_HOST_INT_STATUS_DONE);
    update(p);
}

void mp_host_port_init(struct mp_host_port *p, bool present)
{
    p->regs = (struct mp_regs){.block = &mp_soc_blocks[MP_BLOCK_HOST],
                               .value = (uint64_t *)&p->value,
                               .device = p,
                               .write = on_write};
    mp_regs_reset(&p->regs);
    p->value.PRESENT[0] = present;
}

bool mp_host_port_read(struct mp_host_port *p, uint32_t offset, uint32_t *value)
{
    uint64_t data;
    bool found = mp_regs_access(&p->regs, offset, 4, false, &data);
    if (found)
        *value = (uint32_t)data;
    return found;
}

static void reset(struct mp_host_port *p)
{
    p->value.RESET[0] = (uint32_t)(p->value.RESET[0] + 1);
    p->value.TAIL[0] = p->value.DONE_HEAD[0] = 0;
    p->value.STATE[0] = MP_HOST_STATE_WAITS;
    p->value.INT_STATUS[0] |= MP_HOST_INT_STATUS_RESET;
}

bool mp_host_port_write(struct mp_host_port *p, uint32_t offset, uint32_t value)
{
    switch (offset) {
    case MP_HOST_ENTRIES:
        p->value.ENTRIES[0] = value;
        break;
    case MP_HOST_COMMANDS:
        p->value.COMMANDS[0] = value;
        break;
    case MP_HOST_COMPLETIONS:
        p->value.COMPLETIONS[0] = value;
        break;
    case MP_HOST_RESET:
        reset(p);
        break;
    case MP_HOST_TAIL:
        p->value.TAIL[0] = value;
        p->value.INT_STATUS[0] |= MP_HOST_INT_STATUS_COMMAND;
        break;
    case MP_HOST_DONE_HEAD:
        p->value.DONE_HEAD[0] = value;
        p->value.INT_STATUS[0] |= MP_HOST_INT_STATUS_ROOM;
        break;
    case MP_HOST_HOST_INT_STATUS:
        p->value.HOST_INT_STATUS[0] &= ~(uint64_t)value;
        break;
    default:
        return false;
    }
    update(p);
    return true;
}
