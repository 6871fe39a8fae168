/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address maps: where a physical address goes. A map gives the bank and the set of a data cache that hold a
 * line, the channel that serves an address, and the bank and the row of that channel. Caches identify lines
 * by their whole numbers, so a map is never inverted.
 *
 * A map must place every address of the memory: each line in exactly one bank and set, and in each row of a
 * channel's bank no more bytes than a row has.
 */
#ifndef MP_MAP_MAP_H
#define MP_MAP_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/design.h"
#include "map/spread.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_gf2;

/* The banks, sets, channels and rows among which a map divides the memory. */
struct mp_map_geometry {
    uint32_t line_bytes;
    uint32_t banks, sets;                     /* of the last data cache; sets of one bank */
    uint32_t channels, dram_banks, row_bytes; /* banks of one channel; row_bytes of one bank */
};

/* A design of a map. Its functions must give every address of the memory one place. */
struct mp_address_map {
    struct mp_design design;
    /* The functions of an XOR map, which has colours: its links, channels and L2 banks are its modules. NULL
     * for other maps. */
    const struct mp_gf2 *(*hash)(const void *state);
    /* State, such as masks of address bits, computed from the design's parameters. init is NULL if there is
     * no state. */
    size_t bytes;
    void (*init)(void *state, const struct mp_design_values *own);
    /* Whether the map suits a machine: 0, or -1 with a message that begins with the name of a parameter and a
     * colon. NULL if it suits every machine. */
    int (*check)(const struct mp_map_geometry *g, const struct mp_design_values *own, struct mp_error *err);
    /* The place of a line in a cache. */
    struct mp_map_place (*place)(const void *state, uint32_t line, uint32_t banks, uint32_t sets);
    /* The channel of an address, below `channels`; also the link of a cache to the level below. */
    uint32_t (*channel)(const void *state, uint64_t pa, uint32_t channels);
    /* The place of an address in its channel. */
    struct mp_map_row (*row)(const void *state, uint64_t pa, uint32_t channels, uint32_t banks,
                             uint32_t row_bytes);
};

#define MP_ADDRESS_MAP_NEEDS(EACH, WITH) EACH(place), EACH(channel), EACH(row)

extern const struct mp_address_map mp_map_spread;
/* The same for any number of sets. It is slower: a cache takes it in place of mp_map_spread if it needs it,
 * and it is not in mp_address_maps. */
extern const struct mp_address_map mp_map_spread_any;
extern const struct mp_address_map *mp_address_maps[]; /* ends with NULL */
extern const struct mp_design *mp_address_map_designs[];

const struct mp_address_map *mp_address_map_find(const char *name); /* NULL if there is none */

/* A map in use. As a parameter of a block, all zero means mp_map_spread. */
struct mp_map {
    const struct mp_address_map *kind;
    void *state; /* must outlive the blocks that use the map */
};

/* Returns -1 if memory runs out. */
int mp_map_init(struct mp_map *m, const struct mp_address_map *kind, const struct mp_design_values *own);
void mp_map_free(struct mp_map *m);
/* The functions of an XOR map; NULL if it is another one. */
static inline const struct mp_gf2 *mp_map_hash(const struct mp_map *m)
{
    return m->kind->hash ? m->kind->hash(m->state) : NULL;
}
/* The same map, or mp_map_spread if it is all zero. */
struct mp_map mp_map_or_default(struct mp_map map);

/* The default map is inline, because each access to a cache asks for a place. The hottest paths ask for this
 * map first, and leave the others to a function apart: a call that may happen makes a path slower. */
static inline bool mp_map_is_inline(const struct mp_map *m)
{
    return m->kind == &mp_map_spread;
}

static inline struct mp_map_place mp_map_place(const struct mp_map *m, uint32_t line, uint32_t banks,
                                               uint32_t sets)
{
    return mp_map_is_inline(m) ? mp_spread_place(line, banks, sets)
                               : m->kind->place(m->state, line, banks, sets);
}

static inline uint32_t mp_map_channel(const struct mp_map *m, uint64_t pa, uint32_t channels)
{
    return mp_map_is_inline(m) ? mp_spread_channel(pa, channels) : m->kind->channel(m->state, pa, channels);
}

static inline struct mp_map_row mp_map_row(const struct mp_map *m, uint64_t pa, uint32_t channels,
                                           uint32_t banks, uint32_t row_bytes)
{
    return mp_map_is_inline(m) ? mp_spread_row(pa, channels, banks, row_bytes)
                               : m->kind->row(m->state, pa, channels, banks, row_bytes);
}

#ifdef __cplusplus
}
#endif
#endif
