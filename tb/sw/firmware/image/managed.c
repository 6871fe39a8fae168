/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Managed memory in scenes that drivers are known to fail in, served by the shipped uvm.c, which survives all
 * of them, or by one with a bug: the linker puts functions of this file in the place of the library's
 * (--wrap). `--check`, the watchdog or --stall-limit must find each bug. ../managed.sh has what they say.
 *
 * SCENE, BUG: names of the enumerations. ROUNDS: of the scene churn.
 */
#include <inttypes.h>

#include "boot.h"
#include "ce.h"
#include "check.h"
#include "clint.h"
#include "fault.h"
#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "rings.h"
#include "runner.h"
#include "uvm.h"
#include "uvm_space.h"

#ifndef ROUNDS
#define ROUNDS 3
#endif

enum { tenants, tight, small_ring, storm, churn, pools, shared_link }; /* SCENE */
enum {
    none,
    never_replays,
    never_takes,
    replays_twice,
    no_fence,
    no_copy_in,
    half_copy_out,
    no_invalidation,
    spins,
    no_valid_bit
}; /* BUG */

enum { PAGE = 4096, SPACES = 2 };
enum { blocks = 0, hpe = 6, stay_on_host = 1 }; /* numbers of designs of evictions, of migrations */

/* --- bugs ----------------------------------------------------------------------------------------- */

enum fw_error __real_gpu_replay(unsigned asid, bool give_up);
enum fw_error __wrap_gpu_replay(unsigned asid, bool give_up);
enum fw_error __wrap_gpu_replay(unsigned asid, bool give_up)
{
    if (BUG == never_replays)
        return FW_OK;
    if (BUG == replays_twice)
        __real_gpu_replay(asid, give_up);
    return __real_gpu_replay(asid, give_up);
}

/* GET stays, as in a driver that only counts what it has taken. */
void __real_ring_release(struct ring *r);
void __wrap_ring_release(struct ring *r);
void __wrap_ring_release(struct ring *r)
{
    if (BUG != never_takes)
        __real_ring_release(r);
}

/* Without the wait for copies out, frames are used again while their data leaves. */
enum fw_error __real_ce_wait(enum mp_ce_engine engine, uint64_t fence);
enum fw_error __wrap_ce_wait(enum mp_ce_engine engine, uint64_t fence);
enum fw_error __wrap_ce_wait(enum mp_ce_engine engine, uint64_t fence)
{
    const bool forgets = engine == MP_CE_OUT ? BUG == no_fence : BUG == no_copy_in;
    return forgets ? FW_OK : __real_ce_wait(engine, fence);
}

/* Half of what leaves is lost. */
uint64_t __real_ce_copy(enum mp_ce_engine engine, uint64_t source, uint64_t target, uint32_t bytes,
                        bool *lost);
uint64_t __wrap_ce_copy(enum mp_ce_engine engine, uint64_t source, uint64_t target, uint32_t bytes,
                        bool *lost);
uint64_t __wrap_ce_copy(enum mp_ce_engine engine, uint64_t source, uint64_t target, uint32_t bytes,
                        bool *lost)
{
    const bool half = BUG == half_copy_out && engine == MP_CE_OUT;
    return __real_ce_copy(engine, source, target, half ? bytes / 2 : bytes, lost);
}

enum fw_error __real_gpu_invalidate_run(const struct mp_mgmt_invalidation *what, uint64_t *removed);
enum fw_error __wrap_gpu_invalidate_run(const struct mp_mgmt_invalidation *what, uint64_t *removed);
enum fw_error __wrap_gpu_invalidate_run(const struct mp_mgmt_invalidation *what, uint64_t *removed)
{
    *removed = 0;
    return BUG == no_invalidation ? FW_OK : __real_gpu_invalidate_run(what, removed);
}

/* Units leave, but their frames do not come back, and a space that needs one looks for it again and again. */
void __real_uvm_frame_give(const struct uvm_range *r, uint64_t va, uint64_t fence);
void __wrap_uvm_frame_give(const struct uvm_range *r, uint64_t va, uint64_t fence);
void __wrap_uvm_frame_give(const struct uvm_range *r, uint64_t va, uint64_t fence)
{
    if (BUG != spins)
        __real_uvm_frame_give(r, va, fence);
}

