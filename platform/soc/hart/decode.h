/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes an RV64IMAC instruction into the form that execute.c runs. */
#ifndef MP_SOC_HART_DECODE_H
#define MP_SOC_HART_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "soc/hart/instructions.def"

#ifdef __cplusplus
extern "C" {
#endif

enum mp_rv_name {
    MP_RV_UNKNOWN, /* not decoded yet */
    MP_RV_ILLEGAL,
    MP_RV_SPLIT,     /* its second half is in the next page */
    MP_RV_NEXT_PAGE, /* follows a page's last instruction */
#define NAME(name, mask, match, format) MP_RV_##name,
    MP_RV_INSTRUCTIONS(NAME)
#undef NAME
};

/* The places in an op's code of an instruction of 4 bytes and of 2: different, so that the address of the
 * next op does not depend on a field that has to be loaded first. */
#define MP_RV_LONG(name)  (MP_RV_##name * 2u)
#define MP_RV_SHORT(name) (MP_RV_##name * 2u + 1)

struct mp_rv_op {
    uint8_t code;
    uint8_t rd; /* MP_RV_NOWHERE for x0 */
    uint8_t rs1, rs2;
    bool near;      /* the target of a branch or JAL is in the same page */
    uint8_t halves; /* length in halfwords */
    int64_t imm;
};

enum { MP_RV_NOWHERE = 32 };

/* The 32-bit form of a 16-bit instruction; 0 if it is illegal. */
uint32_t mp_rv_expand(uint16_t instruction);
/* An illegal instruction becomes MP_RV_ILLEGAL. */
struct mp_rv_op mp_rv_decode(uint32_t instruction, uint64_t pc);

#ifdef __cplusplus
}
#endif
#endif
