/* SPDX-License-Identifier: Apache-2.0 */
/* The published functions of two GPUs (Fractional GPUs, Figure 6, and the authors' tables), and machines
 * whose functions are drawn from a seed. */
#include <stdbool.h>
#include <string.h>

#include "map/gf2.h"

#define B(bit) (UINT64_C(1) << (bit))

const struct mp_gf2 mp_gf2_gtx1080 =
    {
        .name = "gtx1080",
        .address_bits = 33,
        .row_shift = 18,
        .modules = 3,
        .banks = 7,
        .sets = 10,
        .module =
            {
                B(10) | B(12) | B(16) | B(20) | B(23) | B(26) | B(29) | B(30),
                B(11) | B(12) | B(13) | B(15) | B(17) | B(20) | B(21) | B(23) | B(25) | B(26) | B(30),
                B(12) | B(13) | B(18) | B(19) | B(22) | B(25) | B(26) | B(27) | B(30) | B(31),
            },
        .bank =
            {
                B(10) | B(12) | B(16) | B(20) | B(23) | B(26) | B(29) | B(30),
                B(11) | B(12) | B(13) | B(15) | B(17) | B(20) | B(21) | B(23) | B(25) | B(26) | B(30),
                B(12) | B(13) | B(18) | B(19) | B(22) | B(25) | B(26) | B(27) | B(30) | B(31),
                B(13) | B(15) | B(20) | B(24) | B(26) | B(29) | B(32),
                B(15) | B(16) | B(21) | B(22) | B(23) | B(25) | B(26) | B(28) | B(29),
                B(16) | B(19) | B(23) | B(27) | B(30),
                B(17) | B(20) | B(22) | B(23) | B(24) | B(27) | B(28) | B(29) | B(31),
            },
        .set =
            {
                B(10) | B(12) | B(16) | B(20) | B(23) | B(26) | B(29) | B(30),
                B(11) | B(12) | B(13) | B(15) | B(17) | B(20) | B(21) | B(23) | B(25) | B(26) | B(30),
                B(12) | B(13) | B(18) | B(19) | B(22) | B(25) | B(26) | B(27) | B(30) | B(31),
                B(7) | B(8) | B(16) | B(17) | B(23) | B(26) | B(31),
                B(8) | B(10) | B(12) | B(16) | B(17) | B(21) | B(24) | B(25) | B(26) | B(27),
                B(9) | B(10) | B(18) | B(25) | B(29) | B(30) | B(31),
                B(13) | B(14) | B(20) | B(23) | B(28) | B(29) | B(30),
                B(14) | B(15) | B(17) | B(20) | B(21) | B(23) | B(24) | B(28) | B(31),
                B(15) | B(16) | B(19) | B(20) | B(23) | B(24) | B(25) | B(26) | B(28) | B(29) | B(30) | B(32),
                B(16) | B(17) | B(18) | B(19) | B(21) | B(22) | B(23) | B(25) | B(27) | B(28) | B(30),
            },
};

const struct mp_gf2 mp_gf2_v100 =
    {
        .name = "v100",
        .address_bits = 34,
        .row_shift = 20,
        .modules = 5,
        .banks = 9,
        .sets = 10,
        .module =
            {
                B(10) | B(13) | B(17) | B(19) | B(24) | B(25) | B(26) | B(29) | B(30) | B(32) | B(33),
                B(11) | B(13) | B(15) | B(23) | B(24) | B(26) | B(27) | B(29) | B(30) | B(31),
                B(12) | B(15) | B(16) | B(18) | B(20) | B(21) | B(23) | B(26) | B(28) | B(29) | B(30),
                B(13) | B(19) | B(20) | B(22) | B(25) | B(27) | B(28) | B(29),
                B(15) | B(18) | B(22) | B(23) | B(26) | B(29) | B(30) | B(31) | B(32) | B(33),
            },
        .bank =
            {
                B(10) | B(11) | B(20) | B(23) | B(25) | B(28) | B(30) | B(33),
                B(11) | B(12) | B(16) | B(20) | B(25) | B(26) | B(29) | B(30) | B(32) | B(33),
                B(12) | B(16) | B(17) | B(19) | B(23) | B(25) | B(26) | B(27) | B(31),
                B(13) | B(24) | B(26) | B(27) | B(28) | B(30) | B(31) | B(33),
                B(15) | B(17) | B(19) | B(20) | B(27) | B(28) | B(30) | B(31) | B(32),
                B(16) | B(19) | B(20) | B(23) | B(27) | B(29) | B(31) | B(33),
                B(17) | B(18) | B(23) | B(24) | B(25) | B(27) | B(28) | B(30) | B(31),
                B(18) | B(21) | B(25) | B(29) | B(32),
                B(19) | B(20) | B(22) | B(24) | B(25) | B(26) | B(29) | B(30) | B(31) | B(33),
            },
        .set =
            {
                B(10) | B(17) | B(20) | B(22) | B(24) | B(26) | B(27) | B(28) | B(30) | B(32) | B(33),
                B(11) | B(12) | B(18) | B(24) | B(26) | B(28) | B(29) | B(30) | B(31) | B(32),
                B(12) | B(13) | B(22) | B(26) | B(27) | B(28) | B(29) | B(30) | B(31) | B(33),
                B(13) | B(14) | B(22) | B(24) | B(30) | B(31) | B(32) | B(33),
                B(15) | B(18) | B(22) | B(23) | B(26) | B(29) | B(30) | B(31) | B(32) | B(33),
                B(7) | B(15) | B(21) | B(23) | B(24) | B(25) | B(28) | B(32),
                B(8) | B(9) | B(15) | B(19) | B(21) | B(23) | B(24) | B(25) | B(28) | B(29) | B(31),
                B(9) |
                    B(15) | B(19) | B(21) | B(22) | B(24) | B(25) | B(26) | B(27) | B(30) | B(31) | B(32) | B(33),
                B(14) | B(19) | B(20) | B(24) | B(25) | B(27) | B(28) | B(29) | B(30) | B(31) | B(32) | B(33),
                B(16) | B(19) | B(21) | B(22) | B(25) | B(26) | B(28) | B(30) | B(32),
            },
};

