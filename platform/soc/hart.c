/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/hart.h"

#include <stdlib.h>
#include <string.h>
#include <unicorn/unicorn.h>

#include "soc/rv_access.h"

enum { CPU_MODEL_SIFIVE_E51 = 2 }; /* RV64IMAC, M and U mode */
enum { MEMORIES = 4, WINDOWS = 16, SPECIAL = 4096 };
enum { MSTATUS_MIE = 0x8, MSTATUS_MPP_M = 0x1800, MSTATUS_TRAP = 0x1888, MPIE_SHIFT = 4 };
enum event { NOTHING, LIMIT, BREAKPOINT, WATCHPOINT, COUNTER, INTERRUPT, EXCEPTION };
enum { CSR_MIP = 0x344 };

#define NOWHERE UINT64_MAX

struct memory {
    uint64_t base, bytes;
    uint8_t *host;
};

struct window {
    struct mp_hart *hart;
    uint64_t base;
};

struct watchpoint {
    uint64_t address, bytes;
    unsigned kind;
};

struct mp_hart {
    uc_engine *uc;
    struct mp_hart_bus bus;
    struct mp_hart_counts counts;
    uint64_t until;       /* the hook looks closer from this count on: limit, or 0 to be asked at once */
    uint64_t limit, told; /* told: the count at the latest breakpoint, which is not met again at once */
    uint64_t pc;          /* of the latest instruction that the hook saw */
    uint64_t next;        /* where the next run begins */
    bool running, halted;
    enum event event;
    unsigned exception; /* of an EXCEPTION, as Unicorn numbers it */
    uint32_t pending;   /* a bit per interrupt cause */

    /* The device access that the current instruction makes. Unicorn cuts wide or misaligned ones into
     * pieces; the bus sees one. */
    uint64_t access_number; /* the instruction's count, 0: none yet */
    uint64_t access_address, access_data;
    uint64_t fault_pc;
    bool faulted; /* it met a bus error: its destination register gets its old value back */
    struct mp_rv_access access;
    uint64_t old_data;
    uint64_t bad_address; /* of an access outside the map */

    /* Nonzero where the hook must look closer: breakpoints, counter reads, enabling interrupts; by address.
     */
    uint8_t special[SPECIAL];
    uint64_t breakpoint[MP_HART_BREAKPOINTS];
    struct watchpoint watchpoint[MP_HART_WATCHPOINTS];
    bool watched; /* the latest instruction met one */
    uint64_t watched_at;
    unsigned watched_kind;
    uint64_t trace_first, trace_last; /* instructions that `see` is called for; none when first is 0 */
    mp_hart_see *see;
    void *seer;
    unsigned breakpoints, watchpoints, memories, windows;
    struct memory memory[MEMORIES];
    struct window window[WINDOWS];
    char why[160];
};

/* The CSRs that Unicorn lets its user see, by their numbers. */
static const struct {
    uint16_t csr;
    int id;
} csrs[] = {
    {0x300, UC_RISCV_REG_MSTATUS}, {0x301, UC_RISCV_REG_MISA},     {0x304, UC_RISCV_REG_MIE},
    {0x305, UC_RISCV_REG_MTVEC},   {0x340, UC_RISCV_REG_MSCRATCH}, {0x341, UC_RISCV_REG_MEPC},
    {0x342, UC_RISCV_REG_MCAUSE},  {0x343, UC_RISCV_REG_MTVAL},    {0xf14, UC_RISCV_REG_MHARTID},
};

static uint64_t get(const struct mp_hart *h, int id)
{
    uint64_t value = 0;
    uc_reg_read(h->uc, id, &value);
    return value;
}

static void set(struct mp_hart *h, int id, uint64_t value)
{
    uc_reg_write(h->uc, id, &value);
}

/* --- instructions ------------------------------------------------------------------------------- */

static const uint8_t *host_address(const struct mp_hart *h, uint64_t address, unsigned bytes)
{
    for (unsigned i = 0; i < h->memories; i++) {
        const struct memory *m = &h->memory[i];
        if (address - m->base < m->bytes && m->bytes - (address - m->base) >= bytes)
            return m->host + (address - m->base);
    }
    return NULL;
}

