/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random clocks. Each phase draws the number of tags and how they differ, the shares of
 * insertions and evictions, how often the TLB itself holds a page, and how busy the ports are, so that the
 * directory fills up and drains, entries are shared, and two entries leave in one clock. The tags of some
 * phases differ in few adjacent bits, so that each bit of a comparison matters. */
#include "rtl/neidty_cover.h"
#include "rtl/neidty_lockstep.h"
#include "rtl/random.h"

struct phase {
    uint64_t left;
    uint64_t base;   /* of the tags */
    uint32_t tags;   /* different ones */
    uint32_t turn;   /* by which their number is rotated, if they differ in few bits */
    bool near;       /* they do */
    uint32_t busy;   /* percent of the clocks in which a port is used */
    uint32_t evicts; /* percent of a neighbour's messages that evict */
    uint32_t local;  /* percent of the inserted pages that the TLB holds */
    bool drains;     /* messages that only evict */
    bool rough;      /* manner.h */
};

static bool chance(uint64_t *random, uint32_t percent)
{
    return below(random, 100) < percent;
}

/* Half of the phases keep the tags of the previous one, and so its entries. */
static void begin(struct phase *p, const struct neidty_rtl *rtl, uint64_t *random)
{
    static const uint8_t busy[] = {20, 50, 80, 100}, evicts[] = {0, 20, 50, 70, 100},
                         local[] = {0, 2, 30, 100};
    if (!p->tags || below(random, 2)) {
        p->base = draw(random);
        p->tags = 2 + below(random, below(random, 3) ? 4 * rtl->entries : 8);
        p->turn = below(random, rtl->tag_bits);
        p->near = below(random, 2);
    }
    p->left = 16u << below(random, 6);
    p->busy = busy[below(random, sizeof busy)];
    p->evicts = evicts[below(random, sizeof evicts)];
    p->local = local[below(random, sizeof local)];
    p->drains = !below(random, 8);
    p->rough = !below(random, 3);
}

/* Any page of one of the phase's tags. */
static uint64_t page(const struct phase *p, uint32_t tag_bits, uint64_t *random)
{
    uint64_t mask = (UINT64_C(1) << tag_bits) - 1, number = below(random, p->tags);
    uint64_t turned = (number << p->turn | number >> (tag_bits - p->turn)) & mask;
    uint64_t tag = (p->base ^ (p->near ? turned : number * 0x9e3779b97f4a7c15u >> (64 - tag_bits))) & mask;
    uint64_t any = draw(random) & NEIDTY_RTL_PAGE;
    return any ^ neidty_tag_of(tag_bits, any) ^ tag; /* the lowest bits of vpn are one of the pieces */
}

static struct neidty_rtl_clock make(const struct phase *p, uint32_t tag_bits, uint64_t *random)
{
    struct neidty_rtl_clock in = {.lookup = page(p, tag_bits, random)};
    if (!below(random, 512)) {
        in.drop = true;
        in.evicted[NEIDTY_LEFT] = page(p, tag_bits, random) | NEIDTY_RTL_VALID;
        return in;
    }
    in.empty = !below(random, 2048);
    for (unsigned side = NEIDTY_OWN; side < NEIDTY_SIDES; side++) {
        if (!chance(random, p->busy))
            continue;
        if (chance(random, p->evicts))
            in.evicted[side] = page(p, tag_bits, random) | NEIDTY_RTL_VALID;
        if (!p->drains)
            in.inserted[side] = page(p, tag_bits, random) | NEIDTY_RTL_VALID;
        if (!p->drains && side != NEIDTY_OWN && chance(random, p->local))
            in.inserted[side] |= NEIDTY_RTL_LOCAL;
    }
    /* The same tags in one clock. */
    if (!below(random, 8) && in.inserted[NEIDTY_LEFT] && in.inserted[NEIDTY_RIGHT])
        in.inserted[NEIDTY_RIGHT] = in.inserted[NEIDTY_LEFT];
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
    const struct neidty_rtl *rtl = neidty_lockstep_rtl(l);
    struct rtl_lockstep *base = neidty_lockstep_base(l);
    uint64_t random = seed, end = base->transactions + clocks;
    struct phase p = {0};
    while (base->transactions < end && !(stop && *stop)) {
        if (!p.left--)
            begin(&p, rtl, &random);
        struct neidty_rtl_clock in = make(&p, rtl->tag_bits, &random);
        if (!neidty_lockstep_step(l, &in, manner(&p, &random)))
            return false;
    }
    return true;
}
