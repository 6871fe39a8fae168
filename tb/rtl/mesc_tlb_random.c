/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random requests. Each phase draws a few frames of 2 MB, whose tags differ in one bit so that
 * each bit of a comparison matters, few or many sets, how pages are mapped, and the share of each kind of
 * request, so that ways fill up and both types compete for the partition. In some phases runs of subregions
 * are those that walks find: the longest ones of a frame. In the others they begin and end anywhere. */
#include "engine/tenant.h"
#include "rtl/mesc_tlb_lockstep.h"
#include "rtl/random.h"

#define FRAME_W   9u /* page of a frame of 2 MB */
#define ASID_W    3u /* of the model */
#define NUMBER_W  (MESC_TLB_VPN_W - FRAME_W)
#define VARIANTS  4u
#define PFN_LIMIT ((UINT64_C(1) << MESC_TLB_PFN_W) - (1u << FRAME_W))

struct phase {
    uint64_t left;
    uint64_t tag;              /* asid and the frame's number, without the bits of the set */
    uint32_t tags, set, sets;  /* a set: set + something below sets */
    uint32_t lookups, pages;   /* percent; of the rest: */
    uint32_t runs;             /* percent of the insertions */
    uint32_t variants;         /* different mappings of a page */
    uint64_t anchor[VARIANTS]; /* frame of page 0 of each 2 MB, of each variant */
    uint32_t cuts;             /* a bit for each border of subregions at which runs end; drawn if 0 */
    bool offsets;              /* few pages of a frame, otherwise any */
    bool rough;                /* manner.h */
};

/* Each variant differs from the first in one bit. Some anchors are so low that page 0 of the frame would be
 * below frame 0; a run's first page is not. */
static void begin_mapping(struct phase *p, uint64_t *random)
{
    uint64_t anchor = draw(random) >> (64 - MESC_TLB_PFN_W);
    p->variants = 1 + below(random, VARIANTS);
    for (uint32_t v = 0; v < VARIANTS; v++)
        p->anchor[v] = v ? anchor ^ UINT64_C(1) << below(random, MESC_TLB_PFN_W) : anchor;
    p->cuts = below(random, 2) ? below(random, 128) | 128 : 0;
}

/* Half of the phases keep the pages and mappings of the previous one. */
static void begin(struct phase *p, uint32_t sets, uint64_t *random)
{
    static const uint32_t pages[] = {0, 3, 6, 20, 50, 80}, runs[] = {0, 5, 30, 60, 95, 100};
    if (!p->tags || below(random, 2)) {
        p->tag = draw(random);
        p->tags = 2 + below(random, 1u << (2 + below(random, 5)));
        p->set = below(random, sets);
        p->sets = 1u << below(random, 4);
        p->offsets = below(random, 2);
        begin_mapping(p, random);
    }
    p->rough = !below(random, 3);
    p->left = 64u << below(random, 7);
    p->pages = pages[below(random, sizeof pages / sizeof *pages)];
    p->lookups = 5 + below(random, 90 - p->pages);
    p->runs = runs[below(random, sizeof runs / sizeof *runs)];
}

/* The first tag is the phase's. Each other tag differs in one bit from it, or from its neighbour. */
static uint64_t tag_of(const struct phase *p, uint32_t number, uint32_t width)
{
    uint64_t tag = p->tag ^ (number > width ? UINT64_C(1) << number % width : 0);
    return number ? tag ^ UINT64_C(1) << (number - 1) % width : tag;
}

/* A page of the phase, and its address space. */
static void place(struct mesc_tlb_rtl_request *q, const struct phase *p, uint32_t sets, uint64_t *random)
{
    unsigned set_bits = (unsigned)__builtin_ctz(sets), upper = NUMBER_W - set_bits;
    uint64_t tag = tag_of(p, below(random, p->tags), upper + ASID_W), r = draw(random);
    uint64_t number = (tag & ((UINT64_C(1) << upper) - 1)) << set_bits;
    uint32_t offset = (uint32_t)(r >> 40) % (1u << FRAME_W);
    q->asid = (uint16_t)(tag >> upper & (MP_ASIDS - 1));
    number |= (p->set + (uint32_t)(r & (p->sets - 1))) % sets;
    if (p->offsets) /* one regular set, or the first or last page of a subregion */
        offset = r >> 32 & 1 ? (offset & ~(sets - 1)) | p->set : (offset & 0x1c0) | (r >> 33 & 1 ? 63 : 0);
    q->vpn = number << FRAME_W | offset;
}

