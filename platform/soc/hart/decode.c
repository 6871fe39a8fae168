/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/hart/decode.h"

#include <stddef.h>

#include "soc/hart/rv_access.h"

static uint32_t field(uint32_t i, unsigned low, unsigned bits)
{
    return i >> low & ((1u << bits) - 1);
}

/* --- 16-bit forms --------------------------------------------------------------------------------- */

enum { ZERO = 0, RA = 1, SP = 2 };
enum { LW = 2, LD = 3 }; /* the width in bits 12 to 14 */

static uint32_t r_type(uint32_t base, unsigned rd, unsigned rs1, unsigned rs2)
{
    return base | rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t i_type(uint32_t base, unsigned rd, unsigned rs1, uint32_t imm)
{
    return base | rd << 7 | rs1 << 15 | imm << 20;
}

static uint32_t load(unsigned width, unsigned rd, unsigned rs1, uint32_t imm)
{
    return i_type(0x03 | width << 12, rd, rs1, imm);
}

static uint32_t store(unsigned width, unsigned rs2, unsigned rs1, uint32_t imm)
{
    return 0x23 | width << 12 | field(imm, 0, 5) << 7 | rs1 << 15 | rs2 << 20 | field(imm, 5, 7) << 25;
}

static uint32_t jump(unsigned rd, uint32_t imm)
{
    return 0x6f | rd << 7 | field(imm, 12, 8) << 12 | field(imm, 11, 1) << 20 | field(imm, 1, 10) << 21 |
           field(imm, 20, 1) << 31;
}

static uint32_t branch(unsigned different, unsigned rs1, uint32_t imm)
{
    return 0x63 | different << 12 | field(imm, 11, 1) << 7 | field(imm, 1, 4) << 8 | rs1 << 15 |
           field(imm, 5, 6) << 25 | field(imm, 12, 1) << 31;
}

static uint32_t sign(uint32_t value, unsigned bits)
{
    return (uint32_t)((int32_t)(value << (32 - bits)) >> (32 - bits));
}

/* imm[5] in bit 12, imm[4:0] in bits 6 to 2. */
static uint32_t six(uint32_t i)
{
    return field(i, 12, 1) << 5 | field(i, 2, 5);
}

static uint32_t quadrant0(uint32_t i)
{
    unsigned rd = 8 + field(i, 2, 3), rs1 = 8 + field(i, 7, 3);
    uint32_t word = field(i, 10, 3) << 3 | field(i, 6, 1) << 2 | field(i, 5, 1) << 6,
             twice = field(i, 10, 3) << 3 | field(i, 5, 2) << 6;
    switch (field(i, 13, 3)) {
    case 0: { /* C.ADDI4SPN */
        uint32_t imm = field(i, 11, 2) << 4 | field(i, 7, 4) << 6 | field(i, 6, 1) << 2 | field(i, 5, 1) << 3;
        return imm ? i_type(0x13, rd, SP, imm) : 0;
    }
    case 2:
        return load(LW, rd, rs1, word);
    case 3:
        return load(LD, rd, rs1, twice);
    case 6:
        return store(LW, rd, rs1, word);
    case 7:
        return store(LD, rd, rs1, twice);
    default: /* floating point */
        return 0;
    }
}

/* C.SRLI to C.ADDW. */
static uint32_t arithmetic(uint32_t i)
{
    static const uint32_t bases[] = {0x40000033, 0x00004033, 0x00006033, 0x00007033, /* SUB XOR OR AND */
                                     0x4000003b, 0x0000003b, 0,          0};         /* SUBW ADDW */
    unsigned rd = 8 + field(i, 7, 3), rs2 = 8 + field(i, 2, 3);
    uint32_t base = bases[field(i, 12, 1) << 2 | field(i, 5, 2)];
    switch (field(i, 10, 2)) {
    case 0:
        return i_type(0x5013, rd, rd, six(i)); /* SRLI */
    case 1:
        return i_type(0x40005013, rd, rd, six(i)); /* SRAI */
    case 2:
        return i_type(0x7013, rd, rd, sign(six(i), 6)); /* ANDI */
    default:
        return base ? r_type(base, rd, rd, rs2) : 0;
    }
}

static uint32_t quadrant1(uint32_t i)
{
    unsigned rd = field(i, 7, 5), rs1 = 8 + field(i, 7, 3);
    uint32_t imm = sign(six(i), 6);
    switch (field(i, 13, 3)) {
    case 0: /* C.ADDI */
        return i_type(0x13, rd, rd, imm);
    case 1: /* C.ADDIW */
        return rd ? i_type(0x1b, rd, rd, imm) : 0;
    case 2: /* C.LI */
        return i_type(0x13, rd, ZERO, imm);
    case 3:
        if (!imm)
            return 0;
        if (rd != SP) /* C.LUI */
            return 0x37 | rd << 7 | imm << 12;
        return i_type(0x13, SP, SP, /* C.ADDI16SP */
                      sign(field(i, 12, 1) << 9 | field(i, 6, 1) << 4 | field(i, 5, 1) << 6 |
                               field(i, 3, 2) << 7 | field(i, 2, 1) << 5,
                           10));
    case 4:
        return arithmetic(i);
    case 5: /* C.J */
        return jump(ZERO, sign(field(i, 12, 1) << 11 | field(i, 11, 1) << 4 | field(i, 9, 2) << 8 |
                                   field(i, 8, 1) << 10 | field(i, 7, 1) << 6 | field(i, 6, 1) << 7 |
                                   field(i, 3, 3) << 1 | field(i, 2, 1) << 5,
                               12));
    default: /* C.BEQZ, C.BNEZ */
        return branch(field(i, 13, 1), rs1,
                      sign(field(i, 12, 1) << 8 | field(i, 10, 2) << 3 | field(i, 5, 2) << 6 |
                               field(i, 3, 2) << 1 | field(i, 2, 1) << 5,
                           9));
    }
}

/* C.JR, C.MV, C.EBREAK, C.JALR and C.ADD. */
static uint32_t jump_or_add(uint32_t i)
{
    unsigned rd = field(i, 7, 5), rs2 = field(i, 2, 5), second = field(i, 12, 1);
    if (rs2)
        return r_type(0x33, rd, second ? rd : ZERO, rs2);
    if (rd)
        return i_type(0x67, second ? RA : ZERO, rd, 0);
    return second ? 0x00100073 : 0;
}

static uint32_t quadrant2(uint32_t i)
{
    unsigned rd = field(i, 7, 5), rs2 = field(i, 2, 5);
    switch (field(i, 13, 3)) {
    case 0: /* C.SLLI */
        return i_type(0x1013, rd, rd, six(i));
    case 2: /* C.LWSP */
        return rd ? load(LW, rd, SP, field(i, 12, 1) << 5 | field(i, 4, 3) << 2 | field(i, 2, 2) << 6) : 0;
    case 3: /* C.LDSP */
        return rd ? load(LD, rd, SP, field(i, 12, 1) << 5 | field(i, 5, 2) << 3 | field(i, 2, 3) << 6) : 0;
    case 4:
        return jump_or_add(i);
    case 6: /* C.SWSP */
        return store(LW, rs2, SP, field(i, 9, 4) << 2 | field(i, 7, 2) << 6);
    case 7: /* C.SDSP */
        return store(LD, rs2, SP, field(i, 10, 3) << 3 | field(i, 7, 3) << 6);
    default: /* floating point */
        return 0;
    }
}

uint32_t mp_rv_expand(uint16_t instruction)
{
    switch (instruction & 3) {
    case 0:
        return quadrant0(instruction);
    case 1:
        return quadrant1(instruction);
    default:
        return quadrant2(instruction);
    }
}

/* --- 32-bit forms --------------------------------------------------------------------------------- */

enum format { R, I, S, B, U, J, H, Z };

static const struct {
    uint32_t mask, match;
    uint8_t name, format;
} instructions[] = {
#define ROW(name, mask, match, format) {mask, match, MP_RV_##name, format},
    MP_RV_INSTRUCTIONS(ROW)
#undef ROW
};

static int64_t immediate(uint32_t i, unsigned format)
{
    int32_t top = (int32_t)i;
    switch (format) {
    case I:
        return top >> 20;
    case S:
        return (int32_t)(((uint32_t)top & 0xfe000000) | field(i, 7, 5) << 20) >> 20;
    case B:
        return (int32_t)sign(
            field(i, 31, 1) << 12 | field(i, 7, 1) << 11 | field(i, 25, 6) << 5 | field(i, 8, 4) << 1, 13);
    case U:
        return (int32_t)(i & 0xfffff000);
    case J:
        return (int32_t)sign(field(i, 31, 1) << 20 | field(i, 12, 8) << 12 | field(i, 20, 1) << 11 |
                                 field(i, 21, 10) << 1,
                             21);
    case H:
        return field(i, 20, 6);
    case Z:
        return field(i, 20, 12);
    default:
        return 0;
    }
}

static bool same_page(uint64_t a, uint64_t b)
{
    return a >> 12 == b >> 12;
}

struct mp_rv_op mp_rv_decode(uint32_t instruction, uint64_t pc)
{
    bool is_short = mp_rv_length(instruction) == 2;
    uint32_t i = is_short ? mp_rv_expand((uint16_t)instruction) : instruction;
    uint8_t rd = (uint8_t)field(i, 7, 5);
    struct mp_rv_op op = {.rd = rd ? rd : MP_RV_NOWHERE,
                          .rs1 = (uint8_t)field(i, 15, 5),
                          .rs2 = (uint8_t)field(i, 20, 5),
                          .halves = is_short ? 1 : 2};
    unsigned name = MP_RV_ILLEGAL, format = R;
    for (size_t k = 0; k < sizeof instructions / sizeof *instructions; k++)
        if ((i & instructions[k].mask) == instructions[k].match) {
            name = instructions[k].name;
            format = instructions[k].format;
            break;
        }
    op.code = (uint8_t)(name * 2 + is_short);
    op.imm = immediate(i, format);
    op.near = (format == B || format == J) && same_page(pc, pc + (uint64_t)op.imm);
    return op;
}
