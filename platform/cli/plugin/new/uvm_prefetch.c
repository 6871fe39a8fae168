/* SPDX-License-Identifier: Apache-2.0 */
/* The prefetch design @NAME@ of unified memory: with a page that faulted come the others of its 64 KB, as
 * under sl64. uvm/prefetch.h says what the function has to do. */
#include "engine/plugin.h"
#include "uvm/prefetch.h"

static void pages(const struct mp_uvm_look *block, struct mp_uvm_mask *out)
{
    MP_UVM_EACH_PAGE (p, block->faulted) {
        const uint32_t first = p / block->big * block->big;
        mp_uvm_add_all(out, first, first + block->big);
    }
}

static const struct mp_uvm_prefetch prefetch = {
    .design = {.name = "@NAME@", .title = "the pages of each faulted page's 64 KB"},
    .pages = pages,
};

static const struct mp_plugin_design designs[] = {{"uvm_prefetch", &prefetch}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
