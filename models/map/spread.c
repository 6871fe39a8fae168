/* SPDX-License-Identifier: Apache-2.0 */
#include "map/map.h"

static struct mp_map_place place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    (void)state;
    return mp_spread_place(line, banks, sets);
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

const struct mp_address_map mp_map_spread = {
    .design = {.name = "spread", .title = "hashes that spread any stride, for any number of banks"},
    .place = place,
    .channel = channel,
    .row = row};

static struct mp_map_place place_any(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    (void)state;
    uint32_t group, bank = mp_spread(line, banks, &group);
    return (struct mp_map_place){bank, bank * sets + mp_fold(group) % sets};
}

const struct mp_address_map mp_map_spread_any = {
    .design = {.name = "spread", .title = "the same, for any number of sets"},
    .place = place_any,
    .channel = channel,
    .row = row};
