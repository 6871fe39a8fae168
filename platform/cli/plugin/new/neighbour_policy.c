/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbour policy @NAME@: a miss of an L1 TLB asks all of its neighbours at once, as under direct.
 * tlb/neighbour/neighbour.h says what the function has to do, and what else a policy may have. All policies
 * have its parameters and counters. */
#include "engine/plugin.h"
#include "tlb/neighbour/neighbour.h"

static struct mp_neighbour_ask ask(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    (void)asid;
    (void)vpn;
    return (struct mp_neighbour_ask){.first = 0, .count = (uint8_t)n->peers};
}

static const struct mp_neighbour_policy policy = {
    .design = {.name = "@NAME@",
               .title = "all neighbours are asked at once",
               .params = mp_neighbour_parameters,
               .counters = &mp_neighbour_metrics},
    .peers = MP_PEERS_SIDES,
    .ask = ask,
};

static const struct mp_plugin_design designs[] = {{"neighbour_policy", &policy}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
