/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random clocks. Each phase draws how full the directory is to be, the number of tags and how
 * they differ, how often the TLB itself holds a page, and how busy the ports are. Each port of a clock is
 * used or not for itself. Its page is one of the phase's, or is chosen by the entries and by the clock's
 * other pages: of an entry, of a tag that differs in one bit, the same page, another page of its tag. As long
 * as points are open (rtl_lockstep.met), the combination of changes and the bits are those of such points. */
#include "rtl/lockstep/random.h"
#include "rtl/neidty/lockstep/neidty_cover.h"
#include "rtl/neidty/lockstep/neidty_lockstep.h"

struct phase {
    uint64_t left;
    uint64_t base;    /* of the tags */
    uint32_t tags;    /* different ones */
    uint32_t turn;    /* by which their number is rotated, if they differ in few bits */
    bool near;        /* they do */
    uint32_t busy;    /* percent of the ports that are used in a clock */
    uint32_t chosen;  /* percent of the pages that are chosen by the entries */
    uint32_t local;   /* percent of the inserted pages that the TLB holds */
    bool aims;        /* at open points */
    bool rough;       /* manner.h */
    uint32_t entries; /* valid ones that are wanted; more than there are: any */
};

static bool chance(uint64_t *random, uint32_t percent)
{
    return below(random, 100) < percent;
}

/* Whether a combination of changes is open in a directory as full as this, from any combination on. */
static int open_clock(const struct neidty_lockstep *l, const bool *met, enum neidty_fill fill,
                      uint64_t *random)
{
    uint32_t all = 1u << NEIDTY_CHANGES, from = below(random, all);
    for (uint32_t i = 0; i < all; i++) {
        uint32_t changes = (from + i) % all;
        if (neidty_cover_open(neidty_lockstep_cover(l), met, NEIDTY_CLOCK, changes, fill))
            return (int)changes;
    }
    return -1;
}

/* How many valid entries are wanted: of all fills those with open combinations come first. */
static uint32_t draw_entries(struct neidty_lockstep *l, uint64_t *random)
{
    uint32_t entries = neidty_lockstep_rtl(l)->entries;
    const uint32_t wanted[NEIDTY_FILLS] = {[NEIDTY_EMPTY] = 0,
                                           [NEIDTY_ONE_FREE] = entries - 1,
                                           [NEIDTY_FULL] = entries,
                                           [NEIDTY_BETWEEN] = entries / 2};
    uint32_t from = below(random, NEIDTY_FILLS);
    if (!below(random, 4))
        return entries + 1;
    if (!below(random, 4))
        return below(random, entries + 1);
    for (uint32_t i = 0; i < NEIDTY_FILLS; i++) {
        enum neidty_fill fill = (enum neidty_fill)((from + i) % NEIDTY_FILLS);
        if (open_clock(l, neidty_lockstep_base(l)->met, fill, random) >= 0)
            return wanted[fill];
    }
    return wanted[from];
}

/* Half of the phases keep the tags of the previous one. */
static void begin(struct phase *p, struct neidty_lockstep *l, uint64_t *random)
{
    static const uint8_t busy[] = {20, 50, 80, 100}, chosen[] = {0, 20, 50, 80}, local[] = {0, 2, 30, 100};
    const struct neidty_rtl *rtl = neidty_lockstep_rtl(l);
    if (!p->tags || below(random, 2)) {
        p->base = draw(random);
        p->tags = 2 + below(random, below(random, 3) ? 4 * rtl->entries : 8);
        p->turn = below(random, rtl->tag_bits);
        p->near = below(random, 2);
    }
    p->left = (8u + rtl->entries) << below(random, 5);
    p->busy = busy[below(random, sizeof busy)];
    p->chosen = chosen[below(random, sizeof chosen)];
    p->local = local[below(random, sizeof local)];
    p->aims = below(random, 2);
    p->rough = !below(random, 3);
    p->entries = draw_entries(l, random);
}

/* ---- pages ---- */

