/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random requests in phases. A phase mixes requests of drawn shares for some tags in some sets,
 * or fills sets with bases of a number of sub-entries each, which a sweep may empty. Most phases aim
 * at a point that the run has not met: it fixes what the point needs, and the rest is drawn as usual. */
#include "rtl/lockstep/random.h"
#include "rtl/star/lockstep/star_cover.h"
#include "rtl/star/lockstep/star_lockstep.h"

#define TAG_W     (STAR_RTL_ASID_W + STAR_RTL_VPB_W)
#define TAGS      (1u << TAG_W)
#define VPBS      (1u << STAR_RTL_VPB_W)
#define LAST_ASID ((1u << STAR_RTL_ASID_W) - 1)
#define SET_FULL  (STAR_RTL_WAYS * STAR_RTL_SUBS)

enum pattern { ANY, RUN, EVEN, LOW, HIGH_BITS, PATTERNS };

struct phase {
    uint64_t left;
    uint32_t tag, tags, set, sets; /* a set: set + something below sets */
    uint32_t apart;                /* not 0: tags come in pairs that differ in these bits */
    enum pattern pattern;
    uint32_t lookups, pages; /* percent; the rest are insertions */
    uint32_t next;           /* index of a run */
    bool rough;              /* manner.h */
    /* before the mix: `bases` bases in each of the sets, with `subs` sub-entries each, those of odd tags with
     * `odd_subs`; one of all is left out if there are `less` */
    uint32_t bases, subs, odd_subs, filled, less;
    bool clean, sweeps,
        every; /* sweeps before and after the phase; that of everything, or an address space's */
};

/* Half of the phases keep the tags and sets of the previous one, so that one empties what another filled. */
static void begin(struct phase *p, uint32_t sets, uint64_t *random)
{
    static const uint32_t pages[] = {0, 3, 6, 20, 50, 80};
    struct phase was = *p;
    *p = (struct phase){
        .tag = was.tag, .tags = was.tags, .set = was.set, .sets = was.sets, .apart = was.apart};
    if (!p->tags || below(random, 2)) {
        p->tag = (uint32_t)draw(random) & (TAGS - 1);
        p->tags = 2 + below(random, 1u << (2 + below(random, 5)));
        p->set = below(random, sets);
        p->sets = 1u << below(random, 5);
        p->apart = 0;
    }
    p->rough = !below(random, 3);
    p->left = 64u << below(random, 7);
    p->pattern = (enum pattern)below(random, PATTERNS);
    p->pages = pages[below(random, sizeof pages / sizeof *pages)];
    p->lookups = 5 + below(random, 90 - p->pages);
    p->sweeps = below(random, 32) < 11;
    p->every = !below(random, 4);
}

/* ---- phases that aim at a point ---- */

/* One set with tags in pairs. */
static void in_pairs(struct phase *p, uint32_t apart, uint64_t *random)
{
    p->tag = (uint32_t)draw(random) & (TAGS - 1);
    p->tags = 6 + below(random, 40);
    p->sets = 1;
    p->apart = apart;
    p->left = 512;
    p->sweeps = false;
    p->lookups = 20 + below(random, 40);
    p->pages = below(random, 12);
}

/* Pairs of which one is in this address space. */
static void in_address_space(struct phase *p, uint32_t asid, uint64_t *random)
{
    in_pairs(p, (1 + below(random, LAST_ASID)) << STAR_RTL_VPB_W, random);
    p->tag = (p->tag & (VPBS - 1)) | asid << STAR_RTL_VPB_W;
}

static void fill(struct phase *p, uint32_t bases, uint32_t subs, uint32_t odd_subs)
{
    p->bases = bases;
    p->subs = subs;
    p->odd_subs = odd_subs;
    p->filled = 0;
}

/* All translations of all sets, or all but one, in one address space. */
static void fill_all(struct phase *p, uint32_t sets, uint32_t total)
{
    p->clean = true;
    p->apart = 0;
    p->set = 0;
    p->sets = total <= SET_FULL ? 1 : sets;
    p->less = p->sets * SET_FULL - total;
    fill(p, STAR_RTL_WAYS, STAR_RTL_SUBS, STAR_RTL_SUBS);
    p->left = 0;
    p->sweeps = true;
}

