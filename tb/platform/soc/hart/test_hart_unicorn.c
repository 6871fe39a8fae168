/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hart compared with Unicorn's, which others wrote: instructions with random operands, one at a time from
 * the same state, must leave the same registers, program counter and memory, or trap in both.
 *
 *   test_hart_unicorn [SEED [INSTRUCTIONS]]
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

#include "soc/hart/decode.h"
#include "soc/hart/hart.h"

enum { CPU_MODEL_SIFIVE_E51 = 2 }; /* RV64IMAC */
enum { CODE = 0x100000, CODE_BYTES = 0x100000, DATA = 0x400000, DATA_BYTES = 0x1000, STRIDE = 8 };
enum { HANDLER = 0x700000 }; /* in no memory */

static const struct {
    uint32_t mask, match;
    const char *name;
} instructions[] = {
#define ROW(name, mask, match, format) {mask, match, #name},
    MP_RV_INSTRUCTIONS(ROW)
#undef ROW
};

static uint64_t seed = 1;
static unsigned cases = CODE_BYTES / STRIDE;

static struct {
    struct mp_hart *ours;
    uc_engine *theirs;
    uint64_t random;
    bool trapped; /* theirs */
    bool single;  /* they stop after one instruction */
    unsigned begun;
    uint32_t lr; /* the latest that has reserved */
} w;

static _Alignas(4096) uint8_t code[CODE_BYTES], our_data[DATA_BYTES], their_data[DATA_BYTES];

static uint64_t draw(void)
{
    w.random ^= w.random << 13;
    w.random ^= w.random >> 7;
    w.random ^= w.random << 17;
    return w.random * 0x9e3779b97f4a7c15u >> 16 | w.random << 48;
}

static void on_trap(uc_engine *uc, uint32_t number, void *self)
{
    (void)number, (void)self;
    w.trapped = true;
    uc_emu_stop(uc);
}

/* Stops before the second instruction. Unicorn's own count of instructions lets illegal ones pass. */
static void on_instruction(uc_engine *uc, uint64_t address, uint32_t size, void *self)
{
    (void)address, (void)size, (void)self;
    if (w.begun++ == 1 && w.single)
        uc_emu_stop(uc);
}

static bool no_device(void *self, uint64_t address, uint64_t *data, unsigned width, bool write)
{
    (void)self, (void)address, (void)data, (void)width, (void)write;
    return false;
}

static int setup(void **state)
{
    (void)state;
    const struct mp_hart_bus bus = {.access = no_device};
    uc_hook hook;
    w.ours = mp_hart_new(&bus, NULL);
    assert_int_equal(mp_hart_map_memory(w.ours, CODE, CODE_BYTES, code, false, NULL), 0);
    assert_int_equal(mp_hart_map_memory(w.ours, DATA, DATA_BYTES, our_data, true, NULL), 0);
    mp_hart_write(w.ours, MP_HART_CSR + 0x305, HANDLER);
    assert_int_equal(uc_open(UC_ARCH_RISCV, UC_MODE_RISCV64, &w.theirs), UC_ERR_OK);
    assert_int_equal(uc_ctl_set_cpu_model(w.theirs, CPU_MODEL_SIFIVE_E51), UC_ERR_OK);
    assert_int_equal(uc_mem_map_ptr(w.theirs, CODE, CODE_BYTES, UC_PROT_READ | UC_PROT_EXEC, code),
                     UC_ERR_OK);
    assert_int_equal(uc_mem_map_ptr(w.theirs, DATA, DATA_BYTES, UC_PROT_READ | UC_PROT_WRITE, their_data),
                     UC_ERR_OK);
    assert_int_equal(uc_hook_add(w.theirs, &hook, UC_HOOK_INTR, (void *)(uintptr_t)on_trap, NULL, (uint64_t)1,
                                 (uint64_t)0),
                     UC_ERR_OK);
    assert_int_equal(uc_hook_add(w.theirs, &hook, UC_HOOK_CODE, (void *)(uintptr_t)on_instruction, NULL,
                                 (uint64_t)1, (uint64_t)0),
                     UC_ERR_OK);
    w.random = seed * 0x9e3779b97f4a7c15u | 1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mp_hart_free(w.ours);
    uc_close(w.theirs);
    return 0;
}

/* --- inputs --------------------------------------------------------------------------------------- */

/* Values at which instructions differ, addresses of data, and any others. */
static uint64_t a_value(void)
{
    static const uint64_t edges[] = {0,          1,          2,          31,        32,        63,
                                     UINT64_MAX, 1ull << 63, 1ull << 31, INT32_MAX, INT64_MAX, UINT32_MAX};
    uint64_t kind = draw() % 8;
    if (kind < 3)
        return edges[draw() % (sizeof edges / sizeof *edges)];
    if (kind < 6)
        return DATA + draw() % DATA_BYTES / (draw() % 4 ? 8 : 1) * 8;
    return draw();
}

