/* SPDX-License-Identifier: Apache-2.0 */
/* Privilege levels and physical memory protection (The RISC-V Instruction Set Manual, Volume II), rule by
 * rule: one instruction at a time, with the state that the rule is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soc/hart/csr.h"
#include "soc/hart/hart.h"

enum { BASE = 0x80000000u - (1ll << 32), BYTES = 0x10000, DEVICE = 0x10000000, HANDLER = 0x8000 };
enum { A0 = 10, A1 = 11, U = MP_HART_USER, M = MP_HART_MACHINE, NO_TRAP = -1 };
enum { R = 1, W = 2, X = 4, TOR = 1 << 3, NA4 = 2 << 3, NAPOT = 3 << 3, LOCKED = 0x80 };
enum { MIE = 8, MPIE = 0x80, MPP = 0x1800, MPRV = 1 << 17, TW = 1 << 21 };

enum {
    LD_A0_A1 = 0x0005b503,
    SD_A0_A1 = 0x00a5b023,
    SB_A0_A1 = 0x00a58023,
    LR_A0_A1 = 0x1005b52f,
    AMOADD_A0_A1 = 0x00a5b52f, /* amoadd.d a0, a0, (a1) */
    ADDI_A0 = 0x00150513,
    STAY = 0x0000006f,
    ECALL = 0x00000073,
    MRET = 0x30200073,
    WFI = 0x10500073,
    JR_A1 = 0x00058067,
    C_NOP = 0x0001,
};

#define RAM ((uint64_t)(uint32_t)BASE)

static _Alignas(4096) uint8_t memory[BYTES];

struct fixture {
    struct mp_hart *hart;
    unsigned accesses;
};

static bool access(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    struct fixture *f = self;
    (void)address, (void)width;
    f->accesses++;
    if (!write)
        *data = 0x77;
    return true;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mp_hart_bus bus = {.self = f, .access = access};
    f->hart = mp_hart_new(&bus, NULL);
    memset(memory, 0, sizeof memory);
    memcpy(memory + HANDLER, &(uint32_t){STAY}, 4);
    assert_int_equal(mp_hart_map_memory(f->hart, RAM, BYTES, memory, true, NULL), 0);
    assert_int_equal(mp_hart_map_devices(f->hart, DEVICE, 0x1000, NULL), 0);
    mp_hart_write(f->hart, MP_HART_CSR + MP_CSR_MTVEC, RAM + HANDLER);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    mp_hart_free(f->hart);
    free(f);
    return 0;
}

static uint64_t reg(const struct fixture *f, unsigned number)
{
    uint64_t value;
    assert_true(mp_hart_read(f->hart, number, &value));
    return value;
}

static uint64_t csr(const struct fixture *f, unsigned number)
{
    return reg(f, MP_HART_CSR + number);
}

static void set(const struct fixture *f, unsigned number, uint64_t value)
{
    assert_true(mp_hart_write(f->hart, number, value));
}

static void set_csr(const struct fixture *f, unsigned number, uint64_t value)
{
    set(f, MP_HART_CSR + number, value);
}

static void put(const struct fixture *f, unsigned offset, uint32_t code)
{
    memcpy(memory + offset, &code, sizeof code);
    mp_hart_forget(f->hart, RAM + offset, sizeof code);
}

/* Runs one instruction of this privilege at this offset. Returns the cause of its exception, or NO_TRAP. */
static int run_at(const struct fixture *f, unsigned privilege, unsigned offset)
{
    uint64_t done, before = mp_hart_latest_exception(f->hart)->number;
    set(f, MP_HART_PRIVILEGE, privilege);
    set(f, MP_HART_PC, RAM + offset);
    assert_int_equal(mp_hart_run(f->hart, 1, &done), MP_HART_LIMIT);
    assert_int_equal(done, 1);
    const struct mp_hart_exception *e = mp_hart_latest_exception(f->hart);
    return e->number == before ? NO_TRAP : (int)e->cause;
}

static int run(const struct fixture *f, unsigned privilege, uint32_t code)
{
    put(f, 0, code);
    return run_at(f, privilege, 0);
}

static int load(const struct fixture *f, unsigned privilege, uint64_t address)
{
    set(f, A1, address);
    return run(f, privilege, LD_A0_A1);
}

