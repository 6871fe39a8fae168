/* SPDX-License-Identifier: Apache-2.0 */
/* S-mode's traps, and page tables (The RISC-V Instruction Set Manual, Volume II, chapter 4), rule by rule. */
#include "fixture.h"

enum { PTE_V = 1, PTE_R = 2, PTE_W = 4, PTE_X = 8, PTE_U = 16, PTE_A = 64, PTE_D = 128 };
enum { ALL = PTE_V | PTE_R | PTE_W | PTE_X | PTE_A | PTE_D };
enum { LEVEL2 = 0xa000, LEVEL1 = 0xb000, LEVEL0 = 0xc000, LEVEL3 = 0xd000, DATA = 0x2000, OTHER = 0x3000 };
enum { VIRTUAL = 0x40000000, S_HANDLER = 0x9000 };
#define SV39 (8ull << 60)
#define SV48 (9ull << 60)

static uint64_t entry_of(uint64_t physical, uint64_t bits)
{
    return physical >> 12 << 10 | bits;
}

static void put64(unsigned offset, uint64_t value)
{
    memcpy(memory + offset, &value, sizeof value);
}

static uint64_t get64(unsigned offset)
{
    uint64_t value;
    memcpy(&value, memory + offset, sizeof value);
    return value;
}

static void set_satp(const struct fixture *f, uint64_t mode, unsigned root)
{
    set_csr(f, MP_CSR_SATP, mode | (RAM + root) >> 12);
}

/* The page number `n` from VIRTUAL on. */
static void map(const struct fixture *f, unsigned n, uint64_t physical, uint64_t bits)
{
    put64(LEVEL0 + 8 * n, entry_of(physical, bits));
    set_satp(f, SV39, LEVEL2);
}

/* The program at its physical addresses, for S-mode or U-mode. */
static void map_program(const struct fixture *f, bool user)
{
    put64(LEVEL2 + 8 * 2, entry_of(RAM, ALL | (user ? PTE_U : 0)));
    set_satp(f, SV39, LEVEL2);
}

static int setup_pages(void **state)
{
    int failed = setup(state);
    const struct fixture *f = *state;
    memcpy(memory + S_HANDLER, &(uint32_t){STAY}, 4);
    put64(LEVEL2 + 8, entry_of(RAM + LEVEL1, PTE_V));
    put64(LEVEL1, entry_of(RAM + LEVEL0, PTE_V));
    put64(LEVEL3, entry_of(RAM + LEVEL2, PTE_V));
    set_csr(f, MP_CSR_STVEC, RAM + S_HANDLER);
    allow_all(f, R | W | X);
    map_program(f, false);
    return failed;
}

/* --- traps ---------------------------------------------------------------------------------------- */

/* A delegated exception of S-mode or U-mode goes to S-mode; M-mode's own never do. */
static void delegated_exceptions(void **state)
{
    struct fixture *f = *state;
    set_csr(f, MP_CSR_SATP, 0);
    set_csr(f, MP_CSR_MEDELEG, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_MEDELEG), 0xb3ff);
    set_csr(f, MP_CSR_MEPC, 0x5550);
    set_csr(f, MP_CSR_MSTATUS, SIE);
    assert_int_equal(run(f, U, ECALL), 8);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), S);
    assert_true(reg(f, MP_HART_PC) == RAM + S_HANDLER && csr(f, MP_CSR_SEPC) == RAM);
    assert_int_equal(csr(f, MP_CSR_SCAUSE), 8);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), SPIE);
    set_csr(f, MP_CSR_MSTATUS, 0);
    assert_int_equal(store(f, S, DEVICE + 0x1000), MP_TRAP_STORE);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), SPP);
    assert_int_equal(csr(f, MP_CSR_STVAL), DEVICE + 0x1000);
    assert_int_equal(csr(f, MP_CSR_MEPC), 0x5550);
    assert_int_equal(store(f, M, DEVICE + 0x1000), MP_TRAP_STORE);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), M);
    set_csr(f, MP_CSR_MEDELEG, 0);
    assert_int_equal(run(f, U, ECALL), 8);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), M);
}