/* 0, which is no instruction, where there is no memory. */
static uint32_t instruction_at(const struct mp_hart *h, uint64_t pc)
{
    uint16_t low, high = 0;
    const uint8_t *p = host_address(h, pc, 2);
    if (!p)
        return 0;
    memcpy(&low, p, 2);
    if ((low & 3) == 3 && host_address(h, pc + 2, 2))
        memcpy(&high, p + 2, 2);
    return (uint32_t)high << 16 | low;
}

enum {
    SYSTEM = 0x73,
    BRANCH = 0x63,
    JALR = 0x67,
    JAL = 0x6f,
    WFI = 0x10500073,
    MRET = 0x30200073,
    EBREAK = 0x00100073
};
enum { C_EBREAK = 0x9002 };

static unsigned csr_of(uint32_t instruction)
{
    bool is_csr = (instruction & 0x7f) == SYSTEM && instruction >> 12 & 3;
    return is_csr ? instruction >> 20 : 0;
}

/* mcycle, minstret, cycle and instret, which Unicorn would answer with the host's clock. */
static bool is_counter(unsigned csr)
{
    return csr == 0xb00 || csr == 0xb02 || csr == 0xc00 || csr == 0xc02;
}

static bool reads_counter(uint32_t instruction)
{
    return is_counter(csr_of(instruction));
}

/* MRET and what may write mstatus or mie: an interrupt may be due right after it. */
static bool may_enable(uint32_t instruction)
{
    unsigned csr = csr_of(instruction);
    return instruction == MRET || csr == 0x300 || csr == 0x304;
}

static uint8_t *special(struct mp_hart *h, uint64_t pc)
{
    return &h->special[pc >> 1 & (SPECIAL - 1)];
}

/* Marks what needs a closer look in the block at pc: up to what changes the flow or ends a block of
 * Unicorn's. */
static void mark_block(struct mp_hart *h, uint64_t pc)
{
    for (unsigned i = 0; i < 512; i++) {
        uint32_t instruction = instruction_at(h, pc);
        unsigned opcode = instruction & 0x7f;
        if (!instruction)
            return;
        if (reads_counter(instruction) || may_enable(instruction))
            *special(h, pc) = 1;
        if ((instruction & 3) == 3 &&
            (opcode == SYSTEM || opcode == BRANCH || opcode == JALR || opcode == JAL))
            return;
        pc += mp_rv_length(instruction);
    }
}

static bool is_breakpoint(const struct mp_hart *h, uint64_t pc)
{
    for (unsigned i = 0; i < h->breakpoints; i++)
        if (h->breakpoint[i] == pc)
            return true;
    return false;
}

/* --- Unicorn's callbacks ------------------------------------------------------------------------ */

static uint64_t register_of(const struct mp_hart *h, unsigned number)
{
    return number ? get(h, UC_RISCV_REG_X0 + (int)number) : 0;
}

/* The address of an access that the instruction at hand makes. */
static uint64_t address_of(const struct mp_hart *h, const struct mp_rv_access *a)
{
    return register_of(h, a->base) + (uint64_t)(int64_t)a->offset;
}

/* Whether the instruction at pc is about to do what a watchpoint waits for. */
static void look_for_watched(struct mp_hart *h, uint64_t pc)
{
    struct mp_rv_access a;
    if (!mp_rv_access(instruction_at(h, pc), &a))
        return;
    uint64_t at = address_of(h, &a);
    unsigned does = (a.write ? MP_HART_WRITE : 0) | (!a.write || a.atomic ? MP_HART_READ : 0);
    for (unsigned i = 0; i < h->watchpoints; i++) {
        const struct watchpoint *w = &h->watchpoint[i];
        if (w->kind & does && (at - w->address < w->bytes || w->address - at < a.width)) {
            h->watched = true;
            h->watched_at = at - w->address < w->bytes ? at : w->address;
            h->watched_kind = w->kind;
            return;
        }
    }
}

/* Tells of the instruction at pc, which is about to begin. */
static void trace(const struct mp_hart *h, uint64_t pc)
{
    uint64_t number = h->counts.instructions + 1;
    if (h->trace_first && number >= h->trace_first && number <= h->trace_last)
        h->see(h->seer, number, pc, instruction_at(h, pc));
}

/* The count from which on the hook looks closer, when instruction `number` is the next that it sees. */
static uint64_t next_look(const struct mp_hart *h, uint64_t number)
{
    if (h->watchpoints || h->watched)
        return 0;
    if (!h->trace_first || number > h->trace_last || h->trace_first > h->limit)
        return h->limit;
    return h->trace_first - 1;
}

