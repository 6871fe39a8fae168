/* SPDX-License-Identifier: Apache-2.0 */
/* The address map @NAME@: that of the machine, but `neighbours` neighbouring lines of a cache are in one set.
 * With 1 it is the map spread. map/map.h says what each function has to do. */
#include "engine/plugin.h"
#include "map/map.h"

enum { NEIGHBOURS };
static const struct mp_design_param params[] = {
    [NEIGHBOURS] = {"neighbours", "lines", NULL, 1, 1, 64, "@NAME@", "that share a set", 0},
    {0},
};

struct state {
    uint32_t neighbours;
};

static void init(void *state, const struct mp_design_values *own)
{
    ((struct state *)state)->neighbours = (uint32_t)own->v[NEIGHBOURS];
}

static struct mp_map_place place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    return mp_spread_place(line / ((const struct state *)state)->neighbours, banks, sets);
}

static uint32_t channel(const void *state, uint64_t pa, uint32_t channels)
{
    (void)state;
    return mp_spread_channel(pa, channels);
}

static struct mp_map_row row(const void *state, uint64_t pa, uint32_t channels, uint32_t banks,
                             uint32_t row_bytes)
{
    (void)state;
    return mp_spread_row(pa, channels, banks, row_bytes);
}

static const struct mp_address_map map = {
    .design = {.name = "@NAME@", .title = "neighbouring lines share a set", .params = params},
    .bytes = sizeof(struct state),
    .init = init,
    .place = place,
    .channel = channel,
    .row = row,
};

static const struct mp_plugin_design designs[] = {{"address_map", &map}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "@NAME@", designs, NULL};
