/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random requests. Each phase draws a few frames of 2 MB, whose tags differ in one bit so that
 * each bit of a comparison matters, few or many sets, how pages are mapped, and the share of each kind of
 * request, so that ways fill up and both types compete for the partition. In some phases runs of subregions
 * are those that walks find: the longest ones of a frame. In the others they begin and end anywhere.
 *
 * In most phases some requests are near misses of an entry that is there: the same page in another address
 * space, another page, frame or permission, each by one bit, or a run that begins or ends next to the
 * entry's. Half of these aim at points of coverage that are still open. Some phases fill all ways of all sets
 * before an invalidation, and some are short and consist of invalidations of few entries. */
#include "engine/tenant.h"
#include "rtl/lockstep/random.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_cover.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_lockstep.h"

#define FRAME_W   9u /* page of a frame of 2 MB */
#define ASID_W    3u /* of the model */
#define NUMBER_W  (MESC_TLB_VPN_W - FRAME_W)
#define VARIANTS  4u
#define OFFSET    ((1u << FRAME_W) - 1)
#define VPN_MASK  ((UINT64_C(1) << MESC_TLB_VPN_W) - 1)
#define PFN_MASK  ((UINT64_C(1) << MESC_TLB_PFN_W) - 1)
#define PFN_LIMIT (PFN_MASK - OFFSET)
#define BORDERS   (MESC_SUBREGIONS - 1)

struct phase {
    uint64_t left;
    uint64_t tag;              /* asid and the frame's number, without the bits of the set */
    uint32_t tags, set, sets;  /* a set: set + something below sets */
    uint32_t lookups, pages;   /* percent; of the rest: */
    uint32_t runs;             /* percent of the insertions */
    uint32_t near;             /* percent of the requests */
    uint32_t variants;         /* different mappings of a page */
    uint64_t anchor[VARIANTS]; /* frame of page 0 of each 2 MB, of each variant */
    uint32_t cuts;             /* a bit for each border of subregions at which runs end; drawn if 0 */
    uint32_t fills;            /* entries that it inserts to fill the sets; 0: other requests */
    uint32_t sweeps;           /* percent of the requests that invalidate more than a page */
    bool overlaps;             /* near misses are runs of one set that overlap */
    bool offsets;              /* few pages of a frame, otherwise any */
    bool rough;                /* manner.h */
};

/* What makes requests. */
struct maker {
    struct mesc_tlb_lockstep *l;
    const struct mesc_tlb_rtl *rtl;
    struct phase p;
    uint16_t open[MESC_POINTS]; /* points that were open when the phase began */
    unsigned opens;
    uint32_t set; /* in which an entry was looked for last */
    uint64_t random;
};

static uint32_t less(struct maker *m, uint32_t bound)
{
    return below(&m->random, bound);
}

static uint64_t any(struct maker *m)
{
    return draw(&m->random);
}

/* ---- phases ---- */

/* Each variant differs from the first in one bit. Some anchors are so low that page 0 of the frame would be
 * below frame 0; a run's first page is not. */
static void begin_mapping(struct maker *m)
{
    struct phase *p = &m->p;
    uint64_t anchor = any(m) >> (64 - MESC_TLB_PFN_W);
    p->variants = 1 + less(m, VARIANTS);
    for (uint32_t v = 0; v < VARIANTS; v++)
        p->anchor[v] = v ? anchor ^ UINT64_C(1) << less(m, MESC_TLB_PFN_W) : anchor;
    p->cuts = less(m, 2) ? less(m, 128) | 128 : 0;
}

/* Half of the phases keep the pages and mappings of the previous one. */
static void begin(struct maker *m)
{
    static const uint32_t pages[] = {0, 3, 6, 20, 50, 80}, runs[] = {0, 5, 30, 60, 95, 100};
    static const uint32_t near[] = {0, 20, 50, 80};
    struct phase *p = &m->p;
    if (!p->tags || less(m, 2)) {
        p->tag = any(m);
        p->tags = 2 + less(m, 1u << (2 + less(m, 5)));
        p->set = less(m, m->rtl->sets);
        p->sets = 1u << less(m, 6);
        p->offsets = less(m, 2);
        begin_mapping(m);
    }
    p->rough = !less(m, 3);
    p->left = 64u << less(m, 6);
    p->pages = pages[less(m, sizeof pages / sizeof *pages)];
    p->lookups = 5 + less(m, 90 - p->pages);
    p->runs = runs[less(m, sizeof runs / sizeof *runs)];
    p->near = near[less(m, sizeof near / sizeof *near)];
    p->fills = p->sweeps = 0;
    p->overlaps = false;
    switch (less(m, 12)) {
    case 0:
        p->fills = m->rtl->sets * m->rtl->ways;
        p->left = p->fills + less(m, 8);
        p->rough = !less(m, 8);
        break;
    case 1:
        p->sweeps = 25;
        p->rough = less(m, 2);
        p->left = 8u << less(m, 4);
        break;
    case 2:
        p->overlaps = true;
        p->near = 90;
        p->runs = 60;
        m->set = p->set;
        break;
    default:
        break;
    }
    m->opens = mesc_tlb_lockstep_open(m->l, m->open);
}

