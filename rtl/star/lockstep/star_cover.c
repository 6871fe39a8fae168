/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/star/lockstep/star_cover.h"

#include <stdio.h>

#define TAG_W      (STAR_RTL_ASID_W + STAR_RTL_VPB_W)
#define COUNT_BITS 8u /* of a set's translations, 128 at most */
#define LAST_ASID  ((1u << STAR_RTL_ASID_W) - 1)
#define HALF       (STAR_RTL_SUBS / 2)
#define FOURTH     (STAR_RTL_SUBS / 4)

/* ---- which points there are ---- */

static unsigned bases_of(unsigned mode)
{
    return mode == 2 ? MP_STAR_BASES : mode + 1;
}

/* To fill the whole TLB takes long, so only the usual policies do. */
static unsigned count_bits(enum star_rtl_policy policy, uint32_t sets)
{
    unsigned bits = COUNT_BITS + (unsigned)__builtin_ctz(sets);
    return star_rtl_is_dynamic(policy) ? bits : COUNT_BITS;
}

/* The layouts of two bases that new entries of a policy get, of four with MODE 2. */
static unsigned layouts_of(unsigned mode, enum star_rtl_policy policy)
{
    return mode == 0 ? 0 : mode == 2 ? 4 : star_rtl_is_dynamic(policy) ? 2 : 1;
}

/* Actions that change the recency of a way that is not vacant, by mode: the first 2, 5 or 7. */
static const struct {
    enum star_rtl_action action;
    const char *name;
} recent[] = {{STAR_RTL_HIT, "hit"},        {STAR_RTL_UPDATE, "update"},      {STAR_RTL_REPLACE, "replace"},
              {STAR_RTL_REVERT, "revert"},  {STAR_RTL_SHARE_STRIDE, "share"}, {STAR_RTL_SHARE4, "share4"},
              {STAR_RTL_REVERT4, "revert4"}};

static unsigned recent_of(unsigned mode)
{
    return mode == 0 ? 2 : mode == 1 ? 5 : 7;
}

/* An entry with fewer sub-entries is shared and not evicted, unless it has as many bases as it can have. */
static unsigned least_evicted(unsigned mode)
{
    return bases_of(mode);
}

static unsigned points_of(enum star_group g, unsigned mode, enum star_rtl_policy policy, uint32_t sets)
{
    const bool shares = mode != 0;
    switch (g) {
    case STAR_MISS_NEAR:
        return bases_of(mode) * TAG_W;
    case STAR_MISS_SPECIAL:
    case STAR_ASID_SPECIAL:
        return 4;
    case STAR_ASID_NEAR:
        return bases_of(mode) * STAR_RTL_ASID_W;
    case STAR_PAGE_OTHERS:
        return layouts_of(mode, policy);
    case STAR_HIT_WAY:
    case STAR_EVICT_WAY:
        return STAR_RTL_WAYS;
    case STAR_SHARE_WAY:
        return shares * STAR_RTL_WAYS;
    case STAR_EVICT_GONE:
        return STAR_RTL_SUBS + 1 - least_evicted(mode);
    case STAR_OLDEST:
    case STAR_NEWEST:
        return recent_of(mode);
    case STAR_SHARE_TIE:
        return shares * (STAR_RTL_WAYS - 1);
    case STAR_SHARE_USED:
        return shares * (HALF - 1);
    case STAR_SHARE_ASID:
    case STAR_HALF_FULL:
        return shares;
    case STAR_SHARE_NEAR:
        return shares * STAR_RTL_ASID_W;
    case STAR_FOUR_FULL:
        return mode == 2 ? MP_STAR_BASES : 0;
    case STAR_FOUR_TIE:
        return mode == 2 ? 2 : 0;
    case STAR_SET_GONE:
        return COUNT_BITS;
    case STAR_GONE_BIT:
        return count_bits(policy, sets);
    case STAR_ASID_EVERY_SET:
    case STAR_ALL_EVERY_SET:
        return sets > 1;
    default:
        return 0;
    }
}

void star_cover_init(struct star_cover *c, unsigned mode, enum star_rtl_policy policy, uint32_t sets)
{
    *c = (struct star_cover){.now = c->now, .mode = mode, .sets = sets};
    for (unsigned g = 0; g < STAR_GROUPS; g++)
        c->first[g + 1] = c->first[g] + points_of((enum star_group)g, mode, policy, sets);
}