static bool interrupt_due(const struct mp_hart *h)
{
    return h->pending && h->pending & get(h, UC_RISCV_REG_MIE) && get(h, UC_RISCV_REG_MSTATUS) & MSTATUS_MIE;
}

/* Why the instruction at pc must not run now, NOTHING when it may. */
static enum event look_closer(struct mp_hart *h, uint64_t pc)
{
    bool enables = false;
    if (h->faulted)
        return EXCEPTION;
    if (h->watched && !h->halted)
        return WATCHPOINT;
    if (h->halted || h->counts.instructions >= h->limit)
        return LIMIT;
    if (h->until == 0 && interrupt_due(h))
        return INTERRUPT;
    if (*special(h, pc)) {
        if (is_breakpoint(h, pc) && h->counts.instructions != h->told)
            return BREAKPOINT;
        uint32_t instruction = instruction_at(h, pc);
        if (reads_counter(instruction)) {
            trace(h, pc);
            return COUNTER;
        }
        enables = h->pending && may_enable(instruction);
    }
    trace(h, pc);
    if (h->watchpoints)
        look_for_watched(h, pc);
    h->until = enables
                   ? 0
                   : next_look(h, h->counts.instructions + 2); /* 0: the next instruction is looked at, too */
    return NOTHING;
}

/* Before each instruction. */
static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *hart)
{
    struct mp_hart *h = hart;
    (void)size;
    h->pc = address;
    if (__builtin_expect(h->counts.instructions >= h->until || *special(h, address), 0)) {
        h->event = look_closer(h, address);
        if (h->event != NOTHING) {
            uc_emu_stop(uc);
            return;
        }
    }
    h->counts.instructions++;
}

static void on_new_block(uc_engine *uc, uc_tb *block, uc_tb *before, void *hart)
{
    (void)uc, (void)before;
    mark_block(hart, block->pc);
}

static void on_exception(uc_engine *uc, uint32_t number, void *hart)
{
    struct mp_hart *h = hart;
    h->event = EXCEPTION;
    h->exception = number;
    uc_emu_stop(uc);
}

static bool on_outside(uc_engine *uc, uc_mem_type type, uint64_t address, int size, int64_t value, void *hart)
{
    struct mp_hart *h = hart;
    bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;
    (void)uc, (void)value;
    h->bad_address = address;
    if (h->bus.refused && (write || type == UC_MEM_READ_UNMAPPED))
        h->bus.refused(h->bus.self, address, (unsigned)size, write);
    return false;
}

/* Whether the bus did it. */
static bool pass_on(struct mp_hart *h, const struct mp_rv_access *a)
{
    if (!a->atomic && h->access_address % a->width == 0)
        return h->bus.access(h->bus.self, h->access_address, &h->access_data, a->width, a->write);
    if (h->bus.refused)
        h->bus.refused(h->bus.self, h->access_address, a->width, a->write);
    return false;
}

/* The instruction's whole access, at its first piece. */
static void begin_access(struct mp_hart *h)
{
    struct mp_rv_access *a = &h->access;
    h->access_number = h->counts.instructions;
    if (!mp_rv_access(instruction_at(h, h->pc), a))
        *a = (struct mp_rv_access){.width = 1, .atomic = true}; /* not one that we know: refused below */
    h->access_address = address_of(h, a);
    h->access_data = a->write ? register_of(h, a->data) : 0;
    h->old_data = register_of(h, a->data);
    if (!pass_on(h, a)) {
        h->faulted = true;
        h->fault_pc = h->pc;
        h->until = 0;
    }
}

static uint64_t on_device_read(uc_engine *uc, uint64_t offset, unsigned size, void *window)
{
    const struct window *w = window;
    struct mp_hart *h = w->hart;
    (void)uc, (void)size;
    if (h->access_number != h->counts.instructions)
        begin_access(h);
    return h->faulted ? 0 : h->access_data >> (8 * (w->base + offset - h->access_address) & 63);
}

static void on_device_write(uc_engine *uc, uint64_t offset, unsigned size, uint64_t value, void *window)
{
    const struct window *w = window;
    (void)uc, (void)offset, (void)size, (void)value;
    if (w->hart->access_number != w->hart->counts.instructions)
        begin_access(w->hart);
}

