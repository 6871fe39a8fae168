/* SPDX-License-Identifier: Apache-2.0 */
/* The host's commands, from the host's library through the rings to the GPU, and rings that lie. */
#include "host_board.h"

#include "cpu.h"
#include "fault.h"
#include "gmmu.h"
#include "mig.h"
#include "runner.h"
#include "service.h"
#include "uart.h"

#define MS UINT64_C(1000000) /* ns */

enum { ACCESSES = 2000 };

static struct mp_driver d;

static void need(enum mp_driver_error e)
{
    if (e)
        fail_msg("%s; %s", mp_driver_error_text(e), mp_driver_status_text(d.status));
}

static void refused(enum mp_driver_error e, enum mp_host_status status)
{
    assert_int_equal(e, MP_DRIVER_REFUSED);
    assert_int_equal(d.status, status);
}

static int setup(void **state)
{
    (void)state;
    host_start(ACCESSES);
    need(mp_driver_open(&d, &host_transport, 100 * MS));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gpu_stub_free();
    return 0;
}

/* --- commands ------------------------------------------------------------------------------------- */

static void instance_with_space(unsigned number)
{
    need(mp_driver_create(&d, number, 2));
    need(mp_driver_open_space(&d, number, number, 65536));
}

static void memory(void **state)
{
    (void)state;
    unsigned slices, workloads;
    uint64_t pages, va, bytes, removed;
    struct gmmu_walk w;
    need(mp_driver_ping(&d, 0x1234567890abcdef));
    need(mp_driver_query(&d, &slices, &workloads, &pages));
    assert_int_equal(slices, 7);
    assert_int_equal(workloads, 3);
    assert_int_equal(pages, 4096 | 65536 | 2097152);
    instance_with_space(1);
    assert_int_equal(mig_instance(1)->slices, 2);
    need(mp_driver_buffer(&d, 1, 1, &va, &bytes));
    assert_int_equal(bytes, STUB_SPAN / 2 * 65536);
    refused(mp_driver_buffer(&d, 1, 2, &va, &bytes), MP_HOST_STATUS_NOT_THERE);
    need(mp_driver_map(&d, 1, va, bytes));
    assert_int_equal(gmmu_space(1)->pages, STUB_SPAN / 2);
    refused(mp_driver_map(&d, 1, va, bytes), MP_HOST_STATUS_EXISTS);
    need(mp_driver_protect(&d, 1, va, 65536, MP_HOST_ACCESS_READ));
    assert_int_equal(gmmu_walk(1, va, &w), FW_OK);
    assert_true(w.read_only);
    need(mp_driver_protect(&d, 1, va, 65536, MP_HOST_ACCESS_NONE));
    assert_int_equal(gmmu_walk(1, va, &w), FW_OK);
    assert_true(w.guarded);
    need(mp_driver_protect(&d, 1, va, 65536, MP_HOST_ACCESS_ALL));
    need(mp_driver_invalidate(&d, MP_HOST_SCOPE_PAGE, 1, va, &removed));
    assert_int_equal(gpu_stub.invalidation.scope, MP_MGMT_PAGE);
    assert_int_equal(gpu_stub.invalidation.va, va);
    assert_int_equal(removed, 1);
    need(mp_driver_invalidate(&d, MP_HOST_SCOPE_ALL, 0, 0, &removed));
    assert_int_equal(gpu_stub.invalidation.scope, MP_MGMT_ALL);
    need(mp_driver_unmap(&d, 1, va, bytes));
    assert_int_equal(gmmu_space(1)->pages, 0);
    refused(mp_driver_unmap(&d, 1, va, bytes), MP_HOST_STATUS_NOT_THERE);
    need(mp_driver_promise(&d, 1, 0, UINT64_C(1) << 48));
    assert_true(fault_is_promised(1, va));
    need(mp_driver_policy(&d, 3, MP_MGMT_POLICY_STAR));
    assert_int_equal(gpu_stub.tlb_level, 3);
    assert_int_equal(gpu_stub.tlb_policy, MP_MGMT_POLICY_STAR);
    need(mp_driver_scheduler(&d, 1, MP_MGMT_SCHEDULER_DWS));
    assert_int_equal(gpu_stub.walk.policy, MP_MGMT_SCHEDULER_DWS);
    need(mp_driver_close_space(&d, 1));
    need(mp_driver_destroy(&d, 1));
    assert_null(mig_instance(1));
}

