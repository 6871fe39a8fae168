/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/policy/star_set.h"

const struct mp_design_param mp_star_params[] = {
    [MP_STAR_BASE_LATENCY] = MP_TLB_BASE_LATENCY,
    [MP_STAR_STRIDE_LENGTH] =
        {".stride", "sub-entries", NULL, 1, 1, 4, "STAR VI-B",
         "star*: distance between the sub-entries of a base in the stride layout, 1, 2 or 4",
         MP_DESIGN_POWER_OF_TWO},
    [MP_STAR_LONE] = {".lone", NULL, "stride|sequential", MP_STAR_LONE_STRIDE, 0, 0, "mempath",
                      "star, star4, static-star: layout in which an entry with a single sub-entry is shared; "
                      "the paper does not say",
                      0},
    {0},
};

static size_t round_up(size_t bytes, size_t to)
{
    return (bytes + to - 1) / to * to;
}

/* A row has at least as many tags as are compared at a time. */
static uint32_t row_shift_of(uint32_t ways)
{
    uint32_t shift = 2;
    while (1u << shift < ways)
        shift++;
    return shift;
}

/* Tags come first. In a set of up to 8 ways, everything else that a lookup reads, except the frame, is within
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

uint32_t mp_star_keep(uint32_t layout, uint32_t stride)
{
    switch (layout) {
    case MP_STAR_SEQUENTIAL:
        return 7;
    case MP_STAR_STRIDE:
        return 15 & ~stride;
    case MP_STAR_FOUR | MP_STAR_SEQUENTIAL:
        return 3;
    case MP_STAR_FOUR | MP_STAR_STRIDE:
        return 12;
    default:
        return 15;
    }
}

static struct mp_star_place place(uint32_t layout, uint32_t stride, uint32_t shift)
{
    uint32_t keep = mp_star_keep(layout, stride);
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
    const uint32_t shift[MP_STAR_LAYOUTS] = {[MP_STAR_SEQUENTIAL] = 3,
                                             [MP_STAR_STRIDE] = (uint32_t)__builtin_ctz(stride),
                                             [MP_STAR_FOUR | MP_STAR_SEQUENTIAL] = 2};
    for (uint32_t layout = 0; layout < MP_STAR_LAYOUTS; layout++)
        t->place[layout] = place(layout, stride, shift[layout]);
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

/* The first page of a tag's base. */
static uint64_t first_page(uint64_t tag)
{
    return (tag & UINT64_MAX >> 16) * MP_STAR_SUB_ENTRIES;
}

static uint16_t asid_of(uint64_t tag)
{
    return (uint16_t)(tag >> 48);
}

bool mp_star_put(const struct mp_star *t, const struct mp_star_set *s, struct mp_star_at at,
                 const struct mp_star_new *n, struct mp_star_done *done)
{
    uint32_t slot = mp_star_slot(t, s->layout[at.way], at.base, n->index);
    uint64_t *word = &s->word[at.way * MP_STAR_SUB_ENTRIES + slot];
    bool replaced = s->valid[at.way] >> slot & 1 && mp_star_index_of(*word) != n->index;
    if (replaced)
        mp_tlb_leave(done->left, asid_of(n->tag), first_page(n->tag), 0, 1u << mp_star_index_of(*word));
    *word = n->word;
    s->valid[at.way] |= (uint16_t)(1u << slot);
    mp_lru_touch(s->order, t->g.ways, at.way);
    done->insertion.way = at.way;
    return replaced;
}

/* The indices that the slots hold, a bit each. */
static uint32_t indices_of(const uint64_t *word, uint32_t slots)
{
    uint32_t indices = 0;
    for (; slots; slots &= slots - 1)
        indices |= 1u << mp_star_index_of(word[__builtin_ctz(slots)]);
    return indices;
}

/* Stores what one base of the old entry held as base `to` of the way, indices ascending. Returns the indices
 * that found their slot taken, a bit each. */
static uint32_t place_again(const struct mp_star *t, const struct mp_star_set *s, uint32_t way, uint32_t to,
                            const uint64_t *old_word, uint32_t old_valid)
{
    uint64_t by_index[MP_STAR_SUB_ENTRIES];
    uint32_t present = indices_of(old_word, old_valid), lost = 0;
    for (uint32_t left = old_valid; left; left &= left - 1) {
        uint64_t word = old_word[__builtin_ctz(left)];
        by_index[mp_star_index_of(word)] = word;
    }
    for (uint32_t left = present; left; left &= left - 1) {
        uint32_t index = (uint32_t)__builtin_ctz(left);
        uint32_t slot = mp_star_slot(t, s->layout[way], to, index);
        if (s->valid[way] >> slot & 1) {
            lost |= 1u << index;
            continue;
        }
        s->word[way * MP_STAR_SUB_ENTRIES + slot] = by_index[index];
        s->valid[way] |= (uint16_t)(1u << slot);
    }
    return lost;
}

void mp_star_reform(const struct mp_star *t, const struct mp_star_set *s, uint32_t way, uint32_t layout,
                    const uint32_t *keep, uint32_t n, struct mp_tlb_left *left)
{
    uint64_t old_tag[MP_STAR_BASES], old_word[MP_STAR_SUB_ENTRIES];
    uint32_t old_valid[MP_STAR_BASES], lost[MP_STAR_BASES];
    memcpy(old_word, s->word + way * MP_STAR_SUB_ENTRIES, sizeof old_word);
    for (uint32_t base = 0; base < t->bases; base++) {
        uint64_t *tag = mp_star_tag_at(t, s, base, way);
        old_tag[base] = *tag;
        old_valid[base] = *tag == MP_STAR_NO_TAG ? 0 : mp_star_valid(t, s, way, base);
        lost[base] = indices_of(old_word, old_valid[base]);
        *tag = MP_STAR_NO_TAG;
    }
    s->layout[way] = (uint8_t)layout;
    s->valid[way] = 0;
    for (uint32_t base = 0; base < n; base++) {
        uint32_t from = keep[base];
        *mp_star_tag_at(t, s, base, way) = old_tag[from];
        lost[from] = place_again(t, s, way, base, old_word, old_valid[from]);
    }
    for (uint32_t base = 0; base < t->bases; base++)
        mp_tlb_leave(left, asid_of(old_tag[base]), first_page(old_tag[base]), 0, lost[base]);
}