static void met(struct star_cover *c, enum star_group g, uint32_t number, bool is)
{
    if (c->first[g] + number < c->first[g + 1])
        mp_rtl_met(&c->point[c->first[g] + number], is, *c->now);
}

enum star_group star_cover_group(const struct star_cover *c, unsigned number, unsigned *in_group)
{
    unsigned g = 0;
    while (number >= c->first[g + 1])
        g++;
    *in_group = number - c->first[g];
    return (enum star_group)g;
}

/* ---- what a set holds ---- */

static uint32_t way_used(const struct mp_star_way *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < STAR_RTL_SUBS; i++)
        n += w->sub[i].valid;
    return n;
}

uint32_t star_set_used(const struct star_state *s)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        n += way_used(&s->way[w]);
    return n;
}

static bool holds_asid(const struct mp_star_way *w, uint16_t asid)
{
    bool holds = false;
    for (uint32_t b = 0; b < MP_STAR_BASES; b++)
        holds |= w->base[b].valid && w->base[b].asid == asid;
    return holds;
}

/* Sub-entries of a base. Base b of a layout has the slots whose bits outside `keep` are b. */
static uint32_t base_used(const struct mp_star_way *w, uint32_t base, uint32_t stride)
{
    uint32_t outside = ~mp_star_keep(w->layout, stride) & (STAR_RTL_SUBS - 1), n = 0;
    uint32_t mine = outside ? base << __builtin_ctz(outside) : 0;
    for (uint32_t i = 0; i < STAR_RTL_SUBS; i++)
        n += w->sub[i].valid && (i & outside) == mine;
    return n;
}

static uint32_t bases_used(const struct mp_star_way *w)
{
    uint32_t n = 0;
    for (uint32_t b = 0; b < MP_STAR_BASES; b++)
        n += w->base[b].valid;
    return n;
}

/* Whether a way is the least or the most recent one: its bit in each pair (mp_lru_order.sv). */
static bool is_extreme(uint32_t order, uint32_t way, bool newest)
{
    uint32_t pair = 0;
    for (uint32_t i = 0; i < STAR_RTL_WAYS; i++)
        for (uint32_t j = i + 1; j < STAR_RTL_WAYS; j++, pair++) {
            bool i_is_newer = order >> pair & 1;
            if ((i == way && i_is_newer != newest) || (j == way && i_is_newer == newest))
                return false;
        }
    return true;
}

/* ---- requests ---- */

static void cover_miss(struct star_cover *c, const struct star_rtl_request *q, const struct star_state *s)
{
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        for (uint32_t b = 0; b < MP_STAR_BASES; b++) {
            if (!s->way[w].base[b].valid)
                continue;
            const uint16_t asid = s->way[w].base[b].asid;
            const uint64_t other = s->way[w].base[b].base ^ q->vpn / STAR_RTL_SUBS;
            const uint64_t tag = other / c->sets | (uint64_t)(uint16_t)(asid ^ q->asid) << STAR_RTL_VPB_W;
            if (!other && asid != q->asid) {
                met(c, STAR_MISS_SPECIAL, 0, !asid);
                met(c, STAR_MISS_SPECIAL, 1, !q->asid);
                met(c, STAR_MISS_SPECIAL, 2, asid == LAST_ASID);
                met(c, STAR_MISS_SPECIAL, 3, q->asid == LAST_ASID);
            }
            if (tag && !(tag & (tag - 1)))
                met(c, STAR_MISS_NEAR, b * TAG_W + (uint32_t)__builtin_ctzll(tag), true);
        }
}

static void cover_asid(struct star_cover *c, const struct star_rtl_request *q, const struct star_state *s)
{
    bool goes = false;
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        goes |= holds_asid(&s->way[w], q->asid);
    met(c, STAR_ASID_SPECIAL, 0, goes && !q->asid);
    met(c, STAR_ASID_SPECIAL, 1, goes && q->asid == LAST_ASID);
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        for (uint32_t b = 0; b < MP_STAR_BASES; b++) {
            uint32_t other = s->way[w].base[b].asid ^ q->asid;
            if (!s->way[w].base[b].valid || !other)
                continue;
            met(c, STAR_ASID_SPECIAL, 2, !s->way[w].base[b].asid);
            met(c, STAR_ASID_SPECIAL, 3, s->way[w].base[b].asid == LAST_ASID);
            if (!(other & (other - 1)))
                met(c, STAR_ASID_NEAR, b * STAR_RTL_ASID_W + (uint32_t)__builtin_ctz(other), true);
        }
}