static int store(const struct fixture *f, unsigned privilege, uint64_t address)
{
    set(f, A1, address);
    return run(f, privilege, SD_A0_A1);
}

static int jump(const struct fixture *f, unsigned privilege, uint64_t address)
{
    uint64_t done, before = mp_hart_latest_exception(f->hart)->number;
    assert_int_equal(run_at(f, M, 0x40), NO_TRAP); /* leaves the page, so that the next fetch is a jump */
    set(f, MP_HART_PRIVILEGE, privilege);
    set(f, MP_HART_PC, address);
    mp_hart_run(f->hart, 1, &done);
    const struct mp_hart_exception *e = mp_hart_latest_exception(f->hart);
    return e->number == before ? NO_TRAP : (int)e->cause;
}

static uint32_t csrr_a0(unsigned number)
{
    return number << 20 | 0x2573;
}

static uint32_t csrw_a0(unsigned number)
{
    return number << 20 | 0x51073;
}

/* An entry: its configuration, and its address in bytes. */
static void pmp(const struct fixture *f, unsigned entry, unsigned config, uint64_t address)
{
    unsigned word = MP_CSR_PMPCFG0 + entry / 8 * 2, shift = 8 * (entry % 8);
    set_csr(f, MP_CSR_PMPADDR0 + entry, address / 4);
    set_csr(f, word, (csr(f, word) & ~(0xffull << shift)) | (uint64_t)config << shift);
}

/* The address that pmp() takes for a NAPOT range. */
static uint64_t napot(uint64_t base, uint64_t bytes)
{
    return base + bytes / 2 - 4;
}

/* Everything, by the last entry. */
static void allow_all(const struct fixture *f, unsigned permissions)
{
    set_csr(f, MP_CSR_PMPADDR0 + 15, UINT64_MAX);
    set_csr(f, MP_CSR_PMPCFG0 + 2, (uint64_t)(NAPOT | permissions) << 56);
}

/* --- privilege ------------------------------------------------------------------------------------ */

/* Bits 8 and 9 of a CSR's number are the least privilege that may access it. */
static void csrs_by_privilege(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    set_csr(f, MP_CSR_MCOUNTEREN, 7);
    for (unsigned number = 0; number < 4096; number++) {
        uint64_t value;
        bool exists = mp_hart_read(f->hart, MP_HART_CSR + number, &value);
        assert_int_equal(run(f, M, csrr_a0(number)), exists ? NO_TRAP : MP_TRAP_ILLEGAL);
        bool counter = number >= MP_CSR_CYCLE && number <= MP_CSR_INSTRET;
        assert_int_equal(run(f, U, csrr_a0(number)), counter ? NO_TRAP : MP_TRAP_ILLEGAL);
    }
}

/* mcounteren permits U-mode the counters, one by one. */
static void counters(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    for (unsigned i = 0; i < 32; i++) {
        set_csr(f, MP_CSR_MCOUNTEREN, ~(1ull << i));
        assert_int_equal(run(f, U, csrr_a0(MP_CSR_CYCLE + i)), MP_TRAP_ILLEGAL);
        set_csr(f, MP_CSR_MCOUNTEREN, 1ull << i);
        assert_int_equal(run(f, U, csrr_a0(MP_CSR_CYCLE + i)), NO_TRAP);
    }
    assert_true(csr(f, MP_CSR_MCOUNTEREN) == 1ull << 31);
}

/* ECALL's cause is 8 + the privilege, and a trap saves it in MPP. */
static void calls(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    assert_int_equal(run(f, U, ECALL), 8);
    assert_int_equal(csr(f, MP_CSR_MSTATUS) & MPP, 0);
    assert_int_equal(mp_hart_latest_exception(f->hart)->privilege, U);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), M);
    assert_int_equal(run(f, M, ECALL), 11);
    assert_int_equal(csr(f, MP_CSR_MSTATUS) & MPP, MPP);
}

