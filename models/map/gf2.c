/* SPDX-License-Identifier: Apache-2.0 */
#include "map/gf2.h"

#include "map/map.h"

/* --- spans --- */

static uint64_t lead(uint64_t function)
{
    return function & -function;
}

unsigned mp_gf2_reduce(uint64_t *function, unsigned n)
{
    unsigned rank = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t f = function[i];
        for (unsigned k = 0; k < rank; k++)
            if (f & lead(function[k]))
                f ^= function[k];
        for (unsigned k = 0; k < rank; k++)
            if (function[k] & lead(f))
                function[k] ^= f;
        if (!f)
            continue;
        unsigned at = rank++;
        for (; at && lead(function[at - 1]) > lead(f); at--)
            function[at] = function[at - 1];
        function[at] = f;
    }
    return rank;
}

/* --- tables --- */

/* The bank functions that complete the modules: the first ones that are independent of them. */
static uint32_t module_bank(const struct mp_gf2 *m, uint64_t pa)
{
    uint64_t span[MP_GF2_MODULE + MP_GF2_BANK];
    uint32_t number = 0, found = 0, rank = m->modules;
    for (unsigned i = 0; i < rank; i++)
        span[i] = m->module[i];
    mp_gf2_reduce(span, rank);
    for (unsigned i = 0; i < m->banks; i++) {
        span[rank] = m->bank[i];
        if (mp_gf2_reduce(span, rank + 1) == rank)
            continue;
        rank++;
        number |= mp_gf2_number(&m->bank[i], 1, pa) << found++;
    }
    return number;
}

static uint32_t pack(const struct mp_gf2 *m, uint64_t pa)
{
    return mp_gf2_number(m->set, m->sets, pa) | mp_gf2_number(m->module, m->modules, pa) << 10 |
           mp_gf2_number(m->bank, m->banks, pa) << 15 | module_bank(m, pa) << 24;
}

void mp_gf2_tables_init(struct mp_gf2_tables *t, const struct mp_gf2 *machine)
{
    t->row_shift = machine->row_shift;
    for (unsigned part = 0; part < 4; part++) {
        t->part[part][0] = 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            uint32_t one = pack(machine, UINT64_C(1) << (MP_GF2_LINE_SHIFT + 8 * part + bit));
            for (unsigned low = 0; low < 1u << bit; low++)
                t->part[part][1u << bit | low] = t->part[part][low] ^ one;
        }
    }
}

/* --- the designs --- */

enum { FUNCTIONS, SEED }; /* parameters */

struct state {
    struct mp_gf2_tables tables;
    struct mp_gf2 machine;
};

static void init(void *state, const struct mp_gf2 *published, const struct mp_design_values *own)
{
    struct state *s = state;
    s->machine = *published;
    if (own->v[FUNCTIONS])
        mp_gf2_hide(&s->machine, published, own->v[SEED]);
    mp_gf2_tables_init(&s->tables, &s->machine);
}

static void init_gtx1080(void *state, const struct mp_design_values *own)
{
    init(state, &mp_gf2_gtx1080, own);
}

static void init_v100(void *state, const struct mp_design_values *own)
{
    init(state, &mp_gf2_v100, own);
}

static const struct mp_gf2 *hash(const void *state)
{
    const struct state *s = state;
    return &s->machine;
}

static int check(const struct mp_gf2 *m, const struct mp_map_geometry *g, struct mp_error *err)
{
    const struct {
        const char *name;
        uint32_t has, needs;
    } rows[] = {{"line_bytes", g->line_bytes, 1u << MP_GF2_LINE_SHIFT},
                {"banks", g->banks, 1u << m->modules},
                {"sets", g->sets, 1u << (m->sets - m->modules)},
                {"channels", g->channels, 1u << m->modules},
                {"dram_banks", g->dram_banks, 1u << (m->banks - m->modules)},
                {"row_bytes", g->row_bytes, MP_GF2_ROW_BYTES}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].has != rows[i].needs)
            return mp_fail(err, "%s: %u does not suit the hash of %s; %u", rows[i].name, rows[i].has, m->name,
                           rows[i].needs);
    return 0;
}

static int check_gtx1080(const struct mp_map_geometry *g, const struct mp_design_values *own,
                         struct mp_error *err)
{
    (void)own;
    return check(&mp_gf2_gtx1080, g, err);
}

static int check_v100(const struct mp_map_geometry *g, const struct mp_design_values *own,
                      struct mp_error *err)
{
    (void)own;
    return check(&mp_gf2_v100, g, err);
}

/* The L2 is one array of sets that the set functions number; module and set agree because the modules are in
 * the span of the sets. */
static struct mp_map_place place(const void *state, uint32_t line, uint32_t banks, uint32_t sets)
{
    const struct state *s = state;
    const struct mp_gf2_place at = mp_gf2_place(&s->tables, line);
    (void)banks, (void)sets;
    return (struct mp_map_place){at.module, at.set};
}

static uint32_t channel(const void *state, uint64_t pa, uint32_t channels)
{
    const struct state *s = state;
    (void)channels;
    return mp_gf2_place(&s->tables, (uint32_t)(pa >> MP_GF2_LINE_SHIFT)).module;
}

static struct mp_map_row row(const void *state, uint64_t pa, uint32_t channels, uint32_t banks,
                             uint32_t row_bytes)
{
    const struct state *s = state;
    (void)channels, (void)banks, (void)row_bytes;
    return (struct mp_map_row){pa >> s->tables.row_shift,
                               mp_gf2_place(&s->tables, (uint32_t)(pa >> MP_GF2_LINE_SHIFT)).module_bank};
}

/* Both maps have the same parameters. */
static const struct mp_design_param params[] = {
    {.name = ".functions",
     .choices = "published|hidden",
     .source = "Fractional GPUs",
     .text = "the XOR functions of machine.hash as published, or others of the same geometry, "
             "drawn from machine.functions_seed"},
    {.name = ".functions_seed",
     .unit = "",
     .most = UINT64_MAX,
     .source = "mempath",
     .text = "of hidden functions, which reverse engineering has to find"},
    {.name = NULL}};

const struct mp_address_map mp_map_gtx1080 = {
    .design = {.name = "gtx1080",
               .title = "XORs of address bits, as measured on a GTX 1080: 8 modules",
               .params = params},
    .hash = hash,
    .bytes = sizeof(struct state),
    .init = init_gtx1080,
    .check = check_gtx1080,
    .place = place,
    .channel = channel,
    .row = row};

const struct mp_address_map mp_map_v100 = {
    .design = {.name = "v100",
               .title = "XORs of address bits, as measured on a V100: 32 modules",
               .params = params},
    .hash = hash,
    .bytes = sizeof(struct state),
    .init = init_v100,
    .check = check_v100,
    .place = place,
    .channel = channel,
    .row = row};
