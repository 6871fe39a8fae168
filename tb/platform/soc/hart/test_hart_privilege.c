/* SPDX-License-Identifier: Apache-2.0 */
/* Privilege levels and physical memory protection (The RISC-V Instruction Set Manual, Volume II), rule by
 * rule. */
#include "fixture.h"

/* --- privilege ------------------------------------------------------------------------------------ */

/* Bits 8 and 9 of a CSR's number are the least privilege that may access it. Counters are below. */
static void csrs_by_privilege(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    for (unsigned number = 0; number < MP_CSR_CYCLE; number++) {
        uint64_t value;
        bool exists = mp_hart_read(f->hart, MP_HART_CSR + number, &value);
        unsigned least = number >> 8 & 3;
        assert_int_equal(run(f, M, csrr_a0(number)), exists ? NO_TRAP : MP_TRAP_ILLEGAL);
        assert_int_equal(run(f, S, csrr_a0(number)), exists && least <= S ? NO_TRAP : MP_TRAP_ILLEGAL);
        assert_int_equal(run(f, U, csrr_a0(number)), exists && least <= U ? NO_TRAP : MP_TRAP_ILLEGAL);
    }
}

/* mcounteren permits S-mode the counters, one by one, and U-mode those that scounteren has, too. */
static void counters(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    for (unsigned i = 0; i < 32; i++)
        for (unsigned by_m = 0; by_m < 2; by_m++)
            for (unsigned by_s = 0; by_s < 2; by_s++) {
                uint32_t read = csrr_a0(MP_CSR_CYCLE + i);
                set_csr(f, MP_CSR_MCOUNTEREN, by_m ? 1ull << i : ~(1ull << i));
                set_csr(f, MP_CSR_SCOUNTEREN, by_s ? 1ull << i : ~(1ull << i));
                assert_int_equal(run(f, M, read), NO_TRAP);
                assert_int_equal(run(f, S, read), by_m ? NO_TRAP : MP_TRAP_ILLEGAL);
                assert_int_equal(run(f, U, read), by_m && by_s ? NO_TRAP : MP_TRAP_ILLEGAL);
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
    assert_int_equal(run(f, S, ECALL), 9);
    assert_int_equal(csr(f, MP_CSR_MSTATUS) & MPP, S << 11);
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
    assert_int_equal(run(f, S, MRET), MP_TRAP_ILLEGAL);
    set_csr(f, MP_CSR_MSTATUS, S << 11 | MPRV);
    assert_int_equal(run(f, M, MRET), NO_TRAP);
    assert_int_equal(reg(f, MP_HART_PRIVILEGE), S);
    assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), MPIE);
}

/* SRET enters SPP's privilege, which becomes U; SIE becomes SPIE, which becomes 1. */
static void supervisor_returns(void **state)
{
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    set_csr(f, MP_CSR_SEPC, RAM + 0x101);
    for (unsigned from = S; from <= M; from += M - S) {
        set_csr(f, MP_CSR_MSTATUS, SPP | SPIE | MPRV);
        assert_int_equal(run(f, from, SRET), NO_TRAP);
        assert_int_equal(reg(f, MP_HART_PRIVILEGE), S);
        assert_true(reg(f, MP_HART_PC) == RAM + 0x100);
        assert_int_equal((uint32_t)csr(f, MP_CSR_MSTATUS), SPIE | SIE);
        assert_int_equal(run(f, from, SRET), NO_TRAP);
        assert_int_equal(reg(f, MP_HART_PRIVILEGE), U);
    }
    assert_int_equal(run(f, U, SRET), MP_TRAP_ILLEGAL);
}

/* TSR, TVM and TW keep S-mode's instructions for M-mode. U-mode does not have them, nor WFI. */
static void kept_for_machine(void **state)
{
    static const struct {
        uint32_t code, bit;
    } cases[] = {{SRET, TSR},
                 {SFENCE_VMA, TVM},
                 {MP_CSR_SATP << 20 | 0x2573, TVM},
                 {MP_CSR_SATP << 20 | 0x51073, TVM},
                 {WFI, TW}};
    struct fixture *f = *state;
    allow_all(f, R | W | X);
    set_csr(f, MP_CSR_SEPC, RAM + 0x40);
    set_csr(f, MP_CSR_MIE, 1 << MP_IRQ_S_TIMER); /* wakes, and is not enabled in M-mode */
    set_csr(f, MP_CSR_MIDELEG, 1 << MP_IRQ_S_TIMER);
    set_csr(f, MP_CSR_MIP, 1 << MP_IRQ_S_TIMER);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_csr(f, MP_CSR_MSTATUS, SPP | ((TSR | TVM | TW) & ~cases[i].bit));
        assert_int_equal(run(f, S, cases[i].code), NO_TRAP);
        set_csr(f, MP_CSR_MSTATUS, SPP | cases[i].bit);
        assert_int_equal(run(f, S, cases[i].code), MP_TRAP_ILLEGAL);
        set_csr(f, MP_CSR_MSTATUS, SPP | cases[i].bit);
        assert_int_equal(run(f, M, cases[i].code), NO_TRAP);
        set_csr(f, MP_CSR_MIP, 0);
        set_csr(f, MP_CSR_MSTATUS, 0);
        assert_int_equal(run(f, U, cases[i].code), MP_TRAP_ILLEGAL);
        set_csr(f, MP_CSR_MIP, 1 << MP_IRQ_S_TIMER);
    }
}

/* misa names the modes; UXL is 64 bits; MPP holds no reserved privilege. */
static void fields(void **state)
{
    struct fixture *f = *state;
    assert_true(csr(f, MP_CSR_MISA) >> ('U' - 'A') & 1 && csr(f, MP_CSR_MISA) >> ('S' - 'A') & 1);
    assert_true(csr(f, MP_CSR_MSTATUS) >> 32 == 0xa && csr(f, MP_CSR_SSTATUS) >> 32 == 2);
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
    for (unsigned i = 0; i < 3; i++) {
        const unsigned privilege = (const unsigned[]){U, S, M}[i];
        mp_hart_interrupt(f->hart, MP_IRQ_TIMER, false);
        set_csr(f, MP_CSR_MSTATUS, 0);
        run_at(f, privilege, 0);
        mp_hart_interrupt(f->hart, MP_IRQ_TIMER, true);
        mp_hart_run(f->hart, 2, &done);
        assert_int_equal(mp_hart_counts(f->hart)->interrupts[MP_IRQ_TIMER], i < 2 ? i + 1 : 2);
    }
    assert_true(csr(f, MP_CSR_MEPC) == RAM + 4);
}

/* --- PMP ------------------------------------------------------------------------------------------ */

/* Without a matching entry, M-mode may access all, others nothing. */
static void no_match(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(load(f, M, RAM + 0x2000), NO_TRAP);
    assert_int_equal(run(f, S, LD_A0_A1), MP_TRAP_FETCH);
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
        TEST(csrs_by_privilege),  TEST(counters),         TEST(calls),   TEST(returns),
        TEST(supervisor_returns), TEST(kept_for_machine), TEST(fields),  TEST(interrupts),
        TEST(no_match),           TEST(permissions),      TEST(ranges),  TEST(first_range),
        TEST(priority),           TEST(two_pages),        TEST(locked),  TEST(parts_of_code),
        TEST(locked_begin),       TEST(pmp_csrs),         TEST(at_once), TEST(mprv),
        TEST(mprv_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