/* Runs an instruction that does nothing. Returns the interrupt taken before it, or 0. */
static unsigned interrupted(const struct fixture *f, unsigned privilege)
{
    uint64_t done, before[MP_TRAPS];
    memcpy(before, mp_hart_counts(f->hart)->interrupts, sizeof before);
    put(f, 0, ADDI_A0);
    set(f, MP_HART_PRIVILEGE, privilege);
    set(f, MP_HART_PC, RAM);
    mp_hart_run(f->hart, 1, &done);
    for (unsigned i = 0; i < MP_TRAPS; i++)
        if (mp_hart_counts(f->hart)->interrupts[i] != before[i])
            return i;
    return 0;
}

/* A delegated interrupt is enabled in U-mode, in S-mode by SIE, and never in M-mode. */
static void delegated_interrupts(void **state)
{
    static const unsigned numbers[] = {MP_IRQ_S_SOFTWARE, MP_IRQ_S_TIMER, MP_IRQ_S_EXTERNAL};
    struct fixture *f = *state;
    set_csr(f, MP_CSR_SATP, 0);
    set_csr(f, MP_CSR_MIDELEG, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_MIDELEG), 0x222);
    set_csr(f, MP_CSR_MIE, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_MIE), 0xaaa);
    for (unsigned i = 0; i < 3; i++) {
        set_csr(f, MP_CSR_MIP, 1 << numbers[i]);
        set_csr(f, MP_CSR_MSTATUS, 0);
        assert_int_equal(interrupted(f, S), 0);
        assert_int_equal(interrupted(f, U), numbers[i]);
        assert_int_equal(reg(f, MP_HART_PRIVILEGE), S);
        assert_true(csr(f, MP_CSR_SCAUSE) == (1ull << 63 | numbers[i]));
        set_csr(f, MP_CSR_MSTATUS, SIE);
        assert_int_equal(interrupted(f, S), numbers[i]);
        set_csr(f, MP_CSR_MSTATUS, MIE | SIE);
        assert_int_equal(interrupted(f, M), 0);
        set_csr(f, MP_CSR_MIDELEG, 0);
        assert_int_equal(interrupted(f, M), numbers[i]);
        set_csr(f, MP_CSR_MIDELEG, UINT64_MAX);
    }
}

/* External, software, timer; those for M-mode before those for S-mode. */
static void interrupt_order(void **state)
{
    static const unsigned order[] = {11, 3, 7, 9, 1, 5};
    struct fixture *f = *state;
    set_csr(f, MP_CSR_SATP, 0);
    set_csr(f, MP_CSR_MIE, UINT64_MAX);
    for (unsigned delegated = 0; delegated < 2; delegated++) {
        set_csr(f, MP_CSR_MIDELEG, delegated ? UINT64_MAX : 0);
        for (unsigned i = 0; i < 6; i++)
            mp_hart_interrupt(f->hart, order[i], true);
        for (unsigned i = 0; i < 6; i++) {
            assert_int_equal(interrupted(f, U), order[i]);
            assert_int_equal(reg(f, MP_HART_PRIVILEGE), delegated && i >= 3 ? S : M);
            mp_hart_interrupt(f->hart, order[i], false);
        }
    }
}

/* sip and sie are what is delegated of mip and mie. S-mode sets its software interrupt only, M-mode all
 * three. SEIP is also a line, whose level does not become what software has set. */
static void pending(void **state)
{
    struct fixture *f = *state;
    set_csr(f, MP_CSR_MIDELEG, 0x22);
    set_csr(f, MP_CSR_MIP, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_MIP), 0x222);
    assert_int_equal(csr(f, MP_CSR_SIP), 0x22);
    set_csr(f, MP_CSR_SIP, 0);
    assert_int_equal(csr(f, MP_CSR_MIP), 0x220);
    set_csr(f, MP_CSR_SIE, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_MIE), 0x22);
    set_csr(f, MP_CSR_MIE, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_SIE), 0x22);
    set_csr(f, MP_CSR_SIE, 0);
    assert_int_equal(csr(f, MP_CSR_MIE), 0xa88 | 0x200);
    set_csr(f, MP_CSR_MIE, 0);
    set_csr(f, MP_CSR_MIP, 0);
    mp_hart_interrupt(f->hart, MP_IRQ_S_EXTERNAL, true);
    assert_int_equal(csr(f, MP_CSR_MIP), 0x200);
    assert_int_equal(run(f, M, MP_CSR_MIP << 20 | 0x16573), NO_TRAP); /* csrrsi a0, mip, 2 */
    assert_int_equal(reg(f, A0), 0x200);
    mp_hart_interrupt(f->hart, MP_IRQ_S_EXTERNAL, false);
    assert_int_equal(csr(f, MP_CSR_MIP), 2);
}

