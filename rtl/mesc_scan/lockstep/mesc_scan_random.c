/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random tables for the scan. What decides is whether an entry continues the one before it, so
 * tables differ from contiguous ones by near misses: one bit, one frame more or less, an entry of 0. A phase
 * makes tables of one style. Frames are contiguous but for one near miss at a border of subregions or inside
 * of one, so that AC depends on it alone; they take long. Pages have a near miss in each subregion, at any
 * page. In the others most subregions end early, or pages are wrong anywhere. Each phase aims at points that
 * are still open; decks go through all combinations of a near miss and its place. Some tables are those of
 * the scan before with one page changed, and some change while they are read. */
#include "rtl/lockstep/random.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_cover.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_lockstep.h"

#define HIGH_ADDRESS (MP_PTE_ADDRESS & ~0xfffffull)
#define ENTRY_AT     (MP_PTE_ADDRESS | 0xff8u) /* bits of the address of an entry */

enum style { FRAMES, PAGES, EARLY, ANY };

struct phase {
    uint64_t left;
    enum style style;
    bool rough;       /* manner.h */
    uint32_t early;   /* of 8 subregions, how many end early */
    uint32_t changes; /* percent of the scans in which the table changes meanwhile */
    uint32_t again;   /* percent that scan the same table with one other page */
};