/* ---- requests for the pages of a phase ---- */

/* The first tag is the phase's. Each other tag differs in one bit from it, or from its neighbour. */
static uint64_t tag_of(const struct phase *p, uint32_t number, uint32_t width)
{
    uint64_t tag = p->tag ^ (number > width ? UINT64_C(1) << number % width : 0);
    return number ? tag ^ UINT64_C(1) << (number - 1) % width : tag;
}

/* A page whose tag is 0, as that of a vacant way, often in address space 0. */
static void place_at_0(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    const uint8_t *asid = mesc_tlb_lockstep_asids(m->l);
    q->vpn = (uint64_t)less(m, m->rtl->sets) << (less(m, 2) ? FRAME_W : 0);
    for (uint16_t i = 0; i < MP_ASIDS; i++)
        if (!asid[i])
            q->asid = i;
}

/* A page of the phase, and its address space. */
static void place(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    const struct phase *p = &m->p;
    uint32_t sets = m->rtl->sets;
    unsigned set_bits = (unsigned)__builtin_ctz(sets), upper = NUMBER_W - set_bits;
    uint64_t tag = tag_of(p, less(m, p->tags), upper + ASID_W), r = any(m);
    uint64_t number = (tag & ((UINT64_C(1) << upper) - 1)) << set_bits;
    uint32_t offset = (uint32_t)(r >> 40) & OFFSET;
    q->asid = (uint16_t)(tag >> upper & (MP_ASIDS - 1));
    number |= (p->set + (uint32_t)(r & (p->sets - 1))) % sets;
    if (p->offsets) /* one regular set, or the first or last page of a subregion */
        offset = r >> 32 & 1 ? (offset & ~(sets - 1)) | p->set : (offset & 0x1c0) | (r >> 33 & 1 ? 63 : 0);
    q->vpn = number << FRAME_W | offset;
    if (!less(m, 128))
        place_at_0(m, q);
}

static uint32_t subregion_of(uint64_t vpn)
{
    return (uint32_t)(vpn >> 6) % MESC_SUBREGIONS;
}

/* The run of the page's subregion. */
static void choose_run(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    uint32_t cuts = m->p.cuts;
    if (!cuts || !less(m, 64))
        cuts = (uint32_t)(any(m) & any(m)) & 127;
    q->first = q->last = (uint8_t)subregion_of(q->vpn);
    while (q->first && !(cuts >> (q->first - 1) & 1))
        q->first--;
    while (q->last < MESC_SUBREGIONS - 1 && !(cuts >> q->last & 1))
        q->last++;
}

/* The frame of the page in a variant. Frames that no memory has are replaced by ones near 0. */
static void map(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    uint32_t variant = less(m, m->p.variants), offset = (uint32_t)q->vpn & OFFSET;
    uint64_t anchor = m->p.anchor[variant];
    q->read_only = variant == 3 || !less(m, 64);
    if (anchor > PFN_LIMIT)
        anchor = less(m, 2) ? 0 : PFN_LIMIT;
    q->pfn = anchor + offset;
    if (!less(m, 8)) /* the run begins at one of the first frames */
        q->pfn = offset - q->first * 64u + (variant & 1);
}

static void make(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    const struct phase *p = &m->p;
    uint32_t kind = less(m, 100);
    place(m, q);
    if (kind < p->lookups)
        q->op = MESC_LOOKUP;
    else if (kind < p->lookups + p->pages)
        q->op = MESC_INVALIDATE_PAGE;
    else if (m->rtl->sub_ways && less(m, 100) < p->runs)
        q->op = MESC_INSERT_SUBREGIONS;
    q->first = q->last = (uint8_t)subregion_of(q->vpn);
    if (q->op == MESC_INSERT_SUBREGIONS)
        choose_run(m, q);
    if (q->op == MESC_INSERT_PAGE || q->op == MESC_INSERT_SUBREGIONS)
        map(m, q);
}

