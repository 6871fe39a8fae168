/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/crash.h"

#include <string.h>

#include "soc/explain.h"
#include "soc/hart/rv_access.h"
#include "soc/say.h"

enum { SP = 2 };
#define HEX(x) ((unsigned long long)(x))

static const char *const causes[MP_TRAPS] = {
    [MP_TRAP_FETCH_MISALIGNED] = "misaligned jump",
    [MP_TRAP_FETCH] = "instruction access fault",
    [MP_TRAP_ILLEGAL] = "illegal instruction",
    [MP_TRAP_BREAKPOINT] = "breakpoint",
    [MP_TRAP_LOAD_MISALIGNED] = "misaligned load",
    [MP_TRAP_LOAD] = "load access fault",
    [MP_TRAP_STORE_MISALIGNED] = "misaligned store or atomic",
    [MP_TRAP_STORE] = "store access fault",
    [MP_TRAP_ECALL_USER] = "environment call",
    [MP_TRAP_ECALL_SUPERVISOR] = "environment call",
    [MP_TRAP_ECALL] = "environment call",
    [MP_TRAP_FETCH_PAGE] = "instruction page fault",
    [MP_TRAP_LOAD_PAGE] = "load page fault",
    [MP_TRAP_STORE_PAGE] = "store page fault",
};

static const char *const modes[] = {
    [MP_HART_USER] = "U-mode", [MP_HART_SUPERVISOR] = "S-mode", [MP_HART_MACHINE] = "M-mode"};

/* --- where ---------------------------------------------------------------------------------------- */

/* Prints ", main+0x14 (hello.c:14)", or those parts of it that are known. */
static void say_place(struct mp_text *t, const struct mp_crash *c, uint64_t address)
{
    char symbol[96], line[256];
    mp_symbols_name(c->symbols, address, symbol, sizeof symbol);
    mp_symbols_line(c->symbols, address, line, sizeof line);
    const char *slash = strrchr(line, '/');
    bool named = strcmp(symbol, "-") != 0, lined = strcmp(line, "-") != 0;
    if (named)
        mp_say(t, ", %s", symbol);
    if (lined)
        mp_say(t, "%s(%s)", named ? " " : ", ", slash ? slash + 1 : line);
}

static void say_where(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    mp_say(t, "%s at pc 0x%llx", causes[e->cause] ? causes[e->cause] : "exception", HEX(e->pc));
    if (e->privilege != MP_HART_MACHINE)
        mp_say(t, " in %s", modes[e->privilege]);
    say_place(t, c, e->pc);
}

/* --- what ----------------------------------------------------------------------------------------- */

static bool is_floating(uint32_t i)
{
    enum { LOAD_FP = 0x07, STORE_FP = 0x27, MADD = 0x43, NMADD = 0x4f, OP_FP = 0x53 };
    unsigned opcode = i & 0x7f, quadrant = i & 3, f3 = i >> 13 & 7;
    if (quadrant == 3)
        return opcode == LOAD_FP || opcode == STORE_FP || opcode == OP_FP ||
               (opcode >= MADD && opcode <= NMADD && (opcode & 3) == 3);
    return quadrant != 1 && (f3 == 1 || f3 == 5); /* c.fld, c.fsd and their forms relative to sp */
}

static void say_illegal(struct mp_text *t, uint32_t i, unsigned privilege)
{
    enum { SYSTEM = 0x73 };
    bool is_short = mp_rv_length(i) == 2;
    uint32_t code = is_short ? i & 0xffff : i;
    mp_say(t, "0x%0*x ", is_short ? 4 : 8, code);
    if (!code)
        mp_say(t, "is no code: data, or code that was overwritten?");
    else if (is_floating(i))
        mp_say(t, "is a floating-point instruction; compile with -march=rv64imac");
    else if ((i & 0x7f) == SYSTEM && i >> 12 & 3)
        mp_say(t, "uses CSR 0x%03x, which does not exist%s or is read-only", i >> 20,
               privilege == MP_HART_MACHINE ? "" : ", is for more privilege");
    else if ((i & 0x7f) == SYSTEM && privilege != MP_HART_MACHINE)
        mp_say(t, "is for more privilege than %s", modes[privilege]);
    else
        mp_say(t, "is no instruction of RV64IMAC");
}

