/* SPDX-License-Identifier: Apache-2.0 */
/* The drivers of UART, timer, interrupt controller and copy engine, and traps, on the platform's own devices.
 */
#include "board.h"

#include "clint.h"
#include "cpu.h"
#include "dma.h"
#include "io.h"
#include "plic.h"
#include "trap.h"
#include "uart.h"

static int setup(void **state)
{
    (void)state;
    board_reset();
    return 0;
}

static void console(void **state)
{
    (void)state;
    char c;
    BOARD_RUNS(assert_int_equal(uart_init(), FW_OK));
    assert_int_equal(uart_init(), FW_EEXIST); /* the interrupt has its handler */
    uart_put('h');
    uart_put('i');
    assert_string_equal(board.text, "hi");
    assert_false(uart_get(&c));
    board_type("walk");
    for (const char *w = "walk"; *w; w++) {
        assert_true(uart_get(&c));
        assert_int_equal(c, *w);
    }
    assert_false(uart_get(&c));
}

/* More characters than fit the ring, and more than fit the device while interrupts are off. */
static void console_overruns(void **state)
{
    (void)state;
    char c, many[301];
    memset(many, 'x', 300);
    many[300] = '\0';
    uart_init();
    board_type(many);
    assert_int_equal(uart_lost(), 300 - 256);
    for (unsigned i = 0; i < 256; i++)
        assert_true(uart_get(&c));
    assert_false(uart_get(&c));
    bool before = cpu_lock();
    many[40] = '\0';
    board_type(many); /* 16 fit the FIFO; all losses are one report */
    cpu_unlock(before);
    assert_int_equal(uart_lost(), 300 - 256 + 1);
    for (unsigned i = 0; i < 16; i++)
        assert_true(uart_get(&c));
    assert_false(uart_get(&c));
}

static void timer(void **state)
{
    (void)state;
    uint64_t now = clint_now();
    clint_alarm(now + 95);
    assert_false(clint_rang());
    bool before = cpu_lock();
    while (!clint_rang())
        cpu_sleep();
    cpu_unlock(before);
    assert_int_equal(clint_now() - now, 100); /* the board's time goes in steps of 10 */
    assert_int_equal(board.clint.value.MTIMECMP[0], UINT64_MAX);
    clint_alarm(0); /* long past: at once */
    assert_true(clint_rang());
    clint_alarm(clint_now() + 10);
    clint_cancel();
    assert_false(clint_rang());
    clint_poke();
    assert_int_equal(clint_poked(), 1);
    assert_int_equal(board.clint.value.MSIP[0], 0);
}

static unsigned served[4];

static void one(void)
{
    served[served[0]++ + 1] = 1;
    mp_plic_source(&board.plic, 20, false);
}

static void two(void)
{
    served[served[0]++ + 1] = 2;
    mp_plic_source(&board.plic, 21, false);
}

static void interrupts(void **state)
{
    (void)state;
    memset(served, 0, sizeof served);
    assert_int_equal(plic_attach(0, 1, one), FW_EINVAL);
    assert_int_equal(plic_attach(32, 1, one), FW_EINVAL);
    assert_int_equal(plic_attach(20, 0, one), FW_EINVAL);
    assert_int_equal(plic_attach(20, 8, one), FW_EINVAL);
    assert_int_equal(plic_attach(20, 1, one), FW_OK);
    assert_int_equal(plic_attach(21, 2, two), FW_OK);
    assert_int_equal(plic_attach(21, 2, one), FW_EEXIST);
    mp_plic_source(&board.plic, 20, true);
    mp_plic_source(&board.plic, 21, true);
    board_interrupts(); /* both by one interrupt, the more urgent first */
    assert_int_equal(served[0], 2);
    assert_int_equal(served[1], 2);
    assert_int_equal(served[2], 1);
    assert_int_equal(plic_count(20), 1);
    assert_int_equal(board.plic.served, 0);
    plic_detach(20);
    mp_plic_source(&board.plic, 20, true);
    board_interrupts();
    assert_int_equal(plic_count(20), 1);
    assert_int_equal(plic_attach(20, 1, one), FW_OK);
    board_interrupts(); /* it waited */
    assert_int_equal(plic_count(20), 2);
}

