/* SPDX-License-Identifier: Apache-2.0 */
/* The eviction design @NAME@ of unified memory: the 2 MB that were loaded the longest ago leave, as under
 * driver. uvm/evict.h says what each function has to do. */
#include "engine/plugin.h"
#include "uvm/lists.h"

static void loaded(struct mp_uvm_pool *p, uint32_t unit)
{
    mp_uvm_append(p, MP_UVM_FIRST, unit);
}

static void emptied(struct mp_uvm_pool *p, uint32_t unit)
{
    mp_uvm_unlink(p, unit);
}

static uint32_t victims(struct mp_uvm_pool *p, const struct mp_uvm_wanted *wanted,
                        uint32_t victim[MP_UVM_VICTIMS])
{
    victim[0] = mp_uvm_oldest(p, MP_UVM_FIRST, wanted);
    return 1;
}

static const struct mp_uvm_evict evict = {
    .design = {.name = "@NAME@", .title = "2 MB, loaded the longest ago"},
    .unit = MP_UVM_BLOCK_BYTES,
    .loaded = loaded,
    .emptied = emptied,
    .victims = victims,
};

static const struct mp_plugin_design designs[] = {{"uvm_evict", &evict}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