/* Any page of this tag. */
static uint64_t page_of(uint32_t tag_bits, uint64_t tag, uint64_t *random)
{
    uint64_t any = draw(random) & NEIDTY_RTL_PAGE;
    return any ^ neidty_tag_of(tag_bits, any) ^ tag; /* the lowest bits of vpn are one of the pieces */
}

static uint64_t pool_tag(const struct phase *p, uint32_t tag_bits, uint64_t *random)
{
    uint64_t mask = (UINT64_C(1) << tag_bits) - 1, number = below(random, p->tags);
    uint64_t turned = (number << p->turn | number >> (tag_bits - p->turn)) & mask;
    return (p->base ^ (p->near ? turned : number * 0x9e3779b97f4a7c15u >> (64 - tag_bits))) & mask;
}

/* The oldest, the youngest, the oldest that the TLB itself holds, or any. */
static const struct mp_directory_entry *entry(const struct mp_directory *d, uint64_t *random)
{
    uint32_t i;
    switch (below(random, 6)) {
    case 0:
        return &d->entry[0];
    case 1:
        return &d->entry[d->count - 1];
    case 2:
        for (i = 0; i < d->count; i++)
            if (d->entry[i].bits & MP_DIRECTORY_LOCAL)
                return &d->entry[i];
        return &d->entry[0];
    default:
        return &d->entry[below(random, d->count)];
    }
}

/* A bit that is open for this port, or any. */
static uint32_t bit_of(const struct neidty_lockstep *l, const bool *met, enum neidty_port port,
                       uint64_t *random)
{
    uint32_t bits = neidty_lockstep_rtl(l)->tag_bits, from = below(random, bits);
    for (uint32_t i = 0; i < bits; i++)
        if (neidty_cover_open(neidty_lockstep_cover(l), met, NEIDTY_NEAR, port, (from + i) % bits))
            return (from + i) % bits;
    return from;
}

/* A page that has to do with the entries, or with another page of the clock. */
static uint64_t choose(struct neidty_lockstep *l, const struct phase *p, const struct neidty_rtl_clock *in,
                       enum neidty_port port, uint64_t *random)
{
    const struct mp_directory *d = neidty_lockstep_model(l);
    uint32_t bits = d->tag_bits, kind = below(random, 8);
    uint64_t other = neidty_cover_page(in, (enum neidty_port)below(random, NEIDTY_PORTS));
    uint64_t tag = neidty_tag_of(bits, other);
    if (kind < 3 && d->count)
        return page_of(bits, entry(d, random)->tag, random);
    if (kind < 5 && d->count)
        return page_of(bits,
                       entry(d, random)->tag ^
                           UINT64_C(1)
                               << bit_of(l, p->aims ? neidty_lockstep_base(l)->met : NULL, port, random),
                       random);
    return kind == 5   ? other & NEIDTY_RTL_PAGE
           : kind == 6 ? page_of(bits, tag, random)
                       : page_of(bits, tag ^ UINT64_C(1) << below(random, bits), random);
}

static uint64_t page(struct neidty_lockstep *l, const struct phase *p, const struct neidty_rtl_clock *in,
                     enum neidty_port port, uint64_t *random)
{
    uint32_t bits = neidty_lockstep_rtl(l)->tag_bits;
    if (chance(random, p->chosen))
        return choose(l, p, in, port, random);
    return page_of(bits, pool_tag(p, bits, random), random);
}

/* ---- clocks ---- */

/* The entry of a neighbour, from any on; NULL if it has none. */
static const struct mp_directory_entry *entry_of(const struct mp_directory *d, uint8_t its, uint64_t *random)
{
    uint32_t from = below(random, d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        const struct mp_directory_entry *e = &d->entry[(from + i) % d->count];
        if (e->bits & its)
            return e;
    }
    return NULL;
}

/* Messages that lead to the wanted number of entries: neighbours insert any pages, or evict those of entries.
 */
