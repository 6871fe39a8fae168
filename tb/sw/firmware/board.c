/* SPDX-License-Identifier: Apache-2.0 */
#include "board.h"

#include "clint.h"
#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "trap.h"

struct board board;
uint8_t board_host_pages[BOARD_HOST_PAGES];
bool (*board_more)(uint64_t address, unsigned width, bool write, uint64_t *data);
void (*board_idle)(void);

/* --- the core ------------------------------------------------------------------------------------- */

static void set_interrupt(void *self, unsigned cause, bool level)
{
    (void)self;
    board.pending = level ? board.pending | 1u << cause : board.pending & ~(1u << cause);
}

void board_interrupts(void)
{
    uint32_t due;
    while (!board.locked && !board.in_handler && (due = board.pending & board.enabled) != 0) {
        struct trap_frame f = {.cause = 1ull << 63 | (unsigned)__builtin_ctz(due)};
        board.in_handler = true;
        trap_handle(&f);
        board.in_handler = false;
    }
}

void cpu_take_traps(void) {}

void cpu_enable(unsigned cause, bool on)
{
    board.enabled = on ? board.enabled | 1u << cause : board.enabled & ~(1u << cause);
}

bool cpu_lock(void)
{
    bool before = !board.locked;
    board.locked = true;
    return before;
}

void cpu_unlock(bool before)
{
    board.locked = !before;
    board_interrupts();
}

static bool move(const struct mp_dma_move *m)
{
    uint64_t word;
    uint8_t part[MP_DMA_CHUNK];
    bool from_device = board_more && board_more(m->source, 8, false, &word);
    bool to_device = board_more && board_more(m->target, 8, false, &word);
    if (!m->source || !m->target || m->bytes % 8 || (board.wild && !(from_device && to_device)))
        return false;
    for (uint32_t i = 0; i < m->bytes; i += 8) {
        if (from_device && board_more(m->source + i, 8, false, &word))
            memcpy(part + i, &word, 8);
        else if (!from_device)
            memcpy(part + i, (const void *)(uintptr_t)(m->source + i), 8);
    }
    for (uint32_t i = 0; i < m->bytes; i += 8) {
        memcpy(&word, part + i, 8);
        if (to_device)
            board_more(m->target + i, 8, true, &word);
        else
            memcpy((void *)(uintptr_t)(m->target + i), &word, 8);
    }
    return true;
}

static bool access_bus(uint64_t address, unsigned width, bool write, uint64_t *data);

/* Source and target are the GPU's addresses; a piece of 8 bytes at a time. */
static bool copy(const struct mp_ce_descriptor *d)
{
    uint64_t word = 0;
    for (uint32_t at = 0; at < d->bytes; at += 8)
        if ((!(d->flags & MP_CE_ZERO) && !access_bus(MP_GPU_MEMORY_BASE + d->source + at, 8, false, &word)) ||
            !access_bus(MP_GPU_MEMORY_BASE + d->target + at, 8, true, &word))
            return false;
    return true;
}

static void step_ce(unsigned engine)
{
    uint64_t at;
    struct mp_ce_descriptor d;
    if (board.ce_hangs || (board.ce_in_hangs && engine == MP_CE_IN) || !mp_ce_next(&board.ce, engine, &at))
        return;
    memcpy(&d, (const void *)(uintptr_t)at, sizeof d); /* rings are in the firmware's memory */
    enum mp_ce_error error = mp_ce_check(engine, &d);
    if (!error && (board.ce_errors || !copy(&d)))
        error = MP_CE_ERROR_BUS;
    board.ce_errors -= board.ce_errors != 0;
    mp_ce_ended(&board.ce, engine, &d, error);
}

void board_step(void)
{
    enum { TICKS = 10 };
    struct mp_dma_move m;
    mp_clint_advance(&board.clint, board.clint.now + TICKS);
    if (mp_dma_next(&board.dma, &m))
        mp_dma_moved(&board.dma, move(&m));
    for (unsigned e = 0; e < MP_CE_ENGINES; e++)
        step_ce(e);
    if (board_idle)
        board_idle();
}

void cpu_sleep(void)
{
    enum { LONG = 500, FOREVER = 20000 };
    assert_true(board.locked);
    for (unsigned i = 0; !(board.pending & board.enabled); i++) {
        if (i == LONG && board.wild)
            cpu_finish(1);
        if (i == FOREVER)
            fail_msg("the core sleeps, and nothing will wake it");
        board_step();
    }
    board.sleeps++;
    board.locked = false;
    board_interrupts();
    board.locked = true;
}

void cpu_fence(void) {}

uint64_t cpu_instructions(void)
{
    return board.clint.now;
}

_Noreturn void cpu_finish(int code)
{
    board.code = code;
    board.in_handler = false;
    if (!board.finish)
        fail_msg("the firmware ended with code %d:\n%s", code, board.text);
    longjmp(*board.finish, 1);
}

/* --- accesses ------------------------------------------------------------------------------------- */