/* MRET enters MPP's privilege, which becomes U; MIE becomes MPIE, which becomes 1; MPRV goes with M-mode. */
static void returns(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    set_csr(f, MP_CSR_MEPC, RAM + 0x100);
    set_csr(f, MP_CSR_MSTATUS, MPP | MPRV | MPIE);
    assert_int_equal(run(f, M, MRET), NO_TRAP);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), M);
    assert_true(reg(f, MP_HART_PC) == RAM + 0x100);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), MPRV | MPIE | MIE);
    assert_int_equal(run(f, M, MRET), NO_TRAP);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), U);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), MPIE | MIE);
    assert_int_equal(run(f, U, MRET), MP_TRAP_ILLEGAL);
}

/* misa names the modes; UXL is 64 bits; MPP holds no reserved privilege. */
static void fields(void **state)
{
    struct fixture *f = *state;
    assert_true(csr(f, MP_CSR_MISA) >> ('U' - 'A') & 1);
    assert_true(csr(f, MP_CSR_MSTATUS) >> 32 & 3);
    set_csr(f, MP_CSR_MSTATUS, 0x1000);
    assert_int_equal(csr(f, MP_CSR_MSTATUS) & MPP, MPP); /* as before */
    set_csr(f, MP_CSR_MSTATUS, 0);
    set_csr(f, MP_CSR_MSTATUS, 0x1000);
    assert_int_equal(csr(f, MP_CSR_MSTATUS) & MPP, 0);
    set_csr(f, MP_CSR_MENVCFG, UINT64_MAX);
    assert_int_equal(csr(f, MP_CSR_MENVCFG), 1);
}

/* Outside M-mode, interrupts are enabled whatever MIE is. */
static void interrupts(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    allow_all(f, R | W | X);
    set_csr(f, MP_CSR_MIE, 1 << MP_IRQ_TIMER);
    put(f, 0, ADDI_A0);
    put(f, 4, STAY);
    for (unsigned privilege = U; privilege <= M; privilege += M - U) {
        mp_hart_interrupt(f->hart, MP_IRQ_TIMER, false);
        set_csr(f, MP_CSR_MSTATUS, 0);
        run_at(f, privilege, 0);
        mp_hart_interrupt(f->hart, MP_IRQ_TIMER, true);
        mp_hart_run(f->hart, 2, &done);
        assert_int_equal(mp_hart_counts(f->hart)->interrupts[MP_IRQ_TIMER], 1);
    }
    assert_true(csr(f, MP_CSR_MEPC) == RAM + 4);
}

/* --- PMP ------------------------------------------------------------------------------------------ */

/* Without a matching entry, M-mode may access all, U-mode nothing. */
static void no_match(void **state)
{
    struct fixture *f = *state;
    put(f, 0x40, ADDI_A0);
    assert_int_equal(load(f, M, RAM + 0x2000), NO_TRAP);
    assert_int_equal(run(f, U, LD_A0_A1), MP_TRAP_FETCH);
    assert_true(csr(f, MP_CSR_MTVAL) == RAM && csr(f, MP_CSR_MEPC) == RAM);
    assert_true(mp_hart_latest_exception(f->hart)->denied);
    pmp(f, 0, NAPOT | X, napot(RAM, 0x1000));
    assert_int_equal(load(f, U, RAM + 0x2000), MP_TRAP_LOAD);
    assert_true(csr(f, MP_CSR_MTVAL) == RAM + 0x2000);
    assert_int_equal(store(f, U, RAM + 0x2000), MP_TRAP_STORE);
    set(f, A1, RAM + 0x2000);
    assert_int_equal(run(f, U, LR_A0_A1), MP_TRAP_LOAD);
    assert_int_equal(run(f, U, AMOADD_A0_A1), MP_TRAP_STORE);
    assert_int_equal(load(f, U, DEVICE), MP_TRAP_LOAD);
    assert_int_equal(f->accesses, 0);
}

