/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes decoded instructions (The RISC-V Instruction Set Manual, Volume I). Each is a case that ends with
 * the dispatch of the next one. What is needed for every instruction is in locals: the count, and where it
 * is.
 */
#include "soc/hart/csr.h"
#include "soc/hart/parts.h"

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

static inline uint64_t sign32(uint64_t value)
{
    return (uint64_t)(int64_t)(int32_t)value;
}

/* --- arithmetic that C leaves open ---------------------------------------------------------------- */

static inline uint64_t divide(uint64_t a, uint64_t b)
{
    if (!b)
        return UINT64_MAX;
    if (a == 1ull << 63 && b == UINT64_MAX)
        return a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t remainder_of(uint64_t a, uint64_t b)
{
    if (!b)
        return a;
    if (a == 1ull << 63 && b == UINT64_MAX)
        return 0;
    return (uint64_t)((int64_t)a % (int64_t)b);
}

/* The same of 32 bits: of values that are sign-extended, the quotient of 64 bits has the right lower half. */
static inline uint64_t divide32(uint64_t a, uint64_t b)
{
    return sign32(divide(sign32(a), sign32(b)));
}

static inline uint64_t remainder32(uint64_t a, uint64_t b)
{
    return sign32(remainder_of(sign32(a), sign32(b)));
}

static inline uint64_t divide_unsigned32(uint64_t a, uint64_t b)
{
    return (uint32_t)b ? sign32((uint32_t)a / (uint32_t)b) : UINT64_MAX;
}

static inline uint64_t remainder_unsigned32(uint64_t a, uint64_t b)
{
    return (uint32_t)b ? sign32((uint32_t)a % (uint32_t)b) : sign32(a);
}

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static inline uint64_t high(uint64_t a, uint64_t b)
{
    return (uint64_t)(((wide)(int64_t)a * (int64_t)b) >> 64);
}

static inline uint64_t high_mixed(uint64_t a, uint64_t b)
{
    return (uint64_t)(((wide)(int64_t)a * (wide)b) >> 64);
}

static inline uint64_t high_unsigned(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned_wide)a * b) >> 64);
}

/* --- atomics -------------------------------------------------------------------------------------- */

static uint64_t combined(unsigned name, uint64_t old, uint64_t with)
{
    switch (name) {
    case MP_RV_AMOSWAP_W:
    case MP_RV_AMOSWAP_D:
        return with;
    case MP_RV_AMOADD_W:
    case MP_RV_AMOADD_D:
        return old + with;
    case MP_RV_AMOXOR_W:
    case MP_RV_AMOXOR_D:
        return old ^ with;
    case MP_RV_AMOAND_W:
    case MP_RV_AMOAND_D:
        return old & with;
    case MP_RV_AMOOR_W:
    case MP_RV_AMOOR_D:
        return old | with;
    case MP_RV_AMOMIN_W:
    case MP_RV_AMOMIN_D:
        return (int64_t)old < (int64_t)with ? old : with;
    case MP_RV_AMOMAX_W:
    case MP_RV_AMOMAX_D:
        return (int64_t)old > (int64_t)with ? old : with;
    case MP_RV_AMOMINU_W:
    case MP_RV_AMOMINU_D:
        return old < with ? old : with; /* sign-extended values of 32 bits have the order of unsigned ones */
    default:
        return old > with ? old : with;
    }
}