/* sstatus has some bits of mstatus. */
static void sstatus(void **state)
{
    struct fixture *f = *state;
    set_csr(f, MP_CSR_MSTATUS, 0);
    set_csr(f, MP_CSR_SSTATUS, UINT64_MAX);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), SIE | SPIE | SPP | SUM | MXR);
    set_csr(f, MP_CSR_MSTATUS, UINT64_MAX);
    assert_int_equal((uint32_t)csr(f, MP_CSR_SSTATUS), SIE | SPIE | SPP | SUM | MXR);
    set_csr(f, MP_CSR_SSTATUS, 0);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), MIE | MPIE | MPP | MPRV | TVM | TW | TSR);
}

/* --- page tables ---------------------------------------------------------------------------------- */

/* A mode that there is not is not written. */
static void modes(void **state)
{
    struct fixture *f = *state;
    for (uint64_t mode = 0; mode < 16; mode++) {
        bool exists = mode == 0 || mode == 8 || mode == 9;
        set_csr(f, MP_CSR_SATP, SV39 | 5);
        set_csr(f, MP_CSR_SATP, mode << 60 | 7);
        assert_true(csr(f, MP_CSR_SATP) == (exists ? mode << 60 | 7 : SV39 | 5));
    }
}

/* Pages of each size, by Sv39 and Sv48, in S-mode, and in M-mode only with MPRV. */
static void sizes(void **state)
{
    static const struct {
        unsigned table;
        uint64_t physical, address;
    } cases[] = {
        {LEVEL0, RAM + DATA, VIRTUAL},
        {LEVEL1 + 8 * 3, RAM, VIRTUAL + 0x600000 + DATA},
        {LEVEL2 + 8 * 5, RAM, 5ull << 30 | DATA},
        {LEVEL2 + 8 * 511, RAM, UINT64_MAX << 30 | DATA},
    };
    struct fixture *f = *state;
    put64(DATA + 8, 0x1234);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t physical;
        put64(cases[i].table, entry_of(cases[i].physical, ALL));
        set_satp(f, SV39, LEVEL2);
        assert_int_equal(load(f, S, cases[i].address + 8), NO_TRAP);
        assert_int_equal(reg(f, A0), 0x1234);
        set_csr(f, MP_CSR_MSTATUS, 0);
        assert_int_equal(load(f, M, cases[i].address + 8), MP_TRAP_LOAD);
        set_csr(f, MP_CSR_MSTATUS, S << 11 | MPRV);
        set(f, A0, 0);
        assert_int_equal(load(f, M, cases[i].address + 8), NO_TRAP);
        assert_int_equal(reg(f, A0), 0x1234);
        set(f, MP_HART_PRIVILEGE, S);
        assert_true(mp_hart_physical(f->hart, cases[i].address + 8, &physical) && physical == RAM + DATA + 8);
        put64(cases[i].table, 0);
    }
    put64(LEVEL3 + 8 * 3, entry_of(0, ALL)); /* 512 GB */
    set_satp(f, SV48, LEVEL3);
    assert_int_equal(load(f, S, (3ull << 39) + RAM + DATA + 8), NO_TRAP);
    assert_int_equal(reg(f, A0), 0x1234);
}

