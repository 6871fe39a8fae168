/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/uvm_tree/lockstep/uvm_tree_cover.h"

#include <stdio.h>

static const char *const names[UVM_TREE_ALONE] = {
    [UVM_TREE_OUTSIDE_BEFORE] = "query: a page before the block's first",
    [UVM_TREE_OUTSIDE_AFTER] = "query: a page after the block's last",
    [UVM_TREE_OUTSIDE_MARKS] = "query: pages outside of the block are marked",
    [UVM_TREE_CUT_AT_BEGIN] = "region: cut where the block begins",
    [UVM_TREE_CUT_AT_END] = "region: cut where the block ends",
    [UVM_TREE_CUT_AT_BOTH] = "region: the whole block, cut at both ends",
    [UVM_TREE_ONE_PAGE] = "region: the block has one page",
    [UVM_TREE_ALL_MARKED] = "query: all pages are marked",
    [UVM_TREE_NONE_MARKED] = "query: no page is marked",
    [UVM_TREE_ONLY_LARGER] = "region: no smaller node is dense",
    [UVM_TREE_THRESHOLD_0] = "region: by one mark, threshold 0",
    [UVM_TREE_THRESHOLD_100] = "query: all pages are marked, threshold 100",
    [UVM_TREE_BEGIN_CLEARS] = "begin: pages are marked",
    [UVM_TREE_LOAD_CLEARS] = "load: takes marks away and sets others",
    [UVM_TREE_LOAD_NOTHING] = "load: no marks, where there are some",
    [UVM_TREE_MARK_AGAIN] = "mark: a page that is marked",
    [UVM_TREE_MARK_FIRST_OF_ROW] = "mark: the first page of its row",
    [UVM_TREE_MARK_OUTSIDE] = "mark: a page outside of the block",
    [UVM_TREE_GROW_EMPTY] = "mark: a row without marks",
    [UVM_TREE_GROW_PART] = "mark: a row with some marks",
    [UVM_TREE_RESET_WITH_MARKS] = "reset: pages are marked",
    [UVM_TREE_RESET_IN_QUERY] = "reset: a query is in progress",
    [UVM_TREE_RESET_AT_END] = "reset: the response is shown",
};

static void met(struct uvm_tree_cover *c, unsigned point, bool is_met)
{
    mp_rtl_met(&c->point[point], is_met, *c->now);
}

static uint32_t levels_of(const struct uvm_tree_cover *c)
{
    return (uint32_t)__builtin_ctz(c->pages) + 1;
}

/* ---- a query ---- */

/* A node above a page, cut as the density counts it, and its marks that are of the block. */
struct node {
    uint32_t pages, marks;
};

static struct node node_at(const struct uvm_tree_state *s, uint32_t page, uint32_t level)
{
    const uint32_t first = page >> level << level, end = first + (1u << level);
    const uint32_t cut = end > s->last + 1 ? s->last + 1 : end;
    const uint32_t from = first < s->first ? s->first : first;
    return (struct node){cut - first, from < cut ? mp_uvm_count_in(&s->marked, from, cut) : 0};
}

static bool dense(struct node n, uint32_t threshold)
{
    return 100 * n.marks > n.pages * threshold;
}

static void cover_levels(struct uvm_tree_cover *c, const struct uvm_tree_state *s, uint32_t page)
{
    uint32_t largest = 0, smallest = 0;
    for (uint32_t level = 1; level < levels_of(c); level++) {
        const struct node n = node_at(s, page, level);
        if (dense(n, s->threshold)) {
            largest = level;
            smallest = smallest ? smallest : level;
        }
        met(c, UVM_TREE_EQUAL + level, n.marks && 100 * n.marks == n.pages * s->threshold);
        met(c, UVM_TREE_JUST + level,
            dense(n, s->threshold) && 100 * (n.marks - 1) <= n.pages * s->threshold && n.marks > 1);
    }
    met(c, UVM_TREE_NODE + largest, true);
    met(c, UVM_TREE_ONLY_LARGER, largest && largest == smallest && largest > 1);
    if (largest && largest + 1 < levels_of(c))
        met(c, (page >> largest & 1 ? UVM_TREE_BIT_SET : UVM_TREE_BIT_CLEAR) + largest, true);
}

static void cover_rate(struct uvm_tree_cover *c, const struct uvm_tree_state *s, uint32_t page,
                       struct mp_uvm_pages region)
{
    for (uint32_t bit = 0; bit < UVM_TREE_RATES; bit++) {
        struct uvm_tree_state other = *s;
        other.threshold ^= 1u << bit;
        met(c, UVM_TREE_RATE + bit, uvm_tree_region(&other, c->row, page).end != region.end);
    }
}

