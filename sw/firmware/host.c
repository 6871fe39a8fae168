/* SPDX-License-Identifier: Apache-2.0 */
#include "host.h"

#include "cpu.h"
#include "io.h"
#include "plic.h"
#include "recovery.h"

#define HOST(reg) (MP_HOST_BASE + MP_HOST_##reg)

#define EVENTS (MP_HOST_INT_STATUS_RESET | MP_HOST_INT_STATUS_COMMAND | MP_HOST_INT_STATUS_ROOM)

static struct {
    volatile uint32_t events;
    bool ready;
    uint32_t resets; /* the number of the reset that the rings are from */
    uint32_t entries, commands, completions;
    uint32_t head, done_tail;
} host;

static void interrupt(void)
{
    uint32_t events = io_read32(HOST(INT_STATUS));
    io_write32(HOST(INT_STATUS), events);
    host.events |= events;
    if (!events)
        recovery_note(RECOVERY_SPURIOUS_INTERRUPT);
}

enum fw_error host_init(void)
{
    enum { PRIORITY = 2 };
    if (!io_read32(HOST(PRESENT)))
        return FW_EABSENT;
    host.ready = false;
    host.events = 0;
    enum fw_error e = plic_attach(MP_HOST_IRQ, PRIORITY, interrupt);
    if (!e)
        io_write32(HOST(INT_ENABLE), EVENTS);
    return e;
}

bool host_rang(void)
{
    return host.events;
}

static uint32_t take(uint32_t events)
{
    bool before = cpu_lock();
    uint32_t came = host.events & events;
    host.events &= ~came;
    cpu_unlock(before);
    return came;
}

static void stop(enum mp_host_status reason)
{
    host.ready = false;
    io_write32(HOST(REASON), reason);
    io_write32(HOST(STATE), MP_HOST_STATE_STOPPED);
}

/* --- reset ---------------------------------------------------------------------------------------- */

static bool is_inside(uint64_t at, uint64_t bytes)
{
    return at % MP_HOST_ALIGNED == 0 && at <= MP_HOST_MEMORY_BYTES && bytes <= MP_HOST_MEMORY_BYTES - at;
}

static bool are_rings(void)
{
    uint64_t n = host.entries, commands = host.commands, completions = host.completions;
    uint64_t end_of_commands = commands + n * MP_HOST_COMMAND_BYTES,
             end_of_completions = completions + n * MP_HOST_COMPLETION_BYTES;
    return n >= MP_HOST_FEWEST && n <= MP_HOST_MOST && !(n & (n - 1)) &&
           is_inside(commands, n * MP_HOST_COMMAND_BYTES) &&
           is_inside(completions, n * MP_HOST_COMPLETION_BYTES) &&
           (end_of_commands <= completions || end_of_completions <= commands);
}

bool host_reset(void)
{
    if (!take(MP_HOST_INT_STATUS_RESET))
        return false;
    host.resets = io_read32(HOST(RESET));
    host.entries = io_read32(HOST(ENTRIES));
    host.commands = io_read32(HOST(COMMANDS));
    host.completions = io_read32(HOST(COMPLETIONS));
    host.head = host.done_tail = 0;
    io_write32(HOST(HEAD), 0);
    io_write32(HOST(DONE_TAIL), 0);
    host.ready = are_rings();
    if (host.ready)
        io_write32(HOST(STATE), MP_HOST_STATE_READY);
    else
        stop(MP_HOST_STATUS_BAD_RING);
    return true;
}

/* --- rings ---------------------------------------------------------------------------------------- */

/* Counts from `from` to the host's counter, at most the ring's entries. A counter beyond stops the ring; 0
 * then. */
static uint32_t distance(uint32_t from, uint32_t to)
{
    if (to - from <= host.entries)
        return to - from;
    if (io_read32(HOST(RESET)) == host.resets)
        stop(MP_HOST_STATUS_BAD_INDEX);
    return 0;
}

bool host_room(void)
{
    if (!host.ready)
        return false;
    uint32_t taken = io_read32(HOST(DONE_HEAD));
    uint32_t used = distance(taken, host.done_tail);
    return host.ready && used < host.entries;
}

static void read_command(struct mp_host_command *c)
{
    uint64_t at =
        MP_HOST_MEMORY_BASE + host.commands + (uint64_t)(host.head % host.entries) * MP_HOST_COMMAND_BYTES;
    cpu_fence();
    c->opcode = io_read32(at);
    c->sequence = io_read32(at + 4);
    for (unsigned i = 0; i < MP_HOST_OPERAND_WORDS; i++)
        c->operand[i] = io_read64(at + 8 + 8 * i);
    io_write32(HOST(HEAD), ++host.head);
}

bool host_next(struct mp_host_command *c)
{
    take(MP_HOST_INT_STATUS_COMMAND | MP_HOST_INT_STATUS_ROOM);
    while (host_room() && distance(host.head, io_read32(HOST(TAIL)))) {
        read_command(c);
        if (c->sequence == host.head)
            return true;
        host_post(&(struct mp_host_completion){c->sequence, MP_HOST_STATUS_BAD_SEQUENCE, {0}});
    }
    return false;
}

void host_post(const struct mp_host_completion *c)
{
    uint64_t at = MP_HOST_MEMORY_BASE + host.completions +
                  (uint64_t)(host.done_tail % host.entries) * MP_HOST_COMPLETION_BYTES;
    io_write32(at, c->sequence);
    io_write32(at + 4, c->status);
    for (unsigned i = 0; i < MP_HOST_VALUES; i++)
        io_write64(at + 8 + 8 * i, c->value[i]);
    cpu_fence();
    io_write32(HOST(DONE_TAIL), ++host.done_tail);
}

void host_end(void)
{
    host.ready = false;
    io_write32(HOST(STATE), MP_HOST_STATE_ENDED);
}