static void lead(struct neidty_lockstep *l, const struct phase *p, struct neidty_rtl_clock *in,
                 uint64_t *random)
{
    static const uint8_t bits[NEIDTY_SIDES] = {
        [NEIDTY_LEFT] = MP_DIRECTORY_LEFT, [NEIDTY_RIGHT] = MP_DIRECTORY_RIGHT};
    const struct mp_directory *d = neidty_lockstep_model(l);
    bool fills = d->count < p->entries;
    uint32_t apart = fills ? p->entries - d->count : d->count - p->entries;
    enum neidty_rtl_side first = below(random, 2) ? NEIDTY_LEFT : NEIDTY_RIGHT;
    in->empty = !p->entries && apart > 2 && !below(random, 8);
    for (enum neidty_rtl_side side = NEIDTY_LEFT; side <= NEIDTY_RIGHT; side++) {
        if (apart < 2 && side != first)
            continue;
        const struct mp_directory_entry *e = fills ? NULL : entry_of(d, bits[side], random);
        if (fills)
            in->inserted[side] = (draw(random) & NEIDTY_RTL_PAGE) | NEIDTY_RTL_VALID;
        else if (e)
            in->evicted[side] = page_of(d->tag_bits, e->tag, random) | NEIDTY_RTL_VALID;
        if (fills && chance(random, p->local))
            in->inserted[side] |= NEIDTY_RTL_LOCAL;
    }
}

/* The ports that are used, a bit each. */
static uint32_t draw_changes(struct neidty_lockstep *l, const struct phase *p, uint64_t *random)
{
    uint32_t changes = 0;
    int open = p->aims ? open_clock(l, neidty_lockstep_base(l)->met,
                                    neidty_cover_fill(neidty_lockstep_model(l)), random)
                       : -1;
    if (open >= 0)
        return (uint32_t)open;
    for (unsigned port = 0; port < NEIDTY_CHANGES; port++)
        changes |= (uint32_t)chance(random, p->busy) << port;
    return changes;
}

static struct neidty_rtl_clock make(struct neidty_lockstep *l, const struct phase *p, uint64_t *random)
{
    const struct mp_directory *d = neidty_lockstep_model(l);
    struct neidty_rtl_clock in = {0};
    in.lookup = page(l, p, &in, NEIDTY_LOOKUP, random);
    if (p->entries <= d->capacity && d->count != p->entries) {
        lead(l, p, &in, random);
        return in;
    }
    if (!below(random, 128)) {
        in.drop = true;
        in.evicted[NEIDTY_LEFT] = page(l, p, &in, NEIDTY_LEFT_EVICTS, random) | NEIDTY_RTL_VALID;
        return in;
    }
    uint32_t changes = draw_changes(l, p, random);
    in.empty = !below(random, 512);
    for (unsigned port = 0; port < NEIDTY_CHANGES; port++) {
        uint64_t *at = port & 1 ? &in.inserted[port / 2] : &in.evicted[port / 2];
        if (!(changes >> port & 1))
            continue;
        *at = page(l, p, &in, port, random) | NEIDTY_RTL_VALID;
        if (port > NEIDTY_OWN_INSERTS && port & 1 && chance(random, p->local))
            *at |= NEIDTY_RTL_LOCAL;
    }
    return in;
}

/* One of 1024 rough clocks is interrupted by a reset. */
static struct rtl_manner manner(const struct phase *p, uint64_t *random)
{
    struct rtl_manner m = {0};
    if (!p->rough)
        return m;
    m.random = draw(random) | 1;
    m.reset = !below(random, 1024);
    return m;
}

bool neidty_lockstep_random(struct neidty_lockstep *l, uint64_t seed, uint64_t clocks,
                            const volatile int *stop)
{
    struct rtl_lockstep *base = neidty_lockstep_base(l);
    uint64_t random = seed, end = base->transactions + clocks;
    struct phase p = {0};
    while (base->transactions < end && !(stop && *stop)) {
        if (!p.left--)
            begin(&p, l, &random);
        struct neidty_rtl_clock in = make(l, &p, &random);
        if (!neidty_lockstep_step(l, &in, manner(&p, &random)))
            return false;
    }
    return true;
}
