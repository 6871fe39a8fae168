/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/star_set.h"

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* A row of tags is at least what is compared at a time. */
static uint32_t row_shift_of(uint32_t ways)
{
    uint32_t shift = 2;
    while (1u << shift < ways)
        shift++;
    return shift;
}

/* Tags come first and, in a set of up to 8 ways, all else that a lookup reads but the frame follows within
 * the next cache line. */
static void lay_out(struct mp_star *t, const struct mp_tlb_geometry *g, uint32_t bases)
{
    t->g = *g;
    t->bases = bases;
    t->row_shift = row_shift_of(g->ways);
    uint32_t row = 1u << t->row_shift;
    t->order_at = bases * row * (uint32_t)sizeof(uint64_t);
    t->valid_at = t->order_at + mp_lru_bytes(g->ways);
    t->layout_at = t->valid_at + row * (uint32_t)sizeof(uint16_t);
    t->set_bytes = (uint32_t)round_up(t->layout_at + row, 64);
}

size_t mp_star_bytes(const struct mp_tlb_geometry *g, uint32_t bases)
{
    struct mp_star t;
    lay_out(&t, g, bases);
    size_t words = ((size_t)g->sets << t.row_shift) * MP_STAR_SUB_ENTRIES;
    return round_up(sizeof t, 64) + (size_t)g->sets * t.set_bytes + words * sizeof(uint64_t);
}

static struct mp_star_place place(uint32_t keep, uint32_t shift)
{
    struct mp_star_place p = {.slots = 0, .keep = (uint8_t)keep, .shift = (uint8_t)shift};
    for (uint32_t slot = 0; slot < MP_STAR_SUB_ENTRIES; slot++)
        if (!(slot & ~keep))
            p.slots |= (uint16_t)(1u << slot);
    return p;
}

void mp_star_init(void *state, const struct mp_tlb_geometry *g, uint32_t bases, uint32_t stride)
{
    struct mp_star *t = state;
    lay_out(t, g, bases);
    t->sets = (char *)state + round_up(sizeof *t, 64);
    t->word = (uint64_t *)(t->sets + (size_t)g->sets * t->set_bytes);
    t->place[MP_STAR_NOT_SHARED] = place(15, 0);
    t->place[MP_STAR_SEQUENTIAL] = place(7, 3);
    t->place[MP_STAR_STRIDE] = place(15 & ~stride, (uint32_t)__builtin_ctz(stride));
    t->place[MP_STAR_FOUR | MP_STAR_SEQUENTIAL] = place(3, 2);
    t->place[MP_STAR_FOUR | MP_STAR_STRIDE] = place(12, 0);
    for (uint32_t set = 0; set < g->sets; set++) {
        struct mp_star_set s = mp_star_set(t, set);
        memset(s.tag, 0xff, t->order_at);
        mp_lru_init(s.order, g->ways);
    }
}

bool mp_star_full(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at, uint32_t index)
{
    uint32_t layout = s->layout[at.way];
    if (mp_star_valid(t, s, at.way, at.base) != mp_star_slots(t, layout, at.base))
        return false;
    uint32_t slot = mp_star_slot(t, layout, at.base, index);
    return mp_star_index_of(s->word[at.way * MP_STAR_SUB_ENTRIES + slot]) != index;
}

bool mp_star_put(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                 const struct mp_star_new *n, struct mp_tlb_insertion *done)
{
    uint32_t slot = mp_star_slot(t, s->layout[at.way], at.base, n->index);
    uint64_t *word = &s->word[at.way * MP_STAR_SUB_ENTRIES + slot];
    bool replaced = s->valid[at.way] >> slot & 1 && mp_star_index_of(*word) != n->index;
    if (replaced)
        mp_tlb_lose(done, (uint16_t)(n->tag >> 48), 1);
    *word = n->word;
    s->valid[at.way] |= (uint16_t)(1u << slot);
    mp_lru_touch(s->order, t->g.ways, at.way);
    done->way = at.way;
    return replaced;
}

/* Places what base `from` of the old entry held as base `to` of the way. Returns how much found its slot
 * taken. */
static uint32_t place_anew(const struct mp_star *t, const struct mp_star_set *s, uint32_t way, uint32_t to,
                           const uint64_t *old_word, uint32_t old_valid)
{
    uint64_t by_index[MP_STAR_SUB_ENTRIES];
    uint32_t present = 0, lost = 0;
    for (uint32_t left = old_valid; left; left &= left - 1) {
        uint64_t word = old_word[__builtin_ctz(left)];
        by_index[mp_star_index_of(word)] = word;
        present |= 1u << mp_star_index_of(word);
    }
    for (uint32_t left = present; left; left &= left - 1) {
        uint32_t index = (uint32_t)__builtin_ctz(left);
        uint32_t slot = mp_star_slot(t, s->layout[way], to, index);
        if (s->valid[way] >> slot & 1) {
            lost++;
            continue;
        }
        s->word[way * MP_STAR_SUB_ENTRIES + slot] = by_index[index];
        s->valid[way] |= (uint16_t)(1u << slot);
    }
    return lost;
}