/* Full sets, to whose entries others are added. */
static void fill_one(struct phase *p, uint32_t subs, uint32_t odd_subs, uint64_t *random)
{
    in_pairs(p, 0, random);
    p->clean = !below(random, 4);
    p->tags = STAR_RTL_WAYS + 2 + below(random, 24);
    p->lookups = p->pages = below(random, 8);
    p->left = 16u << below(random, 5);
    fill(p, STAR_RTL_WAYS, subs, odd_subs);
}

/* Aims at a point that is not met, if there is one. left: requests of the session. */
static void aim(struct phase *p, const struct star_lockstep *l, uint64_t left, uint64_t *random)
{
    const uint32_t sets = star_lockstep_sets(l);
    unsigned n;
    enum star_group group = star_lockstep_aim(l, draw(random), &n);
    switch (group) {
    case STAR_MISS_NEAR:
        in_pairs(p, 1u << n % TAG_W, random);
        return;
    case STAR_ASID_NEAR:
        in_pairs(p, 1u << (STAR_RTL_VPB_W + n % STAR_RTL_ASID_W), random);
        p->left = 64u << n / STAR_RTL_ASID_W; /* until there are bases at this position */
        p->sweeps = true;
        p->every = false;
        return;
    case STAR_MISS_SPECIAL:
        in_address_space(p, n / 2 * LAST_ASID, random);
        return;
    case STAR_ASID_SPECIAL:
        in_address_space(p, n % 2 * LAST_ASID, random);
        p->left = 64;
        p->sweeps = true;
        p->every = false;
        return;
    case STAR_OLDEST: /* entries that two bases fill up */
    case STAR_NEWEST:
        in_pairs(p, 0, random);
        p->tags = 8 + below(random, 14);
        p->pattern = ANY;
        p->pages = 0;
        p->left = 1024;
        return;
    case STAR_FOUR_FULL: /* bases with all indices of one slot, which lose some pages */
        in_pairs(p, 0, random);
        p->tags = 12 + below(random, 20);
        p->pages = 5 + below(random, 20);
        p->left = 1024;
        return;
    case STAR_SHARE_NEAR:
        fill_one(p, 2 + n % 6, 1, random);
        p->apart = 1u << (STAR_RTL_VPB_W + n);
        return;
    case STAR_SHARE_ASID:
        fill_one(p, 2 + below(random, 6), 1, random);
        p->apart = (1 + below(random, LAST_ASID)) << STAR_RTL_VPB_W;
        return;
    case STAR_SHARE_TIE:
        fill_one(p, 1 + below(random, 6), 0, random);
        p->odd_subs = p->subs + below(random, 2);
        return;
    case STAR_SHARE_USED:
        fill_one(p, n + 1, n + 1 + below(random, 3), random);
        return;
    case STAR_HALF_FULL:
        fill_one(p, STAR_RTL_SUBS / 2, 8 + below(random, 9), random);
        return;
    case STAR_EVICT_GONE:
        fill_one(p, 1 + below(random, STAR_RTL_SUBS), 1 + below(random, STAR_RTL_SUBS), random);
        return;
    case STAR_SET_GONE:
        fill_all(p, sets, 1u << n);
        return;
    case STAR_GONE_BIT:
        if (left <= sets * SET_FULL)
            return;
        /* All translations have the top bit only, one less has all others. */
        fill_all(p, sets, sets * SET_FULL - !(sets * SET_FULL >> n & 1));
        p->every = below(random, 2);
        return;
    case STAR_ASID_EVERY_SET:
    case STAR_ALL_EVERY_SET:
        fill_all(p, sets, sets * SET_FULL);
        p->less = 0;
        fill(p, 1, 1, 1);
        p->every = group == STAR_ALL_EVERY_SET;
        return;
    default: /* a set of a few tags */
        if (group == STAR_GROUPS && !n)
            return;
        in_pairs(p, 0, random);
        p->tags = 2 + below(random, 1u << (2 + below(random, 5)));
        p->pages = below(random, 50);
        p->sweeps = !below(random, 4);
        p->left = 64u << below(random, 4);
        return;
    }
}

/* ---- requests ---- */

/* Without pairs, the first tag is the phase's; each other tag differs in one bit from it, or from its
 * neighbour. */
