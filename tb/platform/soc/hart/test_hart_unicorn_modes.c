/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hart's privilege levels, PMP and page tables compared with Unicorn's: random instructions in each mode,
 * one at a time, with random PMP entries and page tables. Both harts must trap for the same cause, or leave
 * the same registers, program counter and memory, which has the page tables with their bits A and D.
 *
 *   test_hart_unicorn_modes [SEED [INSTRUCTIONS]]
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <unicorn/unicorn.h>

#include "soc/hart/csr.h"
#include "soc/hart/hart.h"
#include "soc/hart/rv_access.h"

enum { PAGE = 4096, STRIDE = 16 };
enum { SETUP = 0x80000, CODE = 0x100000, CODE_BYTES = 0x100000, DATA = 0x400000, DATA_PAGES = 8 };
enum { NEVER = SETUP + PAGE - 4 }; /* an end that is not reached; Unicorn translates its address */
enum { VDATA = 0x40000000, VCODE = 0x40010000 }; /* in the same last table */
enum { ROOT48, ROOT39, MIDDLE, LEAVES };         /* pages of DATA */
enum { R = 1, W = 2, X = 4, TOR = 1 << 3, NA4 = 2 << 3, NAPOT = 3 << 3, LOCKED = 0x80, ENTRIES = 8 };
enum {
    MPRV = 1 << 17,
    SUM = 1 << 18,
    MXR = 1 << 19,
    TVM = 1 << 20,
    TW = 1 << 21,
    TSR = 1 << 22,
    MPP_SHIFT = 11
};

static uint64_t seed = 1;
static unsigned cases = 20000;

static struct {
    uc_engine *theirs;
    uc_context *reset;
    uint64_t random;
    uint64_t until, single; /* where they stop; the instruction behind which they do */
    bool trapped;           /* theirs */
    unsigned cause;
} w;

/* Unicorn looks for memory at virtual addresses before it translates them. */
static _Alignas(4096) uint8_t unused[0x20000];

static _Alignas(4096) uint8_t setup_code[PAGE], code[CODE_BYTES], our_data[DATA_PAGES * PAGE],
    their_data[DATA_PAGES * PAGE];

static uint64_t draw(void)
{
    w.random ^= w.random << 13;
    w.random ^= w.random >> 7;
    w.random ^= w.random << 17;
    return w.random * 0x9e3779b97f4a7c15u >> 16 | w.random << 48;
}

static bool chance(unsigned one_of)
{
    return draw() % one_of == 0;
}

/* --- Unicorn's hart ------------------------------------------------------------------------------- */

static void on_trap(uc_engine *uc, uint32_t number, void *self)
{
    (void)self;
    w.trapped = true;
    w.cause = number;
    uc_emu_stop(uc);
}

static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *self)
{
    (void)size, (void)self;
    if (address == w.until || (address - SETUP >= PAGE && address != w.single))
        uc_emu_stop(uc);
}

/* csrw pmpaddr0 to 7, x1 to x8; then the others from x9 on; then MRET. */
static const uint16_t others[] = {MP_CSR_PMPCFG0,    MP_CSR_SATP,       MP_CSR_MEPC,   MP_CSR_SEPC,
                                  MP_CSR_MCOUNTEREN, MP_CSR_SCOUNTEREN, MP_CSR_MSTATUS};
enum { OTHERS = sizeof others / sizeof *others, WRITES = ENTRIES + OTHERS };

static void write_setup(void)
{
    for (unsigned i = 0; i < WRITES; i++) {
        uint32_t csr = i < ENTRIES ? MP_CSR_PMPADDR0 + i : others[i - ENTRIES];
        uint32_t instruction = csr << 20 | (i + 1) << 15 | 0x1073;
        memcpy(setup_code + 4 * i, &instruction, 4);
    }
    memcpy(setup_code + 4 * WRITES, &(uint32_t){0x30200073}, 4);
}