static void say_jump(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    if (e->from == e->pc)
        return;
    mp_say(t, "; the jump is at 0x%llx", HEX(e->from));
    say_place(t, c, e->from);
}

static bool is_fetch(const struct mp_hart_exception *e)
{
    return e->cause == MP_TRAP_FETCH || e->cause == MP_TRAP_FETCH_PAGE;
}

/* What the mode may not do: "S-mode to load from 0x1000". */
static void say_attempt(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    bool is_store = e->cause == MP_TRAP_STORE || e->cause == MP_TRAP_STORE_PAGE;
    mp_say(t, "%s to %s 0x%llx", modes[e->view],
           is_fetch(e) ? "fetch"
           : is_store  ? "store to"
                       : "load from",
           HEX(e->value));
    say_place(t, c, e->value);
}

static void say_denied(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    mp_say(t, "PMP does not permit ");
    say_attempt(t, c, e);
    if (e->translated)
        mp_say(t, ", because of physical address 0x%llx", HEX(e->physical));
    if (is_fetch(e))
        say_jump(t, c, e);
}

/* A page fault: the entry of the page tables that is the reason. */
static void say_page(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    enum { LEAF = 0x0a, VALID = 1 }; /* R or X */
    bool permits_others = e->walk.value & VALID && e->walk.value & LEAF;
    mp_say(t, permits_others ? "the page does not permit " : "no page for ");
    say_attempt(t, c, e);
    if (e->walk.entry)
        mp_say(t, "; level %u, entry at 0x%llx holds 0x%016llx", e->walk.level, HEX(e->walk.entry),
               HEX(e->walk.value));
    else
        mp_say(t, "; it is no virtual address: its upper bits are not all equal");
    if (is_fetch(e))
        say_jump(t, c, e);
}

static void say_refused(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    char text[256];
    struct mp_rv_access a = {.width = 2}; /* for a fetch */
    bool fetch = is_fetch(e);
    if (!fetch)
        mp_rv_access(e->instruction, &a);
    const struct mp_soc_access access = {.kind = fetch                       ? MP_SOC_FETCH
                                                 : e->cause == MP_TRAP_STORE ? MP_SOC_STORE
                                                                             : MP_SOC_LOAD,
                                         .address = e->translated ? e->physical : e->value,
                                         .width = a.width,
                                         .atomic = a.atomic,
                                         .dlab = c->dlab,
                                         .gpu_memory = c->gpu_memory};
    mp_soc_explain(&access, text, sizeof text);
    if (e->translated)
        mp_say(t, "0x%llx is mapped, and ", HEX(e->value));
    mp_say(t, "%s", text);
    if (fetch)
        say_jump(t, c, e);
}

static void say_misaligned(struct mp_text *t, const struct mp_hart_exception *e)
{
    struct mp_rv_access a = {.width = 0};
    mp_rv_access(e->instruction, &a);
    mp_say(t, "0x%llx is not aligned to the %u bytes of %s", HEX(e->value), a.width,
           a.atomic ? "an atomic" : "the access");
}

static void say_what(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    switch (e->cause) {
    case MP_TRAP_FETCH:
    case MP_TRAP_LOAD:
    case MP_TRAP_STORE:
        (e->denied ? say_denied : say_refused)(t, c, e);
        break;
    case MP_TRAP_LOAD_MISALIGNED:
    case MP_TRAP_STORE_MISALIGNED:
        say_misaligned(t, e);
        break;
    case MP_TRAP_ILLEGAL:
        say_illegal(t, e->instruction, e->privilege);
        break;
    case MP_TRAP_BREAKPOINT:
        mp_say(t, "an ebreak instruction, as __builtin_trap() leaves it");
        break;
    case MP_TRAP_FETCH_PAGE:
    case MP_TRAP_LOAD_PAGE:
    case MP_TRAP_STORE_PAGE:
        say_page(t, c, e);
        break;
    case MP_TRAP_ECALL_USER:
    case MP_TRAP_ECALL_SUPERVISOR:
        mp_say(t, "an ecall instruction");
        break;
    case MP_TRAP_ECALL:
        mp_say(t, "an ecall instruction, and there is nothing above M-mode to call");
        break;
    default:
        mp_say(t, "value 0x%llx", HEX(e->value));
    }
}