/* The bits above are copies of the highest that is translated. */
static void canonical(void **state)
{
    struct fixture *f = *state;
    put64(LEVEL2 + 8 * 255, entry_of(RAM, ALL));
    put64(LEVEL2 + 8 * 256, entry_of(RAM, ALL));
    set_satp(f, SV39, LEVEL2);
    assert_int_equal(load(f, S, 0x3fc0000000), NO_TRAP);
    assert_int_equal(load(f, S, 0x4000000000), MP_TRAP_LOAD_PAGE);
    assert_true(csr(f, MP_CSR_MTVAL) == 0x4000000000);
    assert_int_equal(mp_hart_latest_exception(f->hart)->walk.entry, 0);
    assert_int_equal(load(f, S, 0xffffffc000000000), NO_TRAP);
    assert_int_equal(store(f, S, 0x7fffffc000000000), MP_TRAP_STORE_PAGE);
    assert_int_equal(jump(f, S, 0x8000003fc0000000), MP_TRAP_FETCH_PAGE);
}

/* Entries that are invalid or reserved, on each level. */
static void bad_entries(void **state)
{
    static const uint64_t bad[] = {0,
                                   ALL & ~PTE_V,
                                   PTE_V | PTE_W,
                                   PTE_V | PTE_W | PTE_X,
                                   ALL | 1ull << 54,
                                   ALL | 1ull << 63,
                                   PTE_V | 1ull << 60};
    static const unsigned tables[] = {LEVEL0, LEVEL1, LEVEL2 + 8};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned level = 0; level < 3; level++) {
            uint64_t good = get64(tables[level]), pointer = bad[i] & ALL ? bad[i] : 0;
            map(f, 0, RAM + DATA, ALL);
            good = get64(tables[level]);
            put64(tables[level], entry_of(RAM, 0) | pointer);
            set_satp(f, SV39, LEVEL2);
            assert_int_equal(load(f, S, VIRTUAL), MP_TRAP_LOAD_PAGE);
            assert_int_equal(mp_hart_latest_exception(f->hart)->walk.level, level);
            put64(tables[level], good);
        }
    map(f, 0, RAM + LEVEL0, PTE_V); /* no leaf at the end */
    assert_int_equal(load(f, S, VIRTUAL), MP_TRAP_LOAD_PAGE);
    for (unsigned bit = PTE_U; bit <= PTE_D; bit *= 2) { /* reserved where the entry is no leaf; G is not */
        put64(LEVEL1, entry_of(RAM + LEVEL0, PTE_V | bit));
        map(f, 0, RAM + DATA, ALL);
        assert_int_equal(load(f, S, VIRTUAL), bit == 32 ? NO_TRAP : MP_TRAP_LOAD_PAGE);
    }
    put64(LEVEL1 + 8, entry_of(RAM + 0x1000, ALL)); /* a page of 2 MB that is not aligned */
    put64(LEVEL2 + 8 * 5, entry_of(RAM + 0x200000, ALL));
    set_satp(f, SV39, LEVEL2);
    assert_int_equal(load(f, S, VIRTUAL + 0x200000), MP_TRAP_LOAD_PAGE);
    assert_int_equal(load(f, S, 5ull << 30), MP_TRAP_LOAD_PAGE);
}

/* R, W, X and U, by mode, with SUM and MXR. */
static void page_permissions(void **state)
{
    struct fixture *f = *state;
    put(f, DATA, ADDI_A0);
    for (unsigned n = 0; n < 128; n++) {
        unsigned rwx = (n & 7) << 1, user = n & 8 ? PTE_U : 0, privilege = n & 16 ? U : S;
        bool sum = n & 32, mxr = n & 64, reserved = (rwx & (PTE_R | PTE_W)) == PTE_W;
        bool mine = privilege == U ? user : !user || sum;
        if (!rwx || reserved)
            continue;
        map_program(f, privilege == U);
        map(f, 0, RAM + DATA, PTE_V | PTE_A | PTE_D | rwx | user);
        uint64_t status = (sum ? SUM : 0) | (mxr ? MXR : 0);
        set_csr(f, MP_CSR_MSTATUS, status);
        bool loads = mine && (rwx & PTE_R || (mxr && rwx & PTE_X));
        assert_int_equal(load(f, privilege, VIRTUAL), loads ? NO_TRAP : MP_TRAP_LOAD_PAGE);
        set_csr(f, MP_CSR_MSTATUS, status);
        assert_int_equal(store(f, privilege, VIRTUAL + 8),
                         mine && rwx & PTE_W ? NO_TRAP : MP_TRAP_STORE_PAGE);
        set_csr(f, MP_CSR_MSTATUS, status);
        bool fetches = rwx & PTE_X && (privilege == U) == (user != 0);
        assert_int_equal(jump(f, privilege, VIRTUAL), fetches ? NO_TRAP : MP_TRAP_FETCH_PAGE);
        if (!fetches)
            assert_true(csr(f, MP_CSR_MTVAL) == VIRTUAL && csr(f, MP_CSR_MEPC) == VIRTUAL);
    }
}

