/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions as text, by LLVM's disassembler. Its library is large, so it is loaded when it is first
 * needed. */
#ifndef MP_SOC_DISASSEMBLE_H
#define MP_SOC_DISASSEMBLE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_disassembler;

/* Returns NULL with err if there is no such library. */
struct mp_disassembler *mp_disassembler_open(struct mp_error *err);
void mp_disassembler_close(struct mp_disassembler *d); /* may be NULL */

/* "addi a0, a0, 1"; targets of jumps relative to pc. "-" for what is no instruction of RV64IMAC. */
void mp_disassemble(struct mp_disassembler *d, uint64_t pc, uint32_t code, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
