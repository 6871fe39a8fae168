/* SPDX-License-Identifier: Apache-2.0 */
/* NeiDty (Sec. III-B): a miss asks the neighbour that the directory names, the left one if it names both. */
#include "tlb/neighbour/neighbour.h"

static struct mp_neighbour_ask ask(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    uint8_t named = mp_neighbour_named(n, asid, vpn), first = 0;
    if (!named)
        return (struct mp_neighbour_ask){0};
    while (!(named & n->bit_of[first]))
        first++;
    return (struct mp_neighbour_ask){.first = first, .count = 1};
}

const struct mp_neighbour_policy mp_neighbour_neidty = {
    .design = {.name = "neidty",
               .title = "the neighbour that a directory names is asked",
               .params = mp_neighbour_parameters,
               .counters = &mp_neighbour_metrics},
    .peers = MP_PEERS_SIDES,
    .has_directory = true,
    .ask = ask,
};
