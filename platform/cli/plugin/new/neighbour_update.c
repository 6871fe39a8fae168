/* SPDX-License-Identifier: Apache-2.0 */
/* The update policy @NAME@: an L1 TLB stores every answer of a neighbour, as under default.
 * tlb/neighbour/neighbour.h says what the function has to do. It may keep the page of the last answer in
 * n->last. */
#include "engine/plugin.h"
#include "tlb/neighbour/neighbour.h"

static bool stores(struct mp_neighbour *n, uint16_t asid, uint64_t vpn, uint32_t requests)
{
    n->last = (struct mp_neighbour_page){vpn, asid};
    n->has_last = requests > 0;
    return true;
}

static const struct mp_neighbour_update update = {
    .design = {.name = "@NAME@", .title = "every answer of a neighbour is stored"},
    .stores = stores,
};

static const struct mp_plugin_design designs[] = {{"neighbour_update", &update}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