enum fw_error __real_uvm_frame_take(const struct uvm_range *r, uint64_t va, uint64_t *fence);
enum fw_error __wrap_uvm_frame_take(const struct uvm_range *r, uint64_t va, uint64_t *fence);
enum fw_error __wrap_uvm_frame_take(const struct uvm_range *r, uint64_t va, uint64_t *fence)
{
    enum fw_error e;
    do
        e = __real_uvm_frame_take(r, va, fence);
    while (e && BUG == spins);
    return e;
}

/* A driver that takes what PUT has passed, whether it is valid or not, as a fault of what is there. */
bool __real_ring_take(struct ring *r, bool patient, void *entry);
bool __wrap_ring_take(struct ring *r, bool patient, void *entry);
bool __wrap_ring_take(struct ring *r, bool patient, void *entry)
{
    const uint64_t last = r->base + (uint64_t)r->get * MP_GPU_RING_ENTRY_BYTES + MP_GPU_RING_LAST;
    if (BUG == no_valid_bit && r->get != r->put)
        gmem_write64(last, gmem_read64(last) | MP_GPU_RING_VALID);
    return __real_ring_take(r, patient, entry);
}

/* A ring that is full most of the time. */
enum fw_error __real_ring_begin(struct ring *r, enum gpu_ring of, unsigned instance, uint64_t base,
                                uint32_t entries);
enum fw_error __wrap_ring_begin(struct ring *r, enum gpu_ring of, unsigned instance, uint64_t base,
                                uint32_t entries);
enum fw_error __wrap_ring_begin(struct ring *r, enum gpu_ring of, unsigned instance, uint64_t base,
                                uint32_t entries)
{
    return __real_ring_begin(r, of, instance, base, SCENE == small_ring && entries ? 64 : entries);
}

/* --- scenes --------------------------------------------------------------------------------------- */

/* Buffers may share a page. */
static void manage_buffers(unsigned asid)
{
    struct mp_mgmt_memory b;
    uint64_t end = 0;
    for (unsigned i = 0; gpu_buffer(0, i, &b); i++) {
        uint64_t va = b.base & -(uint64_t)PAGE;
        va = va < end && end <= b.base + b.bytes ? end : va;
        end = (b.base + b.bytes + PAGE - 1) & -(uint64_t)PAGE;
        CHECK(va == end || uvm_manage(asid, va, end - va, false) == FW_OK);
    }
}

static void begin(unsigned slices, unsigned spaces, unsigned chunks)
{
    const struct uvm_setup pool = {.chunks = chunks,
                                   .page_bytes = PAGE,
                                   .evict = SCENE == tight ? hpe : blocks,
                                   .migrate = SCENE == shared_link ? stay_on_host : 0};
    CHECK(mig_create(0, slices) == FW_OK);
    for (unsigned a = 0; a < SPACES; a++)
        CHECK(mig_space_open(0, a, PAGE) == FW_OK);
    CHECK(uvm_pool(0, &pool) == FW_OK);
    for (unsigned a = 0; a < spaces; a++)
        manage_buffers(a);
}

static void run(unsigned asid)
{
    CHECK(runner_start(0, asid, 0) == FW_OK);
    print("space %u: %s\n", asid, fw_error_text(runner_wait()));
}

/* Two tenants evict each other. */
static void run_tenants(void)
{
    begin(2, SPACES, 3);
    for (unsigned i = 0; i < 2 * SPACES; i++)
        run(i % SPACES);
}

/* A tenant needs two blocks at once, and there is room for one: its pages fault while they leave. */
static void run_tight(void)
{
    begin(2, 1, 1);
    run(0);
    run(0);
}

/* All SMs want the same page. */
static void run_storm(void)
{
    begin(1, 1, 4);
    uvm_trace();
    run(0);
    print("%u SMs\n", gpu_sms());
}

/* Ranges of a page come and go in one space while the other's launches run. One that cannot go stays as it
 * was, and goes later. */
