/* SPDX-License-Identifier: Apache-2.0 */
/* A hart with memory, for tests of one instruction at a time with the state that a rule is about. */
#ifndef TB_SOC_HART_FIXTURE_H
#define TB_SOC_HART_FIXTURE_H

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
enum { A0 = 10, A1 = 11, U = MP_HART_USER, S = MP_HART_SUPERVISOR, M = MP_HART_MACHINE, NO_TRAP = -1 };
enum { R = 1, W = 2, X = 4, TOR = 1 << 3, NA4 = 2 << 3, NAPOT = 3 << 3, LOCKED = 0x80 };
enum { /* of mstatus */
       SIE = 1 << 1,
       MIE = 1 << 3,
       SPIE = 1 << 5,
       MPIE = 1 << 7,
       SPP = 1 << 8,
       MPP = 3 << 11,
       MPRV = 1 << 17,
       SUM = 1 << 18,
       MXR = 1 << 19,
       TVM = 1 << 20,
       TW = 1 << 21,
       TSR = 1 << 22
};

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
    SRET = 0x10200073,
    SFENCE_VMA = 0x12000073,
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

static inline bool access(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    struct fixture *f = self;
    (void)address, (void)width;
    f->accesses++;
    if (!write)
        *data = 0x77;
    return true;
}

static inline int setup(void **state)
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

static inline int teardown(void **state)
{
    struct fixture *f = *state;
    mp_hart_free(f->hart);
    free(f);
    return 0;
}

static inline uint64_t reg(const struct fixture *f, unsigned number)
{
    uint64_t value;
    assert_true(mp_hart_read(f->hart, number, &value));
    return value;
}

static inline uint64_t csr(const struct fixture *f, unsigned number)
{
    return reg(f, MP_HART_CSR + number);
}

static inline void set(const struct fixture *f, unsigned number, uint64_t value)
{
    assert_true(mp_hart_write(f->hart, number, value));
}

static inline void set_csr(const struct fixture *f, unsigned number, uint64_t value)
{
    set(f, MP_HART_CSR + number, value);
}

static inline void put(const struct fixture *f, unsigned offset, uint32_t code)
{
    memcpy(memory + offset, &code, sizeof code);
    mp_hart_forget(f->hart, RAM + offset, sizeof code);
}

/* Runs one instruction of this privilege at this offset. Returns the cause of its exception, or NO_TRAP. */
static inline int run_at(const struct fixture *f, unsigned privilege, unsigned offset)
{
    uint64_t done, before = mp_hart_latest_exception(f->hart)->number;
    set(f, MP_HART_PRIVILEGE, privilege);
    set(f, MP_HART_PC, RAM + offset);
    assert_int_equal(mp_hart_run(f->hart, 1, &done), MP_HART_LIMIT);
    assert_int_equal(done, 1);
    const struct mp_hart_exception *e = mp_hart_latest_exception(f->hart);
    return e->number == before ? NO_TRAP : (int)e->cause;
}

static inline int run(const struct fixture *f, unsigned privilege, uint32_t code)
{
    put(f, 0, code);
    return run_at(f, privilege, 0);
}

static inline int load(const struct fixture *f, unsigned privilege, uint64_t address)
{
    set(f, A1, address);
    return run(f, privilege, LD_A0_A1);
}

static inline int store(const struct fixture *f, unsigned privilege, uint64_t address)
{
    set(f, A1, address);
    return run(f, privilege, SD_A0_A1);
}

static inline int jump(const struct fixture *f, unsigned privilege, uint64_t address)
{
    uint64_t done, before = mp_hart_latest_exception(f->hart)->number;
    put(f, 0x40, ADDI_A0);
    assert_int_equal(run_at(f, M, 0x40), NO_TRAP); /* leaves the page, so that the next fetch is a jump */
    set(f, MP_HART_PRIVILEGE, privilege);
    set(f, MP_HART_PC, address);
    mp_hart_run(f->hart, 1, &done);
    const struct mp_hart_exception *e = mp_hart_latest_exception(f->hart);
    return e->number == before ? NO_TRAP : (int)e->cause;
}

static inline uint32_t csrr_a0(unsigned number)
{
    return number << 20 | 0x2573;
}

static inline uint32_t csrw_a0(unsigned number)
{
    return number << 20 | 0x51073;
}

/* An entry: its configuration, and its address in bytes. */
static inline void pmp(const struct fixture *f, unsigned entry, unsigned config, uint64_t address)
{
    unsigned word = MP_CSR_PMPCFG0 + entry / 8 * 2, shift = 8 * (entry % 8);
    set_csr(f, MP_CSR_PMPADDR0 + entry, address / 4);
    set_csr(f, word, (csr(f, word) & ~(0xffull << shift)) | (uint64_t)config << shift);
}

/* The address that pmp() takes for a NAPOT range. */
static inline uint64_t napot(uint64_t base, uint64_t bytes)
{
    return base + bytes / 2 - 4;
}

/* Everything, by the last entry. */
static inline void allow_all(const struct fixture *f, unsigned permissions)
{
    set_csr(f, MP_CSR_PMPADDR0 + 15, UINT64_MAX);
    set_csr(f, MP_CSR_PMPCFG0 + 2, (uint64_t)(NAPOT | permissions) << 56);
}

#endif
