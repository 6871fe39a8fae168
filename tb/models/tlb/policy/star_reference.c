/* SPDX-License-Identifier: Apache-2.0 */
#include "star_reference.h"

#include <string.h>

/* The bit of the index that distinguishes the slots of two bases. */
static uint32_t position_bit(const struct reference *r, const struct ref_entry *e)
{
    if (!e->stride)
        return 3;
    if (!strcmp(r->policy, "star4"))
        return 0;
    return r->g.own.v[MP_STAR_STRIDE_LENGTH] == 4 ? 2 : r->g.own.v[MP_STAR_STRIDE_LENGTH] == 2 ? 1 : 0;
}

/* Indices of one base for which this is the same have the same slot. */
static uint32_t line_of(const struct reference *r, const struct ref_entry *e, uint32_t i)
{
    switch (e->mode) {
    case 1:
        return i;
    case 2:
        return i - (i / (1u << position_bit(r, e)) % 2) * (1u << position_bit(r, e));
    default:
        return e->stride ? i / 4 : i % 4;
    }
}

static uint32_t count(const struct ref_base *b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; b->present && i < 16; i++)
        n += b->has[i];
    return n;
}

static uint32_t count_entry(const struct ref_entry *e)
{
    return count(&e->base[0]) + count(&e->base[1]) + count(&e->base[2]) + count(&e->base[3]);
}

static uint32_t bases(const struct ref_entry *e)
{
    return (uint32_t)e->base[0].present + e->base[1].present + e->base[2].present + e->base[3].present;
}

static void lose(struct inserted *done, const struct ref_base *b, uint32_t index)
{
    mp_tlb_leave(&done->left, b->asid, b->base * 16 + index, 0, 1);
}

static void drop_base(struct ref_base *b, struct inserted *done)
{
    for (uint32_t i = 0; b->present && i < 16; i++)
        if (b->has[i])
            lose(done, b, i);
    memset(b, 0, sizeof *b);
}

/* Of a base's indices that share a slot in the entry's present layout, the lowest stays. */
static void thin(const struct reference *r, const struct ref_entry *e, struct ref_base *b,
                 struct inserted *done)
{
    for (uint32_t i = 0; i < 16; i++)
        for (uint32_t j = 0; j < i; j++)
            if (b->present && b->has[i] && b->has[j] && line_of(r, e, i) == line_of(r, e, j)) {
                b->has[i] = false;
                lose(done, b, i);
            }
}

static struct ref_entry *set_of(const struct reference *r, uint64_t vpn)
{
    return &r->entry[vpn / 16 % r->g.sets * r->g.ways];
}

static struct ref_base *find(const struct reference *r, uint16_t asid, uint64_t vpn, struct ref_entry **entry,
                             uint32_t *position)
{
    struct ref_entry *set = set_of(r, vpn);
    for (uint32_t w = 0; w < r->g.ways; w++)
        for (uint32_t b = 0; b < 4; b++)
            if (set[w].base[b].present && set[w].base[b].asid == asid && set[w].base[b].base == vpn / 16) {
                *entry = &set[w];
                *position = b;
                return &set[w].base[b];
            }
    return NULL;
}

struct mp_tlb_hit ref_lookup(struct reference *r, uint16_t asid, uint64_t vpn)
{
    struct ref_entry *e, *set = set_of(r, vpn);
    uint32_t position = 0;
    struct ref_base *b = find(r, asid, vpn, &e, &position);
    if (!b)
        for (uint32_t w = 0; w < r->g.ways; w++)
            for (uint32_t p = 0; p < 4; p++)
                if (set[w].base[p].present && p > position)
                    position = p;
    struct mp_tlb_hit hit = {.cycles = r->g.latency + position * (uint32_t)r->g.own.v[MP_STAR_BASE_LATENCY]};
    if (!b || !b->has[vpn % 16])
        return hit;
    hit.found = true;
    hit.pfn = b->pfn[vpn % 16];
    e->used = ++r->time;
    return hit;
}

static void write(struct reference *r, struct ref_entry *e, struct ref_base *b, uint32_t i, uint64_t pfn)
{
    b->has[i] = true;
    b->pfn[i] = pfn;
    e->used = ++r->time;
}

/* The other index of the base in the slot of i, or -1. */
static int occupant(const struct reference *r, const struct ref_entry *e, const struct ref_base *b,
                    uint32_t i)
{
    for (uint32_t j = 0; j < 16; j++)
        if (j != i && b->has[j] && line_of(r, e, j) == line_of(r, e, i))
            return (int)j;
    return -1;
}

