/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random tables for the scan. A subregion begins where the one before ends, or elsewhere; a few
 * pages do not fit, in one bit of 64 each, or in what software changes. Most scans are of tables in which
 * most subregions end early, because they take few clocks; the others show what a whole frame needs. Some
 * tables are those of the scan before with one page changed, and some change while they are read. */
#include "rtl/mesc_scan_lockstep.h"
#include "rtl/random.h"

#define ENTRY_BITS   (MP_PTE_ADDRESS | 3u) /* that are not left as they are drawn */
#define HIGH_ADDRESS (MP_PTE_ADDRESS & ~0xfffffull)

struct phase {
    uint64_t left;
    bool rough;       /* manner.h */
    uint32_t early;   /* of 8 subregions, how many end early */
    uint32_t changes; /* percent of the scans in which the table changes meanwhile */
    uint32_t again;   /* percent that scan the same table with one other page */
};

static void begin(struct phase *p, uint64_t *random)
{
    static const uint32_t early[] = {0, 6, 7, 8, 8};
    *p = (struct phase){.left = 16u << below(random, 4),
                        .rough = below(random, 3) == 0,
                        .early = early[below(random, 5)],
                        .changes = below(random, 3) ? 0 : 50,
                        .again = below(random, 2) ? 0 : 70};
}

/* What a page's entry becomes. */
static uint64_t other(uint64_t leaf, uint64_t *random)
{
    switch (below(random, 7)) {
    case 0:
        return leaf ^ MP_PTE_READ_ONLY;
    case 1:
        return leaf & ~MP_PTE_VALID;
    case 2:
        return 0;
    case 3:
        return leaf + SCAN_PAGE;
    case 4:
    case 5:
        return leaf ^ 1ull << below(random, 64);
    default:
        return draw(random);
    }
}

static void spoil(struct scan_table *t, bool heads_first, unsigned page, uint64_t *random)
{
    uint64_t *leaf = &t->leaf[scan_leaf_of(heads_first, page)];
    *leaf = other(*leaf, random);
}

/* A subregion's first page: anywhere; sometimes so high that later pages overflow the address, or with bits
 * that no driver sets, because whole entries are compared. */
static uint64_t some_head(uint64_t *random)
{
    uint64_t any = draw(random);
    uint64_t leaf = (any & (MP_PTE_ADDRESS | MP_PTE_READ_ONLY)) | MP_PTE_VALID | MP_PTE_LEAF;
    switch (below(random, 8)) {
    case 0:
        return leaf | HIGH_ADDRESS;
    case 1:
        return any | MP_PTE_VALID;
    default:
        return leaf;
    }
}

static void map(struct scan_table *t, bool heads_first, uint64_t *random)
{
    uint64_t leaf = some_head(random);
    bool jumps = below(random, 2);
    for (unsigned p = 0; p < SCAN_PAGES; p++, leaf += SCAN_PAGE) {
        if (jumps && p % MP_SUBREGION_PAGES == 0 && below(random, 3) == 0)
            leaf = some_head(random);
        t->leaf[scan_leaf_of(heads_first, p)] = leaf;
    }
}

/* Of most subregions one of the first pages does not fit. */
static void end_early(struct scan_table *t, bool heads_first, uint32_t most, uint64_t *random)
{
    for (unsigned r = 0; r < MP_SUBREGIONS; r++)
        if (below(random, MP_SUBREGIONS) < most)
            spoil(t, heads_first, r * MP_SUBREGION_PAGES + below(random, 4), random);
}

static void make(struct scan_table *t, const struct phase *p, bool heads_first, uint64_t *random)
{
    *t = (struct scan_table){.entry = (draw(random) & MP_PTE_ADDRESS) | (draw(random) & ~ENTRY_BITS)};
    t->entry |= below(random, 20) ? MP_PTE_VALID : 0;
    do
        t->entry_at = draw(random) >> 16 & ~7ull;
    while (!((t->entry_at ^ t->entry) & MP_PTE_ADDRESS)); /* not among the leaves */
    map(t, heads_first, random);
    end_early(t, heads_first, p->early, random);
    for (unsigned n = below(random, 3); n; n--)
        spoil(t, heads_first,
              below(random, 2) ? below(random, SCAN_PAGES)
                               : MP_SUBREGION_PAGES * (1 + below(random, MP_SUBREGIONS)) - 1,
              random);
    if (below(random, 2)) { /* as a scan leaves it, sometimes but for a bit */
        struct scan_table copy = *t;
        scan_algorithm(&copy, heads_first);
        t->entry = copy.entry ^ (below(random, 2) ? 0 : 1ull << (MP_PTE_CONTIGUOUS_SHIFT + below(random, 9)));
    }
}

static void let_it_change(struct scan_table *t, uint64_t *random)
{
    t->changes = 1 + below(random, SCAN_CHANGES);
    for (unsigned i = 0; i < t->changes; i++) {
        struct scan_change *c = &t->change[i];
        c->when = below(random, below(random, 2) ? SCAN_ACCESSES : 16);
        c->leaf = below(random, SCAN_PAGES);
        c->value = other(t->leaf[c->leaf], random);
    }
}

/* A reset in any clock of a calm scan; half of them around its write. */
static uint32_t some_reset(const struct scan_table *t, bool heads_first, uint64_t *random)
{
    struct scan_table copy = *t;
    scan_table_begin(&copy);
    struct scan_result result = scan_algorithm(&copy, heads_first);
    uint32_t last = (uint32_t)scan_clocks(&copy, &result) - 1;
    return below(random, 2) ? 1 + below(random, last) : last - below(random, 2);
}

static struct rtl_manner manner_of(const struct phase *p, const struct scan_table *t, bool heads_first,
                                   uint64_t *random)
{
    struct rtl_manner m = {.random = p->rough ? draw(random) | 1 : 0};
    if (!below(random, 128))
        m.reset = some_reset(t, heads_first, random);
    return m;
}

bool mesc_scan_lockstep_random(struct mesc_scan_lockstep *l, uint64_t seed, uint64_t scans,
                               const volatile sig_atomic_t *stop)
{
    bool heads_first = mesc_scan_lockstep_rtl(l)->heads_first;
    struct scan_table *t = mesc_scan_lockstep_table(l);
    struct phase p = {.left = 0};
    uint64_t random = seed;
    while (mesc_scan_lockstep_base(l)->transactions < scans && !(stop && *stop)) {
        if (!p.left--)
            begin(&p, &random);
        if (below(&random, 100) < p.again)
            spoil(t, heads_first, below(&random, SCAN_PAGES), &random);
        else
            make(t, &p, heads_first, &random);
        if (below(&random, 100) < p.changes)
            let_it_change(t, &random);
        if (!mesc_scan_lockstep_step(l, manner_of(&p, t, heads_first, &random)))
            return false;
    }
    return true;
}