static void counters(void **state)
{
    (void)state;
    uint64_t value[16];
    instance_with_space(5);
    need(mp_driver_counters(&d, 5, value));
    assert_int_equal(value[MP_MGMT_CYCLES], 1005);
    assert_int_equal(value[MP_MGMT_L3_TLB_MISSES], 50);
    uint64_t last[] = {5, BOARD_HOST_MEMORY - 128}, beyond[] = {5, BOARD_HOST_MEMORY - 120}, odd[] = {5, 4};
    need(mp_driver_call(&d, MP_HOST_DO_COUNTERS, 2, last, NULL));
    refused(mp_driver_call(&d, MP_HOST_DO_COUNTERS, 2, beyond, NULL), MP_HOST_STATUS_BAD_VALUE);
    refused(mp_driver_call(&d, MP_HOST_DO_COUNTERS, 2, odd, NULL), MP_HOST_STATUS_BAD_VALUE);
    refused(mp_driver_counters(&d, 8, value), MP_HOST_STATUS_BAD_VALUE);
}

/* Each operand that is out of range, or too much. */
static void values(void **state)
{
    (void)state;
    static const struct {
        enum mp_host_opcode opcode;
        uint64_t operand[MP_HOST_OPERAND_WORDS];
        enum mp_host_status status;
    } bad[] = {
        {(enum mp_host_opcode)0, {0}, MP_HOST_STATUS_BAD_OPCODE},
        {(enum mp_host_opcode)MP_HOST_OPCODES, {0}, MP_HOST_STATUS_BAD_OPCODE},
        {(enum mp_host_opcode)0xffffffff, {0}, MP_HOST_STATUS_BAD_OPCODE},
        {MP_HOST_DO_PING, {1, 2}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_QUIT, {0, 0, 0, 0, 0, 0, 1}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_BUFFER, {UINT64_C(1) << 32, 0}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_BUFFER, {0, UINT64_C(1) << 32}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_CREATE, {UINT64_C(1) << 32, 1}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_CREATE, {1, 8}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_CREATE, {1, 7}, MP_HOST_STATUS_NO_ROOM},
        {MP_HOST_DO_DESTROY, {7}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_OPEN, {7, 1, 65536}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_OPEN, {0, 8, 65536}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_OPEN, {0, 0, 65536}, MP_HOST_STATUS_EXISTS},
        {MP_HOST_DO_OPEN, {0, 1, 65537}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_CLOSE, {3}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_MAP, {3, 0, 65536}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_MAP, {0, 1, 65536}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_MAP, {0, 0, 0}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_MAP, {0, UINT64_C(1) << 48, 65536}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_MAP, {0, 0, UINT64_C(1) << 47}, MP_HOST_STATUS_NO_ROOM},
        {MP_HOST_DO_UNMAP, {0, 0, 65535}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_PROTECT, {0, 0, 65536, 3}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_PROTECT, {0, 0, 65536, 0}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_PROMISE, {3, 0, 65536}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_PROMISE, {0, 1, UINT64_C(1) << 48}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_PROMISE, {0, 0, 0}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_LAUNCH, {0, 0, 0, UINT64_C(1) << 32}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_LAUNCH, {0, 8, 0, 1}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_WAIT, {1}, MP_HOST_STATUS_NOT_THERE},
        {MP_HOST_DO_INVALIDATE, {3, 0, 0}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_INVALIDATE, {1, 8, 0}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_POLICY, {4, 0}, MP_HOST_STATUS_BAD_VALUE},
        {MP_HOST_DO_SCHEDULER, {7, 0}, MP_HOST_STATUS_NOT_THERE},
    };
    instance_with_space(0);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t value[MP_HOST_VALUES];
        enum mp_driver_error e =
            mp_driver_call(&d, bad[i].opcode, MP_HOST_OPERAND_WORDS, bad[i].operand, value);
        if (e != MP_DRIVER_REFUSED || d.status != bad[i].status)
            fail_msg("line %u: %s", i, mp_driver_status_text(d.status));
    }
    need(mp_driver_ping(&d, 1));
}

