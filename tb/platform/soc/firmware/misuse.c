/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of firmware, and the documented response to each. None of them stops the platform. */
#include "gpu.h"

enum { LOAD_MISALIGNED = 4, LOAD_FAULT = 5, STORE_MISALIGNED = 6, STORE_FAULT = 7 };
enum { INSTANCE = 1, ASID = 4 };

static void must_trap(bool passed, uint64_t cause, uint64_t address)
{
    CHECK(!passed && fw_trap.cause == cause && fw_trap.value == address);
}

static void bus_errors(void)
{
    const uint64_t outside[] = {0x50000000, MP_RAM_BASE + MP_RAM_BYTES, MP_GPU_MEMORY_BASE - 8,
                                MP_GPU_MEMORY_BASE + GPU8(MEMORY), MP_GPU_BASE + 0xff8};
    uint64_t value;
    for (unsigned i = 0; i < sizeof outside / sizeof *outside; i++) {
        must_trap(fw_read(outside[i], 8, &value), LOAD_FAULT, outside[i]);
        must_trap(fw_write(outside[i], 8, 0), STORE_FAULT, outside[i]);
    }
    must_trap(fw_read(GPU(ID), 8, &value), LOAD_FAULT, GPU(ID));         /* two registers at once */
    must_trap(fw_read(GPU(MEMORY), 4, &value), LOAD_FAULT, GPU(MEMORY)); /* half of a register */
    must_trap(fw_read(GPU(ID) + 2, 4, &value), LOAD_FAULT, GPU(ID) + 2); /* parts of two registers */
    must_trap(fw_write(GPU(ID), 4, 1), STORE_FAULT, GPU(ID));            /* read-only */
    must_trap(fw_read(GPU(RUN_DOORBELL), 4, &value), LOAD_FAULT, GPU(RUN_DOORBELL)); /* write-only */
    CHECK(GPU4(ID) == 0x4d500002);
    /* Memory of the GPU: any size, aligned, no atomics. */
    uint64_t at = MP_GPU_MEMORY_BASE + GPU8(MEMORY) - 8;
    WRITE64(at, 0x1122334455667788);
    CHECK(READ8(at + 1) == 0x77 && READ16(at + 2) == 0x5566 && READ32(at + 4) == 0x11223344);
    must_trap(fw_read(at - 3, 4, &value), LOAD_FAULT, at - 3);
    uint64_t traps = fw_trap.count;
    __asm__ volatile("amoadd.d zero, %0, (%1)" ::"r"(1ull), "r"(at) : "memory");
    CHECK(fw_trap.count == traps + 1 && READ64(at) == 0x1122334455667788);
}

