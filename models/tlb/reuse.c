/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "engine/mshr.h"

/*
 * Every followed translation owns one slot of a time line, at the time of its last request. A Fenwick tree
 * counts occupied slots, so that the distance is the number of slots occupied after the previous request. A
 * full time line is compacted, or doubled if more than half of it is occupied.
 */
struct place {
    uint64_t key;
    uint32_t when; /* slot of the time line, +1; 0: this place is free */
};

struct mp_reuse {
    uint64_t limit; /* keys whose hash is below this are followed */
    uint32_t sample;
    uint32_t now, slots; /* next slot; length of the time line */
    uint32_t *tree;      /* Fenwick tree over slots, 1-based */
    uint32_t *owner;     /* index of the place that owns a slot, +1 */
    struct place *place; /* open addressing, linear probing */
    uint32_t mask, used;
};

static void tree_add(struct mp_reuse *r, uint32_t slot, uint32_t change)
{
    for (uint32_t i = slot + 1; i <= r->slots; i += i & -i)
        r->tree[i] += change;
}

static uint32_t tree_sum(const struct mp_reuse *r, uint32_t slot)
{
    uint32_t sum = 0;
    for (uint32_t i = slot; i; i -= i & -i)
        sum += r->tree[i];
    return sum; /* occupied slots below `slot` */
}

struct mp_reuse *mp_reuse_new(uint32_t sample)
{
    struct mp_reuse *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->sample = sample;
    r->limit = UINT64_MAX / sample;
    r->slots = 4096;
    r->mask = 2047;
    r->tree = calloc(r->slots + 1, sizeof *r->tree);
    r->owner = calloc(r->slots, sizeof *r->owner);
    r->place = calloc(r->mask + 1, sizeof *r->place);
    if (!r->tree || !r->owner || !r->place) {
        mp_reuse_free(r);
        return NULL;
    }
    return r;
}

void mp_reuse_free(struct mp_reuse *r)
{
    if (!r)
        return;
    free(r->tree);
    free(r->owner);
    free(r->place);
    free(r);
}

static struct place *find_place(struct mp_reuse *r, uint64_t key)
{
    uint32_t i = (uint32_t)mp_mix(key) & r->mask;
    while (r->place[i].when && r->place[i].key != key)
        i = (i + 1) & r->mask;
    return &r->place[i];
}

/* This memory grows with the number of translations in the sample. */
static void *must(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static void grow_places(struct mp_reuse *r)
{
    struct place *old = r->place;
    uint32_t count = r->mask + 1;
    r->mask = 2 * count - 1;
    r->place = must(calloc(2 * (size_t)count, sizeof *r->place));
    for (uint32_t i = 0; i < count; i++) {
        if (!old[i].when)
            continue;
        struct place *p = find_place(r, old[i].key);
        *p = old[i];
        r->owner[p->when - 1] = (uint32_t)(p - r->place) + 1;
    }
    free(old);
}

static void compact(struct mp_reuse *r)
{
    uint32_t slots = r->used > r->slots / 2 ? 2 * r->slots : r->slots;
    uint32_t *owner = must(calloc(slots, sizeof *owner));
    uint32_t to = 0;
    for (uint32_t from = 0; from < r->slots; from++) {
        if (!r->owner[from])
            continue;
        owner[to] = r->owner[from];
        r->place[owner[to] - 1].when = to + 1;
        to++;
    }
    free(r->owner);
    free(r->tree);
    r->owner = owner;
    r->slots = slots;
    r->tree = must(calloc((size_t)slots + 1, sizeof *r->tree));
    for (uint32_t slot = 0; slot < to; slot++)
        tree_add(r, slot, 1);
    r->now = to;
}

uint64_t mp_reuse_touch(struct mp_reuse *r, uint64_t key)
{
    /* Not the constant of the table's hash, so that the sample fills the table evenly. */
    uint64_t hash = (key ^ key >> 29) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ hash >> 32) * 0x94d049bb133111ebull;
    if (hash > r->limit)
        return MP_REUSE_NONE;
    if (r->now == r->slots)
        compact(r);
    struct place *p = find_place(r, key);
    uint64_t distance = MP_REUSE_NONE;
    if (p->when) {
        uint32_t slot = p->when - 1;
        distance = (uint64_t)(r->used - tree_sum(r, slot + 1)) * r->sample;
        tree_add(r, slot, UINT32_MAX); /* -1 */
        r->owner[slot] = 0;
    } else {
        p->key = key;
        r->used++;
    }
    p->when = r->now + 1;
    r->owner[r->now] = (uint32_t)(p - r->place) + 1;
    tree_add(r, r->now, 1);
    r->now++;
    if (2 * r->used > r->mask)
        grow_places(r);
    return distance;
}