/* --- launches ------------------------------------------------------------------------------------- */

/* The ring goes on while launches run, whose pages come by faults; each WAIT is completed at its launch's
 * end. */
static void launches(void **state)
{
    (void)state;
    uint32_t wait[2], sequence;
    struct mp_host_completion c;
    for (unsigned i = 0; i < 2; i++) {
        instance_with_space(i);
        need(mp_driver_promise(&d, i, gpu_stub.base[i], STUB_SPAN * UINT64_C(65536)));
        need(mp_driver_launch(&d, i, i, i, 40 + i));
        need(mp_driver_submit(&d, MP_HOST_DO_WAIT, 1, &(uint64_t){40 + i}, &wait[i]));
    }
    need(mp_driver_ping(&d, 5));
    assert_true(gpu_stub.run[0].runs || gpu_stub.run[1].runs);
    refused(mp_driver_launch(&d, 0, 0, 0, 40), MP_HOST_STATUS_EXISTS);
    refused(mp_driver_wait(&d, 40, 10 * MS, &sequence), MP_HOST_STATUS_BUSY);
    refused(mp_driver_destroy(&d, 0), MP_HOST_STATUS_BUSY);
    refused(mp_driver_reset(&d), MP_HOST_STATUS_BUSY);
    need(mp_driver_collect(&d, wait[1], 100 * MS, &c));
    need(mp_driver_collect(&d, wait[0], 100 * MS, &c));
    assert_true(fault_counts(0)->mapped > 0);
    refused(mp_driver_wait(&d, 40, 10 * MS, &sequence), MP_HOST_STATUS_NOT_THERE);
    need(mp_driver_launch(&d, 0, 0, 0, 40)); /* the tag is free again */
    need(mp_driver_wait(&d, 40, 100 * MS, &sequence));
    need(mp_driver_reset(&d));
    assert_null(mig_instance(0));
    assert_null(mig_instance(1));
}

/* Without a promise, the launch ends by its first fault. */
static void failed_launch(void **state)
{
    (void)state;
    uint32_t sequence;
    instance_with_space(2);
    refused(mp_driver_launch(&d, 2, 2, 256, 1), MP_HOST_STATUS_BAD_VALUE);
    need(mp_driver_launch(&d, 2, 2, 3, 1)); /* no such workload */
    refused(mp_driver_wait(&d, 1, 100 * MS, &sequence), MP_HOST_STATUS_NOT_THERE);
    need(mp_driver_launch(&d, 2, 2, 2, 1));
    refused(mp_driver_wait(&d, 1, 100 * MS, &sequence), MP_HOST_STATUS_FAULTED);
    assert_int_equal(runner_wait(), FW_OK); /* it is not the console's */
}

/* Ended launches for which no WAIT came fill the table. */
static void too_many_launches(void **state)
{
    (void)state;
    uint32_t sequence;
    instance_with_space(0);
    need(mp_driver_promise(&d, 0, gpu_stub.base[0], STUB_SPAN * UINT64_C(65536)));
    for (uint32_t tag = 0; tag < MP_MGMT_QUEUE; tag++)
        need(mp_driver_launch(&d, 0, 0, 0, tag));
    refused(mp_driver_launch(&d, 0, 0, 0, 100), MP_HOST_STATUS_NO_ROOM);
    for (uint32_t tag = 0; tag < MP_MGMT_QUEUE; tag++)
        need(mp_driver_wait(&d, tag, 100 * MS, &sequence));
    need(mp_driver_launch(&d, 0, 0, 0, 100));
}

/* The console's launches and the host's do not wait for each other. */
static void both(void **state)
{
    (void)state;
    uint32_t sequence;
    instance_with_space(0);
    instance_with_space(1);
    for (unsigned i = 0; i < 2; i++)
        need(mp_driver_promise(&d, i, gpu_stub.base[i], STUB_SPAN * UINT64_C(65536)));
    need(mp_driver_launch(&d, 0, 0, 0, 9));
    assert_int_equal(runner_start(1, 1, 1), FW_OK);
    assert_int_equal(runner_wait(), FW_OK);
    need(mp_driver_wait(&d, 9, 100 * MS, &sequence));
}

