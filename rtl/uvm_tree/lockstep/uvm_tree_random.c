/* SPDX-License-Identifier: Apache-2.0 */
/* Constrained-random services of a block. A block is whole, or begins and ends anywhere. A page is chosen and
 * a node above it, of which as many pages are marked as the threshold asks for, one more or one less. Nodes
 * above it are sparse, dense, or as drawn, so that any of them may be the largest dense one. Marks come by
 * loads, which may repeat, and by marks of pages and rows. Queries are of that page, of pages that differ
 * from it in a bit, and of any. Between blocks of this kind come requests in any order. */
#include "rtl/lockstep/random.h"
#include "rtl/uvm_tree/lockstep/uvm_tree_cover.h"

#define ROWS_OF(m) ((m)->pages / (m)->row)

struct maker {
    struct uvm_tree_lockstep *l;
    uint32_t pages, row;
    bool rough;
    uint64_t random, end;
    const volatile sig_atomic_t *stop;
};

static uint32_t less(struct maker *m, uint32_t bound)
{
    return below(&m->random, bound);
}

/* ---- a request ---- */

/* A reset in any clock of the request; a query takes most. */
static struct rtl_manner manner_of(struct maker *m, const struct mp_uvm_unit_request *r)
{
    struct rtl_manner manner = {.random = m->rough ? draw(&m->random) | 1 : 0};
    const uint32_t longest = (uint32_t)__builtin_ctz(m->row) + ROWS_OF(m) + 1;
    if (!less(m, 200))
        manner.reset = r->op == MP_UVM_UNIT_QUERY && less(m, 4) ? 1 + less(m, longest) : 1;
    return manner;
}

/* Returns false if the run is over, for whatever reason. */
static bool ask(struct maker *m, struct mp_uvm_unit_request r)
{
    const struct rtl_lockstep *base = uvm_tree_lockstep_base(m->l);
    if (base->transactions >= m->end || (m->stop && *m->stop))
        return false;
    return uvm_tree_lockstep_step(m->l, &r, manner_of(m, &r));
}

static uint64_t row_bits(const struct maker *m)
{
    return (UINT64_C(1) << m->row) - 1;
}

static struct mp_uvm_unit_request any_request(struct maker *m)
{
    return (struct mp_uvm_unit_request){.op = (enum mp_uvm_unit_op)less(m, 4),
                                        .page = less(m, m->pages),
                                        .first = less(m, m->row),
                                        .threshold = less(m, 128),
                                        .marks = draw(&m->random) & row_bits(m),
                                        .grow = less(m, 2)};
}

/* ---- a block ---- */

static uint32_t some_threshold(struct maker *m)
{
    static const uint8_t usual[] = {0, 25, 50, 51, 75, 99, 100, 127};
    return less(m, 2) ? usual[less(m, sizeof usual)] : 1 + less(m, 100);
}

static struct mp_uvm_unit_request some_block(struct maker *m)
{
    struct mp_uvm_unit_request r = {
        .op = MP_UVM_UNIT_BEGIN, .page = m->pages - 1, .threshold = some_threshold(m)};
    if (less(m, 2))
        r.first = less(m, m->row);
    if (less(m, 2))
        r.page = less(m, 8) ? less(m, m->pages) : less(m, m->row);
    return r;
}

/* Marks n of the pages from `first` to before `end`, besides those that are marked. */
static void mark_some(struct maker *m, struct mp_uvm_mask *marks, uint32_t first, uint32_t end, uint32_t n)
{
    uint32_t left = end - first - mp_uvm_count_in(marks, first, end);
    for (uint32_t p = first; p < end && n; p++) {
        if (mp_uvm_has(marks, p))
            continue;
        if (less(m, left--) < n) {
            mp_uvm_add(marks, p);
            n--;
        }
    }
}