/* --- the stack ------------------------------------------------------------------------------------ */

/* Whether the stack has grown into the program. It has if the stack pointer is in the program's code or
 * data. In zeroed memory, which may well contain the stack, it has only if the stack began above the
 * program. */
static bool in_program(const struct mp_crash *c, uint64_t sp)
{
    return sp >= c->begin && sp < (c->stack > c->end ? c->end : c->data_end);
}

static void say_stack(struct mp_text *t, const struct mp_crash *c, uint64_t sp)
{
    if (!sp) {
        mp_say(t, "; the stack pointer is 0: not set up yet?");
    } else if (sp < MP_RAM_BASE) {
        mp_say(t, "; the stack pointer 0x%llx is below RAM: stack overflow?", HEX(sp));
    } else if (sp > MP_RAM_BASE + MP_RAM_BYTES) {
        mp_say(t, "; the stack pointer 0x%llx is beyond RAM", HEX(sp));
    } else if (in_program(c, sp)) {
        mp_say(t, "; the stack pointer 0x%llx is in the program's own memory", HEX(sp));
        say_place(t, c, sp);
        mp_say(t, ": a task's stack, or stack overflow?");
    }
}

/* --- callers -------------------------------------------------------------------------------------- */

static bool read_stack(void *self, uint64_t address, uint64_t *value)
{
    const struct mp_crash *c = self;
    uint64_t physical;
    return mp_hart_physical(c->hart, address, &physical) &&
           mp_hart_peek(c->hart, physical, sizeof *value, value);
}

unsigned mp_crash_backtrace(const struct mp_crash *c, uint64_t at, const uint64_t x[32],
                            uint64_t pc[MP_CRASH_FRAMES])
{
    struct mp_crash reader = *c;
    struct mp_symbols_state state = {.pc = at, .self = &reader, .read = read_stack};
    memcpy(state.x, x, sizeof state.x);
    pc[0] = at;
    return c->hart ? mp_symbols_backtrace(c->symbols, &state, MP_CRASH_FRAMES, pc) : 1;
}

/* "; called by main+0x14 (hello.c:14), ...": the nearest ones. */
static void say_callers(struct mp_text *t, const struct mp_crash *c, const struct mp_hart_exception *e)
{
    enum { NEAREST = 4 };
    uint64_t pc[MP_CRASH_FRAMES];
    unsigned n = mp_crash_backtrace(c, is_fetch(e) ? e->from : e->pc, e->x, pc);
    for (unsigned i = 1; i < n && i <= NEAREST; i++) {
        mp_say(t, "%s", i == 1 ? "; called by" : "");
        char place[256];
        mp_crash_place(c, pc[i], place, sizeof place);
        mp_say(t, "%s", i == 1 ? place + (place[0] == ',') : place);
    }
    if (n > NEAREST + 1)
        mp_say(t, " and others");
}

void mp_crash_line(const struct mp_crash *c, const struct mp_hart_exception *first,
                   const struct mp_hart_exception *then, char *text, size_t size)
{
    struct mp_text t = {text, size};
    say_where(&t, c, first);
    mp_say(&t, ": ");
    say_what(&t, c, first);
    if (!first->translated) /* addresses are those of RAM */
        say_stack(&t, c, first->x[SP]);
    say_callers(&t, c, first);
    if (then) {
        mp_say(&t, "; then ");
        say_where(&t, c, then);
    }
}

void mp_crash_place(const struct mp_crash *c, uint64_t address, char *text, size_t size)
{
    struct mp_text t = {text, size};
    text[0] = '\0';
    say_place(&t, c, address);
}