static bool replace(const struct reference *r, const struct ref_entry *e, struct ref_base *b, uint32_t i,
                    struct inserted *done)
{
    int other = b->has[i] ? -1 : occupant(r, e, b, i);
    if (other < 0)
        return false;
    b->has[other] = false;
    lose(done, b, (uint32_t)other);
    return true;
}

static void rule_1(struct reference *r, struct ref_entry *e, uint32_t position, uint32_t i, uint64_t pfn,
                   struct inserted *done)
{
    struct ref_base *b = &e->base[position];
    if (e->mode == 1 || b->has[i] || count(b) < 16 / e->mode) {
        done->in.action = replace(r, e, b, i, done) ? "replace" : "update";
        write(r, e, b, i, pfn);
        return;
    }
    if (e->mode == 2) {
        struct ref_base grown = *b;
        drop_base(&e->base[1 - position], done);
        memset(e->base, 0, sizeof e->base);
        e->base[0] = grown;
        e->mode = 1;
        e->stride = false;
        done->in.action = "revert";
        write(r, e, &e->base[0], i, pfn);
        return;
    }
    uint32_t best = 4;
    for (uint32_t p = 0; p < 4; p++)
        if (p != position && e->base[p].present && (best == 4 || count(&e->base[p]) > count(&e->base[best])))
            best = p;
    for (uint32_t p = 0; p < 4; p++)
        if (p != position && p != best)
            drop_base(&e->base[p], done);
    struct ref_base low = e->base[best < position ? best : position];
    struct ref_base high = e->base[best < position ? position : best];
    memset(e->base, 0, sizeof e->base);
    e->base[0] = low;
    e->base[1] = high;
    e->mode = 2;
    thin(r, e, &e->base[0], done);
    thin(r, e, &e->base[1], done);
    b = &e->base[best < position];
    replace(r, e, b, i, done);
    done->in.action = "revert4";
    write(r, e, b, i, pfn);
}

static bool eligible(const struct ref_entry *e, int rule)
{
    if (rule == 3)
        return e->mode == 1 && count(&e->base[0]) < 8;
    if (e->mode == 1 || bases(e) == 4)
        return false;
    for (uint32_t p = 0; p < 4; p++)
        if (e->base[p].present && count(&e->base[p]) > 3)
            return false;
    return true;
}

static bool has_asid(const struct ref_entry *e, uint16_t asid)
{
    for (uint32_t p = 0; p < 4; p++)
        if (e->base[p].present && e->base[p].asid == asid)
            return true;
    return false;
}

/* Two passes: those of the same address space, then all. */
static struct ref_entry *candidate(const struct reference *r, struct ref_entry *set, uint16_t asid, int rule)
{
    for (int same = 1; same >= 0; same--) {
        struct ref_entry *best = NULL;
        for (uint32_t w = 0; w < r->g.ways; w++)
            if (eligible(&set[w], rule) && (!same || has_asid(&set[w], asid)) &&
                (!best || count_entry(&set[w]) < count_entry(best)))
                best = &set[w];
        if (best)
            return best;
    }
    return NULL;
}

static bool has_gap(const struct ref_base *b)
{
    uint32_t ends = 0; /* of runs */
    for (uint32_t i = 0; i < 16; i++)
        ends += b->has[i] && (i == 15 || !b->has[i + 1]);
    return ends > 1;
}

static void join(struct reference *r, struct ref_entry *e, uint32_t position, uint16_t asid, uint64_t vpn,
                 uint64_t pfn)
{
    e->base[position] = (struct ref_base){.present = true, .asid = asid, .base = vpn / 16};
    write(r, e, &e->base[position], vpn % 16, pfn);
}

static void share_two(struct reference *r, struct ref_entry *e, struct inserted *done)
{
    e->stride =
        count(&e->base[0]) > 1 ? has_gap(&e->base[0]) : r->g.own.v[MP_STAR_LONE] != MP_STAR_LONE_SEQUENTIAL;
    if (!strcmp(r->policy, "star-sequential"))
        e->stride = false;
    if (!strcmp(r->policy, "star-stride"))
        e->stride = true;
    e->mode = 2;
    thin(r, e, &e->base[0], done);
    done->in.action = e->stride ? "share-stride" : "share-sequential";
}

static void share_four(struct reference *r, struct ref_entry *e, struct inserted *done)
{
    e->mode = 4;
    for (uint32_t p = 0; p < 4; p++)
        thin(r, e, &e->base[p], done);
    done->in.action = "share4";
}