static void run_churn(void)
{
    enum { RANGES = 40, STEP = 3 * PAGE };
    const uint64_t base = 0x700000000000;
    begin(2, 1, 2);
    for (unsigned round = 0; round < ROUNDS; round++) {
        CHECK(runner_start(0, 0, 0) == FW_OK);
        for (unsigned i = 0; i < RANGES; i++) {
            CHECK(uvm_manage(1, base + i * STEP, PAGE, false) == FW_OK);
            CHECK(uvm_host(1, base + i * STEP, PAGE) == FW_OK);
            gmem_write64(uvm_host_address(1, base + i * STEP), i);
            if (i % 4 == 0)
                runner_serve();
        }
        for (unsigned i = 0; i < RANGES; i++) {
            CHECK(uvm_host(1, base + i * STEP, PAGE) == FW_OK);
            CHECK(gmem_read64(uvm_host_address(1, base + i * STEP)) == i);
            CHECK(uvm_unmanage(1, base + i * STEP) == FW_OK);
        }
        print("space 0: %s\n", fw_error_text(runner_wait()));
    }
}

/* Two instances run at once, each with a pool. */
static void run_pools(void)
{
    const struct uvm_setup pool = {.chunks = 1, .page_bytes = PAGE, .evict = hpe, .replay = 3};
    begin(2, 1, 1);
    CHECK(mig_create(1, 2) == FW_OK);
    CHECK(mig_space_open(1, SPACES, PAGE) == FW_OK);
    CHECK(uvm_pool(1, &pool) == FW_OK);
    manage_buffers(SPACES);
    for (unsigned round = 0; round < 2; round++) {
        CHECK(runner_start(0, 0, 0) == FW_OK);
        CHECK(runner_start(1, SPACES, 0) == FW_OK);
        print("both: %s\n", fw_error_text(runner_wait()));
    }
    print("%" PRIu64 " evictions there\n", uvm_counts(1)->evictions);
}

/* The time of a copy of 2 MB to the GPU, in ticks. */
static uint64_t copy_time(uint64_t frame)
{
    const uint64_t source = MP_CE_HOST + (uint64_t)(UVM_BLOCKS - 1) * UVM_BLOCK_BYTES, begin = clint_now();
    bool lost = false;
    const uint64_t fence = ce_copy(MP_CE_IN, source, frame, UVM_BLOCK_BYTES, &lost);
    CHECK(fence && ce_wait(MP_CE_IN, fence) == FW_OK && !lost);
    return clint_now() - begin;
}

/* The GPU accesses all pages on the host, over the link that a copy uses. */
static void run_shared_link(void)
{
    struct mp_mgmt_memory b;
    uint64_t frame;
    begin(2, 1, 1);
    CHECK(mig_take(0, UVM_BLOCK_BYTES, &frame) == FW_OK);
    for (unsigned i = 0; gpu_buffer(0, i, &b); i++)
        CHECK(uvm_host(0, b.base, b.bytes) == FW_OK);
    run(0); /* maps them */
    const uint64_t alone = copy_time(frame);
    CHECK(runner_start(0, 0, 0) == FW_OK);
    const uint64_t shared = copy_time(frame);
    CHECK(runner_wait() == FW_OK);
    print("a copy takes %" PRIu64 "00 ns, and %" PRIu64 "00 ns next to accesses\n", alone, shared);
    CHECK(shared * 10 > alone * 11);
}

int main(void)
{
    CHECK(boot() == FW_OK);
    switch (SCENE) {
    case tight:
        run_tight();
        break;
    case storm:
        run_storm();
        break;
    case pools:
        run_pools();
        break;
    case churn:
        run_churn();
        break;
    case shared_link:
        run_shared_link();
        break;
    default: /* tenants, small_ring */
        run_tenants();
    }
    const struct uvm_counts *c = uvm_counts(0);
    print("%" PRIu64 " entries, %" PRIu64 " duplicates, %" PRIu64 " evictions, %" PRIu64
          " pages came again\n",
          c->entries, c->duplicates, c->evictions, c->refetched);
    uvm_print();
    return 0;
}