void mp_star_reform(const struct mp_star *t, const struct mp_star_set *s, uint32_t way, uint32_t layout,
                    const uint32_t *keep, uint32_t n, struct mp_tlb_insertion *done)
{
    uint64_t old_tag[MP_STAR_BASES], old_word[MP_STAR_SUB_ENTRIES];
    uint32_t old_valid[MP_STAR_BASES], lost[MP_STAR_BASES];
    memcpy(old_word, s->word + way * MP_STAR_SUB_ENTRIES, sizeof old_word);
    for (uint32_t base = 0; base < t->bases; base++) {
        uint64_t *tag = mp_star_tag_at(t, s, base, way);
        old_tag[base] = *tag;
        old_valid[base] = *tag == MP_STAR_NO_TAG ? 0 : mp_star_valid(t, s, way, base);
        lost[base] = (uint32_t)__builtin_popcount(old_valid[base]);
        *tag = MP_STAR_NO_TAG;
    }
    s->layout[way] = (uint8_t)layout;
    s->valid[way] = 0;
    for (uint32_t base = 0; base < n; base++) {
        uint32_t from = keep[base];
        *mp_star_tag_at(t, s, base, way) = old_tag[from];
        lost[from] = place_anew(t, s, way, base, old_word, old_valid[from]);
    }
    for (uint32_t base = 0; base < t->bases; base++)
        if (lost[base])
            mp_tlb_lose(done, (uint16_t)(old_tag[base] >> 48), lost[base]);
}

/* A way without an entry is the least recent. */
static void vacate(const struct mp_star *t, const struct mp_star_set *s, uint32_t way)
{
    for (uint32_t base = 0; base < t->bases; base++)
        *mp_star_tag_at(t, s, base, way) = MP_STAR_NO_TAG;
    s->layout[way] = MP_STAR_NOT_SHARED;
    s->valid[way] = 0;
    mp_lru_forget(s->order, t->g.ways, way);
}

static void new_entry(const struct mp_star *t, const struct mp_star_set *s, uint32_t way,
                      const struct mp_star_new *n, struct mp_tlb_insertion *done)
{
    *mp_star_tag_at(t, s, 0, way) = n->tag;
    mp_star_put(t, s, (struct mp_star_at){way, 0}, n, done);
}

/* Vacated ways go to the end of the order, so the least recent one tells whether any is vacant. */
bool mp_star_take_vacant(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                         struct mp_tlb_insertion *done)
{
    if (s->valid[mp_lru_oldest(s->order, t->g.ways)])
        return false;
    uint32_t way = 0;
    while (s->valid[way])
        way++;
    new_entry(t, s, way, n, done);
    done->action = "vacant";
    return true;
}

void mp_star_evict(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   struct mp_tlb_insertion *done)
{
    uint32_t way = mp_lru_oldest(s->order, t->g.ways);
    done->entry_evicted = true;
    done->evicted_used = (uint32_t)__builtin_popcount(s->valid[way]);
    for (uint32_t base = t->bases; base-- > 0;) {
        uint64_t tag = *mp_star_tag_at(t, s, base, way);
        if (tag == MP_STAR_NO_TAG)
            continue;
        done->evicted_asid = (uint16_t)(tag >> 48);
        mp_tlb_lose(done, done->evicted_asid, (uint32_t)__builtin_popcount(mp_star_valid(t, s, way, base)));
    }
    vacate(t, s, way);
    new_entry(t, s, way, n, done);
    done->action = "evict";
}

/* After sub-entries were made invalid: bases that have none left go, and a base that stays alone has the
 * entry. */
static void settle(const struct mp_star *t, const struct mp_star_set *s, uint32_t way)
{
    uint32_t bases = 0, last = 0;
    for (uint32_t base = 0; base < t->bases; base++) {
        uint64_t *tag = mp_star_tag_at(t, s, base, way);
        if (*tag != MP_STAR_NO_TAG && !mp_star_valid(t, s, way, base))
            *tag = MP_STAR_NO_TAG;
        if (*tag != MP_STAR_NO_TAG) {
            bases++;
            last = base;
        }
    }
    struct mp_tlb_insertion nothing_lost = {0};
    if (!bases)
        vacate(t, s, way);
    else if (bases == 1 && s->layout[way] != MP_STAR_NOT_SHARED)
        mp_star_reform(t, s, way, MP_STAR_NOT_SHARED, &last, 1, &nothing_lost);
}

