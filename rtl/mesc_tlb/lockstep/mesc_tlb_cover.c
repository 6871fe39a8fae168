/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_tlb/lockstep/mesc_tlb_cover.h"

#include <stdio.h>

#include "engine/tenant.h"

#define BORDERS   (MESC_SUBREGIONS - 1)
#define FRAME_W   9u /* page of a frame of 2 MB */
#define OFFSET    511u
#define PFN_MASK  ((UINT64_C(1) << MESC_TLB_PFN_W) - 1)
#define SWEEP_SET 4u /* clocks of a sweep for each set */

/* ---- names ---- */

static const char *const names[MESC_RUN_OF] = {
    [MESC_SEES_NONE] = "lookup: misses",
    [MESC_SEES_PAGE] = "lookup: a regular entry",
    [MESC_SEES_ASID_0] = "lookup: the page is one of address space 0, not its own",
    [MESC_SEES_ASID_ONES] = "lookup: the page is one of address space 255, not its own",
    [MESC_SEES_ZEROS] = "lookup: misses, and a vacant way has its number, 0",
    [MESC_SEES_FRAME_0] = "lookup: frame 0",
    [MESC_SEES_FRAME_ONES] = "lookup: the highest frame",
    [MESC_PAGE_AGAIN] = "page: is there",
    [MESC_PAGE_MOVED] = "page: is there with another frame or permission",
    [MESC_PAGE_PERMISSION] = "page: is there, only the permission differs",
    [MESC_PAGE_VACANT] = "page: takes a vacant way",
    [MESC_PAGE_EVICTS_PAGE] = "page: evicts a regular entry",
    [MESC_PAGE_GOES] = "invalidation: of a regular entry",
    [MESC_NOTHING_GOES] = "invalidation: of a page without an entry",
    [MESC_ASID_GOES] = "invalidation: of an address space",
    [MESC_ASID_HAS_NONE] = "invalidation: of an address space without entries",
    [MESC_ASID_HAS_ONE] = "invalidation: of an address space with one entry",
    [MESC_ASID_HAS_ALL] = "invalidation: of an address space that fills all sets",
    [MESC_ALL_GO] = "invalidation: of all",
    [MESC_ALL_ARE_FULL] = "invalidation: of all, all sets are full",
    [MESC_SEES_FIRST_PAGE] = "lookup: the first page of a subregion entry",
    [MESC_SEES_LAST_PAGE] = "lookup: the last page of a subregion entry",
    [MESC_SEES_BOTH_TYPES] = "lookup: a page with entries of both types",
    [MESC_SEES_TWO_NEWEST] = "lookup: two subregion entries, the most recent way",
    [MESC_SEES_TWO_LOWEST] = "lookup: two subregion entries, the lowest way",
    [MESC_SEES_TWO_NEWER_HIGHER] = "lookup: two subregion entries, the newer one is higher",
    [MESC_SEES_THREE] = "lookup: three subregion entries",
    [MESC_PAGE_IN_PARTITION] = "page: takes a way of the partition",
    [MESC_PAGE_EVICTS_RUN] = "page: evicts a subregion entry",
    [MESC_RUN_AGAIN] = "run: is there",
    [MESC_RUN_COVERED] = "run: a longer one is there",
    [MESC_RUN_COVERED_TWICE] = "run: two longer ones are there",
    [MESC_RUN_GROWS] = "run: replaces a shorter one",
    [MESC_RUN_JOINS] = "run: replaces two shorter ones",
    [MESC_RUN_MOVED] = "run: replaces one with other frames",
    [MESC_RUN_PERMISSION] = "run: is there, only the permission differs",
    [MESC_RUN_OVERLAPS] = "run: overlaps one that stays",
    [MESC_RUN_VACANT] = "run: takes a vacant way",
    [MESC_RUN_EVICTS_RUN] = "run: evicts a subregion entry",
    [MESC_RUN_EVICTS_PAGE] = "run: evicts a regular entry",
    [MESC_RUN_GOES] = "invalidation: of a subregion entry",
    [MESC_RUNS_GO] = "invalidation: of two subregion entries",
    [MESC_THREE_GO] = "invalidation: of three subregion entries",
    [MESC_BOTH_GO] = "invalidation: of entries of both types",
    [MESC_FRAME_BELOW_0] = "run: page 0 of its frame would be below frame 0",
};

