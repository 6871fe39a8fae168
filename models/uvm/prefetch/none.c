/* SPDX-License-Identifier: Apache-2.0 */
/* Only the pages that faulted. */
#include "uvm/prefetch.h"

static void pages(const struct mp_uvm_look *block, struct mp_uvm_mask *out)
{
    (void)block, (void)out;
}

const struct mp_uvm_prefetch mp_uvm_prefetch_none = {.design = {.name = "none", .title = "no page"},
                                                     .pages = pages};
