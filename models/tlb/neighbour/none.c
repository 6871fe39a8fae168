/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline: L1 TLBs do not ask each other. */
#include "tlb/neighbour/neighbour.h"

static struct mp_neighbour_ask ask(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    (void)n;
    (void)asid;
    (void)vpn;
    return (struct mp_neighbour_ask){0};
}

const struct mp_neighbour_policy mp_neighbour_none = {
    .design = {.name = "none",
               .title = "L1 TLBs do not ask each other",
               .params = mp_neighbour_parameters,
               .counters = &mp_neighbour_metrics},
    .peers = MP_PEERS_NONE,
    .ask = ask,
};