/* ---- requests that fill all sets ---- */

/* Entries of one address space, or of all; pages, or runs in turn. */
static void fill(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    const struct phase *p = &m->p;
    uint32_t left = (uint32_t)p->left, sets = m->rtl->sets;
    uint64_t number = left / sets ^ p->tag % (UINT64_C(1) << 18);
    bool run = m->rtl->sub_ways && p->runs == 60 && left & 64;
    q->asid = (uint16_t)((p->tag >> 40) + (p->tags & 1 ? 0 : left)) % MP_ASIDS;
    q->op = run ? MESC_INSERT_SUBREGIONS : MESC_INSERT_PAGE;
    q->vpn = number * sets + left % sets;
    if (run)
        q->vpn <<= FRAME_W;
    q->first = q->last = (uint8_t)subregion_of(q->vpn);
    map(m, q);
}

/* ---- near misses ---- */

/* How a request differs from the entry that it is made of. */
enum other { SAME, OTHER_PAGE, OTHER_ASID, OTHER_FRAME, OTHER_PERMISSION, NEXT_TO, CARRY, EXTREME, OTHERS };

/* Sides without a point: both borders move by a subregion; or a single one of the entry. */
enum { BOTH_ONE_UP = MESC_SIDES, BOTH_ONE_DOWN, ONE_INSIDE, SIDES };

struct near {
    enum mesc_tlb_kind kind;
    bool run; /* the entry's type, and of an insertion the request's */
    enum other other;
    uint32_t bit;   /* of the page, address space or frame; border of a subregion */
    uint32_t side;  /* enum mesc_tlb_side, or after instead of before */
    uint32_t way;   /* MESC_TLB_MOST_WAYS: any */
    uint32_t clock; /* of a reset; 0: none */
};

static struct near near_any(struct maker *m)
{
    struct near n = {.kind = (enum mesc_tlb_kind)less(m, MESC_KINDS),
                     .run = m->rtl->sub_ways && less(m, 2),
                     .other = (enum other)less(m, OTHERS),
                     .way = MESC_TLB_MOST_WAYS};
    static const uint8_t bits[OTHERS] = {[OTHER_PAGE] = MESC_TLB_VPN_W,
                                         [OTHER_ASID] = MESC_TLB_ASID_W,
                                         [OTHER_FRAME] = MESC_TLB_PFN_W,
                                         [NEXT_TO] = BORDERS,
                                         [CARRY] = MESC_CARRIES};
    n.bit = bits[n.other] ? less(m, bits[n.other]) : 0;
    n.side = less(m, SIDES);
    return n;
}

/* Indices of a point in a row of [kind][2][lows]. */
static void aim_in(struct near *n, unsigned number, unsigned lows, enum other other)
{
    n->other = other;
    n->bit = number % lows;
    n->run = number / lows % 2;
    n->kind = (enum mesc_tlb_kind)(number / lows / 2);
}