static uint32_t tag_of(const struct phase *p, uint32_t number)
{
    if (p->apart)
        return p->tag ^ (number / 2 * 0x2545f491u & (VPBS - 1)) ^ (number & 1 ? p->apart : 0);
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

static struct star_rtl_request request(const struct phase *p, enum star_rtl_op op, uint32_t tag, uint32_t set,
                                       uint32_t sets, uint32_t index, uint64_t *random)
{
    uint64_t base = (uint64_t)(tag & (VPBS - 1)) * sets + set % sets;
    struct star_rtl_request q = {
        .op = op, .asid = (uint16_t)(tag >> STAR_RTL_VPB_W), .vpn = base * STAR_RTL_SUBS + index};
    if (op == STAR_RTL_INSERT)
        q.frame = draw(random) >> (64 - STAR_RTL_FRAME_W);
    if (p->rough)
        q.manner = manner(random);
    return q;
}

static struct star_rtl_request mix(struct phase *p, uint32_t sets, uint64_t *random)
{
    uint64_t r = draw(random);
    uint32_t tag = tag_of(p, below(random, p->tags));
    uint32_t set = p->set + (uint32_t)(r & (p->sets - 1)), kind = (uint32_t)(r >> 8) % 100;
    return request(p,
                   kind < p->lookups              ? STAR_RTL_LOOKUP
                   : kind < p->lookups + p->pages ? STAR_RTL_INVALIDATE_PAGE
                                                  : STAR_RTL_INSERT,
                   tag, set, sets, index_of(p, (uint32_t)(r >> 40) & 0xff), random);
}

/* The filled-th insertion: sub-entry by sub-entry, base by base, set by set. Returns false when sets are
 * full. */
static bool next_filling(struct phase *p, uint32_t sets, struct star_rtl_request *q, uint64_t *random)
{
    const uint32_t of_two = p->subs + p->odd_subs, of_set = p->bases / 2 * of_two + p->bases % 2 * p->subs;
    if (p->filled + p->less >= of_set * p->sets)
        return false;
    uint32_t at = p->filled % of_set, base = at / of_two * 2;
    at %= of_two;
    base += at >= p->subs;
    at -= at >= p->subs ? p->subs : 0;
    /* Without pairs the tags of a filling differ only below the address space, whose sweep may follow. */
    uint32_t tag = p->apart ? tag_of(p, base) : p->tag ^ (base & (VPBS - 1));
    *q = request(p, STAR_RTL_INSERT, tag, p->set + p->filled / of_set, sets, at, random);
    q->manner.reset = 0;
    p->filled++;
    return true;
}

static bool sweep(struct star_lockstep *l, const struct phase *p, bool every, uint64_t *random)
{
    struct star_rtl_request q = {.op = every ? STAR_RTL_INVALIDATE_ALL : STAR_RTL_INVALIDATE_ASID};
    uint32_t tag = p->bases ? p->tag : tag_of(p, below(random, p->tags));
    q.asid = (uint16_t)(tag >> STAR_RTL_VPB_W);
    if (p->rough)
        q.manner = manner(random);
    if (q.manner.reset) /* at any clock of the request */
        q.manner.reset = 1 + below(random, 4 * star_lockstep_sets(l));
    return star_lockstep_step(l, &q);
}

static bool next(struct phase *p, uint32_t sets, struct star_rtl_request *q, uint64_t *random)
{
    if (next_filling(p, sets, q, random))
        return true;
    if (!p->left)
        return false;
    p->left--;
    *q = mix(p, sets, random);
    return true;
}

bool star_lockstep_random(struct star_lockstep *l, uint64_t seed, uint64_t requests,
                          const volatile sig_atomic_t *stop)
{
    struct phase p = {.tags = 0};
    struct star_rtl_request q;
    uint64_t random = seed;
    const uint32_t sets = star_lockstep_sets(l);
    const uint64_t *done = &star_lockstep_base(l)->transactions;
    while (*done < requests && !(stop && *stop)) {
        begin(&p, sets, &random);
        if (below(&random, 4))
            aim(&p, l, requests - *done, &random);
        if (p.clean && !sweep(l, &p, true, &random))
            return false;
        while (*done < requests && !(stop && *stop) && next(&p, sets, &q, &random))
            if (!star_lockstep_step(l, &q))
                return false;
        if (p.sweeps && *done < requests && !sweep(l, &p, p.every, &random))
            return false;
    }
    return true;
}
