/* SPDX-License-Identifier: Apache-2.0 */
/* The RTL of MESC's unified TLB inside a run: it decides, or is compared with the model that does. Responses
 * do not say which pages an entry maps, nor which entries have left; both follow from the set's entries
 * before and after a request, those of the model where there is one. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rtl/lockstep/built.h"
#include "rtl/lockstep/loop.h"
#include "rtl/mesc_tlb/cosim.h"
#include "rtl/mesc_tlb/lockstep/mesc_tlb_lockstep.h"
#include "tlb/policy/range.h"

#define SEED      1u /* for the RTL's state before its reset */
#define SUBREGION 6u /* log2 of its pages */
#define FRAME     9u /* log2 of the pages of 2 MB */

struct loop_mesc_tlb {
    struct rtl_loop loop;
    const struct mesc_tlb_rtl *rtl;
    struct mesc_tlb_lockstep *lockstep; /* NULL if the RTL decides */
    struct mp_tlb_policy policy;        /* the model's, with the functions here */
    uint32_t latency;
    struct mp_range_stats stats[MP_ASIDS];
    struct mesc_tlb_rtl_request request;
};

/* ---- begin and end ---- */

extern const struct rtl_built mesc_tlb_built[];

static uint32_t sub_ways_of(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g)
{
    return model == &mp_tlb_mesc ? (uint32_t)g->own.v[0] : 0;
}

static const struct mesc_tlb_rtl *find_size(const struct mp_tlb_policy *model,
                                            const struct mp_tlb_geometry *g)
{
    for (const struct rtl_built *b = mesc_tlb_built; b->rtl; b++) {
        const struct mesc_tlb_rtl *rtl = b->rtl;
        if (!b->lines && rtl->sets == g->sets && rtl->ways == g->ways &&
            rtl->sub_ways == sub_ways_of(model, g))
            return rtl;
    }
    return NULL;
}

/* The sizes that the RTL has for a policy. */
static int wrong_size(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g, const char *level,
                      struct mp_error *err)
{
    char sizes[160] = "none";
    for (size_t i = 0, n = 0; mesc_tlb_built[i].rtl && n < sizeof sizes; i++) {
        const struct mesc_tlb_rtl *rtl = mesc_tlb_built[i].rtl;
        if (!mesc_tlb_built[i].lines && !rtl->sub_ways == (model == &mp_tlb_page))
            n += (size_t)snprintf(sizes + n, sizeof sizes - n, "%s%" PRIu32 "/%" PRIu32 "/%" PRIu32,
                                  n ? ", " : "", rtl->sets * rtl->ways, rtl->ways, rtl->sub_ways);
    }
    return mp_fail(err,
                   "%s: entries/ways/sub_ways %" PRIu32 "/%" PRIu32 "/%" PRIu32
                   " are not what the RTL has; for %s: %s",
                   level, g->sets * g->ways, g->ways, sub_ways_of(model, g), model->design.name, sizes);
}

/* The sets and ways are those of a policy that it has. */
static bool has_array(const struct mp_tlb_geometry *g)
{
    bool found = false;
    for (const struct rtl_built *b = mesc_tlb_built; b->rtl; b++) {
        const struct mesc_tlb_rtl *rtl = b->rtl;
        found |= rtl->sets == g->sets && rtl->ways == g->ways;
    }
    return found;
}

/* Firmware may choose the other policy of an array that is RTL. */
static int has(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
               const struct mp_rtl_host *host, struct mp_error *err)
{
    if (model != &mp_tlb_mesc && model != &mp_tlb_page)
        return mp_fail(err, "%s.policy: %s is not in the RTL; mesc or page", host->level, model->design.name);
    return has_array(g) && !find_size(model, g) ? wrong_size(model, g, host->level, err) : 0;
}

static void close_tlb(void *block)
{
    struct loop_mesc_tlb *t = block;
    rtl_loop_close(&t->loop);
    mesc_tlb_lockstep_free(t->lockstep);
    free(t);
}

static void set_policy(struct loop_mesc_tlb *t, const struct mp_tlb_policy *model);

