/* SPDX-License-Identifier: Apache-2.0 */
/* The lockstep of MESC's scan as `mempath cosim mesc-scan` loads it. */
#include "rtl/lockstep/cosim_block.h"
#include "rtl/mesc_scan/cosim.h"
#include "rtl/mesc_scan/lockstep/mesc_scan_lockstep.h"

_Static_assert(COSIM_MESC_SCAN_PAGES == SCAN_PAGES, "pages are the same");
_Static_assert(COSIM_MESC_SCAN_PFN_BITS == 36 && MP_PTE_ADDRESS == 0xfffffffff000, "frames fit an entry");

COSIM_BLOCK(mesc_scan)

static void *open_scan(const struct cosim_setup *setup)
{
    return open_block(mesc_scan_lockstep_new(built(setup), setup->seed), setup);
}

static uint64_t leaf_of(const struct cosim_mesc_scan_stimulus *s, unsigned page)
{
    switch (s->op) {
    case 'P':
        return (s->value + page) << 12 | MP_PTE_VALID | MP_PTE_LEAF | (s->read_only ? MP_PTE_READ_ONLY : 0);
    case 'E':
        return s->value;
    default:
        return 0;
    }
}

static bool step(void *cosim, const void *stimulus)
{
    struct cosim_mesc_scan *c = cosim;
    const struct cosim_mesc_scan_stimulus *s = stimulus;
    struct scan_table *t = mesc_scan_lockstep_table(c->lockstep);
    bool heads_first = mesc_scan_lockstep_rtl(c->lockstep)->heads_first;
    if (s->op == 'S') {
        struct rtl_manner manner = c->manner;
        rtl_manner_draw(&c->manner);
        return mesc_scan_lockstep_step(c->lockstep, manner);
    }
    if (s->op == 'T') {
        t->entry = s->value;
        t->entry_at = s->at;
        return true;
    }
    for (unsigned i = 0; i < s->pages; i++)
        t->leaf[scan_leaf_of(heads_first, s->page + i)] = leaf_of(s, i);
    return true;
}

#ifdef COSIM_MUTANTS
static const char until_its_end[] =
    "a subregion's bit is written again when it ends, and nothing reads it before";

static const char valid[] = "an entry that decides is valid, so its bit 0 is set (proven, rtl/formal)";

static const struct cosim_blind blind[] = {
    {"if (ends & region_q == RegionW'(r)) bits_d[r] = good;", "A", 0, 0, until_its_end},
    {"always_ff @(posedge clk_i) begin", "Q", 0, 0, valid},
    {"always_ff @(posedge clk_i) begin", "Q", 47, 47, valid}, /* if bit 0 is not set */
    {NULL, NULL, 0, 0, NULL},
};
#endif

COSIM_EXPORT(.open = open_scan, .step = step);