static int setup(void **state)
{
    (void)state;
    uc_hook hook;
    assert_int_equal(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &w.theirs), UC_ERR_OK);
    assert_int_equal(uc_ctl_set_cpu_model(w.theirs, UC_CPU_RISCV64_SIFIVE_U54), UC_ERR_OK);
    write_setup();
    const struct {
        uint64_t base, bytes;
        void *memory;
        uint32_t permissions;
    } maps[] = {{SETUP, sizeof setup_code, setup_code, UC_PROT_READ | UC_PROT_EXEC},
                {CODE, sizeof code, code, UC_PROT_READ | UC_PROT_EXEC},
                {DATA, sizeof their_data, their_data, UC_PROT_ALL},
                {VDATA, sizeof unused, unused, UC_PROT_ALL}};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(
            uc_mem_map_ptr(w.theirs, maps[i].base, maps[i].bytes, maps[i].permissions, maps[i].memory),
            UC_ERR_OK);
    assert_int_equal(uc_hook_add(w.theirs, &hook, UC_HOOK_INTR, (void *)(uintptr_t)on_trap, NULL, (uint64_t)1,
                                 (uint64_t)0),
                     UC_ERR_OK);
    assert_int_equal(uc_hook_add(w.theirs, &hook, UC_HOOK_CODE, (void *)(uintptr_t)on_instruction, NULL,
                                 (uint64_t)1, (uint64_t)0),
                     UC_ERR_OK);
    assert_int_equal(uc_context_alloc(w.theirs, &w.reset), UC_ERR_OK);
    assert_int_equal(uc_context_save(w.theirs, w.reset), UC_ERR_OK);
    w.random = seed * 0x9e3779b97f4a7c15u | 1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    uc_context_free(w.reset);
    uc_close(w.theirs);
    return 0;
}

/* --- a case --------------------------------------------------------------------------------------- */

struct sample {
    unsigned privilege;
    uint64_t pmpaddr[ENTRIES], csr[OTHERS];
    uint64_t pc, at; /* at: the instruction's physical address */
    uint64_t x[32];
    uint32_t instruction;
    bool has_ranges; /* of PMP, in data */
};

static uint64_t *csr_of(struct sample *s, unsigned number)
{
    unsigned i = 0;
    while (others[i] != number)
        i++;
    return &s->csr[i];
}

static unsigned some_permissions(void)
{
    static const unsigned kinds[] = {0, R, R | W, X, R | X, R | W | X, R | W, R | W | X};
    return kinds[draw() % 8];
}

static uint64_t napot(uint64_t base, uint64_t bytes)
{
    return base / 4 + bytes / 8 - 1;
}

/* A range of data. Unicorn asks PMP for pages, whatever is accessed of them. Of NA4, it computes the wrong
 * end, and the entry before a locked TOR is locked for it. */
static uint8_t draw_range(uint64_t *pmpaddr)
{
    uint64_t bytes = PAGE << draw() % 3, at = (DATA + draw() % (DATA_PAGES * PAGE)) / bytes * bytes;
    bool is_tor = chance(2);
    *pmpaddr = is_tor ? at / 4 : napot(at, bytes);
    return (uint8_t)((is_tor ? TOR : NAPOT) | some_permissions() | (!is_tor && chance(6) ? LOCKED : 0));
}

/* Setup's page; the code, as a whole; five ranges of data; everything. */
static void draw_pmp(struct sample *s)
{
    uint8_t config[ENTRIES] = {NAPOT | R | X, NAPOT | R | X};
    s->pmpaddr[0] = napot(SETUP, PAGE);
    s->pmpaddr[1] = napot(CODE, CODE_BYTES);
    if (chance(8))
        config[1] = (uint8_t)(NAPOT | some_permissions() | (chance(4) ? LOCKED : 0));
    s->has_ranges = !chance(3);
    for (unsigned i = 2; i < ENTRIES - 1; i++)
        config[i] = !s->has_ranges || chance(2) ? 0 : draw_range(&s->pmpaddr[i]);
    s->pmpaddr[ENTRIES - 1] = UINT64_MAX >> 10;
    config[ENTRIES - 1] = chance(6) ? 0 : NAPOT | R | W | X;
    memcpy(csr_of(s, MP_CSR_PMPCFG0), config, sizeof config);
}

static uint64_t entry_of(uint64_t physical, uint64_t bits)
{
    return physical >> 12 << 10 | bits;
}

static void put(unsigned page, unsigned index, uint64_t entry)
{
    memcpy(our_data + page * PAGE + index * sizeof entry, &entry, sizeof entry);
}

enum { RETURN = CODE + CODE_BYTES - 0x40 }; /* where MRET and SRET lead */
enum { PV = 1, PR = 2, PW = 4, PX = 8, PU = 16, PA = 64, PD = 128 };

