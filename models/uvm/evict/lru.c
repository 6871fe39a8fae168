/* SPDX-License-Identifier: Apache-2.0 */
/* The unit whose last touch is the longest ago: of 2 MB, or of a page. */
#include "uvm/lists.h"

static void loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    mp_uvm_append(p, MP_UVM_FIRST, unit);
}

static void touched(struct mp_uvm_pool *p, uint32_t unit, bool access)
{
    (void)access;
    mp_uvm_unlink(p, unit);
    p->unit[unit].order = p->touch;
    mp_uvm_append(p, MP_UVM_FIRST, unit);
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    victim[0] = mp_uvm_oldest(p, MP_UVM_FIRST, wanted);
    return 1;
}

const struct mp_uvm_evict mp_uvm_evict_lru2m = {
    .design = {.name = "lru2m", .title = "2 MB, touched the longest ago"},
    .unit = MP_UVM_BLOCK_BYTES,
    .loaded = loaded,
    .touched = touched,
    .emptied = mp_uvm_unlink,
    .victims = victims,
};

const struct mp_uvm_evict mp_uvm_evict_lru4k = {
    .design = {.name = "lru4k", .title = "a page, touched the longest ago"},
    .loaded = loaded,
    .touched = touched,
    .emptied = mp_uvm_unlink,
    .victims = victims,
};
