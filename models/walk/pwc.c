/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/pwc.h"

#include <stdlib.h>

#include "engine/mshr.h"

int mp_pwc_init(struct mp_pwc *c, const struct mp_page_format *const *format, uint32_t entries, uint32_t ways)
{
    *c = (struct mp_pwc){.format = format, .sets = entries / ways, .ways = ways};
    c->entry = calloc(entries ? entries : 1, sizeof *c->entry);
    return c->entry ? 0 : -1;
}

void mp_pwc_free(struct mp_pwc *c)
{
    free(c->entry);
    c->entry = NULL;
}

/* The address's bits down to the level's lowest index bit identify the entry. The level is part of the tag,
 * counted from 1 so that no tag is 0. The lowest bit of an upper level is above bit 13 in every format, so a
 * prefix of 57 bits leaves the low bits free for level and asid. */
static uint64_t tag_of(const struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va)
{
    return va >> c->format[asid]->low_bit[level] << 20 | (uint64_t)asid << 4 | (level + 1);
}

static struct mp_pwc_entry *set_of(const struct mp_pwc *c, uint64_t tag)
{
    return &c->entry[mp_mix(tag) % c->sets * c->ways];
}

static struct mp_pwc_entry *find(const struct mp_pwc *c, uint64_t tag)
{
    struct mp_pwc_entry *set = set_of(c, tag);
    for (uint32_t w = 0; w < c->ways; w++)
        if (set[w].tag == tag)
            return &set[w];
    return NULL;
}

unsigned mp_pwc_lookup(struct mp_pwc *c, uint16_t asid, uint64_t va, uint64_t *entry)
{
    if (!c->sets)
        return 0;
    for (unsigned level = c->format[asid]->levels - 1; level-- > 0;) {
        struct mp_pwc_entry *e = find(c, tag_of(c, asid, level, va));
        if (!e)
            continue;
        e->stamp = ++c->clock;
        *entry = e->entry;
        return level + 1;
    }
    return 0;
}

bool mp_pwc_has(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va)
{
    struct mp_pwc_entry *e = find(c, tag_of(c, asid, level, va));
    if (e)
        e->stamp = ++c->clock;
    return e;
}

bool mp_pwc_holds(const struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va)
{
    return c->sets && find(c, tag_of(c, asid, level, va));
}

unsigned mp_pwc_peek(const struct mp_pwc *c, uint16_t asid, uint64_t va)
{
    unsigned level = c->format[asid]->levels - 1;
    while (level && !mp_pwc_holds(c, asid, level - 1, va))
        level--;
    return level;
}

void mp_pwc_fill(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va, uint64_t entry)
{
    mp_pwc_fill_halves(c, asid, level, va, entry, 0);
}

uint64_t mp_pwc_second_half(const struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va)
{
    const struct mp_pwc_entry *e = find(c, tag_of(c, asid, level, va));
    return e ? e->half : 0;
}

void mp_pwc_fill_halves(struct mp_pwc *c, uint16_t asid, unsigned level, uint64_t va, uint64_t entry,
                        uint64_t half)
{
    if (!c->sets)
        return;
    uint64_t tag = tag_of(c, asid, level, va);
    struct mp_pwc_entry *e = find(c, tag);
    if (!e) {
        struct mp_pwc_entry *set = set_of(c, tag);
        e = set;
        for (uint32_t w = 1; w < c->ways; w++)
            if (set[w].stamp < e->stamp)
                e = &set[w];
    }
    *e = (struct mp_pwc_entry){.tag = tag, .entry = entry, .stamp = ++c->clock, .half = half};
}

static bool concerns(const struct mp_pwc *c, uint64_t tag, const struct mp_scope *s)
{
    uint16_t asid = (uint16_t)(tag >> 4);
    uint8_t low_bit = c->format[asid]->low_bit[(tag & 15) - 1];
    return mp_scope_has(s, asid, tag >> 20 << low_bit, low_bit);
}

uint32_t mp_pwc_invalidate(struct mp_pwc *c, const struct mp_scope *s)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < c->sets * c->ways; i++)
        if (c->entry[i].tag && concerns(c, c->entry[i].tag, s)) {
            c->entry[i] = (struct mp_pwc_entry){0};
            gone++;
        }
    return gone;
}