/* --- traps -------------------------------------------------------------------------------------- */

static void stuck(struct mp_hart *h, const char *why)
{
    snprintf(h->why, sizeof h->why, "%s", why);
}

static void enter_trap(struct mp_hart *h, uint64_t cause, uint64_t epc, uint64_t value)
{
    uint64_t status = get(h, UC_RISCV_REG_MSTATUS), vector = get(h, UC_RISCV_REG_MTVEC);
    set(h, UC_RISCV_REG_MEPC, epc);
    if (get(h, UC_RISCV_REG_MEPC) != epc) {
        stuck(h, "the hart has left M-mode; firmware runs in M-mode throughout");
        return;
    }
    set(h, UC_RISCV_REG_MCAUSE, cause);
    set(h, UC_RISCV_REG_MTVAL, value);
    set(h, UC_RISCV_REG_MSTATUS,
        (status & ~(uint64_t)MSTATUS_TRAP) | (status & MSTATUS_MIE) << MPIE_SHIFT | MSTATUS_MPP_M);
    h->next = vector & ~3ull;
    if (vector & 1 && cause >> 63)
        h->next += 4 * (cause & 63);
}

static void except(struct mp_hart *h, unsigned cause, uint64_t epc, uint64_t value)
{
    h->counts.exceptions[cause % MP_TRAPS]++;
    h->watched = false; /* nothing was accessed */
    enter_trap(h, cause, epc, value);
    if (h->next == epc)
        snprintf(h->why, sizeof h->why,
                 "the trap handler at 0x%llx itself traps (cause %u); mtvec must point to code",
                 (unsigned long long)epc, cause);
}

/* External, software, timer: the order of the privileged specification. */
static void take_interrupt(struct mp_hart *h)
{
    static const unsigned order[] = {MP_IRQ_EXTERNAL, MP_IRQ_SOFTWARE, MP_IRQ_TIMER};
    if (!interrupt_due(h))
        return;
    uint32_t due = h->pending & (uint32_t)get(h, UC_RISCV_REG_MIE);
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (due >> order[i] & 1) {
            h->counts.interrupts[order[i]]++;
            enter_trap(h, 1ull << 63 | order[i], h->next, 0);
            return;
        }
}

/* The device answered with a bus error: the instruction has no effect but the trap. */
static void take_bus_error(struct mp_hart *h)
{
    uint64_t pc = h->fault_pc;
    h->faulted = false;
    if (!h->access.write && h->access.data)
        set(h, UC_RISCV_REG_X0 + h->access.data, h->old_data);
    except(h, h->access.write ? MP_TRAP_STORE : MP_TRAP_LOAD, pc, h->access_address);
}

static void take_exception(struct mp_hart *h)
{
    enum { ECALL_BY_UNICORN = 8 };
    struct mp_rv_access a;
    uint32_t instruction = instruction_at(h, h->pc);
    unsigned cause = h->exception == ECALL_BY_UNICORN ? MP_TRAP_ECALL : h->exception;
    uint64_t value = 0;
    if (cause == MP_TRAP_ILLEGAL) {
        value = mp_rv_length(instruction) == 2 ? instruction & 0xffff : instruction;
    } else if (mp_rv_access(instruction, &a)) { /* Unicorn takes every misaligned AMO for a load */
        value = address_of(h, &a);
        cause = a.write ? MP_TRAP_STORE_MISALIGNED : MP_TRAP_LOAD_MISALIGNED;
    }
    except(h, cause, h->pc, value);
}