/* Those that an entry has from the beginning. Unicorn sets D after an AMO has loaded, perhaps that very
 * entry. */
static uint64_t marks_of(const struct sample *s)
{
    struct mp_rv_access a;
    bool is_amo = mp_rv_access(s->instruction, &a) && a.atomic && a.write;
    return is_amo ? PA | PD : draw() & (PA | PD);
}

/* A quarter has any bits. */
static uint64_t some_leaf(const struct sample *s, uint64_t page, bool user)
{
    uint64_t bits = PV | PR | (draw() & (PW | PX)) | (user ? PU : 0), marks = marks_of(s);
    return entry_of(page, chance(4) ? (draw() & 0x3ff) | (marks == (PA | PD) ? marks : 0) : bits | marks);
}

/* Entries that are no leaf have no bits but V and G: others are reserved, and Unicorn ignores them. */
static uint64_t some_pointer(unsigned page)
{
    return entry_of(DATA + page * PAGE, chance(30) ? 0 : PV | (draw() & 32));
}

/* Of 2 MB or 1 GB, aligned or not. The program's own page is aligned to 4 KB only. */
static uint64_t large_leaf(const struct sample *s, bool user)
{
    bool aligned = s->privilege == MP_HART_MACHINE && chance(2);
    return entry_of(aligned ? DATA : DATA + PAGE, PV | PR | PW | PX | (user ? PU : 0) | marks_of(s));
}

static void draw_tables(const struct sample *s)
{
    unsigned privilege = s->privilege;
    bool user = chance(8) ? privilege != MP_HART_USER : privilege == MP_HART_USER;
    memset(our_data, 0, (LEAVES + 1) * PAGE);
    put(ROOT48, 0, some_pointer(ROOT39));
    put(ROOT39, VDATA >> 30, chance(20) ? large_leaf(s, user) : some_pointer(MIDDLE));
    put(MIDDLE, 0, chance(12) ? large_leaf(s, user) : some_pointer(LEAVES));
    for (unsigned i = 0; i < DATA_PAGES; i++)
        put(LEAVES, i, some_leaf(s, DATA + draw() % DATA_PAGES * PAGE, user ^ chance(6)));
    for (unsigned i = 0; i < 2; i++)
        put(LEAVES, 16 + i,
            chance(10)
                ? some_leaf(s, s->at / PAGE * PAGE + i * PAGE, user)
                : entry_of(s->at / PAGE * PAGE + i * PAGE, PV | PR | PX | (user ? PU : 0) | (draw() & PA)));
}

/* Loads, stores, atomics but SC, CSRs, and the instructions of privileged modes. Two of F's CSRs exist for
 * Unicorn. */
static uint32_t an_instruction(void)
{
    static const uint32_t privileged[] = {0x00000073, 0x30200073, 0x10200073, 0x12000073, 0x00000013};
    static const uint16_t csrs[] = {0x100, 0x104, 0x105, 0x140, 0x141, 0x142, 0x143, 0x180, 0x300, 0x302,
                                    0x304, 0x305, 0x340, 0x341, 0x342, 0x343, 0x3b2, 0xf14, 0x5c0, 0x7b0};
    uint32_t i = (uint32_t)draw();
    switch (draw() % 8) {
    case 0:
        return privileged[draw() % 5];
    case 1: /* CSRRW, CSRRS, CSRRC and the others */
        return (i & 0x000fcf80) | (uint32_t)csrs[draw() % 20] << 20 | (1 + (uint32_t)draw() % 3) << 12 | 0x73;
    case 2: /* AMOs of 64 bits, and LR */
        return chance(3) ? 0x1000202f | (i & 0x060f9f80) : 0x0000302f | (i & 0x67ff8f80);
    case 3:
    case 4:
        return (i & 0xfff88f80) | (uint32_t)(draw() % 7) << 12 | 0x03;
    case 5:
    case 6:
        return (i & 0xfff88f80) | (uint32_t)(draw() % 4) << 12 | 0x23;
    default: /* C.LW, C.LD, C.SW, C.SD */
        return (i & 0x1ffc) | (chance(2) ? 0x4000u : 0xc000u) | (chance(2) ? 0x2000u : 0);
    }
}

