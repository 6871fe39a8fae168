/* SPDX-License-Identifier: Apache-2.0 */
/* The host's port (regs/host.def): registers that the core accesses by its bus, and the host by the functions
 * here. It knows nothing of rings, which only firmware and the host read. */
#ifndef MP_SOC_HOST_PORT_H
#define MP_SOC_HOST_PORT_H

#include "soc/line.h"
#include "soc/ring.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_host_port {
    struct mp_regs regs;
    struct mp_HOST_values value;
    struct mp_line irq; /* the core's */
    void *self;
    void (*interrupt)(void *self); /* a bit of HOST_INT_STATUS was set; NULL if the host does not listen */
};

/* The caller fills in irq, self and interrupt before. present: the run has a host. */
void mp_host_port_init(struct mp_host_port *p, bool present);

/* The host's accesses to the register at this offset. Return false if there is none, or if the host may not
 * write it; then nothing changes. */
bool mp_host_port_read(struct mp_host_port *p, uint32_t offset, uint32_t *value);
bool mp_host_port_write(struct mp_host_port *p, uint32_t offset, uint32_t value);

/* The operands of all commands, in the order of opcodes and indices. */
struct mp_host_operand {
    enum mp_host_opcode opcode;
    unsigned index;
    const char *word; /* its name in scripts */
    int kind;         /* MP_HOST_NUMBER, or the enum mp_soc_enum of its values */
    const char *text;
};
enum { MP_HOST_NUMBER = -1 };
extern const struct mp_host_operand mp_host_operand_list[];
extern const unsigned mp_host_noperands;

#ifdef __cplusplus
}
#endif
#endif
