/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver's victim: the block that has had pages on the GPU for the longest time. Neither faults nor
 * accesses count (uvm_pmm_gpu.c, pick_root_chunk_to_evict; uvm_va_block.c, block_mark_memory_used).
 */
#include "uvm/lists.h"

static void loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    mp_uvm_append(p, MP_UVM_FIRST, unit);
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    victim[0] = mp_uvm_oldest(p, MP_UVM_FIRST, wanted);
    return 1;
}

const struct mp_uvm_evict mp_uvm_evict_driver = {
    .design = {.name = "driver", .title = "2 MB, loaded the longest ago"},
    .unit = MP_UVM_BLOCK_BYTES,
    .loaded = loaded,
    .emptied = mp_uvm_unlink,
    .victims = victims,
};