struct inserted ref_insert(struct reference *r, uint16_t asid, uint64_t vpn, uint64_t pfn)
{
    struct inserted done = {.in = {0}};
    struct ref_entry *set = set_of(r, vpn), *e = NULL;
    uint32_t position = 0;
    if (find(r, asid, vpn, &e, &position)) {
        rule_1(r, e, position, vpn % 16, pfn, &done);
        done.in.way = (uint32_t)(e - set);
        return done;
    }
    for (uint32_t w = r->g.ways; w-- > 0;)
        if (!bases(&set[w])) {
            e = &set[w];
            e->mode = 1;
            done.in.action = "vacant";
        }
    if (!e && (e = candidate(r, set, asid, 3))) {
        share_two(r, e, &done);
        position = 1;
    }
    if (!e && !strcmp(r->policy, "star4") && (e = candidate(r, set, asid, 4))) {
        share_four(r, e, &done);
        while (e->base[position].present)
            position++;
    }
    if (!e) {
        e = set;
        for (uint32_t w = 1; w < r->g.ways; w++)
            if (set[w].used < e->used)
                e = &set[w];
        done.in.action = "evict";
        done.in.entry_evicted = true;
        done.in.evicted_used = count_entry(e);
        for (uint32_t p = 4; p-- > 0;)
            if (e->base[p].present) {
                done.in.evicted_asid = e->base[p].asid;
                drop_base(&e->base[p], &done);
            }
        *e = (struct ref_entry){.mode = 1};
    }
    done.in.way = (uint32_t)(e - set);
    join(r, e, position, asid, vpn, pfn);
    return done;
}

uint32_t ref_invalidate(struct reference *r, enum ref_what what, uint16_t asid, uint64_t vpn)
{
    uint32_t gone = 0;
    for (uint32_t n = 0; n < r->g.sets * r->g.ways; n++) {
        struct ref_entry *e = &r->entry[n];
        for (uint32_t p = 0; p < 4; p++) {
            struct ref_base *b = &e->base[p];
            for (uint32_t i = 0; i < 16; i++)
                if (b->present && b->has[i] && (what == REF_ALL || b->asid == asid) &&
                    (what != REF_PAGE || b->base * 16 + i == vpn)) {
                    b->has[i] = false;
                    gone++;
                }
            if (!count(b))
                memset(b, 0, sizeof *b);
        }
        struct ref_base only = {0};
        for (uint32_t p = 0; p < 4; p++)
            if (e->base[p].present)
                only = e->base[p];
        if (bases(e) <= 1) {
            memset(e->base, 0, sizeof e->base);
            e->base[0] = only;
            e->mode = 1;
            e->stride = false;
        }
    }
    return gone;
}

uint64_t ref_occupancy(const struct reference *r, uint16_t asid)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < r->g.sets * r->g.ways; i++)
        for (uint32_t p = 0; p < 4; p++)
            if (r->entry[i].base[p].asid == asid)
                n += count(&r->entry[i].base[p]);
    return n;
}

static void locate(const struct reference *r, const struct ref_entry *e, uint32_t position, uint32_t i,
                   uint32_t *slot, uint32_t *aib)
{
    uint32_t k = position_bit(r, e);
    *slot = i;
    *aib = 0;
    if (e->mode == 2) {
        *slot = line_of(r, e, i) + (position << k);
        *aib = i >> k & 1;
    } else if (e->mode == 4) {
        *slot = e->stride ? i / 4 * 4 + position : position * 4 + i % 4;
        *aib = e->stride ? i % 4 : i / 4;
    }
}

struct mp_star_way ref_view(const struct reference *r, uint32_t set, uint32_t way)
{
    const struct ref_entry *e = &r->entry[set * r->g.ways + way];
    struct mp_star_way v = {0};
    if (e->mode > 1)
        v.layout = (uint8_t)((e->stride ? 2 : 1) + (e->mode == 4 ? 4 : 0));
    for (uint32_t p = 0; p < 4; p++) {
        const struct ref_base *b = &e->base[p];
        if (!b->present)
            continue;
        v.base[p].valid = true;
        v.base[p].asid = b->asid;
        v.base[p].base = b->base;
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t slot, aib;
            if (!b->has[i])
                continue;
            locate(r, e, p, i, &slot, &aib);
            v.sub[slot].valid = true;
            v.sub[slot].aib = (uint8_t)aib;
            v.sub[slot].pfn = b->pfn[i];
        }
    }
    return v;
}
