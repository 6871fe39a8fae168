/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and completions in the rings of the host's port, as regs/host.def describes them. Firmware and the
 * host's library include this header. */
#ifndef MP_SOC_RING_H
#define MP_SOC_RING_H

#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MP_HOST_OPERAND_WORDS = 7, MP_HOST_VALUES = 3 };

struct mp_host_command {
    uint32_t opcode, sequence;
    uint64_t operand[MP_HOST_OPERAND_WORDS];
};

struct mp_host_completion {
    uint32_t sequence, status;
    uint64_t value[MP_HOST_VALUES];
};

enum {
    MP_HOST_COMMAND_BYTES = sizeof(struct mp_host_command),
    MP_HOST_COMPLETION_BYTES = sizeof(struct mp_host_completion),
    MP_HOST_COUNTERS_BYTES = 16 * 8,
    MP_HOST_FEWEST = 2, /* entries of a ring */
    MP_HOST_MOST = 1024,
    MP_HOST_ALIGNED = 64
};

/* MP_HOST_CREATE_SLICES: the index of that operand in the command. */
#define MP_HOST_OPERAND_INDEX(opcode, index, name, word, kind, text) MP_HOST_##opcode##_##name = (index),
enum { MP_HOST_OPERANDS(MP_HOST_OPERAND_INDEX) };

/* One more than the largest opcode. */
#define MP_HOST_OPCODE_PLUS(prefix, name, value, choice, text) +1
enum { MP_HOST_OPCODES = 1 + MP_ENUM_host_opcode(MP_HOST_OPCODE_PLUS, ) };

/* Number of operands that the opcode has. */
#define MP_HOST_OPERAND_COUNT(opcode, index, name, word, kind, text) +(MP_HOST_DO_##opcode == op)
static inline unsigned mp_host_operands(uint32_t op)
{
    return (unsigned)(0 MP_HOST_OPERANDS(MP_HOST_OPERAND_COUNT));
}

#ifdef __cplusplus
}
#endif
#endif