static void *open_tlb(const struct mp_tlb_policy *model, const struct mp_tlb_geometry *g,
                      const struct mp_rtl_host *host, struct mp_error *err)
{
    const struct mesc_tlb_rtl *rtl = find_size(model, g);
    if (has(model, g, host, err))
        return NULL;
    if (!rtl) {
        wrong_size(model, g, host->level, err);
        return NULL;
    }
    if (!host->shadow && !rtl->state) {
        mp_fail(err, "--rtl: what a request finds and removes is read from u_sets, which this block does not "
                     "have as rtl/mesc_tlb/mp_mesc_tlb.sv does; --rtl-shadow");
        return NULL;
    }
    struct loop_mesc_tlb *t = calloc(1, sizeof *t);
    if (t) {
        t->loop = (struct rtl_loop){.host = host, .rtl = &rtl->verilated, .window.waves = host->waves};
        t->rtl = rtl;
        t->latency = g->latency;
        set_policy(t, model);
        if (host->shadow && (t->lockstep = mesc_tlb_lockstep_new(rtl, SEED)))
            t->loop.lockstep = mesc_tlb_lockstep_base(t->lockstep);
        else if (!host->shadow)
            t->loop.block = rtl->open(SEED);
        if (t->lockstep || t->loop.block)
            return t;
        close_tlb(t);
    }
    mp_fail(err, "out of memory");
    return NULL;
}

/* ---- a request ---- */

static struct loop_mesc_tlb *of(const void *state)
{
    return *(struct loop_mesc_tlb *const *)state;
}

/* Asks the RTL. If the run must end, answers as an empty TLB does. */
static struct mesc_tlb_rtl_response ask(struct loop_mesc_tlb *t, struct mesc_tlb_rtl_request q)
{
    struct mesc_tlb_rtl_response r = {.action = MESC_MISS};
    if (!t->loop.over && q.vpn >> MESC_TLB_VPN_W)
        rtl_loop_end(&t->loop,
                     "page number 0x%" PRIx64 " is too wide for the RTL's tags; larger machine.page_bytes",
                     q.vpn);
    if (t->loop.over)
        return r;
    t->request = q;
    rtl_loop_begin(&t->loop);
    if (t->lockstep) {
        t->request.manner = rtl_manner_of(t->loop.transactions);
        if (!mesc_tlb_lockstep_step(t->lockstep, &t->request))
            rtl_loop_differs(&t->loop);
        return mesc_tlb_lockstep_answer(t->lockstep);
    }
    t->rtl->request(t->loop.block, &t->request, &r);
    if (r.wrong)
        rtl_loop_end(&t->loop, "%s", r.wrong);
    else if (r.action >= MESC_ACTIONS || r.way >= t->rtl->ways)
        rtl_loop_end(&t->loop, "the RTL responds with an action or a way that does not exist");
    return r;
}

/* ---- the entries ---- */

static uint32_t set_of(const struct loop_mesc_tlb *t, bool subregions, uint64_t vpn)
{
    return (uint32_t)(vpn >> (subregions ? FRAME : 0)) & (t->rtl->sets - 1);
}

static void read_set(const struct loop_mesc_tlb *t, uint32_t set, struct mesc_set *s)
{
    if (t->lockstep)
        *s = *mesc_tlb_lockstep_set(t->lockstep, set);
    else
        t->rtl->state(t->loop.block, set, s);
}

static bool maps(const struct mesc_way *w, uint16_t asid, uint64_t vpn)
{
    return w->asid == asid && vpn - w->vpn < w->pages;
}

static struct mp_span span_around(const struct mesc_way *w, uint64_t vpn, bool read_only)
{
    const unsigned unit = w->subregions ? SUBREGION : 0;
    uint64_t before = (vpn >> unit) - (w->vpn >> unit), units = w->pages >> unit;
    return (struct mp_span){
        .unit = unit & 15, .before = before & 31, .after = (units - 1 - before) & 31, .read_only = read_only};
}

static uint64_t pages_of(const struct loop_mesc_tlb *t, bool all, uint16_t asid)
{
    uint64_t pages = 0;
    struct mesc_set s;
    for (uint32_t set = 0; set < t->rtl->sets; set++) {
        read_set(t, set, &s);
        for (uint32_t w = 0; w < t->rtl->ways; w++)
            if (all || s.way[w].asid == asid)
                pages += s.way[w].pages;
    }
    return pages;
}

static void leave(const struct mesc_way *w, struct mp_tlb_left *left)
{
    const unsigned unit = w->subregions ? SUBREGION : 0;
    mp_tlb_leave(left, w->asid, w->vpn, unit, (1u << (w->pages >> unit)) - 1);
}