static const char *const kinds[MESC_KINDS] = {"lookup", "insertion", "invalidation"};
static const char *const types[2] = {"page", "run"};

static const char *const sides[MESC_SIDES] = {
    [MESC_BEGINS_AFTER] = "begins after an entry that ends with",
    [MESC_ENDS_BEFORE] = "ends before an entry that begins after",
    [MESC_SHARES_LAST] = "begins with the last one of an entry, subregion",
    [MESC_SHARES_FIRST] = "ends with the first one of an entry, subregion",
    [MESC_BEGINS_ONE_BEFORE] = "begins one before an entry that begins after",
    [MESC_ENDS_ONE_AFTER] = "ends one after an entry that ends with",
};

static const char *const uses[MESC_USES] = {
    [MESC_WAY_HITS_PAGE] = "a page hits",
    [MESC_WAY_HITS_RUN] = "a run hits",
    [MESC_WAY_LOSES_PAGE] = "a page is evicted",
    [MESC_WAY_LOSES_RUN] = "a run is evicted",
};

/* ---- the points of a size ---- */

/* Points that differ in up to three numbers: point = first + (high * middles + middle) * lows + low. */
struct row {
    unsigned first, highs, middles, lows;
    bool (*exists)(const struct mesc_tlb_cover *c, unsigned high, unsigned middle, unsigned low);
    void (*name)(char *name, unsigned high, unsigned middle, unsigned low);
};

static unsigned set_bits(const struct mesc_tlb_cover *c)
{
    return (unsigned)__builtin_ctz(c->sets);
}

static bool has_type(const struct mesc_tlb_cover *c, unsigned type)
{
    return !type || c->sub_ways;
}

static bool has_runs(const struct mesc_tlb_cover *c, unsigned high, unsigned middle, unsigned low)
{
    (void)high, (void)middle, (void)low;
    return c->sub_ways;
}

static void name_length(char *name, unsigned high, unsigned middle, unsigned low)
{
    (void)high, (void)middle;
    snprintf(name, MP_RTL_POINT_NAME, "run: of subregions: %u", low + 1);
}

static bool has_page_bit(const struct mesc_tlb_cover *c, unsigned kind, unsigned type, unsigned bit)
{
    (void)kind;
    return has_type(c, type) && bit >= set_bits(c) + (type ? FRAME_W : 0);
}

static void name_page(char *name, unsigned kind, unsigned type, unsigned bit)
{
    snprintf(name, MP_RTL_POINT_NAME, "%s: misses a %s by bit %u of its number", kinds[kind], types[type],
             bit);
}

static bool has_asid_bit(const struct mesc_tlb_cover *c, unsigned kind, unsigned type, unsigned bit)
{
    (void)kind, (void)bit;
    return has_type(c, type);
}

static void name_asid(char *name, unsigned kind, unsigned type, unsigned bit)
{
    snprintf(name, MP_RTL_POINT_NAME, "%s: misses a %s by bit %u of its address space", kinds[kind],
             types[type], bit);
}

static bool has_frame_bit(const struct mesc_tlb_cover *c, unsigned high, unsigned type, unsigned bit)
{
    (void)high, (void)bit;
    return has_type(c, type);
}

static void name_frame(char *name, unsigned high, unsigned type, unsigned bit)
{
    (void)high;
    snprintf(name, MP_RTL_POINT_NAME, "%s: is there, only bit %u of the frame differs", types[type], bit);
}

static bool has_all(const struct mesc_tlb_cover *c, unsigned high, unsigned middle, unsigned low)
{
    (void)c, (void)high, (void)middle, (void)low;
    return true;
}

static void name_stays(char *name, unsigned high, unsigned middle, unsigned bit)
{
    (void)high, (void)middle;
    snprintf(name, MP_RTL_POINT_NAME, "invalidation: an address space stays by bit %u", bit);
}

static void name_carry(char *name, unsigned high, unsigned inserted, unsigned bit)
{
    (void)high;
    snprintf(name, MP_RTL_POINT_NAME,
             inserted ? "run: its frame borrows up to bit %u" : "lookup: a run's frame carries up to bit %u",
             bit + MESC_FIRST_CARRY);
}