/* What uc_emu_start could not go on with. */
static void take_error(struct mp_hart *h, uc_err error)
{
    uint32_t instruction = instruction_at(h, h->pc);
    switch (error) {
    case UC_ERR_FETCH_UNMAPPED:
    case UC_ERR_FETCH_PROT:
    case UC_ERR_EXCEPTION:
        h->next = get(h, UC_RISCV_REG_PC);
        trace(h, h->next);
        h->counts.instructions++; /* the hook did not see it */
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

/* The counter read at pc, whose value is the count of instructions; counters cannot be written. */
static void read_counter(struct mp_hart *h)
{
    unsigned rd = instruction_at(h, h->pc) >> 7 & 31;
    if (rd)
        set(h, UC_RISCV_REG_X0 + (int)rd, h->counts.instructions);
    h->counts.instructions++;
    h->next = h->pc + 4;
}

/* --- the interface ------------------------------------------------------------------------------ */

static bool add_hooks(struct mp_hart *h)
{
    const struct {
        int type;
        void *function;
    } hooks[] = {
        {UC_HOOK_CODE, (void *)(uintptr_t)on_instruction},
        {UC_HOOK_EDGE_GENERATED, (void *)(uintptr_t)on_new_block},
        {UC_HOOK_INTR, (void *)(uintptr_t)on_exception},
        {UC_HOOK_MEM_INVALID, (void *)(uintptr_t)on_outside},
    };
    uc_hook handle;
    for (unsigned i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (uc_hook_add(h->uc, &handle, hooks[i].type, hooks[i].function, h, (uint64_t)1, (uint64_t)0))
            return false;
    return true;
}

struct mp_hart *mp_hart_new(const struct mp_hart_bus *bus, struct mp_error *err)
{
    struct mp_hart *h = calloc(1, sizeof *h);
    if (!h) {
        mp_fail(err, "core: out of memory");
        return NULL;
    }
    h->bus = *bus;
    h->access_number = h->told = NOWHERE;
    if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &h->uc) ||
        uc_ctl_set_cpu_model(h->uc, CPU_MODEL_SIFIVE_E51) || !add_hooks(h)) {
        mp_fail(err, "core: Unicorn cannot make a RISC-V hart; version 2.0 is needed");
        mp_hart_free(h);
        return NULL;
    }
    return h;
}

void mp_hart_free(struct mp_hart *h)
{
    if (h && h->uc)
        uc_close(h->uc);
    free(h);
}

int mp_hart_map_memory(struct mp_hart *h, uint64_t base, uint64_t bytes, void *memory, bool writable,
                       struct mp_error *err)
{
    uint32_t rights = UC_PROT_READ | UC_PROT_EXEC | (writable ? UC_PROT_WRITE : 0);
    if (h->memories == MEMORIES || uc_mem_map_ptr(h->uc, base, bytes, rights, memory))
        return mp_fail(err,
                       "core: memory at 0x%llx cannot be mapped; %d pieces of whole 4 KB pages are possible",
                       (unsigned long long)base, MEMORIES);
    h->memory[h->memories++] = (struct memory){base, bytes, memory};
    return 0;
}

int mp_hart_map_devices(struct mp_hart *h, uint64_t base, uint64_t bytes, struct mp_error *err)
{
    struct window *w = &h->window[h->windows];
    if (h->windows == WINDOWS)
        return mp_fail(err, "core: too many windows for devices; %d are possible", WINDOWS);
    *w = (struct window){h, base};
    if (uc_mmio_map(h->uc, base, bytes, on_device_read, w, on_device_write, w))
        return mp_fail(err, "core: devices at 0x%llx cannot be mapped; whole 4 KB pages are possible",
                       (unsigned long long)base);
    h->windows++;
    return 0;
}

void mp_hart_forget(struct mp_hart *h, uint64_t base, uint64_t bytes)
{
    uc_ctl_remove_cache(h->uc, base, base + bytes);
}

void mp_hart_interrupt(struct mp_hart *h, unsigned cause, bool level)
{
    h->pending = level ? h->pending | 1u << cause : h->pending & ~(1u << cause);
    if (level && h->running)
        h->until = 0;
}

bool mp_hart_interrupt_pending(const struct mp_hart *h)
{
    return h->pending & get(h, UC_RISCV_REG_MIE);
}

static enum mp_hart_stop state(const struct mp_hart *h)
{
    if (h->why[0])
        return MP_HART_STUCK;
    return h->halted ? MP_HART_HALTED : MP_HART_LIMIT;
}

/* From h->next until an event, which is dealt with. */
static enum mp_hart_stop run_once(struct mp_hart *h)
{
    h->event = NOTHING;
    h->until = next_look(h, h->counts.instructions + 1);
    mark_block(h, h->next);
    h->running = true;
    uc_err error = uc_emu_start(h->uc, h->next, NOWHERE, 0, 0);
    h->running = false;
    if (h->faulted) {
        take_bus_error(h);
    } else if (h->event == EXCEPTION) {
        take_exception(h);
    } else if (error) {
        take_error(h, error);
    } else if (h->event == NOTHING) { /* WFI, or Unicorn had its own reason */
        h->next = get(h, UC_RISCV_REG_PC);
        if (instruction_at(h, h->pc) == WFI && !mp_hart_interrupt_pending(h))
            return MP_HART_WAITS;
    } else {
        h->next = h->pc;
        if (h->event == COUNTER)
            read_counter(h);
        if (h->event == BREAKPOINT) {
            h->told = h->counts.instructions;
            return MP_HART_BREAKPOINT;
        }
        if (h->event == WATCHPOINT) {
            h->watched = false;
            return MP_HART_WATCHPOINT;
        }
    }
    return state(h);
}

enum mp_hart_stop mp_hart_run(struct mp_hart *h, uint64_t instructions, uint64_t *done)
{
    enum mp_hart_stop stop = state(h);
    uint64_t start = h->counts.instructions;
    h->limit = start + instructions;
    while (stop == MP_HART_LIMIT && h->counts.instructions < h->limit) {
        take_interrupt(h);
        stop = run_once(h);
    }
    set(h, UC_RISCV_REG_PC, h->next);
    *done = h->counts.instructions - start;
    return stop;
}

void mp_hart_halt(struct mp_hart *h)
{
    h->halted = true;
    h->until = 0;
}

bool mp_hart_halted(const struct mp_hart *h)
{
    return h->halted;
}

const char *mp_hart_why(const struct mp_hart *h)
{
    return h->why;
}

static int id_of(unsigned number)
{
    if (number < MP_HART_PC)
        return UC_RISCV_REG_X0 + (int)number;
    for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++)
        if (number == (unsigned)MP_HART_CSR + csrs[i].csr)
            return csrs[i].id;
    return -1;
}