/* An access sets A, a store D, too, in the leaf. One that faults sets nothing. */
static void accessed_and_dirty(void **state)
{
    struct fixture *f = *state;
    map(f, 0, RAM + DATA, PTE_V | PTE_R | PTE_W);
    assert_int_equal(jump(f, S, VIRTUAL), MP_TRAP_FETCH_PAGE);
    assert_true(get64(LEVEL0) == entry_of(RAM + DATA, PTE_V | PTE_R | PTE_W));
    assert_int_equal(load(f, S, VIRTUAL), NO_TRAP);
    assert_true(get64(LEVEL0) == entry_of(RAM + DATA, PTE_V | PTE_R | PTE_W | PTE_A));
    assert_int_equal(store(f, S, VIRTUAL), NO_TRAP);
    assert_true(get64(LEVEL0) == entry_of(RAM + DATA, PTE_V | PTE_R | PTE_W | PTE_A | PTE_D));
    assert_true(get64(LEVEL1) == entry_of(RAM + LEVEL0, PTE_V));
    map(f, 0, RAM + DATA, PTE_V | PTE_R); /* not mapped for stores */
    uint64_t physical;
    set(f, MP_HART_PRIVILEGE, S);
    assert_true(mp_hart_physical(f->hart, VIRTUAL, &physical)); /* a debugger's look changes nothing */
    assert_true(get64(LEVEL0) == entry_of(RAM + DATA, PTE_V | PTE_R));
}

/* Tables that are not in memory, or that PMP does not permit S-mode, are access faults. */
static void table_faults(void **state)
{
    struct fixture *f = *state;
    map(f, 0, RAM + DATA, PTE_V | PTE_R | PTE_W);
    pmp(f, 0, NAPOT | R, napot(RAM + LEVEL0, 0x1000)); /* read, but not marked */
    set_satp(f, SV39, LEVEL2);
    assert_int_equal(load(f, S, VIRTUAL), MP_TRAP_LOAD);
    pmp(f, 0, NAPOT, napot(RAM + LEVEL0, 0x1000));
    assert_int_equal(store(f, S, VIRTUAL), MP_TRAP_STORE);
    assert_true(csr(f, MP_CSR_MTVAL) == VIRTUAL);
    assert_true(mp_hart_latest_exception(f->hart)->physical == RAM + LEVEL0);
    pmp(f, 0, 0, 0);
    put64(LEVEL1, entry_of(DEVICE, PTE_V));
    assert_int_equal(load(f, S, VIRTUAL), MP_TRAP_LOAD);
    assert_int_equal(jump(f, S, VIRTUAL), MP_TRAP_FETCH);
    assert_int_equal(f->accesses, 0);
}

/* PMP checks the physical address. Devices can be mapped. */
static void physical_addresses(void **state)
{
    struct fixture *f = *state;
    map(f, 0, RAM + DATA, ALL);
    map(f, 1, DEVICE, ALL);
    map(f, 2, DEVICE + 0x1000, ALL); /* where nothing is */
    assert_int_equal(load(f, S, VIRTUAL + 0x1008), NO_TRAP);
    assert_int_equal(reg(f, A0), 0x77);
    assert_int_equal(load(f, S, VIRTUAL + 0x2008), MP_TRAP_LOAD);
    assert_true(csr(f, MP_CSR_MTVAL) == VIRTUAL + 0x2008);
    assert_true(mp_hart_latest_exception(f->hart)->physical == DEVICE + 0x1008);
    pmp(f, 0, NA4, RAM + DATA + 8);
    assert_int_equal(load(f, S, VIRTUAL), NO_TRAP);
    assert_int_equal(load(f, S, VIRTUAL + 8), MP_TRAP_LOAD);
    assert_int_equal(jump(f, S, VIRTUAL + 0x1000), MP_TRAP_FETCH);
}

