/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu.h"

enum { LEVELS = 4 };
static const unsigned low_bit[LEVELS] = {39, 30, 21, 16};

uint64_t gpu_create(unsigned instance, unsigned slices)
{
    SET4(MIG_INSTANCE, instance);
    SET4(MIG_SLICES, slices);
    SET4(MIG_COMMAND, MP_GPU_MIG_COMMAND_CREATE);
    return GPU4(MIG_STATUS);
}

uint64_t gpu_destroy(unsigned instance)
{
    SET4(MIG_INSTANCE, instance);
    SET4(MIG_COMMAND, MP_GPU_MIG_COMMAND_DESTROY);
    return GPU4(MIG_STATUS);
}

uint64_t gpu_commit(unsigned asid, unsigned instance, uint64_t root)
{
    WRITE64(GPU(AS_ROOT) + 8 * asid, root);
    WRITE32(GPU(AS_CONFIG) + 4 * asid, MP_GPU_AS_CONFIG_VALID | 1u << MP_GPU_AS_CONFIG_PAGE_LOW |
                                           instance << MP_GPU_AS_CONFIG_INSTANCE_LOW);
    SET4(AS_COMMIT, asid);
    return GPU4(AS_STATUS);
}

static uint64_t new_table(struct space *s)
{
    uint64_t table = s->tables;
    s->tables += 4096;
    for (unsigned i = 0; i < 512; i++)
        WRITE64(MP_GPU_MEMORY_BASE + table + 8 * i, 0);
    return table;
}

void gpu_space(struct space *s, unsigned asid, unsigned instance)
{
    uint64_t base = READ64(GPU(MIG_BASE) + 8 * instance), bytes = READ64(GPU(MIG_BYTES) + 8 * instance);
    *s = (struct space){asid, instance, base, base, base + 16 * PAGE_BYTES, base + bytes};
    s->root = new_table(s);
    CHECK(gpu_commit(asid, instance, s->root) == MP_MGMT_OK);
}

uint64_t gpu_map(struct space *s, uint64_t va)
{
    uint64_t table = s->root;
    for (unsigned level = 0;; level++) {
        unsigned bits = level == LEVELS - 1 ? 5 : 9;
        uint64_t at = MP_GPU_MEMORY_BASE + table + 8 * (va >> low_bit[level] & ((1u << bits) - 1));
        uint64_t entry = READ64(at);
        if (level == LEVELS - 1) {
            if (!(entry & PTE_VALID)) {
                WRITE64(at, s->pages | PTE_VALID | PTE_LEAF);
                s->pages += PAGE_BYTES;
            }
            return at;
        }
        if (!(entry & PTE_VALID)) {
            entry = new_table(s) | PTE_VALID;
            WRITE64(at, entry);
        }
        table = entry & ~0xfffull;
    }
}

uint64_t gpu_launch(unsigned instance, unsigned asid, unsigned workload, uint32_t tag)
{
    SET4(RUN_INSTANCE, instance);
    SET4(RUN_ASID, asid);
    SET4(RUN_WORKLOAD, workload);
    SET4(RUN_DOORBELL, tag);
    return GPU4(RUN_STATUS);
}

uint64_t gpu_invalidate(unsigned command, unsigned asid, uint64_t va)
{
    SET4(INV_ASID, asid);
    SET8(INV_VA, va);
    SET4(INV_COMMAND, command);
    while (GPU4(INV_STATUS) & MP_GPU_INV_STATUS_BUSY)
        ;
    return GPU4(INV_STATUS);
}

uint64_t gpu_replay(unsigned asid, bool give_up)
{
    SET4(FAULT_REPLAY, asid | (give_up ? MP_GPU_FAULT_REPLAY_GIVE_UP : 0));
    return GPU4(FAULT_STATUS);
}

uint64_t gpu_cancel(unsigned asid, uint64_t va)
{
    SET8(FAULT_CANCEL_VA, va);
    SET4(FAULT_CANCEL, asid);
    return GPU4(FAULT_STATUS);
}

static volatile uint32_t happened;

static void on_interrupt(unsigned cause)
{
    uint32_t source = READ32(MP_PLIC_BASE + MP_PLIC_CLAIM), status = GPU4(INT_STATUS);
    (void)cause;
    CHECK(source >= MP_GPU_INVALIDATE_IRQ && source <= MP_GPU_QUEUE_IRQ);
    SET4(INT_STATUS, status);
    happened |= status;
    WRITE32(MP_PLIC_BASE + MP_PLIC_CLAIM, source);
}

void gpu_interrupts(void)
{
    fw_interrupt = on_interrupt;
    for (unsigned i = MP_GPU_INVALIDATE_IRQ; i <= MP_GPU_QUEUE_IRQ; i++)
        WRITE32(MP_PLIC_BASE + MP_PLIC_PRIORITY + 4 * (i - 1), 1);
    WRITE32(MP_PLIC_BASE + MP_PLIC_ENABLE, 7u << MP_GPU_INVALIDATE_IRQ);
    SET4(INT_ENABLE, 0xf);
    CSR_SET(mie, MIE_EXTERNAL);
}

/* The core sleeps with interrupts masked, so that no interrupt is taken between the check and the WFI. */
void gpu_wait(uint32_t bits)
{
    while (!(happened & bits)) {
        __asm__ volatile("wfi");
        CSR_SET(mstatus, MSTATUS_MIE);
        CSR_CLEAR(mstatus, MSTATUS_MIE);
    }
    happened &= ~bits;
}

uint64_t gpu_count(unsigned asid, enum mp_mgmt_counter counter)
{
    SET4(COUNT_ASID, asid);
    SET4(COUNT_LATCH, 1);
    CHECK(GPU4(COUNT_STATUS) == MP_MGMT_OK);
    return READ64(GPU(COUNT) + 8 * counter);
}