bool mp_hart_read(struct mp_hart *h, unsigned number, uint64_t *value)
{
    if (number == MP_HART_PC) {
        *value = h->next;
        return true;
    }
    if (number == MP_HART_CSR + CSR_MIP || is_counter(number - MP_HART_CSR)) {
        *value = number == MP_HART_CSR + CSR_MIP ? h->pending : h->counts.instructions;
        return true;
    }
    int id = id_of(number);
    *value = id < 0 || !number ? 0 : get(h, id);
    return id >= 0;
}

bool mp_hart_write(struct mp_hart *h, unsigned number, uint64_t value)
{
    int id = id_of(number);
    if (number == MP_HART_PC)
        h->next = value & ~1ull;
    else if (id < 0)
        return false;
    else if (number)
        set(h, id, value);
    return true;
}

bool mp_hart_break(struct mp_hart *h, uint64_t address, bool wanted)
{
    unsigned i = 0;
    while (i < h->breakpoints && h->breakpoint[i] != address)
        i++;
    if (wanted && i == h->breakpoints) {
        if (i == MP_HART_BREAKPOINTS)
            return false;
        h->breakpoint[h->breakpoints++] = address;
        *special(h, address) = 1;
    } else if (!wanted && i < h->breakpoints) {
        h->breakpoint[i] = h->breakpoint[--h->breakpoints]; /* a mark too many costs a look */
    }
    return true;
}

bool mp_hart_watch(struct mp_hart *h, uint64_t address, uint64_t bytes, unsigned kind, bool wanted)
{
    unsigned i = 0;
    while (i < h->watchpoints && (h->watchpoint[i].address != address || h->watchpoint[i].bytes != bytes ||
                                  h->watchpoint[i].kind != kind))
        i++;
    if (wanted && i == h->watchpoints) {
        if (i == MP_HART_WATCHPOINTS)
            return false;
        h->watchpoint[h->watchpoints++] = (struct watchpoint){address, bytes, kind};
    } else if (!wanted && i < h->watchpoints) {
        h->watchpoint[i] = h->watchpoint[--h->watchpoints];
        h->watched = false;
    }
    return true;
}

uint64_t mp_hart_watched(const struct mp_hart *h, unsigned *kind)
{
    *kind = h->watched_kind;
    return h->watched_at;
}

uint64_t mp_hart_at(const struct mp_hart *h)
{
    return h->pc;
}

void mp_hart_trace(struct mp_hart *h, uint64_t first, uint64_t last, mp_hart_see *see, void *self)
{
    h->trace_first = first;
    h->trace_last = last;
    h->see = see;
    h->seer = self;
}

const struct mp_hart_counts *mp_hart_counts(const struct mp_hart *h)
{
    return &h->counts;
}