/* What leads to the point, if its state comes. */
static struct near near_point(struct maker *m, unsigned point)
{
    struct near n = near_any(m);
    if (point >= MESC_RESET_SET) {
        return n;
    } else if (point >= MESC_RESET) {
        n.other = SAME;
        n.kind = (enum mesc_tlb_kind)((point - MESC_RESET) / MESC_RESET_CLOCKS);
        n.clock = 1 + (point - MESC_RESET) % MESC_RESET_CLOCKS;
    } else if (point >= MESC_RUN_SIDE) {
        n = (struct near){.kind = MESC_OF_INSERTION,
                          .run = true,
                          .other = NEXT_TO,
                          .bit = (point - MESC_RUN_SIDE) % BORDERS,
                          .side = (point - MESC_RUN_SIDE) / BORDERS,
                          .way = MESC_TLB_MOST_WAYS};
    } else if (point >= MESC_NEXT_TO) {
        aim_in(&n, point - MESC_NEXT_TO, BORDERS, NEXT_TO);
        n.side = n.run;
        n.run = true;
    } else if (point >= MESC_WAY) {
        unsigned use = (point - MESC_WAY) / MESC_TLB_MOST_WAYS;
        n.other = SAME;
        n.kind = use < MESC_WAY_LOSES_PAGE ? MESC_OF_LOOKUP : MESC_OF_INSERTION;
        n.run = use == MESC_WAY_HITS_RUN;
        n.way = use < MESC_WAY_LOSES_PAGE ? (point - MESC_WAY) % MESC_TLB_MOST_WAYS : MESC_TLB_MOST_WAYS;
    } else if (point >= MESC_CARRY) {
        aim_in(&n, point - MESC_CARRY, MESC_CARRIES, CARRY);
        n.kind = n.run || less(m, 2) ? MESC_OF_INSERTION : MESC_OF_LOOKUP;
        n.run = true;
    } else if (point >= MESC_ASID_STAYS) {
        return n;
    } else if (point >= MESC_OTHER_FRAME) {
        aim_in(&n, point - MESC_OTHER_FRAME, MESC_TLB_PFN_W, OTHER_FRAME);
        n.kind = MESC_OF_INSERTION;
    } else if (point >= MESC_OTHER_ASID) {
        aim_in(&n, point - MESC_OTHER_ASID, MESC_TLB_ASID_W, OTHER_ASID);
    } else if (point >= MESC_OTHER_PAGE) {
        aim_in(&n, point - MESC_OTHER_PAGE, MESC_TLB_VPN_W, OTHER_PAGE);
    } else if (point >= MESC_SUBREGION_POINTS) { /* most of them need entries that overlap */
        bool goes = point >= MESC_RUN_GOES && point <= MESC_BOTH_GO;
        n.run = true;
        n.kind = less(m, 3) ? MESC_OF_INSERTION : goes ? MESC_OF_INVALIDATION : MESC_OF_LOOKUP;
        n.other = n.kind == MESC_OF_INSERTION && less(m, 4) ? NEXT_TO : SAME;
    }
    return n;
}

/* A run that overlaps one, or a page of it. */
static struct near near_overlaps(struct maker *m)
{
    static const uint8_t sides[] = {MESC_SHARES_LAST, MESC_SHARES_FIRST, BOTH_ONE_UP, BOTH_ONE_DOWN,
                                    ONE_INSIDE};
    struct near n = near_any(m);
    uint32_t kind = less(m, 16);
    n.kind = kind < 9 ? MESC_OF_INSERTION : kind < 14 ? MESC_OF_LOOKUP : MESC_OF_INVALIDATION;
    n.run = m->rtl->sub_ways;
    n.other = n.kind == MESC_OF_INSERTION && less(m, 8) ? NEXT_TO : less(m, 4) ? SAME : n.other;
    n.side = sides[less(m, less(m, 4) ? 4 : 5)];
    return n;
}

/* An entry of this type, NULL if none is found soon. */
static const struct mesc_way *find_entry(struct maker *m, const struct near *n)
{
    for (unsigned i = 0; i < 12; i++) {
        if (!m->p.overlaps && less(m, 2))
            m->set = less(m, m->rtl->sets);
        const struct mesc_set *s = mesc_tlb_lockstep_set(m->l, m->set);
        const struct mesc_way *e = &s->way[n->way < m->rtl->ways ? n->way : less(m, m->rtl->ways)];
        if (e->pages && e->subregions == n->run)
            return e;
    }
    return NULL;
}

/* The model's number of the address space that the RTL distinguishes by this bit; itself if there is none. */
static uint16_t other_asid(const struct maker *m, uint16_t asid, uint32_t bit)
{
    const uint8_t *rtl = mesc_tlb_lockstep_asids(m->l);
    for (uint16_t i = 0; i < MP_ASIDS; i++)
        if ((rtl[i] ^ rtl[asid]) == 1u << bit)
            return i;
    return asid ^ 1;
}

/* Moves the run's borders so that it lies in this way to the entry's subregions. Impossible sides become
 * others. */