/* A changed entry is looked at after SFENCE.VMA or a write to satp. */
static void fences(void **state)
{
    struct fixture *f = *state;
    put64(DATA, 1);
    put64(OTHER, 2);
    map(f, 0, RAM + DATA, ALL);
    assert_int_equal(load(f, S, VIRTUAL), NO_TRAP);
    put64(LEVEL0, entry_of(RAM + OTHER, ALL));
    assert_int_equal(run(f, S, SFENCE_VMA), NO_TRAP);
    assert_true(reg(f, MP_HART_PC) == RAM + 4);
    assert_int_equal(load(f, S, VIRTUAL), NO_TRAP);
    assert_int_equal(reg(f, A0), 2);
    put64(LEVEL0, entry_of(RAM + DATA, ALL));
    set_satp(f, SV39, LEVEL2);
    assert_int_equal(load(f, S, VIRTUAL), NO_TRAP);
    assert_int_equal(reg(f, A0), 1);
    put64(LEVEL0, 0);
    assert_int_equal(run(f, S, SFENCE_VMA), NO_TRAP);
    assert_int_equal(load(f, S, VIRTUAL), MP_TRAP_LOAD_PAGE);
}

/* satp is in force for the instruction after the one that writes it. */
static void satp_at_once(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    put(f, 0, csrw_a0(MP_CSR_SATP));
    put(f, 4, LD_A0_A1);
    set_csr(f, MP_CSR_SATP, 0);
    put64(LEVEL0, entry_of(RAM + DATA, ALL));
    put64(DATA, 0x55);
    set(f, A0, SV39 | (RAM + LEVEL2) >> 12);
    set(f, A1, VIRTUAL);
    set(f, MP_HART_PRIVILEGE, S);
    set(f, MP_HART_PC, RAM);
    mp_hart_run(f->hart, 2, &done);
    assert_int_equal(reg(f, A0), 0x55);
}

/* An access of two pages, which are not neighbours in memory. */
static void two_mappings(void **state)
{
    struct fixture *f = *state;
    put64(OTHER + 0xff8, 0x1122334400000000);
    put64(DATA, 0x55667788);
    map(f, 0, RAM + OTHER, ALL);
    map(f, 1, RAM + DATA, ALL);
    assert_int_equal(load(f, S, VIRTUAL + 0xffc), NO_TRAP);
    assert_true(reg(f, A0) == 0x5566778811223344);
    set(f, A0, UINT64_MAX);
    assert_int_equal(store(f, S, VIRTUAL + 0xffd), NO_TRAP);
    assert_true(get64(OTHER + 0xff8) == 0xffffff4400000000 && get64(DATA) == 0xffffffffff);
    map(f, 1, RAM + DATA, ALL & ~PTE_W);
    assert_int_equal(store(f, S, VIRTUAL + 0xffd), MP_TRAP_STORE_PAGE);
    assert_true(csr(f, MP_CSR_MTVAL) == VIRTUAL + 0x1000);
    map(f, 1, DEVICE, ALL);
    assert_int_equal(load(f, S, VIRTUAL + 0xffd), MP_TRAP_LOAD);
    assert_int_equal(f->accesses, 0);
}

/* An instruction of two pages; the second half is that of the page that is mapped now. */
static void split_instructions(void **state)
{
    enum { ADDI_A0_LOW = ADDI_A0 & 0xffff };
    struct fixture *f = *state;
    uint16_t low = ADDI_A0_LOW, high = ADDI_A0 >> 16;
    memcpy(memory + DATA + 0xffe, &low, 2);
    memcpy(memory + OTHER, &high, 2);
    high += 0x10; /* adds 2 */
    memcpy(memory + LEVEL3, &high, 2);
    map(f, 0, RAM + DATA, ALL);
    map(f, 1, RAM + OTHER, ALL);
    set(f, A0, 0);
    assert_int_equal(jump(f, S, VIRTUAL + 0xffe), NO_TRAP);
    assert_int_equal(reg(f, A0), 2); /* 1 of jump() */
    assert_true(reg(f, MP_HART_PC) == VIRTUAL + 0x1002);
    map(f, 1, RAM + LEVEL3, ALL);
    set(f, A0, 0);
    assert_int_equal(jump(f, S, VIRTUAL + 0xffe), NO_TRAP);
    assert_int_equal(reg(f, A0), 3);
    map(f, 1, RAM + OTHER, 0);
    assert_int_equal(jump(f, S, VIRTUAL + 0xffe), MP_TRAP_FETCH_PAGE);
    assert_true(csr(f, MP_CSR_MEPC) == VIRTUAL + 0xffe && csr(f, MP_CSR_MTVAL) == VIRTUAL + 0x1000);
}