static bool has_way(const struct mesc_tlb_cover *c, unsigned high, unsigned use, unsigned way)
{
    (void)high;
    bool run = use == MESC_WAY_HITS_RUN || use == MESC_WAY_LOSES_RUN;
    return way < c->ways && (!run || way >= c->ways - c->sub_ways);
}

static void name_way(char *name, unsigned high, unsigned use, unsigned way)
{
    (void)high;
    snprintf(name, MP_RTL_POINT_NAME, "way %u: %s", way, uses[use]);
}

static bool has_next(const struct mesc_tlb_cover *c, unsigned kind, unsigned after, unsigned border)
{
    (void)after, (void)border;
    return c->sub_ways && kind != MESC_OF_INSERTION;
}

static void name_next(char *name, unsigned kind, unsigned after, unsigned border)
{
    snprintf(name, MP_RTL_POINT_NAME,
             after ? "%s: after a run that ends with subregion %u"
                   : "%s: before a run that begins after subregion %u",
             kinds[kind], border);
}

static bool has_side(const struct mesc_tlb_cover *c, unsigned high, unsigned side, unsigned border)
{
    (void)high;
    return c->sub_ways && (border || (side != MESC_SHARES_LAST && side != MESC_SHARES_FIRST));
}

static void name_side(char *name, unsigned high, unsigned side, unsigned border)
{
    (void)high;
    snprintf(name, MP_RTL_POINT_NAME, "run: %s %u", sides[side], border);
}

static bool has_reset(const struct mesc_tlb_cover *c, unsigned high, unsigned kind, unsigned clock)
{
    static const uint8_t most[MESC_KINDS][2] = {{3, 4}, {4, 4}, {3, 6}};
    (void)high;
    return clock < most[kind][c->sub_ways != 0];
}

static void name_reset(char *name, unsigned high, unsigned kind, unsigned clock)
{
    (void)high;
    snprintf(name, MP_RTL_POINT_NAME, "reset: in clock %u of an %s", clock + 1, kinds[kind]);
}

static bool has_set(const struct mesc_tlb_cover *c, unsigned high, unsigned middle, unsigned set)
{
    (void)high, (void)middle;
    return set < c->sets;
}

static void name_set(char *name, unsigned high, unsigned middle, unsigned set)
{
    (void)high, (void)middle;
    snprintf(name, MP_RTL_POINT_NAME, "reset: of a sweep at set %u", set);
}

static const struct row rows[] = {
    {MESC_RUN_OF, 1, 1, MESC_SUBREGIONS, has_runs, name_length},
    {MESC_OTHER_PAGE, MESC_KINDS, 2, MESC_TLB_VPN_W, has_page_bit, name_page},
    {MESC_OTHER_ASID, MESC_KINDS, 2, MESC_TLB_ASID_W, has_asid_bit, name_asid},
    {MESC_OTHER_FRAME, 1, 2, MESC_TLB_PFN_W, has_frame_bit, name_frame},
    {MESC_ASID_STAYS, 1, 1, MESC_TLB_ASID_W, has_all, name_stays},
    {MESC_CARRY, 1, 2, MESC_CARRIES, has_runs, name_carry},
    {MESC_WAY, 1, MESC_USES, MESC_TLB_MOST_WAYS, has_way, name_way},
    {MESC_NEXT_TO, MESC_KINDS, 2, BORDERS, has_next, name_next},
    {MESC_RUN_SIDE, 1, MESC_SIDES, BORDERS, has_side, name_side},
    {MESC_RESET, 1, MESC_KINDS, MESC_RESET_CLOCKS, has_reset, name_reset},
    {MESC_RESET_SET, 1, 1, MESC_TLB_MOST_SETS, has_set, name_set},
};

#define ROWS (sizeof rows / sizeof *rows)

static bool has_single(const struct mesc_tlb_cover *c, unsigned point)
{
    if (point == MESC_SEES_THREE || point == MESC_THREE_GO)
        return c->sub_ways >= 3;
    return point < MESC_SUBREGION_POINTS || c->sub_ways;
}