static void instances_and_spaces(void)
{
    CHECK(gpu_destroy(INSTANCE) == MP_MGMT_NOT_THERE);
    CHECK(gpu_create(INSTANCE, 0) == MP_MGMT_BAD_VALUE);
    CHECK(gpu_create(INSTANCE, 1) == MP_MGMT_OK);
    CHECK(gpu_create(INSTANCE, 1) == MP_MGMT_EXISTS);
    CHECK(gpu_create(2, 7) == MP_MGMT_NO_ROOM);
    SET4(MIG_COMMAND, 3);
    CHECK(GPU4(MIG_STATUS) == MP_MGMT_BAD_VALUE);
    CHECK(gpu_commit(ASID, 2, 0) == MP_MGMT_NOT_THERE);
    CHECK(gpu_commit(ASID, INSTANCE, GPU8(MEMORY)) == MP_MGMT_BAD_VALUE);
    WRITE64(GPU(AS_ROOT) + 8 * ASID, 0);
    WRITE32(GPU(AS_CONFIG) + 4 * ASID, MP_GPU_AS_CONFIG_VALID | INSTANCE << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    SET4(AS_COMMIT, ASID); /* 4 KB pages: the machine has 64 KB */
    CHECK(GPU4(AS_STATUS) == MP_MGMT_UNSUPPORTED);
    SET4(COUNT_ASID, ASID);
    SET4(COUNT_LATCH, 1);
    CHECK(GPU4(COUNT_STATUS) == MP_MGMT_NOT_THERE);
    CHECK(gpu_replay(ASID, false) == MP_MGMT_NOT_THERE);
    CHECK(gpu_invalidate(MP_MGMT_ASID, ASID, 0) == MP_MGMT_NOT_THERE);
    CHECK(gpu_invalidate(0, ASID, 0) == MP_MGMT_BAD_VALUE);
}

static void take(uint32_t tag, uint32_t status)
{
    gpu_wait(MP_GPU_INT_STATUS_DONE);
    CHECK(GPU4(DONE_COUNT) == 1 && GPU4(DONE_TAG) == tag && GPU4(DONE_STATUS) == status);
    SET4(DONE_POP, 1);
}

static void doorbells(struct space *s)
{
    CHECK(gpu_launch(6, ASID, 0, 1) == MP_MGMT_OK);
    take(1, MP_MGMT_NOT_THERE); /* no such instance */
    CHECK(gpu_launch(INSTANCE, 7, 0, 2) == MP_MGMT_OK);
    take(2, MP_MGMT_NOT_THERE); /* no such address space */
    CHECK(gpu_launch(INSTANCE, ASID, 99, 3) == MP_MGMT_OK);
    take(3, MP_MGMT_NOT_THERE); /* no such workload */
    for (unsigned i = 0; i < MP_MGMT_QUEUE; i++)
        CHECK(gpu_launch(INSTANCE, ASID, 0, i) == MP_MGMT_OK);
    CHECK(gpu_launch(INSTANCE, ASID, 0, 99) == MP_MGMT_NO_ROOM);
    CHECK(gpu_destroy(INSTANCE) == MP_MGMT_BUSY);
    WRITE32(GPU(AS_CONFIG) + 4 * s->asid, 0);
    SET4(AS_COMMIT, s->asid);
    CHECK(GPU4(AS_STATUS) == MP_MGMT_BUSY);
    for (unsigned ended = 0; ended < MP_MGMT_QUEUE; ended++) {
        while (!GPU4(DONE_COUNT)) {
            while (GPU4(FAULT_COUNT))
                SET4(FAULT_POP, 1);
            CHECK(gpu_replay(ASID, true) == MP_MGMT_OK);
        }
        CHECK(GPU4(DONE_TAG) == ended && GPU4(DONE_STATUS) == MP_MGMT_FAULTED);
        SET4(DONE_POP, 1);
    }
    gpu_wait(MP_GPU_INT_STATUS_DONE);
}

static uint32_t fault_cause(void)
{
    return (GPU4(FAULT_INFO) & MP_GPU_FAULT_INFO_CAUSE) >> MP_GPU_FAULT_INFO_CAUSE_LOW;
}

static uint32_t fault_level(void)
{
    return GPU4(FAULT_INFO) >> MP_GPU_FAULT_INFO_LEVEL_LOW;
}

/* Each of these is tried on a running launch, whose accesses all fault; then the launch is given up. */
static void page_tables(struct space *s)
{
    uint64_t root = MP_GPU_MEMORY_BASE + s->root, memory = GPU8(MEMORY);
    const struct {
        uint64_t entry;
        enum mp_mgmt_cause cause;
        unsigned level;
    } entries[] = {
        {0, MP_MGMT_CAUSE_NOT_VALID, 0},
        {PTE_LEAF, MP_MGMT_CAUSE_NOT_VALID, 0},
        {PTE_VALID | PTE_LEAF, MP_MGMT_CAUSE_LEAF, 0},
        {s->root | PTE_VALID, MP_MGMT_CAUSE_TABLE, 3}, /* an entry that points to its own table */
        {memory | PTE_VALID, MP_MGMT_CAUSE_OUTSIDE, 0},
        {(memory / 2) | PTE_VALID, MP_MGMT_CAUSE_OUTSIDE, 0}, /* in another instance's memory */
        {UINT64_MAX, MP_MGMT_CAUSE_RESERVED, 0},
    };
    for (unsigned i = 0; i <= sizeof entries / sizeof *entries; i++) {
        if (i < sizeof entries / sizeof *entries) {
            for (unsigned k = 0; k < 512; k++)
                WRITE64(root + 8 * k, entries[i].entry);
        } else { /* the root itself: outside the instance */
            CHECK(gpu_commit(ASID, INSTANCE, memory - 4096) == MP_MGMT_OK);
        }
        CHECK(gpu_invalidate(MP_MGMT_ALL | MP_GPU_INV_COMMAND_WALK_CACHE, 0, 0) == MP_MGMT_OK);
        CHECK(gpu_launch(INSTANCE, ASID, 0, 50 + i) == MP_MGMT_OK);
        while (!GPU4(FAULT_COUNT))
            ;
        CHECK((GPU4(FAULT_INFO) & 0xff) == ASID);
        bool outside = i == sizeof entries / sizeof *entries;
        CHECK(fault_cause() == (outside ? MP_MGMT_CAUSE_ROOT : entries[i].cause));
        CHECK(fault_level() == (outside ? 0 : entries[i].level));
        CHECK(outside ? GPU8(FAULT_ENTRY) == 0 : GPU8(FAULT_ENTRY) - s->root < 4096);
        while (!GPU4(DONE_COUNT)) {
            while (GPU4(FAULT_COUNT))
                SET4(FAULT_POP, 1);
            CHECK(gpu_replay(ASID, true) == MP_MGMT_OK);
        }
        take(50 + i, MP_MGMT_FAULTED);
    }
    CHECK(gpu_commit(ASID, INSTANCE, s->root) == MP_MGMT_OK);
    for (unsigned k = 0; k < 512; k++)
        WRITE64(root + 8 * k, 0);
}

static void invalidate_while_busy(void)
{
    SET4(INV_ASID, ASID);
    SET4(INV_COMMAND, MP_MGMT_ASID);
    CHECK(GPU4(INV_STATUS) == MP_GPU_INV_STATUS_BUSY);
    SET4(INV_COMMAND, MP_MGMT_ALL);
    CHECK(gpu_destroy(INSTANCE) == MP_MGMT_BUSY);
    while (GPU4(INV_STATUS) & MP_GPU_INV_STATUS_BUSY)
        ;
    CHECK(GPU4(INV_STATUS) == MP_GPU_INV_STATUS_LOST);
    CHECK(gpu_invalidate(MP_MGMT_ASID, ASID, 0) == MP_MGMT_OK); /* the next command clears it */
}

static void walkers_and_policies(void)
{
    SET4(WALK_INSTANCE, INSTANCE);
    SET4(WALK_POLICY, MP_MGMT_SCHEDULER_STATIC);
    SET4(WALK_APPLY, 1);
    CHECK(GPU4(WALK_STATUS) == MP_MGMT_OK);
    WRITE64(GPU(WALK_OWNED), 1); /* the other walkers have no owner */
    SET4(WALK_APPLY, 1);
    CHECK(GPU4(WALK_STATUS) == MP_MGMT_BAD_VALUE);
    WRITE64(GPU(WALK_OWNED), 0x0f);
    WRITE64(GPU(WALK_OWNED) + 8 * ASID, 0xf0);
    SET4(WALK_APPLY, 1);
    CHECK(GPU4(WALK_STATUS) == MP_MGMT_OK);
    SET4(WALK_POLICY, 200);
    SET4(WALK_APPLY, 1);
    CHECK(GPU4(WALK_STATUS) == MP_MGMT_BAD_VALUE);
    SET4(TLB_LEVEL, 3);
    for (unsigned policy = MP_MGMT_POLICY_SUBENTRY; policy <= MP_MGMT_POLICY_MASK; policy++) {
        SET4(TLB_POLICY, policy);
        SET4(TLB_APPLY, 1);
        CHECK(GPU4(TLB_STATUS) == MP_MGMT_OK);
    }
    SET4(TLB_POLICY, 31); /* the last number that a design can have */
    SET4(TLB_APPLY, 1);
    CHECK(GPU4(TLB_STATUS) == MP_MGMT_BAD_VALUE);
    SET4(TLB_LEVEL,
         2); /* a number means the same policy at each level, and this level does not have all policies */
    SET4(TLB_POLICY, MP_MGMT_POLICY_STAR);
    SET4(TLB_APPLY, 1);
    CHECK(GPU4(TLB_STATUS) == MP_MGMT_BAD_VALUE);
    SET4(TLB_POLICY, MP_MGMT_POLICY_MASK);
    SET4(TLB_APPLY, 1);
    CHECK(GPU4(TLB_STATUS) == MP_MGMT_OK);
}

/* DMA may write a page table entry as well as the core. A copy past the end of memory is an error. */
static void dma(struct space *s)
{
    static uint64_t entry[32];
    entry[0] = 0xabcdef;
    WRITE64(MP_DMA_BASE + MP_DMA_SOURCE, (uintptr_t)entry);
    WRITE64(MP_DMA_BASE + MP_DMA_TARGET, MP_GPU_MEMORY_BASE + s->pages);
    WRITE64(MP_DMA_BASE + MP_DMA_LENGTH, sizeof entry);
    WRITE32(MP_DMA_BASE + MP_DMA_COMMAND, MP_DMA_COMMAND_START);
    while (READ32(MP_DMA_BASE + MP_DMA_STATUS) & MP_DMA_STATUS_BUSY)
        ;
    CHECK(READ64(MP_GPU_MEMORY_BASE + s->pages) == 0xabcdef);
    WRITE64(MP_DMA_BASE + MP_DMA_TARGET, MP_GPU_MEMORY_BASE + GPU8(MEMORY) - 8);
    WRITE32(MP_DMA_BASE + MP_DMA_COMMAND, MP_DMA_COMMAND_START);
    while (READ32(MP_DMA_BASE + MP_DMA_STATUS) & MP_DMA_STATUS_BUSY)
        ;
    CHECK(READ32(MP_DMA_BASE + MP_DMA_STATUS) & MP_DMA_STATUS_ERROR);
}

int main(void)
{
    struct space s;
    bus_errors();
    gpu_interrupts();
    instances_and_spaces();
    gpu_space(&s, ASID, INSTANCE);
    doorbells(&s);
    page_tables(&s);
    invalidate_while_busy();
    walkers_and_policies();
    dma(&s);
    CHECK(gpu_destroy(INSTANCE) == MP_MGMT_OK);
    printf("end: instruction %ld, %ld traps\n", (long)CSR_READ(minstret), (long)fw_trap.count);
    return 0;
}
