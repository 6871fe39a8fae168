/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random clocks. Each phase draws a number of pages, how they differ, and how often a clock has a
 * lookup, an insertion or an invalidation, so that the array fills up and drains. Events of a clock often
 * have the same page, that of an entry at either end of the order, or one that differs in one bit from it, so
 * that each bit of a comparison matters. */
#include "rtl/l1_tlb/lockstep/l1_tlb_cover.h"
#include "rtl/l1_tlb/lockstep/l1_tlb_lockstep.h"
#include "rtl/lockstep/random.h"

struct phase {
    uint64_t left;
    uint64_t base;    /* of the pages */
    uint32_t pages;   /* different ones */
    uint32_t turn;    /* by which their number is rotated, if they differ in few bits */
    bool near;        /* they do */
    uint32_t lookups; /* percent of the clocks that have one */
    uint32_t changes; /* that have a change */
    uint32_t drops;   /* percent of the changes that invalidate */
    bool rough;       /* manner.h */
};

#define PAGE_MASK  (UINT64_MAX >> (64 - L1_TLB_PAGE_W))
#define FRAME_MASK (UINT64_MAX >> (64 - L1_TLB_FRAME_W))

static bool chance(uint64_t *random, uint32_t percent)
{
    return below(random, 100) < percent;
}

/* Half of the phases keep the pages of the previous one, and so its entries. */
static void begin(struct phase *p, uint32_t entries, uint64_t *random)
{
    static const uint8_t busy[] = {20, 50, 80, 100}, drops[] = {0, 0, 10, 50, 90};
    if (!p->pages || below(random, 2)) {
        p->base = draw(random);
        p->pages = 2 + below(random, below(random, 3) ? 6 * entries : 4);
        p->turn = below(random, L1_TLB_PAGE_W);
        p->near = below(random, 2);
    }
    p->left = 16u << below(random, 5);
    p->lookups = busy[below(random, sizeof busy)];
    p->changes = busy[below(random, sizeof busy)];
    p->drops = drops[below(random, sizeof drops)];
    p->rough = !below(random, 3);
}

/* One of the phase's pages. */
static uint64_t any_page(const struct phase *p, uint64_t *random)
{
    uint64_t number = below(random, p->pages);
    uint64_t turned = number << p->turn | number >> (L1_TLB_PAGE_W - p->turn);
    return (p->base ^ (p->near ? turned : number * 0x9e3779b97f4a7c15u >> 8)) & PAGE_MASK;
}

/* Often the page of the least or most recent entry, or one that differs in one bit from what is there. */
static uint64_t page(const struct phase *p, const struct l1_tlb_state *s, uint32_t entries, uint64_t *random)
{
    uint32_t valid = l1_tlb_count(s, entries);
    if (!valid || chance(random, 50))
        return any_page(p, random);
    uint32_t rank = chance(random, 30) ? valid - 1 : chance(random, 20) ? 0 : below(random, valid);
    uint64_t at = s->entry[rank].page;
    return chance(random, 60) ? at ^ UINT64_C(1) << below(random, L1_TLB_PAGE_W) : at;
}

/* The pages of the clock before: that of its change, and that of the least recent entry, which may be gone.
 */
struct before {
    uint64_t page, oldest;
};

static struct l1_tlb_rtl_clock make(const struct phase *p, const struct l1_tlb_state *s, uint32_t entries,
                                    struct before *before, uint64_t *random)
{
    const struct l1_tlb_entry *oldest = &s->entry[entries - 1];
    struct l1_tlb_rtl_clock in = {.lookup = page(p, s, entries, random), .use = chance(random, p->lookups)};
    if (chance(random, p->changes))
        in.change = chance(random, p->drops) ? L1_TLB_DROP : L1_TLB_INSERT;
    in.page = page(p, s, entries, random);
    in.frame = draw(random) & FRAME_MASK;
    if (chance(random, 10)) /* both of one page */
        in.lookup = in.page;
    if (chance(random, 20)) /* one of a page of the clock before */
        *(chance(random, 50) ? &in.lookup : &in.page) = chance(random, 50) ? before->page : before->oldest;
    if (oldest->valid && chance(random, 20)) { /* a lookup of the page that an insertion replaces */
        in.lookup = oldest->page;
        in.use = true;
        in.change = chance(random, 50) ? L1_TLB_DROP : L1_TLB_INSERT;
    }
    in.empty = !below(random, oldest->valid ? 40 : s->entry[0].valid ? 128 : 16);
    if (in.empty) { /* with anything */
        in.use = chance(random, 50);
        in.change = (enum l1_tlb_change)below(random, 3);
        const uint64_t pages[] = {in.page, s->entry[0].page, draw(random) & PAGE_MASK};
        in.page = pages[below(random, 3)];
    }
    *before = (struct before){in.page, oldest->page};
    return in;
}

/* One of 200 rough clocks is interrupted by a reset. */
static struct rtl_manner manner(const struct phase *p, uint64_t *random)
{
    struct rtl_manner m = {0};
    if (!p->rough)
        return m;
    m.random = draw(random) | 1;
    m.reset = !below(random, 200);
    return m;
}

bool l1_tlb_lockstep_random(struct l1_tlb_lockstep *l, uint64_t seed, uint64_t clocks,
                            const volatile int *stop)
{
    const uint32_t entries = l1_tlb_lockstep_rtl(l)->entries;
    struct rtl_lockstep *base = l1_tlb_lockstep_base(l);
    uint64_t random = seed, end = base->transactions + clocks;
    struct phase p = {0};
    struct before before = {0, 0};
    while (base->transactions < end && !(stop && *stop)) {
        if (!p.left--)
            begin(&p, entries, &random);
        const struct l1_tlb_rtl_clock in = make(&p, l1_tlb_lockstep_state(l), entries, &before, &random);
        if (!l1_tlb_lockstep_step(l, &in, manner(&p, &random)))
            return false;
    }
    return true;
}