const struct mp_gf2 *const mp_gf2_machines[] = {&mp_gf2_gtx1080, &mp_gf2_v100, NULL};

const struct mp_gf2 *mp_gf2_find(const char *name)
{
    for (unsigned i = 0; mp_gf2_machines[i]; i++)
        if (!strcmp(mp_gf2_machines[i]->name, name))
            return mp_gf2_machines[i];
    return NULL;
}

/* --- hidden machines --- */

static uint64_t next(uint64_t *x) /* splitmix64 */
{
    uint64_t z = *x += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Address bits as a set, one bit each, in which the lowest comes first. */
static uint64_t range(unsigned first, unsigned last)
{
    return (B(last - first + 1) - 1) << first;
}

/* k bits of a set: the first k of a shuffled list. */
static uint64_t choose(uint64_t *x, unsigned k, uint64_t of)
{
    unsigned list[64], length = 0;
    uint64_t chosen = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        if (of >> bit & 1)
            list[length++] = bit;
    for (unsigned i = 0; i < k; i++) {
        unsigned other = i + (unsigned)(next(x) % (length - i)), bit = list[other];
        list[other] = list[i];
        list[i] = bit;
        chosen |= B(bit);
    }
    return chosen;
}

/* A function for each pivot, which is its lowest bit and never alone. */
static void draw_functions(uint64_t *x, uint64_t pivots, unsigned address_bits, uint64_t *function)
{
    unsigned n = 0;
    for (unsigned p = 0; p < address_bits; p++) {
        uint64_t others = 0;
        if (!(pivots >> p & 1))
            continue;
        while (!others)
            others = next(x) & range(p + 1, address_bits - 1);
        function[n++] = B(p) | others;
    }
}

static void draw(uint64_t *x, struct mp_gf2 *m)
{
    uint64_t module = choose(x, m->modules, range(10, 16));
    uint64_t bank = choose(x, m->banks - m->modules, range(10, m->row_shift - 1) & ~module);
    uint64_t set = range(7, 16) & ~module;
    draw_functions(x, module, m->address_bits, m->module);
    memcpy(m->bank, m->module, sizeof m->module);
    memcpy(m->set, m->module, sizeof m->module);
    draw_functions(x, bank, m->address_bits, m->bank + m->modules);
    draw_functions(x, set, m->address_bits, m->set + m->modules);
}

/* Modules are all that banks and sets have in common. */
static bool is_complete(const struct mp_gf2 *m)
{
    uint64_t both[MP_GF2_BANK + MP_GF2_SET];
    memcpy(both, m->bank, m->banks * sizeof *both);
    memcpy(both + m->banks, m->set, m->sets * sizeof *both);
    return mp_gf2_reduce(both, m->banks + m->sets) == m->banks + m->sets - m->modules;
}

void mp_gf2_hide(struct mp_gf2 *hidden, const struct mp_gf2 *published, uint64_t seed)
{
    *hidden = *published;
    do
        draw(&seed, hidden);
    while (!is_complete(hidden));
}
