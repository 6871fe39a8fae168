/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/mesc_tlb_cover.h"

#include <stdio.h>

static void met(struct mesc_tlb_cover *c, struct mp_rtl_point *point, bool is_met)
{
    mp_rtl_met(point, is_met, *c->now);
}

static const char *const names[MESC_POINTS] = {
    [MESC_SEES_NONE] = "lookup: misses",
    [MESC_SEES_PAGE] = "lookup: a regular entry",
    [MESC_PAGE_AGAIN] = "page: is there",
    [MESC_PAGE_MOVED] = "page: is there with another frame or permission",
    [MESC_PAGE_VACANT] = "page: takes a vacant way",
    [MESC_PAGE_EVICTS_PAGE] = "page: evicts a regular entry",
    [MESC_PAGE_GOES] = "invalidation: of a regular entry",
    [MESC_NOTHING_GOES] = "invalidation: of a page without an entry",
    [MESC_ASID_GOES] = "invalidation: of an address space",
    [MESC_ALL_GO] = "invalidation: of all",
    [MESC_SEES_FIRST_PAGE] = "lookup: the first page of a subregion entry",
    [MESC_SEES_LAST_PAGE] = "lookup: the last page of a subregion entry",
    [MESC_SEES_PAGE_BEFORE] = "lookup: the page before a subregion entry",
    [MESC_SEES_PAGE_AFTER] = "lookup: the page after a subregion entry",
    [MESC_SEES_BOTH_TYPES] = "lookup: a page with entries of both types",
    [MESC_SEES_TWO_NEWEST] = "lookup: two subregion entries, the most recent way",
    [MESC_SEES_TWO_LOWEST] = "lookup: two subregion entries, the lowest way",
    [MESC_PAGE_IN_PARTITION] = "page: takes a way of the partition",
    [MESC_PAGE_EVICTS_RUN] = "page: evicts a subregion entry",
    [MESC_RUN_AGAIN] = "run: is there",
    [MESC_RUN_COVERED] = "run: a longer one is there",
    [MESC_RUN_COVERED_TWICE] = "run: two longer ones are there",
    [MESC_RUN_GROWS] = "run: replaces a shorter one",
    [MESC_RUN_JOINS] = "run: replaces two shorter ones",
    [MESC_RUN_MOVED] = "run: replaces one with other frames",
    [MESC_RUN_OVERLAPS] = "run: overlaps one that stays",
    [MESC_RUN_VACANT] = "run: takes a vacant way",
    [MESC_RUN_EVICTS_RUN] = "run: evicts a subregion entry",
    [MESC_RUN_EVICTS_PAGE] = "run: evicts a regular entry",
    [MESC_RUN_GOES] = "invalidation: of a subregion entry",
    [MESC_RUNS_GO] = "invalidation: of two subregion entries",
    [MESC_BOTH_GO] = "invalidation: of entries of both types",
    [MESC_FRAME_BELOW_0] = "run: page 0 of its frame would be below frame 0",
};

static bool maps(const struct mesc_way *w, bool subregions, uint16_t asid, uint64_t vpn)
{
    return w->pages && w->subregions == subregions && w->asid == asid && vpn - w->vpn < w->pages;
}

/* Entries of this type that map the page. */
static uint32_t count(const struct mesc_set *s, uint32_t ways, bool subregions, uint16_t asid, uint64_t vpn)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < ways; w++)
        n += maps(&s->way[w], subregions, asid, vpn);
    return n;
}

static void cover_lookup(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                         const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions,
                         uint32_t runs, uint32_t regular, uint32_t ways)
{
    const struct mesc_way *hit = &subregions->way[r->way];
    met(c, &c->taken[MESC_SEES_NONE], !runs && !regular);
    met(c, &c->taken[MESC_SEES_PAGE], !runs && regular);
    met(c, &c->taken[MESC_SEES_BOTH_TYPES], runs && regular);
    met(c, &c->taken[MESC_SEES_TWO_NEWEST], runs > 1 && !hit->rank);
    met(c, &c->taken[MESC_SEES_TWO_LOWEST], runs > 1 && hit->rank);
    met(c, &c->taken[MESC_SEES_FIRST_PAGE], runs && hit->vpn == q->vpn);
    met(c, &c->taken[MESC_SEES_LAST_PAGE], runs && hit->vpn + hit->pages == q->vpn + 1);
    if (runs)
        return;
    met(c, &c->taken[MESC_SEES_PAGE_BEFORE], count(subregions, ways, true, q->asid, q->vpn + 1));
    met(c, &c->taken[MESC_SEES_PAGE_AFTER], count(subregions, ways, true, q->asid, q->vpn - 1));
}

