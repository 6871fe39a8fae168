/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/hart/hart.h"

#include <stdlib.h>
#include <string.h>

#include "soc/hart/parts.h"

enum { CPU_MODEL_SIFIVE_E51 = 2 }; /* RV64IMAC, M and U mode */

#define NOWHERE UINT64_MAX

/* --- instructions ------------------------------------------------------------------------------- */

static unsigned csr_of(uint32_t instruction)
{
    bool is_csr = (instruction & 0x7f) == SYSTEM && instruction >> 12 & 3;
    return is_csr ? instruction >> 20 : 0;
}

/* Whether the hart executes this access to a CSR in Unicorn's place. A write to a read-only CSR is left to
 * Unicorn, for which it is illegal. */
static bool reads_own_csr(uint32_t instruction)
{
    enum { CSRRW = 1 };
    unsigned csr = csr_of(instruction);
    bool read_only = csr >> 10 == 3, writes = (instruction >> 12 & 3) == CSRRW || instruction >> 15 & 31;
    return is_own_csr(csr) && !(read_only && writes);
}

/* MRET and instructions that may write mstatus or mie: an interrupt may be due right after them. */
static bool may_enable(uint32_t instruction)
{
    unsigned csr = csr_of(instruction);
    return instruction == MRET || csr == 0x300 || csr == 0x304;
}

/* Marks the instructions that need a closer check, from pc to the next one that changes the control flow
 * or ends a block of Unicorn's. */
static void mark_block(struct mp_hart *h, uint64_t pc)
{
    for (unsigned i = 0; i < 512; i++) {
        uint32_t instruction = mp_hart_instruction(h, pc);
        unsigned opcode = instruction & 0x7f;
        if (!instruction)
            return;
        if (reads_own_csr(instruction) || may_enable(instruction))
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

/* Returns whether the instruction at pc is about to make an access that matches a watchpoint. */
static void look_for_watched(struct mp_hart *h, uint64_t pc)
{
    struct mp_rv_access a;
    if (!mp_rv_access(mp_hart_instruction(h, pc), &a))
        return;
    uint64_t at = mp_hart_address_of(h, &a);
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

/* Returns the count from which the hook makes its closer check, if `number` is the next instruction that
 * the hook sees. */
static uint64_t next_look(const struct mp_hart *h, uint64_t number)
{
    if (h->watchpoints || h->watched)
        return 0;
    if (!h->trace_first || number > h->trace_last || h->trace_first > h->limit)
        return h->limit;
    return h->trace_first - 1;
}

/* Returns why the instruction at pc must not run now, or NOTHING if it may. */
static enum event look_closer(struct mp_hart *h, uint64_t pc)
{
    bool enables = false;
    if (h->faulted)
        return EXCEPTION;
    if (h->watched && !h->halted)
        return WATCHPOINT;
    if (h->halted || h->counts.instructions >= h->limit)
        return LIMIT;
    if (h->until == 0 && mp_hart_interrupt_due(h))
        return INTERRUPT;
    if (*special(h, pc)) {
        if (is_breakpoint(h, pc) && h->counts.instructions != h->reported)
            return BREAKPOINT;
        uint32_t instruction = mp_hart_instruction(h, pc);
        if (reads_own_csr(instruction)) {
            mp_hart_tell(h, pc);
            return READ_CSR;
        }
        if (may_enable(instruction))
            mp_hart_stay_in_m(h);
        if (instruction == MRET)
            mp_hart_leave_trap(h);
        enables = h->pending && may_enable(instruction);
    }
    mp_hart_tell(h, pc);
    if (h->watchpoints)
        look_for_watched(h, pc);
    h->until =
        enables
            ? 0
            : next_look(h, h->counts.instructions + 2); /* 0 if the next instruction must be checked, too */
    return NOTHING;
}

/* Called before each instruction. */
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

/* Returns whether the bus performed the access. */
static bool pass_on(struct mp_hart *h, const struct mp_rv_access *a)
{
    if (!a->atomic && h->access_address % a->width == 0)
        return h->bus.access(h->bus.self, h->access_address, &h->access_data, a->width, a->write);
    if (h->bus.refused)
        h->bus.refused(h->bus.self, h->access_address, a->width, a->write);
    return false;
}

/* Performs the instruction's whole access at its first piece. */
static void begin_access(struct mp_hart *h)
{
    struct mp_rv_access *a = &h->access;
    h->access_number = h->counts.instructions;
    if (!mp_rv_access(mp_hart_instruction(h, h->pc), a))
        *a = (struct mp_rv_access){.width = 1,
                                   .atomic = true}; /* not an access that is known here: refused below */
    h->access_address = mp_hart_address_of(h, a);
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

/* Executes the access to a CSR at pc. Writes have no effect. */
static void read_csr(struct mp_hart *h)
{
    uint32_t instruction = mp_hart_instruction(h, h->pc);
    unsigned rd = instruction >> 7 & 31;
    if (rd)
        set(h, UC_RISCV_REG_X0 + (int)rd, mp_hart_own_csr(h, csr_of(instruction)));
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
    h->access_number = h->reported = NOWHERE;
    if (uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &h->uc) ||
        uc_ctl_set_cpu_model(h->uc, CPU_MODEL_SIFIVE_E51) || !add_hooks(h)) {
        mp_fail(err, "core: Unicorn cannot create a RISC-V hart; version 2.0 is needed");
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

/* Runs from h->next until an event, and handles the event. */
static enum mp_hart_stop run_once(struct mp_hart *h)
{
    h->event = NOTHING;
    h->until = next_look(h, h->counts.instructions + 1);
    mark_block(h, h->next);
    h->running = true;
    uc_err error = uc_emu_start(h->uc, h->next, NOWHERE, 0, 0);
    h->running = false;
    if (h->faulted) {
        mp_hart_take_bus_error(h);
    } else if (h->event == EXCEPTION) {
        mp_hart_take_exception(h);
    } else if (error) {
        mp_hart_take_error(h, error);
    } else if (h->event == NOTHING) { /* WFI, or Unicorn stopped for an internal reason */
        h->next = get(h, UC_RISCV_REG_PC);
        if (mp_hart_instruction(h, h->pc) == WFI && !mp_hart_interrupt_pending(h))
            return MP_HART_WAITS;
    } else {
        h->next = h->pc;
        if (h->event == READ_CSR)
            read_csr(h);
        if (h->event == BREAKPOINT) {
            h->reported = h->counts.instructions;
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
        mp_hart_take_interrupt(h);
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

const struct mp_hart_exception *mp_hart_latest_exception(const struct mp_hart *h)
{
    return &h->latest;
}

const struct mp_hart_exception *mp_hart_open_exception(const struct mp_hart *h)
{
    return &h->open;
}

const struct mp_hart_counts *mp_hart_counts(const struct mp_hart *h)
{
    return &h->counts;
}