/* Unicorn checks an access of two pages by PMP as if it were one. */
static uint64_t an_address(const struct sample *s, bool translated, unsigned width)
{
    uint64_t at = draw() % (DATA_PAGES * PAGE);
    if (chance(4))
        at = (at / PAGE + 1) * PAGE - 1 - draw() % 11; /* near the end of a page */
    if (!chance(6) || (s->has_ranges && at % PAGE > PAGE - width))
        at = at / width * width;
    return (translated ? VDATA : DATA) + at;
}

/* Returns whether loads and stores are translated. Unicorn's mstatus has no TW and TSR, and it forgets its
 * translations when the ASID changes. */
static bool draw_csrs(struct sample *s, unsigned n)
{
    bool machine = s->privilege == MP_HART_MACHINE, mprv = machine && chance(2);
    uint64_t mode = (const uint64_t[]){0, 8, 8, 9}[draw() % 4],
             root = DATA / PAGE + (mode == 9 ? ROOT48 : ROOT39);
    uint64_t mpp = machine ? (const uint64_t[]){0, 1, 3}[draw() % 3] : s->privilege;
    s->pc = mode && !machine ? VCODE + s->at % PAGE : s->at;
    *csr_of(s, MP_CSR_SATP) = mode << 60 | (uint64_t)(1 + n % 2) << 44 | root;
    *csr_of(s, MP_CSR_MSTATUS) =
        mpp << MPP_SHIFT | (mprv ? MPRV : 0) | (draw() & (SUM | MXR | (chance(2) ? TVM : 0)));
    *csr_of(s, MP_CSR_MEPC) = machine ? RETURN : s->pc;
    *csr_of(s, MP_CSR_SEPC) = RETURN;
    *csr_of(s, MP_CSR_MCOUNTEREN) = *csr_of(s, MP_CSR_SCOUNTEREN) = draw() & 7;
    return mode && (!machine || (mprv && mpp != MP_HART_MACHINE));
}

/* What an AMO has loaded, Unicorn stores without asking PMP. */
static uint32_t draw_instruction(const struct sample *s)
{
    for (;;) {
        struct mp_rv_access a;
        uint32_t i = an_instruction();
        if (!mp_rv_access(i, &a) || (a.base && !(a.atomic && a.write && s->has_ranges)))
            return i;
    }
}

static void draw_case(struct sample *s, unsigned n)
{
    static const unsigned levels[] = {MP_HART_USER, MP_HART_SUPERVISOR, MP_HART_SUPERVISOR, MP_HART_MACHINE};
    struct mp_rv_access a;
    *s = (struct sample){.privilege = levels[draw() % 4], .at = CODE + STRIDE * (uint64_t)n};
    if (s->at % PAGE == PAGE - STRIDE) /* of two pages */
        s->at += STRIDE - 2;
    draw_pmp(s);
    s->instruction = draw_instruction(s);
    draw_tables(s);
    bool translated = draw_csrs(s, n);
    for (unsigned r = 1; r < 32; r++)
        s->x[r] = draw();
    if (mp_rv_access(s->instruction, &a))
        s->x[a.base] = an_address(s, translated, a.width) - (uint64_t)(int64_t)a.offset;
}

/* --- a step --------------------------------------------------------------------------------------- */

struct end {
    uint64_t x[32], pc;
    bool trapped;
    unsigned cause;
    bool marks; /* faults because PMP does not permit to set A or D */
};

static bool no_device(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    (void)self, (void)address, (void)data, (void)width, (void)write;
    return false;
}

static void step_ours(const struct sample *s, struct end *e)
{
    const struct mp_hart_bus bus = {.access = no_device};
    struct mp_hart *h = mp_hart_new(&bus, NULL);
    uint64_t done;
    mp_hart_map_memory(h, CODE, CODE_BYTES, code, false, NULL);
    mp_hart_map_memory(h, DATA, sizeof our_data, our_data, true, NULL);
    for (unsigned i = 0; i < ENTRIES; i++)
        mp_hart_write(h, MP_HART_CSR + MP_CSR_PMPADDR0 + i, s->pmpaddr[i]);
    for (unsigned i = 0; i < OTHERS; i++)
        mp_hart_write(h, MP_HART_CSR + others[i], s->csr[i]);
    if (s->privilege != MP_HART_MACHINE) /* what their MRET leaves */
        mp_hart_write(h, MP_HART_CSR + MP_CSR_MSTATUS, (s->csr[OTHERS - 1] & ~(3ull << MPP_SHIFT)) | 1 << 7);
    mp_hart_write(h, MP_HART_PRIVILEGE, s->privilege);
    for (unsigned r = 1; r < 32; r++)
        mp_hart_write(h, r, s->x[r]);
    mp_hart_write(h, MP_HART_PC, s->pc);
    mp_hart_run(h, 1, &done);
    for (unsigned r = 0; r < 32; r++)
        mp_hart_read(h, r, &e->x[r]);
    mp_hart_read(h, MP_HART_PC, &e->pc);
    const struct mp_hart_exception *x = mp_hart_latest_exception(h);
    e->trapped = x->number;
    e->cause = x->cause;
    e->marks = x->denied && x->physical == x->walk.entry && x->walk.value & PV && x->walk.value & (PR | PX);
    mp_hart_free(h);
}

