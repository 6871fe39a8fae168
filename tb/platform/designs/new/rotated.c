/* SPDX-License-Identifier: Apache-2.0 */
/* An address map for the tests of this folder: that of the machine, with the banks of the L2 cache numbered
 * from another one. Its state is the value of its parameter. */
#include "map/map.h"

static const struct mp_design_param params[] = {
    {"by", "banks", NULL, 1, 0, 63, "test", "by which the number of a bank is higher", 0}, {0}};

static void init(void *state, const struct mp_design_values *own)
{
    *(uint64_t *)state = own->v[0];
}

static struct mp_map_place place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    const uint64_t *by = state;
    struct mp_map_place p = mp_spread_place(line, banks, sets);
    p.bank = (uint32_t)((p.bank + *by) % banks);
    return p;
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

const struct mp_address_map mp_map_rotated = {
    .design = {.name = "rotated", .title = "banks numbered from another one", .params = params},
    .bytes = sizeof(uint64_t),
    .init = init,
    .place = place,
    .channel = channel,
    .row = row,
};