/* The same code at two addresses, which know where they are. A store by one changes the other. */
static void aliases(void **state)
{
    enum { AUIPC_A0 = 0x00000517, JAL_A0 = 0x0080056f, SW_A0_A1 = 0x00a5a023 };
    struct fixture *f = *state;
    put(f, DATA, AUIPC_A0);
    put(f, DATA + 4, JAL_A0);
    for (unsigned n = 0; n < 2; n++)
        map(f, n, RAM + DATA, ALL);
    for (uint64_t at = VIRTUAL; at < VIRTUAL + 0x2000; at += 0x1000) {
        assert_int_equal(jump(f, S, at), NO_TRAP);
        assert_true(reg(f, A0) == at);
        assert_int_equal(jump(f, S, at + 4), NO_TRAP);
        assert_true(reg(f, A0) == at + 8 && reg(f, MP_HART_PC) == at + 12);
    }
    set(f, A0, ADDI_A0);
    set(f, A1, VIRTUAL + 0x1000);
    assert_int_equal(run(f, S, SW_A0_A1), NO_TRAP);
    set(f, A0, 0);
    assert_int_equal(jump(f, S, VIRTUAL), NO_TRAP);
    assert_int_equal(reg(f, A0), 2);
}

/* A reservation is of memory, whatever its address. */
static void reservations(void **state)
{
    enum { SC_A0 = 0x18a5b52f }; /* sc.d a0, a0, (a1) */
    struct fixture *f = *state;
    for (unsigned n = 0; n < 3; n++)
        map(f, n, RAM + (n < 2 ? DATA : OTHER), ALL);
    for (unsigned n = 1; n < 3; n++) {
        set(f, A1, VIRTUAL);
        assert_int_equal(run(f, S, LR_A0_A1), NO_TRAP);
        set(f, A1, VIRTUAL + 0x1000 * n);
        assert_int_equal(run(f, S, SC_A0), NO_TRAP);
        assert_int_equal(reg(f, A0), n == 1 ? 0 : 1);
    }
}

/* U-mode and S-mode change without a fence, and each sees its own. */
static void both_modes(void **state)
{
    struct fixture *f = *state;
    map(f, 0, RAM + DATA, ALL | PTE_U);
    for (unsigned turn = 0; turn < 3; turn++) {
        put64(LEVEL2 + 8 * 2, entry_of(RAM, ALL));
        set_csr(f, MP_CSR_MSTATUS, turn == 1 ? SUM : 0);
        assert_int_equal(load(f, S, VIRTUAL), turn == 1 ? NO_TRAP : MP_TRAP_LOAD_PAGE);
        set_csr(f, MP_CSR_MSTATUS, MPRV | U << 11);
        assert_int_equal(load(f, M, VIRTUAL), NO_TRAP);
    }
}

int main(void)
{

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_pages, teardown)
    const struct CMUnitTest tests[] = {
        TEST(delegated_exceptions),
        TEST(delegated_interrupts),
        TEST(interrupt_order),
        TEST(pending),
        TEST(sstatus),
        TEST(modes),
        TEST(sizes),
        TEST(canonical),
        TEST(bad_entries),
        TEST(page_permissions),
        TEST(accessed_and_dirty),
        TEST(table_faults),
        TEST(physical_addresses),
        TEST(fences),
        TEST(satp_at_once),
        TEST(two_mappings),
        TEST(split_instructions),
        TEST(aliases),
        TEST(reservations),
        TEST(both_modes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
