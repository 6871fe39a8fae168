/* SPDX-License-Identifier: Apache-2.0 */
/* The line about an exception, without the program's symbols: causes, instructions, and the stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/crash.h"

#define DATA_END 0x80001000ull
#define END      0x80003000ull
#define STACK    0x84000000ull
enum { LW = 0x0005a503 /* lw a0, 0(a1) */ };

static const char *line(struct mp_hart_exception e, uint64_t stack, const struct mp_hart_exception *then)
{
    static char text[512];
    const struct mp_crash c = {.begin = 0x80000000, .data_end = DATA_END, .end = END, .stack = stack};
    e.pc = 0x80000100;
    if (!e.denied && !e.translated)
        e.privilege = MP_HART_MACHINE;
    mp_crash_line(&c, &e, then, text, sizeof text);
    return text;
}

static void causes(void **state)
{
    (void)state;
    static const struct {
        struct mp_hart_exception exception;
        const char *what;
    } cases[] = {
        {{.cause = MP_TRAP_LOAD, .instruction = LW, .value = 0x10100002},
         "load access fault at pc 0x80000100: 0x10100002 is inside GPU.ID, which has 4 bytes at 0x10100000"},
        {{.cause = MP_TRAP_FETCH, .value = 0x10000000, .from = 0x80000040},
         "instruction access fault at pc 0x80000100: 0x10000000 is in UART (console), from where no code "
         "runs; the "
         "jump is at 0x80000040"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0},
         "illegal instruction at pc 0x80000100: 0x0000 is no code: data, or code that was overwritten?"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0x00053507}, /* fld */
         "illegal instruction at pc 0x80000100: 0x00053507 is a floating-point instruction; compile with "
         "-march=rv64imac"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0xffff2108}, /* c.fld */
         "illegal instruction at pc 0x80000100: 0x2108 is a floating-point instruction; compile with "
         "-march=rv64imac"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0xf1401073}, /* csrw mhartid, zero */
         "illegal instruction at pc 0x80000100: 0xf1401073 uses CSR 0xf14, which does not exist or is "
         "read-only"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0x12345677},
         "illegal instruction at pc 0x80000100: 0x12345677 is no instruction of RV64IMAC"},
        {{.cause = MP_TRAP_BREAKPOINT},
         "breakpoint at pc 0x80000100: an ebreak instruction, as __builtin_trap() leaves it"},
        {{.cause = MP_TRAP_LOAD_MISALIGNED, .instruction = 0x1005a52f, .value = 0x80002002}, /* lr.w */
         "misaligned load at pc 0x80000100: 0x80002002 is not aligned to the 4 bytes of an atomic"},
        {{.cause = MP_TRAP_STORE, .value = 0x80002000, .denied = true},
         "store access fault at pc 0x80000100 in U-mode: PMP does not permit U-mode to store to 0x80002000"},
        {{.cause = MP_TRAP_FETCH, .value = 0x80002000, .from = 0x80000040, .denied = true},
         "instruction access fault at pc 0x80000100 in U-mode: PMP does not permit U-mode to fetch "
         "0x80002000; the jump is at 0x80000040"},
        {{.cause = MP_TRAP_LOAD,
          .instruction = LW,
          .value = 0x4002,
          .translated = true,
          .physical = 0x10100002},
         "load access fault at pc 0x80000100 in U-mode: 0x4002 is mapped, and 0x10100002 is inside GPU.ID, "
         "which "
         "has 4 bytes at 0x10100000"},
        {{.cause = MP_TRAP_LOAD, .value = 0x4002, .translated = true, .physical = 0x80002002, .denied = true},
         "load access fault at pc 0x80000100 in U-mode: PMP does not permit U-mode to load from 0x4002, "
         "because "
         "of physical address 0x80002002"},
        {{.cause = MP_TRAP_STORE_PAGE,
          .value = 0x4008,
          .translated = true,
          .privilege = MP_HART_SUPERVISOR,
          .view = MP_HART_SUPERVISOR,
          .walk = {0x80201020, 0x20080053, 0}},
         "store page fault at pc 0x80000100 in S-mode: the page does not permit S-mode to store to 0x4008; "
         "level 0, entry at 0x80201020 holds 0x0000000020080053"},
        {{.cause = MP_TRAP_LOAD_PAGE, .value = 0x4000, .translated = true, .walk = {0x80201000, 0, 1}},
         "load page fault at pc 0x80000100 in U-mode: no page for U-mode to load from 0x4000; level 1, entry "
         "at "
         "0x80201000 holds 0x0000000000000000"},
        {{.cause = MP_TRAP_FETCH_PAGE, .value = 1ull << 60, .translated = true, .from = 0x80000040},
         "instruction page fault at pc 0x80000100 in U-mode: no page for U-mode to fetch 0x1000000000000000; "
         "it "
         "is no virtual address: its upper bits are not all equal; the jump is at 0x80000040"},
        {{.cause = MP_TRAP_ECALL_USER, .translated = true},
         "environment call at pc 0x80000100 in U-mode: an ecall instruction"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0x10200073, .translated = true}, /* sret */
         "illegal instruction at pc 0x80000100 in U-mode: 0x10200073 is for more privilege than U-mode"},
        {{.cause = MP_TRAP_ILLEGAL, .instruction = 0x30002573, .translated = true}, /* csrr a0, mstatus */
         "illegal instruction at pc 0x80000100 in U-mode: 0x30002573 uses CSR 0x300, which does not exist, "
         "is "
         "for more privilege or is read-only"},
        {{.cause = 14, .value = 5}, "exception at pc 0x80000100: value 0x5"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_hart_exception e = cases[i].exception;
        e.x[2] = STACK - 64;
        assert_string_equal(line(e, STACK, NULL), cases[i].what);
    }
}