/* R, W and X, each alone; W without R is reserved, and neither. */
static void permissions(void **state)
{
    struct fixture *f = *state;
    put(f, 0x40, ADDI_A0);
    put(f, 0x2000, ADDI_A0);
    pmp(f, 0, NAPOT | X, napot(RAM, 0x1000));
    for (unsigned p = 0; p < 8; p++) {
        unsigned has = (p & (R | W)) == W ? p & ~W : p;
        pmp(f, 1, NAPOT | p, napot(RAM + 0x2000, 0x1000));
        assert_int_equal(csr(f, MP_CSR_PMPCFG0) >> 8, NAPOT | has);
        assert_int_equal(load(f, U, RAM + 0x2000), has & R ? NO_TRAP : MP_TRAP_LOAD);
        assert_int_equal(store(f, U, RAM + 0x2008), has & W ? NO_TRAP : MP_TRAP_STORE);
        assert_int_equal(jump(f, U, RAM + 0x2000), has & X ? NO_TRAP : MP_TRAP_FETCH);
        set(f, A1, RAM + 0x2010);
        assert_int_equal(run(f, U, AMOADD_A0_A1), has & W ? NO_TRAP : MP_TRAP_STORE);
        assert_int_equal(run(f, U, LR_A0_A1), has & R ? NO_TRAP : MP_TRAP_LOAD);
    }
}

/* The bytes of each kind of range: none outside, all inside. */
static void ranges(void **state)
{
    static const struct {
        unsigned config;
        uint64_t before, address, first, bytes; /* before: of the entry below */
    } cases[] = {
        {NA4, 0, RAM + 0x2008, RAM + 0x2008, 4},
        {NAPOT, 0, RAM + 0x2000, RAM + 0x2000, 8},
        {NAPOT, 0, RAM + 0x2024, RAM + 0x2020, 16},
        {NAPOT, 0, RAM + 0x27fc, RAM + 0x2000, 0x1000},
        {TOR, RAM + 0x2004, RAM + 0x2014, RAM + 0x2004, 16},
        {TOR, RAM + 0x1ffc, RAM + 0x3004, RAM + 0x1ffc, 0x1008},
        {TOR, RAM + 0x2010, RAM + 0x2010, 0, 0},
        {TOR, RAM + 0x2014, RAM + 0x2010, 0, 0},
    };
    enum { LB_A0_A1 = 0x00058503 };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pmp(f, 0, NAPOT | X, napot(RAM, 0x1000));
        pmp(f, 1, 0, cases[i].before);
        pmp(f, 2, cases[i].config | R, cases[i].address);
        for (uint64_t at = RAM + 0x1ff8; at < RAM + 0x3010;
             at += at < RAM + 0x2030 || at >= RAM + 0x2ff0 ? 1 : 16) {
            bool inside = at - cases[i].first < cases[i].bytes;
            set(f, A1, at);
            assert_int_equal(run(f, U, LB_A0_A1), inside ? NO_TRAP : MP_TRAP_LOAD);
        }
    }
}

/* The first entry of the TOR kind begins at 0. */
static void first_range(void **state)
{
    struct fixture *f = *state;
    pmp(f, 0, TOR | R | X, RAM + 0x2000);
    assert_int_equal(load(f, U, DEVICE), NO_TRAP);
    assert_int_equal(load(f, U, RAM + 0x1ff8), NO_TRAP);
    assert_int_equal(load(f, U, RAM + 0x2000), MP_TRAP_LOAD);
}

/* The entry with the lowest number decides, and nothing is permitted if it has a part of the access only. */
static void priority(void **state)
{
    struct fixture *f = *state;
    pmp(f, 3, NAPOT | X | R, napot(RAM, 0x1000));
    pmp(f, 9, NAPOT | R | W, napot(RAM + 0x2000, 0x1000));
    pmp(f, 8, NA4, RAM + 0x2010);
    pmp(f, 10, NA4 | R | W, RAM + 0x2020);
    assert_int_equal(load(f, U, RAM + 0x2008), NO_TRAP);
    assert_int_equal(load(f, U, RAM + 0x2010), MP_TRAP_LOAD);
    assert_int_equal(load(f, U, RAM + 0x200c), MP_TRAP_LOAD);
    assert_int_equal(load(f, U, RAM + 0x2014), NO_TRAP);
    assert_int_equal(load(f, U, RAM + 0x2020), NO_TRAP);
    pmp(f, 8, NA4 | R | W, RAM + 0x2010); /* also if the entry itself would permit it */
    assert_int_equal(load(f, U, RAM + 0x2010), MP_TRAP_LOAD);
    assert_int_equal(store(f, U, RAM + 0x200c), MP_TRAP_STORE);
}