static void move_run(struct maker *m, struct mesc_tlb_rtl_request *q, const struct near *n, uint32_t first,
                     uint32_t last)
{
    uint32_t from = first, to = last;
    switch (n->side) {
    case MESC_BEGINS_AFTER:
        from = last + 1;
        to = from + less(m, MESC_SUBREGIONS);
        break;
    case MESC_ENDS_BEFORE:
        to = first - 1;
        from = first ? less(m, first) : 0;
        break;
    case MESC_SHARES_LAST:
        from = last;
        to = last + 1 + less(m, MESC_SUBREGIONS);
        break;
    case MESC_SHARES_FIRST:
        to = first;
        from = first ? less(m, first) : 0;
        break;
    case MESC_BEGINS_ONE_BEFORE:
        from = first - 1;
        to = less(m, 2) ? last : first + less(m, last - first + 1);
        break;
    case MESC_ENDS_ONE_AFTER:
        to = last + 1;
        from = less(m, 2) ? first : first + less(m, last - first + 1);
        break;
    case ONE_INSIDE:
        from = to = first + less(m, last - first + 1);
        break;
    default:
        from = first + (n->side == BOTH_ONE_UP ? 1 : -1u);
        to = last + (n->side == BOTH_ONE_UP ? 1 : -1u);
    }
    from = from < MESC_SUBREGIONS ? from : 0; /* also if it was below 0 */
    to = to < MESC_SUBREGIONS ? to : MESC_SUBREGIONS - 1;
    q->first = (uint8_t)(from < to ? from : to);
    q->last = (uint8_t)(from < to ? to : from);
    q->vpn = (q->vpn & ~(uint64_t)OFFSET) | (q->first * 64u + less(m, (q->last - q->first + 1u) * 64u));
}

static void move_page(struct mesc_tlb_rtl_request *q, const struct near *n, const struct mesc_way *e)
{
    uint64_t vpn = n->side & 1 ? e->vpn + e->pages : e->vpn - 1;
    q->vpn = vpn & VPN_MASK;
}

/* A frame such that the run's base is below a multiple of 2 to this bit, and its page is not. */
static void carry(struct maker *m, struct mesc_tlb_rtl_request *q, uint32_t bit)
{
    uint64_t border = ((any(m) & PFN_MASK) | UINT64_C(1) << bit) & ~((UINT64_C(1) << bit) - 1);
    q->vpn |= less(m, 2) ? 63 : 1; /* not page 0 */
    q->first = q->last = (uint8_t)subregion_of(q->vpn);
    q->pfn = border + less(m, (uint32_t)q->vpn & OFFSET);
}

/* The first or the last frame of all. */
static void extreme(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    bool run = q->op == MESC_INSERT_SUBREGIONS;
    uint32_t at = (uint32_t)q->vpn & OFFSET;
    if (less(m, 2))
        q->pfn = run ? at - q->first * 64u : 0;
    else
        q->pfn = PFN_MASK - (run ? q->last * 64u + 63 - at : 0);
}

/* The page is in the run, and no page of the run is below frame 0 or above the last one. */
static bool is_run(const struct mesc_tlb_rtl_request *q)
{
    uint32_t at = (uint32_t)q->vpn & OFFSET, first = q->first * 64u, last = q->last * 64u + 63;
    return at >= first && at <= last && q->pfn >= at - first && q->pfn + last - at <= PFN_MASK;
}

static void miss(struct maker *m, struct mesc_tlb_rtl_request *q, const struct near *n,
                 const struct mesc_way *e)
{
    uint64_t base = q->pfn - (q->vpn & OFFSET);
    switch (n->other) {
    case OTHER_PAGE:
        q->vpn ^= UINT64_C(1) << n->bit;
        break;
    case OTHER_ASID:
        q->asid = other_asid(m, q->asid, n->bit);
        break;
    case OTHER_FRAME:
        base = n->run ? base ^ UINT64_C(1) << n->bit : base;
        q->pfn = n->run ? (base + (q->vpn & OFFSET)) & PFN_MASK : q->pfn ^ UINT64_C(1) << n->bit;
        break;
    case OTHER_PERMISSION:
        q->read_only = !q->read_only;
        break;
    case NEXT_TO:
        if (q->op == MESC_INSERT_SUBREGIONS)
            move_run(m, q, n, subregion_of(e->vpn), subregion_of(e->vpn + e->pages - 1));
        else
            move_page(q, n, e);
        q->pfn = (base + (q->vpn & OFFSET)) & PFN_MASK;
        break;
    case CARRY:
        if (q->op == MESC_INSERT_SUBREGIONS)
            carry(m, q, n->bit + MESC_FIRST_CARRY);
        break;
    case EXTREME:
        extreme(m, q);
        break;
    default:
        break;
    }
}

