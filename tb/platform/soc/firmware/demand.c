/* SPDX-License-Identifier: Apache-2.0 */
/* Memory management as firmware does it: an instance, an empty page table, a launch whose pages are mapped
 * when they fault, invalidation and its effect, and the destruction of everything. */
#include "gpu.h"

enum { ASID = 3, INSTANCE = 2, SLICES = 2 };

static unsigned faults, replays;
static uint64_t last_va;

/* Maps every page that faulted, then replays all waiting accesses. */
static void serve_faults(struct space *s)
{
    while (GPU4(FAULT_COUNT)) {
        uint32_t info = GPU4(FAULT_INFO);
        CHECK((info & 0xff) == s->asid);
        last_va = GPU8(FAULT_VA);
        gpu_map(s, last_va);
        SET4(FAULT_POP, 1);
        faults++;
    }
    CHECK(gpu_replay(s->asid, false) == MP_MGMT_OK);
    replays++;
}

/* Waits until the oldest launch has ended, and returns its status. */
static uint32_t run(struct space *s, uint32_t tag)
{
    CHECK(gpu_launch(INSTANCE, s->asid, 0, tag) == MP_MGMT_OK);
    while (!GPU4(DONE_COUNT)) {
        gpu_wait(MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_FAULT);
        serve_faults(s);
    }
    CHECK(GPU4(DONE_TAG) == tag);
    uint32_t status = GPU4(DONE_STATUS);
    SET4(DONE_POP, 1);
    return status;
}

int main(void)
{
    struct space s;
    gpu_interrupts();
    CHECK(GPU4(SLICES) == 7 && GPU8(MEMORY) > 0);
    CHECK(gpu_create(INSTANCE, SLICES) == MP_MGMT_OK);
    gpu_space(&s, ASID, INSTANCE);
    CHECK(run(&s, 11) == MP_MGMT_OK);
    uint64_t walks = gpu_count(ASID, MP_MGMT_WALKS), cycles = gpu_count(ASID, MP_MGMT_CYCLES);
    printf("first run: %u faults, %u replays, %lu cycles, %lu instructions, %lu accesses, %lu walks\n",
           faults, replays, (long)cycles, (long)gpu_count(ASID, MP_MGMT_INSTRUCTIONS),
           (long)gpu_count(ASID, MP_MGMT_ACCESSES), (long)walks);
    CHECK(faults > 1 && gpu_count(ASID, MP_MGMT_WALK_FAULTS) >= faults);
    CHECK(GPU4(FAULT_HELD) == 0);

    /* All pages are mapped now, and the TLBs contain them. */
    unsigned before = faults;
    CHECK(run(&s, 12) == MP_MGMT_OK && faults == before);
    uint64_t warm = gpu_count(ASID, MP_MGMT_WALKS) - walks;
    CHECK(gpu_invalidate(MP_MGMT_ASID | MP_GPU_INV_COMMAND_WALK_CACHE, ASID, 0) == MP_MGMT_OK);
    uint64_t removed = GPU8(INV_REMOVED);
    walks = gpu_count(ASID, MP_MGMT_WALKS);
    CHECK(run(&s, 13) == MP_MGMT_OK && faults == before);
    uint64_t cold = gpu_count(ASID, MP_MGMT_WALKS) - walks;
    printf("again: %lu walks, after %lu entries were removed %lu\n", (long)warm, (long)removed, (long)cold);
    CHECK(removed > 0 && cold > warm);

    /* A page that is unmapped faults again once no TLB contains it. */
    WRITE64(gpu_map(&s, last_va), 0);
    CHECK(gpu_invalidate(MP_MGMT_PAGE, ASID, last_va) == MP_MGMT_OK && GPU8(INV_REMOVED) > 0);
    CHECK(gpu_invalidate(MP_MGMT_PAGE, ASID, last_va) == MP_MGMT_OK && GPU8(INV_REMOVED) == 0);
    CHECK(run(&s, 14) == MP_MGMT_OK && faults > before);

    /* So does a page of a run. An access to it that is cancelled ends its launch, without a replay. */
    const unsigned long run_bytes = 0x200000;
    WRITE64(gpu_map(&s, last_va), 0);
    SET4(INV_BYTES, run_bytes);
    CHECK(gpu_invalidate(MP_MGMT_PAGE, ASID, last_va & -run_bytes) == MP_MGMT_OK && GPU8(INV_REMOVED) > 0);
    SET4(INV_BYTES, 0);
    CHECK(gpu_invalidate(MP_MGMT_PAGE, ASID, last_va) == MP_MGMT_OK && GPU8(INV_REMOVED) == 0);
    CHECK(gpu_launch(INSTANCE, ASID, 0, 15) == MP_MGMT_OK);
    while (!GPU4(DONE_COUNT)) {
        gpu_wait(MP_GPU_INT_STATUS_DONE | MP_GPU_INT_STATUS_FAULT);
        CHECK(gpu_cancel(ASID, last_va) == MP_MGMT_OK);
    }
    CHECK(GPU4(FAULT_COUNT) > 0 && GPU8(FAULT_VA) / run_bytes == last_va / run_bytes);
    CHECK(GPU4(DONE_TAG) == 15 && GPU4(DONE_STATUS) == MP_MGMT_FAULTED);
    SET4(DONE_POP, 1);

    CHECK(gpu_destroy(INSTANCE) == MP_MGMT_OK);
    CHECK(gpu_create(INSTANCE, 7) == MP_MGMT_OK && gpu_destroy(INSTANCE) == MP_MGMT_OK);
    printf("end: instruction %ld\n", (long)CSR_READ(minstret));
    return 0;
}