void mesc_tlb_cover_begin(struct mesc_tlb_cover *c)
{
    for (uint16_t p = 0; p < MESC_RUN_OF; p++)
        if (has_single(c, p))
            c->numbered[c->points++] = p;
    for (const struct row *r = rows; r < rows + ROWS; r++)
        for (unsigned i = 0; i < r->highs * r->middles * r->lows; i++)
            if (r->exists(c, i / r->lows / r->middles, i / r->lows % r->middles, i % r->lows))
                c->numbered[c->points++] = (uint16_t)(r->first + i);
}

bool mesc_tlb_cover_point(const struct mesc_tlb_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                          struct mp_rtl_point *point)
{
    const struct row *r = rows + ROWS - 1;
    if (number >= c->points)
        return false;
    unsigned p = c->numbered[number];
    *point = c->point[p];
    if (p < MESC_RUN_OF) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[p]);
        return true;
    }
    while (p < r->first)
        r--;
    p -= r->first;
    r->name(name, p / r->lows / r->middles, p / r->lows % r->middles, p % r->lows);
    return true;
}

/* ---- what is met ---- */

static void met(struct mesc_tlb_cover *c, unsigned point, bool is_met)
{
    mp_rtl_met(&c->point[point], is_met, *c->now);
}

static unsigned highest_bit(uint64_t of) /* not 0 */
{
    return 63u - (unsigned)__builtin_clzll(of);
}

static bool one_bit(uint64_t other)
{
    return other && !(other & (other - 1));
}

static bool maps(const struct mesc_way *w, bool subregions, uint16_t asid, uint64_t vpn)
{
    return w->pages && w->subregions == subregions && w->asid == asid && vpn - w->vpn < w->pages;
}

/* Entries of this type that map the page. */
static uint32_t count(const struct mesc_tlb_cover *c, const struct mesc_set *s, bool subregions,
                      uint16_t asid, uint64_t vpn)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < c->ways; w++)
        n += maps(&s->way[w], subregions, asid, vpn);
    return n;
}

/* The frame of page 0 of the 2 MB of a page with this frame. */
static uint64_t base_of(uint64_t vpn, uint64_t pfn)
{
    return (pfn - (vpn & OFFSET)) & PFN_MASK;
}

static void cover_carry(struct mesc_tlb_cover *c, bool inserted, uint64_t base, uint64_t pfn)
{
    if (base != pfn && highest_bit(base ^ pfn) >= MESC_FIRST_CARRY)
        met(c, MESC_CARRY + inserted * MESC_CARRIES + highest_bit(base ^ pfn) - MESC_FIRST_CARRY, base < pfn);
}

/* Pages of the 2 MB that the request concerns. */
struct part {
    uint32_t first, last;
};

static struct part part_of(const struct mesc_tlb_rtl_request *q)
{
    if (q->op == MESC_INSERT_SUBREGIONS)
        return (struct part){q->first * 64u, q->last * 64u + 63};
    return (struct part){q->vpn & OFFSET, q->vpn & OFFSET};
}

static struct part part_of_entry(const struct mesc_way *e)
{
    return (struct part){e->vpn & OFFSET, (e->vpn & OFFSET) + e->pages - 1};
}

static void cover_misses(struct mesc_tlb_cover *c, unsigned of, uint64_t page, unsigned asid)
{
    if (!asid && one_bit(page))
        met(c, MESC_OTHER_PAGE + of * MESC_TLB_VPN_W + highest_bit(page), true);
    if (!page && one_bit(asid))
        met(c, MESC_OTHER_ASID + of * MESC_TLB_ASID_W + highest_bit(asid), true);
}

/* An entry that the insertion overlaps. */
static void cover_alike(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                        const struct mesc_way *e)
{
    bool run = e->subregions;
    uint64_t frame = run ? base_of(q->vpn, q->pfn) ^ base_of(e->vpn, e->pfn) : q->pfn ^ e->pfn;
    bool permission = q->read_only != e->read_only;
    met(c, run ? MESC_RUN_PERMISSION : MESC_PAGE_PERMISSION, permission && !frame);
    if (one_bit(frame) && !permission)
        met(c, MESC_OTHER_FRAME + run * MESC_TLB_PFN_W + highest_bit(frame), true);
}