/* LR, SC and AMO. false: an exception. SC fails if the memory has another value than LR has loaded. */
static bool atomic(struct mp_hart *h, const struct mp_rv_op *op)
{
    unsigned name = op->code / 2;
    bool is_wide = name == MP_RV_LR_D || name == MP_RV_SC_D || name >= MP_RV_AMOSWAP_D;
    bool reserves = name == MP_RV_LR_W || name == MP_RV_LR_D;
    unsigned width = is_wide ? 8 : 4;
    uint64_t address, with = is_wide ? h->x[op->rs2] : sign32(h->x[op->rs2]), old = 0;
    uint8_t *at = mp_hart_atomic(h, h->x[op->rs1], width, reserves, &address);
    if (!at)
        return false;
    memcpy(&old, at, width);
    old = is_wide ? old : sign32(old);
    if (reserves) {
        h->reserved = address;
        h->reserved_value = old;
        h->x[op->rd] = old;
        return true;
    }
    bool stores = true;
    if (name == MP_RV_SC_W || name == MP_RV_SC_D) {
        uint64_t change = h->reserved_value ^ old;
        stores = h->reserved == address && !(is_wide ? change : (uint32_t)change);
        h->reserved = NO_ADDRESS;
        h->x[op->rd] = !stores;
    } else {
        with = combined(name, old, with);
        h->x[op->rd] = old;
    }
    if (stores)
        mp_hart_store_memory(h, address, width, with);
    return true;
}

/* --- CSRs ----------------------------------------------------------------------------------------- */

/* false: illegal. */
static bool access_csr(struct mp_hart *h, const struct mp_rv_op *op)
{
    unsigned name = op->code / 2, csr = (unsigned)op->imm;
    bool immediate = name >= MP_RV_CSRRWI, replaces = name == MP_RV_CSRRW || name == MP_RV_CSRRWI,
         clears = name == MP_RV_CSRRC || name == MP_RV_CSRRCI;
    uint64_t old, with = immediate ? op->rs1 : h->x[op->rs1];
    if (!mp_hart_csr_allowed(h, csr) || !mp_hart_read_csr(h, csr, &old))
        return false;
    uint64_t from =
        csr == MP_CSR_MIP ? h->csr.mip : old; /* levels of lines do not become what software has set */
    if ((replaces || op->rs1) && !mp_hart_write_csr(h, csr,
                                                    replaces ? with
                                                    : clears ? from & ~with
                                                             : from | with))
        return false;
    h->x[op->rd] = old;
    if (mp_hart_interrupts_due(h))
        h->until = 0;
    return true;
}

/* Whether an instruction of S-mode is legal that this bit of mstatus keeps for M-mode. */
static bool supervises(const struct mp_hart *h, uint64_t trapped)
{
    return h->privilege == MP_HART_MACHINE ||
           (h->privilege == MP_HART_SUPERVISOR && !(h->csr.mstatus & trapped));
}

/* --- the loop ------------------------------------------------------------------------------------- */

/* A load outside the first memory. */
static bool load(struct mp_hart *h, const struct mp_rv_op *op, uint64_t address)
{
    static const struct {
        uint8_t width, sign; /* sign: bits above the value, if they are copies of its sign */
    } loads[] = {/* LB to LD */ {1, 56},  {2, 48}, {4, 32}, {8, 0},
                 /* LBU to LWU */ {1, 0}, {2, 0},  {4, 0}};
    unsigned which = op->code / 2 - MP_RV_LB, sign = loads[which].sign;
    uint64_t value;
    if (!mp_hart_load(h, address, loads[which].width, &value))
        return false;
    if (loads[which].width < 8)
        value &= (1ull << 8 * loads[which].width) - 1;
    h->x[op->rd] = (uint64_t)((int64_t)(value << sign) >> sign);
    return true;
}

static bool store(struct mp_hart *h, const struct mp_rv_op *op, uint64_t address)
{
    return mp_hart_store(h, address, 1u << (op->code / 2 - MP_RV_SB), h->x[op->rs2]);
}

/* Whether EBREAK is between the two instructions that mark a call by semihosting. */
static bool is_call(const struct mp_hart *h)
{
    enum { SLLI_BEFORE = 0x01f01013, CALL = 0x00100073, SRAI_AFTER = 0x40705013 };
    return h->bus.semihost && mp_hart_instruction(h, h->pc - 4) == SLLI_BEFORE &&
           mp_hart_instruction(h, h->pc) == CALL && mp_hart_instruction(h, h->pc + 4) == SRAI_AFTER;
}

