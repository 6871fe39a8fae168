/* SPDX-License-Identifier: Apache-2.0 */
/* NeiDty-default (Sec. III-C): every answer is stored. */
#include "tlb/neighbour/neighbour.h"

static bool stores(struct mp_neighbour *n, uint16_t asid, uint64_t vpn, uint32_t requests)
{
    (void)n;
    (void)asid;
    (void)vpn;
    (void)requests;
    return true;
}

const struct mp_neighbour_update mp_update_default = {
    .design = {.name = "default", .title = "every answer of a neighbour is stored"},
    .stores = stores,
};
