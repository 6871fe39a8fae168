/* SPDX-License-Identifier: Apache-2.0 */
/* NeiDty-twice (Sec. III-C): an answer is stored if the answer before it was for the same page. A register
 * holds that page; hits and answers of the next level do not touch it. */
#include "tlb/neighbour/neighbour.h"

static bool stores(struct mp_neighbour *n, uint16_t asid, uint64_t vpn, uint32_t requests)
{
    bool again = requests > 1 || (n->has_last && n->last.asid == asid && n->last.vpn == vpn);
    n->has_last = !again;
    n->last = (struct mp_neighbour_page){vpn, asid};
    return again;
}

const struct mp_neighbour_update mp_update_twice = {
    .design = {.name = "twice", .title = "the second of two answers in a row for a page is stored"},
    .stores = stores,
};