/* Both lengths of an instruction. `halves` is a constant in each, so that the address of the next op needs no
 * load. */
#define BOTH(name, ...)                                                                                      \
    case MP_RV_LONG(name): {                                                                                 \
        enum { halves = 2 };                                                                                 \
        __VA_ARGS__;                                                                                         \
        op += halves;                                                                                        \
        goto next;                                                                                           \
    }                                                                                                        \
    case MP_RV_SHORT(name): {                                                                                \
        enum { halves = 1 };                                                                                 \
        __VA_ARGS__;                                                                                         \
        op += halves;                                                                                        \
        goto next;                                                                                           \
    }
#define RD               x[op->rd]
#define RS1              x[op->rs1]
#define RS2              x[op->rs2]
#define IMM              ((uint64_t)op->imm)
#define SET(name, value) BOTH(name, RD = (value))

#define BRANCH(name, condition)                                                                              \
    BOTH(                                                                                                    \
        name, if (condition) {                                                                               \
            if (LIKELY(op->near)) {                                                                          \
                op += op->imm / 2;                                                                           \
                goto next;                                                                                   \
            }                                                                                                \
            pc = PC + IMM;                                                                                   \
            goto jump;                                                                                       \
        })

/* The address of the op's instruction. An op takes 16 bytes for each halfword of code, so that an eighth of
 * its place in the host's memory differs from the address by the same number in a whole page: h->origin. */
#define PLACE(op) ((uint64_t)(uintptr_t)(op) / (sizeof(struct mp_rv_op) / 2))
#define PC        (h->origin + PLACE(op))

/* For functions that need the hart's state to be complete. */
#define SHOW (h->pc = PC, h->counts.instructions = count)

#define LOAD(name, type)                                                                                     \
    BOTH(                                                                                                    \
        name, const uint64_t at = RS1 + IMM - base; type loaded; if (LIKELY(at < fast)) {                    \
            memcpy(&loaded, host + at, sizeof loaded);                                                       \
            RD = (uint64_t)(int64_t)loaded;                                                                  \
        } else {                                                                                             \
            SHOW;                                                                                            \
            if (!load(h, op, at + base))                                                                     \
                goto exception;                                                                              \
        })

/* Pages with decoded instructions have a way that forgets these. */
#define STORE(name, type)                                                                                    \
    BOTH(                                                                                                    \
        name, const uint64_t at = RS1 + IMM - base; const type stored = (type)RS2;                           \
        if (LIKELY(at < fast && !pages[at / PAGE] && !pages[(at + sizeof stored - 1) / PAGE])) {             \
            memcpy(host + at, &stored, sizeof stored);                                                       \
        } else {                                                                                             \
            SHOW;                                                                                            \
            if (!store(h, op, at + base))                                                                    \
                goto exception;                                                                              \
        })

#define SLOW(name, done) BOTH(name, SHOW; if (!(done)) goto exception)

#define ATOMIC(name) SLOW(name, atomic(h, op))
/* A counter of instructions does not count the one that reads it. */
#define CSR(name) BOTH(name, SHOW; h->counts.instructions--; if (!access_csr(h, op)) goto illegal)