/* The part of the line about the stack, for an ecall with this stack pointer; may be "". */
static const char *about_stack(uint64_t sp, uint64_t stack)
{
    const char *text = line((struct mp_hart_exception){.cause = MP_TRAP_ECALL, .x[2] = sp}, stack, NULL);
    const char *found = strstr(text, "; the stack pointer");
    return found ? found : "";
}

static void stacks(void **state)
{
    (void)state;
    assert_string_equal(about_stack(STACK - 64, STACK), "");
    assert_string_equal(about_stack(STACK, STACK), ""); /* empty */
    assert_string_equal(about_stack(END + 64, STACK), "");
    assert_string_equal(about_stack(0x7fffff00, STACK),
                        "; the stack pointer 0x7fffff00 is below RAM: stack overflow?");
    assert_string_equal(
        about_stack(DATA_END - 8, STACK),
        "; the stack pointer 0x80000ff8 is in the program's own memory: a task's stack, or stack overflow?");
    assert_string_equal(
        about_stack(END - 8, STACK),
        "; the stack pointer 0x80002ff8 is in the program's own memory: a task's stack, or stack overflow?");
    assert_string_equal(about_stack(END - 8, END - 64), ""); /* the stack has been here from the beginning */
    assert_string_equal(about_stack(END - 8, 0), "");
    assert_string_equal(about_stack(0x84000008, STACK), "; the stack pointer 0x84000008 is beyond RAM");
    assert_string_equal(about_stack(0, 0), "; the stack pointer is 0: not set up yet?");
}

static void nested(void **state)
{
    (void)state;
    const struct mp_hart_exception then = {
        .cause = MP_TRAP_STORE, .pc = 0x80000200, .privilege = MP_HART_MACHINE};
    const char *text =
        line((struct mp_hart_exception){.cause = MP_TRAP_ECALL, .x[2] = STACK - 64}, STACK, &then);
    assert_non_null(strstr(text, "above M-mode to call; then store access fault at pc 0x80000200"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(causes), cmocka_unit_test(stacks),
                                       cmocka_unit_test(nested)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