static bool is_lr(uint32_t i)
{
    return (i & 0xf9f0607f) == 0x1000202f;
}

static bool is_sc(uint32_t i)
{
    return (i & 0xf800607f) == 0x1800202f;
}

/* CSRs, traps and waiting are what Unicorn leaves to its user. Its SC does not look at an address that is not
 * reserved, such as 0; its AMOMIN.W and its relatives compare values without their sign (test_hart has
 * these); and some of F's instructions are legal for it. */
static bool is_left_out(uint32_t i)
{
    bool is_minimum = (i & 0x8000707f) == 0x8000202f;
    return (i & 0x7f) == 0x73 || (i & 0x7f) == 0x53 || (i & 0xffff) == 0x9002 ||
           (is_sc(i) && !(i >> 15 & 31)) || is_minimum;
}

/* Any instruction, a 16-bit one, or a word that may be illegal. After LR often the SC. */
static uint32_t an_instruction(uint32_t before)
{
    for (;;) {
        uint64_t kind = draw() % 16;
        uint32_t i = (uint32_t)draw();
        if (is_lr(before) && before == w.lr && kind < 12)
            return (before & 0x000ff07f) | (i & 0x01f00f80) | 0x18000000;
        if (kind < 10) {
            unsigned n = (unsigned)(draw() % (sizeof instructions / sizeof *instructions));
            i = (i & ~instructions[n].mask) | instructions[n].match;
        } else if (kind < 15) {
            i &= 0xffff;
            if ((i & 3) == 3)
                continue;
        }
        bool other_width = is_sc(i) && ((i ^ w.lr) & 0x7000); /* Unicorn stores and reports that it failed */
        if (!is_left_out(i) && !other_width)
            return i;
    }
}

static const char *name_of(uint32_t i)
{
    if ((i & 3) != 3)
        return "C";
    for (size_t n = 0; n < sizeof instructions / sizeof *instructions; n++)
        if ((i & instructions[n].mask) == instructions[n].match)
            return instructions[n].name;
    return "none";
}

/* --- a step --------------------------------------------------------------------------------------- */

struct state {
    uint64_t x[32], pc;
    bool trapped;
};

static void set(const struct state *s)
{
    for (int r = 1; r < 32; r++) {
        mp_hart_write(w.ours, (unsigned)r, s->x[r]);
        uc_reg_write(w.theirs, UC_RISCV_REG_X0 + r, &s->x[r]);
    }
}

static void step_ours(uint64_t pc, struct state *s)
{
    uint64_t done, traps = mp_hart_latest_exception(w.ours)->number;
    mp_hart_write(w.ours, MP_HART_PC, pc);
    mp_hart_run(w.ours, 1, &done);
    assert_int_equal(done, 1);
    for (unsigned r = 1; r < 32; r++)
        mp_hart_read(w.ours, r, &s->x[r]);
    mp_hart_read(w.ours, MP_HART_PC, &s->pc);
    s->trapped = mp_hart_latest_exception(w.ours)->number != traps;
}

static void step_theirs(uint64_t pc, struct state *s)
{
    w.trapped = false;
    w.begun = 0;
    w.single = true;
    uc_err error = uc_emu_start(w.theirs, pc, UINT64_MAX, 0, 0);
    for (int r = 1; r < 32; r++)
        uc_reg_read(w.theirs, UC_RISCV_REG_X0 + r, &s->x[r]);
    uc_reg_read(w.theirs, UC_RISCV_REG_PC, &s->pc);
    bool jumped = error == UC_ERR_FETCH_UNMAPPED || error == UC_ERR_FETCH_PROT; /* without a trap yet */
    s->trapped = w.trapped || (error && !jumped);
}