uint32_t mp_star_invalidate_page(void *state, uint16_t asid, uint64_t vpn)
{
    const struct mp_star *t = state;
    struct mp_star_set s = mp_star_set_of(t, vpn);
    uint32_t index = (uint32_t)vpn % MP_STAR_SUB_ENTRIES;
    struct mp_star_at at;
    if (!mp_star_find(t, &s, t->bases, mp_star_tag(asid, vpn), &at))
        return 0;
    uint32_t slot = mp_star_slot(t, s.layout[at.way], at.base, index);
    if (!(s.valid[at.way] >> slot & 1) ||
        mp_star_index_of(s.word[at.way * MP_STAR_SUB_ENTRIES + slot]) != index)
        return 0;
    s.valid[at.way] &= (uint16_t) ~(1u << slot);
    settle(t, &s, at.way);
    return 1;
}

uint32_t mp_star_invalidate_asid(void *state, uint16_t asid)
{
    const struct mp_star *t = state;
    uint32_t gone = 0;
    for (uint32_t set = 0; set < t->g.sets; set++) {
        struct mp_star_set s = mp_star_set(t, set);
        for (uint32_t way = 0; way < t->g.ways; way++) {
            uint32_t leave = 0;
            for (uint32_t base = 0; base < t->bases; base++) {
                uint64_t tag = *mp_star_tag_at(t, &s, base, way);
                if (tag != MP_STAR_NO_TAG && tag >> 48 == asid)
                    leave |= mp_star_valid(t, &s, way, base);
            }
            if (!leave)
                continue;
            gone += (uint32_t)__builtin_popcount(leave);
            s.valid[way] &= (uint16_t)~leave;
            settle(t, &s, way);
        }
    }
    return gone;
}

uint32_t mp_star_invalidate_all(void *state)
{
    const struct mp_star *t = state;
    uint32_t gone = 0;
    for (uint32_t set = 0; set < t->g.sets; set++) {
        struct mp_star_set s = mp_star_set(t, set);
        for (uint32_t way = 0; way < t->g.ways; way++) {
            if (!s.valid[way])
                continue;
            gone += (uint32_t)__builtin_popcount(s.valid[way]);
            vacate(t, &s, way);
        }
    }
    return gone;
}

uint64_t mp_star_occupancy(const void *state, uint16_t asid)
{
    const struct mp_star *t = state;
    uint64_t valid = 0;
    for (uint32_t set = 0; set < t->g.sets; set++) {
        struct mp_star_set s = mp_star_set(t, set);
        for (uint32_t way = 0; way < t->g.ways; way++)
            for (uint32_t base = 0; base < t->bases; base++) {
                uint64_t tag = *mp_star_tag_at(t, &s, base, way);
                if (tag != MP_STAR_NO_TAG && tag >> 48 == asid)
                    valid += (uint32_t)__builtin_popcount(mp_star_valid(t, &s, way, base));
            }
    }
    return valid;
}

/* The index bits outside `keep`, moved together. */
static uint8_t aib_of(uint32_t index, uint32_t keep)
{
    uint32_t aib = 0, at = 0;
    for (uint32_t bit = 0; bit < 4; bit++)
        if (!(keep >> bit & 1))
            aib |= (index >> bit & 1) << at++;
    return (uint8_t)aib;
}

struct mp_star_way mp_star_view(const void *state, uint32_t set, uint32_t way)
{
    const struct mp_star *t = state;
    struct mp_star_set s = mp_star_set(t, set);
    struct mp_star_way view = {.layout = s.layout[way]};
    for (uint32_t base = 0; base < t->bases; base++) {
        uint64_t tag = *mp_star_tag_at(t, &s, base, way);
        if (tag == MP_STAR_NO_TAG)
            continue;
        view.base[base].valid = true;
        view.base[base].asid = (uint16_t)(tag >> 48);
        view.base[base].base = tag & UINT64_MAX >> 16;
    }
    for (uint32_t slot = 0; slot < MP_STAR_SUB_ENTRIES; slot++) {
        uint64_t word = s.word[way * MP_STAR_SUB_ENTRIES + slot];
        if (!(s.valid[way] >> slot & 1))
            continue;
        view.sub[slot].valid = true;
        view.sub[slot].aib = aib_of(mp_star_index_of(word), t->place[view.layout].keep);
        view.sub[slot].pfn = word & UINT64_MAX >> 4;
    }
    return view;
}

uint32_t mp_star_ways(const void *state, uint32_t set)
{
    const struct mp_star *t = state;
    return set < t->g.sets ? t->g.ways : 0;
}

uint32_t mp_star_rank(const void *state, uint32_t set, uint32_t way)
{
    const struct mp_star *t = state;
    return mp_lru_rank(mp_star_set(t, set).order, t->g.ways, way);
}