/* A vacant way is the least recent one. */
static void vacate(const struct mp_star *t, const struct mp_star_set *s, uint32_t way)
{
    for (uint32_t base = 0; base < t->bases; base++)
        *mp_star_tag_at(t, s, base, way) = MP_STAR_NO_TAG;
    s->layout[way] = MP_STAR_NOT_SHARED;
    s->valid[way] = 0;
    mp_lru_forget(s->order, t->g.ways, way);
}

static void new_entry(const struct mp_star *t, const struct mp_star_set *s, uint32_t way,
                      const struct mp_star_new *n, struct mp_star_done *done)
{
    *mp_star_tag_at(t, s, 0, way) = n->tag;
    mp_star_put(t, s, (struct mp_star_at){way, 0}, n, done);
}

/* Vacated ways go to the end of the order, so there is a vacant way if the least recent one is vacant. */
bool mp_star_take_vacant(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                         struct mp_star_done *done)
{
    if (s->valid[mp_lru_oldest(s->order, t->g.ways)])
        return false;
    uint32_t way = 0;
    while (s->valid[way])
        way++;
    new_entry(t, s, way, n, done);
    done->insertion.action = "vacant";
    return true;
}

void mp_star_evict(const struct mp_star *t, const struct mp_star_set *s, const struct mp_star_new *n,
                   struct mp_star_done *done)
{
    uint32_t way = mp_lru_oldest(s->order, t->g.ways);
    done->insertion.action = "evict";
    done->insertion.entry_evicted = true;
    done->insertion.evicted_used = (uint32_t)__builtin_popcount(s->valid[way]);
    for (uint32_t base = t->bases; base-- > 0;) {
        uint64_t tag = *mp_star_tag_at(t, s, base, way);
        if (tag == MP_STAR_NO_TAG)
            continue;
        done->insertion.evicted_asid = asid_of(tag);
        mp_tlb_leave(done->left, asid_of(tag), first_page(tag), 0,
                     indices_of(s->word + way * MP_STAR_SUB_ENTRIES, mp_star_valid(t, s, way, base)));
    }
    vacate(t, s, way);
    new_entry(t, s, way, n, done);
}

/* After sub-entries were made invalid: bases without one are removed, and a base that remains alone gets the
 * whole entry, in which every translation of it has a slot. */
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
    if (!bases)
        vacate(t, s, way);
    else if (bases == 1 && s->layout[way] != MP_STAR_NOT_SHARED)
        mp_star_reform(t, s, way, MP_STAR_NOT_SHARED, &last, 1, NULL);
}

uint32_t mp_star_invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
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
    mp_tlb_leave(left, asid, vpn, 0, 1);
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

void mp_star_each_entry(const void *state, uint32_t set, mp_tlb_show *show, void *context)
{
    const struct mp_star *t = state;
    struct mp_star_set s = mp_star_set(t, set);
    for (uint32_t way = 0; way < t->g.ways; way++) {
        struct mp_tlb_entry e = {.way = way, .layout = s.layout[way]};
        for (uint32_t valid = s.valid[way]; valid; valid &= valid - 1) {
            e.slot = (uint32_t)__builtin_ctz(valid);
            e.position = 0;
            while (!(mp_star_slots(t, e.layout, e.position) >> e.slot & 1))
                e.position++;
            uint64_t tag = *mp_star_tag_at(t, &s, e.position, way);
            uint64_t word = s.word[way * MP_STAR_SUB_ENTRIES + e.slot];
            struct mp_tlb_hit hit = mp_tlb_found(word, 0);
            e.asid = asid_of(tag);
            e.tag = tag & UINT64_MAX >> 16;
            e.vpn = first_page(tag) + mp_star_index_of(word);
            e.to = (struct mp_translation){hit.pfn, hit.span};
            show(context, &e);
        }
    }
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

void mp_star_draw(struct mp_star_way *way, const struct mp_tlb_entry *e, uint32_t stride)
{
    uint32_t index = (uint32_t)e->vpn % MP_STAR_SUB_ENTRIES;
    way->layout = e->layout;
    way->base[e->position].valid = true;
    way->base[e->position].asid = e->asid;
    way->base[e->position].base = e->tag;
    way->sub[e->slot].valid = true;
    way->sub[e->slot].aib = aib_of(index, mp_star_keep(e->layout, stride));
    way->sub[e->slot].pfn = e->to.pfn;
}

struct one_way {
    struct mp_star_way *way;
    uint32_t number, stride;
};

static void draw_one(void *context, const struct mp_tlb_entry *e)
{
    const struct one_way *one = context;
    if (e->way == one->number)
        mp_star_draw(one->way, e, one->stride);
}

struct mp_star_way mp_star_view(const struct mp_tlb_policy *policy, const void *state, uint32_t set,
                                uint32_t way, uint32_t stride)
{
    struct mp_star_way view = {.layout = MP_STAR_NOT_SHARED};
    struct one_way one = {&view, way, stride};
    policy->each_entry(state, set, draw_one, &one);
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