/* What makes a table. */
struct maker {
    const struct mesc_scan_lockstep *l;
    struct scan_table *t;
    bool heads_first;
    struct phase p;
    uint32_t border, page; /* how far the decks are */
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

static void begin(struct maker *m)
{
    static const enum style styles[] = {FRAMES, PAGES, ANY, EARLY, EARLY, EARLY, EARLY, EARLY, EARLY, EARLY};
    static const uint32_t early[] = {6, 8, 8, 8};
    enum style style = styles[less(m, sizeof styles / sizeof *styles)];
    bool aims = style == FRAMES || style == PAGES, early_ones = style == EARLY;
    m->p = (struct phase){.left = 16u << less(m, 4),
                          .style = style,
                          .rough = less(m, early_ones ? 3 : 8) == 0,
                          .early = early_ones ? early[less(m, 4)] : 0,
                          .changes = less(m, aims ? 8 : 3) ? 0 : 50,
                          .again = aims || less(m, 2) ? 0 : 70};
}

/* A point of this range, an open one if there is any. */
static unsigned aim(struct maker *m, unsigned from, unsigned to)
{
    uint32_t n = to - from, first = less(m, n);
    for (uint32_t i = 0; i < n; i++)
        if (mesc_scan_lockstep_open(m->l, from + (first + i) % n))
            return from + (first + i) % n;
    return from + first;
}

/* ---- entries ---- */

static uint64_t *leaf_of(struct maker *m, unsigned page)
{
    return &m->t->leaf[scan_leaf_of(m->heads_first, page)];
}

/* What a page's entry becomes. */
static uint64_t other(struct maker *m, uint64_t leaf)
{
    switch (less(m, 8)) {
    case 0:
        return leaf ^ MP_PTE_READ_ONLY;
    case 1:
        return leaf & ~MP_PTE_VALID;
    case 2:
        return any(m);
    default:
        return scan_near(leaf, (enum scan_miss)less(m, SCAN_MISSES));
    }
}

static void spoil(struct maker *m, unsigned page)
{
    *leaf_of(m, page) = other(m, *leaf_of(m, page));
}

/* A subregion's first page: anywhere; sometimes the first frame, aligned, so high that later pages overflow
 * the address or the entry, or with bits that no driver sets, because whole entries are compared. */
static uint64_t some_head(struct maker *m)
{
    uint64_t bits = any(m), leaf = bits | MP_PTE_VALID;
    if (less(m, 4))
        leaf = (bits & (MP_PTE_ADDRESS | MP_PTE_READ_ONLY)) | MP_PTE_VALID | MP_PTE_LEAF;
    switch (less(m, 16)) {
    case 0:
        return leaf & ~MP_PTE_ADDRESS;
    case 1:
        return leaf & ~(uint64_t)(SCAN_PAGE * SCAN_PAGES - SCAN_PAGE);
    case 2:
    case 3:
        return leaf | HIGH_ADDRESS;
    case 4:
        return leaf | ~0xfffffull;
    default:
        return leaf;
    }
}

/* The entry of the frame's first page if the carry goes up to this bit at page `to`. */
static uint64_t carrying_head(struct maker *m, unsigned bit, unsigned to)
{
    uint64_t leaf = (any(m) & ~((1ull << bit) - SCAN_PAGE)) | 1ull << bit | MP_PTE_VALID;
    return leaf - (uint64_t)to * SCAN_PAGE;
}

/* The pages from this one on, up to the frame's end, continue each other. */
static void map_from(struct maker *m, unsigned page, uint64_t leaf)
{
    for (; page < SCAN_PAGES; page++, leaf += SCAN_PAGE)
        *leaf_of(m, page) = leaf;
}

/* ---- frames: one near miss, or none ---- */

/* The deck of all near misses that leave the head valid, at all borders: 65 and 7 have no common divisor. */
#define BORDER_MISSES ((uint32_t)SCAN_FRAME_AGAIN)

static enum scan_miss border_miss(uint32_t number)
{
    return (enum scan_miss)(1 + number % BORDER_MISSES);
}

static enum scan_miss miss_of_cause(struct maker *m, enum scan_cause cause)
{
    switch (cause) {
    case SCAN_BY_PERMISSION:
        return 2;
    case SCAN_BY_FLAG:
        return (enum scan_miss)(3 + less(m, 9));
    case SCAN_BY_LOW_ADDRESS:
        return (enum scan_miss)(12 + less(m, 20));
    case SCAN_BY_HIGH_ADDRESS:
        return (enum scan_miss)(32 + less(m, 16));
    case SCAN_BY_UPPER_BIT:
        return (enum scan_miss)(48 + less(m, 16));
    case SCAN_BY_FRAME_AFTER:
        return SCAN_FRAME_AFTER;
    default:
        return SCAN_FRAME_AGAIN;
    }
}

/* The page misses, and those after it continue it. */
static void jump(struct maker *m, unsigned page, enum scan_miss miss)
{
    map_from(m, page, scan_near(*leaf_of(m, page), miss));
}

static void aim_at_border(struct maker *m, unsigned point)
{
    uint32_t deck = m->border++, border = 1 + deck % SCAN_BORDERS;
    if (point >= SCAN_BORDER_CARRY) {
        unsigned bit = point - SCAN_BORDER_CARRY + SCAN_FIRST_CARRY;
        map_from(m, 0, carrying_head(m, bit, border * MP_SUBREGION_PAGES));
    } else if (point >= SCAN_BORDER_CAUSE) {
        unsigned number = point - SCAN_BORDER_CAUSE;
        jump(m, (1 + number / SCAN_CAUSES) * MP_SUBREGION_PAGES,
             miss_of_cause(m, (enum scan_cause)(number % SCAN_CAUSES)));
    } else if (point >= SCAN_BORDER_BIT) {
        jump(m, border * MP_SUBREGION_PAGES, (enum scan_miss)(point - SCAN_BORDER_BIT + 1));
    } else if (point >= SCAN_LAST_PAGE) {
        jump(m, (point - SCAN_LAST_PAGE + 1) * MP_SUBREGION_PAGES - 1, border_miss(deck));
    } else {
        unsigned page = (point - SCAN_ALL_BUT) * MP_SUBREGION_PAGES + 1 + less(m, MP_SUBREGION_PAGES - 1);
        *leaf_of(m, page) = scan_near(*leaf_of(m, page), (enum scan_miss)less(m, SCAN_MISSES));
    }
}

static void map_frame(struct maker *m)
{
    map_from(m, 0, some_head(m));
    switch (less(m, 8)) {
    case 0:
        break;
    case 1:
    case 2:
    case 3:
    case 4:
        m->border++;
        jump(m, (1 + m->border % SCAN_BORDERS) * MP_SUBREGION_PAGES, border_miss(m->border));
        break;
    default:
        aim_at_border(m, aim(m, SCAN_ALL_BUT, SCAN_PAGE_MISS));
    }
}

/* ---- pages: a near miss in each subregion ---- */

/* The deck of all near misses at all pages of a subregion but the first: 67 and 63 have no common divisor. */
static void miss_page(struct maker *m, unsigned r, uint32_t number)
{
    unsigned page = r * MP_SUBREGION_PAGES + 1 + number % (MP_SUBREGION_PAGES - 1);
    enum scan_miss miss = (enum scan_miss)(number % SCAN_MISSES);
    if (less(m, 2))
        jump(m, page, miss);
    else
        *leaf_of(m, page) = scan_near(*leaf_of(m, page), miss);
}

static void aim_at_page(struct maker *m, unsigned r, unsigned point)
{
    if (point >= SCAN_PAGE_CARRY) {
        unsigned bit = point - SCAN_PAGE_CARRY + SCAN_FIRST_CARRY;
        uint64_t head = carrying_head(m, bit, 1 + less(m, MP_SUBREGION_PAGES - 1));
        map_from(m, r * MP_SUBREGION_PAGES, head);
    } else if (point >= SCAN_PAGE_AT) {
        jump(m, r * MP_SUBREGION_PAGES + 1 + point - SCAN_PAGE_AT, (enum scan_miss)less(m, SCAN_CLEARED));
    } else {
        jump(m, r * MP_SUBREGION_PAGES + 1 + less(m, MP_SUBREGION_PAGES - 1),
             (enum scan_miss)(point - SCAN_PAGE_MISS));
    }
}

static void map_pages(struct maker *m)
{
    unsigned aimed = less(m, 2 * MP_SUBREGIONS);
    map_from(m, 0, some_head(m));
    for (unsigned r = 0; r < MP_SUBREGIONS; r++) {
        if (less(m, 2))
            map_from(m, r * MP_SUBREGION_PAGES, some_head(m));
        if (r == aimed)
            aim_at_page(m, r, aim(m, SCAN_PAGE_MISS, SCAN_RESET_PAGE_BIT));
        else
            miss_page(m, r, m->page + r * (SCAN_MISSES * (MP_SUBREGION_PAGES - 1) / MP_SUBREGIONS));
    }
    m->page++;
}

/* ---- any tables ---- */

static void map_any(struct maker *m)
{
    bool jumps = less(m, 2);
    map_from(m, 0, some_head(m));
    for (unsigned r = 1; r < MP_SUBREGIONS; r++)
        if (jumps && less(m, 3) == 0)
            map_from(m, r * MP_SUBREGION_PAGES, some_head(m));
    for (unsigned r = 0; r < MP_SUBREGIONS; r++) /* one of the first pages does not fit */
        if (less(m, MP_SUBREGIONS) < m->p.early)
            spoil(m, r * MP_SUBREGION_PAGES + less(m, 4));
    for (unsigned n = less(m, 3); n; n--)
        spoil(m, less(m, 2) ? less(m, SCAN_PAGES) : MP_SUBREGION_PAGES * (1 + less(m, MP_SUBREGIONS)) - 1);
}

/* ---- the entry of the table ---- */

static uint64_t some_address(struct maker *m)
{
    uint64_t bits = any(m);
    switch (less(m, 16)) {
    case 0:
        return 0;
    case 1:
        return ~0ull;
    case 2:
        return 1ull << bits % 64;
    case 3:
        return ~(1ull << bits % 64);
    default:
        return bits;
    }
}

static void place(struct maker *m)
{
    struct scan_table *t = m->t;
    t->entry = (any(m) & ~(MP_PTE_ADDRESS | MP_PTE_VALID)) | (some_address(m) & MP_PTE_ADDRESS) |
               (less(m, 20) ? MP_PTE_VALID : 0);
    do
        t->entry_at = some_address(m) & ENTRY_AT;
    while (!((t->entry_at ^ t->entry) & MP_PTE_ADDRESS)); /* not among the leaves */
}

static uint64_t entry_after_scan(const struct maker *m)
{
    struct scan_table copy = *m->t;
    scan_algorithm(&copy, m->heads_first);
    return copy.entry;
}

/* The entry as a scan leaves it, often but for a bit; or with all bits. */
static void preset(struct maker *m)
{
    unsigned bit;
    switch (less(m, 8)) {
    case 0:
    case 1:
        m->t->entry = entry_after_scan(m);
        break;
    case 2:
    case 3:
        bit = (aim(m, SCAN_COMES, SCAN_ALL_BUT) - SCAN_COMES) % (MP_SUBREGIONS + 1);
        m->t->entry = entry_after_scan(m) ^ 1ull << (MP_PTE_CONTIGUOUS_SHIFT + bit);
        break;
    case 4:
        m->t->entry |= MP_PTE_CONTIGUITY;
        break;
    default:
        break;
    }
}

static void make(struct maker *m)
{
    place(m);
    switch (m->p.style) {
    case FRAMES:
        map_frame(m);
        break;
    case PAGES:
        map_pages(m);
        break;
    default:
        map_any(m);
    }
    preset(m);
}

/* Half of the changes are around the clock in which the page is read, if all pages before it fit. */
static void let_it_change(struct maker *m)
{
    struct scan_table *t = m->t;
    t->changes = 1 + less(m, SCAN_CHANGES);
    for (unsigned i = 0; i < t->changes; i++) {
        struct scan_change *c = &t->change[i];
        unsigned page = less(m, less(m, 2) ? SCAN_PAGES : 8);
        c->leaf = scan_leaf_of(m->heads_first, page);
        c->when = less(m, 2) ? 1 + page + less(m, 2) : less(m, less(m, 2) ? SCAN_ACCESSES : 16);
        c->value = other(m, t->leaf[c->leaf]);
    }
}

/* ---- the scan ---- */

/* A reset in any clock: many at the begin, or around the write and the end. A rough scan takes longer. */
static uint32_t some_reset(struct maker *m)
{
    struct scan_table copy = *m->t;
    scan_table_begin(&copy);
    struct scan_result result = scan_algorithm(&copy, m->heads_first);
    uint32_t last = (uint32_t)scan_clocks(&copy, &result) - 1, slower = m->p.rough ? 1 + less(m, 5) : 1;
    switch (less(m, 4)) {
    case 0:
        return 1 + less(m, 4);
    case 1:
        return slower * last - less(m, 2);
    default:
        return 1 + less(m, slower * last);
    }
}

static struct rtl_manner manner_of(struct maker *m)
{
    struct rtl_manner manner = {.random = m->p.rough ? any(m) | 1 : 0};
    if (!less(m, 48))
        manner.reset = some_reset(m);
    return manner;
}

bool mesc_scan_lockstep_random(struct mesc_scan_lockstep *l, uint64_t seed, uint64_t scans,
                               const volatile sig_atomic_t *stop)
{
    struct maker m = {.l = l,
                      .t = mesc_scan_lockstep_table(l),
                      .heads_first = mesc_scan_lockstep_rtl(l)->heads_first,
                      .random = seed};
    m.border = less(&m, SCAN_BORDERS * BORDER_MISSES);
    m.page = less(&m, SCAN_MISSES * (MP_SUBREGION_PAGES - 1));
    while (mesc_scan_lockstep_base(l)->transactions < scans && !(stop && *stop)) {
        if (!m.p.left--)
            begin(&m);
        if (less(&m, 100) < m.p.again)
            spoil(&m, less(&m, SCAN_PAGES));
        else
            make(&m);
        if (less(&m, 100) < m.p.changes)
            let_it_change(&m);
        if (!mesc_scan_lockstep_step(l, manner_of(&m)))
            return false;
    }
    return true;
}
