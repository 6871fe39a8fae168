/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/uvm_tree/lockstep/uvm_tree_lockstep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/uvm_tree/lockstep/uvm_tree_cover.h"

struct uvm_tree_lockstep {
    struct rtl_lockstep base;
    const struct uvm_tree_rtl *rtl;
    struct uvm_tree_state state, rtl_state; /* of the model; of the RTL, or the same */
    struct uvm_tree_cover cover;
    /* the last step, and the difference */
    struct mp_uvm_unit_request request;
    struct mp_uvm_pages region;
    uint32_t clocks;
    struct uvm_tree_rtl_response got;
    struct uvm_tree_state before;
};

/* ---- begin and end ---- */

static void reset_model(struct uvm_tree_lockstep *l)
{
    l->state = (struct uvm_tree_state){0};
}

struct uvm_tree_lockstep *uvm_tree_lockstep_new(const struct uvm_tree_rtl *rtl, uint64_t seed)
{
    struct uvm_tree_lockstep *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->base.rtl = &rtl->verilated;
    l->rtl = rtl;
    l->cover.now = &l->base.transactions;
    l->cover.pages = rtl->bigs * rtl->big;
    l->cover.row = rtl->big;
    l->base.block = rtl->open(seed);
    if (l->base.block)
        return l;
    uvm_tree_lockstep_free(l);
    return NULL;
}

void uvm_tree_lockstep_mutate(struct uvm_tree_lockstep *l, unsigned mutant)
{
    l->base.rtl->mutate(l->base.block, mutant);
    reset_model(l);
}

void uvm_tree_lockstep_free(struct uvm_tree_lockstep *l)
{
    if (l && l->base.block)
        l->base.rtl->close(l->base.block);
    free(l);
}

struct rtl_lockstep *uvm_tree_lockstep_base(struct uvm_tree_lockstep *l)
{
    return &l->base;
}

const struct uvm_tree_rtl *uvm_tree_lockstep_rtl(const struct uvm_tree_lockstep *l)
{
    return l->rtl;
}

const struct uvm_tree_state *uvm_tree_lockstep_state(const struct uvm_tree_lockstep *l)
{
    return &l->state;
}

struct mp_uvm_pages uvm_tree_lockstep_region(const struct uvm_tree_lockstep *l)
{
    return l->region;
}

/* ---- the model ---- */

struct mp_uvm_pages uvm_tree_region(const struct uvm_tree_state *s, uint32_t row, uint32_t page)
{
    struct mp_uvm_mask block = {{0}};
    const struct mp_uvm_look look = {
        .first = s->first, .end = s->last + 1, .big = row, .threshold = s->threshold};
    if (page < s->first || page > s->last)
        return (struct mp_uvm_pages){0, 0};
    mp_uvm_add_all(&block, s->first, s->last + 1);
    MP_UVM_EACH (i)
        block.w[i] &= s->marked.w[i];
    struct mp_uvm_pages node = mp_uvm_tree_node(&look, 0, page, &block, mp_uvm_count(&block));
    node.first = node.first < s->first ? s->first : node.first;
    return node;
}

static void load(struct mp_uvm_mask *m, uint32_t row, const struct mp_uvm_unit_request *r)
{
    const uint32_t first = r->page / row * row;
    for (uint32_t i = 0; i < row; i++)
        if (r->marks >> i & 1)
            mp_uvm_add(m, first + i);
        else
            mp_uvm_remove(m, first + i);
}

static void ask_model(struct uvm_tree_lockstep *l)
{
    struct uvm_tree_state *s = &l->state;
    const struct mp_uvm_unit_request *r = &l->request;
    const uint32_t row = l->rtl->big;
    l->region = (struct mp_uvm_pages){0, 0};
    l->clocks = 1;
    switch (r->op) {
    case MP_UVM_UNIT_BEGIN:
        *s = (struct uvm_tree_state){.first = r->first, .last = r->page, .threshold = r->threshold};
        break;
    case MP_UVM_UNIT_LOAD:
        load(&s->marked, row, r);
        break;
    case MP_UVM_UNIT_MARK:
        if (r->grow)
            mp_uvm_add_all(&s->marked, r->page / row * row, r->page / row * row + row);
        mp_uvm_add(&s->marked, r->page);
        l->clocks = r->grow ? 1 : 2;
        break;
    default: /* a clock per level of a row and per other row */
        l->region = uvm_tree_region(s, row, r->page);
        l->clocks = (uint32_t)__builtin_ctz(row) + l->rtl->bigs + 1;
    }
}

/* ---- comparing ---- */

static void read_state(struct uvm_tree_lockstep *l)
{
    l->rtl_state = l->state;
    if (l->rtl->state)
        l->rtl->state(l->base.block, &l->rtl_state);
}

static bool state_is_equal(const struct uvm_tree_lockstep *l)
{
    const struct uvm_tree_state *m = &l->state, *r = &l->rtl_state;
    return m->first == r->first && m->last == r->last && m->threshold == r->threshold &&
           !memcmp(&m->marked, &r->marked, sizeof m->marked);
}

static const char *differs(const struct uvm_tree_lockstep *l)
{
    if (l->got.first != l->region.first || l->got.count != l->region.end - l->region.first)
        return "region";
    if (l->rtl->timed && l->got.clocks != l->clocks)
        return "clocks";
    return state_is_equal(l) ? NULL : "state";
}

