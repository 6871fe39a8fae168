/* SPDX-License-Identifier: Apache-2.0 */
/* A page of the block at random for each page that faulted (Ganguly et al., ISCA 2019). */
#include "uvm/prefetch.h"

static void pages(const struct mp_uvm_look *block, struct mp_uvm_mask *out)
{
    MP_UVM_EACH_PAGE (p, block->faulted)
        mp_uvm_add(out, block->first + mp_uvm_draw(block->draw, block->end - block->first));
}

const struct mp_uvm_prefetch mp_uvm_prefetch_random = {
    .design = {.name = "random", .title = "a page of the block at random for each faulted page"},
    .pages = pages};