/* Whether the entry that was in the way is not there any more. */
static bool has_left(const struct mesc_way *before, const struct mesc_way *after)
{
    return before->pages &&
           (before->vpn != after->vpn || before->pfn != after->pfn || before->pages != after->pages ||
            before->asid != after->asid || before->subregions != after->subregions);
}

/* Adds the entries of a set that have left, except that in `without`. Returns their pages. */
static uint32_t left_of(const struct loop_mesc_tlb *t, const struct mesc_set *before,
                        const struct mesc_set *after, uint32_t without, struct mp_tlb_left *left)
{
    uint32_t pages = 0;
    for (uint32_t w = 0; w < t->rtl->ways; w++)
        if (w != without && has_left(&before->way[w], &after->way[w])) {
            leave(&before->way[w], left);
            pages += before->way[w].pages;
        }
    return pages;
}

/* ---- the policy ---- */

static size_t bytes(const struct mp_tlb_geometry *g)
{
    (void)g;
    return sizeof(struct loop_mesc_tlb *);
}

static void init(void *state, const struct mp_tlb_geometry *g)
{
    (void)state; /* the creator of the TLB writes the pointer */
    (void)g;
}

/* Subregion entries are looked up first. */
static uint32_t cycles(const struct loop_mesc_tlb *t, bool in_subregions)
{
    return t->latency + (t->rtl->sub_ways && !in_subregions);
}

static struct mp_tlb_hit hit_in(const struct loop_mesc_tlb *t, const struct mesc_way *w, uint64_t vpn)
{
    return (struct mp_tlb_hit){.pfn = w->pfn + (vpn - w->vpn),
                               .cycles = cycles(t, w->subregions),
                               .span = span_around(w, vpn, w->read_only),
                               .found = true};
}

static struct mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn)
{
    struct loop_mesc_tlb *t = of(state);
    const struct mesc_tlb_rtl_response r =
        ask(t, (struct mesc_tlb_rtl_request){.op = MESC_LOOKUP, .asid = asid, .vpn = vpn});
    const bool subregions = r.action == MESC_HIT_SUBREGIONS;
    struct mesc_set s;
    if (t->loop.over || (!subregions && r.action != MESC_HIT_PAGE))
        return (struct mp_tlb_hit){.cycles = cycles(t, false)};
    read_set(t, set_of(t, subregions, vpn), &s);
    return (struct mp_tlb_hit){.pfn = r.pfn,
                               .cycles = cycles(t, subregions),
                               .span = span_around(&s.way[r.way], vpn, r.read_only),
                               .found = true};
}

static struct mp_tlb_hit peek(const void *state, uint16_t asid, uint64_t vpn)
{
    const struct loop_mesc_tlb *t = of(state);
    struct mesc_set s;
    for (unsigned page = !t->rtl->sub_ways; page < 2; page++) {
        read_set(t, set_of(t, !page, vpn), &s);
        for (uint32_t w = 0; w < t->rtl->ways; w++)
            if (s.way[w].subregions == !page && maps(&s.way[w], asid, vpn))
                return hit_in(t, &s.way[w], vpn);
    }
    return (struct mp_tlb_hit){.cycles = cycles(t, false)};
}

/* The pages of a translation that one entry can hold: its span within the frame of 2 MB. */
static struct mesc_tlb_rtl_request insertion_of(const struct loop_mesc_tlb *t, uint16_t asid, uint64_t vpn,
                                                struct mp_translation to)
{
    struct mesc_tlb_rtl_request q = {
        .op = MESC_INSERT_PAGE, .asid = asid, .vpn = vpn, .pfn = to.pfn, .read_only = to.span.read_only};
    if (t->rtl->sub_ways && cosim_mesc_tlb_run(vpn, to, &q.first, &q.last))
        q.op = MESC_INSERT_SUBREGIONS;
    return q;
}

static struct mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, struct mp_translation to,
                                      struct mp_tlb_left *left)
{
    static const char *const names[MESC_ACTIONS] = {[MESC_VACANT] = "vacant", [MESC_EVICT] = "evict"};
    struct loop_mesc_tlb *t = of(state);
    const struct mesc_tlb_rtl_request q = insertion_of(t, asid, vpn, to);
    const uint32_t set = set_of(t, q.op == MESC_INSERT_SUBREGIONS, vpn);
    struct mesc_set before, after;
    read_set(t, set, &before);
    const struct mesc_tlb_rtl_response r = ask(t, q);
    struct mp_tlb_insertion done = {.action = "update", .way = r.way};
    if (t->loop.over || !names[r.action])
        return done;
    done.action = names[r.action];
    read_set(t, set, &after);
    done.entry_evicted = r.action == MESC_EVICT;
    left_of(t, &before, &after, done.entry_evicted ? r.way : UINT32_MAX, left);
    if (done.entry_evicted) { /* the victim is the last that leaves */
        done.evicted_asid = before.way[r.way].asid;
        done.evicted_used = 1;
        leave(&before.way[r.way], left);
    }
    *(q.op == MESC_INSERT_SUBREGIONS ? &t->stats[asid].blocks_written : &t->stats[asid].pages_written) += 1;
    return done;
}