/* An access of two pages has to be permitted in both, before anything is stored. */
static void two_pages(void **state)
{
    struct fixture *f = *state;
    uint64_t value = 0x1122334455667788;
    pmp(f, 0, NAPOT | X, napot(RAM, 0x1000));
    pmp(f, 1, NAPOT | R | W, napot(RAM + 0x2000, 0x1000));
    pmp(f, 2, NAPOT | R, napot(RAM + 0x3000, 0x1000));
    memcpy(memory + 0x2ffd, &value, sizeof value);
    assert_int_equal(load(f, U, RAM + 0x2ffd), NO_TRAP);
    assert_true(reg(f, A0) == value);
    set(f, A0, 0);
    assert_int_equal(store(f, U, RAM + 0x2ffd), MP_TRAP_STORE);
    assert_true(csr(f, MP_CSR_MTVAL) == RAM + 0x3000);
    assert_memory_equal(memory + 0x2ffd, &value, sizeof value);
    pmp(f, 2, NAPOT | R | W, napot(RAM + 0x3000, 0x1000));
    assert_int_equal(store(f, U, RAM + 0x2ffd), NO_TRAP);
    memset(&value, 0, sizeof value);
    assert_memory_equal(memory + 0x2ffd, &value, sizeof value);
    allow_all(f, R | W | X);
    assert_int_equal(load(f, U, RAM + BYTES - 4), MP_TRAP_LOAD); /* memory ends */
    assert_int_equal(load(f, U, DEVICE + 0x1000 - 4), MP_TRAP_LOAD);
    assert_int_equal(f->accesses, 0);
}

/* Code in a page of which PMP permits a part, down to its last instruction. */
static void parts_of_code(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    for (unsigned at = 0x1000; at < 0x1020; at += 4)
        put(f, at, ADDI_A0);
    pmp(f, 0, NAPOT | X, napot(RAM + 0x1008, 8));
    set(f, MP_HART_PRIVILEGE, U);
    set(f, MP_HART_PC, RAM + 0x1008);
    mp_hart_run(f->hart, 3, &done);
    assert_int_equal(reg(f, A0), 2);
    assert_int_equal(mp_hart_latest_exception(f->hart)->cause, MP_TRAP_FETCH);
    assert_true(csr(f, MP_CSR_MEPC) == RAM + 0x1010);
    put(f, 0x100c, (uint32_t)ADDI_A0 << 16 | C_NOP); /* the last one is cut in two */
    set(f, MP_HART_PRIVILEGE, U);
    set(f, MP_HART_PC, RAM + 0x1008);
    mp_hart_run(f->hart, 3, &done);
    assert_int_equal(reg(f, A0), 3);
    assert_true(csr(f, MP_CSR_MEPC) == RAM + 0x100e && csr(f, MP_CSR_MTVAL) == RAM + 0x1010);
}

/* A locked entry is for M-mode, too, and stays as it is. */
static void locked(void **state)
{
    struct fixture *f = *state;
    put(f, 0x40, ADDI_A0);
    put(f, 0x2000, ADDI_A0);
    pmp(f, 4, NAPOT | R | LOCKED, napot(RAM + 0x2000, 0x1000));
    assert_int_equal(load(f, M, RAM + 0x2000), NO_TRAP);
    assert_int_equal(store(f, M, RAM + 0x2000), MP_TRAP_STORE);
    assert_int_equal(store(f, M, RAM + 0x3000), NO_TRAP);
    assert_int_equal(jump(f, M, RAM + 0x2000), MP_TRAP_FETCH);
    uint64_t address = csr(f, MP_CSR_PMPADDR0 + 4);
    set_csr(f, MP_CSR_PMPCFG0, 0);
    set_csr(f, MP_CSR_PMPADDR0 + 4, 0);
    assert_true(csr(f, MP_CSR_PMPCFG0) == (uint64_t)(NAPOT | R | LOCKED) << 32);
    assert_true(csr(f, MP_CSR_PMPADDR0 + 4) == address);
    pmp(f, 3, NAPOT | R | W, napot(RAM + 0x2000, 0x1000)); /* one before it that is not locked */
    assert_int_equal(store(f, M, RAM + 0x2000), NO_TRAP);
}

