/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/neighbour/topology.h"

#include <stddef.h>

/* A ring of n TLBs whose first one has this place. */
static void ring_from(uint32_t first, uint32_t i, uint32_t n, uint32_t at[MP_SIDES])
{
    at[MP_SIDE_LEFT] = first + (i - first + n - 1) % n;
    at[MP_SIDE_RIGHT] = first + (i - first + 1) % n;
    at[MP_SIDE_UP] = at[MP_SIDE_DOWN] = MP_NO_PLACE;
}

static void ring(uint32_t i, uint32_t n, uint32_t at[MP_SIDES])
{
    ring_from(0, i, n, at);
}

/* With an L1 TLB per SM and two SMs per TPC, the two of a TPC. Without a partner, the last one is alone. */
static void pairs(uint32_t i, uint32_t n, uint32_t at[MP_SIDES])
{
    at[MP_SIDE_LEFT] = i % 2 ? i - 1 : MP_NO_PLACE;
    at[MP_SIDE_RIGHT] = i % 2 == 0 && i + 1 < n ? i + 1 : MP_NO_PLACE;
    at[MP_SIDE_UP] = at[MP_SIDE_DOWN] = MP_NO_PLACE;
}

/* The lower and the upper half of the places. */
static void two_rings(uint32_t i, uint32_t n, uint32_t at[MP_SIDES])
{
    uint32_t half = n / 2;
    if (i < half)
        ring_from(0, i, half, at);
    else
        ring_from(half, i, n - half, at);
}

/* Rows from left to right in the smallest square that has room; it does not wrap around. */
static void mesh(uint32_t i, uint32_t n, uint32_t at[MP_SIDES])
{
    uint32_t width = 1;
    while (width * width < n)
        width++;
    at[MP_SIDE_LEFT] = i % width ? i - 1 : MP_NO_PLACE;
    at[MP_SIDE_RIGHT] = (i + 1) % width && i + 1 < n ? i + 1 : MP_NO_PLACE;
    at[MP_SIDE_UP] = i >= width ? i - width : MP_NO_PLACE;
    at[MP_SIDE_DOWN] = i + width < n ? i + width : MP_NO_PLACE;
}

static const struct mp_topology topology_ring = {"ring", 3, ring}, topology_pairs = {"pairs", 2, pairs},
                                topology_two_rings = {"two-rings", 6, two_rings},
                                topology_mesh = {"mesh", 4, mesh};

const struct mp_topology *const mp_topologies[] = {&topology_ring, &topology_pairs, &topology_two_rings,
                                                   &topology_mesh, NULL};
