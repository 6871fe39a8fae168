/* SPDX-License-Identifier: Apache-2.0 */
/* The host's port: who may write which register, resets, and the interrupts of both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "soc/host_port.h"

static struct mp_host_port p;
static bool level;
static unsigned interrupts;

static void set_line(void *self, unsigned number, bool on)
{
    (void)self, (void)number;
    level = on;
}

static void interrupt(void *self)
{
    (void)self;
    interrupts++;
}

static int setup(void **state)
{
    (void)state;
    p = (struct mp_host_port){.irq = {NULL, set_line, 0, false}, .interrupt = interrupt};
    level = false;
    interrupts = 0;
    mp_host_port_init(&p, true);
    return 0;
}

static uint32_t host_reads(uint32_t offset)
{
    uint32_t value = 0;
    assert_true(mp_host_port_read(&p, offset, &value));
    return value;
}

static void core_writes(uint32_t offset, uint64_t value)
{
    assert_true(mp_regs_access(&p.regs, offset, 4, true, &value));
}

/* The core writes what is below 0x800, the host what is from there on, except PRESENT. Both read all. */
static void halves(void **state)
{
    (void)state;
    const struct mp_reg_block *b = &mp_soc_blocks[MP_BLOCK_HOST];
    for (unsigned k = 0; k < b->regs; k++) {
        const struct mp_reg *r = &b->reg[k];
        bool of_host = r->offset >= 0x800;
        uint32_t value;
        uint64_t data = 0;
        assert_int_equal(mp_host_port_write(&p, r->offset, 0), of_host && r->offset != MP_HOST_PRESENT);
        assert_int_equal(mp_regs_access(&p.regs, r->offset, 4, true, &data),
                         !of_host && r->offset != MP_HOST_ID);
        assert_true(mp_host_port_read(&p, r->offset, &value));
        assert_true(mp_regs_access(&p.regs, r->offset, 4, false, &data));
        assert_int_equal(value, data);
    }
    assert_false(mp_host_port_read(&p, 0x700, &(uint32_t){0}));
    assert_false(mp_host_port_write(&p, 0x900, 0));
    assert_int_equal(host_reads(MP_HOST_PRESENT), 1);
    mp_host_port_init(&p, false);
    assert_int_equal(host_reads(MP_HOST_PRESENT), 0);
}

static void doorbells(void **state)
{
    static const struct {
        uint32_t offset;
        uint64_t event;
    } doorbell[] = {{MP_HOST_RESET, 1}, {MP_HOST_TAIL, 2}, {MP_HOST_DONE_HEAD, 4}};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        core_writes(MP_HOST_INT_ENABLE, 7 & ~doorbell[i].event);
        assert_true(mp_host_port_write(&p, doorbell[i].offset, 5));
        assert_int_equal(p.value.INT_STATUS[0], doorbell[i].event);
        assert_false(level);
        core_writes(MP_HOST_INT_ENABLE, doorbell[i].event);
        assert_true(level);
        core_writes(MP_HOST_INT_STATUS, doorbell[i].event);
        assert_false(level);
    }
}

static void reset(void **state)
{
    (void)state;
    core_writes(MP_HOST_STATE, MP_HOST_STATE_READY);
    mp_host_port_write(&p, MP_HOST_ENTRIES, 16);
    mp_host_port_write(&p, MP_HOST_TAIL, 9);
    mp_host_port_write(&p, MP_HOST_DONE_HEAD, 8);
    mp_host_port_write(&p, MP_HOST_RESET, 0);
    assert_int_equal(host_reads(MP_HOST_TAIL), 0);
    assert_int_equal(host_reads(MP_HOST_DONE_HEAD), 0);
    assert_int_equal(host_reads(MP_HOST_STATE), MP_HOST_STATE_WAITS);
    assert_int_equal(host_reads(MP_HOST_ENTRIES), 16);
    assert_int_equal(host_reads(MP_HOST_RESET), 1);
}

static void interrupts_of_host(void **state)
{
    (void)state;
    core_writes(MP_HOST_HEAD, 3);
    core_writes(MP_HOST_REASON, 3);
    assert_int_equal(interrupts, 0);
    core_writes(MP_HOST_DONE_TAIL, 1);
    core_writes(MP_HOST_STATE, MP_HOST_STATE_READY);
    assert_int_equal(interrupts, 2);
    assert_int_equal(host_reads(MP_HOST_HOST_INT_STATUS), 3);
    mp_host_port_write(&p, MP_HOST_HOST_INT_STATUS, 1);
    assert_int_equal(host_reads(MP_HOST_HOST_INT_STATUS), 2);
    p.interrupt = NULL;
    core_writes(MP_HOST_DONE_TAIL, 2);
}

/* Firmware and drivers are compiled with these numbers. */
static void operands(void **state)
{
    (void)state;
    const struct mp_reg_enum *opcodes = &mp_soc_enums[MP_ENUM_OF_host_opcode];
    unsigned all = 0;
    assert_int_equal(sizeof(struct mp_host_command), 64);
    assert_int_equal(sizeof(struct mp_host_completion), 32);
    for (unsigned i = 0; i < opcodes->values; i++) {
        uint32_t opcode = opcodes->value[i].value;
        assert_in_range(opcode, 1, MP_HOST_OPCODES - 1);
        assert_true(mp_host_operands(opcode) <= MP_HOST_OPERAND_WORDS);
        for (unsigned k = 0; k < mp_host_operands(opcode); k++, all++) {
            assert_int_equal(mp_host_operand_list[all].opcode, opcode);
            assert_int_equal(mp_host_operand_list[all].index, k);
            assert_true(mp_host_operand_list[all].kind < (int)mp_soc_nenums);
        }
    }
    assert_int_equal(all, mp_host_noperands);
    assert_int_equal(mp_host_operands(0), 0);
    assert_int_equal(mp_host_operands(MP_HOST_OPCODES), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(halves, setup), cmocka_unit_test_setup(doorbells, setup),
        cmocka_unit_test_setup(reset, setup), cmocka_unit_test_setup(interrupts_of_host, setup),
        cmocka_unit_test(operands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