/* The begin of a locked range is the address of the entry before. */
static void locked_begin(void **state)
{
    struct fixture *f = *state;
    pmp(f, 5, 0, RAM);
    pmp(f, 6, NAPOT | LOCKED, napot(RAM + 0x2000, 0x1000));
    set_csr(f, MP_CSR_PMPADDR0 + 5, 1);
    assert_int_equal(csr(f, MP_CSR_PMPADDR0 + 5), 1); /* NAPOT does not use it */
    pmp(f, 8, TOR | LOCKED, RAM + 0x3000);
    set_csr(f, MP_CSR_PMPADDR0 + 7, 1);
    assert_int_equal(csr(f, MP_CSR_PMPADDR0 + 7), 0);
}

/* What the CSRs hold: 54 bits of addresses, no reserved bits; those of entries that are not there are zero.
 */
static void pmp_csrs(void **state)
{
    struct fixture *f = *state;
    uint64_t value;
    set_csr(f, MP_CSR_PMPADDR0, UINT64_MAX);
    assert_true(csr(f, MP_CSR_PMPADDR0) == (1ull << 54) - 1);
    set_csr(f, MP_CSR_PMPCFG0, 0x7f);
    assert_int_equal(csr(f, MP_CSR_PMPCFG0), 0x1f);
    set_csr(f, MP_CSR_PMPADDR0 + 16, 5);
    assert_int_equal(csr(f, MP_CSR_PMPADDR0 + 16), 0);
    assert_false(mp_hart_read(f->hart, MP_HART_CSR + MP_CSR_PMPCFG0 + 1, &value));
}

/* A change of PMP is in force at once, also for the next instruction. */
static void at_once(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    pmp(f, 0, NAPOT | LOCKED | R | X, napot(RAM + HANDLER, 0x1000));
    put(f, 0, csrw_a0(MP_CSR_PMPCFG0));
    put(f, 4, ADDI_A0);
    set_csr(f, MP_CSR_PMPADDR0 + 1, napot(RAM, 0x1000) / 4);
    set(f, A0, (NAPOT | LOCKED) << 8);
    set(f, MP_HART_PC, RAM);
    mp_hart_run(f->hart, 2, &done);
    assert_true(csr(f, MP_CSR_MCAUSE) == MP_TRAP_FETCH && csr(f, MP_CSR_MEPC) == RAM + 4);
}

/* With MPRV, M-mode's loads and stores are those of MPP, its fetches are not. */
static void mprv(void **state)
{
    struct fixture *f = *state;
    pmp(f, 1, NAPOT | R, napot(RAM + 0x2000, 0x1000));
    set_csr(f, MP_CSR_MSTATUS, MPRV);
    assert_int_equal(load(f, M, RAM + 0x2000), NO_TRAP);
    set_csr(f, MP_CSR_MSTATUS, MPRV);
    assert_int_equal(load(f, M, RAM + 0x3000), MP_TRAP_LOAD);
    set_csr(f, MP_CSR_MSTATUS, MPRV);
    assert_int_equal(store(f, M, RAM + 0x2000), MP_TRAP_STORE);
    set_csr(f, MP_CSR_MSTATUS, MPRV | MPP);
    assert_int_equal(store(f, M, RAM + 0x2000), NO_TRAP);
}

/* MPRV is in force for the instruction after the one that sets it. */
static void mprv_at_once(void **state)
{
    struct fixture *f = *state;
    uint64_t done;
    set_csr(f, MP_CSR_MSTATUS, 0);
    put(f, 0, MP_CSR_MSTATUS << 20 | 0x52073); /* csrs mstatus, a0 */
    put(f, 4, SB_A0_A1);
    set(f, A0, MPRV);
    set(f, A1, RAM + 0x2000);
    set(f, MP_HART_PC, RAM);
    mp_hart_run(f->hart, 2, &done);
    assert_int_equal(csr(f, MP_CSR_MCAUSE), MP_TRAP_STORE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(csrs_by_privilege), TEST(counters),  TEST(calls),       TEST(returns),       TEST(fields),
        TEST(interrupts),        TEST(no_match),  TEST(permissions), TEST(ranges),        TEST(first_range),
        TEST(priority),          TEST(two_pages), TEST(locked),      TEST(parts_of_code), TEST(locked_begin),
        TEST(pmp_csrs),          TEST(at_once),   TEST(mprv),        TEST(mprv_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
