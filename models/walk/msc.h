/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory subregion cache (MESC Sec. IV-B): which neighbouring subregions of a frame of 2 MB follow each other
 * in memory; set-associative with LRU. Bit i of a frame's map: subregions i and i + 1 are contiguous, and the
 * head of i + 1 continues that of i.
 */
#ifndef MP_WALK_MSC_H
#define MP_WALK_MSC_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/scope.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_msc {
    uint32_t sets, ways; /* sets: a power of two; 0: there is no cache */
    uint64_t clock;
    struct mp_msc_entry {
        uint64_t frame, stamp; /* stamp 0: vacant */
        uint16_t asid;
        uint8_t map;
    } * entry;
};

/* entry: zeroed room for the entries, a multiple of the ways; their owner frees it. */
void mp_msc_init(struct mp_msc *c, struct mp_msc_entry *entry, uint32_t entries, uint32_t ways);

/* Finds va's frame, and makes it the most recently used. */
bool mp_msc_lookup(struct mp_msc *c, uint16_t asid, uint64_t va, uint8_t *map);
/* Stores a frame's map in place of its old one, in the lowest vacant way, or in the least recently used one.
 */
void mp_msc_insert(struct mp_msc *c, uint16_t asid, uint64_t va, uint8_t map);
/* Forgets the frames that have a page of the scope; returns their number. */
uint32_t mp_msc_invalidate(struct mp_msc *c, const struct mp_scope *scope);

#ifdef __cplusplus
}
#endif
#endif
