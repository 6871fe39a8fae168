/* SPDX-License-Identifier: Apache-2.0 */
/* The register description itself: registers do not overlap, fields have bits that exist, and blocks fit
 * their windows. Firmware checks what accesses do (tb/platform/soc/firmware/walk_regs.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* Two registers may share bytes only if one is read and the other written, or if DLAB selects between
 * them. */
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

/* Returns the bits into which an enumeration has to fit, or 0 if `where` names no such place. An index has
 * the bits of its register's count. */
static unsigned bits_of(const struct mp_reg_block *block, const char *where, size_t length)
{
    char name[64];
    for (unsigned k = 0; k < block->regs; k++) {
        const struct mp_reg *r = &block->reg[k];
        if (strlen(r->name) == length && !memcmp(r->name, where, length))
            return 8u * r->width - (unsigned)__builtin_popcountll(r->reserved);
        for (unsigned i = 0; i < block->fields; i++) {
            const struct mp_reg_field *f = &block->field[i];
            snprintf(name, sizeof name, "%s.%s", r->name, f->name);
            if (f->reg == k && strlen(name) == length && !memcmp(name, where, length))
                return f->bits;
        }
    }
    return 0;
}

static const struct mp_reg_block *block_of(const char *name)
{
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        if (!strcmp(mp_soc_blocks[i].name, name))
            return &mp_soc_blocks[i];
    fail_msg("there is no block %s", name);
    return NULL;
}

static void enumerations(void **state)
{
    (void)state;
    for (unsigned n = 0; n < mp_soc_nenums; n++) {
        const struct mp_reg_enum *e = &mp_soc_enums[n];
        unsigned bits = 64;
        for (const char *at = e->where; *at; at += strcspn(at, " "), at += *at == ' ') {
            unsigned b = bits_of(block_of(e->block), at, strcspn(at, " "));
            if (!b)
                fail_msg("%s: no register or field '%s'", e->name, at);
            bits = b < bits ? b : bits;
        }
        for (unsigned i = 0; i < e->values; i++) {
            if (bits < 32 && e->value[i].value >> bits)
                fail_msg("%s_%s does not fit into %u bits", e->prefix, e->value[i].name, bits);
            assert_true(e->value[i].text[0]);
            for (unsigned k = 0; k < i; k++)
                if (e->value[k].value == e->value[i].value || !strcmp(e->value[k].name, e->value[i].name))
                    fail_msg("%s_%s is there twice", e->prefix, e->value[i].name);
        }
    }
    const struct mp_reg_block *gpu = &mp_soc_blocks[MP_BLOCK_GPU];
    assert_ptr_equal(mp_reg_enum_of(gpu, &gpu->reg[MP_GPU_MIG_STATUS_ID], NULL),
                     &mp_soc_enums[MP_ENUM_OF_mgmt_status]);
    assert_null(mp_reg_enum_of(gpu, &gpu->reg[MP_GPU_MIG_SLICES_ID], NULL));
    assert_string_equal(mp_reg_choice(MP_ENUM_OF_mgmt_scheduler, MP_MGMT_SCHEDULER_DWSPP), "dws++");
    assert_null(mp_reg_choice(MP_ENUM_OF_mgmt_scheduler, 200));
}

/* Firmware is compiled with these numbers, so a change would alter what old images do. */
static void numbers_are_fixed(void **state)
{
    (void)state;
    assert_int_equal(MP_MGMT_FAULTED, 8);
    assert_int_equal(MP_MGMT_WALK_FAULTS, 11);
    assert_int_equal(MP_MGMT_SCHEDULER_DWSPP, 3);
    assert_int_equal(MP_MGMT_POLICY_STAR, 1);
    assert_int_equal(MP_MGMT_POLICY_MASK, 10);
    assert_int_equal(MP_MGMT_POLICY_MESC_FULL_COLT, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(registers),    cmocka_unit_test(overlaps),
                                       cmocka_unit_test(fields),       cmocka_unit_test(windows),
                                       cmocka_unit_test(enumerations), cmocka_unit_test(numbers_are_fixed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