/* --- the library ---------------------------------------------------------------------------------- */

static void timeout(void **state)
{
    (void)state;
    uint32_t sequence;
    struct mp_host_completion c;
    instance_with_space(0);
    need(mp_driver_promise(&d, 0, gpu_stub.base[0], STUB_SPAN * UINT64_C(65536)));
    need(mp_driver_launch(&d, 0, 0, 0, 9));
    uint64_t before = host_transport.now(NULL);
    assert_int_equal(mp_driver_wait(&d, 9, 2000, &sequence), MP_DRIVER_TIMEOUT);
    assert_in_range(host_transport.now(NULL) - before, 2000, MS);
    assert_int_equal(mp_driver_collect(&d, sequence + 1, MS, &c), MP_DRIVER_UNKNOWN);
    need(mp_driver_collect(&d, sequence, 100 * MS, &c)); /* it is still in flight */
    assert_int_equal(mp_driver_collect(&d, sequence, MS, &c), MP_DRIVER_UNKNOWN);
}

static void in_flight(void **state)
{
    (void)state;
    uint32_t sequence[MP_DRIVER_FLIGHT], more;
    struct mp_host_completion c;
    for (unsigned round = 0; round < 5; round++) { /* around the ring's end */
        for (uint64_t i = 0; i < MP_DRIVER_FLIGHT - round; i++)
            need(mp_driver_submit(&d, MP_HOST_DO_PING, 1, &i, &sequence[i]));
        if (!round)
            assert_int_equal(mp_driver_submit(&d, MP_HOST_DO_PING, 1, &(uint64_t){0}, &more), MP_DRIVER_FULL);
        for (unsigned i = MP_DRIVER_FLIGHT - round; i-- > 0;) {
            need(mp_driver_collect(&d, sequence[i], MS, &c));
            assert_int_equal(c.value[0], i);
        }
    }
}

static void ends(void **state)
{
    (void)state;
    need(mp_driver_quit(&d));
    assert_int_equal(mp_driver_ping(&d, 1), MP_DRIVER_ENDED);
}

/* Counters and completions that the library must not believe. */
static void lies(void **state)
{
    (void)state;
    uint64_t data = 40;
    assert_true(mp_regs_access(&board.host.regs, MP_HOST_DONE_TAIL, 4, true, &data));
    assert_int_equal(mp_driver_ping(&d, 1), MP_DRIVER_BROKEN);
    need(mp_driver_open(&d, &host_transport, 100 * MS));
    data = 1; /* the completion is that of no command */
    memset(board.host_memory + MP_DRIVER_COMPLETIONS, 0xff, MP_HOST_COMPLETION_BYTES);
    assert_true(mp_regs_access(&board.host.regs, MP_HOST_DONE_TAIL, 4, true, &data));
    assert_int_equal(mp_driver_ping(&d, 1), MP_DRIVER_BROKEN);
    mp_host_port_init(&board.host, false);
    assert_int_equal(mp_driver_open(&d, &host_transport, MS), MP_DRIVER_VERSION);
}

static void no_firmware(void **state)
{
    (void)state;
    mp_host_port_init(&board.host, true); /* its interrupts are off */
    assert_int_equal(mp_driver_open(&d, &host_transport, MS), MP_DRIVER_TIMEOUT);
}

/* --- rings ---------------------------------------------------------------------------------------- */

static void put(uint32_t offset, uint32_t value)
{
    assert_true(mp_host_port_write(&board.host, offset, value));
}

static uint32_t get(uint32_t offset)
{
    uint32_t value;
    assert_true(mp_host_port_read(&board.host, offset, &value));
    return value;
}

static void reset_to(uint32_t entries, uint32_t commands, uint32_t completions)
{
    put(MP_HOST_ENTRIES, entries);
    put(MP_HOST_COMMANDS, commands);
    put(MP_HOST_COMPLETIONS, completions);
    put(MP_HOST_RESET, 1);
    assert_int_equal(get(MP_HOST_STATE), MP_HOST_STATE_WAITS);
    assert_true(host_serve());
}

