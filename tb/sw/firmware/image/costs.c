/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a service of managed memory costs, in instructions of the core: of a batch with one fault in a block
 * that has no pages, without evictions, and of each run of pages beyond the first that is copied or zeroed
 * for it. The test writes the faults into the ring, which has none of the GPU: the linker puts functions of
 * this file in the place of the library's (--wrap).
 */
#include <inttypes.h>
#include <string.h>

#include "boot.h"
#include "ce.h"
#include "check.h"
#include "cpu.h"
#include "gmem.h"
#include "gpu.h"
#include "mig.h"
#include "soc/gpu_ring.h"
#include "uvm.h"

enum { PAGE = 4096, BLOCK = 2097152, BIG = 16 /* pages */ };

#define BASE UINT64_C(0x40000000)

/* --- faults --------------------------------------------------------------------------------------- */

static uint64_t ring;
static uint32_t put;

enum fw_error __real_gpu_ring_begin(enum gpu_ring of, unsigned instance, uint64_t base, uint32_t entries);
enum fw_error __wrap_gpu_ring_begin(enum gpu_ring of, unsigned instance, uint64_t base, uint32_t entries);
enum fw_error __wrap_gpu_ring_begin(enum gpu_ring of, unsigned instance, uint64_t base, uint32_t entries)
{
    ring = base;
    put = 0;
    return __real_gpu_ring_begin(of, instance, base, entries);
}

uint32_t __real_gpu_ring_put(enum gpu_ring of, unsigned instance);
uint32_t __wrap_gpu_ring_put(enum gpu_ring of, unsigned instance);
uint32_t __wrap_gpu_ring_put(enum gpu_ring of, unsigned instance)
{
    return put + __real_gpu_ring_put(of, instance);
}

/* The instructions of the service of a load that has faulted; *runs receives the copies that it made. */
static uint64_t serve(uint64_t va, uint64_t *runs)
{
    const uint64_t at = ring + (uint64_t)put++ * MP_GPU_RING_ENTRY_BYTES, copies = ce_copies(),
                   before = uvm_counts(0)->instructions, batches = uvm_counts(0)->batches;
    gmem_write64(at, va);
    gmem_write64(at + MP_GPU_RING_LAST,
                 (uint64_t)MP_GPU_ACCESS_READ << MP_GPU_FAULT_ACCESS_LOW | MP_GPU_RING_VALID);
    cpu_fence();
    uvm_service();
    CHECK(uvm_counts(0)->batches == batches + 1 && !uvm_counts(0)->evictions && !uvm_counts(0)->cancelled);
    *runs = ce_copies() - copies;
    return uvm_counts(0)->instructions - before;
}

/* --- costs ---------------------------------------------------------------------------------------- */

static void begin(unsigned prefetch)
{
    const struct uvm_setup pool = {.chunks = 4, .page_bytes = PAGE, .prefetch = prefetch};
    CHECK(uvm_pool(0, &pool) == FW_OK);
    CHECK(uvm_manage(0, BASE, 4 * BLOCK, false) == FW_OK);
}

static void end(void)
{
    const struct uvm_setup none = {0};
    CHECK(uvm_unmanage(0, BASE) == FW_OK);
    CHECK(uvm_pool(0, &none) == FW_OK);
}

static void measure_fault(unsigned prefetch, uint64_t pages)
{
    uint64_t runs;
    begin(prefetch);
    const uint64_t first = serve(BASE, &runs), next = serve(BASE + BLOCK, &runs);
    CHECK(runs == 1 && uvm_counts(0)->faulted == 2 && uvm_counts(0)->prefetched == 2 * (pages - 1));
    print("a fault, %s: %" PRIu64 " instructions, %" PRIu64 " the first time, for %" PRIu64 " pages\n",
          uvm_prefetch_name(prefetch), next, first, pages);
    end();
}

/* Every other page of a big page is on the host, so it comes as 16 runs; the next one comes as one run. */
static void measure_runs(unsigned prefetch)
{
    uint64_t many, one;
    begin(prefetch);
    serve(BASE, &one);
    for (unsigned i = 0; i < BIG; i += 2)
        CHECK(uvm_host(0, BASE + BLOCK + i * PAGE, PAGE) == FW_OK);
    const uint64_t by_runs = serve(BASE + BLOCK, &many), at_once = serve(BASE + 2 * BLOCK, &one);
    CHECK(many == BIG && one == 1);
    print("a further run: %" PRIu64 " instructions\n", (by_runs - at_once) / (many - one));
    end();
}

/* Faults until the whole block is there. */
static void measure_block(unsigned prefetch)
{
    enum { ALL = BLOCK / PAGE };
    uint64_t runs, all = 0;
    begin(prefetch);
    for (uint64_t n; (n = uvm_counts(0)->faulted + uvm_counts(0)->prefetched) < ALL;)
        all += serve(BASE + n * PAGE, &runs);
    print("a block, %s: %" PRIu64 " instructions for %u pages and %" PRIu64 " faults\n",
          uvm_prefetch_name(prefetch), all, ALL, uvm_counts(0)->faulted);
    end();
}

static unsigned find(const char *name)
{
    unsigned n = 0;
    while (uvm_prefetch_name(n) && strcmp(uvm_prefetch_name(n), name))
        n++;
    return n;
}

int main(void)
{
    CHECK(boot() == FW_OK);
    CHECK(mig_create(0, 1) == FW_OK);
    CHECK(mig_space_open(0, 0, PAGE) == FW_OK);
    measure_fault(find("none"), 1);
    measure_fault(find("tree"), BIG);
    measure_runs(find("tree"));
    measure_block(find("tree"));
    return 0;
}