/* A subregion entry of the same 2 MB that the request does not overlap. */
static void cover_next(struct mesc_tlb_cover *c, enum mesc_tlb_kind kind, struct part q, struct part e)
{
    unsigned row = MESC_NEXT_TO + kind * 2 * BORDERS;
    if (kind == MESC_OF_INSERTION)
        return;
    if (q.last + 1 == e.first)
        met(c, row + q.last / 64, true);
    if (q.first == e.last + 1)
        met(c, row + BORDERS + e.last / 64, true);
}

/* A run to a subregion entry that continues it. */
static void cover_side(struct mesc_tlb_cover *c, struct part q, struct part e)
{
    const struct {
        bool is_met;
        uint32_t page; /* of the border's subregion */
    } side[MESC_SIDES] = {
        [MESC_BEGINS_AFTER] = {q.first == e.last + 1, e.last},
        [MESC_ENDS_BEFORE] = {q.last + 1 == e.first, q.last},
        [MESC_SHARES_LAST] = {q.first + 63 == e.last && e.first < q.first && q.last > e.last, q.first},
        [MESC_SHARES_FIRST] = {e.first + 63 == q.last && q.first < e.first && e.last > q.last, e.first},
        [MESC_BEGINS_ONE_BEFORE] = {q.first + 64 == e.first && q.last > e.first && q.last <= e.last, q.first},
        [MESC_ENDS_ONE_AFTER] = {q.last == e.last + 64 && q.first >= e.first && q.first < e.last, e.last},
    };
    for (unsigned s = 0; s < MESC_SIDES; s++)
        if (side[s].is_met)
            met(c, MESC_RUN_SIDE + s * BORDERS + side[s].page / 64, true);
}

/* What the request has in common with an entry of its set. */
static void cover_entry(struct mesc_tlb_cover *c, enum mesc_tlb_kind kind,
                        const struct mesc_tlb_rtl_request *q, const struct mesc_way *e)
{
    bool run = e->subregions;
    unsigned asid = c->asid[q->asid] ^ c->asid[e->asid];
    uint64_t page = q->vpn ^ e->vpn;
    struct part mine = part_of(q), its = part_of_entry(e);
    if (run)
        page &= ~(uint64_t)OFFSET;
    if (run && (mine.first > its.last || mine.last < its.first)) {
        if (!page && !asid)
            cover_next(c, kind, mine, its);
    } else if (page || asid) {
        cover_misses(c, kind * 2 + run, page, asid);
    } else if (kind == MESC_OF_INSERTION) {
        cover_alike(c, q, e);
    }
    if (run && kind == MESC_OF_INSERTION && !page && !asid &&
        base_of(q->vpn, q->pfn) == base_of(e->vpn, e->pfn) && q->read_only == e->read_only)
        cover_side(c, mine, its);
    if (kind == MESC_OF_LOOKUP && !page && asid && mine.first >= its.first && mine.last <= its.last) {
        met(c, MESC_SEES_ASID_0, !c->asid[e->asid]);
        met(c, MESC_SEES_ASID_ONES, c->asid[e->asid] == 0xff);
    }
}

static void cover_set(struct mesc_tlb_cover *c, enum mesc_tlb_kind kind, const struct mesc_tlb_rtl_request *q,
                      const struct mesc_set *s, bool runs)
{
    for (uint32_t w = 0; w < c->ways; w++)
        if (s->way[w].pages && s->way[w].subregions == runs)
            cover_entry(c, kind, q, &s->way[w]);
}

/* Of several entries that hit, neither is the set's most recent way, and the most recent of them is not the
 * lowest. */
static bool newer_is_higher(const struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                            const struct mesc_set *s)
{
    uint32_t lowest = c->ways, newest = c->ways;
    for (uint32_t w = 0; w < c->ways; w++) {
        if (!maps(&s->way[w], true, q->asid, q->vpn))
            continue;
        if (lowest == c->ways)
            lowest = w;
        if (newest == c->ways || s->way[w].rank < s->way[newest].rank)
            newest = w;
    }
    return newest != lowest && s->way[newest].rank;
}

static bool has_vacant(const struct mesc_tlb_cover *c, const struct mesc_set *s)
{
    for (uint32_t w = 0; w < c->ways; w++)
        if (!s->way[w].pages)
            return true;
    return false;
}