static void geometry(void **state)
{
    static const struct {
        uint32_t entries, commands, completions;
        bool good;
    } ring[] = {
        {2, 0, 128, true},
        {1024, 0, 65536, true},
        {16, 1 << 19, 0, true},
        {0, 0, 128, false},
        {1, 0, 128, false},
        {3, 0, 256, false},
        {2048, 0, 1 << 19, false},
        {2, 32, 256, false},
        {2, 0, 160, false},
        {2, 0, 64, false},
        {2, 64, 0, true},
        {2, 0, 0, false},
        {2, (1 << 20) - 64, 0, false},
        {2, 0, (1 << 20) - 64, true},
        {2, 0, 1 << 20, false},
        {2, 0xffffffc0, 0, false},
        {2, 0, 0xffffffc0, false},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof ring / sizeof *ring; i++) {
        reset_to(ring[i].entries, ring[i].commands, ring[i].completions);
        if ((get(MP_HOST_STATE) == MP_HOST_STATE_READY) != ring[i].good)
            fail_msg("ring %u", i);
        if (!ring[i].good)
            assert_int_equal(get(MP_HOST_REASON), MP_HOST_STATUS_BAD_RING);
    }
    need(mp_driver_open(&d, &host_transport, MS));
    need(mp_driver_ping(&d, 1));
}

static void write_command(unsigned index, uint32_t opcode, uint32_t sequence)
{
    struct mp_host_command c = {.opcode = opcode, .sequence = sequence};
    memcpy(board.host_memory + index * sizeof c, &c, sizeof c);
}

static struct mp_host_completion completion(unsigned index)
{
    struct mp_host_completion c;
    memcpy(&c, board.host_memory + 4096 + index * sizeof c, sizeof c);
    return c;
}

static void sequences(void **state)
{
    (void)state;
    reset_to(4, 0, 4096);
    write_command(0, MP_HOST_DO_PING, 1);
    write_command(1, MP_HOST_DO_QUIT, 1);
    write_command(2, MP_HOST_DO_PING, 3);
    put(MP_HOST_TAIL, 3);
    assert_true(host_serve());
    assert_int_equal(get(MP_HOST_HEAD), 3);
    assert_int_equal(get(MP_HOST_DONE_TAIL), 3);
    assert_int_equal(completion(0).status, MP_HOST_STATUS_OK);
    assert_int_equal(completion(1).status, MP_HOST_STATUS_BAD_SEQUENCE);
    assert_int_equal(completion(1).sequence, 1);
    assert_int_equal(completion(2).status, MP_HOST_STATUS_OK);
}

/* No command is taken before its completion has room. */
static void full(void **state)
{
    (void)state;
    reset_to(2, 0, 4096);
    for (unsigned i = 0; i < 2; i++)
        write_command(i, MP_HOST_DO_PING, i + 1);
    put(MP_HOST_TAIL, 2);
    assert_true(host_serve());
    write_command(0, MP_HOST_DO_PING, 3);
    put(MP_HOST_TAIL, 3);
    assert_true(host_serve());
    assert_int_equal(get(MP_HOST_HEAD), 2);
    put(MP_HOST_DONE_HEAD, 1);
    assert_true(host_serve());
    assert_int_equal(get(MP_HOST_HEAD), 3);
    assert_int_equal(completion(0).sequence, 3);
}

static void command_at(unsigned index, const struct mp_host_command *c)
{
    memcpy(board.host_memory + index * sizeof *c, c, sizeof *c);
}

/* The completion of a WAIT waits for room, too. */
static void full_when_launch_ends(void **state)
{
    (void)state;
    instance_with_space(0);
    reset_to(2, 0, 4096);
    command_at(0, &(struct mp_host_command){MP_HOST_DO_LAUNCH, 1, {0, 0, 0, 5}});
    command_at(1, &(struct mp_host_command){MP_HOST_DO_WAIT, 2, {5}});
    put(MP_HOST_TAIL, 2);
    assert_true(host_serve());
    write_command(0, MP_HOST_DO_PING, 3);
    put(MP_HOST_TAIL, 3);
    for (unsigned i = 0; i < 2000; i++, board_step())
        assert_true(host_serve());
    assert_false(gpu_stub.run[0].runs);
    assert_int_equal(get(MP_HOST_DONE_TAIL), 2);
    put(MP_HOST_DONE_HEAD, 2);
    assert_true(host_serve());
    assert_int_equal(get(MP_HOST_DONE_TAIL), 3);
    assert_int_equal(completion(0).sequence, 2);
    assert_int_equal(completion(0).status, MP_HOST_STATUS_FAULTED);
}

