/* SPDX-License-Identifier: Apache-2.0 */
/* Valkyrie's probing (NeiDty, Sec. IV-A): a probe goes round the TLBs of a group until one has the page. */
#include "tlb/neighbour/neighbour.h"

static struct mp_neighbour_ask ask(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    (void)asid;
    (void)vpn;
    return (struct mp_neighbour_ask){.first = 0, .count = (uint8_t)n->peers, .in_turn = true};
}

const struct mp_neighbour_policy mp_neighbour_ring = {
    .design = {.name = "ring",
               .title = "a probe goes round the TLBs of a group, as in Valkyrie",
               .params = mp_neighbour_parameters,
               .counters = &mp_neighbour_metrics},
    .peers = MP_PEERS_GROUP,
    .ask = ask,
};