static void cover_lookup(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                         const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions,
                         const struct mesc_set *pages, uint32_t runs, uint32_t regular)
{
    const struct mesc_way *hit = &subregions->way[r->way];
    met(c, MESC_SEES_NONE, !runs && !regular);
    met(c, MESC_SEES_PAGE, !runs && regular);
    met(c, MESC_SEES_BOTH_TYPES, runs && regular);
    met(c, MESC_SEES_TWO_NEWEST, runs > 1 && !hit->rank);
    met(c, MESC_SEES_TWO_LOWEST, runs > 1 && hit->rank);
    met(c, MESC_SEES_TWO_NEWER_HIGHER, runs > 1 && newer_is_higher(c, q, subregions));
    met(c, MESC_SEES_THREE, runs > 2);
    met(c, MESC_SEES_ZEROS,
        !runs && !regular && !c->asid[q->asid] && q->vpn < c->sets && has_vacant(c, pages));
    met(c, MESC_SEES_FRAME_0, (runs || regular) && !r->pfn);
    met(c, MESC_SEES_FRAME_ONES, (runs || regular) && r->pfn == PFN_MASK);
    if (!runs) {
        met(c, MESC_WAY + MESC_WAY_HITS_PAGE * MESC_TLB_MOST_WAYS + r->way, regular != 0);
        return;
    }
    met(c, MESC_SEES_FIRST_PAGE, hit->vpn == q->vpn);
    met(c, MESC_SEES_LAST_PAGE, hit->vpn + hit->pages == q->vpn + 1);
    met(c, MESC_WAY + MESC_WAY_HITS_RUN * MESC_TLB_MOST_WAYS + r->way, true);
    cover_carry(c, false, base_of(hit->vpn, hit->pfn), r->pfn);
}

static void cover_evicted(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_response *r,
                          const struct mesc_way *was, unsigned page, unsigned run)
{
    bool evicts = r->action == MESC_EVICT;
    met(c, page, evicts && !was->subregions);
    met(c, run, evicts && was->subregions);
    met(c,
        MESC_WAY + (was->subregions ? MESC_WAY_LOSES_RUN : MESC_WAY_LOSES_PAGE) * MESC_TLB_MOST_WAYS + r->way,
        evicts);
}

static void cover_page(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_response *r,
                       const struct mesc_set *pages, uint32_t regular)
{
    bool written = r->action != MESC_UPDATE;
    met(c, MESC_PAGE_AGAIN, !written);
    met(c, MESC_PAGE_MOVED, written && regular);
    met(c, MESC_PAGE_VACANT, r->action == MESC_VACANT);
    met(c, MESC_PAGE_IN_PARTITION, written && r->way >= c->ways - c->sub_ways);
    cover_evicted(c, r, &pages->way[r->way], MESC_PAGE_EVICTS_PAGE, MESC_PAGE_EVICTS_RUN);
}

static void cover_run(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                      const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions)
{
    uint64_t frame = q->vpn >> 9 << 9, first = frame + q->first * 64u, end = frame + (q->last + 1) * 64u;
    const struct mesc_way *was = &subregions->way[r->way];
    uint32_t shorter = 0, longer = 0, moved = 0, part = 0;
    for (uint32_t w = 0; w < c->ways; w++) {
        const struct mesc_way *e = &subregions->way[w];
        if (!e->pages || !e->subregions || e->asid != q->asid || e->vpn >= end || e->vpn + e->pages <= first)
            continue;
        bool alike = e->pfn - e->vpn == q->pfn - q->vpn && e->read_only == q->read_only;
        bool covers = e->vpn <= first && e->vpn + e->pages >= end;
        bool covered = e->vpn >= first && e->vpn + e->pages <= end;
        moved += !alike;
        longer += alike && covers;
        shorter += alike && !covers && covered;
        part += alike && !covers && !covered;
    }
    met(c, MESC_RUN_AGAIN, longer && was->vpn == first && was->vpn + was->pages == end);
    met(c, MESC_RUN_COVERED, longer && was->vpn + was->pages > end);
    met(c, MESC_RUN_COVERED_TWICE, longer > 1);
    met(c, MESC_RUN_MOVED, moved != 0);
    met(c, MESC_RUN_GROWS, shorter == 1);
    met(c, MESC_RUN_JOINS, shorter > 1);
    met(c, MESC_RUN_OVERLAPS, part != 0);
    met(c, MESC_RUN_VACANT, r->action == MESC_VACANT);
    cover_evicted(c, r, was, MESC_RUN_EVICTS_PAGE, MESC_RUN_EVICTS_RUN);
    if (r->action == MESC_UPDATE)
        return;
    met(c, MESC_FRAME_BELOW_0, q->pfn < q->vpn - frame);
    met(c, MESC_RUN_OF + q->last - q->first, true);
    cover_carry(c, true, base_of(q->vpn, q->pfn), q->pfn);
}