static void stops(enum mp_host_status reason)
{
    assert_true(host_serve());
    assert_int_equal(get(MP_HOST_STATE), MP_HOST_STATE_STOPPED);
    assert_int_equal(get(MP_HOST_REASON), reason);
    uint32_t head = get(MP_HOST_HEAD);
    put(MP_HOST_TAIL, head);
    put(MP_HOST_DONE_HEAD, get(MP_HOST_DONE_TAIL));
    assert_true(host_serve());
    assert_int_equal(get(MP_HOST_STATE), MP_HOST_STATE_STOPPED);
    need(mp_driver_open(&d, &host_transport, MS));
    need(mp_driver_ping(&d, 1));
}

static void indices(void **state)
{
    (void)state;
    static const struct {
        uint32_t offset, value;
    } lie[] = {{MP_HOST_TAIL, 5},
               {MP_HOST_TAIL, 0x80000000},
               {MP_HOST_TAIL, 0xffffffff},
               {MP_HOST_DONE_HEAD, 1},
               {MP_HOST_DONE_HEAD, 0xfffffffb}};
    for (unsigned i = 0; i < sizeof lie / sizeof *lie; i++) {
        reset_to(4, 0, 4096);
        put(lie[i].offset, lie[i].value);
        stops(MP_HOST_STATUS_BAD_INDEX);
    }
}

/* The library reports why. */
static void reports_stop(void **state)
{
    (void)state;
    uint32_t sequence;
    need(mp_driver_submit(&d, MP_HOST_DO_PING, 0, (uint64_t[1]){0}, &sequence));
    put(MP_HOST_TAIL, 1000);
    assert_int_equal(mp_driver_collect(&d, sequence, MS, &(struct mp_host_completion){0}), MP_DRIVER_STOPPED);
    assert_int_equal(d.status, MP_HOST_STATUS_BAD_INDEX);
}

/* A reset between the firmware's looks at the ring is no wrong index; launches go on, and are not waited
 * for. */
static void reset_while_running(void **state)
{
    (void)state;
    uint32_t sequence;
    instance_with_space(0);
    need(mp_driver_promise(&d, 0, gpu_stub.base[0], STUB_SPAN * UINT64_C(65536)));
    need(mp_driver_launch(&d, 0, 0, 0, 9));
    assert_int_equal(mp_driver_wait(&d, 9, 1000, &sequence), MP_DRIVER_TIMEOUT);
    cpu_lock();
    put(MP_HOST_RESET, 1); /* its interrupt comes later */
    service_serve();
    cpu_unlock(true);
    assert_int_equal(get(MP_HOST_STATE), MP_HOST_STATE_WAITS);
    need(mp_driver_open(&d, &host_transport, MS));
    refused(mp_driver_wait(&d, 9, MS, &sequence), MP_HOST_STATUS_NOT_THERE);
    while (gpu_stub.run[0].runs)
        need(mp_driver_ping(&d, 1));
    need(mp_driver_ping(&d, 1));
    need(mp_driver_reset(&d));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(memory),
                                       TEST(counters),
                                       TEST(values),
                                       TEST(launches),
                                       TEST(failed_launch),
                                       TEST(too_many_launches),
                                       TEST(both),
                                       TEST(timeout),
                                       TEST(in_flight),
                                       TEST(ends),
                                       TEST(lies),
                                       TEST(no_firmware),
                                       TEST(geometry),
                                       TEST(sequences),
                                       TEST(full),
                                       TEST(full_when_launch_ends),
                                       TEST(indices),
                                       TEST(reports_stop),
                                       TEST(reset_while_running)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
