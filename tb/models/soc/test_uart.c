/* SPDX-License-Identifier: Apache-2.0 */
/* The receiving half of the UART, which firmware alone cannot drive: FIFO, overrun, causes in order of
 * urgency. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "soc/uart.h"

static struct mp_uart u;
static bool level;
static unsigned sent;

static void set_line(void *self, unsigned number, bool on)
{
    (void)self, (void)number;
    level = on;
}

static void send(void *self, uint8_t character)
{
    (void)self;
    sent = character;
}

static int setup(void **state)
{
    (void)state;
    u.irq = (struct mp_line){NULL, set_line, 0, false};
    u.send = send;
    level = false;
    mp_uart_init(&u);
    return 0;
}

static uint64_t get(unsigned offset)
{
    uint64_t value;
    assert_true(mp_regs_access(&u.regs, offset, 1, false, &value));
    return value;
}

static void put(unsigned offset, uint64_t value)
{
    assert_true(mp_regs_access(&u.regs, offset, 1, true, &value));
}

static void fifo(void **state)
{
    (void)state;
    put(MP_UART_FCR, MP_UART_FCR_ENABLE);
    for (unsigned round = 0; round < 3; round++) { /* wraps around the end of the FIFO */
        for (unsigned i = 0; i < 11; i++)
            mp_uart_receive(&u, (uint8_t)(round * 16 + i));
        assert_int_equal(mp_uart_room(&u), MP_UART_FIFO - 11);
        for (unsigned i = 0; i < 11; i++) {
            assert_int_equal(get(MP_UART_LSR), 0x61);
            assert_int_equal(get(MP_UART_RBR), round * 16 + i);
        }
        assert_int_equal(get(MP_UART_LSR), 0x60);
    }
    assert_int_equal(get(MP_UART_RBR), 0);
    mp_uart_receive(&u, 'x');
    put(MP_UART_FCR, MP_UART_FCR_ENABLE | MP_UART_FCR_CLEAR_RX);
    assert_int_equal(get(MP_UART_LSR), 0x60);
}

/* Without FIFOs, the UART holds one character. Further ones are lost, and the overrun is reported once. */
static void overrun(void **state)
{
    (void)state;
    mp_uart_receive(&u, 'a');
    assert_int_equal(mp_uart_room(&u), 0);
    mp_uart_receive(&u, 'b');
    assert_int_equal(get(MP_UART_LSR), 0x63);
    assert_int_equal(get(MP_UART_LSR), 0x61);
    assert_int_equal(get(MP_UART_RBR), 'a');
}

static void causes(void **state)
{
    (void)state;
    mp_uart_receive(&u, 'a');
    mp_uart_receive(&u, 'b');
    assert_false(level);
    assert_int_equal(get(MP_UART_IIR), 1);
    put(MP_UART_IER, MP_UART_IER_RX | MP_UART_IER_TX | MP_UART_IER_LINE);
    assert_true(level);
    assert_int_equal(get(MP_UART_IIR), 6);
    assert_int_equal(get(MP_UART_LSR), 0x63); /* clears the overrun */
    assert_int_equal(get(MP_UART_IIR), 4);
    assert_int_equal(get(MP_UART_RBR), 'a');
    assert_true(level);
    assert_int_equal(get(MP_UART_IIR), 2); /* and reading it clears it */
    assert_int_equal(get(MP_UART_IIR), 1);
    assert_false(level);
    put(MP_UART_THR, 'z');
    assert_int_equal(sent, 'z');
    assert_true(level);
    put(MP_UART_FCR, MP_UART_FCR_ENABLE);
    assert_int_equal(get(MP_UART_IIR), 0xc2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(fifo, setup),
                                       cmocka_unit_test_setup(overrun, setup),
                                       cmocka_unit_test_setup(causes, setup)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