enum event mp_hart_execute(struct mp_hart *h)
{
    uint64_t *const x = h->x;
    /* Addresses that are less than `fast` bytes above `base` have 8 bytes of writable memory. */
    const uint64_t base = h->memory[0].base,
                   fast = h->data.direct && h->memory[0].writable ? h->memory[0].bytes - 7 : 0;
    uint8_t *const host = h->memory[0].host;
    struct page *const *const pages = h->memory[0].page;
    uint64_t count = h->counts.instructions, pc = h->next;
    struct mp_rv_op *op = NULL, *target;
    enum event event;
    h->changed = false;

jump:
    target = mp_hart_fetch(h, pc);
    if (UNLIKELY(!target))
        goto no_memory;
    op = target;
    h->origin = pc - PLACE(op);
next:
    if (UNLIKELY(count >= h->until)) {
        if (op->code == MP_RV_LONG(NEXT_PAGE))
            goto next_page;
        SHOW;
        event = mp_hart_look(h, h->pc);
        if (event != NOTHING) {
            h->next = h->pc;
            return event;
        }
    }
    count++;
dispatch:
    switch (op->code) {
        SET(LUI, IMM)
        SET(AUIPC, PC + IMM)
        SET(ADDI, RS1 + IMM)
        SET(SLTI, (int64_t)RS1 < op->imm)
        SET(SLTIU, RS1 < IMM)
        SET(XORI, RS1 ^ IMM)
        SET(ORI, RS1 | IMM)
        SET(ANDI, RS1 & IMM)
        SET(SLLI, RS1 << IMM)
        SET(SRLI, RS1 >> IMM)
        SET(SRAI, (uint64_t)((int64_t)RS1 >> IMM))
        SET(ADDIW, sign32(RS1 + IMM))
        SET(SLLIW, sign32(RS1 << IMM))
        SET(SRLIW, sign32((uint32_t)RS1 >> IMM))
        SET(SRAIW, (uint64_t)(int64_t)((int32_t)RS1 >> IMM))
        SET(ADD, RS1 + RS2)
        SET(SUB, RS1 - RS2)
        SET(SLL, RS1 << (RS2 & 63))
        SET(SLT, (int64_t)RS1 < (int64_t)RS2)
        SET(SLTU, RS1 < RS2)
        SET(XOR, RS1 ^ RS2)
        SET(SRL, RS1 >> (RS2 & 63))
        SET(SRA, (uint64_t)((int64_t)RS1 >> (RS2 & 63)))
        SET(OR, RS1 | RS2)
        SET(AND, RS1 & RS2)
        SET(ADDW, sign32(RS1 + RS2))
        SET(SUBW, sign32(RS1 - RS2))
        SET(SLLW, sign32(RS1 << (RS2 & 31)))
        SET(SRLW, sign32((uint32_t)RS1 >> (RS2 & 31)))
        SET(SRAW, (uint64_t)(int64_t)((int32_t)RS1 >> (RS2 & 31)))
        SET(MUL, RS1 * RS2)
        SET(MULH, high(RS1, RS2))
        SET(MULHSU, high_mixed(RS1, RS2))
        SET(MULHU, high_unsigned(RS1, RS2))
        SET(DIV, divide(RS1, RS2))
        SET(DIVU, RS2 ? RS1 / RS2 : UINT64_MAX)
        SET(REM, remainder_of(RS1, RS2))
        SET(REMU, RS2 ? RS1 % RS2 : RS1)
        SET(MULW, sign32(RS1 * RS2))
        SET(DIVW, divide32(RS1, RS2))
        SET(DIVUW, divide_unsigned32(RS1, RS2))
        SET(REMW, remainder32(RS1, RS2))
        SET(REMUW, remainder_unsigned32(RS1, RS2))

        BRANCH(BEQ, RS1 == RS2)
        BRANCH(BNE, RS1 != RS2)
        BRANCH(BLT, (int64_t)RS1 < (int64_t)RS2)
        BRANCH(BGE, (int64_t)RS1 >= (int64_t)RS2)
        BRANCH(BLTU, RS1 < RS2)
        BRANCH(BGEU, RS1 >= RS2)
        BRANCH(JAL, (RD = PC + 2 * halves, true))
        BOTH(JALR, pc = (RS1 + IMM) & ~1ull; RD = PC + 2 * halves; goto jump)

        LOAD(LB, int8_t)
        LOAD(LH, int16_t)
        LOAD(LW, int32_t)
        LOAD(LD, int64_t)
        LOAD(LBU, uint8_t)
        LOAD(LHU, uint16_t)
        LOAD(LWU, uint32_t)
        STORE(SB, uint8_t)
        STORE(SH, uint16_t)
        STORE(SW, uint32_t)
        STORE(SD, uint64_t)

        ATOMIC(LR_W)
        ATOMIC(LR_D)
        ATOMIC(SC_W)
        ATOMIC(SC_D)
        ATOMIC(AMOSWAP_W)
        ATOMIC(AMOADD_W)
        ATOMIC(AMOXOR_W)
        ATOMIC(AMOAND_W)
        ATOMIC(AMOOR_W)
        ATOMIC(AMOMIN_W)
        ATOMIC(AMOMAX_W)
        ATOMIC(AMOMINU_W)
        ATOMIC(AMOMAXU_W)
        ATOMIC(AMOSWAP_D)
        ATOMIC(AMOADD_D)
        ATOMIC(AMOXOR_D)
        ATOMIC(AMOAND_D)
        ATOMIC(AMOOR_D)
        ATOMIC(AMOMIN_D)
        ATOMIC(AMOMAX_D)
        ATOMIC(AMOMINU_D)
        ATOMIC(AMOMAXU_D)
        BOTH(FENCE, (void)0)
        BOTH(FENCE_I, (void)0)

        CSR(CSRRW)
        CSR(CSRRS)
        CSR(CSRRC)
        CSR(CSRRWI)
        CSR(CSRRSI)
        CSR(CSRRCI)

    case MP_RV_LONG(MRET):
        if (h->privilege != MP_HART_MACHINE)
            goto illegal;
        pc = mp_hart_mret(h);
        goto jump;
    case MP_RV_LONG(SRET):
        if (!supervises(h, MSTATUS_TSR))
            goto illegal;
        pc = mp_hart_sret(h);
        goto jump;
    case MP_RV_LONG(SFENCE_VMA):
        if (!supervises(h, MSTATUS_TVM))
            goto illegal;
        mp_hart_forget_translations(h);
        pc = PC + 4;
        goto jump;
    case MP_RV_LONG(WFI):
        if (!supervises(h, MSTATUS_TW))
            goto illegal;
        SHOW;
        h->next = h->pc + 4;
        return mp_hart_interrupt_pending(h) ? NOTHING : WAITS;
    case MP_RV_LONG(ECALL):
        SHOW;
        mp_hart_fail(h, MP_TRAP_ECALL_USER + h->privilege, 0);
        goto exception;
    case MP_RV_LONG(EBREAK):
    case MP_RV_SHORT(EBREAK):
        SHOW;
        if (is_call(h)) {
            h->bus.semihost(h->bus.self);
            op += 2;
            goto next;
        }
        mp_hart_fail(h, MP_TRAP_BREAKPOINT, h->pc);
        goto exception;
    case MP_RV_LONG(UNKNOWN):
        mp_hart_decode(op, PC);
        goto dispatch;
    case MP_RV_LONG(SPLIT):
        SHOW;
        target = mp_hart_fetch_alone(h, h->pc);
        if (!target)
            goto exception;
        op = target;
        h->origin = h->pc - PLACE(op);
        goto dispatch;
    case MP_RV_LONG(NEXT_PAGE):
        count--;
        goto next_page;
    default:
        goto illegal;
    }

next_page:
    pc = PC;
    goto jump;
illegal:
    SHOW;
    mp_hart_fail(h, MP_TRAP_ILLEGAL, mp_hart_instruction(h, h->pc));
exception:
    h->next = h->pc;
    return EXCEPTION;
no_memory: /* counts as an instruction; h->pc is the one that jumped */
    h->counts.instructions = count;
    h->pc = op ? PC : pc;
    h->next = pc;
    if (count >= h->limit)
        return LIMIT;
    mp_hart_tell(h, pc);
    h->counts.instructions++;
    return EXCEPTION;
}