static void cover_query(struct uvm_tree_cover *c, const struct uvm_tree_state *s, uint32_t page,
                        struct mp_uvm_pages region)
{
    const uint32_t in_block = s->last + 1 - s->first, all = mp_uvm_count(&s->marked);
    const uint32_t mine = mp_uvm_count_in(&s->marked, s->first, s->last + 1);
    met(c, UVM_TREE_OUTSIDE_BEFORE, page < s->first && s->first <= s->last);
    met(c, UVM_TREE_OUTSIDE_AFTER, page > s->last);
    if (page < s->first || page > s->last)
        return;
    const uint32_t size = region.end - region.first;
    const bool at_begin = s->first && region.first == s->first && size > 1;
    const bool at_end = s->last + 1 < c->pages && region.end == s->last + 1 && size > 1 && region.end % 2;
    met(c, UVM_TREE_OUTSIDE_MARKS, all > mine && size > 1);
    met(c, UVM_TREE_CUT_AT_BEGIN, at_begin);
    met(c, UVM_TREE_CUT_AT_END, at_end);
    met(c, UVM_TREE_CUT_AT_BOTH, at_begin && at_end);
    met(c, UVM_TREE_ONE_PAGE, in_block == 1);
    met(c, UVM_TREE_ALL_MARKED, mine == c->pages && size == c->pages);
    met(c, UVM_TREE_NONE_MARKED, !all);
    met(c, UVM_TREE_THRESHOLD_0, !s->threshold && mine == 1 && size > 1);
    met(c, UVM_TREE_THRESHOLD_100, s->threshold == 100 && mine == c->pages);
    met(c, UVM_TREE_PAGE_ROW + page / c->row, size > c->row);
    met(c, UVM_TREE_LAST_ROW + s->last / c->row, size > 1);
    met(c, UVM_TREE_FIRST + s->first, size > 1);
    cover_levels(c, s, page);
    cover_rate(c, s, page, region);
}

/* ---- others ---- */

static void cover_mark(struct uvm_tree_cover *c, const struct uvm_tree_state *s,
                       const struct mp_uvm_unit_request *r)
{
    const uint32_t row = r->page / c->row * c->row, n = mp_uvm_count_in(&s->marked, row, row + c->row);
    met(c, UVM_TREE_GROW_EMPTY, r->grow && !n);
    met(c, UVM_TREE_GROW_PART, r->grow && n && n < c->row);
    if (r->grow)
        return;
    met(c, UVM_TREE_MARK_AGAIN, mp_uvm_has(&s->marked, r->page));
    met(c, UVM_TREE_MARK_FIRST_OF_ROW, !n);
    met(c, UVM_TREE_MARK_OUTSIDE, r->page > s->last);
    met(c, UVM_TREE_MARK_ROW + r->page / c->row, n && !mp_uvm_has(&s->marked, r->page));
}

static void cover_load(struct uvm_tree_cover *c, const struct uvm_tree_state *s,
                       const struct mp_uvm_unit_request *r)
{
    const uint32_t row = r->page / c->row * c->row;
    uint64_t before = 0;
    for (uint32_t i = 0; i < c->row; i++)
        before |= (uint64_t)mp_uvm_has(&s->marked, row + i) << i;
    met(c, UVM_TREE_LOAD_CLEARS, (before & ~r->marks) && (r->marks & ~before));
    met(c, UVM_TREE_LOAD_NOTHING, before && !r->marks);
}

void uvm_tree_cover_request(struct uvm_tree_cover *c, const struct uvm_tree_state *before,
                            const struct mp_uvm_unit_request *r, struct mp_uvm_pages region)
{
    switch (r->op) {
    case MP_UVM_UNIT_BEGIN:
        met(c, UVM_TREE_BEGIN_CLEARS, mp_uvm_any(&before->marked));
        break;
    case MP_UVM_UNIT_LOAD:
        cover_load(c, before, r);
        break;
    case MP_UVM_UNIT_MARK:
        cover_mark(c, before, r);
        break;
    default:
        cover_query(c, before, r->page, region);
    }
}

void uvm_tree_cover_reset(struct uvm_tree_cover *c, const struct uvm_tree_state *before,
                          const struct mp_uvm_unit_request *r, uint32_t clocks, uint32_t of)
{
    met(c, UVM_TREE_RESET_WITH_MARKS, mp_uvm_any(&before->marked));
    met(c, UVM_TREE_RESET_IN_QUERY, r->op == MP_UVM_UNIT_QUERY && clocks < of);
    met(c, UVM_TREE_RESET_AT_END, clocks == of);
}

/* ---- points by number ---- */

/* The points of a part, of which a block has those from `from` to before `end`. */
struct part {
    const char *name;
    unsigned first, from, end;
    bool size; /* named by the pages of a node */
};

bool uvm_tree_cover_point(const struct uvm_tree_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                          struct mp_rtl_point *point)
{
    const unsigned levels = levels_of(c), rows = c->pages / c->row;
    const struct part parts[] = {
        {"region: a node of", UVM_TREE_NODE, 0, levels, true},
        {"exactly the threshold: a node of", UVM_TREE_EQUAL, 1, levels, true},
        {"one mark above the threshold: a node of", UVM_TREE_JUST, 2, levels, true},
        {"region: the upper half of a node of 2 x", UVM_TREE_BIT_SET, 1, levels - 1, true},
        {"region: the lower half of a node of 2 x", UVM_TREE_BIT_CLEAR, 1, levels - 1, true},
        {"query: a page of row", UVM_TREE_PAGE_ROW, 0, rows, false},
        {"region: the block ends in row", UVM_TREE_LAST_ROW, 0, rows, false},
        {"mark: another page of row", UVM_TREE_MARK_ROW, 0, rows, false},
        {"region: the block begins at page", UVM_TREE_FIRST, 0, c->row, false},
        {"region: depends on bit of the threshold", UVM_TREE_RATE, 0, UVM_TREE_RATES, false}};
    if (number < UVM_TREE_ALONE) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        *point = c->point[number];
        return true;
    }
    number -= UVM_TREE_ALONE;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *p = &parts[i];
        if (number < p->end - p->from) {
            const unsigned n = p->from + number;
            snprintf(name, MP_RTL_POINT_NAME, "%s %u", p->name, p->size ? 1u << n : n);
            *point = c->point[p->first + n];
            return true;
        }
        number -= p->end - p->from;
    }
    return false;
}
