/* SPDX-License-Identifier: Apache-2.0 */
/* Ours: an answer is stored if the directory's entry has a bit set, which the answer before it has set. */
#include "tlb/neighbour/neighbour.h"

/* The entry may have left since the directory named the neighbour. */
static bool stores(struct mp_neighbour *n, uint16_t asid, uint64_t vpn, uint32_t requests)
{
    struct mp_directory_entry *e = mp_neighbour_entry(n, asid, vpn);
    bool again = requests > 1 || (e && e->bits & MP_DIRECTORY_ONCE);
    if (e)
        e->bits = (uint8_t)((e->bits & ~MP_DIRECTORY_ONCE) | (again ? 0 : MP_DIRECTORY_ONCE));
    return again;
}

const struct mp_neighbour_update mp_update_twice_entry = {
    .design = {.name = "twice-entry", .title = "neidty only: every second answer by an entry is stored"},
    .needs_directory = true,
    .stores = stores,
};
