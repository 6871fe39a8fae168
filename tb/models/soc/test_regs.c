/* SPDX-License-Identifier: Apache-2.0 */
/* The description itself: nothing overlaps, fields are of bits that exist, and blocks fit their windows. What
 * accesses do is checked from firmware (tb/platform/soc/firmware/walk_regs.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/regs.h"

static uint64_t mask(unsigned bits, unsigned low)
{
    return (UINT64_MAX >> (64 - bits)) << low;
}

static void registers(void **state)
{
    (void)state;
    for (unsigned b = 0; b < mp_soc_nblocks; b++)
        for (unsigned k = 0; k < mp_soc_blocks[b].regs; k++) {
            const struct mp_reg *r = &mp_soc_blocks[b].reg[k];
            uint64_t end = r->offset + (uint64_t)(r->count - 1) * r->stride + r->width;
            if (end > mp_soc_blocks[b].window->bytes || r->offset % r->width || r->stride % r->width ||
                (r->count > 1 && r->stride < r->width) || r->reset & r->reserved ||
                r->reserved & ~mask(8 * r->width, 0) || !r->text[0])
                fail_msg("%s.%s", mp_soc_blocks[b].name, r->name);
        }
}

/* Two registers share bytes only when one is read and the other written, or by the view that is chosen. */
static bool apart(const struct mp_reg *a, const struct mp_reg *b)
{
    bool directions = (a->access == MP_REG_RO && b->access == MP_REG_WO) ||
                      (a->access == MP_REG_WO && b->access == MP_REG_RO);
    uint32_t views = MP_REG_DLAB_CLEAR | MP_REG_DLAB_SET;
    return directions || ((a->flags | b->flags) & views) == views;
}

static void overlaps(void **state)
{
    (void)state;
    static uint8_t owner[1 << 22]; /* the largest window */
    for (unsigned n = 0; n < mp_soc_nblocks; n++) {
        const struct mp_reg_block *block = &mp_soc_blocks[n];
        memset(owner, 0, block->window->bytes);
        for (unsigned k = 0; k < block->regs; k++) {
            const struct mp_reg *r = &block->reg[k];
            for (unsigned i = 0; i < r->count * r->width; i++) {
                uint8_t *o = &owner[r->offset + i / r->width * r->stride + i % r->width];
                if (*o && *o != k + 1 && !apart(r, &block->reg[*o - 1]))
                    fail_msg("%s: %s and %s overlap", block->name, r->name, block->reg[*o - 1].name);
                *o = (uint8_t)(k + 1);
            }
        }
    }
}

static void fields(void **state)
{
    (void)state;
    for (unsigned n = 0; n < mp_soc_nblocks; n++) {
        const struct mp_reg_block *block = &mp_soc_blocks[n];
        for (unsigned i = 0; i < block->fields; i++) {
            const struct mp_reg_field *f = &block->field[i];
            const struct mp_reg *r = &block->reg[f->reg];
            uint64_t bits = mask(f->bits, f->low);
            if (f->low + f->bits > 8u * r->width || bits & r->reserved)
                fail_msg("%s.%s.%s is outside or reserved", block->name, r->name, f->name);
            for (unsigned k = 0; k < i; k++)
                if (block->field[k].reg == f->reg && bits & mask(block->field[k].bits, block->field[k].low))
                    fail_msg("%s.%s: %s and %s overlap", block->name, r->name, f->name, block->field[k].name);
        }
    }
}

static void windows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < mp_soc_nmap; i++) {
        const struct mp_map_window *a = &mp_soc_map[i];
        assert_int_equal((a->base | a->bytes) % 4096, 0);
        for (unsigned k = 0; k < i; k++)
            assert_true(mp_soc_map[k].base + mp_soc_map[k].bytes <= a->base ||
                        a->base + a->bytes <= mp_soc_map[k].base);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers), cmocka_unit_test(overlaps),
                                       cmocka_unit_test(fields), cmocka_unit_test(windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