static void send(void *self, uint8_t c)
{
    (void)self;
    if (board.length + 1 < sizeof board.text)
        board.text[board.length++] = (char)c;
    board.text[board.length] = '\0';
}

static bool memory(uint8_t *bytes, uint64_t size, uint64_t at, unsigned width, bool write, uint64_t *data)
{
    if (at > size - width || at % width)
        return false;
    if (write)
        memcpy(bytes + at, data, width);
    else
        memcpy(data, bytes + at, width);
    return true;
}

static bool access_bus(uint64_t address, unsigned width, bool write, uint64_t *data)
{
    struct mp_regs *const devices[] = {&board.uart.regs, &board.clint.regs, &board.plic.regs,
                                       &board.dma.regs,  &board.ce.regs,    &board.host.regs};
    for (unsigned i = 0; i < sizeof devices / sizeof *devices; i++) {
        uint64_t offset = address - devices[i]->block->window->base;
        if (offset < devices[i]->block->window->bytes)
            return mp_regs_access(devices[i], offset, width, write, data);
    }
    if (address - MP_HOST_MEMORY_BASE < MP_HOST_MEMORY_BYTES)
        return memory(board.host_memory, BOARD_HOST_MEMORY, address - MP_HOST_MEMORY_BASE, width, write,
                      data);
    if (address - MP_HOST_PAGES_BASE < MP_HOST_PAGES_BYTES)
        return memory(board_host_pages, BOARD_HOST_PAGES, address - MP_HOST_PAGES_BASE, width, write, data);
    return board_more && board_more(address, width, write, data);
}

/* Returns whether the access is made again. */
static bool bus_error(uint64_t address, bool write)
{
    static const uint8_t instruction[4] = {0x13, 0, 0, 0};
    struct trap_frame f = {.pc = (uintptr_t)instruction, .cause = write ? 7 : 5, .value = address};
    trap_handle(&f);
    if (f.pc == (uintptr_t)instruction)
        return true;
    assert_int_equal(f.pc, (uintptr_t)instruction + sizeof instruction);
    return false;
}

static uint64_t access_io(uint64_t address, unsigned width, bool write, uint64_t data)
{
    while (!access_bus(address, width, write, &data) && bus_error(address, write))
        continue;
    board_interrupts();
    return data;
}

#define ACCESS(bits)                                                                                         \
    uint##bits##_t io_read##bits(uint64_t address)                                                           \
    {                                                                                                        \
        return (uint##bits##_t)access_io(address, bits / 8, false, 0);                                       \
    }                                                                                                        \
    void io_write##bits(uint64_t address, uint##bits##_t value)                                              \
    {                                                                                                        \
        access_io(address, bits / 8, true, value);                                                           \
    }
ACCESS(8)
ACCESS(16)
ACCESS(32)
ACCESS(64)

void io_fill64(uint64_t address, uint64_t value, uint64_t step, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        io_write64(address + 8 * i, value + i * step);
}

uint64_t io_clear64(uint64_t address, uint64_t n)
{
    uint64_t cleared = 0;
    for (uint64_t i = 0; i < n; i++)
        if (io_read64(address + 8 * i)) {
            io_write64(address + 8 * i, 0);
            cleared++;
        }
    return cleared;
}

uint64_t io_address(const void *p)
{
    return (uintptr_t)p;
}

/* --- the board ------------------------------------------------------------------------------------ */

static void nothing(void *self)
{
    (void)self;
}

static void started(void *self, unsigned engine)
{
    (void)self, (void)engine;
}

void board_reset(void)
{
    memset(&board, 0, sizeof board);
    board.uart.send = send;
    board.uart.irq = (struct mp_line){&board.plic, mp_plic_source, MP_UART_IRQ, false};
    board.dma.irq = (struct mp_line){&board.plic, mp_plic_source, MP_DMA_IRQ, false};
    board.dma.started = nothing;
    board.ce.irq = (struct mp_line){&board.plic, mp_plic_source, MP_CE_IRQ, false};
    board.ce.started = started;
    board.clint.software = (struct mp_line){NULL, set_interrupt, CPU_SOFTWARE, false};
    board.clint.timer = (struct mp_line){NULL, set_interrupt, CPU_TIMER, false};
    board.plic.irq = (struct mp_line){NULL, set_interrupt, CPU_EXTERNAL, false};
    mp_plic_init(&board.plic);
    mp_clint_init(&board.clint);
    mp_uart_init(&board.uart);
    mp_dma_init(&board.dma);
    mp_ce_init(&board.ce);
    board.host.irq = (struct mp_line){&board.plic, mp_plic_source, MP_HOST_IRQ, false};
    mp_host_port_init(&board.host, true);
    assert_int_equal(BOARD_HOST_MEMORY, MP_HOST_MEMORY_BYTES);
    trap_init();
    clint_init();
    plic_init();
}

void board_type(const char *text)
{
    for (; *text; text++) {
        mp_uart_receive(&board.uart, (uint8_t)*text);
        board_interrupts();
    }
}
