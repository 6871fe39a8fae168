/* SPDX-License-Identifier: Apache-2.0 */
/* The "direct method" of NeiDty's paper (Sec. II-C): a miss asks both neighbours at once. */
#include "tlb/neighbour/neighbour.h"

static struct mp_neighbour_ask ask(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    (void)asid;
    (void)vpn;
    return (struct mp_neighbour_ask){.first = 0, .count = (uint8_t)n->peers};
}

const struct mp_neighbour_policy mp_neighbour_direct = {
    .design = {.name = "direct",
               .title = "both neighbours are asked at once",
               .params = mp_neighbour_parameters,
               .counters = &mp_neighbour_metrics},
    .peers = MP_PEERS_SIDES,
    .ask = ask,
};