static void cover_invalidation(struct mesc_tlb_cover *c, uint32_t runs, uint32_t regular)
{
    met(c, MESC_NOTHING_GOES, !runs && !regular);
    met(c, MESC_PAGE_GOES, !runs && regular);
    met(c, MESC_RUN_GOES, runs == 1 && !regular);
    met(c, MESC_RUNS_GO, runs > 1);
    met(c, MESC_THREE_GO, runs > 2);
    met(c, MESC_BOTH_GO, runs && regular);
}

static void cover_sweep(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                        const struct mesc_set *all)
{
    uint32_t mine = 0, valid = 0, entries = c->sets * c->ways;
    bool of_asid = q->op == MESC_INVALIDATE_ASID;
    for (uint32_t i = 0; i < entries; i++) {
        const struct mesc_way *e = &all[i / c->ways].way[i % c->ways];
        if (!e->pages)
            continue;
        valid++;
        mine += e->asid == q->asid;
        unsigned other = c->asid[e->asid] ^ c->asid[q->asid];
        if (of_asid && one_bit(other))
            met(c, MESC_ASID_STAYS + highest_bit(other), true);
    }
    met(c, MESC_ASID_GOES, of_asid);
    met(c, MESC_ASID_HAS_NONE, of_asid && !mine);
    met(c, MESC_ASID_HAS_ONE, of_asid && mine == 1);
    met(c, MESC_ASID_HAS_ALL, of_asid && mine == entries);
    met(c, MESC_ALL_GO, !of_asid);
    met(c, MESC_ALL_ARE_FULL, !of_asid && valid == entries);
}

static enum mesc_tlb_kind kind_of(const struct mesc_tlb_rtl_request *q)
{
    return q->op == MESC_LOOKUP            ? MESC_OF_LOOKUP
           : q->op == MESC_INVALIDATE_PAGE ? MESC_OF_INVALIDATION
                                           : MESC_OF_INSERTION;
}

static bool is_sweep(const struct mesc_tlb_rtl_request *q)
{
    return q->op == MESC_INVALIDATE_ASID || q->op == MESC_INVALIDATE_ALL;
}

void mesc_tlb_cover_request(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                            const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions,
                            const struct mesc_set *pages)
{
    if (is_sweep(q)) {
        cover_sweep(c, q, pages);
        return;
    }
    uint32_t runs = c->sub_ways ? count(c, subregions, true, q->asid, q->vpn) : 0;
    uint32_t regular = count(c, pages, false, q->asid, q->vpn);
    if (c->sub_ways && q->op != MESC_INSERT_PAGE)
        cover_set(c, kind_of(q), q, subregions, true);
    if (q->op != MESC_INSERT_SUBREGIONS && !(q->op == MESC_LOOKUP && runs))
        cover_set(c, kind_of(q), q, pages, false);
    switch (q->op) {
    case MESC_LOOKUP:
        cover_lookup(c, q, r, subregions, pages, runs, regular);
        break;
    case MESC_INSERT_SUBREGIONS:
        cover_run(c, q, r, subregions);
        break;
    case MESC_INSERT_PAGE:
        cover_page(c, r, pages, regular);
        break;
    default:
        cover_invalidation(c, runs, regular);
    }
}

void mesc_tlb_cover_reset(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q, uint32_t clocks)
{
    if (!is_sweep(q))
        met(c, MESC_RESET + kind_of(q) * MESC_RESET_CLOCKS + clocks - 1,
            clocks && clocks <= MESC_RESET_CLOCKS);
    else if ((clocks - 1) / SWEEP_SET < c->sets)
        met(c, MESC_RESET_SET + (clocks - 1) / SWEEP_SET, true);
}