static void compare(unsigned n, uint32_t i, uint64_t pc, const struct state *before)
{
    struct state a = {.pc = 0}, b = {.pc = 0};
    step_ours(pc, &a);
    step_theirs(pc, &b);
    if (a.trapped && b.trapped) /* of a store across the end of memory, Unicorn's hart stores a part */
        memcpy(their_data, our_data, DATA_BYTES);
    /* Unicorn goes on after an illegal instruction of 16 bits, without another effect. */
    bool passes = (i & 3) != 3 && !mp_rv_expand((uint16_t)i) && a.trapped;
    bool same = (passes || (a.trapped == b.trapped && (a.trapped || a.pc == b.pc))) &&
                !memcmp(a.x, b.x, sizeof a.x) && !memcmp(our_data, their_data, DATA_BYTES);
    if (is_lr(i) && !a.trapped)
        w.lr = i;
    if (same)
        return;
    print_message(
        "seed %llu, instruction %u: 0x%08x (%s) at 0x%llx: trap %d and %d, pc 0x%llx and 0x%llx, data %s\n",
        (unsigned long long)seed, n, i, name_of(i), (unsigned long long)pc, a.trapped, b.trapped,
        (unsigned long long)a.pc, (unsigned long long)b.pc,
        memcmp(our_data, their_data, DATA_BYTES) ? "different" : "equal");
    for (int r = 1; r < 32; r++)
        if (a.x[r] != b.x[r] || r == (int)(i >> 15 & 31) || r == (int)(i >> 20 & 31))
            print_message("  x%d was 0x%llx: 0x%llx and 0x%llx\n", r, (unsigned long long)before->x[r],
                          (unsigned long long)a.x[r], (unsigned long long)b.x[r]);
    fail();
}

static void instructions_are_equal(void **unused)
{
    (void)unused;
    struct state s = {.pc = 0};
    uint32_t i = 0;
    print_message("seed %llu, %u instructions\n", (unsigned long long)seed, cases);
    for (unsigned n = 0; n < cases; n++) {
        uint64_t pc = CODE + STRIDE * (uint64_t)n;
        uint32_t before = i;
        i = an_instruction(before);
        memcpy(code + (pc - CODE), &i, sizeof i);
        uc_ctl_remove_cache(w.theirs, pc, pc + sizeof i); /* an earlier jump may have come here */
        mp_hart_forget(w.ours, pc, sizeof i);
        for (int r = 1; r < 32; r++)
            if ((before & 0x7f) != 0x2f) /* LR's address is SC's */
                s.x[r] = a_value();
        uint64_t *sc = is_sc(i) ? &s.x[i >> 15 & 31] : NULL;
        if (sc && (*sc % 8 || *sc - DATA >= DATA_BYTES))
            *sc = DATA + draw() % DATA_BYTES / 8 * 8;
        s.x[0] = 0;
        set(&s);
        compare(n, i, pc, &s);
    }
}

/* Instructions of both lengths in a row, across the ends of pages, in one run. */
static void rows_are_equal(void **unused)
{
    enum { ROWS = 512, LENGTH = 40, ROOM = 2048 + 2 };
    (void)unused;
    for (unsigned row = 0; row < ROWS; row++) {
        struct state s = {.pc = 0}, a = {.pc = 0}, b = {.pc = 0};
        uint64_t pc = CODE + ROOM * (uint64_t)row, at = pc, done;
        for (unsigned n = 0; n < LENGTH;) {
            uint32_t i = an_instruction(0);
            unsigned opcode = i & 0x7f;
            bool is_short = (i & 3) != 3;
            if (is_short)
                opcode = mp_rv_expand((uint16_t)i) & 0x7f;
            if (opcode != 0x13 && opcode != 0x1b && opcode != 0x33 && opcode != 0x3b && opcode != 0x17 &&
                opcode != 0x37)
                continue;
            if (!is_short && !strcmp(name_of(i), "none"))
                continue;
            memcpy(code + (at - CODE), &i, sizeof i);
            at += is_short ? 2 : 4;
            n++;
        }
        uc_ctl_remove_cache(w.theirs, pc, at);
        mp_hart_forget(w.ours, pc, at - pc);
        for (int r = 1; r < 32; r++)
            s.x[r] = a_value();
        set(&s);
        mp_hart_write(w.ours, MP_HART_PC, pc);
        mp_hart_run(w.ours, LENGTH, &done);
        w.single = false;
        assert_int_equal(uc_emu_start(w.theirs, pc, at, 0, 0), UC_ERR_OK);
        for (unsigned r = 1; r < 32; r++) {
            mp_hart_read(w.ours, r, &a.x[r]);
            uc_reg_read(w.theirs, UC_RISCV_REG_X0 + (int)r, &b.x[r]);
        }
        mp_hart_read(w.ours, MP_HART_PC, &a.pc);
        if (a.pc != at || memcmp(a.x, b.x, sizeof a.x) != 0)
            print_message("seed %llu, row %u at 0x%llx\n", (unsigned long long)seed, row,
                          (unsigned long long)pc);
        assert_true(a.pc == at);
        assert_memory_equal(a.x, b.x, sizeof a.x);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    if (argc > 2 && strtoul(argv[2], NULL, 0) < cases)
        cases = (unsigned)strtoul(argv[2], NULL, 0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(instructions_are_equal),
                                       cmocka_unit_test(rows_are_equal)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