/* From the node above the page on which the threshold is met, or nearly. */
static struct mp_uvm_mask some_marks(struct maker *m, const struct mp_uvm_unit_request *b, uint32_t page)
{
    struct mp_uvm_mask marks = {{0}};
    const uint32_t levels = (uint32_t)__builtin_ctz(m->pages) + 1, aimed = less(m, levels),
                   above = less(m, 4);
    for (uint32_t level = aimed; level < levels; level++) {
        const uint32_t first = page >> level << level, size = 1u << level;
        const uint32_t end = first + size > b->page + 1 ? b->page + 1 : first + size;
        const uint32_t from = first < b->first ? b->first : first;
        if (from >= end)
            continue;
        const uint32_t is = mp_uvm_count_in(&marks, from, end), room = end - from - is;
        uint32_t want = (end - first) * b->threshold / 100 + less(m, 3);
        if (want && !less(m, 2))
            want--;
        if (level > aimed && above < 2) /* sparse, or any number */
            want = above ? is + less(m, room + 1) : is;
        mark_some(m, &marks, from, end, want > is ? (want - is < room ? want - is : room) : 0);
    }
    if (!less(m, 4)) /* outside of the block, where they do not count */
        mark_some(m, &marks, 0, m->pages, less(m, m->pages / 8));
    return marks;
}

static bool load(struct maker *m, const struct mp_uvm_mask *marks)
{
    const uint32_t start = less(m, ROWS_OF(m)), other = less(m, 3);
    for (uint32_t i = 0; i < ROWS_OF(m); i++) {
        const uint32_t page = (start ^ i) * m->row;
        struct mp_uvm_unit_request r = {.op = MP_UVM_UNIT_LOAD, .page = page + less(m, m->row)};
        r.marks = draw(&m->random) & row_bits(m);
        if (!other && !less(m, 4) && !ask(m, r)) /* marks that the next load replaces */
            return false;
        const uint64_t had = !other && r.marks;
        r.marks = marks->w[page / 64] >> page % 64 & row_bits(m);
        if ((r.marks || had || !less(m, 8)) && !ask(m, r))
            return false;
    }
    return true;
}

/* Instead of loads, where few pages are marked; a row that is full grows. */
static bool mark(struct maker *m, const struct mp_uvm_mask *marks)
{
    for (uint32_t p = mp_uvm_next(marks, 0); p < m->pages; p = mp_uvm_next(marks, p + 1)) {
        struct mp_uvm_unit_request r = {.op = MP_UVM_UNIT_MARK, .page = p};
        const uint32_t row = p / m->row * m->row;
        r.grow = mp_uvm_count_in(marks, row, row + m->row) == m->row;
        if (!ask(m, r))
            return false;
        if (r.grow)
            p = row + m->row - 1;
    }
    return true;
}

static bool query(struct maker *m, uint32_t page)
{
    for (uint32_t n = 1 + less(m, 4); n; n--) {
        const struct mp_uvm_unit_request r = {.op = MP_UVM_UNIT_QUERY, .page = page};
        if (!ask(m, r))
            return false;
        if (!less(m, 3)) { /* a page faults; then its region has others */
            struct mp_uvm_unit_request f = {.op = MP_UVM_UNIT_MARK, .page = page, .grow = !less(m, 3)};
            if (!ask(m, f))
                return false;
        }
        page = less(m, 2) ? page ^ 1u << less(m, (uint32_t)__builtin_ctz(m->pages)) : less(m, m->pages);
    }
    return true;
}

static bool service(struct maker *m)
{
    const struct mp_uvm_unit_request b = some_block(m);
    const uint32_t pages = b.page + 1,
                   page = b.first < pages ? b.first + less(m, pages - b.first) : less(m, m->pages);
    const struct mp_uvm_mask marks = some_marks(m, &b, page);
    const bool few = mp_uvm_count(&marks) <= 2 * m->row && less(m, 2);
    return ask(m, b) && (few ? mark(m, &marks) : load(m, &marks)) && query(m, page);
}

static bool anything(struct maker *m)
{
    for (uint32_t n = less(m, 32); n; n--)
        if (!ask(m, any_request(m)))
            return false;
    return true;
}

bool uvm_tree_lockstep_random(struct uvm_tree_lockstep *l, uint64_t seed, uint64_t requests,
                              const volatile sig_atomic_t *stop)
{
    const struct uvm_tree_rtl *rtl = uvm_tree_lockstep_rtl(l);
    const struct rtl_lockstep *base = uvm_tree_lockstep_base(l);
    struct maker m = {.l = l,
                      .pages = rtl->bigs * rtl->big,
                      .row = rtl->big,
                      .random = seed,
                      .end = requests,
                      .stop = stop};
    do
        m.rough = !less(&m, 3);
    while (less(&m, 6) ? service(&m) : anything(&m));
    return !rtl_lockstep_difference(base);
}
