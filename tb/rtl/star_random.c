/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random requests. Each phase draws the number of sets and bases, the sub-entries, and the share
 * of each kind of request, so that entries fill up, are shared and split. The tags of a phase differ in one
 * bit, so that each bit of a comparison matters. */
#include "rtl/random.h"
#include "rtl/star_lockstep.h"

#define TAG_W (STAR_RTL_ASID_W + STAR_RTL_VPB_W)

enum pattern { ANY, RUN, EVEN, LOW, HIGH_BITS, PATTERNS };

struct phase {
    uint64_t left;
    uint32_t tag, tags, set, sets; /* a set: set + something below sets */
    enum pattern pattern;
    uint32_t lookups, pages; /* percent; the rest are insertions */
    uint32_t next;           /* index of a run */
    bool rough;              /* manner.h */
};

/* Half of the phases keep the tags and sets of the previous one, so that one empties what another filled. */
static void begin(struct phase *p, uint32_t sets, uint64_t *random)
{
    static const uint32_t pages[] = {0, 3, 6, 20, 50, 80};
    if (!p->tags || below(random, 2)) {
        p->tag = (uint32_t)draw(random) & ((1u << TAG_W) - 1);
        p->tags = 2 + below(random, 1u << (2 + below(random, 5)));
        p->set = below(random, sets);
        p->sets = 1u << below(random, 5);
    }
    p->rough = !below(random, 3);
    p->left = 64u << below(random, 7);
    p->pattern = (enum pattern)below(random, PATTERNS);
    p->pages = pages[below(random, sizeof pages / sizeof *pages)];
    p->lookups = 5 + below(random, 90 - p->pages);
    p->next = 0;
}

/* The first tag is the phase's. Each other tag differs in one bit from it, or from its neighbour. */
static uint32_t tag_of(const struct phase *p, uint32_t number)
{
    uint32_t tag = p->tag ^ (number > TAG_W ? 1u << number % TAG_W : 0);
    return number ? tag ^ 1u << (number - 1) % TAG_W : tag;
}

static uint32_t index_of(struct phase *p, uint32_t random)
{
    switch (p->pattern) {
    case RUN:
        p->next += !(random & 0x30);
        return (p->next + (random & 3)) % STAR_RTL_SUBS;
    case EVEN:
        return random & 14;
    case LOW:
        return random & 3;
    case HIGH_BITS:
        return random & 12;
    default:
        return random & 15;
    }
}

/* One of 2048 rough requests is interrupted by a reset. With more resets entries would never fill up. */
static struct rtl_manner manner(uint64_t *random)
{
    struct rtl_manner m = {.random = draw(random) | 1};
    if (!below(random, 2048))
        m.reset = 1 + below(random, 12);
    return m;
}

static struct star_rtl_request make(struct phase *p, uint32_t sets, uint64_t *random)
{
    uint64_t r = draw(random);
    uint32_t tag = tag_of(p, below(random, p->tags));
    uint32_t set = (p->set + (uint32_t)(r & (p->sets - 1))) % sets, kind = (uint32_t)(r >> 8) % 100;
    uint64_t base = (uint64_t)(tag & ((1u << STAR_RTL_VPB_W) - 1)) * sets + set;
    struct star_rtl_request q = {.asid = (uint16_t)(tag >> STAR_RTL_VPB_W),
                                 .vpn = base * STAR_RTL_SUBS + index_of(p, (uint32_t)(r >> 40) & 0xff)};
    q.op = kind < p->lookups              ? STAR_RTL_LOOKUP
           : kind < p->lookups + p->pages ? STAR_RTL_INVALIDATE_PAGE
                                          : STAR_RTL_INSERT;
    if (q.op == STAR_RTL_INSERT)
        q.frame = draw(random) >> (64 - STAR_RTL_FRAME_W);
    if (p->rough)
        q.manner = manner(random);
    return q;
}

/* Between phases an address space may be invalidated, sometimes everything. */
static bool sweep(struct star_lockstep *l, const struct phase *p, uint64_t *random)
{
    uint32_t r = below(random, 32);
    struct star_rtl_request q = {.op = r > 2 ? STAR_RTL_INVALIDATE_ASID : STAR_RTL_INVALIDATE_ALL};
    if (r > 10)
        return true;
    q.asid = (uint16_t)(tag_of(p, below(random, p->tags)) >> STAR_RTL_VPB_W);
    if (p->rough)
        q.manner = manner(random);
    if (q.manner.reset) /* at any clock of the request */
        q.manner.reset = 1 + below(random, 4 * star_lockstep_sets(l));
    return star_lockstep_step(l, &q);
}

bool star_lockstep_random(struct star_lockstep *l, uint64_t seed, uint64_t requests,
                          const volatile sig_atomic_t *stop)
{
    struct phase p = {.tags = 0};
    uint64_t random = seed;
    uint32_t sets = star_lockstep_sets(l);
    begin(&p, sets, &random);
    while (star_lockstep_base(l)->transactions < requests && !(stop && *stop)) {
        struct star_rtl_request q = make(&p, sets, &random);
        if (!star_lockstep_step(l, &q))
            return false;
        if (--p.left)
            continue;
        if (star_lockstep_base(l)->transactions < requests && !sweep(l, &p, &random))
            return false;
        begin(&p, sets, &random);
    }
    return true;
}
