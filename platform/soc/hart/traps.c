/* SPDX-License-Identifier: Apache-2.0 */
/* Traps: interrupts, bus errors and exceptions, and the entry into the handler. */
#include "soc/hart/parts.h"

#include <stdio.h>

enum { MSTATUS_MPP_M = 0x1800, MSTATUS_TRAP = 0x1888, MPIE_SHIFT = 4 };

bool mp_hart_interrupt_due(const struct mp_hart *h)
{
    return h->pending && h->pending & get(h, UC_RISCV_REG_MIE) && get(h, UC_RISCV_REG_MSTATUS) & MSTATUS_MIE;
}

static void enter_trap(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    uint64_t status = get(h, UC_RISCV_REG_MSTATUS), vector = get(h, UC_RISCV_REG_MTVEC);
    set(h, UC_RISCV_REG_MEPC, epc);
    set(h, UC_RISCV_REG_MCAUSE, cause);
    set(h, UC_RISCV_REG_MTVAL, value);
    set(h, UC_RISCV_REG_MSTATUS,
        (status & ~(uint64_t)MSTATUS_TRAP) | (status & MSTATUS_MIE) << MPIE_SHIFT | MSTATUS_MPP_M);
    h->next = vector & ~3ull;
    if (vector & 1 && cause >> 63)
        h->next += 4 * (cause & 63);
    h->depth++;
    h->entered = h->counts.instructions;
    h->handler = h->next;
}

/* Unicorn's hart has U-mode, in which it neither writes nor reads CSRs. */
void mp_hart_stay_in_m(struct mp_hart *h)
{
    uint64_t status = get(h, UC_RISCV_REG_MSTATUS);
    if ((status & MSTATUS_MPP_M) != MSTATUS_MPP_M)
        set(h, UC_RISCV_REG_MSTATUS, status | MSTATUS_MPP_M);
}

void mp_hart_leave_trap(struct mp_hart *h)
{
    if (h->depth == h->open_depth)
        h->open.number = 0;
    h->depth -= h->depth > 0;
    h->trapped_at_entry = 0;
}

static void remember(struct mp_hart *h, unsigned cause, uint64_t pc, uint64_t value)
{
    h->latest = (struct mp_hart_exception){.number = h->counts.instructions,
                                           .pc = pc,
                                           .value = value,
                                           .sp = get(h, UC_RISCV_REG_SP),
                                           .from = cause == MP_TRAP_FETCH ? h->pc : pc,
                                           .instruction = mp_hart_instruction(h, pc),
                                           .cause = cause};
    if (h->open.number)
        return;
    h->open = h->latest;
    h->open_depth = h->depth + 1;
}

/* The handler's first instructions, before any jump, save registers. If they cannot be saved, that causes
 * another trap, and so on for ever. */
static bool in_entry(const struct mp_hart *h, uint64_t pc)
{
    enum { LONGEST = 64 };
    uint64_t done = h->counts.instructions - h->entered;
    return h->depth && done <= LONGEST && pc - h->handler <= 4 * done;
}

static void look_for_loop(struct mp_hart *h, unsigned cause, uint64_t pc)
{
    enum { PATIENCE = 3 };
    h->trapped_at_entry = in_entry(h, pc) ? h->trapped_at_entry + 1 : 0;
    if (h->trapped_at_entry == PATIENCE)
        snprintf(h->why, sizeof h->why,
                 "the trap handler at 0x%llx traps at 0x%llx (cause %u) before it has saved the registers",
                 (unsigned long long)h->handler, (unsigned long long)pc, cause);
}

static void except(struct mp_hart *h, unsigned cause, uint64_t epc, uint64_t value)
{
    h->counts.exceptions[cause % MP_TRAPS]++;
    h->watched = false; /* no memory was accessed */
    remember(h, cause, epc, value);
    look_for_loop(h, cause, epc);
    enter_trap(h, cause, epc, value);
    if (!h->why[0] && h->next == epc)
        snprintf(h->why, sizeof h->why,
                 "the trap handler at 0x%llx itself traps (cause %u); mtvec must point to code",
                 (unsigned long long)epc, cause);
}

/* External, software, timer: the order in the privileged specification. */
void mp_hart_take_interrupt(struct mp_hart *h)
{
    static const unsigned order[] = {MP_IRQ_EXTERNAL, MP_IRQ_SOFTWARE, MP_IRQ_TIMER};
    if (!mp_hart_interrupt_due(h))
        return;
    uint32_t due = h->pending & (uint32_t)get(h, UC_RISCV_REG_MIE);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (due >> order[i] & 1) {
            h->counts.interrupts[order[i]]++;
            enter_trap(h, 1ull << 63 | order[i], h->next, 0);
            return;
        }
}

/* The device answered with a bus error, so the instruction has no effect except the trap. */
void mp_hart_take_bus_error(struct mp_hart *h)
{
    uint64_t pc = h->fault_pc;
    h->faulted = false;
    if (!h->access.write && h->access.data)
        set(h, UC_RISCV_REG_X0 + h->access.data, h->old_data);
    except(h, h->access.write ? MP_TRAP_STORE : MP_TRAP_LOAD, pc, h->access_address);
}

void mp_hart_take_exception(struct mp_hart *h)
{
    enum { ECALL_BY_UNICORN = 8 };
    struct mp_rv_access a;
    uint32_t instruction = mp_hart_instruction(h, h->pc);
    unsigned cause = h->exception == ECALL_BY_UNICORN ? MP_TRAP_ECALL : h->exception;
    uint64_t value = 0;
    if (cause == MP_TRAP_ILLEGAL) {
        value = mp_rv_length(instruction) == 2 ? instruction & 0xffff : instruction;
    } else if (mp_rv_access(instruction, &a)) { /* Unicorn reports every misaligned AMO as a load */
        value = mp_hart_address_of(h, &a);
        cause = a.write ? MP_TRAP_STORE_MISALIGNED : MP_TRAP_LOAD_MISALIGNED;
    }
    except(h, cause, h->pc, value);
}

/* Handles an error with which uc_emu_start stopped. */
void mp_hart_take_error(struct mp_hart *h, uc_err error)
{
    uint32_t instruction = mp_hart_instruction(h, h->pc);
    switch (error) {
    case UC_ERR_FETCH_UNMAPPED:
    case UC_ERR_FETCH_PROT:
    case UC_ERR_EXCEPTION:
        h->next = get(h, UC_RISCV_REG_PC);
        mp_hart_tell(h, h->next);
        h->counts.instructions++; /* the hook was not called for it */
        except(h, MP_TRAP_FETCH, h->next, h->next);
        break;
    case UC_ERR_READ_UNMAPPED:
    case UC_ERR_READ_PROT:
        except(h, MP_TRAP_LOAD, h->pc, h->bad_address);
        break;
    case UC_ERR_WRITE_UNMAPPED:
    case UC_ERR_WRITE_PROT:
        except(h, MP_TRAP_STORE, h->pc, h->bad_address);
        break;
    case UC_ERR_INSN_INVALID:
        if (instruction == EBREAK || (instruction & 0xffff) == C_EBREAK)
            except(h, MP_TRAP_BREAKPOINT, h->pc, h->pc);
        else
            except(h, MP_TRAP_ILLEGAL, h->pc, instruction);
        break;
    default:
        snprintf(h->why, sizeof h->why, "Unicorn: %s at 0x%llx", uc_strerror(error),
                 (unsigned long long)h->pc);
    }
}