static void cover_page(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_response *r,
                       const struct mesc_set *pages, uint32_t regular, uint32_t first_sub_way)
{
    const struct mesc_way *was = &pages->way[r->way];
    bool written = r->action != MESC_UPDATE;
    met(c, &c->taken[MESC_PAGE_AGAIN], !written);
    met(c, &c->taken[MESC_PAGE_MOVED], written && regular);
    met(c, &c->taken[MESC_PAGE_VACANT], r->action == MESC_VACANT);
    met(c, &c->taken[MESC_PAGE_EVICTS_PAGE], r->action == MESC_EVICT && !was->subregions);
    met(c, &c->taken[MESC_PAGE_EVICTS_RUN], r->action == MESC_EVICT && was->subregions);
    met(c, &c->taken[MESC_PAGE_IN_PARTITION], written && r->way >= first_sub_way);
}

static void cover_run(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                      const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions, uint32_t ways)
{
    uint64_t frame = q->vpn >> 9 << 9, first = frame + q->first * 64u, end = frame + (q->last + 1) * 64u;
    const struct mesc_way *was = &subregions->way[r->way];
    uint32_t shorter = 0, longer = 0, moved = 0, part = 0;
    for (uint32_t w = 0; w < ways; w++) {
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
    met(c, &c->taken[MESC_RUN_AGAIN], longer && was->vpn == first && was->vpn + was->pages == end);
    met(c, &c->taken[MESC_RUN_COVERED], longer && was->vpn + was->pages > end);
    met(c, &c->taken[MESC_RUN_COVERED_TWICE], longer > 1);
    met(c, &c->taken[MESC_RUN_MOVED], moved != 0);
    met(c, &c->taken[MESC_RUN_GROWS], shorter == 1);
    met(c, &c->taken[MESC_RUN_JOINS], shorter > 1);
    met(c, &c->taken[MESC_RUN_OVERLAPS], part != 0);
    met(c, &c->taken[MESC_RUN_VACANT], r->action == MESC_VACANT);
    met(c, &c->taken[MESC_RUN_EVICTS_RUN], r->action == MESC_EVICT && was->subregions);
    met(c, &c->taken[MESC_RUN_EVICTS_PAGE], r->action == MESC_EVICT && !was->subregions);
    if (r->action == MESC_UPDATE)
        return;
    met(c, &c->taken[MESC_FRAME_BELOW_0], q->pfn < q->vpn - frame);
    met(c, &c->run[q->last - q->first], true);
}

void mesc_tlb_cover_request(struct mesc_tlb_cover *c, const struct mesc_tlb_rtl_request *q,
                            const struct mesc_tlb_rtl_response *r, const struct mesc_set *subregions,
                            const struct mesc_set *pages, uint32_t ways, uint32_t sub_ways)
{
    uint32_t runs = c->subregions ? count(subregions, ways, true, q->asid, q->vpn) : 0;
    uint32_t regular = count(pages, ways, false, q->asid, q->vpn);
    switch (q->op) {
    case MESC_LOOKUP:
        cover_lookup(c, q, r, subregions, runs, regular, ways);
        break;
    case MESC_INSERT_SUBREGIONS:
        cover_run(c, q, r, subregions, ways);
        break;
    case MESC_INSERT_PAGE:
        cover_page(c, r, pages, regular, ways - sub_ways);
        break;
    case MESC_INVALIDATE_PAGE:
        met(c, &c->taken[MESC_NOTHING_GOES], !runs && !regular);
        met(c, &c->taken[MESC_PAGE_GOES], !runs && regular);
        met(c, &c->taken[MESC_RUN_GOES], runs == 1 && !regular);
        met(c, &c->taken[MESC_RUNS_GO], runs > 1);
        met(c, &c->taken[MESC_BOTH_GO], runs && regular);
        break;
    case MESC_INVALIDATE_ASID:
        met(c, &c->taken[MESC_ASID_GOES], true);
        break;
    default:
        met(c, &c->taken[MESC_ALL_GO], true);
    }
}

bool mesc_tlb_cover_point(const struct mesc_tlb_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                          struct mp_rtl_point *point)
{
    unsigned points = c->subregions ? MESC_POINTS : MESC_SUBREGION_POINTS;
    if (number < points) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        *point = c->taken[number];
        return true;
    }
    number -= points;
    if (!c->subregions || number >= MESC_SUBREGIONS)
        return false;
    snprintf(name, MP_RTL_POINT_NAME, "run: of subregions: %u", number + 1);
    *point = c->run[number];
    return true;
}
