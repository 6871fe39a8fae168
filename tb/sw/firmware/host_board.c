/* SPDX-License-Identifier: Apache-2.0 */
#include "host_board.h"

#include "dma.h"
#include "fault.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "request.h"
#include "runner.h"
#include "service.h"

enum { TICK_NS = 100 };

void host_start(unsigned accesses)
{
    board_reset();
    gpu_stub_reset((struct rng){1}, accesses);
    assert_int_equal(dma_init(), FW_OK);
    assert_int_equal(gpu_init(), FW_OK);
    gmmu_init();
    mig_init();
    fault_init();
    request_init();
    runner_init();
    assert_int_equal(service_init(), FW_OK);
}

bool host_serve(void)
{
    board_interrupts();
    return !service_due() || service_serve();
}

static int get(void *self, uint32_t offset, uint32_t *value)
{
    (void)self;
    return mp_host_port_read(&board.host, offset, value) ? 0 : -1;
}

static int put(void *self, uint32_t offset, uint32_t value)
{
    (void)self;
    return mp_host_port_write(&board.host, offset, value) ? 0 : -1;
}

static int read_memory(void *self, uint32_t at, void *bytes, uint32_t n)
{
    (void)self;
    memcpy(bytes, board.host_memory + at, n);
    return 0;
}

static int write_memory(void *self, uint32_t at, const void *bytes, uint32_t n)
{
    (void)self;
    memcpy(board.host_memory + at, bytes, n);
    return 0;
}

static uint64_t now(void *self)
{
    (void)self;
    return board.clint.now * TICK_NS;
}

static int wait(void *self, uint64_t ns)
{
    uint64_t from = now(self);
    while (!board.host.value.HOST_INT_STATUS[0] && now(self) - from < ns) {
        host_serve();
        board_step();
    }
    return 0;
}

const struct mp_driver_transport host_transport = {
    .get = get, .put = put, .read = read_memory, .write = write_memory, .wait = wait, .now = now};