/* The slot of the invalidated page held another index of its base. */
static void cover_page(struct star_cover *c, const struct star_rtl_request *q, const struct star_state *s,
                       uint32_t stride)
{
    static const uint8_t number[] = {[MP_STAR_SEQUENTIAL] = 0,
                                     [MP_STAR_STRIDE] = 1,
                                     [MP_STAR_FOUR | MP_STAR_SEQUENTIAL] = 2,
                                     [MP_STAR_FOUR | MP_STAR_STRIDE] = 3};
    const uint32_t index = (uint32_t)q->vpn % STAR_RTL_SUBS;
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++)
        for (uint32_t b = 0; b < MP_STAR_BASES; b++) {
            const struct mp_star_way *way = &s->way[w];
            if (!way->base[b].valid || way->base[b].asid != q->asid ||
                way->base[b].base != q->vpn / STAR_RTL_SUBS || !way->layout)
                continue;
            uint32_t keep = mp_star_keep(way->layout, stride), outside = ~keep & (STAR_RTL_SUBS - 1);
            uint32_t slot = (index & keep) | b << __builtin_ctz(outside);
            if (way->sub[slot].valid) /* and nothing is gone */
                met(c, STAR_PAGE_OTHERS,
                    c->first[STAR_PAGE_OTHERS + 1] - c->first[STAR_PAGE_OTHERS] == 1 ? 0
                                                                                     : number[way->layout],
                    true);
        }
}

/* The key by which an entry is chosen to be shared, lower first; UINT32_MAX if it may not be. near: an
 * address space that counts as the request's, too. */
static uint32_t key_of(const struct star_cover *c, const struct mp_star_way *w, uint16_t asid, uint16_t near,
                       uint32_t stride)
{
    const uint32_t used = way_used(w);
    const uint32_t theirs = !(holds_asid(w, asid) || holds_asid(w, near));
    if (star_way_vacant(w) || !c->mode)
        return UINT32_MAX;
    if (!w->layout)
        return used < HALF ? theirs << 5 | used : UINT32_MAX;
    if (c->mode != 2 || bases_used(w) == MP_STAR_BASES)
        return UINT32_MAX;
    const uint32_t places = w->layout & MP_STAR_FOUR ? MP_STAR_BASES : 2;
    for (uint32_t b = 0; b < places; b++)
        if (base_used(w, b, stride) >= FOURTH)
            return UINT32_MAX;
    return 1u << 6 | theirs << 5 | used;
}

static uint32_t chosen(const struct star_cover *c, const struct star_state *s, uint16_t asid, uint16_t near,
                       uint32_t stride)
{
    uint32_t best = 0;
    for (uint32_t w = 1; w < STAR_RTL_WAYS; w++)
        if (key_of(c, &s->way[w], asid, near, stride) < key_of(c, &s->way[best], asid, near, stride))
            best = w;
    return best;
}

static void cover_share(struct star_cover *c, const struct star_rtl_request *q, uint32_t way,
                        const struct star_state *s, uint32_t stride)
{
    const uint32_t key = key_of(c, &s->way[way], q->asid, q->asid, stride);
    uint32_t equal = 0;
    bool fewer = false;
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++) {
        uint32_t other = key_of(c, &s->way[w], q->asid, q->asid, stride);
        equal += other == key;
        fewer |= other != UINT32_MAX && other > key && (other & 31) < (key & 31);
    }
    met(c, STAR_SHARE_WAY, way, true);
    if (equal > 1)
        met(c, STAR_SHARE_TIE, equal - 2, true);
    if (!s->way[way].layout)
        met(c, STAR_SHARE_USED, (key & 31) - 1, true);
    met(c, STAR_SHARE_ASID, 0, fewer);
    for (uint32_t bit = 0; bit < STAR_RTL_ASID_W; bit++)
        met(c, STAR_SHARE_NEAR, bit, chosen(c, s, q->asid, q->asid ^ (uint16_t)(1u << bit), stride) != way);
}

/* Entries that would have been chosen if they had one sub-entry less, or one base less of it. key: the chosen
 * one's, or UINT32_MAX. */