/* A request that an entry decides about, or nearly. Returns false if there is no such entry. */
static bool make_near(struct maker *m, struct mesc_tlb_rtl_request *q)
{
    static const enum mesc_tlb_rtl_op ops[] = {MESC_LOOKUP, MESC_INSERT_PAGE, MESC_INVALIDATE_PAGE};
    struct near n = m->p.overlaps            ? near_overlaps(m)
                    : m->opens && less(m, 2) ? near_point(m, m->open[less(m, m->opens)])
                                             : near_any(m);
    const struct mesc_way *e = find_entry(m, &n);
    if (!e)
        return false;
    struct mesc_tlb_rtl_request from = {.op = ops[n.kind], .asid = e->asid, .read_only = e->read_only};
    uint32_t border = less(m, 4), page = border < 2 ? border * (e->pages - 1u) : less(m, e->pages);
    bool other_type = m->rtl->sub_ways && !less(m, 16);
    if (n.kind == MESC_OF_INSERTION && n.run != other_type)
        from.op = MESC_INSERT_SUBREGIONS;
    from.vpn = e->vpn + page;
    from.pfn = e->pfn + page;
    from.first = (uint8_t)subregion_of(e->vpn);
    from.last = (uint8_t)subregion_of(e->vpn + e->pages - 1);
    miss(m, &from, &n, e);
    if (from.op == MESC_INSERT_SUBREGIONS && !is_run(&from))
        return false;
    from.manner.reset = n.clock;
    *q = from;
    return true;
}

/* ---- the run ---- */

static struct rtl_manner manner_of(struct maker *m, uint32_t clocks, uint32_t rare)
{
    struct rtl_manner manner = {.random = any(m) | 1};
    if (!less(m, rare))
        manner.reset = 1 + less(m, clocks);
    return manner;
}

/* A set of a sweep at which no reset came yet. */
static uint32_t set_to_reset(struct maker *m)
{
    uint32_t set = less(m, m->rtl->sets);
    for (unsigned i = 0, n = 0; i < m->opens; i++)
        if (m->open[i] >= MESC_RESET_SET && !less(m, ++n))
            set = m->open[i] - MESC_RESET_SET;
    return set;
}

/* Invalidates an address space, or everything. */
static bool sweep(struct maker *m)
{
    struct mesc_tlb_rtl_request q = {.op = MESC_INVALIDATE_ASID};
    if (m->p.fills)
        fill(m, &q);
    else
        place(m, &q);
    q.op = less(m, 3) ? MESC_INVALIDATE_ASID : MESC_INVALIDATE_ALL;
    if (m->p.rough) {
        q.manner = manner_of(m, 4, m->p.sweeps ? 2 : 6);
        if (q.manner.reset)
            q.manner.reset += 4 * set_to_reset(m);
    }
    if (!mesc_tlb_lockstep_step(m->l, &q))
        return false;
    if (q.op == MESC_INVALIDATE_ALL)
        mesc_tlb_lockstep_draw_asids(m->l, any(m));
    return true;
}

static bool step(struct maker *m)
{
    struct mesc_tlb_rtl_request q = {.op = MESC_INSERT_PAGE};
    if (less(m, 100) < m->p.sweeps)
        return sweep(m);
    if (m->p.fills)
        fill(m, &q);
    else if (less(m, 100) >= m->p.near || !make_near(m, &q))
        make(m, &q);
    uint32_t reset = q.manner.reset;
    q.manner.reset = 0;
    if (m->p.rough) {
        q.manner = manner_of(m, 8, m->p.fills ? 4096 : 512);
        q.manner.reset = reset ? reset : q.manner.reset;
    }
    return mesc_tlb_lockstep_step(m->l, &q);
}

bool mesc_tlb_lockstep_random(struct mesc_tlb_lockstep *l, uint64_t seed, uint64_t requests,
                              const volatile sig_atomic_t *stop)
{
    struct maker m = {.l = l, .rtl = mesc_tlb_lockstep_rtl(l), .random = seed};
    begin(&m);
    while (mesc_tlb_lockstep_base(l)->transactions < requests && !(stop && *stop)) {
        if (!step(&m))
            return false;
        if (--m.p.left)
            continue;
        bool sweeps = less(&m, 10) < (m.p.fills ? 10 : 4);
        if (sweeps && mesc_tlb_lockstep_base(l)->transactions < requests && !sweep(&m))
            return false;
        begin(&m);
    }
    return true;
}
