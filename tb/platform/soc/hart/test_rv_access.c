/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores as binutils encodes them, and similar instructions that are neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "soc/hart/rv_access.h"

static const struct {
    uint32_t instruction;
    struct mp_rv_access expected; /* width 0: no access */
} cases[] = {
    {0x0002b503, {false, false, 8, 5, 10, 0}},  /* ld a0,0(t0) */
    {0xffc2a583, {false, false, 4, 5, 11, -4}}, /* lw a1,-4(t0) */
    {0x00128603, {false, false, 1, 5, 12, 1}},  /* lb a2,1(t0) */
    {0x0022d603, {false, false, 2, 5, 12, 2}},  /* lhu a2,2(t0) */
    {0x0062b423, {true, false, 8, 5, 6, 8}},    /* sd t1,8(t0) */
    {0xfe629fa3, {true, false, 2, 5, 6, -1}},   /* sh t1,-1(t0) */
    {0x1002a82f, {false, true, 4, 5, 16, 0}},   /* lr.w a6,(t0) */
    {0x0062a82f, {true, true, 4, 5, 16, 0}},    /* amoadd.w a6,t1,(t0) */
    {0x4150, {false, false, 4, 10, 12, 4}},     /* c.lw a2,4(a0) */
    {0xc150, {true, false, 4, 10, 12, 4}},      /* c.sw a2,4(a0) */
    {0x6594, {false, false, 8, 11, 13, 8}},     /* c.ld a3,8(a1) */
    {0xe594, {true, false, 8, 11, 13, 8}},      /* c.sd a3,8(a1) */
    {0x5d68, {false, false, 4, 10, 10, 124}},   /* c.lw a0,124(a0) */
    {0x7d68, {false, false, 8, 10, 10, 248}},   /* c.ld a0,248(a0) */
    {0x4722, {false, false, 4, 2, 14, 8}},      /* c.lwsp a4,8(sp) */
    {0xc432, {true, false, 4, 2, 12, 8}},       /* c.swsp a2,8(sp) */
    {0x67a2, {false, false, 8, 2, 15, 8}},      /* c.ldsp a5,8(sp) */
    {0xe436, {true, false, 8, 2, 13, 8}},       /* c.sdsp a3,8(sp) */
    {0x00150513, {0}},                          /* addi a0,a0,1 */
    {0xb0002473, {0}},                          /* csrr s0,mcycle */
    {0x0001, {0}},                              /* c.nop */
    {0x033a, {0}},                              /* c.slli */
    {0x8082, {0}},                              /* ret */
    {0x0028, {0}},                              /* c.addi4spn */
    {0, {0}},
};

static void decodes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mp_rv_access a = {0}, e = cases[i].expected;
        bool found = mp_rv_access(cases[i].instruction, &a);
        if (found != (e.width != 0) ||
            (found && (a.write != e.write || a.atomic != e.atomic || a.width != e.width || a.base != e.base ||
                       a.data != e.data || a.offset != e.offset)))
            fail_msg("instruction %08x: write %d width %u base %u data %u offset %d", cases[i].instruction,
                     a.write, a.width, a.base, a.data, a.offset);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
