/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/access_counters.h"

#include <stdlib.h>

enum { BIG_BYTES = 65536, BIGS = 32 /* of 2 MB */ };

int mp_access_counters_init(struct mp_access_counters *c, uint32_t counters)
{
    *c = (struct mp_access_counters){.slots = 2 * counters};
    c->at = calloc(c->slots, sizeof *c->at);
    return c->at ? 0 : -1;
}

void mp_access_counters_free(struct mp_access_counters *c)
{
    free(c->at);
    *c = (struct mp_access_counters){0};
}

/* Not 0. */
static uint64_t key_of(unsigned asid, uint64_t va, uint64_t granule_bytes)
{
    return va / granule_bytes << 4 | asid << 1 | 1;
}

static unsigned asid_of(uint64_t key)
{
    return key >> 1 & 7;
}

static uint32_t first_slot(const struct mp_access_counters *c, uint64_t key)
{
    return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (c->slots - 1);
}

static uint32_t after(const struct mp_access_counters *c, uint32_t i)
{
    return (i + 1) & (c->slots - 1);
}

/* The slot with this key, or the free one for it. */
static uint32_t find(const struct mp_access_counters *c, uint64_t key)
{
    uint32_t i = first_slot(c, key);
    while (c->at[i].key && c->at[i].key != key)
        i = after(c, i);
    return i;
}

struct mp_access_counter *mp_access_count(struct mp_access_counters *c, unsigned asid, uint64_t va,
                                          uint64_t granule_bytes)
{
    const uint64_t key = key_of(asid, va, granule_bytes);
    struct mp_access_counter *counter = &c->at[find(c, key)];
    if (!counter->key && c->used == c->slots / 2)
        return NULL;
    c->used += !counter->key;
    counter->key = key;
    counter->count += counter->count < UINT16_MAX;
    counter->met |= UINT32_C(1) << va / BIG_BYTES % BIGS;
    return counter;
}

/* Counters behind it move up, since a search ends at a free slot. */
static void release(struct mp_access_counters *c, uint32_t hole)
{
    for (uint32_t i = after(c, hole); c->at[i].key; i = after(c, i)) {
        const uint32_t probed = (i - first_slot(c, c->at[i].key)) & (c->slots - 1);
        if (probed < ((i - hole) & (c->slots - 1)))
            continue;
        c->at[hole] = c->at[i];
        hole = i;
    }
    c->at[hole] = (struct mp_access_counter){0};
    c->used--;
}

void mp_access_clear(struct mp_access_counters *c, unsigned asid, uint64_t va, uint64_t granule_bytes)
{
    const uint32_t i = find(c, key_of(asid, va, granule_bytes));
    if (c->at[i].key)
        release(c, i);
}

void mp_access_clear_all(struct mp_access_counters *c, unsigned asid)
{
    for (uint32_t i = 0; c->used && i < c->slots; i++)
        while (c->at[i].key && asid_of(c->at[i].key) == asid)
            release(c, i);
}
