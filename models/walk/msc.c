/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/msc.h"

#include <stddef.h>

#include "vm/page_format.h"

void mp_msc_init(struct mp_msc *c, struct mp_msc_entry *entry, uint32_t entries, uint32_t ways)
{
    *c = (struct mp_msc){.sets = entries / ways, .ways = ways, .entry = entry};
}

static struct mp_msc_entry *set_of(const struct mp_msc *c, uint64_t frame)
{
    return &c->entry[(frame & (c->sets - 1)) * c->ways];
}

static struct mp_msc_entry *find(const struct mp_msc *c, uint16_t asid, uint64_t frame)
{
    struct mp_msc_entry *set = set_of(c, frame);
    for (uint32_t w = 0; c->sets && w < c->ways; w++)
        if (set[w].stamp && set[w].frame == frame && set[w].asid == asid)
            return &set[w];
    return NULL;
}

bool mp_msc_lookup(struct mp_msc *c, uint16_t asid, uint64_t va, uint8_t *map)
{
    struct mp_msc_entry *e = find(c, asid, va >> MP_CONTIGUITY_SHIFT);
    if (!e)
        return false;
    e->stamp = ++c->clock;
    *map = e->map;
    return true;
}

void mp_msc_insert(struct mp_msc *c, uint16_t asid, uint64_t va, uint8_t map)
{
    uint64_t frame = va >> MP_CONTIGUITY_SHIFT;
    if (!c->sets)
        return;
    struct mp_msc_entry *e = find(c, asid, frame), *set = set_of(c, frame);
    if (!e) {
        e = set;
        for (uint32_t w = 1; w < c->ways; w++)
            if (set[w].stamp < e->stamp)
                e = &set[w];
    }
    *e = (struct mp_msc_entry){.frame = frame, .stamp = ++c->clock, .asid = asid, .map = map};
}

uint32_t mp_msc_invalidate(struct mp_msc *c, const struct mp_scope *s)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < c->sets * c->ways; i++) {
        struct mp_msc_entry *e = &c->entry[i];
        if (!e->stamp || !mp_scope_has(s, e->asid, e->frame << MP_CONTIGUITY_SHIFT, MP_CONTIGUITY_SHIFT))
            continue;
        *e = (struct mp_msc_entry){0};
        gone++;
    }
    return gone;
}