static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn, struct mp_tlb_left *left)
{
    struct loop_mesc_tlb *t = of(state);
    const uint32_t subregions = set_of(t, t->rtl->sub_ways, vpn), pages = set_of(t, false, vpn);
    struct mesc_set before[2], after[2];
    read_set(t, subregions, &before[0]);
    read_set(t, pages, &before[1]);
    ask(t, (struct mesc_tlb_rtl_request){.op = MESC_INVALIDATE_PAGE, .asid = asid, .vpn = vpn});
    if (t->loop.over)
        return 0;
    read_set(t, subregions, &after[0]);
    read_set(t, pages, &after[1]);
    uint32_t gone = left_of(t, &before[0], &after[0], UINT32_MAX, left);
    return subregions == pages ? gone : gone + left_of(t, &before[1], &after[1], UINT32_MAX, left);
}

static uint32_t sweep(struct loop_mesc_tlb *t, enum mesc_tlb_rtl_op op, uint16_t asid)
{
    const bool all = op == MESC_INVALIDATE_ALL;
    uint64_t before = pages_of(t, all, asid);
    ask(t, (struct mesc_tlb_rtl_request){.op = op, .asid = asid});
    return t->loop.over ? 0 : (uint32_t)(before - pages_of(t, all, asid));
}

static uint32_t invalidate_asid(void *state, uint16_t asid)
{
    return sweep(of(state), MESC_INVALIDATE_ASID, asid);
}

static uint32_t invalidate_all(void *state)
{
    return sweep(of(state), MESC_INVALIDATE_ALL, 0);
}

static uint64_t occupancy(const void *state, uint16_t asid)
{
    return pages_of(of(state), false, asid);
}

static void *counters(void *state)
{
    return of(state)->stats;
}

static void answered(void *state, uint16_t asid, struct mp_span span)
{
    of(state)->stats[asid].block_hits += span.unit != 0;
}

static void set_policy(struct loop_mesc_tlb *t, const struct mp_tlb_policy *model)
{
    t->policy = (struct mp_tlb_policy){.design = model->design,
                                       .reach = model->reach,
                                       .misses_repeat = model->misses_repeat,
                                       .counters = counters,
                                       .bytes = bytes,
                                       .init = init,
                                       .lookup = lookup,
                                       .peek = peek,
                                       .insert = insert,
                                       .invalidate_page = invalidate_page,
                                       .invalidate_asid = invalidate_asid,
                                       .invalidate_all = invalidate_all,
                                       .occupancy = occupancy,
                                       .answered = model->answered ? answered : NULL};
}

static const struct mp_tlb_policy *policy_of(const void *block)
{
    return &((const struct loop_mesc_tlb *)block)->policy;
}

/* ---- queries ---- */

static void report(const void *block, FILE *out, bool full)
{
    const struct loop_mesc_tlb *t = block;
    const struct mesc_tlb_rtl_request *q = &t->request;
    if (t->lockstep && rtl_lockstep_difference(t->loop.lockstep))
        mesc_tlb_lockstep_report(t->lockstep, out, full);
    else
        fprintf(out, "%s after request %" PRIu64 ": %c asid=%u vpn=0x%" PRIx64 " pfn=0x%" PRIx64 "\n",
                t->loop.trouble, t->loop.transactions, "LISVAF"[q->op], q -> asid, q -> vpn, q -> pfn);
}

static bool point(const void *block, unsigned number, char name[MP_RTL_POINT_NAME], struct mp_rtl_point *p)
{
    const struct loop_mesc_tlb *t = block;
    return t->lockstep && mesc_tlb_lockstep_point(t->lockstep, number, name, p);
}

static const struct mp_rtl_tlb tlb = {.has = has, .open = open_tlb, .policy = policy_of};

RTL_LOOP_EXPORT(close_tlb, .tlb = &tlb);
