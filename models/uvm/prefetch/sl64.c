/* SPDX-License-Identifier: Apache-2.0 */
/* All pages of the 64 KB around each page that faulted (Ganguly et al., ISCA 2019: sequential local). */
#include "uvm/prefetch.h"

static void pages(const struct mp_uvm_look *block, struct mp_uvm_mask *out)
{
    MP_UVM_EACH_PAGE (p, block->faulted) {
        const uint32_t from = p / block->big * block->big;
        mp_uvm_add_all(out, from, from + block->big);
    }
}

const struct mp_uvm_prefetch mp_uvm_prefetch_sl64 = {
    .design = {.name = "sl64", .title = "the pages of each faulted page's 64 KB"}, .pages = pages};