bool uvm_tree_lockstep_step(struct uvm_tree_lockstep *l, const struct mp_uvm_unit_request *request,
                            struct rtl_manner manner)
{
    const struct uvm_tree_rtl_request in = {*request, manner};
    rtl_lockstep_begin(&l->base, ++l->base.transactions);
    l->request = *request;
    l->before = l->state;
    ask_model(l);
    l->rtl->request(l->base.block, &in, &l->got);
    if (l->got.wrong)
        return rtl_lockstep_breaks(&l->base, l->got.wrong);
    if (l->got.reset) {
        l->base.resets++;
        uvm_tree_cover_reset(&l->cover, &l->before, request, l->got.clocks, l->clocks);
        reset_model(l);
        read_state(l);
        return state_is_equal(l) || rtl_lockstep_differs(&l->base, "state after a reset");
    }
    read_state(l);
    const char *what = differs(l);
    if (what)
        return rtl_lockstep_differs(&l->base, "%s", what);
    uvm_tree_cover_request(&l->cover, &l->before, request, l->region);
    return true;
}

bool uvm_tree_lockstep_point(const struct uvm_tree_lockstep *l, unsigned number, char name[MP_RTL_POINT_NAME],
                             struct mp_rtl_point *point)
{
    return uvm_tree_cover_point(&l->cover, number, name, point);
}

bool uvm_tree_lockstep_open(const struct uvm_tree_lockstep *l, unsigned number)
{
    return !l->cover.point[number].taken && !(l->base.met && l->base.met[number]);
}

bool uvm_tree_lockstep_lines(const struct uvm_tree_lockstep *l, rtl_each_line *each, void *to)
{
    return rtl_lines(l->base.rtl->cover, l->base.block, l->rtl->bigs == 32 ? "uvm_tree" : "uvm_tree/small",
                     NULL, each, to);
}

/* ---- a difference ---- */

static void print_request(const struct mp_uvm_unit_request *r, FILE *out)
{
    switch (r->op) {
    case MP_UVM_UNIT_BEGIN:
        fprintf(out, "a block of the pages %" PRIu32 " to %" PRIu32 ", threshold %" PRIu32, r->first, r->page,
                r->threshold);
        break;
    case MP_UVM_UNIT_LOAD:
        fprintf(out, "marks 0x%" PRIx64 " of the row of page %" PRIu32, r->marks, r->page);
        break;
    case MP_UVM_UNIT_MARK:
        fprintf(out, "a mark of %spage %" PRIu32, r->grow ? "the row of " : "", r->page);
        break;
    default:
        fprintf(out, "a query of page %" PRIu32, r->page);
    }
}

static void print_field(FILE *out, const char *name, uint32_t model, uint32_t rtl)
{
    fprintf(out, "%c %-8s %8" PRIu32 " %8" PRIu32 "\n", model == rtl ? ' ' : '*', name, model, rtl);
}

static uint64_t row_of(const struct mp_uvm_mask *marks, uint32_t first, uint32_t row)
{
    return marks->w[first / 64] >> first % 64 & (UINT64_MAX >> (64 - row));
}

static void print_rows(const struct uvm_tree_lockstep *l, FILE *out)
{
    const struct uvm_tree_state *s = &l->before;
    const uint32_t row = l->rtl->big;
    fprintf(out, "  block: pages %" PRIu32 " to %" PRIu32 ", threshold %" PRIu32 "\n", s->first, s->last,
            s->threshold);
    for (uint32_t p = 0; p < l->cover.pages; p += row)
        fprintf(out, "  pages %3" PRIu32 " to %3" PRIu32 ": %" PRIu32 " marked\n", p, p + row - 1,
                mp_uvm_count_in(&s->marked, p, p + row));
}

static void print_response(const struct uvm_tree_lockstep *l, FILE *out)
{
    fprintf(out, "  %-8s %8s %8s\n", "response", "model", "rtl");
    print_field(out, "first", l->region.first, l->got.first);
    print_field(out, "count", l->region.end - l->region.first, l->got.count);
    if (l->rtl->timed)
        print_field(out, "clocks", l->clocks, l->got.clocks);
}

/* The block, and the rows of which the marks differ. */
static void print_state(const struct uvm_tree_lockstep *l, FILE *out)
{
    const struct uvm_tree_state *m = &l->state, *r = &l->rtl_state;
    const uint32_t row = l->rtl->big;
    fprintf(out, "  %-8s %8s %8s\n", "block", "model", "rtl");
    print_field(out, "first", m->first, r->first);
    print_field(out, "last", m->last, r->last);
    print_field(out, "percent", m->threshold, r->threshold);
    for (uint32_t p = 0; p < l->cover.pages; p += row) {
        const uint64_t model = row_of(&m->marked, p, row), rtl = row_of(&r->marked, p, row);
        if (model != rtl)
            fprintf(out,
                    "* marks of pages %" PRIu32 " to %" PRIu32 ": 0x%" PRIx64 " in the model, 0x%" PRIx64
                    " in the RTL\n",
                    p, p + row - 1, model, rtl);
    }
}

void uvm_tree_lockstep_report(const struct uvm_tree_lockstep *l, FILE *out, bool full)
{
    fprintf(out, l->base.broken ? "%s\n" : "first difference: %s\n", l->base.difference);
    fprintf(out, "transaction %" PRIu64 ", clock %" PRIu64 ": ", l->base.session + l->base.transactions,
            rtl_lockstep_clocks(&l->base));
    print_request(&l->request, out);
    fputc('\n', out);
    if (!l->got.reset)
        print_response(l, out);
    if (!l->base.broken && !state_is_equal(l))
        print_state(l, out);
    if (full || l->request.op == MP_UVM_UNIT_QUERY)
        print_rows(l, out);
}
