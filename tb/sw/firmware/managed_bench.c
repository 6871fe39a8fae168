/* SPDX-License-Identifier: Apache-2.0 */
#include "managed_bench.h"

#include "boot.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "runner.h"

struct managed managed;

static unsigned entries; /* that the GPU has written into the ring */

static int store(void *gpu, uint64_t address, const void *from, size_t bytes)
{
    (void)gpu;
    if (bytes == 8 && managed.lost_each && ++entries % managed.lost_each == 0)
        return 0;
    return mp_physmem_write(&gpu_stub.memory, address, from, bytes);
}

int managed_setup(void **state)
{
    (void)state;
    managed.lost_each = 0;
    board_reset();
    gpu_stub_reset(rng_start("firmware managed memory", 9), ACCESSES);
    gpu_stub.operations.store = store;
    gpu_stub.operations.sms = STUB_WAITING;
    gpu_stub.operations.host_bytes = MP_HOST_PAGES_BYTES;
    gpu_stub.operations.counters = &managed.counters;
    assert_int_equal(mp_access_counters_init(&managed.counters, 64), 0);
    mp_mgmt_init(&gpu_stub.mgmt);
    assert_int_equal(boot(), FW_OK);
    assert_int_equal(mig_create(0, 3), FW_OK);
    managed.all_memory = mig_instance(0)->frames.free;
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(mig_space_open(0, a, PAGE), FW_OK);
    return 0;
}

int managed_teardown(void **state)
{
    (void)state;
    managed.lost_each = 0;
    board.ce_hangs = board.ce_in_hangs = false;
    for (unsigned i = 0; i < 1000; i++)
        board_step(); /* copies of an engine that hung */
    assert_int_equal(mig_destroy(0), FW_OK);
    assert_int_equal(mig_create(0, 3), FW_OK);
    assert_int_equal(mig_instance(0)->frames.free, managed.all_memory);
    assert_int_equal(managed.counters.used, 0);
    mp_access_counters_free(&managed.counters);
    gpu_stub_free();
    return 0;
}

uint64_t managed_page_of(unsigned asid, unsigned page)
{
    return gpu_stub.base[asid] + (uint64_t)page * PAGE;
}

void managed_begin_setup(const struct uvm_setup *pool)
{
    assert_int_equal(uvm_pool(0, pool), FW_OK);
    for (unsigned a = 0; a < SPACES; a++) {
        assert_int_equal(uvm_manage(a, managed_page_of(a, 0), BYTES, false), FW_OK);
        assert_int_equal(uvm_host(a, managed_page_of(a, 0), BYTES), FW_OK);
        for (unsigned i = 0; i < STUB_SPAN; i++)
            gmem_write64(uvm_host_address(a, managed_page_of(a, i)),
                         managed.expected[a][i] = ++managed.writes);
    }
}

void managed_begin(unsigned chunks, unsigned prefetch, unsigned evict)
{
    managed_begin_setup(
        &(struct uvm_setup){.chunks = chunks, .page_bytes = PAGE, .prefetch = prefetch, .evict = evict});
}

void managed_write_what_is_there(void)
{
    struct gmmu_walk w;
    for (unsigned a = 0; a < SPACES; a++)
        for (unsigned i = 0; i < STUB_SPAN; i++)
            if (!gmmu_walk(a, managed_page_of(a, i), &w) && w.mapped) {
                assert_int_equal(gmem_read64(w.pa), managed.expected[a][i]);
                if (!w.read_only)
                    gmem_write64(w.pa, managed.expected[a][i] = ++managed.writes);
            }
}

void managed_check_data(void)
{
    for (unsigned a = 0; a < SPACES; a++) {
        assert_int_equal(uvm_host(a, managed_page_of(a, 0), BYTES), FW_OK);
        for (unsigned i = 0; i < STUB_SPAN; i++)
            assert_int_equal(gmem_read64(uvm_host_address(a, managed_page_of(a, i))), managed.expected[a][i]);
    }
}

enum fw_error managed_run_all(void)
{
    for (unsigned a = 0; a < SPACES; a++)
        assert_int_equal(runner_start(0, a, a), FW_OK);
    return runner_wait();
}
