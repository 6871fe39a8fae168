/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring lines to neighbouring banks in turn, and a bank's lines to neighbouring sets, by remainders:
 * as MGPUSim interleaves its L2 caches and memories, 128 bytes at a time. Strides meet few banks and sets. */
#include "map/map.h"

enum { CHANNEL_BYTES = 128 };

enum { LINES }; /* parameters */

struct state {
    uint32_t lines; /* neighbours that go to a bank together */
};

static void init(void *state, const struct mp_design_values *own)
{
    struct state *s = state;
    s->lines = (uint32_t)own->v[LINES];
}

static struct mp_map_place place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    const struct state *s = state;
    uint32_t unit = line / s->lines, bank = unit % banks;
    uint32_t of_bank = unit / banks * s->lines + line % s->lines;
    return (struct mp_map_place){bank, bank * sets + mp_set_of(of_bank, sets)};
}

static uint32_t channel(const void *state, uint64_t pa, uint32_t channels)
{
    (void)state;
    return (uint32_t)(pa / CHANNEL_BYTES % channels);
}

static struct mp_map_row row(const void *state, uint64_t pa, uint32_t channels, uint32_t banks,
                             uint32_t row_bytes)
{
    (void)state;
    uint64_t row = pa / ((uint64_t)row_bytes * channels);
    return (struct mp_map_row){row, (uint32_t)(row % banks)};
}

static const struct mp_design_param params[] = {
    {"lines", "lines", NULL, 2, 1, 64, "MGPUSim", "neighbouring lines that one bank holds", 0}, {0}};

const struct mp_address_map mp_map_interleaved = {
    .design = {.name = "interleaved",
               .title = "banks, sets and channels in turn, by remainders",
               .params = params},
    .bytes = sizeof(struct state),
    .init = init,
    .place = place,
    .channel = channel,
    .row = row};