static void cover_nearly_shared(struct star_cover *c, const struct star_rtl_request *q,
                                const struct star_state *s, uint32_t key, uint32_t stride)
{
    for (uint32_t w = 0; w < STAR_RTL_WAYS; w++) {
        const struct mp_star_way *e = &s->way[w];
        const uint32_t used = way_used(e), theirs = !holds_asid(e, q->asid);
        uint32_t full = MP_STAR_BASES, n = 0;
        met(c, STAR_HALF_FULL, 0, !e->layout && used == HALF && (theirs << 5 | used) < key);
        if (!e->layout || bases_used(e) == MP_STAR_BASES || (1u << 6 | theirs << 5 | used) >= key)
            continue;
        for (uint32_t b = 0; b < MP_STAR_BASES; b++)
            if (e->base[b].valid && base_used(e, b, stride) >= FOURTH) {
                full = b;
                n++;
            }
        if (n == 1)
            met(c, STAR_FOUR_FULL, full, base_used(e, full, stride) == FOURTH);
    }
}

static void cover_eviction(struct star_cover *c, uint32_t way, const struct star_state *s)
{
    met(c, STAR_EVICT_WAY, way, true);
    met(c, STAR_EVICT_GONE, way_used(&s->way[way]) - least_evicted(c->mode), true);
}

/* Of the three other bases of an entry of four, the one with most sub-entries stays with the request's. */
static void cover_revert4(struct star_cover *c, const struct star_rtl_request *q, const struct mp_star_way *w,
                          uint32_t stride)
{
    uint32_t most = 0, equal = 0;
    for (uint32_t b = 0; b < MP_STAR_BASES; b++) {
        if (w->base[b].valid && w->base[b].asid == q->asid && w->base[b].base == q->vpn / STAR_RTL_SUBS)
            continue;
        uint32_t used = w->base[b].valid ? base_used(w, b, stride) : 0;
        equal = used > most ? 1 : equal + (used == most);
        most = used > most ? used : most;
    }
    if (most && equal > 1)
        met(c, STAR_FOUR_TIE, equal - 2, true);
}

static void cover_insertion(struct star_cover *c, const struct star_rtl_request *q,
                            const struct star_rtl_response *r, const struct star_state *before,
                            uint32_t stride)
{
    switch (r->action) {
    case STAR_RTL_SHARE_SEQUENTIAL:
    case STAR_RTL_SHARE_STRIDE:
    case STAR_RTL_SHARE4:
        cover_share(c, q, r->way, before, stride);
        cover_nearly_shared(c, q, before, key_of(c, &before->way[r->way], q->asid, q->asid, stride), stride);
        break;
    case STAR_RTL_REVERT4:
        cover_revert4(c, q, &before->way[r->way], stride);
        break;
    case STAR_RTL_EVICT:
        cover_eviction(c, r->way, before);
        cover_nearly_shared(c, q, before, UINT32_MAX, stride);
        break;
    default:
        break;
    }
}

static void cover_recency(struct star_cover *c, const struct star_rtl_response *r,
                          const struct star_state *before)
{
    for (unsigned i = 0; i < recent_of(c->mode); i++)
        if (r->action == recent[i].action ||
            (r->action == STAR_RTL_SHARE_SEQUENTIAL && recent[i].action == STAR_RTL_SHARE_STRIDE)) {
            met(c, STAR_OLDEST, i, is_extreme(before->order, r->way, false));
            met(c, STAR_NEWEST, i, is_extreme(before->order, r->way, true));
        }
}

void star_cover_request(struct star_cover *c, const struct star_rtl_request *q,
                        const struct star_rtl_response *r, const struct star_state *before,
                        const struct star_state *after, uint32_t stride)
{
    switch (q->op) {
    case STAR_RTL_LOOKUP:
        if (r->action == STAR_RTL_MISS)
            cover_miss(c, q, before);
        else
            met(c, STAR_HIT_WAY, r->way, true);
        break;
    case STAR_RTL_INSERT:
        cover_insertion(c, q, r, before, stride);
        break;
    case STAR_RTL_INVALIDATE_PAGE:
        if (!r->gone)
            cover_page(c, q, before, stride);
        return;
    default: {
        uint32_t lost = star_set_used(before) - star_set_used(after);
        if (q->op == STAR_RTL_INVALIDATE_ASID)
            cover_asid(c, q, before);
        if (lost && !(lost & (lost - 1)))
            met(c, STAR_SET_GONE, (uint32_t)__builtin_ctz(lost), true);
        return;
    }
    }
    cover_recency(c, r, before);
}