/* The run of the page's subregion. */
static void choose_run(struct mesc_tlb_rtl_request *q, const struct phase *p, uint64_t *random)
{
    uint32_t at = (uint32_t)(q->vpn >> 6) % MESC_SUBREGIONS, cuts = p->cuts;
    if (!cuts || !below(random, 64))
        cuts = (uint32_t)(draw(random) & draw(random)) & 127;
    q->first = q->last = (uint8_t)at;
    while (q->first && !(cuts >> (q->first - 1) & 1))
        q->first--;
    while (q->last < MESC_SUBREGIONS - 1 && !(cuts >> q->last & 1))
        q->last++;
}

/* The frame of the page in a variant. Frames that no memory has are replaced by ones near 0. */
static void map(struct mesc_tlb_rtl_request *q, const struct phase *p, uint64_t *random)
{
    uint32_t variant = below(random, p->variants), offset = (uint32_t)q->vpn % (1u << FRAME_W);
    uint64_t anchor = p->anchor[variant];
    q->read_only = variant == 3 || !below(random, 64);
    if (anchor > PFN_LIMIT)
        anchor = 0;
    q->pfn = anchor + offset;
    if (!below(random, 8)) /* the run begins at one of the first frames */
        q->pfn = offset - q->first * 64u + (variant & 1);
}

static struct rtl_manner manner_of(uint64_t *random, uint32_t clocks)
{
    struct rtl_manner m = {.random = draw(random) | 1};
    if (!below(random, 2048))
        m.reset = 1 + below(random, clocks);
    return m;
}

static struct mesc_tlb_rtl_request make(const struct phase *p, const struct mesc_tlb_rtl *rtl,
                                        uint64_t *random)
{
    uint32_t kind = below(random, 100);
    struct mesc_tlb_rtl_request q = {.op = MESC_INSERT_PAGE};
    place(&q, p, rtl->sets, random);
    if (kind < p->lookups)
        q.op = MESC_LOOKUP;
    else if (kind < p->lookups + p->pages)
        q.op = MESC_INVALIDATE_PAGE;
    else if (rtl->sub_ways && below(random, 100) < p->runs)
        q.op = MESC_INSERT_SUBREGIONS;
    q.first = (uint8_t)(q.vpn >> 6 & 7);
    if (q.op == MESC_INSERT_SUBREGIONS)
        choose_run(&q, p, random);
    if (q.op == MESC_INSERT_PAGE || q.op == MESC_INSERT_SUBREGIONS)
        map(&q, p, random);
    if (p->rough)
        q.manner = manner_of(random, 8);
    return q;
}

/* Between phases an address space may be invalidated, sometimes everything. */
static bool sweep(struct mesc_tlb_lockstep *l, const struct phase *p, uint64_t *random)
{
    uint32_t r = below(random, 32);
    struct mesc_tlb_rtl_request q = {.op = MESC_INVALIDATE_ASID};
    if (r > 10)
        return true;
    place(&q, p, mesc_tlb_lockstep_rtl(l)->sets, random);
    if (r <= 2)
        q.op = MESC_INVALIDATE_ALL;
    if (p->rough)
        q.manner = manner_of(random, 4 * mesc_tlb_lockstep_rtl(l)->sets);
    if (!mesc_tlb_lockstep_step(l, &q))
        return false;
    if (q.op == MESC_INVALIDATE_ALL)
        mesc_tlb_lockstep_draw_asids(l, draw(random));
    return true;
}

bool mesc_tlb_lockstep_random(struct mesc_tlb_lockstep *l, uint64_t seed, uint64_t requests,
                              const volatile sig_atomic_t *stop)
{
    const struct mesc_tlb_rtl *rtl = mesc_tlb_lockstep_rtl(l);
    struct phase p = {.tags = 0};
    uint64_t random = seed;
    begin(&p, rtl->sets, &random);
    while (mesc_tlb_lockstep_base(l)->transactions < requests && !(stop && *stop)) {
        struct mesc_tlb_rtl_request q = make(&p, rtl, &random);
        if (!mesc_tlb_lockstep_step(l, &q))
            return false;
        if (--p.left)
            continue;
        if (mesc_tlb_lockstep_base(l)->transactions < requests && !sweep(l, &p, &random))
            return false;
        begin(&p, rtl->sets, &random);
    }
    return true;
}
