/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of the prefetch tree inside a run: it finds the regions of each service of a block, or is compared
 * with the model that does. A request is a transaction. */
#include <inttypes.h>
#include <stdlib.h>

#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "rtl/uvm_tree/lockstep/uvm_tree_lockstep.h"

#define SEED  1u /* for the RTL's state before its reset */
#define PAGES MP_UVM_PAGES

struct loop_uvm_tree {
    struct rtl_loop loop;
    const struct uvm_tree_rtl *rtl;
    struct uvm_tree_lockstep *lockstep; /* NULL if the RTL decides */
    uint32_t page;                      /* of the last request */
};

extern const struct rtl_built uvm_tree_built[];

static const struct uvm_tree_rtl *find_size(void)
{
    for (const struct rtl_built *b = uvm_tree_built; b->rtl; b++) {
        const struct uvm_tree_rtl *rtl = b->rtl;
        if (!b->lines && rtl->bigs * rtl->big == PAGES && rtl->big == MP_UVM_UNIT_ROW)
            return rtl;
    }
    return NULL;
}

static void close_tree(void *block)
{
    struct loop_uvm_tree *t = block;
    rtl_loop_close(&t->loop);
    uvm_tree_lockstep_free(t->lockstep);
    free(t);
}

static void *open_tree(const struct mp_rtl_host *host, struct mp_error *err)
{
    const struct uvm_tree_rtl *rtl = find_size();
    if (!rtl) {
        mp_fail(err, "the RTL has no block of %u pages in rows of %u; one of this size", PAGES,
                MP_UVM_UNIT_ROW);
        return NULL;
    }
    struct loop_uvm_tree *t = calloc(1, sizeof *t);
    if (t) {
        t->loop = (struct rtl_loop){.host = host, .rtl = &rtl->verilated, .window.waves = host->waves};
        t->rtl = rtl;
        if (host->shadow && (t->lockstep = uvm_tree_lockstep_new(rtl, SEED)))
            t->loop.lockstep = uvm_tree_lockstep_base(t->lockstep);
        else if (!host->shadow)
            t->loop.block = rtl->open(SEED);
        if (t->lockstep || t->loop.block)
            return t;
        close_tree(t);
    }
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- a service ---- */

static struct mp_uvm_pages compare(struct loop_uvm_tree *t, const struct mp_uvm_unit_request *request)
{
    if (!uvm_tree_lockstep_step(t->lockstep, request, rtl_manner_of(t->loop.transactions)))
        rtl_loop_differs(&t->loop);
    return uvm_tree_lockstep_region(t->lockstep);
}

static struct mp_uvm_pages alone(struct loop_uvm_tree *t, const struct mp_uvm_unit_request *request)
{
    const struct uvm_tree_rtl_request in = {.unit = *request};
    struct uvm_tree_rtl_response got;
    t->rtl->request(t->loop.block, &in, &got);
    if (got.wrong)
        rtl_loop_end(&t->loop, "%s", got.wrong);
    return (struct mp_uvm_pages){got.first, got.first + got.count};
}

/* Once the run must end, the RTL is asked nothing more. */
static struct mp_uvm_pages ask(void *block, const struct mp_uvm_unit_request *request)
{
    struct loop_uvm_tree *t = block;
    if (t->loop.over)
        return (struct mp_uvm_pages){0, 0};
    t->page = request->page;
    rtl_loop_begin(&t->loop);
    return t->lockstep ? compare(t, request) : alone(t, request);
}

/* Whether two sets have the same pages of the block. */
static bool same(const struct mp_uvm_mask *a, const struct mp_uvm_mask *b, const struct mp_uvm_look *look)
{
    uint64_t other = 0;
    struct mp_uvm_mask block = {{0}};
    mp_uvm_add_all(&block, look->first, look->end);
    MP_UVM_EACH (i)
        other |= (a->w[i] ^ b->w[i]) & block.w[i];
    return !other;
}

static void pages(void *block, const struct mp_uvm_look *look, struct mp_uvm_mask *out)
{
    struct loop_uvm_tree *t = block;
    struct mp_uvm_mask model = {{0}};
    mp_uvm_unit_pages(look, ask, t, out);
    if (!t->lockstep && !t->loop.over)
        return;
    mp_uvm_prefetch_tree.pages(look, &model);
    if (!t->loop.over && !same(out, &model, look))
        rtl_loop_end(&t->loop, "%s", "the pages of a service differ between RTL and model");
    *out = model;
}

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    const struct loop_uvm_tree *t = block;
    if (t->lockstep && rtl_lockstep_difference(t->loop.lockstep))
        uvm_tree_lockstep_report(t->lockstep, out, full);
    else
        fprintf(out, "%s in request %" PRIu64 ", page %" PRIu32 "\n", t->loop.trouble, t->loop.transactions,
                t->page);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_uvm_tree *t = block;
    return t->lockstep && uvm_tree_lockstep_point(t->lockstep, number, name, p);
}

static const struct mp_rtl_prefetch whole = {.pages = pages, .open = open_tree};

RTL_LOOP_EXPORT(close_tree, .prefetch = &whole);