/* Where there is no memory, Unicorn ends with an error. */
static bool access_fault(uc_err error, unsigned *cause)
{
    static const struct {
        uc_err error;
        unsigned cause;
    } errors[] = {{UC_ERR_READ_UNMAPPED, MP_TRAP_LOAD},   {UC_ERR_READ_PROT, MP_TRAP_LOAD},
                  {UC_ERR_WRITE_UNMAPPED, MP_TRAP_STORE}, {UC_ERR_WRITE_PROT, MP_TRAP_STORE},
                  {UC_ERR_FETCH_UNMAPPED, MP_TRAP_FETCH}, {UC_ERR_FETCH_PROT, MP_TRAP_FETCH},
                  {UC_ERR_INSN_INVALID, MP_TRAP_ILLEGAL}};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error) {
            *cause = errors[i].cause;
            return true;
        }
    return false;
}

/* UXL and SXL, which a read of mstatus or sstatus returns. */
static void add_fields(const struct sample *s, struct end *e)
{
    enum { SYSTEM = 0x73 };
    unsigned rd = s->instruction >> 7 & 31, csr = s->instruction >> 20;
    if (s->instruction % 128 == SYSTEM && rd)
        e->x[rd] |= csr == MP_CSR_MSTATUS ? 0xaull << 32 : csr == MP_CSR_SSTATUS ? 2ull << 32 : 0;
}

static void step_theirs(const struct sample *s, struct end *e)
{
    bool machine = s->privilege == MP_HART_MACHINE;
    uint64_t mret = SETUP + 4 * WRITES;
    assert_int_equal(uc_context_restore(w.theirs, w.reset), UC_ERR_OK);
    for (unsigned i = 0; i < WRITES; i++)
        uc_reg_write(w.theirs, UC_RISCV_REG_X1 + (int)i, i < ENTRIES ? &s->pmpaddr[i] : &s->csr[i - ENTRIES]);
    w.trapped = false;
    w.until = mret;
    assert_int_equal(uc_emu_start(w.theirs, SETUP, NEVER, 0, 0), UC_ERR_OK);
    w.until = 0;
    assert_false(w.trapped);
    for (int r = 1; r < 32; r++)
        uc_reg_write(w.theirs, UC_RISCV_REG_X0 + r, &s->x[r]);
    w.single = s->pc;
    uc_err error = uc_emu_start(w.theirs, machine ? s->pc : mret, NEVER, 0, 0);
    for (int r = 0; r < 32; r++)
        uc_reg_read(w.theirs, UC_RISCV_REG_X0 + r, &e->x[r]);
    uc_reg_read(w.theirs, UC_RISCV_REG_PC, &e->pc);
    e->trapped = w.trapped;
    e->cause = w.cause;
    if (!e->trapped)
        add_fields(s, e);
    if (!w.trapped && error)
        e->trapped = access_fault(error, &e->cause);
}

/* What Unicorn leaves to its user or does in another order: an ECALL's cause is that of U-mode; AMOs load
 * before they store, so that what they may not do is a load's exception, and A may be set; of a store across
 * the end of memory, a part is made. */
