/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distance prefetching: after Kandiraju and Sivasubramaniam, "Going the Distance for TLB Prefetching" (ISCA
 * 2002), of which only the public abstract was at hand; the rules are those of the design as it is
 * remembered, and what a GPU with several address spaces needs beyond them was chosen here.
 *
 * The distance of a miss is its page less the page of the miss before. A table has a row for a distance, with
 * the distances that have followed it. So one row predicts wherever the pattern occurs.
 *
 * 1. Each address space has the page of its last miss, and the distance of it. Misses of different address
 * spaces have no distance from each other.
 * 2. The first miss of an address space sets the page. A miss for the page of the last miss is passed over.
 * 3. Any other miss has a distance, D. If the table has a row of the address space for D, it becomes the most
 *    recent of its set, and each distance in it, the most recent first, names the page that is so far from
 * the miss.
 * 4. If the last miss had a distance, L, then D becomes the most recent distance in the row for L. A row that
 * the table does not have is made without distances, in place of the least recently used one of its set, and
 * becomes the most recent. A row that is full loses its least recently used distance.
 * 5. D and the page are those of the last miss from now on.
 *
 * The set of a row is its distance modulo the number of sets, of two's complement. All address spaces use one
 * table; a row belongs to one of them. A use of a page in the prefetch buffer is a miss here.
 */
#include <stdbool.h>
#include <string.h>

#include "engine/lru.h"
#include "tlb/prefetch/prefetcher.h"

#define MOST_SLOTS 8u
#define MOST_WAYS  MP_LRU_WORD_WAYS

enum { ROWS, WAYS, SLOTS };

static const struct mp_design_param params[] = {
    [ROWS] = {"rows", "rows", NULL, 256, 1, 65536, "mempath", "of the table of distances, a power of two",
              MP_DESIGN_POWER_OF_TWO},
    [WAYS] = {"ways", "ways", NULL, 4, 1, MOST_WAYS, "mempath",
              "associativity of the table, a power of two; at most its rows", MP_DESIGN_POWER_OF_TWO},
    [SLOTS] = {"slots", "distances", NULL, 2, 1, MOST_SLOTS, "Kandiraju 2002, as remembered",
               "that a row holds: pages that a miss prefetches, at most", 0},
    {0},
};

struct row {
    int64_t distance, next[MOST_SLOTS]; /* next: the most recent first */
    uint8_t asid, slots;                /* slots: that are used */
    bool valid;
};

struct last { /* miss of an address space */
    uint64_t page;
    int64_t distance;
    bool missed, moved; /* there was one; it has a distance */
};

struct distance {
    uint32_t sets, ways, slots;
    struct last last[MP_ASIDS];
    uint64_t *order; /* of each set */
    struct row row[];
};

static uint32_t ways_of(const struct mp_design_values *own)
{
    return (uint32_t)(own->v[WAYS] < own->v[ROWS] ? own->v[WAYS] : own->v[ROWS]);
}

static size_t bytes(const struct mp_design_values *own)
{
    size_t rows = own->v[ROWS];
    return sizeof(struct distance) + rows * sizeof(struct row) + rows / ways_of(own) * sizeof(uint64_t);
}

static void init(void *state, const struct mp_design_values *own)
{
    struct distance *d = state;
    d->ways = ways_of(own);
    d->sets = (uint32_t)own->v[ROWS] / d->ways;
    d->slots = (uint32_t)own->v[SLOTS];
    d->order = (uint64_t *)(void *)&d->row[own->v[ROWS]];
    for (uint32_t s = 0; s < d->sets; s++)
        mp_lru_init(&d->order[s], d->ways);
}

static uint32_t set_of(const struct distance *d, int64_t distance)
{
    return (uint32_t)((uint64_t)distance & (d->sets - 1));
}

/* The row, which becomes the most recent of its set; NULL if there is none. */
static struct row *use(struct distance *d, uint16_t asid, int64_t distance)
{
    uint32_t set = set_of(d, distance), way = 0;
    do {
        struct row *r = &d->row[set * d->ways + way];
        if (r->valid && r->asid == asid && r->distance == distance) {
            mp_lru_touch(&d->order[set], d->ways, way);
            return r;
        }
    } while (++way < d->ways);
    return NULL;
}

static struct row *make(struct distance *d, uint16_t asid, int64_t distance)
{
    uint32_t set = set_of(d, distance), way = mp_lru_renew(&d->order[set], d->ways);
    struct row *r = &d->row[set * d->ways + way];
    *r = (struct row){.distance = distance, .asid = (uint8_t)asid, .valid = true};
    return r;
}

static void follow(const struct distance *d, struct row *r, int64_t next)
{
    uint32_t i = 0;
    while (i < r->slots && r->next[i] != next)
        i++;
    if (i == r->slots && r->slots < d->slots)
        r->slots++;
    else if (i == r->slots)
        i--; /* the last is lost */
    memmove(r->next + 1, r->next, i * sizeof *r->next);
    r->next[0] = next;
}

static uint32_t miss(void *state, const struct mp_prefetch_miss *m, uint64_t page[MP_PREFETCH_MOST])
{
    struct distance *d = state;
    struct last *last = &d->last[m->asid], before = *last;
    uint32_t n = 0;
    if (before.missed && before.page == m->vpn)
        return 0;
    *last = (struct last){m->vpn, (int64_t)(m->vpn - before.page), true, before.missed};
    if (!before.missed)
        return 0;
    const struct row *now = use(d, m->asid, last->distance);
    for (; now && n < now->slots; n++)
        page[n] = m->vpn + (uint64_t)now->next[n];
    if (before.moved) {
        struct row *r = use(d, m->asid, before.distance);
        follow(d, r ? r : make(d, m->asid, before.distance), last->distance);
    }
    return n;
}

/* Its rows are vacant then: the least recently used ones of their sets. */
static void forget(void *state, uint16_t asid)
{
    struct distance *d = state;
    d->last[asid] = (struct last){0};
    for (uint32_t i = 0; i < d->sets * d->ways; i++)
        if (d->row[i].valid && d->row[i].asid == asid) {
            d->row[i].valid = false;
            mp_lru_forget(&d->order[i / d->ways], d->ways, i % d->ways);
        }
}

const struct mp_prefetcher mp_prefetcher_distance = {
    .design = {.name = "distance",
               .title = "pages at distances that have followed the last distance between two misses",
               .params = params},
    .bytes = bytes,
    .init = init,
    .miss = miss,
    .forget = forget,
};
