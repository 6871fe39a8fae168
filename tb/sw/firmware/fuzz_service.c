/* SPDX-License-Identifier: Apache-2.0 */
/* A host that writes anything into its registers, the rings and their memory, and rings at any time. The
 * firmware goes on, and after a reset it serves commands again. */
#include "host_board.h"

#include "service.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *at, *end;
};

static uint64_t take(struct bytes *b, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n && b->at < b->end; i++)
        value |= (uint64_t)*b->at++ << 8 * i;
    return value;
}

static void require(bool truth)
{
    if (!truth)
        abort();
}

/* --- what the host does --------------------------------------------------------------------------- */

static void write_register(struct bytes *b)
{
    uint32_t offset = 0x800 + 4 * (uint32_t)(take(b, 1) % 10);
    mp_host_port_write(&board.host, offset, (uint32_t)take(b, 4));
}

static void write_memory(struct bytes *b)
{
    uint64_t at = take(b, 2) * 8, n = take(b, 1) % 65;
    for (uint64_t i = 0; i < n; i++)
        board.host_memory[at + i] = (uint8_t)take(b, 1);
}

static void reset(struct bytes *b)
{
    mp_host_port_write(&board.host, MP_HOST_ENTRIES, 2u << take(b, 1) % 6);
    mp_host_port_write(&board.host, MP_HOST_COMMANDS, 0);
    mp_host_port_write(&board.host, MP_HOST_COMPLETIONS, 64 * MP_HOST_COMMAND_BYTES);
    mp_host_port_write(&board.host, MP_HOST_RESET, 0);
}

/* A command with the right sequence, for a ring of reset(). */
static void send(struct bytes *b)
{
    uint32_t entries = (uint32_t)board.host.value.ENTRIES[0], tail = (uint32_t)board.host.value.TAIL[0];
    struct mp_host_command c = {.opcode = (uint32_t)take(b, 1) % (MP_HOST_OPCODES + 1), .sequence = tail + 1};
    unsigned n = mp_host_operands(c.opcode);
    for (unsigned i = 0; i < n; i++) {
        c.operand[i] = take(b, 1);
        c.operand[i] = c.operand[i] < 128   ? c.operand[i] % 8
                       : c.operand[i] < 250 ? 65536 * (c.operand[i] - 127)
                                            : take(b, 8);
    }
    if (c.opcode == MP_HOST_DO_QUIT)
        c.opcode = MP_HOST_DO_PING;
    if (entries && entries <= 64)
        memcpy(board.host_memory + tail % entries * sizeof c, &c, sizeof c);
    mp_host_port_write(&board.host, MP_HOST_TAIL, tail + 1);
}

static void collect(struct bytes *b)
{
    (void)b;
    mp_host_port_write(&board.host, MP_HOST_DONE_HEAD, (uint32_t)board.host.value.DONE_TAIL[0]);
}

static void let_time_pass(struct bytes *b)
{
    for (uint64_t i = take(b, 1); i > 0; i--)
        board_step();
}

static void (*const actions[])(struct bytes *b) = {write_register, write_memory,  reset, send,
                                                   collect,        let_time_pass, send,  collect};

/* --- what must stay true -------------------------------------------------------------------------- */

/* QUIT comes from a ring with any contents, too. */
static bool is_over(void)
{
    return board.host.value.STATE[0] == MP_HOST_STATE_ENDED;
}

static void check_driver(void)
{
    static struct mp_driver d;
    require(!mp_driver_open(&d, &host_transport, UINT64_C(1000000000)));
    require(!mp_driver_ping(&d, 77));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { ACTIONS = 300 };
    static bool used;
    struct bytes b = {data, data + size};
    if (used)
        gpu_stub_free();
    used = true;
    host_start(20);
    for (unsigned i = 0; i < ACTIONS && b.at < b.end && !is_over(); i++) {
        actions[take(&b, 1) % 8](&b);
        host_serve();
    }
    if (!is_over())
        check_driver();
    return 0;
}