static void forgive(const struct sample *s, const struct end *ours, struct end *theirs)
{
    struct mp_rv_access a;
    bool of_fetch = theirs->cause == MP_TRAP_FETCH || theirs->cause == MP_TRAP_FETCH_PAGE;
    if (!ours->trapped && theirs->trapped && of_fetch && theirs->pc == ours->pc + 4) {
        theirs->trapped = false; /* of the next instruction */
        theirs->pc = ours->pc;
    }
    if (!ours->trapped || !theirs->trapped)
        return;
    if (ours->cause == MP_TRAP_ECALL_USER + s->privilege && theirs->cause == MP_TRAP_ECALL_USER)
        theirs->cause = ours->cause;
    if (!mp_rv_access(s->instruction, &a) || !a.write)
        return;
    if (a.atomic && (theirs->cause == MP_TRAP_LOAD || theirs->cause == MP_TRAP_LOAD_PAGE ||
                     theirs->cause == MP_TRAP_LOAD_MISALIGNED))
        theirs->cause += 2;
    if (a.atomic || (s->x[a.base] + (uint64_t)(int64_t)a.offset) % PAGE > (uint64_t)PAGE - a.width)
        memcpy(their_data, our_data, sizeof our_data);
}

static void show(const struct sample *s, unsigned n, const struct end *a, const struct end *b)
{
    struct mp_rv_access access = {.base = 0};
    mp_rv_access(s->instruction, &access);
    print_message(
        "seed %llu, case %u: 0x%08x in mode %u at 0x%llx: trap %d and %d, cause %u and %u, pc 0x%llx and "
        "0x%llx, data %s\n",
        (unsigned long long)seed, n, s->instruction, s->privilege, (unsigned long long)s->pc, a->trapped,
        b->trapped, a->cause, b->cause, (unsigned long long)a->pc, (unsigned long long)b->pc,
        memcmp(our_data, their_data, sizeof our_data) ? "different" : "equal");
    print_message("  address 0x%llx\n",
                  (unsigned long long)(s->x[access.base] + (uint64_t)(int64_t)access.offset));
    for (unsigned i = 0; i < OTHERS; i++)
        print_message("  csr 0x%03x 0x%llx\n", others[i], (unsigned long long)s->csr[i]);
    for (unsigned i = 0; i < ENTRIES; i++)
        print_message("  pmpaddr%u 0x%llx\n", i, (unsigned long long)s->pmpaddr[i] * 4);
    for (unsigned r = 1; r < 32; r++)
        if (a->x[r] != b->x[r])
            print_message("  x%u was 0x%llx: 0x%llx and 0x%llx\n", r, (unsigned long long)s->x[r],
                          (unsigned long long)a->x[r], (unsigned long long)b->x[r]);
    for (unsigned i = 0; i < sizeof our_data; i += 8)
        if (memcmp(our_data + i, their_data + i, 8) != 0)
            print_message("  data 0x%x: 0x%llx and 0x%llx\n", DATA + i,
                          (unsigned long long)*(uint64_t *)(void *)(our_data + i),
                          (unsigned long long)*(uint64_t *)(void *)(their_data + i));
}

static void modes_are_equal(void **unused)
{
    (void)unused;
    unsigned traps[MP_TRAPS] = {0}, none = 0;
    for (unsigned n = 0; n < cases; n++) {
        struct sample s;
        struct end a = {.pc = 0}, b = {.pc = 0};
        draw_case(&s, n);
        memcpy(code + (s.at - CODE), &s.instruction, 4);
        memcpy(their_data, our_data, sizeof our_data);
        uc_ctl_remove_cache(w.theirs, s.at, s.at + 4);
        step_ours(&s, &a);
        if (a.marks) /* Unicorn does not check this by PMP */
            continue;
        step_theirs(&s, &b);
        forgive(&s, &a, &b);
        bool same = a.trapped == b.trapped && (a.trapped ? a.cause == b.cause : a.pc == b.pc) &&
                    !memcmp(a.x, b.x, sizeof a.x) && !memcmp(our_data, their_data, sizeof our_data);
        if (!same) {
            show(&s, n, &a, &b);
            fail();
        }
        if (a.trapped)
            traps[a.cause]++;
        else
            none++;
    }
    print_message("seed %llu, %u instructions, %u without a trap; by cause:", (unsigned long long)seed, cases,
                  none);
    for (unsigned i = 0; i < MP_TRAPS; i++)
        print_message(" %u", traps[i]);
    print_message("\n");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    if (argc > 2 && strtoul(argv[2], NULL, 0) < CODE_BYTES / STRIDE)
        cases = (unsigned)strtoul(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(modes_are_equal)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