void star_cover_sweep(struct star_cover *c, const struct star_rtl_request *q, uint32_t gone, bool every_set)
{
    const bool asid = q->op == STAR_RTL_INVALIDATE_ASID;
    for (uint32_t bit = 0; gone >> bit; bit++)
        met(c, STAR_GONE_BIT, bit, gone >> bit & 1);
    met(c, asid ? STAR_ASID_EVERY_SET : STAR_ALL_EVERY_SET, 0, every_set);
}

/* ---- names ---- */

/* Prints "0" or "255", of the entry or of the request. */
static void name_special(char *name, const char *what, unsigned n)
{
    snprintf(name, MP_RTL_POINT_NAME, "%s %u %s", what, n / 2 * LAST_ASID,
             n % 2 ? "of the request" : "of an entry");
}

static void name_point(char *name, enum star_group g, unsigned n, unsigned mode)
{
    static const char *const layouts[] = {"sequential", "stride", "sequential4", "stride4"};
    static const char *const asids[] = {"0 goes", "255 goes", "0 stays", "255 stays"};
    const size_t size = MP_RTL_POINT_NAME;
    switch (g) {
    case STAR_MISS_NEAR:
        snprintf(name, size, "miss: base %u differs in bit %u of the tag", n / TAG_W, n % TAG_W);
        return;
    case STAR_MISS_SPECIAL:
        name_special(name, "miss: the same base in address space", n);
        return;
    case STAR_ASID_NEAR:
        snprintf(name, size, "invalidate asid: base %u differs in bit %u", n / STAR_RTL_ASID_W,
                 n % STAR_RTL_ASID_W);
        return;
    case STAR_ASID_SPECIAL:
        snprintf(name, size, "invalidate asid: address space %s", asids[n]);
        return;
    case STAR_PAGE_OTHERS:
        snprintf(name, size, "invalidate page: slot another index's, %s", layouts[n]);
        return;
    case STAR_HIT_WAY:
        snprintf(name, size, "hit: way %u", n);
        return;
    case STAR_EVICT_WAY:
        snprintf(name, size, "evict: way %u", n);
        return;
    case STAR_SHARE_WAY:
        snprintf(name, size, "share: way %u", n);
        return;
    case STAR_EVICT_GONE:
        snprintf(name, size, "evict: %u translations", n + least_evicted(mode));
        return;
    case STAR_OLDEST:
        snprintf(name, size, "%s: the least recent way", recent[n].name);
        return;
    case STAR_NEWEST:
        snprintf(name, size, "%s: the most recent way", recent[n].name);
        return;
    case STAR_SHARE_TIE:
        snprintf(name, size, "share: the lowest of %u equal entries", n + 2);
        return;
    case STAR_SHARE_USED:
        snprintf(name, size, "share: an entry with %u translations", n + 1);
        return;
    case STAR_SHARE_ASID:
        snprintf(name, size, "share: the same address space, others have fewer");
        return;
    case STAR_SHARE_NEAR:
        snprintf(name, size, "share: address spaces differ in bit %u", n);
        return;
    case STAR_HALF_FULL:
        snprintf(name, size, "not shared: half of the sub-entries are valid");
        return;
    case STAR_FOUR_FULL:
        snprintf(name, size, "not shared: only base %u has four sub-entries", n);
        return;
    case STAR_FOUR_TIE:
        snprintf(name, size, "revert4: the lowest of %u equal bases", n + 2);
        return;
    case STAR_SET_GONE:
        snprintf(name, size, "sweep: a set loses %u translations", 1u << n);
        return;
    case STAR_GONE_BIT:
        snprintf(name, size, "sweep: bit %u of the count", n);
        return;
    case STAR_ASID_EVERY_SET:
        snprintf(name, size, "invalidate asid: every set loses translations");
        return;
    default:
        snprintf(name, size, "invalidate all: every set loses translations");
    }
}

bool star_cover_point(const struct star_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                      struct mp_rtl_point *point)
{
    unsigned in_group;
    if (number >= c->first[STAR_GROUPS])
        return false;
    enum star_group g = star_cover_group(c, number, &in_group);
    name_point(name, g, in_group, c->mode);
    *point = c->point[number];
    return true;
}
