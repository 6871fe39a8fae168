/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/hart/rv_access.h"

static uint32_t field(uint32_t instruction, unsigned low, unsigned bits)
{
    return instruction >> low & ((1u << bits) - 1);
}

static int32_t sign12(uint32_t value)
{
    return (int32_t)(value << 20) >> 20;
}

static bool full(uint32_t i, struct mp_rv_access *a)
{
    enum { LOAD = 0x03, STORE = 0x23, AMO = 0x2f };
    enum { LR = 2 };
    uint8_t width = (uint8_t)(1u << field(i, 12, 2)), rd = (uint8_t)field(i, 7, 5),
            rs1 = (uint8_t)field(i, 15, 5), rs2 = (uint8_t)field(i, 20, 5);
    switch (field(i, 0, 7)) {
    case LOAD:
        *a = (struct mp_rv_access){false, false, width, rs1, rd, sign12(field(i, 20, 12))};
        return true;
    case STORE:
        *a = (struct mp_rv_access){true, false, width, rs1, rs2, sign12(field(i, 25, 7) << 5 | rd)};
        return true;
    case AMO:
        *a = (struct mp_rv_access){field(i, 27, 5) != LR, true, width, rs1, rd, 0};
        return true;
    default:
        return false;
    }
}

/* Register-based forms: rs1' and rd'/rs2' are x8 to x15; offset[5:3], then [7:6] or [2] and [6]. */
static bool compressed(uint32_t i, struct mp_rv_access *a)
{
    uint8_t base = (uint8_t)(8 + field(i, 7, 3)), data = (uint8_t)(8 + field(i, 2, 3));
    int32_t word = (int32_t)(field(i, 10, 3) << 3 | field(i, 6, 1) << 2 | field(i, 5, 1) << 6),
            twice = (int32_t)(field(i, 10, 3) << 3 | field(i, 5, 2) << 6);
    bool write = field(i, 15, 1), wide = field(i, 13, 1);
    if (!field(i, 14, 1))
        return false; /* C.ADDI4SPN and floating point */
    *a = (struct mp_rv_access){write, false, wide ? 8 : 4, base, data, wide ? twice : word};
    return true;
}

/* Forms relative to the stack pointer. */
static bool compressed_stack(uint32_t i, struct mp_rv_access *a)
{
    enum { SP = 2 };
    bool write = field(i, 15, 1), wide = field(i, 13, 1);
    uint32_t offset;
    if (!field(i, 14, 1))
        return false; /* C.SLLI, C.JR and others */
    if (write && wide)
        offset = field(i, 10, 3) << 3 | field(i, 7, 3) << 6;
    else if (write)
        offset = field(i, 9, 4) << 2 | field(i, 7, 2) << 6;
    else if (wide)
        offset = field(i, 12, 1) << 5 | field(i, 5, 2) << 3 | field(i, 2, 3) << 6;
    else
        offset = field(i, 12, 1) << 5 | field(i, 4, 3) << 2 | field(i, 2, 2) << 6;
    *a = (struct mp_rv_access){
        write, false, wide ? 8 : 4, SP, (uint8_t)(write ? field(i, 2, 5) : field(i, 7, 5)), (int32_t)offset};
    return true;
}

bool mp_rv_access(uint32_t i, struct mp_rv_access *a)
{
    switch (i & 3) {
    case 0:
        return compressed(i, a);
    case 2:
        return compressed_stack(i, a);
    case 3:
        return full(i, a);
    default:
        return false;
    }
}