static void copies(void **state)
{
    (void)state;
    uint64_t from[100], to[100] = {0}, copied;
    for (unsigned i = 0; i < 100; i++)
        from[i] = i * 0x0101010101010101ull;
    assert_int_equal(dma_init(), FW_OK);
    assert_int_equal(dma_start(io_address(from), io_address(to), 1ull << 32), FW_EINVAL);
    assert_int_equal(dma_start(io_address(from), io_address(to), sizeof from), FW_OK);
    assert_int_equal(dma_start(io_address(to), io_address(from), sizeof from), FW_EBUSY);
    assert_int_equal(dma_wait(&copied), FW_OK);
    assert_int_equal(copied, sizeof from);
    assert_memory_equal(from, to, sizeof from);
    assert_int_equal(dma_copy(io_address(from), 0, 64), FW_EBUS);
    assert_int_equal(dma_copy(io_address(to), io_address(from), 64), FW_OK); /* and works again */
    assert_int_equal(dma_stop(), FW_ENOENT);
    assert_int_equal(dma_start(io_address(from), io_address(to), sizeof from), FW_OK);
    assert_int_equal(dma_stop(), FW_OK);
    assert_int_equal(dma_wait(&copied), FW_OK);
    assert_int_equal(copied, 0);
    assert_int_equal(dma_copy(io_address(from), io_address(to), 0), FW_OK);
}

/* Accesses that may trap, and accesses that must not. */
static void tries(void **state)
{
    (void)state;
    uint64_t value;
    const uint64_t nowhere = 0x40000000;
    assert_true(trap_read(MP_PLIC_BASE + MP_PLIC_ENABLE, 4, &value));
    assert_true(trap_write(MP_DMA_BASE + MP_DMA_SOURCE, 8, 77));
    assert_true(trap_read(MP_DMA_BASE + MP_DMA_SOURCE, 8, &value));
    assert_int_equal(value, 77);
    for (unsigned width = 1; width <= 8; width *= 2) {
        assert_false(trap_read(nowhere, width, &value));
        assert_false(trap_write(nowhere, width, 0));
    }
    assert_false(trap_write(MP_PLIC_BASE + MP_PLIC_PENDING, 4, 0)); /* read only */
    assert_int_equal(trap_caught(), 9);
    assert_int_equal(board.length, 0);
}

static void dumps(void **state)
{
    (void)state;
    struct trap_frame f = {.pc = 0x80001234, .cause = 5, .value = 0x40000000, .status = 0x1880};
    for (unsigned i = 1; i < 32; i++)
        f.x[i] = 0x1111 * i;
    uart_init();
    BOARD_ENDS(trap_handle(&f), 1);
    assert_non_null(strstr(
        board.text, "trap: bus error at a load (cause 5) at pc 80001234, value 40000000, mstatus 1880\n"));
    assert_non_null(
        strstr(board.text, " zero 0000000000000000   ra 0000000000001111   sp 0000000000002222 "));
    assert_non_null(strstr(board.text, "   t6 000000000002110f\n"));
    board.length = 0;
    BOARD_ENDS(io_read32(0x40000000), 1);
    assert_non_null(strstr(board.text, "value 40000000"));
    f.cause = 1ull << 63 | 5; /* an interrupt without a handler */
    BOARD_ENDS(trap_handle(&f), 1);
    f.cause = 99;
    BOARD_ENDS(trap_handle(&f), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(console, setup), cmocka_unit_test_setup(console_overruns, setup),
        cmocka_unit_test_setup(timer, setup),   cmocka_unit_test_setup(interrupts, setup),
        cmocka_unit_test_setup(copies, setup),  cmocka_unit_test_setup(tries, setup),
        cmocka_unit_test_setup(dumps, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
